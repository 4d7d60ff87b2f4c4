#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/schema.h"
#include "graph/weights.h"
#include "moments/sensitivity.h"
#include "privacy/budget.h"
#include "privacy/calibrate/dishuf.h"
#include "privacy/calibrate/gt.h"
#include "protocol/consensus.h"
#include "solve/estimators.h"

namespace sotto {

// What all parties agree on, as typed values: study.toml once it has been read.

struct PrivacyTerms {
  Budget budget;
  Unit unit = Unit::kEntry;
  Neighbours neighbours = Neighbours::kAddRemove;
  Sensitivity sensitivity;  // μ, or a row's
  std::size_t colluders = 0;
};

struct GtTerms {
  std::optional<double> truncation;  // none: the smallest that has the δ asked for
  Convexity guarantee = Convexity::kCertain;
  std::optional<double> lambda_min;  // public lower bound on ΣA_i's eigenvalues
  std::optional<double> step;        // none: "auto"
  std::optional<Round> rounds;       // none: from the rate and the tolerance
  bool keep_delta = true;            // false: the truncation stands, whatever δ it has
};

enum class Calibration { kGraph, kLemma1 };

struct DishufTerms {
  ShuffleParameters parameters;
  Calibration calibration = Calibration::kGraph;
  std::size_t key_bits = 3072;
  bool full_randomness = false;
};

// [solve]: what is made of the sums, and whether Σy² is among them. Only the intervals and the
// explained variance need Σy²; without it a row moves the sums less, √2 and not 1.5.
struct SolveTerms {
  Estimator estimator = Estimator::kExact;
  bool error_bars = true;  // tables only
};

// w² and v² of what a table releases, chosen here and nowhere else: w = 1; v = 1/2 for
// add/remove and 1 for replace; v = 0 stands for "Σy² stays at home".
[[nodiscard]] RecordWeights released_weights(Neighbours neighbours, const SolveTerms& terms);

// How far one row moves what a table releases.
[[nodiscard]] Sensitivity row_sensitivity(Neighbours neighbours, const SolveTerms& terms);

struct ConsensusTerms {
  ConsensusMethod method = ConsensusMethod::kExact;
  double tolerance = 1e-9;
  std::optional<Round> rounds;  // none: as many as the tolerance takes; exact has the diameter's
};

// Where the parties' costs come from when there are no tables.
struct ProblemSource {
  std::string family;         // "paper", or empty: files
  std::size_t dimension = 0;  // m; 0: the files say it, and nothing can be planned without them
  std::uint64_t seed = 0;
  std::vector<std::string> files;  // one for all parties, or one each
};

// [network]: how long parties wait for each other, and how few may go on.
struct NetworkTerms {
  std::size_t min_parties = 0;      // 0: all of them
  std::size_t attempts = 1;         // how often parties may have to seal anew, at most
  double meeting_seconds = 86'400;  // until everybody has shown up
  double patience_seconds = 300;    // for one that was there
};

struct PartyTerms {
  std::string name;
  std::string address;      // host:port; empty: it only dials out, or this is a simulation
  std::string fingerprint;  // sha256:…; empty in a simulation
};

struct Study {
  std::string name;
  Solver solver = Solver::kDishuf;
  PrivacyTerms privacy;
  Weights weights;
  GtTerms gt;
  DishufTerms dishuf;
  double pairwise_g = 0.001;
  ConsensusTerms consensus;
  SolveTerms solve;
  std::optional<Schema> data;
  std::optional<ProblemSource> problem;
  NetworkTerms network = {};
  std::vector<PartyTerms> parties;
  std::string hash;  // SHA-256 of the file's bytes, hexadecimal

  [[nodiscard]] const Graph& graph() const { return weights.graph(); }

  // The study of those who are left: the graph without the others, edges with their
  // weights. `members` ascending. Fails where the rest does not hang together.
  [[nodiscard]] Result<Study> restricted_to(std::span<const PartyId> members) const;
};

// E-party-unknown lists the names there are.
[[nodiscard]] Result<PartyId> party_named(const Study& study, const std::string& name);

// Every party has a fingerprint, no two the same, and one end of every edge has an address.
// E-network-fingerprint, E-network-edge.
[[nodiscard]] Result<void> check_network(const Study& study);

// study.toml → typed values. Every error says line and column. Unknown keys are
// errors, and privacy has no defaults: a forgotten line must not choose somebody's.
// Relative file names in the study are relative to it. "-" is standard input.
[[nodiscard]] Result<Study> read_study(const std::string& path);

// The same from text; `name` stands for the file in errors.
[[nodiscard]] Result<Study> parse_study(std::string_view text, const std::string& name);

}  // namespace sotto
