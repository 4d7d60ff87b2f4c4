#include <gtest/gtest.h>

#include <cmath>

#include "protocol/gt.h"
#include "support/costs.h"
#include "support/reference_radii.h"

namespace sotto {
namespace {

using namespace protocol_test;
using Eigen::Index;
using Eigen::MatrixXd;

TEST(GradientRate, AgreesWithTheReference) {
  for (const RadiusRow& row : reference_radii()) {
    const GradientRate rate(cycle(row.parties), row.matrices);
    EXPECT_NEAR(rate.radius(row.step) / row.radius, 1, 1e-9) << row.parties << " " << row.step;
  }
}

// Orders 2nm above 260 are Arnoldi's; below, all eigenvalues are computed.
TEST(GradientRate, IsTheSameByArnoldiAndByDefinition) {
  SeededRandom random(1);
  for (const auto& [parties, dimension] :
       {std::pair{8UL, 3UL}, std::pair{43UL, 3UL}, std::pair{44UL, 3UL}}) {
    const Weights weights = cycle(parties);
    const auto g = matrices_of(random_costs(parties, dimension, random));
    const GradientRate rate(weights, g);
    for (const double step : {1e-3, 0.05}) {
      EXPECT_NEAR(rate.radius(step), radius_by_definition(weights, g, step), 1e-8)
          << parties << " " << step;
    }
  }
}

// Of very many parties; here of as many as Arnoldi can do too.
TEST(GradientRate, IsNearlyTheSameFromHowRoundsShrinkAVector) {
  SeededRandom random(3);
  const auto g = matrices_of(random_costs(400, 3, random));
  const Weights weights = *Weights::uniform(*Graph::random_regular(400, 4, 1), 0.2);
  const GradientRate rate(weights, g);
  const double best = rate.best_step();
  for (const double step : {best / 4, best, 50 * best}) {
    const double radius = rate.radius(step);
    EXPECT_NEAR(std::log(rate.powered_radius(step)), std::log(radius),
                0.1 * std::abs(std::log(radius)))
        << step;
  }
}

TEST(GradientRate, IsTheRateThatARunShows) {
  for (const RadiusRow& row : reference_radii()) {
    const Weights weights = cycle(row.parties);
    SeededRandom random(2);
    std::vector<PerturbedCost> costs;
    for (const MatrixXd& g : row.matrices) {
      Eigen::VectorXd h(g.rows());
      for (double& entry : h) entry = small_number(random);
      costs.push_back({g, h});
    }
    const Eigen::VectorXd truth = minimiser_of(costs);
    const auto distance_after = [&](Round rounds) {
      Parties parties;
      for (PartyId i = 0; i < row.parties; ++i) {
        parties.push_back(
            std::make_unique<GradientTracking>(i, weights, costs[i], row.step, rounds));
      }
      deliver_all(parties);
      double squares = 0;
      for (const auto& party : parties) {
        const auto x = static_cast<GradientTracking&>(*party).x();
        for (std::size_t k = 0; k < x.size(); ++k) {
          squares += std::pow(x[k] - truth[static_cast<Index>(k)], 2);
        }
      }
      return std::sqrt(squares);
    };
    // From 1e-6 to 1e-10 of the start: the other modes are gone, and rounding is not yet there.
    const auto from = static_cast<Round>(std::log(1e-6) / std::log(row.radius));
    const auto to = static_cast<Round>(std::log(1e-10) / std::log(row.radius));
    const double early = distance_after(from);
    const double late = distance_after(to);
    EXPECT_GT(late, 1e-13);
    EXPECT_NEAR(std::pow(late / early, 1.0 / (to - from)) / row.radius, 1, 0.01);
    // The time constant too, which is what a user waits for: 1 % of a radius near 1 says little.
    EXPECT_NEAR(std::log(late / early) / (to - from) / std::log(row.radius), 1, 0.01);
  }
}

TEST(GradientRate, TheLargestStableStepIsOnTheEdge) {
  SeededRandom random(3);
  for (const std::size_t parties : {3U, 6U, 10U}) {
    for (const std::size_t dimension : {1U, 3U}) {
      const Weights weights = Weights::metropolis(connected_graph(parties, 30, random));
      const GradientRate rate(weights, matrices_of(random_costs(parties, dimension, random)));
      const double step = rate.largest_stable_step();
      EXPECT_GT(step, 0);
      EXPECT_LT(rate.radius(step * 0.999), 1);
      EXPECT_LT(rate.radius(step), 1);
      EXPECT_GE(rate.radius(step * 1.002), 1);
      EXPECT_LT(rate.radius(step * 0.01), 1);
      EXPECT_GE(rate.radius(step * 10), 1);
    }
  }
}

TEST(GradientRate, OfPartiesThatAreAlikeIsTheMeanFields) {
  SeededRandom random(4);
  for (const std::size_t parties : {2U, 5U, 10U}) {
    const Weights weights = Weights::metropolis(connected_graph(parties, 30, random));
    const std::vector<MatrixXd> same(parties, random_costs(1, 3, random)[0].g);
    const GradientRate rate(weights, same);
    for (const double step : {1e-3, 0.03, 0.3, 1.0}) {
      EXPECT_NEAR(rate.radius(step), rate.mean_field_radius(step), 1e-7) << parties << " " << step;
    }
  }
}

// The number of rounds goes with 1/(1 − radius): no other step may save more than a third of them.
TEST(GradientRate, TheBestStepIsHardlyWorseThanAnyOther) {
  for (const std::uint64_t seed : {0, 18, 41, 296, 982, 2046}) {  // on some the mean's is unstable
    SeededRandom random(seed);
    const std::size_t parties = 2 + random.below(5);
    const Weights weights = Weights::metropolis(connected_graph(parties, 40, random));
    const GradientRate rate(weights, matrices_of(random_costs(parties, 2, random)));
    const double best = rate.best_step();
    ASSERT_LT(rate.radius(best), 1);
    for (double step = best / 100; step < best * 4; step *= 1.1) {
      EXPECT_LE((1 - rate.radius(step)) / (1 - rate.radius(best)), 1.5) << seed << " " << step;
    }
  }
}

TEST(GradientRate, TheBestStepOfPartiesThatAreAlikeIsTheBest) {
  SeededRandom random(5);
  for (const std::size_t parties : {3U, 6U, 10U}) {
    const std::vector<MatrixXd> same(parties, random_costs(1, 2, random)[0].g);
    const GradientRate rate(cycle(parties), same);
    const double best = rate.best_step();
    for (double step = best / 100; step < best * 4; step *= 1.1) {
      EXPECT_GE(rate.radius(step), rate.radius(best) - 1e-3) << parties << " " << step;
    }
  }
}

TEST(GradientRate, ShortensTheBestStepUntilItIsStable) {
  // One party holds nearly everything: what is best for the mean is unstable for it.
  std::vector<MatrixXd> g(10, 0.01 * MatrixXd::Identity(1, 1));
  g[0](0, 0) = 10;
  const GradientRate rate(cycle(10), g);
  const double best = rate.best_step();
  EXPECT_GT(best, 0);
  EXPECT_LT(rate.radius(best), 1);
  EXPECT_LT(best, rate.largest_stable_step());
}

TEST(GradientRate, NothingIsStableWhereTheSumIsNotConvex) {
  std::vector<MatrixXd> g(4, MatrixXd::Identity(2, 2));
  g[0](1, 1) = -3.5;  // the sum's (2, 2) entry is −0.5
  const GradientRate rate(cycle(4), g);
  EXPECT_TRUE(std::isinf(rate.radius(0.01)));
  EXPECT_EQ(rate.largest_stable_step(), 0);
  EXPECT_EQ(rate.best_step(), 0);
}

TEST(GradientRate, OnePartyMayBeIndefiniteWhereTheSumIsNot) {
  std::vector<MatrixXd> g(4, MatrixXd::Identity(2, 2));
  g[0](1, 1) = -1.5;
  const GradientRate rate(cycle(4), g);
  const double step = rate.best_step();
  EXPECT_GT(step, 0);
  EXPECT_LT(rate.radius(step), 1);
}

}  // namespace
}  // namespace sotto
