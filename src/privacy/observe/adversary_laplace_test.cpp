// Rows of Laplace noise at every party, against the law that is drawn:
// docs/proofs/local_laplace.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "privacy/observe/adversary.h"
#include "support/reference_rows.h"

namespace sotto {
namespace {

using reference::kOne;
using reference::kUsual;

// Σ_k (P(k) − e^ε P(k−move))₊ of the discrete law of this scale, summed up.
double discrete_laplace_delta(double scale, int move, double epsilon) {
  const double q = std::exp(-1 / scale);
  double sum = 0;
  for (int k = -static_cast<int>(60 * scale); k <= move; ++k) {
    sum += std::max(0.0, std::pow(q, std::abs(k)) - std::exp(epsilon) * std::pow(q, move - k));
  }
  return sum * (1 - q) / (1 + q);
}

TEST(LaplaceRows, HoldForTheLawThatIsDrawn) {
  const Graph ring = *Graph::cycle(5);
  constexpr int kMove = 400;  // steps of the grid, which is far finer in a run
  for (const double pure : {0.3, 1.0, 2.5}) {
    for (const double epsilon : {0.2, 0.9, 2.4, 3.0}) {
      const Budget budget = *Budget::make(epsilon, 1e-3);
      const LaplaceNoise noise{.scale = 1 / pure};
      const auto rows = *adversary_table(ring, noise, kOne, budget, 2);
      ASSERT_EQ(rows.size(), 4U);
      const double drawn = discrete_laplace_delta(kMove / pure, kMove, epsilon);
      for (const Adversary& row : rows) {
        EXPECT_GE(row.delta_at_epsilon, drawn) << pure << " " << epsilon;
        EXPECT_EQ(row.method, RowMethod::kProof);
        EXPECT_LE(discrete_laplace_delta(kMove / pure, kMove, row.epsilon_at_delta), 1e-3);
      }
      EXPECT_EQ(rows[0].delta_at_epsilon == 0, epsilon >= pure);
      EXPECT_LE(rows[0].epsilon_at_delta, pure);
    }
  }
  // Where the noise hides nothing, the row says so.
  const auto open = *adversary_table(ring, LaplaceNoise{.scale = 1e-4}, kOne, kUsual, 0);
  EXPECT_EQ(open[0].delta_at_epsilon, 1);
  EXPECT_TRUE(std::isinf(open[0].shift));
  // What moves four entries by 1 in length moves them by 2 in all.
  const LaplaceNoise row{.scale = 2, .bound = {}, .entries_moved = 4};
  EXPECT_EQ((*adversary_table(ring, row, kOne, *Budget::make(1, 1e-9), 0))[0].delta_at_epsilon, 0);
  EXPECT_GT((*adversary_table(ring, row, kOne, *Budget::make(0.9, 1e-9), 0))[0].delta_at_epsilon,
            0.01);
}

TEST(LaplaceRows, NoTrueRowIsBelowTheLeast) {
  const Graph ring = *Graph::cycle(5);
  constexpr int kMove = 400;
  for (const double pure : {0.3, 1.0, 2.5}) {
    for (const double epsilon : {0.1, 0.25, 0.8, 2.0}) {
      const double least = privacy::least_delta(LaplaceNoise{.scale = 1 / pure}, kOne, epsilon);
      const double drawn = discrete_laplace_delta(kMove / pure, kMove, epsilon);
      EXPECT_NEAR(least, drawn, 3.0 / kMove) << pure << " " << epsilon;
    }
  }
}

TEST(LaplaceRows, AreThoseOfTheTruncatedLawWhereItIsCutOffAndNoneForARow) {
  const Graph ring = *Graph::cycle(5);
  const auto cut = TruncatedLaplace::make(*Epsilon::make(2), kOne, 1.5);
  const LaplaceNoise noise{.scale = 0.5, .bound = 1.5};
  const auto rows = *adversary_table(ring, noise, kOne, *Budget::make(2, 1e-3), 0);
  EXPECT_DOUBLE_EQ(rows[0].delta_at_epsilon, cut->delta());
  EXPECT_NEAR(noise.sd(), std::sqrt(cut->variance()), 1e-12);
  LaplaceNoise of_row = noise;
  of_row.entries_moved = 2;
  EXPECT_EQ(adversary_table(ring, of_row, kOne, kUsual, 0).error().name, "E-mechanism-row");
}

}  // namespace
}  // namespace sotto
