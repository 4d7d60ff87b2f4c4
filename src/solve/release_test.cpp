#include "solve/release.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "base/decompositions.h"
#include "base/statistics.h"
#include "solve/fit.h"
#include "support/releases.h"

namespace sotto {
namespace {

using testing::ElementsAre;

constexpr Eigen::Index kIncome = 1;
constexpr Eigen::Index kTown = 4;
constexpr Eigen::Index kRent = 5;

Schema flats() {
  Schema schema;
  schema.target = {"rent", {0, 50}};
  schema.features = {NumericFeature{"income", {10, 90}}, NumericFeature{"rooms", {1, 7}},
                     CategoricalFeature{"place", {"village", "suburb", "town"}}};
  return schema;
}

// Flats in their own units: 1, income, rooms, place=suburb, place=town, rent.
Eigen::MatrixXd rows_of_flats() {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Eigen::MatrixXd rows(400, 6);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const auto place = static_cast<int>(random() % 3);
    rows(i, 0) = 1;
    rows(i, 1) = 50 + 40 * uniform(random);
    rows(i, 2) = 4 + 2 * uniform(random) + rows(i, 1) / 100;
    rows(i, 3) = place == 1 ? 1 : 0;
    rows(i, 4) = place == 2 ? 1 : 0;
    rows(i, 5) = 3 + 0.2 * rows(i, 1) + 2 * rows(i, 2) + 4 * rows(i, 4) + 3 * uniform(random);
  }
  return rows;
}

Release release_with_noise(double sigma) {
  return release_of_rows(flats(), rows_of_flats(), sigma, 3);
}

std::vector<bool> without(std::initializer_list<Eigen::Index> left_out) {
  std::vector<bool> chosen(6, true);
  for (const Eigen::Index k : left_out) chosen[static_cast<std::size_t>(k)] = false;
  return chosen;
}

TEST(Release, HasEveryMomentInItsPlaceWithItsOwnNoise) {
  Schema schema;
  schema.target = {"y", {0, 1}};
  schema.features = {NumericFeature{"x", {0, 1}}};
  const std::vector<double> sums{1, 2, 3, 4, 5, 6};
  const Release release = Release::from_sums(schema, kAddRemoveShares, 7, sums);
  EXPECT_THAT(release.columns(), ElementsAre("intercept", "x", "y"));
  EXPECT_EQ(release.moments, (Eigen::Matrix3d() << 1, 2, 4, 2, 3, 5, 4, 5, 6).finished());
  const double off = 7 / std::sqrt(2.0);
  EXPECT_EQ(release.noise_sd, (Eigen::Matrix3d() << 7, off, 7, off, 7, 7, 7, 7, 14).finished());
  EXPECT_FALSE(
      Release::from_sums(schema, kAddRemoveShares, 7, std::span(sums).first(5)).squares_released());
}

TEST(Release, OfTheStudysOwnColumnsIsItsSumsToTheBit) {
  const Release release = release_with_noise(2);
  const TableSums table = table_sums(release, own_selection(release));
  EXPECT_EQ(table.sums.a, release.moments.topLeftCorner(5, 5));
  EXPECT_EQ(table.sums.b, release.moments.col(5).head(5));
  EXPECT_EQ(table.sums.shape, NoiseShape::kSvec);
  EXPECT_EQ(table.sums.sigma_a, 2);
  EXPECT_EQ(table.sums.sigma_b, 2);
  EXPECT_EQ(table.sum_of_squares, release.moments(5, 5));
  EXPECT_EQ(table.sigma_c, 4);
  const Selection all = select(release, kRent, without({kRent})).value();
  EXPECT_TRUE(all == own_selection(release));
}

// What a study of fewer columns would have ended with: the same sums in the units of its own
// ball, and noise of the same size on them, which other weights w and v say.
TEST(Release, OfFewerColumnsGivesTheModelOfAStudyWithThese) {
  const Release release = release_with_noise(3);
  const Selection selection = select(release, kRent, without({kIncome, kRent})).value();
  Schema fewer = flats();
  fewer.features.erase(fewer.features.begin());
  const double g =
      Encoding::make(fewer).value().grid_scale() / Encoding::make(flats()).value().grid_scale();
  const std::vector<Eigen::Index> kept{0, 2, 3, 4, 5};
  Eigen::VectorXd units = Eigen::VectorXd::Constant(5, g);
  units(4) = 1;
  const Eigen::MatrixXd sums =
      units.asDiagonal() * release.moments(kept, kept) * units.asDiagonal();
  const Release study = Release::from_sums(
      fewer, ball_shares({.w2 = g * g, .v2 = std::pow(g, 4) * kAddRemoveShares.c}), g * g * 3,
      sums_in_order(sums));
  for (const Estimator estimator :
       {Estimator::kNoiseAware, Estimator::kExact, Estimator::kPsdRidge, Estimator::kAdassp}) {
    const Fit refit = fit_release(release, selection, {.estimator = estimator}).value();
    const Fit fit = fit_release(study, own_selection(study), {.estimator = estimator}).value();
    ASSERT_EQ(refit.coefficients.size(), fit.coefficients.size());
    for (std::size_t k = 0; k < fit.coefficients.size(); ++k) {
      const auto& expected = fit.coefficients[k];
      EXPECT_EQ(refit.coefficients[k].name, expected.name);
      EXPECT_NEAR(refit.coefficients[k].value, expected.value, 1e-10 * std::abs(expected.value));
      EXPECT_NEAR(*refit.coefficients[k].standard_error, *expected.standard_error,
                  1e-10 * *expected.standard_error);
    }
  }
}

Eigen::VectorXd least_squares(const Eigen::MatrixXd& x, const Eigen::VectorXd& y) {
  return solve_symmetric(x.transpose() * x, x.transpose() * y);
}

TEST(Release, WithoutNoiseHoldsEveryLeastSquaresModelOfItsColumns) {
  const Eigen::MatrixXd rows = rows_of_flats();
  const Release release = release_with_noise(0);
  for (const auto& [target, features] :
       std::vector<std::pair<Eigen::Index, std::vector<Eigen::Index>>>{{kRent, {1, 2, 3, 4}},
                                                                       {kRent, {2}},
                                                                       {kRent, {}},
                                                                       {kIncome, {2, 3, 4, 5}},
                                                                       {kIncome, {5}},
                                                                       {kTown, {1, 2, 5}}}) {
    std::vector<bool> chosen(6, false);
    std::vector<Eigen::Index> columns{0};
    for (const Eigen::Index k : features) {
      chosen[static_cast<std::size_t>(k)] = true;
      columns.push_back(k);
    }
    const Selection selection = select(release, target, chosen).value();
    EXPECT_EQ(selection.columns, columns);
    const Fit fit = fit_release(release, selection, {.estimator = Estimator::kExact}).value();
    const Eigen::VectorXd expected = least_squares(rows(Eigen::all, columns), rows.col(target));
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto entry = static_cast<std::size_t>(selection.entries[k]);
      EXPECT_NEAR(fit.coefficients[entry].value, expected(static_cast<Eigen::Index>(k)), 1e-9);
    }
    EXPECT_NEAR(*fit.rows, 400, 1e-3);
  }
}

