#include <gtest/gtest.h>

#include "protocol/gt.h"
#include "support/costs.h"

namespace sotto {
namespace {

using namespace protocol_test;

constexpr std::size_t kTracking = 4;
constexpr std::size_t kTrackingDimension = 2;
constexpr Round kTrackingRounds = 400;

struct TrackingNetwork {
  Weights weights = *Weights::uniform(*Graph::cycle(kTracking), 0.3);
  std::vector<PerturbedCost> costs;
  std::vector<std::unique_ptr<TrackingParty>> parties;

  explicit TrackingNetwork(Round rounds = kTrackingRounds) {
    SeededRandom random(1);
    costs = random_costs(kTracking, kTrackingDimension, random);
    for (PartyId i = 0; i < kTracking; ++i) {
      parties.push_back(std::make_unique<TrackingParty>(i, weights, costs[i], 0.05, rounds));
    }
  }
  // Everybody passes the barrier, one after the other; what the early ones send waits.
  void run(RandomSource* order = nullptr) {
    std::deque<Message> under_way;
    for (const auto& party : parties) {
      post(party->start(), under_way);
      ASSERT_TRUE(under_way.empty()) << "nothing leaves before the barrier";
    }
    for (PartyId i = 0; i < kTracking; ++i) {
      post(parties[i]->release(), under_way);
      for (std::size_t k = under_way.size(); k > 0; --k) {
        const Message message = std::move(under_way.front());
        under_way.pop_front();
        post(parties[message.to]->receive(message), under_way);
      }
    }
    while (!under_way.empty()) {
      if (order != nullptr) {
        std::swap(under_way.front(), under_way[order->below(under_way.size())]);
      }
      const Message message = std::move(under_way.front());
      under_way.pop_front();
      post(parties[message.to]->receive(message), under_way);
    }
  }
};

TEST(TrackingParty, HoldsEverythingBackUntilItIsReleased) {
  TrackingNetwork network;
  for (const auto& party : network.parties) {
    EXPECT_TRUE(party->sealed());
    EXPECT_FALSE(party->done());
    EXPECT_TRUE(party->start()->empty());
  }
  const auto first = network.parties[1]->release();
  ASSERT_TRUE(first.has_value());
  ASSERT_EQ(first->size(), 2U);
  // What a neighbour sends does not make it speak.
  for (const Message& message : *first) {
    EXPECT_TRUE(network.parties[message.to]->receive(message)->empty());
  }
}

TEST(TrackingParty, EndsWithTheBitsOfTrackingWithoutABarrier) {
  TrackingNetwork network;
  network.run();
  Parties plain;
  for (PartyId i = 0; i < kTracking; ++i) {
    plain.push_back(std::make_unique<GradientTracking>(i, network.weights, network.costs[i], 0.05,
                                                       kTrackingRounds));
  }
  deliver_all(plain);
  const Eigen::VectorXd minimiser = minimiser_of(network.costs);
  for (PartyId i = 0; i < kTracking; ++i) {
    ASSERT_TRUE(network.parties[i]->done());
    const auto expected = static_cast<const GradientTracking&>(*plain[i]).x();
    EXPECT_EQ(network.parties[i]->result().values,
              std::vector<double>(expected.begin(), expected.end()));
    for (std::size_t k = 0; k < kTrackingDimension; ++k) {
      EXPECT_NEAR(network.parties[i]->result().values[k], minimiser[static_cast<Eigen::Index>(k)],
                  1e-3);
    }
  }
}

TEST(TrackingParty, GivesTheSameBitsWhateverTheDeliveryOrder) {
  TrackingNetwork in_order(60);
  in_order.run();
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SeededRandom order(seed);
    TrackingNetwork shuffled(60);
    shuffled.run(&order);
    for (PartyId i = 0; i < kTracking; ++i) {
      EXPECT_EQ(shuffled.parties[i]->result().values, in_order.parties[i]->result().values);
    }
  }
}

TEST(TrackingParty, KeepsOneEarlyRoundOfEachNeighbourAndRefusesTheRest) {
  TrackingNetwork network;
  Party& late = *network.parties[0];
  const RoundValues first{0, {0, 0, 1, 1}};
  ASSERT_TRUE(late.receive({1, 0, first}).has_value());
  expect_refused(late, {1, 0, first}, "more than one round");
  expect_refused(late, {2, 0, first}, "not a neighbour");
  expect_refused(late, {3, 0, RoundValues{0, {0, 0, 1}}}, "right length");
  expect_refused(late, {3, 0, RoundValues{1, {0, 0, 1, 1}}}, "after the last");
}

TEST(TrackingParty, AgreesWithWhoeverCameCloseAndWithNobodyElse) {
  TrackingNetwork network;
  network.run();
  const TrackingParty& party = *network.parties[0];
  EXPECT_TRUE(party.agrees(network.parties[2]->result().values, 1));
  std::vector<double> other = party.result().values;
  EXPECT_TRUE(party.agrees(other, 1));
  other[0] += 0.1 * (1 + std::abs(other[0]) + std::abs(other[1]));
  EXPECT_FALSE(party.agrees(other, 1));
  other[0] = std::nan("");
  EXPECT_FALSE(party.agrees(other, 1));
  other.pop_back();
  EXPECT_FALSE(party.agrees(other, 1));
}

}  // namespace
}  // namespace sotto
