#include <algorithm>

#include "privacy/observe/adversary.h"

// Who sees how much of `gt`: every party protects itself, so whoever watches sees the same. One
// entry of θ is an entry of A or of B: δ is the larger of both mechanisms'.
namespace sotto {

privacy::Rows privacy::rows_of(const GradientNoise& noise, const Watched& watched) {
  const double gaussian = watched.sensitivity.value() / noise.sigma_eta;
  const double epsilon = watched.budget.epsilon.value();
  const double delta = watched.budget.delta.value();
  const double larger =
      std::max(noise.laplace.delta_at(epsilon), gaussian_delta(epsilon, gaussian));
  const Adversary seen{.shift = gaussian_shift(epsilon, larger),
                       .delta_at_epsilon = larger,
                       .epsilon_at_delta = std::max(noise.laplace.epsilon_at(delta),
                                                    gaussian_epsilon(gaussian, delta))};
  return alike_for_all(seen, watched.colluders);
}

}  // namespace sotto