TEST(Release, GivesLevelsThatWereNotChosenTheBaseLevelsCoefficient) {
  const Release release = release_with_noise(1);
  const Selection selection = select(release, kRent, without({3, kRent})).value();
  const Fit fit = fit_release(release, selection, {.estimator = Estimator::kExact}).value();
  ASSERT_EQ(fit.coefficients.size(), 5U);
  EXPECT_EQ(fit.coefficients[3].name, "place=suburb");
  EXPECT_EQ(fit.coefficients[3].value, 0);
  EXPECT_FALSE(fit.coefficients[3].standard_error.has_value());
  EXPECT_TRUE(fit.coefficients[4].standard_error.has_value());
}

TEST(Release, KeepsTheNoiseOfEachEntryWhoeverTheTargetIs) {
  const Release release = release_with_noise(2);
  const double s = release.scales()(0);
  const Selection selection = select(release, kIncome, without({kIncome})).value();
  const TableSums table = table_sums(release, selection);
  // The study's target is a feature now: its square has σ/v = 2σ, its products σ/w = σ.
  const double s_model = Encoding::make(selection.schema).value().grid_scale() / kGridOne;
  const double g = s_model / s;
  EXPECT_EQ(table.sums.shape, NoiseShape::kOwn);
  EXPECT_NEAR(table.sums.own_sd_a(0, 0), 2 * g * g, 1e-12);
  EXPECT_NEAR(table.sums.own_sd_a(0, 1), std::sqrt(2.0) * g * g, 1e-12);
  EXPECT_NEAR(table.sums.own_sd_a(0, 4), 2 * g * s_model, 1e-12);
  EXPECT_NEAR(table.sums.own_sd_a(4, 4), 4 * s_model * s_model, 1e-12);
  EXPECT_NEAR(table.sums.own_sd_b(0), std::sqrt(2.0) * g / s, 1e-12);
  EXPECT_NEAR(table.sums.own_sd_b(4), 2 * s_model / s, 1e-12);
  EXPECT_NEAR(table.sigma_c, 2 / (s * s), 1e-12);
  EXPECT_GE(table.sums.invariant_sigma() * (1 + 1e-12), table.sums.own_sd_a(0, 0));
}

