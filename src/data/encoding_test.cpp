#include "data/encoding.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/decompositions.h"
#include "data/rows.h"

namespace sotto {
namespace {

Schema mixed_schema(bool intercept) {
  Schema schema;
  schema.intercept = intercept;
  schema.target = {"y", {-10, 90}};
  schema.features = {NumericFeature{"a", {0.5, 4.5}}, CategoricalFeature{"c", {"p", "q", "r"}},
                     NumericFeature{"b", {-3, 1}}};
  return schema;
}

// Rows (a, level of c, b, y) with y = c₀ + 2a − 3[q] + 5[r] + 1.5b exactly.
std::vector<std::vector<double>> rows_of_a_plane(double constant) {
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < 40; ++i) {
    const double a = 0.5 + (i % 9) * 0.5;
    const int level = i % 3;
    const double b = -3 + (i % 5);
    const double y = constant + 2 * a + (level == 1 ? -3 : level == 2 ? 5 : 0) + 1.5 * b;
    rows.push_back({a, static_cast<double>(level), b, y});
  }
  return rows;
}

// Least squares on the grid rows, as the unit ball sees them.
Eigen::VectorXd fit(const Encoding& encoding, const std::vector<std::vector<double>>& rows) {
  RawRows raw(4);
  raw.rows = rows.size();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < 4; ++c) raw.column(c)[r] = rows[r][c];
  }
  RowEncoder encoder(encoding);
  const Rows& grid = encoder.encode(raw);
  const auto d = static_cast<Eigen::Index>(encoding.dimension());
  Eigen::MatrixXd x(static_cast<Eigen::Index>(grid.rows), d + 1);
  for (Eigen::Index c = 0; c <= d; ++c) {
    for (Eigen::Index r = 0; r < x.rows(); ++r) {
      x(r, c) = grid.column(static_cast<std::size_t>(c))[r] / kGridOne;
    }
  }
  const Eigen::MatrixXd features = x.leftCols(d);
  return solve_symmetric(features.transpose() * features, features.transpose() * x.col(d));
}

TEST(Encoding, GivesBackTheCoefficientsOfThePlaneThatMadeTheRows) {
  const Encoding encoding = Encoding::make(mixed_schema(true)).value();
  const Eigen::VectorXd own = encoding.to_own_units(fit(encoding, rows_of_a_plane(7))).values;
  const std::vector<double> expected = {7, 2, -3, 5, 1.5};
  ASSERT_EQ(own.size(), 5);
  for (Eigen::Index k = 0; k < 5; ++k) {
    EXPECT_NEAR(own(k), expected[static_cast<std::size_t>(k)], 1e-3) << encoding.names()[k];
  }
}

TEST(Encoding, AddsNoConstantToAModelWithoutAnIntercept) {
  const Encoding encoding = Encoding::make(mixed_schema(false)).value();
  const Eigen::VectorXd own = encoding.to_own_units(fit(encoding, rows_of_a_plane(0))).values;
  const std::vector<double> expected = {2, -3, 5, 1.5};
  ASSERT_EQ(own.size(), 4);
  for (Eigen::Index k = 0; k < 4; ++k) {
    EXPECT_NEAR(own(k), expected[static_cast<std::size_t>(k)], 1e-3) << encoding.names()[k];
  }
  EXPECT_EQ(encoding.own_units_offset().norm(), 0);
}

TEST(Encoding, CarriesACovarianceThroughTheSameMap) {
  const Encoding encoding = Encoding::make(mixed_schema(true)).value();
  const Eigen::MatrixXd root = Eigen::MatrixXd::Random(5, 5);
  const Eigen::MatrixXd covariance = root * root.transpose();
  const Eigen::VectorXd theta = Eigen::VectorXd::LinSpaced(5, -1, 1);
  const OwnUnits own = encoding.to_own_units(theta, covariance);
  // A direction e moves β by M·e; the variance of β along k is the sum over root's columns.
  Eigen::MatrixXd moved(5, 5);
  for (Eigen::Index j = 0; j < 5; ++j) {
    moved.col(j) = encoding.to_own_units(theta + root.col(j)).values - own.values;
  }
  EXPECT_LT((own.covariance - moved * moved.transpose()).norm(), 1e-9 * own.covariance.norm());
  EXPECT_EQ(encoding.to_own_units(theta).covariance.size(), 0);
}

TEST(Encoding, LeavesTheLongestRowInsideTheBallAtEveryNumberOfColumns) {
  Schema schema;
  schema.target = {"y", {0, 1}};
  for (std::size_t k = 1; k < Schema::kMaxEntries; ++k) {
    schema.features.emplace_back(NumericFeature{"c" + std::to_string(k), {0, 1}});
    const Encoding encoding = Encoding::make(schema).value();
    const double scale = encoding.grid_scale();
    const auto terms = static_cast<double>(k + 1);
    EXPECT_EQ(scale, std::floor(scale));
    EXPECT_LE(terms * scale * scale, kGridOne * kGridOne);
    EXPECT_GT(terms * (scale + 1) * (scale + 1), kGridOne * kGridOne);
    EXPECT_FALSE(encoding.shortens());
  }
}

TEST(Encoding, IsNotMadeFromAnInvalidSchema) {
  Schema schema = mixed_schema(true);
  schema.target.bounds = {1, 0};
  EXPECT_EQ(Encoding::make(schema).error().name, "E-schema-bounds");
}

}  // namespace
}  // namespace sotto
