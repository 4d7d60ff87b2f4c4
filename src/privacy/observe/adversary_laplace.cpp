#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "privacy/observe/adversary.h"

// Who sees how much of Laplace noise at every party: all the same. docs/proofs/local_laplace.md
namespace sotto {
namespace {

// What moves k entries by Δ in Euclidean length moves them by √k·Δ in all, so that not cut off the
// release is ε₀-private with ε₀ = √k·Δ/b.
double pure_epsilon(const LaplaceNoise& noise, Sensitivity sensitivity) {
  return std::sqrt(static_cast<double>(noise.entries_moved)) * sensitivity.value() / noise.scale;
}

// The least δ with which everything that is ε₀-private is (ε, δ)-private: randomised response's,
// (e^{ε₀} − e^ε)/(e^{ε₀} + 1).
double delta_of_pure(double pure, double epsilon) {
  if (epsilon >= pure) return 0;
  return -std::expm1(epsilon - pure) / (1 + std::exp(-pure));
}

// Solved for ε: ln(e^{ε₀} − δ(e^{ε₀} + 1)).
double epsilon_of_pure(double pure, double delta) {
  const double rest = 1 - delta * (1 + std::exp(-pure));
  return rest > 0 ? std::max(0.0, pure + std::log(rest)) : 0;
}

// δ at ε of one entry that moves by μ, where noise is not cut off: 1 − e^{(ε − μ/b)/2}.
double one_entry_delta(double pure, double epsilon) {
  return epsilon >= pure ? 0 : -std::expm1((epsilon - pure) / 2);
}

Result<TruncatedLaplace> cut_off(const LaplaceNoise& noise, Sensitivity sensitivity) {
  SOTTO_ASSIGN(const auto epsilon, Epsilon::make(sensitivity.value() / noise.scale));
  return TruncatedLaplace::make(epsilon, sensitivity, *noise.bound);
}

}  // namespace

privacy::Rows privacy::rows_of(const LaplaceNoise& noise, const Watched& watched) {
  const double epsilon = watched.budget.epsilon.value();
  const double delta = watched.budget.delta.value();
  Adversary seen;
  if (noise.bound) {
    if (noise.entries_moved != 1) {
      return refused("E-mechanism-row",
                     "of Laplace noise that is cut off sotto has a proof for one entry, not for a "
                     "row",
                     "unit = \"entry\", noise without a bound, or a row of the solver's own");
    }
    SOTTO_ASSIGN(const auto laplace, cut_off(noise, watched.sensitivity));
    seen.delta_at_epsilon = laplace.delta_at(epsilon);
    seen.epsilon_at_delta = laplace.epsilon_at(delta);
  } else {
    const double pure = pure_epsilon(noise, watched.sensitivity);
    seen.delta_at_epsilon = delta_of_pure(pure, epsilon);
    seen.epsilon_at_delta = epsilon_of_pure(pure, delta);
  }
  seen.shift = equivalent_shift(epsilon, seen.delta_at_epsilon);
  return alike_for_all(seen, watched.colluders);
}

double privacy::equivalent_shift(double epsilon, double delta) {
  if (delta >= 1) return std::numeric_limits<double>::infinity();
  return delta > 0 ? gaussian_shift(epsilon, delta) : 0;
}

double privacy::least_delta(const Noise& noise, Sensitivity sensitivity, double epsilon) {
  if (const auto* local = std::get_if<LocalNoise>(&noise)) {
    return gaussian_delta(epsilon, sensitivity.value() / local->sigma);
  }
  const auto* laplace = std::get_if<LaplaceNoise>(&noise);
  if (laplace == nullptr || laplace->entries_moved != 1) return 0;
  if (!laplace->bound) return one_entry_delta(pure_epsilon(*laplace, sensitivity), epsilon);
  const auto made = cut_off(*laplace, sensitivity);
  return made ? made->delta_at(epsilon) : 1;
}

}  // namespace sotto
