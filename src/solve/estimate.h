#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

namespace sotto {

// What an estimator makes of noisy sums. θ is always finite.
struct Estimate {
  Eigen::VectorXd theta;
  std::vector<std::string> warnings;                  // whole sentences, for people
  std::optional<Eigen::VectorXd> posterior_variance;  // noise-aware only
  std::optional<double> ridge;                        // psd-ridge and adassp: the λ that was added
};

}  // namespace sotto
