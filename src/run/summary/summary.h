#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "solve/inference.h"

// What stands below a model's coefficients in every summary of a regression, with the noise counted
// in. Made once, when the model is; text, model.json and report show it.
namespace sotto {

struct ModelSummary {
  // A number between two ends of a 95 % interval.
  struct Share {
    double value = 0;
    std::pair<double, double> interval{};
  };
  // Levels of a column that have no coefficient: others are compared with them.
  struct Base {
    std::string column;
    std::vector<std::string> levels;
  };

  std::optional<double> residual_sd;         // in the target's own units
  std::optional<double> degrees_of_freedom;  // of it; infinite where the noise is all known
  std::optional<Share> r_squared;            // of the unshrunk coefficients
  std::optional<Share> adjusted_r_squared;
  std::string r_squared_refused;  // why there is none; empty if there is
  std::optional<NestedTest> f;    // that all coefficients but the intercept are 0
  std::string f_refused;
  std::vector<Base> bases;
  std::vector<std::string> words;  // what the model can say, and what the noise hides
  // Of the unshrunk coefficients in own units, as R's vcov: one row per coefficient, 0 for levels
  // without one; 0×0 where errors are refused.
  Eigen::MatrixXd covariance;

  [[nodiscard]] static Share share(const Explained& explained) {
    return {.value = explained.share, .interval = {explained.low, explained.high}};
  }
};

// {residual_sd, degrees_of_freedom, r_squared, adjusted_r_squared, f{}, refused{},
// base_levels[], words[], covariance[]}: the covariance is its upper triangle, row by row; null
// degrees of freedom beside a number are infinitely many.
[[nodiscard]] nlohmann::ordered_json to_json(const ModelSummary& summary);
[[nodiscard]] ModelSummary summary_from(const nlohmann::ordered_json& json,
                                        std::size_t coefficients, std::string& problem);

struct RunRecord;

// The model of a record in plain words, whole sentences: which coefficients are told apart from 0,
// how much of their uncertainty is privacy noise, and what would help. Every number is computed
// from the record. With S the share of a coefficient's variance that rows alone would leave
// (1 − noise_share, its median over the slopes), and noise that is proportional to 1/κ̄,
//
//     √(S/2 + (1−S)/4)                   is an interval's width at twice the rows, over today's,
//     √(S + (1−S)·(κ̄_ε/κ̄_2ε)²)           at twice the ε,
//     √(S + (1−S)/2)                     at half the columns, or less: rows are that much longer on
//                                        the grid, so noise on Σxy, in own units, falls by √2 and
//                                        noise on Σxxᵀ by 2.
[[nodiscard]] std::vector<std::string> summary_words(const RunRecord& record);

}  // namespace sotto
