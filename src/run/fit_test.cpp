#include "solve/fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/decompositions.h"
#include "support/tables.h"

namespace sotto {
namespace {

Schema two_columns() {
  Schema schema;
  schema.target = {"y", {-10, 30}};
  schema.features = {NumericFeature{"x", {0, 4}}, CategoricalFeature{"kind", {"a", "b", "c"}}};
  return schema;
}

// y = 3 + 2x + 5·[b] − 1·[c] + noise, well inside the bounds.
std::vector<std::vector<double>> linear_rows(std::size_t count, double noise, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 4);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = uniform(random);
    const auto kind = static_cast<double>(random() % 3);
    const double y = 3 + 2 * x + (kind == 1 ? 5 : 0) - (kind == 2 ? 1 : 0) + noise * normal(random);
    rows.push_back({x, kind, y});
  }
  return rows;
}

TEST(TableSums, PutEverySumInItsPlaceWithItsOwnNoise) {
  Schema schema;
  schema.target = {"y", {0, 1}};
  schema.features = {NumericFeature{"x", {0, 1}}};
  const Study study = study_for(schema, 5, 1, 1e-6);
  const std::vector<double> sums{1, 2, 3, 4, 5, 6};
  const TableSums table = table_sums(fit_terms(study, 7), sums);
  EXPECT_EQ(table.sums.a, (Eigen::Matrix2d() << 1, 2, 2, 3).finished());
  EXPECT_EQ(table.sums.b, Eigen::Vector2d(4, 5));
  EXPECT_EQ(table.sum_of_squares, 6);
  EXPECT_EQ(table.sums.shape, NoiseShape::kSvec);
  EXPECT_EQ(table.sums.sigma_a, 7);
  EXPECT_EQ(table.sums.sigma_b, 7);  // w = 1
  EXPECT_EQ(table.sigma_c, 14);      // v = 1/2

  Study replace = study;
  replace.privacy.neighbours = Neighbours::kReplace;
  EXPECT_EQ(table_sums(fit_terms(replace, 7), sums).sigma_c, 7);  // v = 1
  Study lean = study;
  lean.solve.error_bars = false;
  EXPECT_FALSE(table_sums(fit_terms(lean, 7), std::span(sums).first(5)).squares_released);
  EXPECT_EQ(table_sums(fit_terms(lean, 0), sums).sigma_c, 0) << "sums without noise";
}

TEST(FitSums, FindsTheCoefficientsInTheColumnsOwnUnits) {
  Study study = study_for(two_columns(), 5, 1, 1e-6);
  study.solve.estimator = Estimator::kExact;
  Plan plan = make_plan(study, Solver::kPairwise).value();
  plan.sum_noise_sd = 1e-9;
  const auto tables = deal_out(study, linear_rows(3000, 0, 1));
  const Fit fit = fit_sums(fit_terms(study, plan.sum_noise_sd), true_sums(tables)).value();
  ASSERT_EQ(fit.coefficients.size(), 4U);
  const std::vector<std::pair<std::string, double>> expected{
      {"intercept", 3}, {"x", 2}, {"kind=b", 5}, {"kind=c", -1}};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(fit.coefficients[k].name, expected[k].first);
    EXPECT_NEAR(fit.coefficients[k].value, expected[k].second, 1e-3);
    ASSERT_TRUE(fit.coefficients[k].standard_error.has_value());
    EXPECT_NEAR(*fit.coefficients[k].unshrunk, expected[k].second, 1e-3);
  }
  EXPECT_NEAR(*fit.rows, 3000, 1e-3);
  ASSERT_TRUE(fit.explained.has_value());
  EXPECT_NEAR(fit.explained->share, 1, 1e-6);
  EXPECT_TRUE(fit.warnings.empty());
}

TEST(FitSums, GivesTheTextbookStandardErrorWhereThereIsNoPrivacyNoise) {
  Study study = study_for(two_columns(), 5, 1, 1e-6);
  Plan plan = make_plan(study, Solver::kPairwise).value();
  plan.sum_noise_sd = 1e-9;
  const auto rows = linear_rows(2000, 0.8, 2);
  const auto tables = deal_out(study, rows);
  const Fit fit = fit_sums(fit_terms(study, plan.sum_noise_sd), true_sums(tables)).value();
  Eigen::MatrixXd x(2000, 4);
  for (Eigen::Index i = 0; i < 2000; ++i) {
    const auto& row = rows[static_cast<std::size_t>(i)];
    x.row(i) << 1, row[0], row[1] == 1 ? 1 : 0, row[1] == 2 ? 1 : 0;
  }
  const Eigen::MatrixXd covariance = inverse(x.transpose() * x);
  for (std::size_t k = 0; k < 4; ++k) {
    const auto entry = static_cast<Eigen::Index>(k);
    const double textbook = 0.8 * std::sqrt(covariance(entry, entry));
    EXPECT_NEAR(*fit.coefficients[k].standard_error / textbook, 1, 0.06) << k;
  }
}

