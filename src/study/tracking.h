#pragma once

#include "privacy/gradient_noise.h"
#include "simulate/simulation.h"
#include "study/study.h"

namespace sotto {

// How a simulated `gt` will run: step, rounds, and the rate they rest on.
struct TrackingChoice {
  TrackingSetup setup;
  double rate = 0;  // spectral radius for one draw of the perturbed costs
};

// Looks at one draw of the noise, from the problem's seed: everything here is
// computed from what gt would release. An unstable step is refused: E-gt-step,
// with the largest stable one. Needs a [problem].
[[nodiscard]] Result<TrackingChoice> choose_tracking(const Study& study,
                                                     const GradientNoise& noise);

}  // namespace sotto
