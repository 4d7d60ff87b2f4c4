#include "solve/estimators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"

// The estimators by name, and those that are one formula.
namespace sotto {
namespace {

constexpr std::array<std::pair<Estimator, std::string_view>, 6> kEstimatorNames{
    {{Estimator::kNoiseAware, "noise-aware"},
     {Estimator::kExact, "exact"},
     {Estimator::kPsdRidge, "psd-ridge"},
     {Estimator::kAdassp, "adassp"},
     {Estimator::kRidge, "ridge"},
     {Estimator::kTwoStage, "two-stage"}}};

}  // namespace

std::string_view to_string(Estimator estimator) {
  for (const auto& [value, name] : kEstimatorNames) {
    if (value == estimator) return name;
  }
  check(false, "every estimator has a name");
  return {};
}

Result<Estimator> estimator_from_name(std::string_view name) {
  for (const auto& [value, known] : kEstimatorNames) {
    if (known == name) return value;
  }
  return bad_input("E-solve-estimator", fmt::format("no estimator is called \"{}\"", name),
                   R"("noise-aware", "exact", "psd-ridge" or "adassp")");
}

Result<Estimate> estimate(Estimator estimator, const NoisySums& sums) {
  switch (estimator) {
    case Estimator::kNoiseAware:
      return noise_aware(sums);
    case Estimator::kExact:
      return exact_solution(sums);
    case Estimator::kPsdRidge:
      return psd_ridge(sums);
    case Estimator::kAdassp:
      return adassp(sums);
    case Estimator::kRidge:
    case Estimator::kTwoStage:
      break;
  }
  check(false, "refits have more than an estimator");
  return {};
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