// Few rows, exact sums, and noise that they might have had: Σy²'s is σ/v = 2σ.
TEST(FitSums, CountsTheNoiseOnTheTargetsSquares) {
  const Study study = study_for(two_columns(), 5, 1, 1e-6);
  Plan plan = make_plan(study, Solver::kPairwise).value();
  plan.sum_noise_sd = 1.5;
  const auto sums = true_sums(deal_out(study, linear_rows(500, 0.1, 9)));
  const Fit fit = fit_sums(fit_terms(study, plan.sum_noise_sd), sums).value();
  ASSERT_TRUE(fit.errors_refused.empty()) << fit.errors_refused;
  const TableSums table = table_sums(fit_terms(study, plan.sum_noise_sd), sums);
  const auto error_of_x = [&](double sigma_c) {
    const auto errors = plug_in_errors(table.sums, {sums.back(), sigma_c}, *fit.rows).value();
    const auto own = Encoding::make(*study.data)->to_own_units(errors.theta, errors.covariance);
    return std::sqrt(own.covariance(1, 1));
  };
  EXPECT_DOUBLE_EQ(*fit.coefficients[1].standard_error, error_of_x(3));
  EXPECT_GT(error_of_x(3), error_of_x(1.5) * 1.001);
}

TEST(FitSums, RefusesErrorsWithoutAnInterceptAndSaysWhy) {
  Schema schema = two_columns();
  schema.intercept = false;
  const Study study = study_for(schema, 5, 10, 1e-6);
  const Plan plan = make_plan(study, Solver::kPairwise).value();
  const auto tables = deal_out(study, linear_rows(2000, 0.1, 3));
  const Fit fit = fit_sums(fit_terms(study, plan.sum_noise_sd), true_sums(tables)).value();
  EXPECT_FALSE(fit.rows.has_value());
  EXPECT_NE(fit.errors_refused.find("intercept"), std::string::npos);
  EXPECT_FALSE(fit.coefficients[0].standard_error.has_value());
  EXPECT_TRUE(fit.explained.has_value()) << "against predicting 0";
}

TEST(FitSums, RefusesErrorsWhereTheNoiseIsNotSmallBesideTheData) {
  const Study study = study_for(two_columns(), 5, 0.1, 1e-6);
  const Plan plan = make_plan(study, Solver::kPairwise).value();
  const auto tables = deal_out(study, linear_rows(300, 0.1, 4));
  const Fit fit = fit_sums(fit_terms(study, plan.sum_noise_sd), true_sums(tables)).value();
  EXPECT_NE(fit.errors_refused.find("noise"), std::string::npos);
  for (const auto& c : fit.coefficients) EXPECT_FALSE(c.standard_error || c.unshrunk);
}

TEST(FitSums, WarnsWhereTheModelIsNoBetterThanTheMean) {
  const Study study = study_for(two_columns(), 5, 1, 1e-6);
  const Plan plan = make_plan(study, Solver::kPairwise).value();
  auto rows = linear_rows(30'000, 0, 5);
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal(10, 3);
  for (auto& row : rows) row.back() = normal(random);  // nothing to explain
  const auto tables = deal_out(study, rows);
  const auto sums =
      release_sums(study, plan, tables, {.random_from = RandomFrom::kSeed, .seed = 1, .trial = 0})
          .value();
  const Fit fit = fit_sums(fit_terms(study, plan.sum_noise_sd), sums).value();
  ASSERT_EQ(fit.warnings.size(), 1U);
  EXPECT_NE(fit.warnings[0].find("better than predicting the mean of y"), std::string::npos);
}

TEST(FitSums, SaysThatARadiusBendsLongRows) {
  Schema schema = two_columns();
  schema.radius = 1.2;
  const Study study = study_for(schema, 5, 1, 1e-6);
  const Plan plan = make_plan(study, Solver::kPairwise).value();
  const auto tables = deal_out(study, linear_rows(20'000, 0.5, 8));
  const Fit fit = fit_sums(fit_terms(study, plan.sum_noise_sd), true_sums(tables)).value();
  EXPECT_NE(fit.warnings.back().find("radius of 1.2"), std::string::npos);
  EXPECT_LE(*fit.rows, 20'000) << "shortened rows count for less than one";
}

TEST(FitSums, SaysSoWhereTheNoiseLeavesNothingToTell) {
  const Study study = study_for(two_columns(), 5, 0.1, 1e-6);
  const Plan plan = make_plan(study, Solver::kPairwise).value();
  const auto tables = deal_out(study, linear_rows(50, 0.1, 7));
  const Fit fit = fit_sums(fit_terms(study, plan.sum_noise_sd), true_sums(tables)).value();
  EXPECT_FALSE(fit.explained.has_value());
  EXPECT_NE(fit.warnings.back().find("take it that it is not"), std::string::npos);
}

}  // namespace
}  // namespace sotto
