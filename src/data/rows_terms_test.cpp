#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>

#include "data/own_values.h"
#include "data/rows.h"

namespace sotto {
namespace {

Term term_of(const std::string& text, std::vector<Bounds> bounds) {
  Term term{Expression::parse(text).value(), {}};
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    term.columns.push_back({term.expression.columns()[k], bounds[k]});
  }
  return term;
}

NumericFeature feature_of(const std::string& text, std::vector<Bounds> bounds) {
  const Term term = term_of(text, std::move(bounds));
  return {term.expression.text(), term.bounds().value(), term};
}

RawRows raw_of(const std::vector<std::vector<double>>& rows) {
  RawRows raw(rows.front().size());
  raw.rows = rows.size();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < raw.columns(); ++c) {
      raw.column(c)[r] = rows[r][c];
      raw.any_missing |= std::isnan(rows[r][c]);
    }
  }
  return raw;
}

// a:b and log(b) with a as a feature of its own, b for the terms alone.
Schema schema_with_terms() {
  Schema schema;
  schema.target = {"y", {-1, 1}};
  schema.features = {NumericFeature{"a", {-2, 2}}, feature_of("a:b", {{-2, 2}, {1, 5}}),
                     feature_of("log(b)", {{1, 5}})};
  return schema;
}

TEST(Terms, AreComputedOfTheClippedColumnsThatAreReadOnce) {
  const Schema schema = schema_with_terms();
  ASSERT_EQ(schema.table_columns().size(), 3U);
  EXPECT_EQ(schema.encoded_names(), (std::vector<std::string>{"intercept", "a", "a:b", "log(b)"}));
  const Encoding encoding = Encoding::make(schema).value();
  RowEncoder encoder(encoding);
  const Rows& rows =
      encoder.encode(raw_of({{1, 3, 0.5}, {7, 0.5, 0}, {kMissing, 1, 1}, {-2, 9, 1}}));
  ASSERT_EQ(rows.rows, 3U);
  const double s = encoding.grid_scale();
  const auto nearest = [&](double u) { return std::nearbyint(u * s); };
  EXPECT_EQ(rows.column(2)[0], nearest(3.0 / 10));
  EXPECT_EQ(rows.column(2)[1], nearest(2.0 / 10));
  EXPECT_EQ(rows.column(2)[2], nearest(-10.0 / 10));
  const double half = std::log(5.0) / 2;
  EXPECT_NEAR(rows.column(3)[0], (std::log(3.0) - half) / half * s, 1);
  EXPECT_NEAR(rows.column(3)[1], -s, 1);
  EXPECT_NEAR(rows.column(3)[2], s, 1);
  // Each clipped value counts once, however many terms use it.
  EXPECT_EQ(encoder.clips().columns, (std::vector<ColumnClips>{{0, 1}, {1, 1}, {0, 0}}));
}

TEST(Terms, AsATargetAreComputedToo) {
  Schema schema;
  const Term term = term_of("log(y)", {{1, 100}});
  schema.target = {term.expression.text(), term.bounds().value(), term};
  schema.features = {NumericFeature{"x", {0, 1}}};
  const Encoding encoding = Encoding::make(schema).value();
  const Rows rows = RowEncoder(encoding).encode(raw_of({{0, 10}, {0, 1000}}));
  EXPECT_NEAR(rows.column(2)[0], 0, 1);
  EXPECT_NEAR(rows.column(2)[1], kGridOne, 1);
  EXPECT_EQ(schema.table_columns(false).size(), 1U) << "the target's columns are not read";
}

TEST(Terms, OfASplineAreItsBasisAndCountOnceInTheLongestRow) {
  Schema schema;
  schema.target = {"y", {-1, 1}};
  schema.features = {SplineFeature{"age", {0, 100}, {20, 60}, 1}};
  EXPECT_EQ(schema.longest_row(), std::sqrt(2.0));
  EXPECT_EQ(schema.encoded_names(),
            (std::vector<std::string>{"intercept", "bs(age)1", "bs(age)2", "bs(age)3"}));
  const Encoding encoding = Encoding::make(schema).value();
  RowEncoder encoder(encoding);
  const Rows& rows = encoder.encode(raw_of({{30, 0}, {500, 0}}));
  const double s = encoding.grid_scale();
  EXPECT_EQ(rows.column(1)[0], std::nearbyint(0.75 * s));
  EXPECT_EQ(rows.column(2)[0], std::nearbyint(0.25 * s));
  EXPECT_EQ(rows.column(3)[1], s);
  EXPECT_EQ(encoder.clips().columns[0], (ColumnClips{0, 1}));
}

TEST(Weights, MultiplyAWholeRowByTheRootOfItsShare) {
  Schema schema;
  schema.target = {"y", {-1, 1}};
  schema.features = {NumericFeature{"x", {-1, 1}}};
  schema.weight = WeightColumn{"w", {0, 4}};
  const Encoding encoding = Encoding::make(schema).value();
  RowEncoder encoder(encoding);
  const Rows& rows = encoder.encode(raw_of({{1, -1, 4}, {1, -1, 1}, {1, -1, 0}}));
  const double s = encoding.grid_scale();
  EXPECT_EQ(rows.column(0)[0], s);
  EXPECT_EQ(rows.column(1)[1], std::nearbyint(s / 2));
  EXPECT_EQ(rows.column(2)[1], -kGridOne / 2);
  EXPECT_EQ(rows.column(0)[2], 0);
  EXPECT_EQ(encoder.weights_outside(), 0U);
  (void)encoder.encode(raw_of({{1, 1, -1}, {1, 1, 5}}));
  EXPECT_EQ(encoder.weights_outside(), 2U);
}

