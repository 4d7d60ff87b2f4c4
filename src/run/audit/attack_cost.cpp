// The attack on `gt`: what everybody sees of an entry is itself with noise, truncated Laplace on
// A's and Gaussian on B's.
#include <algorithm>
#include <cmath>
#include <limits>

#include "run/audit/attack.h"

namespace sotto {
namespace {

// Draws perturbed costs, and reads the one entry that moves.
class WatchedEntry {
 public:
  WatchedEntry(const PlannedStudy& planned, NeighbouringData data, std::size_t entry,
               NoiseMaker draws)
      : noise_(std::get<GradientNoise>(planned.plan.noise)),
        dimension_(planned.plan.dimension),
        data_(std::move(data)),
        entry_(entry),
        draws_(std::move(draws)) {}

  [[nodiscard]] double read(double distance, std::uint64_t seed, std::uint64_t run) const {
    SeededRandom random(seed, run);
    const auto noise = draws_(random);
    const PerturbedCost cost =
        perturb_cost(data_.at(distance), dimension_, noise_.on_grid, noise_.sigma_eta, *noise);
    return to_theta({.a = cost.g, .b = cost.h})[entry_];
  }

  [[nodiscard]] const GradientNoise& noise() const { return noise_; }
  [[nodiscard]] double moved() const { return data_.moved; }

 private:
  const GradientNoise& noise_;
  std::size_t dimension_;
  NeighbouringData data_;
  std::size_t entry_;
  NoiseMaker draws_;
};

class VectorEntryAttack final : public GaussianAttack {
 public:
  explicit VectorEntryAttack(WatchedEntry entry) : entry_(std::move(entry)) {}

  [[nodiscard]] Result<Sighting> sight(double distance, std::uint64_t seed,
                                       std::uint64_t run) const override {
    const double seen = entry_.read(distance, seed, run);
    return Sighting{.z = seen / entry_.noise().sigma_eta, .s = typical_shift(), .seen = {seen}};
  }

 protected:
  [[nodiscard]] double typical_shift() const override {
    return entry_.moved() / entry_.noise().sigma_eta;
  }

 private:
  WatchedEntry entry_;
};

class MatrixEntryAttack final : public Attack {
 public:
  explicit MatrixEntryAttack(WatchedEntry entry)
      : entry_(std::move(entry)),
        moved_(entry_.moved()),
        scale_(entry_.noise().laplace.scale()),
        bound_(entry_.noise().on_grid.largest()) {}

  [[nodiscard]] Result<Sighting> sight(double distance, std::uint64_t seed,
                                       std::uint64_t run) const override {
    const double seen = entry_.read(distance, seed, run);
    return Sighting{.z = seen, .s = 1, .seen = {seen}};
  }

  [[nodiscard]] double log_ratio(const Sighting& sighting, double from, double to) const override {
    const double old_gap = std::abs(sighting.z - from * moved_);
    const double new_gap = std::abs(sighting.z - to * moved_);
    if (new_gap > bound_) return -std::numeric_limits<double>::infinity();
    if (old_gap > bound_) return std::numeric_limits<double>::infinity();
    return (old_gap - new_gap) / (scale_ * sighting.s);
  }

  // Whatever scale and bound turn out to be.
  [[nodiscard]] double score(const Sighting& sighting) const override { return sighting.z; }

  // Noise that is cut off gives itself away just outside of what world 0 can release.
  [[nodiscard]] double tilt(double /*epsilon*/, double /*ratio*/) const override {
    return bound_ / moved_ + 0.5;
  }

  // The scale from the mean of |noise|; the bound is the plan's.
  [[nodiscard]] Measured measure(std::span<const WatchedRuns> worlds) const override {
    double sum = 0;
    double squares = 0;
    double count = 0;
    for (const WatchedRuns& world : worlds) {
      for (const Sighting& run : world.runs) {
        const double size = std::abs(run.z - world.distance * moved_);
        sum += size;
        squares += size * size;
      }
      count += static_cast<double>(world.runs.size());
    }
    const double mean = sum / count;
    const double spread = std::sqrt(std::max(0.0, squares / count - mean * mean) / count);
    // E|noise| rises with the scale.
    double low = 0;
    double high = 10;
    for (int step = 0; step < 60; ++step) {
      const double middle = (low + high) / 2;
      (mean_size(middle) < mean ? low : high) = middle;
    }
    constexpr double kStep = 1e-3;
    const double slope = (mean_size(low * (1 + kStep)) - mean_size(low * (1 - kStep))) / kStep / 2;
    return {.slope = 1, .scatter = low, .error = spread / slope};
  }

  [[nodiscard]] Sighting as_measured(const Sighting& sighting, double /*distance*/,
                                     const Measured& measured, double stretch) const override {
    return {.z = sighting.z, .s = measured.scatter * stretch, .seen = {}};
  }

  // It falls up to the scale μ/ε, and rises after it with what is beyond the bound.
  [[nodiscard]] bool rises_with_stretch() const override { return false; }

  // p₁/p_λ falls between both centres, so it is largest where L begins to exceed ε: inside of what
  // world 0 can release if ε < μ/b, at its end otherwise.
  [[nodiscard]] double log_largest_excess(double epsilon, double distance,
                                          double s) const override {
    if (distance == 1) return 0;
    const double scale = scale_ * s;
    const double first = epsilon * scale < moved_ ? (epsilon * scale + moved_) / 2 : bound_;
    const double from = std::max(first, distance * moved_ - bound_);
    return (std::abs(from - distance * moved_) - std::abs(from - moved_)) / scale;
  }

 private:
  // E|noise| of a Laplace law cut off at the bound: b − B/(e^{B/b} − 1).
  [[nodiscard]] double mean_size(double scatter) const {
    const double scale = scale_ * scatter;
    return scale - bound_ / std::expm1(bound_ / scale);
  }

  WatchedEntry entry_;
  double moved_;
  double scale_;
  double bound_;
};

}  // namespace

std::unique_ptr<Attack> attack_on_cost(const PlannedStudy& planned, NeighbouringData data,
                                       std::size_t entry, NoiseMaker noise) {
  const bool in_matrix = entry < planned.plan.entries - planned.plan.dimension;
  WatchedEntry watched(planned, std::move(data), entry, std::move(noise));
  if (in_matrix) return std::make_unique<MatrixEntryAttack>(std::move(watched));
  return std::make_unique<VectorEntryAttack>(std::move(watched));
}

}  // namespace sotto
