#include "paper/case_studies.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_folder.h"

namespace sotto {
namespace {

TEST(Figure1, ShowsAnErrorThatFallsExponentiallyAtTheComputedRate) {
  const auto figure = figure_1(7, {});
  ASSERT_TRUE(figure.has_value()) << figure.error().to_string();
  EXPECT_NEAR(figure->mean.front(), 1.0, 1e-12);  // x(0) = 0 and ‖x*‖ = 1
  EXPECT_LT(figure->mean.back(), 1e-3);
  EXPECT_NEAR(figure->mean.back(), figure->limit, 0.01 * figure->limit);
  // The rate is a factor a round: 1 % of its logarithm, which is what a slope shows.
  EXPECT_NEAR(std::log(figure->measured_rate), std::log(figure->computed_rate),
              0.01 * std::abs(std::log(figure->computed_rate)));
}

TEST(Figure1, StaysBelowTheBoundOfTheoremOne) {
  const auto figure = figure_1(7, {});
  ASSERT_TRUE(figure.has_value());
  EXPECT_LT(figure->limit, figure->bound);
  EXPECT_LT(figure->mean.back(), figure->bound);
}

TEST(Figure1, SaysWhatThePapersTruncationIsWorth) {
  const auto figure = figure_1(7, {});
  ASSERT_TRUE(figure.has_value());
  // reference: 60-digit arithmetic
  EXPECT_NEAR(figure->delta, 0.35826104445188712279, 1e-12);
  EXPECT_NEAR(figure->truncation_needed, 3.2748790474635849554, 1e-9);
}

TEST(LogLogSlope, OfAPowerIsItsExponent) {
  std::vector<ErrorSample> samples;
  for (const double n : {10.0, 50.0, 250.0}) {
    ErrorSample sample;
    sample.series = "gt";
    sample.position = n;
    sample.median = 3 * std::pow(n, 0.7);
    samples.push_back(sample);
    sample.series = "ac";
    sample.median = 5;
    samples.push_back(sample);
  }
  EXPECT_NEAR(log_log_slope(samples, "gt"), 0.7, 1e-12);
  EXPECT_NEAR(log_log_slope(samples, "ac"), 0.0, 1e-12);
}

TEST(Reproduce, WritesNumbersDrawingAndPage) {
  const TemporaryFolder own;
  const auto folder = own / "reproduced";
  const auto result = reproduce(Figure::k1, {.folder = folder.string(), .seed = 1, .progress = {}});
  ASSERT_TRUE(result.has_value()) << result.error().to_string();
  for (const char* name : {"fig1.csv", "fig1.svg", "index.html"}) {
    EXPECT_GT(std::filesystem::file_size(folder / name), 1000U) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "fig3.csv"));
  EXPECT_EQ(result->summary["files"].size(), 3U);
  std::ifstream page(folder / "index.html");
  const std::string html((std::istreambuf_iterator<char>(page)), {});
  EXPECT_NE(html.find("0.35826"), std::string::npos);
}

TEST(Reproduce, SaysWhyItCannotWrite) {
  const auto result = reproduce(Figure::k1, {.folder = "/dev/null/x", .seed = 1, .progress = {}});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().name, "E-file-write");
  EXPECT_EQ(result.error().status, Status::kFailed);
}

}  // namespace
}  // namespace sotto
