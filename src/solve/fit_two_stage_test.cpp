#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/decompositions.h"
#include "solve/fit.h"
#include "support/releases.h"

namespace sotto {
namespace {

// Columns intercept, price, season, cost, tax, demand. What moves demand moves the price too; cost
// and tax move the price alone.
Schema market() {
  Schema schema;
  schema.target = {"demand", {-8, 8}};
  for (const char* column : {"price", "season", "cost", "tax"}) {
    schema.features.emplace_back(NumericFeature{column, {-4, 4}});
  }
  return schema;
}

constexpr double kSlope = -0.8;

Eigen::MatrixXd market_rows(Eigen::Index count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, 0.6);
  Eigen::MatrixXd rows(count, 6);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double hidden = normal(random);
    const double season = normal(random);
    const double cost = normal(random);
    const double tax = normal(random);
    const double price = 0.7 * cost + 0.5 * tax + 0.3 * season + 0.6 * hidden;
    const double demand = 1 + kSlope * price + 0.4 * season + hidden;
    rows.row(i) << 1, price, season, cost, tax, demand;
  }
  return rows;
}

// demand by price and season.
Selection demand(const Release& release) {
  return select(release, 5, {false, true, true, false, false, false}).value();
}

TEST(TwoStage, AgreesWithTheTextbookOnRowsWithoutNoise) {
  const Eigen::MatrixXd rows = market_rows(500, 1);
  const Release release = release_of_rows(market(), rows, 0, 2);
  const Fit fit = two_stage(release, demand(release), {2, 3, 4}).value();
  const Eigen::MatrixXd x = rows(Eigen::all, {0, 1, 2});
  const Eigen::MatrixXd z = rows(Eigen::all, {0, 2, 3, 4});
  const Eigen::MatrixXd fitted = z * inverse(z.transpose() * z) * z.transpose() * x;
  const Eigen::MatrixXd product = inverse(fitted.transpose() * fitted);
  const Eigen::VectorXd theta = product * fitted.transpose() * rows.col(5);
  const double s2 = (rows.col(5) - x * theta).squaredNorm() / (500 - 3);
  ASSERT_TRUE(fit.errors_refused.empty()) << fit.errors_refused;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto entry = static_cast<Eigen::Index>(k);
    EXPECT_NEAR(fit.coefficients[k].value, theta(entry), 1e-9);
    EXPECT_NEAR(*fit.coefficients[k].standard_error, std::sqrt(s2 * product(entry, entry)), 1e-9);
  }
}

TEST(TwoStage, IsLeastSquaresWhereEveryFeatureIsItsOwnInstrument) {
  const Release release = release_of_rows(market(), market_rows(2000, 2), 0.5, 2);
  const Selection selection = demand(release);
  const Fit two = two_stage(release, selection, {1, 2}).value();
  const Fit one = fit_release(release, selection, {.estimator = Estimator::kExact}).value();
  ASSERT_TRUE(two.errors_refused.empty() && one.errors_refused.empty());
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(two.coefficients[k].value, one.coefficients[k].value, 1e-9);
    EXPECT_NEAR(*two.coefficients[k].standard_error, *one.coefficients[k].standard_error, 1e-9);
  }
}

// Rows and noise are drawn anew; the interval of the slope has the truth, where least squares is
// far off.
TEST(TwoStage, CoversTheTruthWithTheNoiseCountedIn) {
  constexpr int kTables = 300;
  int covered = 0;
  double spread = 0;
  double stated = 0;
  for (unsigned table = 0; table < kTables; ++table) {
    const Release release =
        release_of_rows(market(), market_rows(3000, 100 + table), 0.5, 500 + table);
    const Fit fit = two_stage(release, demand(release), {2, 3, 4}).value();
    ASSERT_TRUE(fit.errors_refused.empty()) << fit.errors_refused;
    const double error = fit.coefficients[1].value - kSlope;
    covered += std::abs(error) < kInterval95 * *fit.coefficients[1].standard_error ? 1 : 0;
    spread += error * error / kTables;
    stated += std::pow(*fit.coefficients[1].standard_error, 2) / kTables;
  }
  EXPECT_NEAR(covered / static_cast<double>(kTables), 0.95, 0.035);
  EXPECT_NEAR(spread / stated, 1, 0.25);
}

TEST(TwoStage, RefusesTooFewInstrumentsTheTargetAndSingularOnes) {
  const Release release = release_of_rows(market(), market_rows(500, 3), 0, 3);
  EXPECT_EQ(two_stage(release, demand(release), {2}).error().name, "E-refit-instruments");
  EXPECT_EQ(two_stage(release, demand(release), {2, 5}).error().name, "E-refit-instruments");
  Release twice = release;
  twice.moments.row(4) = twice.moments.row(3);
  twice.moments.col(4) = twice.moments.col(3);
  twice.moments(4, 4) = twice.moments(3, 3);
  EXPECT_EQ(two_stage(twice, demand(twice), {2, 3, 4}).error().name, "E-refit-singular");
}

TEST(TwoStage, RefusesErrorsWhereTheFirstStageIsLostInTheNoise) {
  const Release release = release_of_rows(market(), market_rows(300, 4), 3, 4);
  const Fit fit = two_stage(release, demand(release), {2, 3, 4}).value();
  EXPECT_NE(fit.errors_refused.find("noise"), std::string::npos);
  EXPECT_FALSE(fit.coefficients[1].standard_error.has_value());
}

}  // namespace
}  // namespace sotto
