#pragma once

// A fitted model: what every party ends with, all that predictions need, and every other model of
// the same columns.

#include <sotto/result.h>
#include <sotto/table.h>

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
  std::optional<double> t = {};                            // of the value before shrinking
  std::optional<double> p = {};                            // two-sided, that it is 0
};

// Ends between which the target lies, with the probability that was asked for, each.
struct PredictionInterval {
  double unshrunk = 0;                  // what both are about
  std::pair<double, double> mean = {};  // the mean of all such rows
  std::pair<double, double> row = {};   // one new row
};

struct Predictions {
  std::vector<double> values = {};  // one per row of the file; NaN where a feature is missing
  std::uint64_t missing = 0;        // how many those are
  std::uint64_t shortened = 0;      // rows longer than the study's radius
  std::uint64_t outside = 0;        // predictions outside the target's bounds; kept as they are
  std::vector<PredictionInterval> intervals = {};  // if asked for; NaN where a feature is missing
};

// Another model of the columns that a study has released, in the words of `sotto refit`: columns,
// levels as "heating=gas", or patterns with * and ?.
struct Refit {
  std::string target = {};                 // empty: the study's own
  std::vector<std::string> features = {};  // empty: all but the target
  std::vector<std::string> without = {};   // "intercept": a model through the origin
  std::vector<std::string> bases = {};     // levels to compare the others with
  std::string estimator = {};              // empty: the model's own
  std::optional<double> ridge = {};
  std::vector<std::string> instruments = {};  // two-stage least squares
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
  // Columns of a table that predictions need.
  [[nodiscard]] std::vector<std::string> columns() const;
  [[nodiscard]] const std::vector<Coefficient>& coefficients() const;
  // The whole model file: privacy per observer, explained variance, warnings, hashes.
  [[nodiscard]] const std::string& json() const;

  // For the rows of a CSV file that has the features' columns, in any order. Values are clipped to
  // the study's bounds, as they were in training.
  [[nodiscard]] Result<Predictions> predict(const std::string& csv_file) const;
  // With intervals of this level, as 0.95, the privacy noise counted in.
  [[nodiscard]] Result<Predictions> predict(const std::string& csv_file, double level) const;

  // The same for rows in memory; without a level, no intervals. `party`: of a model with party
  // effects, whose rows they are.
  [[nodiscard]] Result<Predictions> predict(const Table& rows, std::optional<double> level = {},
                                            const std::string& party = {}) const;

  // From the noisy sums in this file alone: touches no data, and costs nothing.
  [[nodiscard]] Result<Model> refit(const Refit& words) const;

  // The summary of a regression, for a person.
  [[nodiscard]] const std::string& text() const;

 private:
  struct Inside;
  explicit Model(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}

  std::shared_ptr<const Inside> inside_;
};

}  // namespace sotto::v1
