#include "study/tracking.h"

#include <fmt/format.h>

#include <cmath>

#include "protocol/gradient_rate.h"
#include "study/problem.h"

namespace sotto {

Result<TrackingChoice> choose_tracking(const Study& study, const GradientNoise& noise) {
  const auto problem = load_problem(study);
  if (!problem) return tl::unexpected(problem.error());
  const auto secrets = secrets_of(*problem, study.privacy.sensitivity);

  TrackingChoice choice{.setup = {.weights = study.weights,
                                  .dimension = problem->dimension(),
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
      return tl::unexpected(
          bad_input("E-gt-step",
                    fmt::format("a step of {:g} is too short to get anywhere", choice.setup.step),
                    fmt::format("use a step nearer to {:.4g}, or step = \"auto\"", largest))
              .value()
              .at("[gt] step"));
    }
    return tl::unexpected(
        bad_input("E-gt-step",
                  fmt::format("a step of {:g} is unstable: the error grows by {:.6g} a round",
                              choice.setup.step, choice.rate),
                  fmt::format("use a step below {:.4g}, or step = \"auto\"", largest))
            .value()
            .at("[gt] step"));
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
