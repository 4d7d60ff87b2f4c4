#pragma once

// An estimator of your own: what is made of the noisy sums that a run has released. Registered
// once, it is one like the others: [solve] estimator = "NAME" in studies, `refit --estimator NAME`,
// simulations and reports. docs/ADDING_A_SOLVER.md adds one.
//
// An estimator sees sums that everybody may see: whatever it does with them is post-processing, and
// costs no privacy.

#include <sotto/keys.h>
#include <sotto/result.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sotto::v1 {

// Â = XᵀX + E and b̂ = Xᵀy + e: an estimator looks for a θ with Âθ ≈ b̂. Of costs ½xᵀAx + Bᵀx, Â is
// the noisy sum of all A and b̂ that of all −B.
struct EstimatorSums {
  std::size_t size = 0;           // m
  std::vector<double> a = {};     // Â, m×m and symmetric, row by row
  std::vector<double> b = {};     // b̂
  std::vector<double> sd_a = {};  // how noisy each entry of Â is: standard deviations, m×m
  std::vector<double> sd_b = {};  // and of b̂
  std::map<std::string, double> numbers = {};     // of its section, with what holds without a key
  std::map<std::string, std::string> words = {};  //
};

struct EstimatorAnswer {
  std::vector<double> theta = {};          // m finite numbers
  std::vector<std::string> warnings = {};  // whole sentences, for people
};

class Estimator {
 public:
  virtual ~Estimator() = default;

  // As [solve] estimator writes it: of a-z, 0-9 and -.
  [[nodiscard]] virtual std::string name() const = 0;
  // A sentence for reports: "The estimator lasso …".
  [[nodiscard]] virtual std::string about() const = 0;
  [[nodiscard]] virtual std::vector<AddedKey> keys() const { return {}; }

  // Called from several threads at once: same sums, same answer, always.
  [[nodiscard]] virtual Result<EstimatorAnswer> estimate(const EstimatorSums& sums) const = 0;
};

// From here on a study may name it. Before the first study is read: E-estimator-late,
// E-estimator-name, E-estimator-key. An answer that is not m finite numbers is E-estimator-answer.
[[nodiscard]] Result<void> register_estimator(std::unique_ptr<const Estimator> estimator);

}  // namespace sotto::v1
