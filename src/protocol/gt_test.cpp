#include "protocol/gt.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "support/costs.h"
#include "support/parties.h"

namespace sotto {
namespace {

using namespace protocol_test;

Parties make_parties(const Weights& weights, const std::vector<PerturbedCost>& costs, double step,
                     Round rounds) {
  Parties parties;
  for (PartyId i = 0; i < costs.size(); ++i) {
    parties.push_back(std::make_unique<GradientTracking>(i, weights, costs[i], step, rounds));
  }
  return parties;
}

Eigen::VectorXd x_of(const Parties& parties, PartyId party) {
  const auto x = static_cast<GradientTracking&>(*parties[party]).x();
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

TEST(GradientTracking, OfOneRoundIsAStepAlongOnesOwnGradient) {
  SeededRandom random(1);
  const Weights weights = *Weights::uniform(*Graph::cycle(4), 0.3);
  const auto costs = random_costs(4, 2, random);
  const Parties parties = make_parties(weights, costs, 0.01, 1);
  deliver_all(parties);
  for (PartyId i = 0; i < 4; ++i) {
    EXPECT_LT((x_of(parties, i) + 0.01 * costs[i].h).norm(), 1e-15);
  }
}

// The recursion of Algorithm 1 in matrices.
TEST(GradientTracking, FollowsAlgorithm1) {
  SeededRandom random(2);
  const Graph graph = connected_graph(7, 30, random);
  const Weights weights = Weights::metropolis(graph);
  const auto costs = random_costs(7, 3, random);
  const Parties parties = make_parties(weights, costs, 0.02, 25);
  deliver_all(parties, &random);

  const Eigen::MatrixXd w =
      Eigen::MatrixXd::Identity(7, 7) - Eigen::MatrixXd(laplacian(graph, weights.per_edge()));
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(3, 7);
  Eigen::MatrixXd s(3, 7);
  for (Eigen::Index i = 0; i < 7; ++i) s.col(i) = costs[static_cast<std::size_t>(i)].h;
  for (int round = 0; round < 25; ++round) {
    const Eigen::MatrixXd next = x * w - 0.02 * s;
    s = s * w;
    for (Eigen::Index i = 0; i < 7; ++i) {
      s.col(i) += costs[static_cast<std::size_t>(i)].g * (next.col(i) - x.col(i));
    }
    x = next;
  }
  for (PartyId i = 0; i < 7; ++i) {
    EXPECT_LT((x_of(parties, i) - x.col(i)).norm(), 1e-12 * x.norm()) << i;
  }
}

RC_GTEST_PROP(GradientTracking, ReachesTheMinimiserOfThePerturbedSumInEveryOrder,
              (std::uint64_t seed)) {
  SeededRandom random(seed);
  const std::size_t parties = 2 + random.below(5);
  const Weights weights = Weights::metropolis(connected_graph(parties, 40, random));
  const auto costs = random_costs(parties, 2, random);
  const GradientRate rate(weights, matrices_of(costs));
  const double step = rate.best_step();
  const double radius = rate.radius(step);
  const auto rounds = static_cast<Round>(std::min(std::log(1e-9) / std::log(radius), 5000.0));
  const Parties run = make_parties(weights, costs, step, rounds);
  deliver_all(run, &random);
  const Eigen::VectorXd truth = minimiser_of(costs);
  for (PartyId i = 0; i < parties; ++i) {
    RC_ASSERT((x_of(run, i) - truth).norm() <= 1e-5 * (1 + truth.norm()));
  }
}

TEST(GradientTracking, OfNoRoundsIsOverBeforeItStarts) {
  SeededRandom random(3);
  const Weights weights = *Weights::uniform(*Graph::cycle(3), 0.3);
  const Parties parties = make_parties(weights, random_costs(3, 2, random), 0.01, 0);
  deliver_all(parties);
  EXPECT_EQ(x_of(parties, 0), Eigen::VectorXd(Eigen::VectorXd::Zero(2)));
}

TEST(GradientTrackingPeer, IsNamedAndHarmlessWhateverItSends) {
  constexpr PartyId kVictim = 2;
  constexpr Round kRounds = 12;
  SeededRandom random(4);
  const Weights weights = *Weights::uniform(*Graph::cycle(6), 0.3);
  const auto costs = random_costs(6, 2, random);
  const Parties honest = make_parties(weights, costs, 0.01, kRounds);
  deliver_all(honest);

  const double inf = std::numeric_limits<double>::infinity();
  const Parties attacked = make_parties(weights, costs, 0.01, kRounds);
  Party& victim = *attacked[kVictim];
  Message last;
  deliver_all(attacked, nullptr, [&](const Message& next) {
    if (next.to != kVictim) return;
    const Round now = std::get<RoundValues>(next.payload).round;
    const auto values = [&](PartyId from, Round round, std::vector<double> numbers) {
      return Message{from, kVictim, RoundValues{round, std::move(numbers)}};
    };
    expect_refused(victim, values(0, now, {1, 2, 3, 4}), "not a neighbour");
    expect_refused(victim, values(next.from, now, {1, 2}), "right length");
    expect_refused(victim, values(next.from, now, {1, 2, 3, 4, 5}), "right length");
    expect_refused(victim, values(next.from, now, {1, 2, 3, std::nan("")}), "not finite");
    expect_refused(victim, values(next.from, now, {inf, 2, 3, 4}), "not finite");
    expect_refused(victim, values(next.from, kRounds, {1, 2, 3, 4}), "after the last");
    if (now >= 2) {
      expect_refused(victim, values(next.from, now - 2, {1, 2, 3, 4}), "out of phase");
    }
    expect_refused(victim, {next.from, kVictim, RoundReleases{now, {}}}, "no (x, s)");
    expect_refused(victim, {next.from, kVictim, PairwiseOffer{}}, "no (x, s)");
    last = next;
  });
  expect_refused(victim, last, "out of phase");
  for (PartyId i = 0; i < 6; ++i) EXPECT_EQ(x_of(attacked, i), x_of(honest, i));

  const Parties fresh = make_parties(weights, costs, 0.01, kRounds);
  const Message first{1, kVictim, RoundValues{0, {1, 2, 3, 4}}};
  ASSERT_TRUE(fresh[kVictim]->receive(first).has_value());
  expect_refused(*fresh[kVictim], first, "twice");
}

}  // namespace
}  // namespace sotto
