// What a simulation without tables solves, and how gt will get there. Costs from files are read in
// run/: a plan opens none.
#include "plan/simulated_problem.h"

#include <fmt/format.h>

#include <cmath>

#include "base/check.h"
#include "base/decompositions.h"
#include "moments/costs.h"
#include "protocol/gt.h"

namespace sotto {

Result<Problem> problem_of(Costs costs, Ranks& ranks) {
  const Quadratic total = sum(costs, ranks);
  if (!total.a.allFinite() || !total.b.allFinite()) {
    return bad_input("E-problem-number", "the parties' costs add up past the largest double",
                     "scale the problem down");
  }
  SOTTO_ASSIGN(auto solution, minimiser(costs, ranks).at("[problem]"));
  if (!solution.allFinite()) {
    return bad_input("E-problem-number", "the solution without noise is past the largest double",
                     "scale the problem, so that A and B are of one size");
  }
  return Problem{.costs = std::move(costs), .solution = std::move(solution)};
}

Result<Problem> family_problem(const Study& study, Ranks& ranks) {
  check(study.problem && study.problem->files.empty(), "a study with a family");
  SOTTO_ASSIGN(auto costs, paper_family(study.graph().size(), study.problem->dimension,
                                        study.problem->seed, study.problem->sum, ranks)
                               .at("[problem]"));
  return problem_of(std::move(costs), ranks);
}

Secrets secrets_of(const Problem& problem, Sensitivity mu) {
  return Secrets::of_entries(problem.costs.thetas(), problem.costs.entries(), mu);
}

std::optional<std::string> lambda_min_warning(const Study& study, const Problem& problem) {
  constexpr double kRounding = 1e-9;
  const Eigen::VectorXd eigenvalues =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(sum(problem.costs).a, Eigen::EigenvaluesOnly)
          .eigenvalues();
  const double own = eigenvalues.minCoeff();
  if (!study.gt.lambda_min || *study.gt.lambda_min <= own * (1 + kRounding)) return std::nullopt;
  return fmt::format(
      "lambda_min = {:g} is above the problem's own smallest eigenvalue, {:.6g}: "
      "nothing keeps the noisy problem convex",
      *study.gt.lambda_min, own);
}

Result<TrackingChoice> choose_tracking(const Study& study, const GradientNoise& noise,
                                       const Problem& problem) {
  const auto secrets = secrets_of(problem, study.privacy.sensitivity);

  TrackingChoice choice{.setup = {.weights = study.weights,
                                  .dimension = problem.dimension(),
                                  .laplace = noise.on_grid,
                                  .sigma = noise.sigma_eta}};
  std::vector<Eigen::MatrixXd> perturbed;
  for (const PerturbedCost& cost : draw_costs(choice.setup, secrets, study.problem->seed, 0)) {
    perturbed.push_back(cost.g);
  }
  const GradientRate rate(study.weights, std::move(perturbed));
  choice.setup.step = study.gt.step ? *study.gt.step : rate.best_step();
  choice.rate = choice.setup.step > 0 ? rate.radius(choice.setup.step) : 1;
  if (!(choice.rate < 1)) {
    const double largest = rate.largest_stable_step();
    if (largest == 0) {
      return refused("E-gt-convexity", "this draw of the noise leaves no convex problem",
                     "use guarantee = \"certain\", or less noise");
    }
    if (choice.setup.step < largest) {
      return bad_input(
                 "E-gt-step",
                 fmt::format("a step of {:g} is too short to get anywhere", choice.setup.step),
                 fmt::format("use a step nearer to {:.4g}, or step = \"auto\"", largest))
          .at("[gt] step");
    }
    return bad_input("E-gt-step",
                     fmt::format("a step of {:g} is unstable: the error grows by {:.6g} a round",
                                 choice.setup.step, choice.rate),
                     fmt::format("use a step below {:.4g}, or step = \"auto\"", largest))
        .at("[gt] step");
  }
  // Without a number of rounds: as many as the tolerance takes at this rate, and
  // a tenth more, since other draws of the noise are a little slower.
  const double needed = std::log(study.consensus.tolerance) / std::log(choice.rate);
  if (!study.gt.rounds && !(1.1 * needed < kMaxRounds)) {
    return bad_input("E-gt-rounds", fmt::format("gt would take {:.3g} rounds", needed),
                     "use a better connected graph, or give rounds");
  }
  choice.setup.rounds =
      study.gt.rounds ? *study.gt.rounds : static_cast<Round>(std::ceil(1.1 * needed));
  return choice;
}

}  // namespace sotto
