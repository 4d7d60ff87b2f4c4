#pragma once

// The study of the paper's figures, and a sweep of it beside what `reproduce` computes.

#include <gtest/gtest.h>

#include "base/json.h"
#include "paper/case_studies.h"
#include "run/lab/sweep.h"

namespace sotto::paper_test {

inline constexpr std::uint64_t kSeed = 1;

inline StudySource figures_study() {
  return read_study_text(SOTTO_SOURCE_DIR "/examples/figures.toml").value();
}

inline SweepOptions sweep_of(const std::vector<std::string>& settings, std::vector<Solver> solvers,
                             std::size_t trials) {
  SweepOptions options{.keys = {},
                       .solvers = std::move(solvers),
                       .seed = kSeed,
                       .trials = trials,
                       .version = "test"};
  for (const std::string& words : settings) options.keys.push_back(setting_from(words).value());
  return options;
}

// Every point is the figure's sample of the paper's own solvers, draw by draw, and its median too
// where both have as many.
inline void expect_same_draws(std::span<const SweepPoint> points,
                              std::span<const ErrorSample> samples, std::size_t draws) {
  std::size_t compared = 0;
  for (const ErrorSample& sample : samples) {
    if (sample.series == kOurShuffle) continue;
    ASSERT_LT(compared, points.size());
    const Json& result = points[compared++].result;
    ASSERT_EQ(result["solver"], sample.series);
    ASSERT_EQ(result["squared_errors"].size(), draws);
    for (std::size_t k = 0; k < std::min(draws, sample.all_errors.size()); ++k) {
      ASSERT_EQ(result["squared_errors"][k], sample.all_errors[k]) << sample.group << " " << k;
    }
    if (sample.all_errors.size() == draws) {
      EXPECT_EQ(result["summary"]["median"], sample.median) << sample.group;
    }
  }
  EXPECT_EQ(compared, points.size());
}

}  // namespace sotto::paper_test
