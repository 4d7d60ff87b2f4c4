#include "solve/inference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/statistics.h"
#include "support/releases.h"

namespace sotto {
namespace {

Schema two_features() {
  Schema schema;
  schema.target = {"y", {0, 20}};
  schema.features = {NumericFeature{"a", {0, 10}}, NumericFeature{"b", {0, 4}}};
  return schema;
}

// Ten rows (1, a, b, y).
Eigen::MatrixXd ten_rows() {
  Eigen::MatrixXd rows(10, 4);
  rows << 1, 0, 1, 3.1,  //
      1, 1, 3, 2.2,      //
      1, 2, 0, 5.9,      //
      1, 3, 2, 5.1,      //
      1, 4, 4, 5.8,      //
      1, 5, 1, 9.7,      //
      1, 6, 3, 9.0,      //
      1, 7, 0, 13.2,     //
      1, 8, 2, 12.1,     //
      1, 9, 4, 12.4;
  return rows;
}

// reference: R's summary(lm(y ~ a + b)) by its formulas, in NumPy.
TEST(Infer, IsTheTextbooksSummaryWhereThereIsNoNoise) {
  const Release release = release_of_rows(two_features(), ten_rows(), 0, 1);
  const auto found = infer(release, own_selection(release)).value();
  ASSERT_EQ(found.coefficients.size(), 3U);
  const double value[] = {3.4819354838709633, 1.3451612903225811, -0.8425806451612902};
  const double error[] = {0.29984545843576116, 0.0503249438178431, 0.10221044407182611};
  const double p[] = {7.923178919754707e-06, 2.6282283529444238e-08, 7.522529926026503e-05};
  for (std::size_t k = 0; k < 3; ++k) {
    const CoefficientTest& c = found.coefficients[k];
    EXPECT_EQ(c.entry, static_cast<Eigen::Index>(k));
    EXPECT_NEAR(c.value, value[k], 1e-9);
    EXPECT_NEAR(c.standard_error, error[k], 1e-9);
    EXPECT_NEAR(c.t, value[k] / error[k], 1e-6);
    EXPECT_NEAR(c.p / p[k], 1, 1e-7) << k;
    EXPECT_NEAR(c.degrees_of_freedom, 7, 1e-9);
    EXPECT_NEAR(c.sampling_share, 1, 1e-12);
    EXPECT_NEAR(c.high - c.value, 2.364624251592785 * error[k], 1e-9);
    EXPECT_NEAR(c.value - c.low, 2.364624251592785 * error[k], 1e-9);
  }
  EXPECT_NEAR(found.residual_sd, 0.4430310346870211, 1e-9);
  EXPECT_NEAR(found.residual_degrees_of_freedom, 7, 1e-9);
  EXPECT_NEAR(found.rows, 10, 1e-9);
  ASSERT_TRUE(found.determination.has_value());
  EXPECT_NEAR(found.determination->plain.share, 0.9903369871373846, 1e-10);
  EXPECT_NEAR(found.determination->adjusted.share, 0.9875761263194945, 1e-10);
  ASSERT_TRUE(found.whole_model.has_value());
  EXPECT_NEAR(found.whole_model->f / 358.70587199474085, 1, 1e-7);
  EXPECT_NEAR(found.whole_model->p / 8.869394081471867e-08, 1, 1e-6);
  EXPECT_EQ(found.whole_model->left_out, 2);
  EXPECT_NEAR(found.whole_model->residual, 7, 1e-9);
}

Eigen::MatrixXd linear_table(Eigen::Index count, std::uint64_t seed) {
  StandardNormal normal(seed);
  Eigen::MatrixXd rows(count, 4);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double a = std::clamp(5 + 2 * normal(), 0.0, 10.0);
    const double b = std::clamp(2 + 0.8 * normal(), 0.0, 4.0);
    rows.row(i) << 1, a, b, 6 + 0.7 * a - 0.5 * b + normal();
  }
  return rows;
}

TEST(Infer, SaysHowMuchOfAnErrorIsPrivacyNoise) {
  const Eigen::MatrixXd rows = linear_table(3000, 2);
  double before = 1.0001;
  double narrow = 0;
  for (const double sigma : {0.01, 1.0, 5.0}) {
    const Release release = release_of_rows(two_features(), rows, sigma, 3);
    const auto found = infer(release, own_selection(release)).value();
    const CoefficientTest& c = found.coefficients[1];
    EXPECT_LT(c.sampling_share, before);
    EXPECT_GT(c.standard_error, narrow);
    EXPECT_NEAR(found.sampling_covariance(1, 1) / found.covariance(1, 1), c.sampling_share, 1e-12);
    before = c.sampling_share;
    narrow = c.standard_error;
    EXPECT_LE(found.determination->plain.low, found.determination->plain.share);
    EXPECT_LE(found.determination->adjusted.share, found.determination->plain.share);
  }
}

TEST(Infer, MarksAFeatureThatDoesNothingAndOneThatDoes) {
  Eigen::MatrixXd rows = linear_table(3000, 4);
  rows.col(3) += 0.5 * rows.col(2);
  const Release release = release_of_rows(two_features(), rows, 1, 5);
  const auto found = infer(release, own_selection(release)).value();
  EXPECT_LT(found.coefficients[1].p, 1e-6);
  EXPECT_GT(found.coefficients[2].p, 1e-3);
  EXPECT_LT(found.whole_model->p, 1e-6);
  const auto b_alone = nested_test(release, own_selection(release), {2}).value();
  EXPECT_NEAR(b_alone.f, std::pow(found.coefficients[2].t, 2), 1e-9 * b_alone.f);
  EXPECT_NEAR(b_alone.p, found.coefficients[2].p, 1e-9);
}

TEST(Infer, OfAModelWithoutFeaturesHasNoTestOfThem) {
  const Release release = release_of_rows(two_features(), linear_table(2000, 6), 1, 7);
  const Selection mean = select(release, 3, {true, false, false, false}).value();
  const auto found = infer(release, mean).value();
  ASSERT_EQ(found.coefficients.size(), 1U);
  EXPECT_FALSE(found.whole_model.has_value());
  EXPECT_NEAR(found.determination->plain.share, 0, 1e-9);
}

TEST(Infer, IsRefusedWithTheReason) {
  const Release noisy = release_of_rows(two_features(), linear_table(100, 8), 60, 9);
  EXPECT_TRUE(infer(noisy, own_selection(noisy)).error().name.starts_with("E-errors-"));
  Release at_home = release_of_rows(two_features(), linear_table(2000, 8), 1, 9);
  at_home.moments(3, 3) = std::nan("");
  EXPECT_EQ(infer(at_home, own_selection(at_home)).error().name, "E-refit-squares");
  const Release few = release_of_rows(two_features(), ten_rows().topRows(3), 0, 1);
  EXPECT_EQ(infer(few, own_selection(few)).error().name, "E-errors-rows");
}

// With more and more noise first the F-test goes, then the errors.
TEST(Infer, RefusesTheTestBeforeTheErrors) {
  const Eigen::MatrixXd rows = linear_table(3000, 10);
  int with_test = 0;
  int errors_alone = 0;
  for (double sigma = 1; sigma < 200; sigma *= 1.1) {
    const Release release = release_of_rows(two_features(), rows, sigma, 11);
    const auto found = infer(release, own_selection(release));
    if (!found) continue;
    EXPECT_EQ(nested_test(release, own_selection(release), {1, 2}).has_value(),
              found->whole_model.has_value());
    if (found->whole_model) {
      ++with_test;
    } else {
      ++errors_alone;
      EXPECT_EQ(found->whole_model.error().name, "E-errors-noise");
    }
  }
  EXPECT_GT(with_test, 5);
  EXPECT_GT(errors_alone, 2);
}

TEST(IntervalFactor, IsStudentsQuantileAndTheNormalsInTheEnd) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_NEAR(interval_factor(0.95, infinite), 1.959963984540054, 1e-12);
  EXPECT_NEAR(interval_factor(0.95, 7), 2.364624251592785, 1e-10);
  EXPECT_NEAR(interval_factor(0.99, 1), 63.65674116287399, 1e-6);
  EXPECT_NEAR(interval_factor(0.5, 30), 0.68275569332129255, 1e-11);
  EXPECT_NEAR(interval_factor(0.95, 2.5), 3.5746548420118773, 1e-9);
}

}  // namespace
}  // namespace sotto
