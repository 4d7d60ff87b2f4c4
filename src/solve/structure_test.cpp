#include "solve/structure.h"

#include <gmock/gmock.h>

#include <cmath>

#include "support/releases.h"

namespace sotto {
namespace {

Schema three_columns() {
  Schema schema;
  schema.target = {"y", {-1, 1}};
  schema.features = {NumericFeature{"a", {-1, 1}}, NumericFeature{"b", {-1, 1}}};
  return schema;
}

// Rows 1, a, b, y: b hangs on a, y on neither.
Eigen::MatrixXd drawn_rows(Eigen::Index count, std::uint64_t seed) {
  StandardNormal normal(seed);
  Eigen::MatrixXd rows(count, 4);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double a = normal();
    rows.row(i) << 1, 0.2 + 0.2 * a, -0.3 + 0.1 * a + 0.1 * normal(), 0.1 + 0.05 * normal();
  }
  return rows;
}

TEST(Correlations, AreThoseOfTheRowsWhereThereIsNoNoise) {
  const Eigen::MatrixXd rows = drawn_rows(1000, 1);
  const auto found = correlations(release_of_rows(three_columns(), rows, 0, 1), {1, 2, 3}).value();
  const Eigen::MatrixXd centred = rows.rightCols(3).rowwise() - rows.rightCols(3).colwise().mean();
  for (Eigen::Index j = 0; j < 3; ++j) {
    for (Eigen::Index k = 0; k < 3; ++k) {
      const double r =
          centred.col(j).dot(centred.col(k)) / (centred.col(j).norm() * centred.col(k).norm());
      const Correlation& c =
          found.entries[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)];
      EXPECT_NEAR(c.value, r, 1e-9);
      EXPECT_NEAR(c.standard_error, j == k ? 0 : (1 - r * r) / std::sqrt(1000), 1e-9);
    }
  }
}

TEST(Correlations, HaveErrorsAsLargeAsRowsAndNoiseMakeThem) {
  constexpr int kTables = 1500;
  const double truth = 1 / std::sqrt(2.0);
  double square = 0;
  double stated = 0;
  double mean = 0;
  for (std::uint64_t table = 0; table < kTables; ++table) {
    const auto release =
        release_of_rows(three_columns(), drawn_rows(1500, 10 + table), 1, 9000 + table);
    const Correlation c = correlations(release, {1, 2}).value().entries[0][1];
    ASSERT_TRUE(c.known);
    square += std::pow(c.value - truth, 2) / kTables;
    stated += std::pow(c.standard_error, 2) / kTables;
    mean += c.value / kTables;
  }
  EXPECT_NEAR(square / stated, 1, 0.12);
  EXPECT_NEAR(mean, truth, 0.02);
}

TEST(Correlations, AreNotKnownWhereAVarianceIsLostInTheNoise) {
  const Release release = release_of_rows(three_columns(), drawn_rows(1500, 3), 20, 4);
  const auto found = correlations(release, {1, 3}).value();
  EXPECT_FALSE(found.entries[0][1].known);
  EXPECT_EQ(
      correlations(release_of_rows(three_columns(), drawn_rows(20, 3), 20, 4), {1, 2}).error().name,
      "E-refit-rows");
}

TEST(Components, AreTheAxesOfTheCovarianceWhereThereIsNoNoise) {
  const Eigen::MatrixXd rows = drawn_rows(2000, 5);
  const auto found = components(release_of_rows(three_columns(), rows, 0, 1), {1, 2, 3}).value();
  const Eigen::MatrixXd centred = rows.rightCols(3).rowwise() - rows.rightCols(3).colwise().mean();
  const solve::SpectrumOfSums expected(centred.transpose() * centred / 2000);
  double share = 0;
  for (Eigen::Index k = 0; k < 3; ++k) {
    const Component& c = found.components[static_cast<std::size_t>(k)];
    EXPECT_NEAR(c.variance, expected.values(2 - k), 1e-9);
    EXPECT_NEAR(std::abs(c.loadings.dot(expected.vectors.col(2 - k))), 1, 1e-9);
    EXPECT_TRUE(c.above_noise);
    share += c.share;
  }
  EXPECT_NEAR(share, 1, 1e-12);
}

// One axis that is larger than the noise, and two that are not.
TEST(Components, TellNoiseFromAxes) {
  int first = 0;
  int others = 0;
  constexpr int kTables = 400;
  for (std::uint64_t table = 0; table < kTables; ++table) {
    Eigen::MatrixXd rows = drawn_rows(4000, 20 + table);
    rows.col(2) = rows.col(1) / 2;
    rows.col(3).setConstant(0.1);
    const auto found =
        components(release_of_rows(three_columns(), rows, 3, 700 + table), {1, 2, 3}).value();
    first += found.components[0].above_noise ? 1 : 0;
    others += found.components[1].above_noise ? 1 : 0;
  }
  EXPECT_EQ(first, kTables);
  EXPECT_LE(others, kTables / 20);
}

}  // namespace
}  // namespace sotto
