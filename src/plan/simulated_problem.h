#pragma once

#include <Eigen/Core>
#include <vector>

#include "moments/costs.h"
#include "privacy/calibrate/noise.h"
#include "privacy/secrets.h"
#include "protocol/setup.h"
#include "study/study.h"

namespace sotto {

// The parties' costs of a simulated study, and what solves them without noise.
struct Problem {
  Costs costs;               // one per party
  Eigen::VectorXd solution;  // x*

  [[nodiscard]] std::size_t dimension() const { return static_cast<std::size_t>(solution.size()); }
};

// The costs of a public family, [problem] family = …: no file is opened. Of several ranks each has
// the costs of its share of the parties, and all have the solution.
[[nodiscard]] Result<Problem> family_problem(const Study& study, Ranks& ranks = alone());

// E-problem-number where the costs, or what solves them, are past what a double holds.
[[nodiscard]] Result<Problem> problem_of(Costs costs, Ranks& ranks = alone());

// Each party's θ_i behind the privacy boundary.
[[nodiscard]] Secrets secrets_of(const Problem& problem, Sensitivity mu);

// What to say of a [gt] lambda_min that is above the smallest eigenvalue of ΣA_i: then the promise
// that the noisy problem stays convex rests on nothing.
[[nodiscard]] std::optional<std::string> lambda_min_warning(const Study& study,
                                                            const Problem& problem);

// How a simulated `gt` will run: step, rounds, and the rate they rest on.
struct TrackingChoice {
  TrackingSetup setup;
  double rate = 0;  // spectral radius for one draw of the perturbed costs
};

// Looks at one draw of the noise, from the problem's seed: everything here is
// computed from what gt would release. An unstable step is refused: E-gt-step,
// with the largest stable one.
[[nodiscard]] Result<TrackingChoice> choose_tracking(const Study& study, const GradientNoise& noise,
                                                     const Problem& problem);

}  // namespace sotto
