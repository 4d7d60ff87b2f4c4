#include "solve/estimators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "solve/estimator_table.h"

// The table of estimators, and those of them that are one formula.
namespace sotto {
namespace {

constexpr std::array<EstimatorEntry, 6> kEstimators{{
    {Estimator::kNoiseAware, "noise-aware", noise_aware,
     "The noise-aware estimator knows how much noise was added, and draws every coefficient "
     "towards zero as far as the noise makes that the better guess."},
    {Estimator::kExact, "exact", exact_solution,
     "The exact estimator solves the noisy equations as they stand."},
    {Estimator::kPsdRidge, "psd-ridge", psd_ridge,
     "The estimator psd-ridge adds a ridge, which draws the coefficients towards zero."},
    {Estimator::kAdassp, "adassp", adassp,
     "The estimator adassp adds a ridge, which draws the coefficients towards zero."},
    {Estimator::kRidge, "ridge", nullptr,
     "The estimator ridge adds a ridge, which draws the coefficients towards zero."},
    {Estimator::kTwoStage, "two-stage", nullptr,
     "Two-stage least squares: features are explained by the instruments first, and only that part "
     "of them explains the target."},
}};

}  // namespace

std::span<const EstimatorEntry> estimator_table() {
  return kEstimators;
}

const EstimatorEntry& estimator_entry(Estimator estimator) {
  const auto* const found = std::ranges::find(kEstimators, estimator, &EstimatorEntry::estimator);
  check(found != kEstimators.end(), "every estimator is in the table");
  return *found;
}

std::string_view to_string(Estimator estimator) {
  return estimator_entry(estimator).name;
}

Result<Estimator> estimator_from_name(std::string_view name) {
  const auto* const found = std::ranges::find(kEstimators, name, &EstimatorEntry::name);
  if (found != kEstimators.end()) return found->estimator;
  return bad_input("E-solve-estimator", fmt::format("no estimator is called \"{}\"", name),
                   R"("noise-aware", "exact", "psd-ridge" or "adassp")");
}

Result<Estimate> estimate(Estimator estimator, const NoisySums& sums) {
  const EstimatorEntry& entry = estimator_entry(estimator);
  check(entry.compute != nullptr, "refits have more than an estimator");
  return entry.compute(sums);
}

Result<Estimate> exact_solution(const NoisySums& sums) {
  SOTTO_TRY(validate(sums));
  const solve::SpectrumOfSums spectrum(sums.a);
  solve::SpectralSolution solution = solve::minimum_norm(spectrum.values, spectrum.vectors, sums.b);
  Estimate found;
  found.theta = std::move(solution.theta);
  found.dropped = solution.dropped;
  if (solution.dropped > 0) {
    found.warnings.push_back(
        fmt::format("The noisy A is singular in {} of {} directions; of all solutions this is the "
                    "shortest. \"noise-aware\" needs no such choice.",
                    solution.dropped, sums.size()));
  }
  if (spectrum.values(0) < 0) {
    found.warnings.push_back(fmt::format(
        "The noisy A has a negative eigenvalue ({:.3g}); the solution is a saddle point "
        "of the noisy objective, not its minimum.",
        spectrum.values(0)));
  }
  return found;
}

Result<Estimate> psd_ridge(const NoisySums& sums) {
  SOTTO_TRY(validate(sums));
  const double lambda = sums.invariant_sigma() * std::sqrt(static_cast<double>(sums.size()));
  return solve::ridge_of_projection(sums, solve::SpectrumOfSums(sums.a), lambda);
}

Result<Estimate> ridge(const NoisySums& sums, double lambda, bool intercept) {
  SOTTO_TRY(validate(sums));
  NoisySums penalised = sums;
  penalised.a.diagonal().tail(sums.size() - (intercept ? 1 : 0)).array() += lambda;
  Estimate found = solve::ridge_of_projection(penalised, solve::SpectrumOfSums(penalised.a), 0);
  found.ridge = lambda;
  return found;
}

Result<Estimate> adassp(const NoisySums& sums) {
  SOTTO_TRY(validate(sums));
  const solve::SpectrumOfSums spectrum(sums.a);
  const double bound =
      solve::noise_bound(sums.invariant_sigma(), sums.size(), solve::kAdasspFailure);
  const double smallest = std::max(0.0, spectrum.values(0) - bound);
  return solve::ridge_of_projection(sums, spectrum, std::max(0.0, bound - smallest));
}

namespace solve {

double noise_bound(double sigma, Eigen::Index d, double failure) {
  return sigma * (std::sqrt(2 * static_cast<double>(d)) + std::sqrt(-2 * std::log(failure)));
}

Estimate ridge_of_projection(const NoisySums& sums, const SpectrumOfSums& spectrum, double lambda) {
  const Eigen::VectorXd values = spectrum.values.cwiseMax(0).array() + lambda;
  SpectralSolution solution = minimum_norm(values, spectrum.vectors, sums.b);
  Estimate found;
  found.theta = std::move(solution.theta);
  found.dropped = solution.dropped;
  found.ridge = lambda;
  if (solution.dropped > 0) {
    found.warnings.push_back(
        fmt::format("The sums are singular in {} of {} directions; of all solutions this is the "
                    "shortest.",
                    solution.dropped, sums.size()));
  }
  return found;
}

}  // namespace solve
}  // namespace sotto
