#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "protocol/sealing.h"
#include "support/parties.h"

namespace sotto {
namespace {

using namespace protocol_test;

constexpr PairwiseNoise kPairwise{.sigma_gamma = 0.25, .sigma_edge = 8.4};

struct PairwiseNetwork {
  std::vector<std::unique_ptr<NoiseSource>> noise;
  std::vector<std::unique_ptr<RandomSource>> random;
  Parties parties;

  PairwiseNetwork(const Graph& graph, const std::vector<Secret>& secrets,
                  const PairwiseNoise& parameters, std::uint64_t seed,
                  std::string_view context = "a study") {
    for (PartyId i = 0; i < graph.size(); ++i) {
      noise.push_back(fast_noise(seed, 2 * i));
      random.push_back(std::make_unique<SeededRandom>(seed, 2 * i + 1));
      parties.push_back(make_sealing(parameters, {.self = i,
                                                  .graph = graph,
                                                  .secret = secrets[i],
                                                  .noise = *noise[i],
                                                  .keys = *random[i],
                                                  .context = context}));
    }
  }
  [[nodiscard]] IntegerVector release(PartyId party) const {
    return static_cast<const Sealing&>(*parties[party]).release().indices;
  }
};

// T_i + Γ_i: the same noise, and no masks.
IntegerVector unmasked(const Secret& secret, PartyId party, std::uint64_t seed,
                       const PairwiseNoise& parameters = kPairwise) {
  const auto noise = fast_noise(seed, 2 * party);
  return PairwiseSeal(secret, parameters, *noise).release().indices;
}

RC_GTEST_PROP(Pairwise, MasksCancelExactlyInTheSumInEveryOrder, (std::uint64_t seed)) {
  SeededRandom random(seed);
  const std::size_t parties = 2 + random.below(5);
  const Graph graph = connected_graph(parties, random.below(60), random);
  const auto secrets = secrets_of(small_numbers(parties, 2, random));
  const PairwiseNetwork run(graph, secrets, kPairwise, seed);
  deliver_all(run.parties, &random);
  IntegerVector masks(2);
  for (PartyId i = 0; i < parties; ++i) {
    const IntegerVector masked = run.release(i);
    const IntegerVector plain = unmasked(secrets[i], i, seed);
    RC_ASSERT(masked != plain);
    for (std::size_t k = 0; k < 2; ++k) masks[k] += masked[k] - plain[k];
  }
  RC_ASSERT(masks == IntegerVector(2));
}

TEST(Pairwise, BothEndsDeriveTheSameMaskAndTheLowerOneAddsIt) {
  SeededRandom random(1);
  const auto secrets = secrets_of(small_numbers(2, 3, random));
  const PairwiseNetwork run(*Graph::path(2), secrets, kPairwise, 2);
  deliver_all(run.parties);
  const IntegerVector low = run.release(0);
  const IntegerVector high = run.release(1);
  for (std::size_t k = 0; k < 3; ++k) {
    const Integer added = low[k] - unmasked(secrets[0], 0, 2)[k];
    const Integer subtracted = unmasked(secrets[1], 1, 2)[k] - high[k];
    EXPECT_EQ(added, subtracted);
    EXPECT_NE(added, 0);
  }
}

TEST(Pairwise, AnotherStudyHasOtherMasks) {
  SeededRandom random(3);
  const auto secrets = secrets_of(small_numbers(2, 3, random));
  const PairwiseNetwork one(*Graph::path(2), secrets, kPairwise, 4, "a study");
  const PairwiseNetwork other(*Graph::path(2), secrets, kPairwise, 4, "another study");
  deliver_all(one.parties);
  deliver_all(other.parties);
  EXPECT_NE(one.release(0), other.release(0));
}

// Var y_i = σ_γ² + degree·σ_edge², over 10 000 entries.
TEST(Pairwise, ReleasesHaveTheVarianceOfTheirDegree) {
  constexpr std::size_t kEntries = 10'000;
  const Graph star = *Graph::star(4);
  const PairwiseNoise parameters{.sigma_gamma = 1, .sigma_edge = 1.5};
  const auto secrets =
      secrets_of(std::vector<std::vector<double>>(4, std::vector<double>(kEntries, 0.0)));
  const PairwiseNetwork run(star, secrets, parameters, 5);
  deliver_all(run.parties);
  const Grid grid = secrets[0].grid();
  for (PartyId i = 0; i < 4; ++i) {
    double squares = 0;
    for (const Integer& index : run.release(i)) squares += std::pow(grid.value(index), 2);
    const double variance = 1 + static_cast<double>(star.degree(i)) * 2.25;
    EXPECT_NEAR(squares / kEntries / variance, 1, 4.5 * std::sqrt(2.0 / kEntries)) << i;
  }
}

// --- bad peers ---

constexpr PartyId kMaskedVictim = 1;  // on a path of 4: neighbours 0 and 2

struct PairwiseFixture {
  Graph graph = *Graph::path(4);
  std::vector<Secret> secrets = [] {
    SeededRandom random(6);
    return secrets_of(small_numbers(4, 2, random));
  }();
  PairwiseNetwork run{graph, secrets, kPairwise, 7};
  [[nodiscard]] Party& victim() const { return *run.parties[kMaskedVictim]; }
};

using PublicKey = std::array<std::byte, 32>;

PublicKey key_of(std::initializer_list<unsigned> first_bytes, unsigned rest = 0) {
  PublicKey key;
  key.fill(std::byte(rest));
  std::size_t k = 0;
  for (const unsigned value : first_bytes) key[k++] = std::byte(value);
  return key;
}

// The points whose multiples are few [RFC 7748, section 6.1]: with one of them the secret would be
// 0, whatever the victim's own key.
std::vector<PublicKey> points_of_small_order() {
  std::vector<PublicKey> points = {key_of({0}), key_of({1})};
  points.push_back(key_of({0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3,
                           0xfa, 0xf1, 0x9f, 0xc4, 0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32,
                           0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00}));
  for (const unsigned low : {0xecU, 0xedU, 0xeeU}) {  // p − 1, p, p + 1
    PublicKey point = key_of({low}, 0xff);
    point[31] = std::byte{0x7f};
    points.push_back(point);
  }
  return points;
}

TEST(PairwisePeer, IsNamedAndHarmlessWhateverItSends) {
  const PairwiseFixture honest;
  deliver_all(honest.run.parties);
  const PairwiseFixture attacked;
  deliver_all(attacked.run.parties, nullptr, [&](const Message& next) {
    if (next.to != kMaskedVictim) return;
    Party& victim = attacked.victim();
    expect_refused(victim, {3, kMaskedVictim, next.payload}, "not a neighbour");
    expect_refused(victim, {kMaskedVictim, kMaskedVictim, next.payload}, "not a neighbour");
    expect_refused(victim, {next.from, kMaskedVictim, ShuffleReply{}}, "something else");
    expect_refused(victim, {next.from, kMaskedVictim, RoundValues{0, {1, 2}}}, "something else");
    for (const PublicKey& point : points_of_small_order()) {
      expect_refused(victim, {next.from, kMaskedVictim, PairwiseOffer{point}}, "gives no secret");
    }
  });
  for (PartyId i = 0; i < 4; ++i) EXPECT_EQ(attacked.run.release(i), honest.run.release(i));
}

TEST(PairwisePeer, CannotSendASecondKey) {
  const PairwiseFixture fixture;
  std::vector<Message> to_victim;
  deliver_all(fixture.run.parties, nullptr, [&](const Message& next) {
    if (next.to == kMaskedVictim) to_victim.push_back(next);
  });
  const IntegerVector before = fixture.run.release(kMaskedVictim);
  for (const Message& again : to_victim) expect_refused(fixture.victim(), again, "second");
  EXPECT_EQ(fixture.run.release(kMaskedVictim), before);
}

// X25519 ignores the top bit of a key, so both give one secret: the mask is derived from the bytes
// that were exchanged, too.
TEST(PairwisePeer, CannotSendAnotherKeyThatGivesTheSameMask) {
  IntegerVector releases[2];
  for (const bool changed : {false, true}) {
    const PairwiseFixture fixture;
    for (const auto& party : fixture.run.parties) {
      auto said = party->start().value();
      for (Message& message : said) {
        if (message.to != kMaskedVictim) continue;
        auto& key = std::get<PairwiseOffer>(message.payload).public_key;
        if (changed && message.from == 0) key[31] |= std::byte{0x80};
        ASSERT_TRUE(fixture.victim().receive(message));
      }
    }
    releases[changed ? 1 : 0] = fixture.run.release(kMaskedVictim);
  }
  EXPECT_NE(releases[0], releases[1]);
}

TEST(Pairwise, ShowsNothingBeforeEveryMaskIsIn) {
  const PairwiseFixture fixture;
  EXPECT_FALSE(fixture.victim().done());
  EXPECT_DEATH((void)fixture.run.release(kMaskedVictim), "all masks");
}

}  // namespace
}  // namespace sotto
