#include "solve/estimators.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "solve/adassp.h"
#include "solve/noise_aware.h"
#include "solve/spectrum_of_sums.h"

namespace sotto {

namespace {

constexpr std::array<std::pair<Estimator, std::string_view>, 4> kNames{
    {{Estimator::kNoiseAware, "noise-aware"},
     {Estimator::kExact, "exact"},
     {Estimator::kPsdRidge, "psd-ridge"},
     {Estimator::kAdassp, "adassp"}}};

}  // namespace

std::string_view to_string(Estimator estimator) {
  for (const auto& [value, name] : kNames) {
    if (value == estimator) return name;
  }
  check(false, "every estimator has a name");
  return {};
}

Result<Estimator> estimator_from_name(std::string_view name) {
  for (const auto& [value, known] : kNames) {
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
  }
  check(false, "every estimator is known");
  return {};
}

Result<Estimate> exact_solution(const NoisySums& sums) {
  if (auto valid = validate(sums); !valid) return tl::unexpected(std::move(valid).error());
  const SpectrumOfSums spectrum(sums.a);
  SpectralSolution solution = minimum_norm(spectrum.values, spectrum.vectors, sums.b);
  Estimate found;
  found.theta = std::move(solution.theta);
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
  if (auto valid = validate(sums); !valid) return tl::unexpected(std::move(valid).error());
  const double lambda = sums.invariant_sigma() * std::sqrt(static_cast<double>(sums.size()));
  return ridge_of_projection(sums, SpectrumOfSums(sums.a), lambda);
}

}  // namespace sotto
