#include "protocol/tracking_party.h"

#include <gtest/gtest.h>

#include "protocol/test_costs.h"

namespace sotto {
namespace {

using namespace protocol_test;

constexpr std::size_t kParties = 4;
constexpr std::size_t kDimension = 2;
constexpr Round kRounds = 400;

struct Network {
  Weights weights = *Weights::uniform(*Graph::cycle(kParties), 0.3);
  std::vector<PerturbedCost> costs;
  std::vector<std::unique_ptr<TrackingParty>> parties;

  explicit Network(Round rounds = kRounds) {
    SeededRandom random(1);
    costs = random_costs(kParties, kDimension, random);
    for (PartyId i = 0; i < kParties; ++i) {
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
    for (PartyId i = 0; i < kParties; ++i) {
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
  Network network;
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
  Network network;
  network.run();
  Parties plain;
  for (PartyId i = 0; i < kParties; ++i) {
    plain.push_back(
        std::make_unique<GradientTracking>(i, network.weights, network.costs[i], 0.05, kRounds));
  }
  deliver_all(plain);
  const Eigen::VectorXd minimiser = minimiser_of(network.costs);
  for (PartyId i = 0; i < kParties; ++i) {
    ASSERT_TRUE(network.parties[i]->done());
    const auto expected = static_cast<const GradientTracking&>(*plain[i]).x();
    EXPECT_EQ(network.parties[i]->result(), std::vector<double>(expected.begin(), expected.end()));
    for (std::size_t k = 0; k < kDimension; ++k) {
      EXPECT_NEAR(network.parties[i]->result()[k], minimiser[static_cast<Eigen::Index>(k)], 1e-3);
    }
  }
}

TEST(TrackingParty, GivesTheSameBitsWhateverTheDeliveryOrder) {
  Network in_order(60);
  in_order.run();
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SeededRandom order(seed);
    Network shuffled(60);
    shuffled.run(&order);
    for (PartyId i = 0; i < kParties; ++i) {
      EXPECT_EQ(shuffled.parties[i]->result(), in_order.parties[i]->result());
    }
  }
}

TEST(TrackingParty, KeepsOneEarlyRoundOfEachNeighbourAndRefusesTheRest) {
  Network network;
  Party& late = *network.parties[0];
  const RoundValues first{0, {0, 0, 1, 1}};
  ASSERT_TRUE(late.receive({1, 0, first}).has_value());
  expect_refused(late, {1, 0, first}, "more than one round");
  expect_refused(late, {2, 0, first}, "not a neighbour");
}

TEST(TrackingParty, AgreesWithWhoeverCameCloseAndWithNobodyElse) {
  Network network;
  network.run();
  const TrackingParty& party = *network.parties[0];
  EXPECT_TRUE(party.agrees(network.parties[2]->result(), 1));
  std::vector<double> other = party.result();
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
