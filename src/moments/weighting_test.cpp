// The sensitivity of bounded weights, attacked through the encoder that a run uses: what it puts
// on the grid, in exact arithmetic. docs/proofs/record_sensitivity.md, docs/proofs/moments.md.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "data/row_weight.h"
#include "moments/moments.h"
#include "support/memory_source.h"

namespace sotto::weighting {
namespace {

using Row = std::vector<double>;  // features, then the target

Schema bounded_schema(std::size_t numbers, std::size_t categories = 0, bool intercept = true) {
  Schema schema;
  schema.intercept = intercept;
  schema.weighting = Weighting::kBounded;
  schema.target = {"y", {-1, 1}};
  for (std::size_t k = 0; k < numbers; ++k) {
    schema.features.emplace_back(NumericFeature{"x" + std::to_string(k), {-1, 1}});
  }
  for (std::size_t k = 0; k < categories; ++k) {
    schema.features.emplace_back(CategoricalFeature{"c" + std::to_string(k), {"p", "q", "r"}});
  }
  return schema;
}

// What two tables of one row each differ by, entry by entry; one of them may be empty.
Moments difference(const Schema& schema, const Row& one, const Row& other) {
  const auto moments = [&](const Row& row) {
    if (row.empty()) return Moments(schema.entries());
    return moments_from_rows(std::vector<Row>{row}, schema)->moments;
  };
  Moments moved = moments(one);
  const Moments less = moments(other);
  for (std::size_t k = 0; k < moved.sums.size(); ++k) moved.sums[k] -= less.sums[k];
  return moved;
}

// ‖φ‖² of that, exactly, with the shares as hundredths.
Rational moved_square(const Schema& schema, const Row& one, const Row& other, bool squares) {
  const Moments moved = difference(schema, one, other);
  const std::size_t d = schema.entries();
  const Rational radius(weighting_radius_square(schema.feature_columns()));
  const bool intercept = schema.intercept;
  const Rational n(intercept ? (squares ? 5 : 7) : 0, 100);
  const Rational s = Rational(14, 100) / radius;
  const Rational g = Rational(25, 100) / (radius * radius);
  const Rational t(squares ? 12 : 14, 100);
  const Rational q = Rational(intercept ? 40 : 54, 100) / radius;
  const Rational c(squares ? (intercept ? 4 : 21) : 0, 100);
  Rational square = 0;
  std::size_t k = 0;
  const auto add = [&](const Rational& share) {
    const Rational sum(moved.sums[k++]);
    square += share * sum * sum;
  };
  const auto constant = [&](std::size_t at) { return intercept && at == 0; };
  for (std::size_t r = 0; r < d; ++r) {
    add(constant(r) ? n : g);
    for (std::size_t at = r + 1; at < d; ++at) add(constant(r) ? s : 2 * g);
  }
  for (std::size_t r = 0; r < d; ++r) add(constant(r) ? t : q);
  add(c);
  return square * power_of_two(-4 * kGridBits);
}

Row random_row(std::mt19937_64& random, const Schema& schema) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Row row;
  const double length = std::pow(std::abs(uniform(random)), 2);
  for (const Feature& feature : schema.features) {
    const bool level = std::holds_alternative<CategoricalFeature>(feature);
    row.push_back(level               ? static_cast<double>(random() % 3)
                  : random() % 4 == 0 ? (random() % 2 == 0 ? 1 : -1)
                                      : length * uniform(random));
  }
  row.push_back(random() % 2 == 0 ? (random() % 2 == 0 ? 1 : -1) : uniform(random));
  return row;
}

RC_GTEST_PROP(BoundedWeights, NeverLetARowMoveTheSumsByMoreThanTheSensitivity,
              (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  const Schema schema = bounded_schema(random() % 8, random() % 3, random() % 4 != 0);
  if (schema.entries() == 0) return;
  for (const bool squares : {true, false}) {
    const Row one = random_row(random, schema);
    Row other = random_row(random, schema);
    if (random() % 2 == 0) {
      other = one;
      other.back() = -one.back();
    }
    RC_ASSERT(moved_square(schema, one, {}, squares) <= 1);
    const double replace = bounded_sensitivity(Neighbours::kReplace, schema.intercept, squares);
    RC_ASSERT(moved_square(schema, one, other, squares) <= Rational(replace) * Rational(replace));
  }
}

// A hill climb over rows and pairs of rows: 1e-6 below the sensitivity, and never above.
double worst_found(const Schema& schema, bool replace, bool squares, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto moved = [&](Row row, double step) {
    for (double& v : row) v = std::clamp(v + step * normal(random), -1.0, 1.0);
    return row;
  };
  const auto value = [&](const Row& one, const Row& other) {
    return std::sqrt(moved_square(schema, one, replace ? other : Row{}, squares).get_d());
  };
  double worst = 0;
  for (int start = 0; start < 4; ++start) {
    Row one = random_row(random, schema);
    Row other = one;
    other.back() = -one.back();
    one.back() = one.back() < 0 ? -1 : 1;
    other.back() = -one.back();
    double best = value(one, other);
    for (double step = 0.3; step > 1e-6; step *= 0.7) {
      for (int attempt = 0; attempt < 25; ++attempt) {
        const Row next = moved(one, step);
        Row next_other = next;
        next_other.back() = random() % 4 == 0 ? moved(other, step).back() : -next.back();
        if (random() % 8 == 0) next_other = moved(other, step);
        const double found = value(next, next_other);
        if (found > best) {
          best = found;
          one = next;
          other = next_other;
        }
      }
    }
    worst = std::max(worst, best);
  }
  return worst;
}

TEST(BoundedWeights, AreAttackedToWithinAMillionthOfTheSensitivity) {
  unsigned seed = 1;
  for (const std::size_t numbers : {1U, 3U}) {
    for (const bool intercept : {true, false}) {
      for (const bool squares : {true, false}) {
        const Schema schema = bounded_schema(numbers, 0, intercept);
        for (const auto neighbours : {Neighbours::kAddRemove, Neighbours::kReplace}) {
          const double claimed = bounded_sensitivity(neighbours, intercept, squares);
          const double found =
              worst_found(schema, neighbours == Neighbours::kReplace, squares, seed++);
          EXPECT_LE(found, claimed);
          // Without intercept and Σy² nothing is released that a row at 0 would move: the bound of
          // 1 is not reached inside the box.
          const bool attained = intercept || squares || neighbours == Neighbours::kReplace;
          EXPECT_GE(found, claimed * (attained ? 1 - 1e-6 : 0.95))
              << numbers << intercept << squares << to_string(neighbours);
        }
      }
    }
  }
}

TEST(BoundedWeights, HaveTheSensitivitiesOfTheReference) {
  // 40-digit arithmetic, rounded up in the last place given.
  const auto expect = [](bool intercept, bool squares, double replace) {
    EXPECT_EQ(bounded_sensitivity(Neighbours::kAddRemove, intercept, squares), 1);
    const double found = bounded_sensitivity(Neighbours::kReplace, intercept, squares);
    EXPECT_GE(found, replace);
    EXPECT_LE(found, replace * (1 + 1e-13));
  };
  expect(true, true, 1.562311253245946548);
  expect(true, false, 1.643696483658544955);
  expect(false, true, 1.470975941079438987);
  expect(false, false, 1.470975941079438987);
}

// −⟨φ, φ'⟩ over all rows, by the formula: the same maximum on a dense grid of (x, x', p, yy').
TEST(BoundedWeights, HaveNoWorsePairAnywhere) {
  struct Shares {
    double n, s, g, t, q, c;
    bool intercept, squares;
  };
  const double p0 = 0.21;
  const double p1 = 0.54;
  const double p2 = 0.25;
  for (const Shares& in : {Shares{0.05, 0.14, 0.25, 0.12, 0.40, 0.04, true, true},
                           {0.07, 0.14, 0.25, 0.14, 0.40, 0, true, false},
                           {0, 0, 0.25, 0, 0.54, 0.21, false, true}}) {
    double worst = 0;
    for (int i = 0; i <= 60; ++i) {
      for (int j = 0; j <= 60; ++j) {
        const double x = i / 30.0;
        const double other = j / 30.0;
        const double weights =
            1 / std::sqrt((p0 + x * (p1 + p2 * x)) * (p0 + other * (p1 + p2 * other)));
        const double most = std::sqrt(x * other);
        for (int l = -20; l <= 20; ++l) {
          const double p = most * l / 20;
          for (int m = -20; m <= 20; ++m) {
            const double r = m / 20.0;
            worst = std::max(worst, -weights * (in.n + in.s * p + in.g * p * p + in.t * r +
                                                in.q * p * r + in.c * r * r));
          }
        }
      }
    }
    const double claimed = bounded_sensitivity(Neighbours::kReplace, in.intercept, in.squares);
    EXPECT_LE(2 * (1 + worst), claimed * claimed);
    EXPECT_GE(2 * (1 + worst), claimed * claimed * 0.999);
  }
}

TEST(BoundedWeights, HaveSharesThatAreNeverRoundedUp) {
  for (const std::size_t columns : {0U, 1U, 2U, 3U, 7U, 100U, 1000U}) {
    const EntryShares shares = bounded_shares(columns, true, true);
    const Rational radius(weighting_radius_square(columns));
    EXPECT_LE(Rational(shares.n), Rational(5, 100));
    EXPECT_LE(Rational(shares.s) * radius, Rational(14, 100));
    EXPECT_LE(Rational(shares.g) * radius * radius, Rational(25, 100));
    EXPECT_LE(Rational(shares.t), Rational(12, 100));
    EXPECT_LE(Rational(shares.q) * radius, Rational(40, 100));
    EXPECT_LE(Rational(shares.c), Rational(4, 100));
    EXPECT_NEAR(shares.n + shares.t + shares.c, 0.21, 1e-15);
    EXPECT_NEAR((shares.s + shares.q) * radius.get_d(), 0.54, 1e-15);
    const auto weights = entry_weights(3, true, shares);
    const std::vector<double> squares = {shares.n, shares.s, shares.s, shares.g, 2 * shares.g,
                                         shares.g, shares.t, shares.q, shares.q, shares.c};
    for (std::size_t k = 0; k < weights.size(); ++k) {
      EXPECT_LE(Rational(weights[k]) * Rational(weights[k]), Rational(squares[k])) << k;
      EXPECT_NEAR(weights[k] * weights[k] / squares[k], 1, 1e-15) << k;
    }
  }
}

// The encoder's sums are those of the formula, to the grid.
TEST(BoundedWeights, WeighEveryRowByItsLength) {
  const Schema schema = bounded_schema(2, 1);
  const std::vector<Row> rows = {{0, 0, 0, 1}, {0.5, -0.25, 1, 0.5}, {1, -1, 2, -1}};
  const Moments moments = moments_from_rows(rows, schema)->moments;
  double n = 0;
  double product = 0;
  double square = 0;
  for (const Row& row : rows) {
    const double length = row[0] * row[0] + row[1] * row[1] + (row[2] > 0 ? 1 : 0);
    const double w = row_weight(length / 1.5);
    n += w;
    product += w * row[0] * row[3];
    square += w * row[3] * row[3];
  }
  const auto value = [&](std::size_t k) { return moments_grid().value(moments.sums[k]); };
  EXPECT_NEAR(value(0), n, 1e-5);
  EXPECT_NEAR(value(15 + 1), product, 1e-5);
  EXPECT_NEAR(value(20), square, 1e-5);
  EXPECT_NEAR(row_weight(0), kMaxRowWeight, 1e-14);
}

}  // namespace
}  // namespace sotto::weighting
