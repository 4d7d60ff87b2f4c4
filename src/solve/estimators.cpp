#include "solve/estimators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/open_table.h"
#include "solve/estimator_table.h"
#include "solve/exact_answer.h"

// The table of estimators, and those of them that are one formula.
namespace sotto {
namespace {

// What needs nothing but sums.
using Formula = Result<Estimate> (*)(const NoisySums& sums);
EstimatorEntry built_in(Estimator estimator, std::string name, std::string words, Formula formula) {
  return {
      .estimator = estimator,
      .name = std::move(name),
      .words = std::move(words),
      .compute = [formula](const NoisySums& sums, const NamedSettings&) { return formula(sums); }};
}

// Each at the place that its number says.
OpenTable<EstimatorEntry>& estimators() {
  static OpenTable<EstimatorEntry> table(
      {.what = "estimator", .bad_name = "E-estimator-name", .too_late = "E-estimator-late"},
      {built_in(Estimator::kNoiseAware, "noise-aware",
                "The noise-aware estimator knows how much noise was added, and draws every "
                "coefficient towards zero as far as the noise makes that the better guess.",
                noise_aware),
       built_in(Estimator::kExact, "exact",
                "The exact estimator solves the noisy equations as they stand.", exact_solution),
       built_in(Estimator::kPsdRidge, "psd-ridge",
                "The estimator psd-ridge adds a ridge, which draws the coefficients towards zero.",
                psd_ridge),
       built_in(Estimator::kAdassp, "adassp",
                "The estimator adassp adds a ridge, which draws the coefficients towards zero.",
                adassp),
       {.estimator = Estimator::kRidge,
        .name = "ridge",
        .words = "The estimator ridge adds a ridge, which draws the coefficients towards zero.",
        .compute = nullptr},
       {.estimator = Estimator::kTwoStage,
        .name = "two-stage",
        .words = "Two-stage least squares: features are explained by the instruments first, and "
                 "only that part of them explains the target.",
        .compute = nullptr}});
  return table;
}

// Few columns without a spectrum, so that whoever needs nothing but θ finds the same bits
// (exact_answer.h).
bool eliminated(const NoisySums& sums, Eigen::VectorXd& theta) {
  const Eigen::Index m = sums.size();
  if (m > static_cast<Eigen::Index>(solve::kMaxElimination)) return false;
  std::vector<double> upper;
  for (Eigen::Index r = 0; r < m; ++r) {
    for (Eigen::Index c = r; c < m; ++c) upper.push_back(sums.a(r, c));
  }
  theta.resize(m);
  const auto size = static_cast<std::size_t>(m);
  return solve::solve_by_elimination(upper, {sums.b.data(), size}, {theta.data(), size});
}

}  // namespace

std::span<const EstimatorEntry> estimator_table() {
  return estimators().all();
}

Result<Estimator> add_estimator(const std::string& name,
                                const std::function<EstimatorEntry(Estimator)>& make) {
  SOTTO_ASSIGN(const auto place, estimators().add(name, [&](std::size_t at) {
    return make(static_cast<Estimator>(at));
  }));
  return static_cast<Estimator>(place);
}

bool is_estimator(std::string_view name) {
  return estimators().has(name);
}

const EstimatorEntry& estimator_entry(Estimator estimator) {
  const auto place = static_cast<std::size_t>(estimator);
  const auto all = estimator_table();
  check(place < all.size() && all[place].estimator == estimator, "every estimator is in the table");
  return all[place];
}

std::string_view to_string(Estimator estimator) {
  return estimator_entry(estimator).name;
}

Result<Estimator> estimator_from_name(std::string_view name) {
  std::vector<std::string> choices;
  for (const EstimatorEntry& entry : estimator_table()) {
    if (entry.name == name) return entry.estimator;
    if (entry.compute) choices.push_back(fmt::format("\"{}\"", entry.name));
  }
  return bad_input("E-solve-estimator", fmt::format("no estimator is called \"{}\"", name),
                   fmt::format("{}", fmt::join(choices, ", ")));
}

Result<Estimate> estimate(Estimator estimator, const NoisySums& sums,
                          const NamedSettings& settings) {
  const EstimatorEntry& entry = estimator_entry(estimator);
  check(entry.compute != nullptr, "refits have more than an estimator");
  return entry.compute(sums, entry.keys.empty() ? settings : with_fallbacks(entry.keys, settings));
}

Result<Estimate> exact_solution(const NoisySums& sums) {
  SOTTO_TRY(validate(sums));
  const solve::SpectrumOfSums spectrum(sums.a);
  solve::SpectralSolution solution;
  if (!eliminated(sums, solution.theta)) {
    solution = solve::minimum_norm(spectrum.values, spectrum.vectors, sums.b);
  }
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
