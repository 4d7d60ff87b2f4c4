#pragma once

// A fitted model: what every party ends with, and all that predictions need.

#include <sotto/result.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sotto::v1 {

struct Coefficient {
  std::string name = {};                                   // "intercept", "age", "smoker=yes"
  double value = 0;                                        // in the columns' own units
  std::optional<double> standard_error = {};               // none: the noise does not allow one
  std::optional<std::pair<double, double>> interval = {};  // 95 %, the noise counted in
};

struct Predictions {
  std::vector<double> values = {};  // one per row of the file; NaN where a feature is missing
  std::uint64_t missing = 0;        // how many those are
  std::uint64_t shortened = 0;      // rows longer than the study's radius
  std::uint64_t outside = 0;        // predictions outside the target's bounds; kept as they are
};

// Cheap to copy, safe to share between threads.
class Model {
 public:
  // A model.json, of `sotto join` or `simulate_tables`.
  [[nodiscard]] static Result<Model> read(const std::string& path);
  [[nodiscard]] static Result<Model> parse(const std::string& json, const std::string& name);
  [[nodiscard]] Result<void> write(const std::string& path) const;

  [[nodiscard]] const std::string& study() const;
  [[nodiscard]] const std::string& target() const;
  [[nodiscard]] const std::vector<Coefficient>& coefficients() const;
  // The whole model file: privacy per observer, explained variance, warnings, hashes.
  [[nodiscard]] const std::string& json() const;

  // For the rows of a CSV file that has the features' columns, in any order. Values are clipped to
  // the study's bounds, as they were in training.
  [[nodiscard]] Result<Predictions> predict(const std::string& csv_file) const;

 private:
  struct Inside;
  explicit Model(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}

  std::shared_ptr<const Inside> inside_;
};

}  // namespace sotto::v1
