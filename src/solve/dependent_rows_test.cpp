#include "solve/dependent_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "solve/inference.h"
#include "support/memory_source.h"

namespace sotto {
namespace dependent_rows {
namespace {

constexpr std::int64_t kRows = 4;

Schema schema_of(std::optional<PersonColumn> person) {
  Schema schema;
  schema.target = {"y", {-1, 1}};
  schema.features = {NumericFeature{"x", {-1, 1}}};
  schema.person = std::move(person);
  return schema;
}

// Persons with kRows rows each that are one and the same: nothing depends more on each other.
Release release_of_twins(std::size_t persons, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> rows;
  for (std::size_t p = 0; p < persons; ++p) {
    const double x = uniform(random);
    const double y = std::clamp(0.1 + 0.3 * x + 0.15 * normal(random), -1.0, 1.0);
    rows.insert(rows.end(), kRows, {x, y});
  }
  const auto read = moments_from_rows(rows, schema_of(std::nullopt)).value();
  std::vector<double> sums;
  for (const Integer& sum : read.moments.sums) sums.push_back(moments_grid().value(sum));
  return Release::from_sums(schema_of(std::nullopt), ball_shares({.w2 = 1, .v2 = 0.25}), 0, sums);
}

double coverage(const std::optional<PersonColumn>& person) {
  std::mt19937_64 random(5);
  int inside = 0;
  constexpr int kTables = 500;
  for (int table = 0; table < kTables; ++table) {
    Release release = release_of_twins(40, random);
    release.schema.person = person;
    const auto slope = infer(release, own_selection(release)).value().coefficients[1];
    inside += slope.low <= 0.3 && 0.3 <= slope.high ? 1 : 0;
  }
  return static_cast<double>(inside) / kTables;
}

TEST(DependentRows, AreCountedInWhereAPersonHasSeveral) {
  EXPECT_GE(coverage(PersonColumn{"id", kRows}), 0.93);
  EXPECT_LT(coverage(std::nullopt), 0.8) << "rows that are taken for independent";
}

TEST(DependentRows, WidenErrorsByTheRootOfThePersonsRows) {
  std::mt19937_64 random(6);
  Release release = release_of_twins(5000, random);
  const auto alone = infer(release, own_selection(release)).value();
  release.schema.person = PersonColumn{"id", 1};
  const auto one = infer(release, own_selection(release)).value();
  release.schema.person = PersonColumn{"id", kRows};
  const auto several = infer(release, own_selection(release)).value();
  for (std::size_t k = 0; k < 2; ++k) {
    const double se = alone.coefficients[k].standard_error;
    EXPECT_EQ(one.coefficients[k].standard_error, se);
    EXPECT_NEAR(several.coefficients[k].standard_error / se, 2, 1e-3);
  }
  EXPECT_NEAR(several.whole_model->f / alone.whole_model->f, 0.25, 1e-3);
}

TEST(DependentRows, NeedMoreRowsThanPersonsHaveForTheirCoefficients) {
  std::mt19937_64 random(7);
  Release release = release_of_twins(3, random);
  EXPECT_TRUE(infer(release, own_selection(release)).has_value());
  release.schema.person = PersonColumn{"id", 6};
  const auto refused = infer(release, own_selection(release));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().name, "E-errors-rows");
}

}  // namespace
}  // namespace dependent_rows
}  // namespace sotto