Schema weighted_flats() {
  Schema schema;
  schema.weighting = Weighting::kBounded;
  schema.target = {"rent", {0, 2000}};
  schema.features = {NumericFeature{"area", {0, 100}}, NumericFeature{"age", {0, 50}},
                     CategoricalFeature{"heating", {"gas", "oil", "other"}}};
  return schema;
}

Eigen::MatrixXd weighted_rows(Eigen::Index count, std::uint64_t seed) {
  SeededRandom random(seed);
  std::uniform_real_distribution<double> uniform;
  Eigen::MatrixXd rows(count, 6);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double area = 100 * uniform(random);
    const double age = 25 + 25 * std::pow(uniform(random), 2);
    const double kind = 3 * uniform(random);
    rows.row(i) << 1, area, age, kind > 2, kind < 0.5,
        300 + 9 * area - 4 * age + 100 * uniform(random);
  }
  return rows;
}

TEST(TypicalWeight, IsCloseToWhatTheRowsHave) {
  const Eigen::MatrixXd rows = weighted_rows(5000, 1);
  const Release release = release_of_rows(weighted_flats(), rows, 0, 2);
  double sum = 0;
  double squares = 0;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double square = std::pow(rows(i, 1) / 50 - 1, 2) + std::pow(rows(i, 2) / 25 - 1, 2) +
                          rows(i, 3) + rows(i, 4);
    const double weight = row_weight(square / 1.5);
    sum += weight;
    squares += weight * weight;
  }
  const TypicalWeight found = typical_weight(release);
  EXPECT_NEAR(release.moments(0, 0), sum, 1e-6);
  EXPECT_NEAR(found.weight / (squares / sum), 1, 0.02);
  EXPECT_NEAR(*found.rows / 5000, 1, 0.02);
}

// reference: the same formula in NumPy.
TEST(TypicalWeight, AgreesWithTheReference) {
  Schema schema = weighted_flats();
  schema.features = {NumericFeature{"a", {0, 1}}, NumericFeature{"b", {0, 1}},
                     NumericFeature{"c", {0, 1}}};
  Release release{schema, Eigen::MatrixXd::Zero(5, 5), Eigen::MatrixXd::Zero(5, 5)};
  release.moments.diagonal() << 1200, 500, 380, 420, 410;
  EXPECT_NEAR(typical_weight(release).weight, 1.2271961422070807, 1e-13);
  EXPECT_NEAR(*typical_weight(release).rows, 1023.1675473403458, 1e-9);
  schema.features = {NumericFeature{"a", {0, 1}}, CategoricalFeature{"b", {"x", "y", "z"}}};
  release.schema = schema;
  EXPECT_NEAR(typical_weight(release).weight, 1.0367698756607344, 1e-13);
  EXPECT_NEAR(*typical_weight(release).rows, 1248.4750894837905, 1e-9);
  schema.weighting = Weighting::kNone;
  release.schema = schema;
  EXPECT_EQ(typical_weight(release).weight, 1);
}

