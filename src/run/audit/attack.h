#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "privacy/observe/coalition.h"
#include "run/audit/neighbours.h"

// An attack on one party: the state machines of a run, some of them played by the attackers, and
// the likelihood ratio of what those have seen.
namespace sotto {

// What one run showed to the attackers, as the best test there is reads it. Of a Gaussian release
// z ~ N(distance·s, 1), with s the shift that the model says; of a Laplace one z is how far the
// released entry is from world 0's, and s is not used.
struct Sighting {
  double z = 0;
  double s = 0;
  std::vector<double> seen;  // the numbers themselves, in the change's direction: for a test that
                             // knows no model
};

class Attack {
 public:
  Attack() = default;
  Attack(const Attack&) = delete;
  Attack& operator=(const Attack&) = delete;
  virtual ~Attack() = default;

  // One run, with the party's data at this distance from world 0. Same seed and run, same bits.
  [[nodiscard]] virtual Result<Sighting> sight(double distance, std::uint64_t seed,
                                               std::uint64_t run) const = 0;

  // ln p_to(sighting)/p_from(sighting), of the model; ±infinity where only one of them can be.
  [[nodiscard]] virtual double log_ratio(const Sighting& sighting, double from,
                                         double to) const = 0;

  // Where to look for what an ε is exceeded by: runs at this distance show it often.
  [[nodiscard]] virtual double tilt(double epsilon) const = 0;

  // Whether s and z's standard deviation can be measured, instead of taken from the model.
  [[nodiscard]] virtual bool gaussian() const = 0;
};

// What a coalition (none: the eavesdropper) learns of `victim` in `ac`, `dishuf` and `pairwise`.
// Honest parties run the machines of protocol/ with exact noise. A member plays each of its edges
// with a machine of its own that adds no noise, so that it knows every mask, look and multiplier of
// its edges; nobody honest can tell. The attackers are also told all multipliers, as the proofs
// assume, and what everybody else holds.
[[nodiscard]] std::unique_ptr<Attack> attack_on_release(const PlannedStudy& planned,
                                                        NeighbouringData data, PartyId victim,
                                                        std::vector<PartyId> coalition);

// The same of `gt`, where everybody sees the perturbed costs and nothing else counts. `entry` is
// the one that moves.
[[nodiscard]] std::unique_ptr<Attack> attack_on_cost(const PlannedStudy& planned,
                                                     NeighbouringData data, std::size_t entry);

// Whom a coalition learns most of, by the model with multipliers in the middle of their range.
struct BestVictim {
  PartyId victim = 0;
  double shift = 0;  // for a change of length 1
};
[[nodiscard]] BestVictim best_victim(const PlannedStudy& planned,
                                     std::span<const PartyId> coalition);

}  // namespace sotto
