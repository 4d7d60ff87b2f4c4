// Golden transcripts: every message of a whole run, in order. If one changes, either the protocol
// did, and every party must change at once, or something has broken.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

#include "protocol/averaging.h"
#include "support/parties.h"

namespace sotto {
namespace {

using namespace protocol_test;

// FNV-1a over a payload's text: short enough for a person to compare.
class Fingerprint {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
  }
  void add(const IntegerVector& numbers) {
    for (const Integer& number : numbers) add(number.get_str(16) + ",");
  }
  [[nodiscard]] std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

std::string describe(const ShuffleOffer& offer) {
  Fingerprint print;
  print.add(offer.public_key);
  print.add(offer.negated);
  return "offer    " + print.text();
}
std::string describe(const ShuffleReply& reply) {
  Fingerprint print;
  print.add(reply.scaled);
  return "reply    " + print.text();
}
std::string describe(const PairwiseOffer& offer) {
  Fingerprint print;
  for (const std::byte b : offer.public_key) print.add(fmt::format("{:02x}", static_cast<int>(b)));
  return "key      " + print.text();
}
std::string describe(const RoundValues& round) {
  Fingerprint print;
  for (const double value : round.values) {
    print.add(fmt::format("{:x}", std::bit_cast<std::uint64_t>(value)));
  }
  return fmt::format("values   {} round {}", print.text(), round.round);
}
std::string describe(const RoundReleases& round) {
  Fingerprint print;
  std::string authors;
  for (const AuthoredRelease& release : round.news) {
    print.add(*release.indices);
    authors += fmt::format(" {}", release.author + 1);
  }
  return fmt::format("releases {} round {} of{}", print.text(), round.round, authors);
}

// Three parties in a row, θ_i = (i, −i), noise from the exact sampler: integers all the way, so
// the transcript is the same on every machine.
std::string transcript(bool pairwise, ShuffleMasks masks = ShuffleMasks::kPerNeighbour) {
  const Weights weights = *Weights::uniform(*Graph::path(3), 0.25);
  const ConsensusPlan plan =
      *plan_consensus(pairwise ? ConsensusMethod::kPlain : ConsensusMethod::kExact, 0.5, weights);
  std::vector<std::unique_ptr<RandomSource>> random;
  std::vector<std::unique_ptr<NoiseSource>> noise;
  Parties parties;
  for (PartyId i = 0; i < 3; ++i) {
    auto& keys = *random.emplace_back(std::make_unique<SeededRandom>(1, 2 * i));
    auto& bits = *random.emplace_back(std::make_unique<SeededRandom>(1, 2 * i + 1));
    auto& draws = *noise.emplace_back(exact_noise(bits));
    const double value = 1.0 + i;
    const Secret secret =
        Secret::of_entries(std::vector<double>{value, -value}, *Sensitivity::make(1));
    const ShuffleNoise shuffle{Rational(1, 4), Rational(50), Integer(2'000'001), 1000, masks};
    const PairwiseNoise edges{.sigma_gamma = 0.25, .sigma_edge = 8};
    auto sealing =
        make_sealing(pairwise ? Noise(edges) : Noise(shuffle), {.self = i,
                                                                .graph = weights.graph(),
                                                                .secret = secret,
                                                                .noise = draws,
                                                                .keys = keys,
                                                                .cipher = &ideal_cipher(),
                                                                .context = "golden"});
    parties.push_back(std::make_unique<AveragingParty>(i, weights, plan, std::move(sealing)));
  }
  std::string result = "\n";
  deliver_all(parties, nullptr, [&](const Message& message) {
    result += fmt::format("{} → {} {}\n", message.from + 1, message.to + 1,
                          std::visit([](const auto& p) { return describe(p); }, message.payload));
  });
  return result;
}

TEST(Transcript, OfDishufWithExactConsensusIsGolden) {
  EXPECT_EQ(transcript(false), R"(
1 → 2 offer    8b24e7a0beae48fe
2 → 1 offer    bdd582e75ad3f079
2 → 3 offer    54142d5127a3aca1
3 → 2 offer    9c5ab2c18960e987
2 → 1 reply    0346c09f83a1a3ee
1 → 2 reply    15d653ada3f82baf
3 → 2 reply    f5bb0176192f9d7e
2 → 3 reply    e893b69951b46c54
1 → 2 releases ee93b92dfd93b462 round 0 of 1
2 → 1 releases 138bcdaeb1d2cf03 round 0 of 2
2 → 3 releases 138bcdaeb1d2cf03 round 0 of 2
3 → 2 releases a22cd0f4c3aa2e91 round 0 of 3
1 → 2 releases 138bcdaeb1d2cf03 round 1 of 2
3 → 2 releases 138bcdaeb1d2cf03 round 1 of 2
2 → 1 releases f451348b6c1bbc1a round 1 of 1 3
2 → 3 releases f451348b6c1bbc1a round 1 of 1 3
)");
}

// Its releases are what they were before every neighbour had a mask, and then a key, of its own.
TEST(Transcript, OfThePapersShuffleReleasesTheSameBitsAsEver) {
  EXPECT_EQ(transcript(false, ShuffleMasks::kShared), R"(
1 → 2 offer    8b24e7a0beae48fe
2 → 1 offer    bdd582e75ad3f079
2 → 3 offer    a34842d2ab7ce794
3 → 2 offer    9c5ab2c18960e987
2 → 1 reply    f35d64e17f9ebb3c
1 → 2 reply    15d653ada3f82baf
3 → 2 reply    9518e730282836bd
2 → 3 reply    d26630d7f6ddba6b
1 → 2 releases ed3ee80d3b0f76ce round 0 of 1
2 → 1 releases 9188176f66322ca3 round 0 of 2
2 → 3 releases 9188176f66322ca3 round 0 of 2
3 → 2 releases e71a0d54a574448b round 0 of 3
1 → 2 releases 9188176f66322ca3 round 1 of 2
3 → 2 releases 9188176f66322ca3 round 1 of 2
2 → 1 releases fdab329a32116856 round 1 of 1 3
2 → 3 releases fdab329a32116856 round 1 of 1 3
)");
}

TEST(Transcript, OfPairwiseWithPlainConsensusIsGolden) {
  EXPECT_EQ(transcript(true), R"(
1 → 2 key      72efc81d5dd8e621
2 → 1 key      3f7814bab483fedd
2 → 3 key      12b5ac7ea0b4ccf2
3 → 2 key      cb1339dae8629dc9
1 → 2 values   2027b6e7e3f6b992 round 0
3 → 2 values   6d1f32c86c8a9bde round 0
2 → 1 values   a564acb6d5eb45d8 round 0
2 → 3 values   a564acb6d5eb45d8 round 0
2 → 1 values   4b7d3eef44452494 round 1
2 → 3 values   4b7d3eef44452494 round 1
1 → 2 values   3966b5261e225b7b round 1
3 → 2 values   6f3dab9cef885176 round 1
1 → 2 values   59915b7303c4e820 round 2
3 → 2 values   bec3f2d5ad31e930 round 2
2 → 1 values   f94f1f16001d87b6 round 2
2 → 3 values   f94f1f16001d87b6 round 2
)");
}

}  // namespace
}  // namespace sotto
