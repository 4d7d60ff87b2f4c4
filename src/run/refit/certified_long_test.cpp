#include <gtest/gtest.h>

#include <cmath>

#include "run/refit/refit.h"
#include "support/releases.h"

// NIST's certified regressions (Statistical Reference Datasets), whole summaries, by way of a
// release without noise. Longley is beside them in solve/release_long_test.cpp. Filip (a polynomial
// of degree 10) cannot be: its moments are singular in doubles whatever solves them, which must be
// said and not solved.

namespace sotto {
namespace {

struct CertifiedSummary {
  std::vector<double> values;
  std::vector<double> errors;
  double sd = 0;
  double r_squared = 0;
  double f = 0;
};

// Columns x, then y; bounds are those of the columns.
RunRecord source_of(const Eigen::MatrixXd& columns) {
  const Eigen::Index p = columns.cols() - 1;
  Schema schema;
  const auto bounds = [&](Eigen::Index k) {
    return Bounds{columns.col(k).minCoeff(), columns.col(k).maxCoeff()};
  };
  for (Eigen::Index k = 0; k < p; ++k) {
    schema.features.emplace_back(NumericFeature{"x" + std::to_string(k + 1), bounds(k)});
  }
  schema.target = {"y", bounds(p)};
  Eigen::MatrixXd rows(columns.rows(), p + 2);
  rows << Eigen::VectorXd::Ones(columns.rows()), columns;
  RunRecord record;
  record.estimator = Estimator::kExact;
  record.target = "y";
  record.release = release_of_rows(schema, rows, 0, 1);
  return record;
}

void expect_summary(const Model& model, const CertifiedSummary& certified, double tolerance) {
  ASSERT_EQ(model.record.coefficients.size(), certified.values.size());
  for (std::size_t k = 0; k < certified.values.size(); ++k) {
    const RunRecord::Coefficient& c = model.record.coefficients[k];
    EXPECT_NEAR(c.value / certified.values[k], 1, tolerance) << c.name;
    ASSERT_TRUE(c.standard_error.has_value()) << model.record.errors_refused;
    EXPECT_NEAR(*c.standard_error / certified.errors[k], 1, tolerance) << c.name;
  }
  const ModelSummary& summary = *model.record.summary;
  EXPECT_NEAR(*summary.residual_sd / certified.sd, 1, tolerance);
  ASSERT_TRUE(summary.r_squared && summary.f);
  EXPECT_NEAR(summary.r_squared->value, certified.r_squared, tolerance);
  EXPECT_NEAR(summary.f->f / certified.f, 1, tolerance);
}

TEST(CertifiedSummaries, Norris) {
  const std::vector<double> y{0.1,   338.8, 118.1, 888.0, 9.2,   228.1, 668.5, 998.5, 449.1,
                              778.9, 559.2, 0.3,   0.1,   778.1, 668.8, 339.3, 448.9, 10.8,
                              557.7, 228.3, 998.0, 888.8, 119.6, 0.3,   0.6,   557.6, 339.3,
                              888.0, 998.5, 778.9, 10.2,  117.6, 228.9, 668.4, 449.2, 0.2};
  const std::vector<double> x{0.2,   337.4, 118.2, 884.6, 10.1,  226.5, 666.3, 996.3, 448.6,
                              777.0, 558.2, 0.4,   0.6,   775.5, 666.9, 338.0, 447.5, 11.6,
                              556.0, 228.1, 995.8, 887.6, 120.2, 0.3,   0.3,   556.8, 339.1,
                              887.2, 999.0, 779.0, 11.1,  118.3, 229.2, 669.1, 448.9, 0.5};
  Eigen::MatrixXd rows(36, 2);
  rows << Eigen::Map<const Eigen::VectorXd>(x.data(), 36),
      Eigen::Map<const Eigen::VectorXd>(y.data(), 36);
  expect_summary(refit(source_of(rows), RefitWords{}).value(),
                 {.values = {-0.262323073774029, 1.00211681802045},
                  .errors = {0.232818234301152, 0.429796848199937e-03},
                  .sd = 0.884796396144373,
                  .r_squared = 0.999993745883712,
                  .f = 5436385.54079785},
                 1e-8);
}

TEST(CertifiedSummaries, ModelsWithoutAnInterceptFromReleasesWithOne) {
  const RefitWords origin{.model = {.without = {"intercept"}}};
  Eigen::MatrixXd first(11, 2);
  first << Eigen::VectorXd::LinSpaced(11, 60, 70), Eigen::VectorXd::LinSpaced(11, 130, 140);
  expect_summary(refit(source_of(first), origin).value(),
                 {.values = {2.07438016528926},
                  .errors = {0.165289256198347e-01},
                  .sd = 3.56753034006338,
                  .r_squared = 0.999365492298663,
                  .f = 15750.25},
                 1e-10);
  Eigen::MatrixXd second(3, 2);
  second << 4, 3, 5, 4, 6, 4;
  expect_summary(refit(source_of(second), origin).value(),
                 {.values = {0.727272727272727},
                  .errors = {0.420827318078432e-01},
                  .sd = 0.369274472937998,
                  .r_squared = 0.993348115299335,
                  .f = 298.666666666667},
                 1e-10);
}

// Powers of x as columns of their own.
Eigen::MatrixXd powers(const Eigen::VectorXd& x, int degree, const Eigen::VectorXd& y) {
  Eigen::MatrixXd rows(x.size(), degree + 1);
  for (int k = 0; k < degree; ++k) rows.col(k) = x.array().pow(k + 1);
  rows.col(degree) = y;
  return rows;
}

// A polynomial of degree 5: the moments' condition number and Σy² − θᵀb, which cancels, leave four
// digits of the residuals.
TEST(CertifiedSummaries, Wampler) {
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(21, 0, 20);
  Eigen::VectorXd ones = Eigen::VectorXd::Zero(21);
  Eigen::VectorXd tenths = Eigen::VectorXd::Zero(21);
  for (int k = 0; k <= 5; ++k) {
    ones.array() += x.array().pow(k);
    tenths.array() += std::pow(0.1, k) * x.array().pow(k);
  }
  const Model exact = refit(source_of(powers(x, 5, ones)), RefitWords{}).value();
  for (const auto& c : exact.record.coefficients) EXPECT_NEAR(c.value, 1, 1e-4) << c.name;
  const Model small = refit(source_of(powers(x, 5, tenths)), RefitWords{}).value();
  for (std::size_t k = 0; k <= 5; ++k) {
    const double value = small.record.coefficients[k].value;
    EXPECT_NEAR(value / std::pow(0.1, k), 1, 1e-5) << k;
  }
  const std::vector<double> third{760,    -2042,  2111,    -1684,   3888,    1858,    11379,
                                  17560,  39287,  64382,   113159,  175108,  273291,  400186,
                                  581243, 811568, 1121004, 1506550, 2002767, 2611612, 3369180};
  const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(third.data(), 21);
  const Model model = refit(source_of(powers(x, 5, y)), RefitWords{}).value();
  const std::vector<double> errors{2152.32624678170, 2363.55173469681, 779.343524331583,
                                   101.475507550350, 5.64566512170752, 0.112324854679312};
  for (std::size_t k = 0; k <= 5; ++k) {
    const RunRecord::Coefficient& c = model.record.coefficients[k];
    ASSERT_TRUE(c.standard_error.has_value()) << model.record.errors_refused;
    EXPECT_NEAR(c.value, 1, 1e-6 * errors[k] + 1e-4) << c.name;
    EXPECT_NEAR(*c.standard_error / errors[k], 1, 1e-4) << c.name;
  }
  EXPECT_NEAR(*model.record.summary->residual_sd / 2360.14502379268, 1, 1e-4);
  EXPECT_NEAR(model.record.summary->r_squared->value, 0.999995559025820, 1e-9);
}

TEST(CertifiedSummaries, SayThatAPolynomialOfDegreeTenIsSingular) {
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(82, -8.8, -3.1);
  const Eigen::VectorXd y = x.array().sin();
  const auto filip = refit(source_of(powers(x, 10, y)), RefitWords{});
  const bool said =
      !filip ? filip.error().name == "E-refit-singular" : !filip->record.errors_refused.empty();
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace sotto