TEST(FitRelease, OfWeightedRowsIsTheirWeightedLeastSquaresWhereThereIsNoNoise) {
  const Eigen::MatrixXd rows = weighted_rows(20'000, 3);
  const Release release = release_of_rows(weighted_flats(), rows, 0, 4);
  const Fit fit = fit_release(release, own_selection(release), {}).value();
  const Fit exact =
      fit_release(release, own_selection(release), {.estimator = Estimator::kExact}).value();
  for (std::size_t k = 0; k < fit.coefficients.size(); ++k) {
    EXPECT_NEAR(fit.coefficients[k].value, exact.coefficients[k].value,
                0.2 * *exact.coefficients[k].standard_error)
        << k;
  }
  EXPECT_NEAR(fit.coefficients[1].value, 9, 0.1);
  EXPECT_GT(fit.explained->share, 0.9);
}

TEST(FitRelease, OfWeightedRowsServesAnyTargetAndFeatures) {
  const Release release = release_of_rows(weighted_flats(), weighted_rows(20'000, 5), 2, 6);
  const Selection of_area = select(release, 1, {true, false, true, false, true, true}).value();
  const Fit fit = fit_release(release, of_area, {}).value();
  EXPECT_TRUE(fit.errors_refused.empty()) << fit.errors_refused;
  EXPECT_GT(fit.explained->share, 0.8);
  EXPECT_NE(fit.warnings.back().find("weighted by the study's features"), std::string::npos);
  const Selection mean = select(release, 5, std::vector<bool>(6, false)).value();
  EXPECT_NEAR(fit_release(release, mean, {})->coefficients[0].value, 700, 30);
}

TEST(FitRelease, OfWeightedRowsDoesWithoutAnInterceptAndWithoutSquares) {
  Schema schema = weighted_flats();
  schema.intercept = false;
  const Eigen::MatrixXd rows = weighted_rows(20'000, 7);
  const Release through_zero = release_of_rows(schema, rows.rightCols(5), 2, 8);
  const Fit fit = fit_release(through_zero, own_selection(through_zero), {}).value();
  const Fit exact =
      fit_release(through_zero, own_selection(through_zero), {.estimator = Estimator::kExact})
          .value();
  EXPECT_NEAR(fit.coefficients[0].value / exact.coefficients[0].value, 1, 0.02);
  EXPECT_NE(fit.errors_refused.find("intercept"), std::string::npos);
  Release lean = release_of_rows(weighted_flats(), rows, 2, 9);
  lean.moments(5, 5) = std::nan("");
  lean.noise_sd(5, 5) = 0;
  const Fit without = fit_release(lean, own_selection(lean), {}).value();
  EXPECT_NEAR(without.coefficients[1].value, 9, 0.5);
  EXPECT_FALSE(without.explained.has_value());
}

TEST(Release, RefusesATargetAmongTheFeaturesAndASquareThatStayedAtHome) {
  const Release release = release_with_noise(1);
  EXPECT_EQ(select(release, kIncome, without({})).error().name, "E-refit-features");
  const std::vector<double> sums = sums_in_order(release.moments);
  const Release lean = Release::from_sums(flats(), ball_shares({.w2 = 1, .v2 = 0}), 1,
                                          std::span(sums).first(sums.size() - 1));
  EXPECT_EQ(select(lean, kIncome, without({kIncome})).error().name, "E-refit-squares");
  const Selection others = select(lean, kIncome, without({kIncome, kRent})).value();
  const Fit fit = fit_release(lean, others, {.estimator = Estimator::kExact}).value();
  EXPECT_TRUE(fit.errors_refused.empty()) << "the square of a feature is always released";
}

TEST(NoisySums, KnowTheShapeOfNoiseWhereItIsOne) {
  const Eigen::MatrixXd a = Eigen::MatrixXd::Identity(3, 3);
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(3);
  NoisySums svec{.a = a, .b = b, .sigma_a = 5, .sigma_b = 2};
  EXPECT_EQ(NoisySums::with_sd(a, b, svec.sd_a(), svec.sd_b()).shape, NoiseShape::kSvec);
  NoisySums entries = svec;
  entries.shape = NoiseShape::kEntries;
  const NoisySums own = NoisySums::with_sd(a, b, entries.sd_a(), entries.sd_b());
  EXPECT_EQ(own.shape, NoiseShape::kOwn);
  EXPECT_EQ(own.invariant_sigma(), entries.invariant_sigma());
  EXPECT_LT((noise_aware(own)->theta - noise_aware(entries)->theta).norm(), 1e-12);
}

TEST(NoisySums, CountNoiseSeenThroughCoefficientsAsASimulationDoes) {
  Eigen::Matrix3d sd;
  sd << 1, 2, 0.5, 2, 3, 1.5, 0.5, 1.5, 0.2;
  const Eigen::Vector3d theta(0.5, -1, 2);
  const Eigen::MatrixXd s = theta * theta.transpose();
  StandardNormal normal(11);
  constexpr int kDraws = 40000;
  Eigen::Matrix3d seen = Eigen::Matrix3d::Zero();
  double square = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    Eigen::Matrix3d e;
    for (Eigen::Index r = 0; r < 3; ++r) {
      for (Eigen::Index c = r; c < 3; ++c) e(r, c) = e(c, r) = sd(r, c) * normal();
    }
    const Eigen::Vector3d through = e * theta;
    seen += through * through.transpose() / kDraws;
    square += std::pow(e.cwiseProduct(s).sum(), 2) / kDraws;
  }
  const Eigen::MatrixXd expected = noise_seen_through(sd, theta);
  EXPECT_LT((seen - expected).norm(), 0.03 * expected.norm());
  EXPECT_NEAR(square / noise_variance(sd, s), 1, 0.03);
  EXPECT_NEAR(theta.dot(expected * theta), noise_variance(sd, s), 1e-12);
}

TEST(Ridge, ShrinksAllButTheIntercept) {
  NoisySums sums{.a = Eigen::Vector3d(10, 4, 4).asDiagonal(), .b = Eigen::Vector3d(20, 4, -8)};
  EXPECT_EQ(ridge(sums, 4, true)->theta, Eigen::Vector3d(2, 0.5, -1));
  EXPECT_EQ(ridge(sums, 10, false)->theta(0), 1);
  EXPECT_EQ(ridge(sums, 0, true)->theta, exact_solution(sums)->theta);
}

// Rows on a plane: weights change nothing about the answer, and the fit says that there were some.
TEST(Release, OfWeightedRowsHasTheSamePlaneAndSaysThatItIsWeighted) {
  Schema schema = flats();
  schema.weighting = Weighting::kBounded;
  Eigen::MatrixXd rows = rows_of_flats();
  rows.col(5) = 3 + 0.2 * rows.col(1).array() + 2 * rows.col(2).array() + 4 * rows.col(4).array();
  const Release release = release_of_rows(schema, rows, 0, 3);
  const Fit fit =
      fit_release(release, own_selection(release), {.estimator = Estimator::kExact}).value();
  const std::vector<double> plane = {3, 0.2, 2, 0, 4};
  for (std::size_t k = 0; k < plane.size(); ++k) {
    EXPECT_NEAR(fit.coefficients[k].value, plane[k], 1e-8) << k;
  }
  // Σw is not the number of rows, but tells about how many there are.
  EXPECT_NEAR(*fit.rows, static_cast<double>(rows.rows()), 0.1 * static_cast<double>(rows.rows()));
  ASSERT_FALSE(fit.warnings.empty());
  EXPECT_THAT(fit.warnings.back(), testing::HasSubstr("Weighted least squares"));
  // A part of the columns too: they keep the weights of all.
  const Selection fewer = select(release, kIncome, without({kIncome, kRent})).value();
  const Fit other = fit_release(release, fewer, {.estimator = Estimator::kExact}).value();
  EXPECT_THAT(other.warnings.back(), testing::HasSubstr("income is one of them"));
}

TEST(Release, OfWeightedRowsHasNoiseByTheShareOfEachSum) {
  Schema schema = flats();
  schema.weighting = Weighting::kBounded;
  const Release release = release_of_rows(schema, rows_of_flats(), 2, 3);
  const double radius_square = 1.5;  // three columns
  EXPECT_NEAR(release.noise_sd(0, 0), 2 / std::sqrt(0.05), 1e-12);
  EXPECT_NEAR(release.noise_sd(0, 2), 2 / std::sqrt(0.14 / radius_square), 1e-12);
  EXPECT_NEAR(release.noise_sd(1, 1), 2 * radius_square / 0.5, 1e-12);
  EXPECT_NEAR(release.noise_sd(1, 2), 2 * radius_square / std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(release.noise_sd(0, 5), 2 / std::sqrt(0.12), 1e-12);
  EXPECT_NEAR(release.noise_sd(3, 5), 2 / std::sqrt(0.40 / radius_square), 1e-12);
  EXPECT_NEAR(release.noise_sd(5, 5), 2 / 0.2, 1e-12);
  EXPECT_EQ(release.scales(), Eigen::VectorXd::Ones(6));
}

}  // namespace
}  // namespace sotto
