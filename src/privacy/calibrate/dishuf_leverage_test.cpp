
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "privacy/budget.h"
#include "privacy/calibrate/dishuf.h"
#include "privacy/observe/adversary.h"
#include "privacy/observe/coalition.h"

namespace sotto {
namespace {

double leverage_of_the_worst(const std::vector<double>& gaps) {
  std::vector<double> y = {0};
  for (const double gap : gaps) y.push_back(y.back() + gap);
  const auto n = static_cast<double>(y.size());
  double mean = 0;
  for (const double value : y) mean += value / n;
  double spread = 0;
  double farthest = 0;
  for (const double value : y) {
    spread += (value - mean) * (value - mean);
    farthest = std::max(farthest, (value - mean) * (value - mean));
  }
  return 1 / n + farthest / spread;
}

TEST(LineLeverage, IsTheLargestOverAllGapsOfOneOrTwo) {
  for (const std::size_t points : {2u, 3u, 4u, 6u, 9u, 13u}) {
    double worst = 0;
    for (unsigned pattern = 0; pattern < 1u << (points - 1); ++pattern) {
      std::vector<double> gaps;
      for (std::size_t k = 0; k + 1 < points; ++k) gaps.push_back(pattern >> k & 1 ? 2 : 1);
      worst = std::max(worst, leverage_of_the_worst(gaps));
    }
    EXPECT_GE(privacy::largest_line_leverage(points), worst * (1 - 1e-14)) << points;
    EXPECT_LE(privacy::largest_line_leverage(points), worst * 1.01) << points;
  }
}

TEST(LineLeverage, IsNotExceededByGapsInBetween) {
  SeededRandom random(5);
  for (int trial = 0; trial < 20'000; ++trial) {
    const std::size_t points = 2 + random.below(10);
    const std::size_t turn = random.below(points);
    std::vector<double> gaps;
    for (std::size_t k = 0; k + 1 < points; ++k) {
      const double any = 1 + static_cast<double>(random.below(1001)) / 1000;
      gaps.push_back(trial % 2 == 0 || k == turn ? any : (k < turn ? 2 : 1));
    }
    ASSERT_LE(leverage_of_the_worst(gaps), privacy::largest_line_leverage(points) * (1 + 1e-13));
  }
}

// The bound that calibrate_shuffle relies on, against what the coalition sees.
TEST(LeverageBound, HoldsForRandomMultipliersOnACycle) {
  SeededRandom random(6);
  const PartyId curious[] = {0};
  for (int trial = 0; trial < 300; ++trial) {
    const Graph ring = *Graph::cycle(4 + random.below(12));
    const ShuffleNoise noise{.sigma_gamma = 1,
                             .sigma_eta = Integer(1) << random.below(24),
                             .inverse_zeta = 2'000'001,
                             .multiplier_max = 1000,
                             .masks = ShuffleMasks::kShared};
    const privacy::LeverageBound bound = privacy::leverage_bound(ring, 1, 1000, noise.inverse_zeta);
    std::vector<double> products;
    for (std::size_t e = 0; e < ring.size(); ++e) {
      products.push_back(trial % 2 == 0 ? 5e5 * static_cast<double>(1 + random.below(2))
                                        : 5e5 + static_cast<double>(random.below(500'001)));
    }
    const double r = 1 / noise.sigma_eta.get_d();
    EXPECT_LE(privacy::ShuffleView(ring, noise, curious).worst(products).leakage,
              (bound.at_rest + bound.per_r2 * r * r) * (1 + 1e-12));
  }
}

TEST(LeverageBound, IsWhatTheSearchFindsOnACycle) {
  for (const std::size_t parties : {5u, 10u, 20u, 50u}) {
    const Graph ring = *Graph::cycle(parties);
    const ShuffleNoise noise{.sigma_gamma = 1,
                             .sigma_eta = Integer(1) << 60,
                             .inverse_zeta = 2'000'001,
                             .multiplier_max = 1000,
                             .masks = ShuffleMasks::kShared};
    const double proven = privacy::leverage_bound(ring, 1, 1000, noise.inverse_zeta).at_rest;
    const double found = privacy::search_worst_leakage(ring, noise, 1);
    EXPECT_LE(found, proven);
    EXPECT_GT(found, 0.99 * proven) << parties;
  }
}

TEST(LeverageBound, IsOneWhereNothingBetterIsProven) {
  EXPECT_EQ(privacy::leverage_bound(Graph::petersen(), 1, 1000, 3'000'001).at_rest, 1);
  EXPECT_EQ(privacy::leverage_bound(*Graph::cycle(3), 1, 1000, 2'000'001).at_rest, 1);
  EXPECT_EQ(privacy::leverage_bound(*Graph::path(9), 1, 1000, 2'000'001).at_rest, 1);
}

}  // namespace
}  // namespace sotto
