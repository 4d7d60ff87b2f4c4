#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "run/audit/attack.h"
#include "run/audit/bounds.h"
#include "run/simulate.h"

// `sotto audit`: tries to disprove what a study claims, against each of its observers, on what they
// see of runs of the real state machines.
namespace sotto {

// How an ε was proven.
enum class AuditTest { kLikelihood, kCounting, kLearned };
inline constexpr EnumNames<AuditTest, 3> kAuditTests{{"likelihood", "counting", "learned"}};

struct AuditedObserver {
  Adversary claimed;             // the study's row
  std::vector<PartyId> members;  // of the coalition; none: the eavesdropper
  PartyId victim = 0;
  std::string change;     // what the two worlds differ by
  double moved = 0;       // its length, as a share of the sensitivity
  double likelihood = 0;  // ε by importance sampling on the likelihood ratio
  double counting = 0;    // ε by counting runs on one side of the likelihood ratio's threshold
  double learned = 0;     // ε by counting, with a test that knows no model
  audit::Estimate at_claimed;  // δ at the claimed ε, by importance sampling
  // What the runs have of the shift that the model says, and its error.
  audit::Estimate measured_shift;
  std::size_t runs = 0;  // in each world
  audit::TradeOff curve;

  [[nodiscard]] double provable() const;
  [[nodiscard]] AuditTest best_test() const;
  [[nodiscard]] bool disproved() const;
};

struct AuditReport {
  Solver solver = Solver::kDishuf;
  std::vector<AuditedObserver> observers;

  [[nodiscard]] bool disproved() const;
};

struct AuditRequest {
  std::uint64_t seed = 1;
  std::size_t runs = 32'000;  // at most, in each world; fewer where less is enough
  std::size_t threads = 0;    // 0: one per core
  Progress progress = {};
  NoiseMaker noise = exact_noise;  // of honest parties
};

// All that an audit proves holds at once, but for this.
inline constexpr double kAuditError = 1e-3;
inline constexpr std::size_t kFirstAuditRuns = 1000;
inline constexpr std::size_t kMostAuditedParties = 64;

// Attacks each observer's row where the model says that most is learned. Stops early once a claim
// is disproved, or shown to be tight to five per cent. Same seed, same bits, for any number of
// threads. E-audit-parties beyond kMostAuditedParties; E-audit-noise where masks are past what
// doubles tell apart (lemma1).
[[nodiscard]] Result<AuditReport> audit_study(const PlannedStudy& planned,
                                              const AuditRequest& request);

[[nodiscard]] nlohmann::ordered_json to_json(const Study& study, const AuditReport& report);
[[nodiscard]] std::string to_text(const Study& study, const AuditReport& report);

}  // namespace sotto
