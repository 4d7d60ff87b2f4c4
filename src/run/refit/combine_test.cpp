#include "run/refit/combine.h"

#include <gmock/gmock.h>

#include <random>

#include "base/statistics.h"
#include "support/releases.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Schema flats_schema() {
  Schema schema;
  schema.target = {"rent", {0, 60}};
  schema.features = {NumericFeature{"income", {10, 90}}, NumericFeature{"rooms", {1, 7}},
                     CategoricalFeature{"place", {"village", "town"}},
                     NumericFeature{"age", {0, 100}}};
  return schema;
}

// intercept, income, rooms, place=town, age, rent
Eigen::MatrixXd flats_rows(Eigen::Index count) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform;
  Eigen::MatrixXd rows(count, 6);
  for (Eigen::Index r = 0; r < count; ++r) {
    const double income = 10 + 80 * uniform(random);
    const double rooms = 1 + 6 * uniform(random);
    const double town = random() % 2 == 0 ? 1 : 0;
    const double age = 100 * uniform(random);
    rows.row(r) << 1, income, rooms, town, age,
        5 + 0.2 * income + 3 * rooms + 4 * town - 0.1 * age + 5 * uniform(random);
  }
  return rows;
}

std::vector<double> coefficients(const Release& release, const ModelWords& words) {
  const Release made = combine_columns(release, words).value();
  const Selection selection = select(made, words).value();
  const Fit fit = fit_release(made, selection, {.estimator = Estimator::kExact}).value();
  std::vector<double> values;
  for (const auto& c : fit.coefficients) values.push_back(c.value);
  return values;
}

// Least squares in own units.
std::vector<double> least_squares(const Eigen::MatrixXd& x, const Eigen::VectorXd& y) {
  const Eigen::VectorXd solved = (x.transpose() * x).ldlt().solve(x.transpose() * y);
  return {solved.begin(), solved.end()};
}

void expect_near(const std::vector<double>& found, const std::vector<double>& truth) {
  ASSERT_EQ(found.size(), truth.size());
  for (std::size_t k = 0; k < truth.size(); ++k) EXPECT_NEAR(found[k], truth[k], 1e-9) << k;
}

TEST(Combine, FitsSumsOfColumnsAsAStudyWithThemWould) {
  const Eigen::MatrixXd rows = flats_rows(400);
  const Release release = release_of_rows(flats_schema(), rows, 0, 1);
  Eigen::MatrixXd x(400, 3);
  x << rows.col(0), rows.col(3), rows.col(1) + 2 * rows.col(2);
  expect_near(coefficients(release, {.features = {"place", "income + 2*rooms"}}),
              least_squares(x, rows.col(5)));
  // A target that is a sum, with a constant in it.
  const Eigen::VectorXd rest = rows.col(5) - rows.col(1) / 5 - Eigen::VectorXd::Constant(400, 3);
  Eigen::MatrixXd others(400, 3);
  others << rows.col(0), rows.col(2), rows.col(4);
  expect_near(
      coefficients(release, {.target = "rent - income/5 - 3", .features = {"rooms", "age"}}),
      least_squares(others, rest));
}

TEST(Combine, LeavesTheStudysTargetAmongTheColumnsOfAnotherTarget) {
  const Release release = release_of_rows(flats_schema(), flats_rows(50), 0, 1);
  const Release made = combine_columns(release, {.target = "income - 10*rooms"}).value();
  EXPECT_THAT(made.columns(),
              ElementsAre("intercept", "place=town", "age", "rent", "income-10*rooms"));
}

// Noise of many seeds, through the same sums.
TEST(Combine, KnowsTheNoiseOfEveryEntry) {
  const Eigen::MatrixXd rows = flats_rows(50);
  const ModelWords words{.target = "rent - 0.3*income", .features = {"rooms + 0.05*age", "place"}};
  const Release quiet = combine_columns(release_of_rows(flats_schema(), rows, 0, 1), words).value();
  constexpr int kSeeds = 2000;
  Eigen::MatrixXd square = Eigen::MatrixXd::Zero(quiet.size(), quiet.size());
  Eigen::MatrixXd sd;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const Release noisy =
        combine_columns(release_of_rows(flats_schema(), rows, 7, static_cast<unsigned>(seed)),
                        words)
            .value();
    square += (noisy.moments - quiet.moments).cwiseAbs2() / kSeeds;
    sd = noisy.noise_sd;
  }
  for (Eigen::Index i = 0; i < quiet.size(); ++i) {
    for (Eigen::Index j = i; j < quiet.size(); ++j) {
      EXPECT_NEAR(std::sqrt(square(i, j)) / sd(i, j), 1, 4 / std::sqrt(2.0 * kSeeds)) << i << j;
    }
  }
}

TEST(Combine, IsTheReleaseItselfWhereNothingIsASum) {
  const Release release = release_of_rows(flats_schema(), flats_rows(50), 1, 1);
  const Release same = combine_columns(release, {.features = {"income", "pl*"}}).value();
  EXPECT_EQ(same.columns(), release.columns());
  EXPECT_TRUE((same.moments.array() == release.moments.array()).all());
}

TEST(Combine, SaysWhatCannotBeCombined) {
  const Release release = release_of_rows(flats_schema(), flats_rows(50), 1, 1);
  const auto complaint = [&](const ModelWords& words) {
    const auto made = combine_columns(release, words);
    return made ? std::string() : made.error().to_string();
  };
  EXPECT_THAT(complaint({.features = {"income + romos"}}),
              AllOf(HasSubstr("E-refit-column"), HasSubstr("rooms")));
  EXPECT_THAT(complaint({.features = {"income + place"}}), HasSubstr("E-refit-column"));
  EXPECT_THAT(complaint({.features = {"income + income"}}), HasSubstr("E-refit-combine"));
  EXPECT_THAT(complaint({.target = "rent + 1e101"}),
              AllOf(HasSubstr("E-refit-combine"), HasSubstr("beyond 1e+100")));
  EXPECT_THAT(complaint({.features = {"income * 1e60 * 1e60"}}), HasSubstr("E-refit-combine"));
  EXPECT_THAT(complaint({.features = {"income + rooms", "rooms + age"}}),
              AllOf(HasSubstr("E-refit-combine"), HasSubstr("rooms")));
  EXPECT_THAT(complaint({.features = {"income + rooms", "rooms"}}), HasSubstr("E-refit-combine"));
  EXPECT_THAT(complaint({.target = "age", .features = {"rent + income"}}),
              AllOf(HasSubstr("E-refit-combine"), HasSubstr("target")));
  EXPECT_THAT(complaint({.features = {"income * rooms + age"}}), HasSubstr("E-refit-column"));
  EXPECT_EQ(complaint({.features = {"incmoe*"}}), "") << "select() says what is wrong";
  for (const char* word : {"inc* -age", "age* -rooms"}) {
    EXPECT_THAT(complaint({.features = {word}}), HasSubstr("E-refit-column")) << word;
  }
  Schema bare = flats_schema();
  bare.intercept = false;
  const Release through = release_of_rows(bare, flats_rows(50).rightCols(5), 1, 1);
  EXPECT_EQ(combine_columns(through, {.features = {"income + 1"}}).error().name, "E-refit-combine");
  EXPECT_TRUE(combine_columns(through, {.features = {"income + rooms"}}).has_value());
}

}  // namespace
}  // namespace sotto
