#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

#include "privacy/budget.h"
#include "privacy/calibrate/dishuf.h"
#include "support/shuffles.h"

namespace sotto {
namespace {

using namespace protocol_test;

RC_GTEST_PROP(Shuffle, SumsToZeroInIntegersOnEveryGraphAndInEveryOrder, (std::uint64_t seed)) {
  SeededRandom random(seed);
  const std::size_t parties = 2 + random.below(8);
  const Graph graph = connected_graph(parties, random.below(60), random);
  const auto secrets = secrets_of(small_numbers(parties, 3, random));
  const ShuffleNoise parameters = graph_noise(graph);
  const ShuffleNetwork run(graph, secrets, parameters, seed);
  deliver_all(run.parties, &random);
  RC_ASSERT(run.sum() == unshuffled_sum(graph, secrets, parameters, seed));
}

TEST(Shuffle, GivesTheSameReleasesWhateverTheDeliveryOrder) {
  SeededRandom random(3);
  const Graph graph = Graph::petersen();
  const auto secrets = secrets_of(small_numbers(10, 3, random));
  const ShuffleNetwork in_order(graph, secrets, graph_noise(graph), 4);
  const ShuffleNetwork shuffled(graph, secrets, graph_noise(graph), 4);
  deliver_all(in_order.parties);
  deliver_all(shuffled.parties, &random);
  for (PartyId i = 0; i < 10; ++i) {
    EXPECT_EQ(in_order.release(i).indices, shuffled.release(i).indices);
  }
}

// With a key in common, who reads one neighbour's ciphertexts could send them as its own.
RC_GTEST_PROP(Shuffle, GivesNoTwoNeighboursTheSameKeyOrCiphertext,
              (std::uint64_t seed, bool shared)) {
  SeededRandom random(seed);
  const std::size_t parties = 2 + random.below(8);
  const Graph graph = connected_graph(parties, random.below(60), random);
  const auto secrets = secrets_of(small_numbers(parties, 2, random));
  ShuffleNoise parameters = graph_noise(graph);
  if (shared) parameters.masks = ShuffleMasks::kShared;
  const ShuffleNetwork run(graph, secrets, parameters, seed);
  std::set<std::string> keys;
  std::set<Integer> ciphertexts;
  std::size_t offers = 0;
  for (const auto& party : run.parties) {
    const auto first = party->start();
    for (const Message& message : *first) {
      const auto& offer = std::get<ShuffleOffer>(message.payload);
      keys.insert(offer.public_key);
      ciphertexts.insert(offer.negated.begin(), offer.negated.end());
      ++offers;
    }
  }
  RC_ASSERT(offers == 2 * graph.edges().size());
  RC_ASSERT(keys.size() == offers);
  RC_ASSERT(ciphertexts.size() == 2 * offers);
}

// Δ_i = Σ_j a_{i→j}a_{j→i}(T̄_j − T̄_i), written out.
TEST(Shuffle, ReleasesWhatAlgorithm2Says) {
  SeededRandom random(5);
  const Graph graph = *Graph::grid(6);
  const auto secrets = secrets_of(small_numbers(6, 2, random));
  const ShuffleNoise parameters = graph_noise(graph);
  const ShuffleNetwork run(graph, secrets, parameters, 6);
  deliver_all(run.parties, &random);

  std::vector<ShuffleSeal> seals;
  std::vector<IntegerVector> multipliers;
  for (PartyId i = 0; i < 6; ++i) {
    const auto noise = fast_noise(6, std::uint64_t{2} * i);
    seals.emplace_back(secrets[i], parameters, graph.degree(i), *noise);
    multipliers.push_back(protocol::draw_multipliers(graph, i, parameters, *noise));
  }
  const auto place = [&](PartyId of, PartyId among) {
    const auto neighbours = graph.neighbours(among);
    return static_cast<std::size_t>(std::ranges::find(neighbours, of) - neighbours.begin());
  };
  const auto multiplier = [&](PartyId from, PartyId to) {
    return multipliers[from][place(to, from)];
  };
  for (PartyId i = 0; i < 6; ++i) {
    IntegerVector shuffled(2);
    for (const PartyId j : graph.neighbours(i)) {
      const Integer product = multiplier(i, j) * multiplier(j, i);
      EXPECT_GE(2 * product, 1'000'000);
      EXPECT_LE(product, 1'000'000);
      for (std::size_t k = 0; k < 2; ++k) {
        shuffled[k] +=
            product * (seals[j].masked(place(i, j))[k] - seals[i].masked(place(j, i))[k]);
      }
    }
    EXPECT_EQ(run.release(i).indices, seals[i].release(shuffled).indices) << i;
    EXPECT_EQ(run.release(i).divisor, parameters.inverse_zeta);
  }
}

// σ_η = 10^13.88, 10^101.3 and 10^676.4 (reference: 60-digit arithmetic): past a double's
// resolution, then past its range. In integers the mask cancels, and σ_γ is what is left.
class Lemma1Run : public testing::TestWithParam<std::pair<std::size_t, double>> {};
INSTANTIATE_TEST_SUITE_P(Parties, Lemma1Run,
                         testing::Values(std::pair{std::size_t{10}, 13.879212567753215},
                                         std::pair{std::size_t{50}, 101.27391971753757},
                                         std::pair{std::size_t{250}, 676.37645741614178}),
                         [](const auto& test) { return std::to_string(test.param.first); });

TEST_P(Lemma1Run, ReachesTheTrueSumInExactArithmetic) {
  const auto [parties, log10_sigma_eta] = GetParam();
  const Graph graph = *Graph::cycle(parties);
  const Budget budget = *Budget::make(10, 0.2);
  const Sensitivity mu = *Sensitivity::make(3);
  const ShuffleNoise parameters = *calibrate_lemma1(parties, mu, budget, {.g = 0.01});
  ASSERT_NEAR(log10(parameters.sigma_eta), log10_sigma_eta, 1e-9);

  SeededRandom random(7);
  const auto values = small_numbers(parties, 9, random);
  const auto secrets = secrets_of(values);
  const ShuffleNetwork run(graph, secrets, parameters, 8);
  deliver_all(run.parties, &random);
  EXPECT_EQ(run.sum(), unshuffled_sum(graph, secrets, parameters, 8));

  const Released first = run.release(0);
  const std::vector<double> sum = Released{run.sum(), first.grid, first.divisor}.values();
  const double sd = 1.01 * 3 / gaussian_shift(budget);  // √n·σ_γ
  for (std::size_t k = 0; k < 9; ++k) {
    double truth = 0;
    for (const auto& theta : values) truth += theta[k];
    EXPECT_LT(std::abs(sum[k] - truth), 6 * sd);
    EXPECT_GT(std::abs(sum[k] - truth), 1e-6 * sd);  // the noise γ is there
    // What a party shows is of the size of ζ·ā²·η: nothing of θ can be seen in it.
    const Rational shown(first.indices[k], first.divisor);
    EXPECT_GT(log10(abs(shown * first.grid.step()) + 1), log10_sigma_eta - 7);
  }
}

// --- bad peers ---

constexpr PartyId kShuffledVictim = 1;  // on a path of 4: neighbours 0 and 2

struct ShuffleFixture {
  Graph graph = *Graph::path(4);
  std::vector<Secret> secrets = [] {
    SeededRandom random(9);
    return secrets_of(small_numbers(4, 2, random));
  }();
  ShuffleNetwork run{graph, secrets, graph_noise(graph), 10};
  [[nodiscard]] Party& victim() const { return *run.parties[kShuffledVictim]; }
};

TEST(ShufflePeer, IsNamedAndHarmlessWhateverItSends) {
  const ShuffleFixture honest;
  deliver_all(honest.run.parties);
  const ShuffleFixture attacked;
  SeededRandom random(11);
  const auto stranger = ideal_cipher().generate(random);
  const IntegerVector two(2);
  const Ciphertexts foreign = stranger->encryption_key().encrypt(two, random);
  const std::string foreign_key = stranger->encryption_key().serialised();
  deliver_all(attacked.run.parties, nullptr, [&](const Message& next) {
    if (next.to != kShuffledVictim) return;
    Party& victim = attacked.victim();
    const auto from = [&](PartyId peer, Payload payload) {
      return Message{peer, kShuffledVictim, std::move(payload)};
    };
    expect_refused(victim, from(3, next.payload), "not a neighbour");
    expect_refused(victim, from(kShuffledVictim, next.payload), "not a neighbour");
    expect_refused(victim, from(next.from, PairwiseOffer{}), "something else");
    expect_refused(victim, from(next.from, RoundValues{0, {1, 2}}), "something else");
    if (std::holds_alternative<ShuffleOffer>(next.payload)) {
      const auto& offer = std::get<ShuffleOffer>(next.payload);
      for (const char* key : {"", "ideal:", "ideal:zzzzzzzzzzzzzzzz", "rsa:0123456789abcdef"}) {
        expect_refused(victim, from(next.from, ShuffleOffer{key, offer.negated}), "public key");
      }
      expect_refused(victim, from(next.from, ShuffleOffer{foreign_key, offer.negated}),
                     "ciphertexts");
      expect_refused(victim, from(next.from, ShuffleOffer{offer.public_key, foreign}),
                     "ciphertexts");
      expect_refused(victim, from(next.from, ShuffleOffer{offer.public_key, {Integer(-1), 0}}),
                     "ciphertexts");
      expect_refused(victim, from(next.from, ShuffleOffer{offer.public_key, {}}), "length");
      Ciphertexts longer = offer.negated;
      longer.push_back(longer.back());
      expect_refused(victim, from(next.from, ShuffleOffer{offer.public_key, longer}), "length");
    } else {
      expect_refused(victim, from(next.from, ShuffleReply{foreign}), "ciphertexts");
      expect_refused(victim, from(next.from, ShuffleReply{{Integer(0), Integer(1)}}),
                     "ciphertexts");
      expect_refused(victim, from(next.from, ShuffleReply{{}}), "length");
    }
  });
  for (PartyId i = 0; i < 4; ++i) {
    EXPECT_EQ(attacked.run.release(i).indices, honest.run.release(i).indices);
  }
}

TEST(ShufflePeer, CannotOfferOrReplyTwice) {
  const ShuffleFixture fixture;
  std::vector<Message> to_victim;
  deliver_all(fixture.run.parties, nullptr, [&](const Message& next) {
    if (next.to == kShuffledVictim) to_victim.push_back(next);
  });
  const IntegerVector before = fixture.run.release(kShuffledVictim).indices;
  ASSERT_EQ(to_victim.size(), 4U);
  for (const Message& again : to_victim) expect_refused(fixture.victim(), again, "twice");
  EXPECT_EQ(fixture.run.release(kShuffledVictim).indices, before);
}

TEST(ShufflePeer, CannotAnswerWithMoreThanASlotHolds) {
  const ShuffleFixture fixture;
  deliver_all(fixture.run.parties, nullptr, [&](const Message& next) {
    if (next.to != kShuffledVictim || !std::holds_alternative<ShuffleReply>(next.payload)) return;
    const Ciphertexts honest = std::get<ShuffleReply>(next.payload).scaled;
    // An ideal ciphertext is m·2^128 and more: 2^200 goes into m.
    Ciphertexts inflated = honest;
    inflated[0] += Integer(1) << 328;
    expect_refused(fixture.victim(), {next.from, kShuffledVictim, ShuffleReply{inflated}}, "slot");
  });
}

TEST(Shuffle, DoesNotStartWithAValueThatHasNoSlot) {
  const Graph pair = *Graph::path(2);
  const Sensitivity mu = *Sensitivity::make(3);
  SeededRandom keys(1);
  const auto noise = fast_noise(1, 1);
  const Secret fits = Secret::of_entries(std::vector<double>{0x1p40}, mu);
  const Secret too_large = Secret::of_entries(std::vector<double>{0x1p43}, mu);
  const ShuffleNoise parameters = graph_noise(pair);
  EXPECT_TRUE(make_sealing(parameters, {0, pair, fits, *noise, keys, &ideal_cipher()})->start());
  const auto refused =
      make_sealing(parameters, {0, pair, too_large, *noise, keys, &ideal_cipher()})->start();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().name, "E-slot-overflow");
}

TEST(Shuffle, ShowsNothingBeforeEveryNeighbourHasBeenHeard) {
  const ShuffleFixture fixture;
  EXPECT_FALSE(fixture.victim().done());
  EXPECT_DEATH((void)fixture.run.release(kShuffledVictim), "whole shuffle");
}

}  // namespace
}  // namespace sotto
