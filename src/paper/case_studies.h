#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"
#include "run/lab/sweep.h"

// The paper's Section V, computed again. One setting throughout: a cycle with
// w = 0.3, m = 3, μ = 3, δ = 0.2, ε = 10 where ε does not vary.
namespace sotto {

struct CaseStudyOptions {
  std::string folder = "out/paper";
  std::uint64_t seed = 1;
  PointDraws draws = PointDraws::kShared;  // of the settings of figures 2 and 3
  std::string version = {};                // of the program, for the files' first lines
  bool pdf = false;                        // drawings as PDF too: report/pdf.h
  Progress progress;
};

struct Reproduction {
  nlohmann::ordered_json summary;
  std::string text;  // what was measured, and where the files are
};

enum class Figure { k1, k2, k3, kAll };

// Writes CSV and SVG per figure and one index.html, with what the paper claims beside what was
// measured.
[[nodiscard]] Result<Reproduction> reproduce(Figure figure, const CaseStudyOptions& options);

// --- the figures' numbers, for tests and for those who draw their own ---

// Figure 1: the mean-square error of `gt` against t.
struct ErrorTrajectory {
  std::size_t draws = 0;
  std::vector<double> mean;  // at t = 0, 1, …
  std::vector<double> q25;
  std::vector<double> q75;
  double limit = 0;          // E‖x(∞) − x*‖², from the draws' own solutions
  double bound = 0;          // Theorem 1(iii)'s
  double measured_rate = 0;  // of ‖x(t) − x(∞)‖, of the first draw
  double computed_rate = 0;  // the spectral radius, of the same draw
  double delta = 0;          // what the setting is really worth
  double truncation_needed = 0;
};
[[nodiscard]] Result<ErrorTrajectory> figure_1(std::uint64_t seed, const Progress& progress);

inline constexpr std::size_t kBoxSamples = 100;    // in a box, as in the paper
inline constexpr std::size_t kMedianDraws = 1000;  // for the medians of dishuf and ac

// What the figures compare: the paper's solvers, its shuffle with masks that all neighbours share;
// and the shuffle with a mask for each, calibrated against one curious neighbour.
inline constexpr std::string_view kOurShuffle = "dishuf, private from neighbours";

// Figures 2 and 3: squared errors of one solver in one setting.
struct ErrorSample {
  std::string group;  // ε, or n
  double position = 0;
  std::string series = "dishuf";  // a solver of the paper's, or kOurShuffle
  Plan plan;
  std::vector<double> squared_errors;  // the first kBoxSamples draws
  std::vector<double> all_errors;      // of all draws
  double median = 0;                   // of these
};
[[nodiscard]] Result<std::vector<ErrorSample>> figure_2(std::uint64_t seed,
                                                        const Progress& progress,
                                                        PointDraws draws = PointDraws::kShared);
[[nodiscard]] Result<std::vector<ErrorSample>> figure_3(std::uint64_t seed,
                                                        const Progress& progress,
                                                        PointDraws draws = PointDraws::kShared);

// Slope of log(median) against log(position), least squares, for one series.
[[nodiscard]] double log_log_slope(std::span<const ErrorSample> samples, std::string_view series);

}  // namespace sotto
