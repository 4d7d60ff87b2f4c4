#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "study/study.h"

namespace sotto {

// What a model over tables will be worth, told before anybody opens one. Only the
// study is looked at, so somebody must say what the tables are like; these are
// the assumptions, and every plan prints them.
struct AssumedTable {
  double feature_sd = 0.4;    // of a number, in halves of its bounds' width, about their middle
  double target_sd = 0.3;     // likewise
  double target_mean = -0.3;  // how far the target's mean is from its bounds' middle
  double explained = 0.5;     // share of the target's variance that all features explain
  // Levels are equally frequent; all features are independent and matter equally.
};

struct ExpectedAccuracy {
  struct Point {
    std::uint64_t rows = 0;
    double error = 0;  // expected squared error, over that of predicting the mean
  };
  std::optional<std::uint64_t>
      rows_needed;            // from here the error is below 1; none: beyond kMaxRows
  std::vector<Point> errors;  // at 10³, 10⁴, … rows in all
};

inline constexpr double kMaxExpectedRows = 1e9;
inline constexpr std::size_t kMaxExpectedEntries = 200;  // beyond, it takes too long for a plan

// E[RSS(θ̂)]/TSS for the study's estimator on sums with noise of standard deviation
// σ = `sum_noise_sd`, over noise from a fixed seed, at `rows` rows in all.
[[nodiscard]] double expected_error(const Study& study, double sum_noise_sd, double rows,
                                    const AssumedTable& assumed = {});

// Nothing for a study that is not over tables, or has too many columns.
[[nodiscard]] std::optional<ExpectedAccuracy> expected_accuracy(const Study& study,
                                                                double sum_noise_sd);

}  // namespace sotto
