#include "protocol/averaging.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/names.h"
#include "support/parties.h"

namespace sotto {
namespace {

using namespace protocol_test;

constexpr std::size_t kAveraging = 5;

// A whole run: `pairwise` in front, any averaging behind.
struct AveragingNetwork {
  Weights weights = *Weights::uniform(*Graph::cycle(kAveraging), 0.3);
  std::vector<std::unique_ptr<NoiseSource>> noise;
  std::vector<std::unique_ptr<RandomSource>> random;
  Parties parties;

  explicit AveragingNetwork(ConsensusMethod method, Barrier barrier = Barrier::kNone) {
    const ConsensusPlan plan = *plan_consensus(method, 1e-3, weights);
    SeededRandom numbers(1);
    for (PartyId i = 0; i < kAveraging; ++i) {
      noise.push_back(fast_noise(2, 2UL * i));
      random.push_back(std::make_unique<SeededRandom>(2, 2UL * i + 1));
      const Secret secret = Secret::of_entries(
          std::vector<double>{small_number(numbers), small_number(numbers)}, *Sensitivity::make(3));
      auto sealing = make_sealing(PairwiseNoise{.sigma_gamma = 0.2, .sigma_edge = 8},
                                  {.self = i,
                                   .graph = weights.graph(),
                                   .secret = secret,
                                   .noise = *noise[i],
                                   .keys = *random[i],
                                   .context = "a study"});
      parties.push_back(
          std::make_unique<AveragingParty>(i, weights, plan, std::move(sealing), barrier));
    }
  }
  [[nodiscard]] AveragingParty& at(PartyId party) const {
    return static_cast<AveragingParty&>(*parties[party]);
  }
  [[nodiscard]] std::vector<double> sum(PartyId party) const { return at(party).result().values; }
};

class AveragingRun : public testing::TestWithParam<ConsensusMethod> {};
INSTANTIATE_TEST_SUITE_P(Methods, AveragingRun,
                         testing::Values(ConsensusMethod::kPlain, ConsensusMethod::kChebyshev,
                                         ConsensusMethod::kExact),
                         [](const auto& test) { return to_string(test.param); });

TEST_P(AveragingRun, GivesTheSameBitsWhateverTheDeliveryOrder) {
  const AveragingNetwork in_order(GetParam());
  deliver_all(in_order.parties);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SeededRandom order(seed);
    const AveragingNetwork shuffled(GetParam());
    deliver_all(shuffled.parties, &order);
    for (PartyId i = 0; i < kAveraging; ++i) ASSERT_EQ(shuffled.sum(i), in_order.sum(i)) << seed;
  }
}

// A neighbour can seal first, and its first round may come before our last sealing message.
TEST_P(AveragingRun, KeepsOneEarlyRoundOfEachNeighbourAndRefusesTheRest) {
  const AveragingNetwork honest(GetParam());
  deliver_all(honest.parties);

  const AveragingNetwork run(GetParam());
  std::deque<Message> sealing;
  for (const auto& party : run.parties) post(party->start(), sealing);
  // Everybody but party 0 seals and sends its first round.
  std::deque<Message> under_way;
  std::deque<Message> for_the_late;
  for (const Message& message : sealing) {
    if (message.to == 0) {
      for_the_late.push_back(message);
      continue;
    }
    post(run.parties[message.to]->receive(message), under_way);
  }
  Party& late = *run.parties[0];
  const auto refuse = [&](PartyId from, Payload payload, const char* what) {
    expect_refused(late, {from, 0, std::move(payload)}, what);
  };
  const bool exact = GetParam() == ConsensusMethod::kExact;
  const auto two = std::make_shared<const IntegerVector>(2);
  const auto three = std::make_shared<const IntegerVector>(3);
  std::size_t early = 0;
  for (const Message& message : under_way) {
    if (message.to != 0) continue;
    refuse(2, message.payload, "not a neighbour");
    if (exact) {
      refuse(message.from, RoundValues{0, {1, 2}}, "no releases");
      refuse(message.from, RoundReleases{1, {{message.from, two}}}, "after the last");
      refuse(message.from, RoundReleases{0, {{message.from, three}}}, "another length");
      refuse(message.from, RoundReleases{0, {{2, two}}}, "other releases");
      refuse(message.from, RoundReleases{0, {}}, "other releases");
    } else {
      refuse(message.from, RoundReleases{0, {{message.from, two}}}, "no average");
      refuse(message.from, RoundValues{1, {1, 2}}, "after the last");
      refuse(message.from, RoundValues{0, {1, 2, 3}}, "another length");
      refuse(message.from, RoundValues{0, {1, std::nan("")}}, "not finite");
    }
    ASSERT_TRUE(late.receive(message).has_value());
    refuse(message.from, message.payload, "more than one round");
    ++early;
  }
  EXPECT_EQ(early, 2U);
  std::erase_if(under_way, [](const Message& message) { return message.to == 0; });
  for (const Message& message : for_the_late) under_way.push_back(message);
  while (!under_way.empty()) {
    const Message message = under_way.front();
    under_way.pop_front();
    post(run.parties[message.to]->receive(message), under_way);
  }
  for (PartyId i = 0; i < kAveraging; ++i) EXPECT_EQ(run.sum(i), honest.sum(i));
}

bool readable(const Message& message) {
  return std::holds_alternative<RoundValues>(message.payload) ||
         std::holds_alternative<RoundReleases>(message.payload);
}

// Delivers what is under way, and nothing more; the answers stay.
void deliver_once(const AveragingNetwork& network, std::deque<Message>& under_way) {
  for (std::size_t k = under_way.size(); k > 0; --k) {
    const Message message = std::move(under_way.front());
    under_way.pop_front();
    post(network.parties[message.to]->receive(message), under_way);
  }
}

// With the barrier held nothing readable leaves a sealed party, whatever its neighbours send.
TEST_P(AveragingRun, HeldAtTheBarrierReleasesOnlyWhenToldTo) {
  const AveragingNetwork honest(GetParam());
  deliver_all(honest.parties);

  const AveragingNetwork run(GetParam(), Barrier::kHeld);
  std::deque<Message> under_way;
  for (const auto& party : run.parties) post(party->start(), under_way);
  while (!under_way.empty()) {
    for (const Message& message : under_way) ASSERT_FALSE(readable(message));
    deliver_once(run, under_way);
  }
  for (PartyId i = 0; i < kAveraging; ++i) {
    ASSERT_TRUE(run.at(i).sealed());
    ASSERT_FALSE(run.at(i).done());
  }
  // One after the other is told; what it sends does not make a neighbour speak.
  for (PartyId i = 0; i < kAveraging; ++i) {
    post(run.at(i).release(), under_way);
    for (const Message& message : under_way) {
      ASSERT_TRUE(readable(message));
      ASSERT_LE(message.from, i);
    }
    if (i == 0) {
      deliver_once(run, under_way);
      ASSERT_TRUE(under_way.empty());
    }
  }
  while (!under_way.empty()) deliver_once(run, under_way);
  for (PartyId i = 0; i < kAveraging; ++i) EXPECT_EQ(run.sum(i), honest.sum(i));
}

TEST_P(AveragingRun, AgreesWithItsPeersAndWithNobodyFarAway) {
  const AveragingNetwork run(GetParam());
  deliver_all(run.parties);
  const double scale = 30;  // of what was sent first: masks of a few standard deviations
  for (PartyId i = 0; i < kAveraging; ++i) EXPECT_TRUE(run.at(0).agrees(run.sum(i), scale));
  std::vector<double> far = run.sum(0);
  far[1] += 1000;
  EXPECT_FALSE(run.at(0).agrees(far, scale));
  far[1] = std::nan("");
  EXPECT_FALSE(run.at(0).agrees(far, scale));
  far = run.sum(0);
  far.push_back(0);
  EXPECT_FALSE(run.at(0).agrees(far, scale));
  if (GetParam() == ConsensusMethod::kExact) {
    far = run.sum(0);
    far[0] = std::nextafter(far[0], 1e9);
    EXPECT_FALSE(run.at(0).agrees(far, scale)) << "one bit is one too many";
  }
}

TEST_P(AveragingRun, ReleasesOnceAndNotBeforeItIsSealed) {
  const AveragingNetwork run(GetParam(), Barrier::kHeld);
  EXPECT_DEATH((void)run.at(0).release(), "released once");
  std::deque<Message> under_way;
  for (const auto& party : run.parties) post(party->start(), under_way);
  while (!under_way.empty()) deliver_once(run, under_way);
  ASSERT_TRUE(run.at(0).release());
  EXPECT_DEATH((void)run.at(0).release(), "released once");
}

TEST(AveragingParty, OfAcReleasesAtOnceAndHasNothingToSeal) {
  const Weights weights = *Weights::uniform(*Graph::cycle(3), 0.3);
  const ConsensusPlan plan = *plan_consensus(ConsensusMethod::kExact, 1e-9, weights);
  Parties parties;
  double truth = 0;
  for (PartyId i = 0; i < 3; ++i) {
    const auto noise = fast_noise(3, i);
    SeededRandom keys(3);
    const Secret secret = Secret::of_entries(std::vector<double>{1.0 + i}, *Sensitivity::make(1));
    const auto copy = fast_noise(3, i);
    truth += release_locally(secret, 0.5, *copy).values()[0];
    parties.push_back(std::make_unique<AveragingParty>(
        i, weights, plan,
        make_sealing(LocalNoise{.sigma = 0.5}, {i, weights.graph(), secret, *noise, keys})));
  }
  deliver_all(parties, nullptr, [&](const Message& next) {
    expect_refused(*parties[next.to], {next.from, next.to, PairwiseOffer{}}, "no releases");
  });
  for (const auto& party : parties) {
    EXPECT_NEAR(static_cast<AveragingParty&>(*party).result().values[0], truth, 1e-12);
  }
}

TEST(AveragingParty, LocalSealingRefusesEverySealingMessage) {
  const auto noise = fast_noise(4, 0);
  const Secret secret = Secret::of_entries(std::vector<double>{1.0}, *Sensitivity::make(1));
  SeededRandom keys(4);
  const Graph pair = *Graph::path(2);
  const auto sealing = make_sealing(LocalNoise{.sigma = 0.5}, {0, pair, secret, *noise, keys});
  expect_refused(*sealing, {1, 0, PairwiseOffer{}}, "nothing to seal");
  EXPECT_TRUE(sealing->done());
}

}  // namespace
}  // namespace sotto
