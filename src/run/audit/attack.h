#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "privacy/observe/coalition.h"
#include "protocol/sealing.h"
#include "run/audit/neighbours.h"

// An attack on one party: the state machines of a run, some of them played by the attackers, and
// the likelihood ratio of what those have seen.
namespace sotto {

// What one run showed to the attackers, as the best test there is reads it. Of a Gaussian release
// z ~ N(distance·s, 1), with s the shift that the model says; of a Laplace one z is how far the
// released entry is from world 0's, and s the noise's scale beside the plan's: 1.
struct Sighting {
  double z = 0;
  double s = 0;
  std::vector<double> seen;  // the numbers themselves, in the change's direction: for a test that
                             // knows no model
};

// Runs with the party's data at one distance from world 0.
struct WatchedRuns {
  double distance = 0;
  std::span<const Sighting> runs;
};

// How runs compare with the model. Gaussian: z has mean slope·distance·s and standard deviation
// `scatter`, where the model says 1 and 1, and what counts is slope/scatter. Laplace: the scale is
// `scatter` times the plan's.
struct Measured {
  double slope = 1;
  double scatter = 1;
  double error = 0;  // one standard deviation of slope/scatter, relative
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

  // What rises with that ratio between the two worlds, also where the noise has another size.
  [[nodiscard]] virtual double score(const Sighting& sighting) const = 0;

  // Where to look for what an ε is exceeded by: runs at this distance show it often, if the shift
  // is `ratio` times the model's.
  [[nodiscard]] virtual double tilt(double epsilon, double ratio) const = 0;

  [[nodiscard]] virtual Measured measure(std::span<const WatchedRuns> worlds) const = 0;

  // The same sighting with the noise as measured, where what was measured is `stretch` times that:
  // then log_ratio is the measured model's.
  [[nodiscard]] virtual Sighting as_measured(const Sighting& sighting, double distance,
                                             const Measured& measured, double stretch) const = 0;

  // Whether δ rises with `stretch`. Where it need not, a single run adds to it no less than at one
  // of the ends of an interval.
  [[nodiscard]] virtual bool rises_with_stretch() const = 0;

  // The most that (p₁/p_distance)(1 − e^{ε−L})₊ can be, as its logarithm, of sightings with this s.
  [[nodiscard]] virtual double log_largest_excess(double epsilon, double distance,
                                                  double s) const = 0;
};

// What all attacks on Gaussian noise share.
class GaussianAttack : public Attack {
 public:
  [[nodiscard]] double log_ratio(const Sighting& sighting, double from, double to) const final;
  [[nodiscard]] double score(const Sighting& sighting) const final;
  [[nodiscard]] double tilt(double epsilon, double ratio) const final;
  [[nodiscard]] Measured measure(std::span<const WatchedRuns> worlds) const final;
  [[nodiscard]] Sighting as_measured(const Sighting& sighting, double distance,
                                     const Measured& measured, double stretch) const final;
  [[nodiscard]] bool rises_with_stretch() const final { return true; }
  [[nodiscard]] double log_largest_excess(double epsilon, double distance, double s) const final;

 protected:
  // s of a run with ordinary multipliers.
  [[nodiscard]] virtual double typical_shift() const = 0;
};

// What honest parties draw from. Tests put something weaker here.
using NoiseMaker = std::function<std::unique_ptr<NoiseSource>(RandomSource&)>;

// What a coalition (none: the eavesdropper) learns of `victim` in `ac`, `dishuf` and `pairwise`.
// Honest parties run the machines of protocol/ with exact noise. A member plays each of its edges
// with a machine of its own that adds no noise, so that it knows every mask, look and multiplier of
// its edges; nobody honest can tell. The attackers are also told all multipliers, as the proofs
// assume, and what everybody else holds. `pairwise` agrees on its masks without X25519, as
// simulations do: the same masks' law, and the audit says nothing about the agreement.
[[nodiscard]] std::unique_ptr<Attack> attack_on_release(const PlannedStudy& planned,
                                                        NeighbouringData data, PartyId victim,
                                                        std::vector<PartyId> coalition,
                                                        NoiseMaker noise = exact_noise,
                                                        Agreement agreement = Agreement::kIdeal);

// The same of `gt`, where everybody sees the perturbed costs and nothing else counts. `entry` is
// the one that moves.
[[nodiscard]] std::unique_ptr<Attack> attack_on_cost(const PlannedStudy& planned,
                                                     NeighbouringData data, std::size_t entry,
                                                     NoiseMaker noise = exact_noise);

// Whom a coalition learns most of, by the model with multipliers in the middle of their range.
struct BestVictim {
  PartyId victim = 0;
  double shift = 0;  // for a change of length 1
};
[[nodiscard]] BestVictim best_victim(const PlannedStudy& planned,
                                     std::span<const PartyId> coalition);

}  // namespace sotto