TEST(PartyEffect, GivesEveryRowTheLevelOfWhoHoldsTheTable) {
  Schema schema;
  schema.target = {"y", {-1, 1}};
  schema.features = {CategoricalFeature{"party", {"north", "south", "west"}, false, false, true}};
  EXPECT_EQ(schema.table_columns().size(), 1U);
  for (std::size_t party = 0; party < 3; ++party) {
    const Encoding encoding = Encoding::make(schema.held_by(party)).value();
    const Rows rows = RowEncoder(encoding).encode(raw_of({{0.5}}));
    EXPECT_EQ(rows.column(1)[0], party == 1 ? encoding.grid_scale() : 0);
    EXPECT_EQ(rows.column(2)[0], party == 2 ? encoding.grid_scale() : 0);
  }
}

// Terms, splines, categories, weights, radius: whatever a row is made of, it stays in the ball.
RC_GTEST_PROP(Terms, KeepEveryRowInsideTheBallExactly, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  Schema schema = schema_with_terms();
  schema.intercept = random() % 4 != 0;
  schema.features.emplace_back(SplineFeature{"t", {-1, 1}, {-0.5, 0.25}, 1 + random() % 3});
  if (random() % 2 == 0) schema.weight = WeightColumn{"w", {0, 3}};
  if (random() % 3 == 0) schema.radius = 0.6 * schema.longest_row();
  const Encoding encoding = Encoding::make(schema).value();
  RowEncoder encoder(encoding);
  std::vector<std::vector<double>> values;
  for (int r = 0; r < 20; ++r) {
    std::vector<double> row;
    for (const TableColumn& column : encoding.table()) {
      const auto where = random() % 3;
      row.push_back(where == 0   ? column.bounds.lo
                    : where == 1 ? column.bounds.hi
                                 : std::uniform_real_distribution<double>(
                                       column.bounds.lo, column.bounds.hi)(random));
    }
    values.push_back(std::move(row));
  }
  const Rows& rows = encoder.encode(raw_of(values));
  for (std::size_t r = 0; r < rows.rows; ++r) {
    double square = 0;
    for (std::size_t k = 0; k < rows.dimension(); ++k) {
      square += rows.column(k)[r] * rows.column(k)[r];
    }
    RC_ASSERT(square <= kGridOne * kGridOne);
    RC_ASSERT(std::abs(rows.column(rows.dimension())[r]) <= kGridOne);
  }
}

// A row is what it is whatever stood in its place before: with bounded rows what was left of an
// earlier group ended the program.
TEST(Terms, OfAGroupThatIsNotFullKnowNothingOfTheOneBefore) {
  for (const Weighting weighting : {Weighting::kNone, Weighting::kBounded}) {
    Schema schema = schema_with_terms();
    schema.features.emplace_back(SplineFeature{"t", {-1, 1}, {-0.5, 0.25}, 3});
    schema.weighting = weighting;
    const Encoding encoding = Encoding::make(schema).value();
    const std::vector<double> row{1.5, 2, 0.9, 0.3};  // a, b, t, y
    RowEncoder encoder(encoding);
    (void)encoder.encode(raw_of(std::vector<std::vector<double>>(kGroupRows, row)));
    const Rows after = encoder.encode(raw_of({row}));
    const Rows alone = RowEncoder(encoding).encode(raw_of({row}));
    for (std::size_t k = 0; k <= encoding.dimension(); ++k) {
      EXPECT_TRUE(std::equal(after.column(k), after.column(k) + kGroupRows, alone.column(k))) << k;
    }
  }
}

TEST(OwnValues, AreWhatTheEncoderScales) {
  Schema schema = schema_with_terms();
  schema.features.emplace_back(SplineFeature{"t", {-1, 1}, {0}, 2});
  schema.features.emplace_back(CategoricalFeature{"kind", {"p", "q", "r"}});
  schema.features.emplace_back(CategoricalFeature{"party", {"north", "south"}, false, false, true});
  const Encoding encoding = Encoding::make(schema.held_by(1)).value();
  const std::vector<double> row{1.5, 7, 0.3, 2};  // a, b, t, kind
  OwnValues own(encoding);
  ASSERT_TRUE(own.take(raw_of({row}), 0));
  std::vector<double> with_target = row;
  with_target.push_back(0);
  const Rows rows = RowEncoder(encoding).encode(raw_of({with_target}));
  // The scaled entries give the own ones back: u·half + middle.
  const double s = encoding.grid_scale();
  std::size_t entry = 1;
  double square = 1;
  for (std::size_t k = 0; k < schema.features.size(); ++k) {
    const ColumnScale& scale = encoding.feature_scale(k);
    for (std::size_t n = entries_of(schema.features[k]); n > 0; --n, ++entry) {
      const double u = rows.column(entry)[0] / s;
      EXPECT_NEAR(own.entries()[entry], u * scale.half + scale.middle, 1e-5) << entry;
      square += u * u;
    }
  }
  EXPECT_NEAR(own.length_squared(), square, 1e-4);
  EXPECT_EQ(own.clips()[1], (ColumnClips{0, 1}));
  EXPECT_FALSE(own.take(raw_of({{kMissing, 1, 0, 0}}), 0));
}

TEST(OwnValues, TakeTheMeanOfAllPartiesWhereNoneIsNamed) {
  Schema schema;
  schema.target = {"y", {-1, 1}};
  schema.features = {CategoricalFeature{"party", {"a", "b", "c", "d"}, false, false, true},
                     NumericFeature{"x", {0, 1}}};
  const Encoding encoding = Encoding::make(schema).value();
  OwnValues own(encoding);
  ASSERT_TRUE(own.take(raw_of({{0.5}}), 0));
  EXPECT_EQ(own.entries(), (std::vector<double>{1, 0.25, 0.25, 0.25, 0.5}));
}

}  // namespace
}  // namespace sotto
