#include "data/rows.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>

#include "data/row_weight.h"

namespace sotto {
namespace {

Schema numeric_schema(std::size_t features, double radius = 0) {
  Schema schema;
  schema.target = {"y", {-1, 1}};
  schema.radius = radius;
  for (std::size_t k = 0; k < features; ++k) {
    schema.features.emplace_back(NumericFeature{"x" + std::to_string(k), {-2, 6}});
  }
  return schema;
}

RawRows raw_rows(const std::vector<std::vector<double>>& rows) {
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

double norm_square(const Rows& rows, std::size_t r) {
  double square = 0;
  for (std::size_t k = 0; k < rows.dimension(); ++k) {
    square += rows.column(k)[r] * rows.column(k)[r];
  }
  return square;
}

TEST(RowEncoder, ClipsToTheBoundsAndCountsWhatItClipped) {
  const Encoding encoding = Encoding::make(numeric_schema(2)).value();
  RowEncoder encoder(encoding);
  const Rows& rows = encoder.encode(raw_rows({{-5, 6, 0.5}, {2, 100, -7}, {-2, 2, 1}}));
  const double s = encoding.grid_scale();
  EXPECT_EQ(rows.rows, 3U);
  EXPECT_EQ(std::vector<double>(rows.column(1), rows.column(1) + 3),
            (std::vector<double>{-s, 0, -s}));
  EXPECT_EQ(std::vector<double>(rows.column(2), rows.column(2) + 3),
            (std::vector<double>{s, s, 0}));
  EXPECT_EQ(std::vector<double>(rows.column(3), rows.column(3) + 3),
            (std::vector<double>{kGridOne / 2, -kGridOne, kGridOne}));
  EXPECT_TRUE(encoder.clips().columns == (std::vector<ColumnClips>{{1, 0}, {0, 1}, {1, 0}}));
  EXPECT_EQ(encoder.clips().shortened_rows, 0U);
}

TEST(RowEncoder, PutsInterceptAndLevelsOnTheGridExactly) {
  Schema schema = numeric_schema(0);
  schema.features = {CategoricalFeature{"c", {"p", "q", "r"}}};
  const Encoding encoding = Encoding::make(schema).value();
  RowEncoder encoder(encoding);
  const Rows& rows = encoder.encode(raw_rows({{0, 0}, {1, 0}, {2, 0}}));
  const double s = encoding.grid_scale();
  for (std::size_t r = 0; r < 3; ++r) {
    EXPECT_EQ(rows.column(0)[r], s);
    EXPECT_EQ(rows.column(1)[r], r == 1 ? s : 0);
    EXPECT_EQ(rows.column(2)[r], r == 2 ? s : 0);
  }
}

TEST(RowEncoder, DropsRowsWithAMissingValueAndKeepsTheOthersInOrder) {
  const Encoding encoding = Encoding::make(numeric_schema(1)).value();
  RowEncoder encoder(encoding);
  const Rows& rows =
      encoder.encode(raw_rows({{kMissing, 0}, {6, 0.25}, {6, kMissing}, {99, kMissing}, {2, 1}}));
  ASSERT_EQ(rows.rows, 2U);
  EXPECT_EQ(rows.source[0], 1);
  EXPECT_EQ(rows.source[1], 4);
  EXPECT_EQ(rows.column(2)[0], kGridOne / 4);
  EXPECT_EQ(rows.column(2)[1], kGridOne);
  EXPECT_EQ(encoder.kept(), 2U);
  EXPECT_EQ(encoder.dropped(), 3U);
  EXPECT_TRUE(encoder.clips().columns[0] == ColumnClips{})
      << "a dropped row's values do not count as clipped";
}

TEST(RowEncoder, LeavesZerosWhereThereIsNoRow) {
  const Encoding encoding = Encoding::make(numeric_schema(1)).value();
  RowEncoder encoder(encoding);
  RawRows raw(2);
  raw.rows = kGroupRows;
  (void)encoder.encode(raw);
  raw.rows = 1;
  const Rows& rows = encoder.encode(raw);
  for (std::size_t c = 0; c <= rows.dimension(); ++c) {
    for (std::size_t r = 1; r < kGroupRows; ++r) ASSERT_EQ(rows.column(c)[r], 0);
  }
}

TEST(RowEncoder, ShortensRowsBeyondTheRadiusAndOnlyThose) {
  const Encoding encoding = Encoding::make(numeric_schema(8, 1.5)).value();
  RowEncoder encoder(encoding);
  std::vector<std::vector<double>> rows(2, std::vector<double>(9, 2));
  rows[0][0] = 6;                         // ‖u‖² = 2 < 1.5²
  std::fill_n(rows[1].begin(), 8, -2.0);  // ‖u‖² = 9
  const Rows& grid = encoder.encode(raw_rows(rows));
  EXPECT_EQ(encoder.clips().shortened_rows, 1U);
  EXPECT_NEAR(norm_square(grid, 0) / (kGridOne * kGridOne), 2 / 2.25, 1e-5);
  EXPECT_NEAR(norm_square(grid, 1) / (kGridOne * kGridOne), 1, 1e-5);
  EXPECT_NEAR(grid.column(1)[1] / grid.column(0)[1], -1, 1e-5);
}

// The claim on which the sensitivity stands (docs/proofs/moments.md).
RC_GTEST_PROP(RowEncoder, KeepsEveryRowInsideTheBallExactly, ()) {
  const auto features = *rc::gen::inRange<std::size_t>(1, 40);
  const bool shortens = *rc::gen::arbitrary<bool>();
  Schema schema = numeric_schema(features);
  schema.intercept = *rc::gen::arbitrary<bool>();
  if (shortens) {
    schema.radius = schema.longest_row() * (*rc::gen::inRange(5, 1000)) / 1000.0;
  }
  const Encoding encoding = Encoding::make(schema).value();
  std::vector<std::vector<double>> rows(64, std::vector<double>(features + 1));
  const auto kind = *rc::gen::inRange(0, 3);
  for (auto& row : rows) {
    for (double& v : row) {
      const double u = *rc::gen::inRange(-1000000, 1000001) / 1e6;
      // On the bounds, beyond them, or anywhere.
      v = kind == 0 ? (u < 0 ? -2 : 6) : kind == 1 ? 1e300 * u : 2 + 4 * u;
    }
  }
  RowEncoder encoder(encoding);
  const Rows& grid = encoder.encode(raw_rows(rows));
  RC_ASSERT(grid.rows == rows.size());
  for (std::size_t r = 0; r < grid.rows; ++r) {
    RC_ASSERT(norm_square(grid, r) <= kGridOne * kGridOne);
    for (std::size_t k = 0; k <= grid.dimension(); ++k) {
      RC_ASSERT(grid.column(k)[r] == std::floor(grid.column(k)[r]));
      RC_ASSERT(std::abs(grid.column(k)[r]) <= kGridOne);
    }
  }
}

// 0.21g₀⁴ + 0.54g₀²‖g‖²/R² + 0.25‖g‖⁴/R⁴ ≤ 16^b in integers, times 100K².
bool inside_the_bound(double g0, double square, std::size_t columns) {
  __extension__ using Wide = unsigned __int128;
  const Wide k = columns == 0 ? 1 : columns;
  const auto a = static_cast<Wide>(static_cast<std::uint64_t>(g0) * static_cast<std::uint64_t>(g0));
  const auto q = static_cast<Wide>(square);
  return 21 * k * k * a * a + 108 * k * a * q + 100 * q * q <= (100 * k * k) << 80;
}

// The claim on which the sensitivity of weighted rows stands (docs/proofs/moments.md), and that
// g₀ is the largest but one that satisfies it.
RC_GTEST_PROP(RowEncoder, KeepsEveryWeightedRowInsideItsBoundExactly, ()) {
  const auto features = *rc::gen::inRange<std::size_t>(0, 40);
  Schema schema = numeric_schema(features);
  schema.weighting = Weighting::kBounded;
  const Encoding encoding = Encoding::make(schema).value();
  std::vector<std::vector<double>> rows(64, std::vector<double>(features + 1));
  const auto kind = *rc::gen::inRange(0, 4);
  for (auto& row : rows) {
    for (double& v : row) {
      const double u = *rc::gen::inRange(-1000000, 1000001) / 1e6;
      v = kind == 0   ? (u < 0 ? -2 : 6)
          : kind == 1 ? 1e300 * u
                      : 2 + 4 * (kind == 2 ? u : u * u * u);
    }
  }
  RowEncoder encoder(encoding);
  const Rows& grid = encoder.encode(raw_rows(rows));
  RC_ASSERT(grid.rows == rows.size());
  for (std::size_t r = 0; r < grid.rows; ++r) {
    const double g0 = grid.column(0)[r];
    const double square = norm_square(grid, r) - g0 * g0;
    RC_ASSERT(inside_the_bound(g0, square, features));
    RC_ASSERT(!inside_the_bound(g0 + 2, square, features));
    RC_ASSERT(std::abs(grid.column(grid.dimension())[r]) <= g0);
    for (std::size_t k = 0; k <= grid.dimension(); ++k) {
      RC_ASSERT(grid.column(k)[r] == std::floor(grid.column(k)[r]));
    }
  }
}

TEST(RowEncoder, WeighsByTheLengthOfARowAndLeavesItsDirection) {
  Schema schema = numeric_schema(2);
  schema.weighting = Weighting::kBounded;
  schema.features.emplace_back(CategoricalFeature{"c", {"p", "q"}});
  const Encoding encoding = Encoding::make(schema).value();
  EXPECT_EQ(encoding.grid_scale(), kGridOne) << "u stands for itself";
  RowEncoder encoder(encoding);
  // u = (0, 0, 0), (½, −1, 1): x = 0, 2.25/1.5.
  const Rows& rows = encoder.encode(raw_rows({{2, 2, 0, 0.25}, {4, -2, 1, -1}}));
  for (std::size_t r = 0; r < 2; ++r) {
    const double root = std::sqrt(row_weight(r == 0 ? 0 : 2.25 / 1.5)) * kGridOne;
    EXPECT_NEAR(rows.column(0)[r], root, 3);
    EXPECT_NEAR(rows.column(1)[r], r == 0 ? 0 : root / 2, 3);
    EXPECT_NEAR(rows.column(2)[r], r == 0 ? 0 : -root, 3);
    EXPECT_NEAR(rows.column(3)[r], r == 0 ? 0 : root, 3);
    EXPECT_NEAR(rows.column(4)[r], r == 0 ? root / 4 : -root, 3);
  }
  EXPECT_EQ(rows.column(4)[1], -rows.column(0)[1]) << "y = −1 is −1 exactly";
}

TEST(RowEncoder, GivesTheSameBitsOnEveryProcessor) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-3, 7);
  for (const Weighting weighting : {Weighting::kNone, Weighting::kBounded}) {
    for (const std::size_t count : {kGroupRows, std::size_t{77}}) {
      Schema schema = numeric_schema(5);
      schema.features.emplace_back(CategoricalFeature{"c", {"p", "q", "r"}});
      schema.weighting = weighting;
      const Encoding encoding = Encoding::make(schema).value();
      RowEncoder best(encoding);
      RowEncoder portable(encoding, nullptr, RowKernel::kPortable);
      for (int group = 0; group < 20; ++group) {
        std::vector<std::vector<double>> rows(count, std::vector<double>(7));
        for (auto& row : rows) {
          for (double& v : row) v = uniform(random);
          row[5] = static_cast<double>(random() % 3);
        }
        const RawRows raw = raw_rows(rows);
        const Rows& one = best.encode(raw);
        const Rows& other = portable.encode(raw);
        for (std::size_t c = 0; c <= one.dimension(); ++c) {
          ASSERT_TRUE(std::equal(one.column(c), one.column(c) + kGroupRows, other.column(c)));
        }
      }
    }
  }
}

}  // namespace
}  // namespace sotto
