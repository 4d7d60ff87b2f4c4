#include "paper/case_studies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/decompositions.h"
#include "base/statistics.h"
#include "protocol/gt.h"
#include "simulate/simulation.h"
#include "study/study.h"

// The numbers behind the figures. Everything goes the way of any user's study.
namespace sotto {
namespace {

constexpr double kEpsilon = 10;
constexpr std::size_t kDraws = 1000;  // for Figure 1's mean
constexpr Round kRounds = 1000;       // of Figure 1
constexpr double kPaperTruncation = 3.1;
constexpr double kPaperStep = 0.005;
constexpr double kLambdaMin = 200;  // the family's smallest eigenvalue

// The paper's setting as a study, so that everything goes the way of any user's.
Result<Study> paper_study(std::size_t parties, double epsilon,
                          ShuffleMasks masks = ShuffleMasks::kShared) {
  return parse_study(fmt::format(R"([study]
name = "case study"
solver = "dishuf"
[privacy]
epsilon = {:.17g}
delta = 0.2
unit = "entry"
mu = 3.0
colluders = {}
[graph]
topology = "cycle"
parties = {}
weight = 0.3
[gt]
guarantee = "paper"
lambda_min = {}
[dishuf]
g = 0.01
noise = "{}"
[consensus]
tolerance = 1e-4
[problem]
family = "paper"
m = 3
seed = 1
)",
                                 epsilon, masks == ShuffleMasks::kShared ? 0 : 1, parties,
                                 kLambdaMin, kShuffleMasks[masks]),
                     "the paper's setting");
}

// x(∞) = −(ΣG_i)⁻¹ΣH_i
Eigen::VectorXd limit_of(std::span<const PerturbedCost> costs) {
  Eigen::MatrixXd g = costs[0].g;
  Eigen::VectorXd h = costs[0].h;
  for (const PerturbedCost& cost : costs.subspan(1)) {
    g += cost.g;
    h += cost.h;
  }
  return -solve_symmetric(g, h);
}

// The factor per round by which the first draw closes in on its own limit, over
// the second half of the rounds before the error drowns in rounding.
double measure_rate(std::span<const double> distances) {
  std::size_t last = 0;
  while (last + 1 < distances.size() && distances[last + 1] > 1e-10 * distances[0]) ++last;
  const std::size_t first = last / 2;
  if (last <= first) return 1;
  return std::pow(distances[last] / distances[first], 1.0 / static_cast<double>(last - first));
}

// The same seed for all points of a figure, so that they differ by their settings and not by luck,
// or for each the next.
std::uint64_t seed_of_point(std::uint64_t seed, std::size_t point, PointDraws draws) {
  return draws == PointDraws::kShared ? seed : seed + 1'000'003 * (point + 1);
}

Result<ErrorSample> sample_errors(const Study& study, Solver solver, double position,
                                  std::uint64_t seed, const Progress& progress) {
  ErrorSample sample;
  sample.group = fmt::format("{:g}", position);
  sample.position = position;
  sample.series = study.privacy.colluders > 0 ? kOurShuffle : to_string(solver);
  SOTTO_ASSIGN(const auto problem, family_problem(study));
  SOTTO_ASSIGN(auto planned, plan_study(study, solver));
  // The median of 100 draws is uncertain by a tenth, too much to see a slope of 0; more
  // draws cost little, except for gt on a long cycle.
  const std::size_t draws = solver == Solver::kGt ? kBoxSamples : kMedianDraws;
  SOTTO_ASSIGN(const auto results,
               run_trials(planned, problem, {.seed = seed, .trials = draws, .progress = progress}));
  sample.plan = std::move(planned.plan);
  sample.all_errors = results.runs.squared_errors;
  std::vector<double> sorted = sample.all_errors;
  sample.squared_errors.assign(sorted.begin(), sorted.begin() + kBoxSamples);
  std::ranges::sort(sorted);
  sample.median = quantile(sorted, 0.5);
  return sample;
}

}  // namespace

