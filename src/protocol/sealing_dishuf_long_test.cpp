#include <gtest/gtest.h>

#include "privacy/calibrate/dishuf.h"
#include "support/shuffles.h"

namespace sotto {
namespace {

using namespace protocol_test;

TEST(ShufflePaillier, GivesTheSameBitsAsTheIdealCipherOverManyRandomStudies) {
  for (const std::size_t key_bits : {2048U, 3072U}) {
    for (const Randomness randomness : {Randomness::kHalf, Randomness::kFull}) {
      const auto cipher = paillier_cipher(key_bits, randomness).value();
      for (std::uint64_t seed = 100; seed < 106; ++seed) {
        expect_same_releases(seed + key_bits, 6, 90, *cipher);
      }
    }
  }
}

// Part of the paper's own setting: a cycle of 250 whose mask is 10^676. Ten parties of it, next to
// each other, are shuffled for real; the key is the smallest that the plaintexts allow.
TEST(ShufflePaillier, CarriesTheMaskOfLemma1On250Parties) {
  const Sensitivity mu = *Sensitivity::make(3);
  const ShuffleNoise lemma1 = *calibrate_lemma1(250, mu, *Budget::make(10, 0.2), {.g = 0.01});
  ASSERT_NEAR(log10(lemma1.sigma_eta), 676.4, 0.1);
  const Graph graph = *Graph::path(10);
  SeededRandom random(41);
  const auto secrets = secrets_of(small_numbers(10, 9, random));
  const Packing packing = shuffle_packing(lemma1, secrets[0].grid(), 1, std::nullopt).value();
  const std::size_t key_bits = key_bits_for_slot(packing.slot_bits());
  const auto cipher = paillier_cipher(key_bits, Randomness::kHalf).value();
  const ShuffleNetwork ideal(graph, secrets, lemma1, 42);
  const ShuffleNetwork real(graph, secrets, lemma1, 42, *cipher);
  deliver_all(ideal.parties);
  deliver_all(real.parties, &random);
  for (PartyId i = 0; i < 10; ++i) {
    EXPECT_EQ(ideal.release(i).indices, real.release(i).indices);
  }
}

}  // namespace
}  // namespace sotto
