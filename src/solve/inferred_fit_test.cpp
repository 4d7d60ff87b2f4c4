#include "solve/inferred_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/releases.h"

namespace sotto {
namespace {

constexpr int kHomes = 400;

Schema homes() {
  Schema schema;
  schema.target = {"heat", {0, 80}};
  schema.features = {NumericFeature{"area", {20, 220}},
                     CategoricalFeature{"fuel", {"gas", "oil", "wood", "none"}},
                     NumericFeature{"people", {0, 6}}};
  return schema;
}

// intercept, area, fuel=oil, fuel=wood, fuel=none, people, heat
Eigen::MatrixXd rows_of_homes(std::uint64_t seed) {
  StandardNormal normal(seed);
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(kHomes, 7);
  for (Eigen::Index r = 0; r < kHomes; ++r) {
    const auto fuel = r % 4;
    rows(r, 0) = 1;
    rows(r, 1) = 120 + 30 * std::clamp(normal(), -3.0, 3.0);
    if (fuel > 0) rows(r, 1 + fuel) = 1;
    rows(r, 5) = 3 + std::clamp(normal(), -3.0, 3.0);
    rows(r, 6) = 10 + 0.2 * rows(r, 1) + 4 * rows(r, 2) - 3 * rows(r, 3) + rows(r, 5) +
                 2 * std::clamp(normal(), -3.0, 3.0);
  }
  return rows;
}

InferredFit fitted(const Schema& schema, const Eigen::MatrixXd& rows, double sigma) {
  const Release release = release_of_rows(schema, rows, sigma, 5);
  return infer_fit(release, own_selection(release), {.estimator = Estimator::kExact}).value();
}

// Textbook least squares of the last column by the others.
struct Textbook {
  Eigen::VectorXd values;
  Eigen::MatrixXd covariance;
  double residual_sd = 0;
  double r_squared = 0;  // about 0
};

Textbook textbook(const Eigen::MatrixXd& x, const Eigen::VectorXd& y) {
  const Eigen::MatrixXd inverse = (x.transpose() * x).inverse();
  Textbook book{.values = inverse * x.transpose() * y, .covariance = {}};
  const double squares = (y - x * book.values).squaredNorm();
  book.residual_sd = std::sqrt(squares / static_cast<double>(x.rows() - x.cols()));
  book.covariance = std::pow(book.residual_sd, 2) * inverse;
  book.r_squared = 1 - squares / y.squaredNorm();
  return book;
}

TEST(OtherBase, GivesWhatAStudyWithThatBaseWouldHaveGiven) {
  const Eigen::MatrixXd rows = rows_of_homes(1);
  const InferredFit moved =
      with_base(fitted(homes(), rows, 0), {.column = "fuel", .level = "wood"}).value();
  Schema other = homes();
  std::get<CategoricalFeature>(other.features[1]).levels = {"wood", "gas", "oil", "none"};
  Eigen::MatrixXd other_rows = rows;
  other_rows.col(2) = rows.col(0) - rows.col(2) - rows.col(3) - rows.col(4);
  other_rows.col(3) = rows.col(2);
  const InferredFit study = fitted(other, other_rows, 0);
  EXPECT_EQ(std::get<CategoricalFeature>(moved.schema.features[1]).levels,
            std::get<CategoricalFeature>(other.features[1]).levels);
  ASSERT_EQ(moved.inference->coefficients.size(), 6U);
  for (std::size_t k = 0; k < 6; ++k) {
    const CoefficientTest& one = moved.inference->coefficients[k];
    const CoefficientTest& two = study.inference->coefficients[k];
    EXPECT_EQ(moved.fit.coefficients[k].name, study.fit.coefficients[k].name);
    EXPECT_NEAR(moved.fit.coefficients[k].value, study.fit.coefficients[k].value, 1e-8);
    EXPECT_NEAR(one.value, two.value, 1e-8);
    EXPECT_NEAR(one.standard_error / two.standard_error, 1, 1e-8);
    EXPECT_NEAR(one.p, two.p, 1e-7);
    EXPECT_NEAR(one.low, two.low, 1e-7);
  }
  EXPECT_LT((moved.inference->covariance - study.inference->covariance).norm(), 1e-8);
}

TEST(OtherBase, ChangesNoPredictionAndComesBack) {
  const InferredFit model = fitted(homes(), rows_of_homes(2), 0.5);
  ASSERT_TRUE(model.inference.has_value());
  const InferredFit there = with_base(model, {.column = "fuel", .level = "none"}).value();
  // A home with wood, by both: 1, area, oil, wood, none, people.
  const Eigen::VectorXd x{{1, 100, 0, 1, 0, 2}};
  const Eigen::VectorXd x_there{{1, 100, 0, 0, 1, 2}};  // gas, oil, wood
  const auto value = [](const InferredFit& fit, const Eigen::VectorXd& at) {
    double sum = 0;
    for (const CoefficientTest& c : fit.inference->coefficients) sum += c.value * at(c.entry);
    return sum;
  };
  EXPECT_NEAR(value(model, x), value(there, x_there), 1e-9);
  EXPECT_NEAR(x.dot(model.inference->covariance * x),
              x_there.dot(there.inference->covariance * x_there), 1e-9);
  // Levels in another order than they were: gas, none, oil, wood.
  const InferredFit back = with_base(there, {.column = "fuel", .level = "gas"}).value();
  const std::vector<Eigen::Index> order{0, 1, 3, 4, 2, 5};
  EXPECT_LT((back.inference->covariance(order, order) - model.inference->covariance).norm(), 1e-9);
  EXPECT_EQ(back.fit.coefficients[3].name, "fuel=oil");
  EXPECT_NEAR(back.fit.coefficients[3].value, model.fit.coefficients[2].value, 1e-12);
}

TEST(OtherBase, RefusesWhatIsNoBase) {
  const InferredFit model = fitted(homes(), rows_of_homes(3), 0);
  const auto name = [&](const BaseLevel& base) { return with_base(model, base).error().name; };
  EXPECT_EQ(name({.column = "fuel", .level = "coal"}), "E-refit-base");
  EXPECT_EQ(name({.column = "area", .level = "20"}), "E-refit-base");
  EXPECT_EQ(name({.column = "colour", .level = "red"}), "E-refit-base");
  EXPECT_TRUE(with_base(model, {.column = "fuel", .level = "gas"}).has_value()) << "it is already";
  // Oil and gas together are the base of this one.
  const Release release = release_of_rows(homes(), rows_of_homes(3), 0, 1);
  const Selection part =
      select(release, release.target(), {false, true, false, true, true, true, false}).value();
  const InferredFit some = infer_fit(release, part, {.estimator = Estimator::kExact}).value();
  EXPECT_EQ(with_base(some, {.column = "fuel", .level = "wood"}).error().name, "E-refit-base");
}

TEST(ThroughOrigin, IsTheTextbooksWithoutNoise) {
  const Eigen::MatrixXd rows = rows_of_homes(4);
  const Release release = release_of_rows(homes(), rows, 0, 1);
  Selection selection = own_selection(release);
  selection.through_origin = true;
  const InferredFit found = infer_fit(release, selection, {.estimator = Estimator::kExact}).value();
  EXPECT_FALSE(found.schema.intercept);
  const Textbook book = textbook(rows.middleCols(1, 5), rows.col(6));
  ASSERT_TRUE(found.inference.has_value()) << found.inference.error().to_string();
  ASSERT_EQ(found.inference->coefficients.size(), 5U);
  for (Eigen::Index k = 0; k < 5; ++k) {
    const auto& c = found.inference->coefficients[static_cast<std::size_t>(k)];
    EXPECT_NEAR(c.value / book.values(k), 1, 1e-9);
    EXPECT_NEAR(c.standard_error / std::sqrt(book.covariance(k, k)), 1, 1e-9);
    EXPECT_NEAR(c.degrees_of_freedom, kHomes - 5, 1e-6);
    EXPECT_EQ(found.fit.coefficients[static_cast<std::size_t>(k)].value, c.value);
  }
  EXPECT_NEAR(found.inference->residual_sd / book.residual_sd, 1, 1e-9);
  EXPECT_NEAR(found.inference->determination->plain.share, book.r_squared, 1e-9);
  EXPECT_NEAR(found.inference->whole_model->left_out, 5, 0);
}

// The same sums with fresh noise: errors are as large as stated.
TEST(ThroughOrigin, CountsTheNoiseAsASimulationDoes) {
  const Eigen::MatrixXd rows = rows_of_homes(5);
  constexpr int kDraws = 400;
  constexpr double kSigma = 0.4;
  const Eigen::VectorXd truth = textbook(rows.middleCols(1, 5), rows.col(6)).values;
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(5);
  Eigen::VectorXd stated = Eigen::VectorXd::Zero(5);
  for (int draw = 0; draw < kDraws; ++draw) {
    const Release release = release_of_rows(homes(), rows, kSigma, 1000 + draw);
    Selection selection = own_selection(release);
    selection.through_origin = true;
    const InferredFit found =
        infer_fit(release, selection, {.estimator = Estimator::kExact}).value();
    ASSERT_TRUE(found.inference.has_value()) << found.inference.error().to_string();
    for (Eigen::Index k = 0; k < 5; ++k) {
      const auto& c = found.inference->coefficients[static_cast<std::size_t>(k)];
      squares(k) += std::pow(c.value - truth(k), 2) / kDraws;
      stated(k) += std::pow(c.standard_error, 2) * (1 - c.sampling_share) / kDraws;
    }
  }
  for (Eigen::Index k = 0; k < 5; ++k) EXPECT_NEAR(squares(k) / stated(k), 1, 0.25) << k;
}

TEST(ThroughOrigin, IsRefusedWhereItCannotBe) {
  const Release release = release_of_rows(homes(), rows_of_homes(6), 0, 1);
  Selection selection = own_selection(release);
  selection.through_origin = true;
  EXPECT_EQ(infer_fit(release, selection, {.estimator = Estimator::kNoiseAware}).error().name,
            "E-refit-features");
  Selection mean = select(release, release.target(), std::vector<bool>(7, false)).value();
  EXPECT_EQ(through_origin(release, mean).error().name, "E-refit-features");
  const Release noisy = release_of_rows(homes(), rows_of_homes(6), 60, 1);
  EXPECT_EQ(through_origin(noisy, selection)->inference.error().name, "E-errors-noise");
}

TEST(InferFit, StatesNeitherRSquaredNorFForTwoStages) {
  const Release release = release_of_rows(homes(), rows_of_homes(7), 0.2, 1);
  const Selection selection =
      select(release, release.target(), {false, true, false, false, false, false, false}).value();
  const InferredFit found =
      infer_fit(release, selection, {.estimator = Estimator::kTwoStage, .instruments = {1, 5}})
          .value();
  ASSERT_TRUE(found.inference.has_value()) << found.inference.error().to_string();
  EXPECT_FALSE(found.inference->determination.has_value());
  EXPECT_FALSE(found.inference->whole_model.has_value());
  const CoefficientTest& area = found.inference->coefficients[1];
  EXPECT_EQ(area.standard_error, *found.fit.coefficients[1].standard_error);
  EXPECT_TRUE(std::isinf(area.degrees_of_freedom));
  EXPECT_GT(area.sampling_share, 0);
  EXPECT_LE(area.sampling_share, 1);
}

}  // namespace
}  // namespace sotto