Result<ErrorTrajectory> figure_1(std::uint64_t seed, const Progress& progress) {
  SOTTO_ASSIGN(const auto study, paper_study(10, kEpsilon));
  SOTTO_ASSIGN(const auto problem, family_problem(study));
  const PrivacyTerms& terms = study.privacy;
  // Not calibrate_gradient: that refuses the paper's truncation, which is the point.
  SOTTO_ASSIGN(const auto noise, gradient_noise(terms.sensitivity, terms.budget, kPaperTruncation));
  const std::size_t parties = study.graph().size();
  const auto secrets = secrets_of(problem, terms.sensitivity);
  const TrackingSetup setup{.weights = study.weights,
                            .dimension = problem.dimension(),
                            .laplace = noise.on_grid,
                            .sigma = noise.sigma_eta,
                            .step = kPaperStep,
                            .rounds = kRounds};
  ErrorTrajectory result;
  result.draws = kDraws;
  result.delta = noise.laplace.delta();
  result.truncation_needed = truncation_needed(terms.budget, terms.sensitivity);
  result.bound = theorem1_bound(noise, parties, problem.dimension(), kLambdaMin,
                                problem.solution.norm(), Convexity::kPaper);

  std::vector<Eigen::MatrixXd> first_draw;
  Eigen::VectorXd first_limit;
  for (std::size_t trial = 0; trial < kDraws; ++trial) {
    const auto costs = draw_costs(setup, secrets, seed, trial);
    const Eigen::VectorXd limit = limit_of(costs);
    result.limit += (limit - problem.solution).squaredNorm() / static_cast<double>(kDraws);
    if (trial == 0) {
      for (const PerturbedCost& cost : costs) first_draw.push_back(cost.g);
      first_limit = limit;
    }
  }
  result.computed_rate = GradientRate(study.weights, std::move(first_draw)).radius(kPaperStep);

  const std::vector<double> solution(problem.solution.begin(), problem.solution.end());
  const std::vector<double> limit(first_limit.begin(), first_limit.end());
  std::vector<std::vector<double>> errors(kRounds + 1);  // [t][draw]
  std::vector<double> distances;                         // of the first draw to its limit
  SimulationOptions options;
  options.seed = seed;
  options.trials = kDraws;
  options.on_trial = [&](std::size_t done) {
    if (progress) progress(done, kDraws);
  };
  SOTTO_ASSIGN(const auto run,
               simulate_tracking(setup, secrets, options, [&](Round round, const RoundView& view) {
                 for (std::size_t t = 0; t < view.trials(); ++t) {
                   errors[round].push_back(mean_squared_distance(view, parties, t, solution));
                 }
                 if (distances.size() == round) {  // only while the first batch runs
                   distances.push_back(std::sqrt(mean_squared_distance(view, parties, 0, limit)));
                 }
               }));
  result.measured_rate = measure_rate(distances);
  for (std::vector<double>& at : errors) {
    const Trajectory::Summary summary = Trajectory::summary(std::move(at));
    result.mean.push_back(summary.mean);
    result.q25.push_back(summary.q25);
    result.q75.push_back(summary.q75);
  }
  return result;
}

Result<std::vector<ErrorSample>> figure_2(std::uint64_t seed, const Progress& progress,
                                          PointDraws draws) {
  const std::vector<double> epsilons{0.1, 0.5, 1, 2, 5, 10, 20, 50};
  std::vector<ErrorSample> samples;
  for (std::size_t k = 0; k < epsilons.size(); ++k) {
    for (const ShuffleMasks masks : {ShuffleMasks::kShared, ShuffleMasks::kPerNeighbour}) {
      SOTTO_ASSIGN(const auto study, paper_study(10, epsilons[k], masks));
      SOTTO_ASSIGN(auto sample,
                   sample_errors(study, Solver::kDishuf, epsilons[k],
                                 seed_of_point(seed, samples.size(), draws),
                                 part_of(progress, samples.size(), 2 * epsilons.size())));
      samples.push_back(std::move(sample));
    }
  }
  return samples;
}

Result<std::vector<ErrorSample>> figure_3(std::uint64_t seed, const Progress& progress,
                                          PointDraws draws) {
  const std::vector<std::size_t> sizes{10, 50, 250};
  using Compared = std::pair<Solver, ShuffleMasks>;
  const std::vector<Compared> compared{{Solver::kGt, ShuffleMasks::kShared},
                                       {Solver::kAc, ShuffleMasks::kShared},
                                       {Solver::kDishuf, ShuffleMasks::kShared},
                                       {Solver::kDishuf, ShuffleMasks::kPerNeighbour}};
  std::vector<ErrorSample> samples;
  for (const std::size_t n : sizes) {
    for (const auto& [solver, masks] : compared) {
      SOTTO_ASSIGN(const auto study, paper_study(n, kEpsilon, masks));
      SOTTO_ASSIGN(auto sample, sample_errors(study, solver, static_cast<double>(n),
                                              seed_of_point(seed, samples.size(), draws),
                                              part_of(progress, samples.size(),
                                                      sizes.size() * compared.size())));
      samples.push_back(std::move(sample));
    }
  }
  return samples;
}

double log_log_slope(std::span<const ErrorSample> samples, std::string_view series) {
  double n = 0;
  double sx = 0;
  double sy = 0;
  double sxx = 0;
  double sxy = 0;
  for (const ErrorSample& sample : samples) {
    if (sample.series != series) continue;
    const double x = std::log(sample.position);
    const double y = std::log(sample.median);
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace sotto
