#include <gtest/gtest.h>

#include <map>

#include "paillier/encryption_key.h"
#include "privacy/calibrate/dishuf.h"
#include "support/shuffles.h"

namespace sotto {
namespace {

using namespace protocol_test;

TEST(ShufflePaillier, GivesTheSameBitsAsTheIdealCipher) {
  const auto half = paillier_cipher(2048, Randomness::kHalf).value();
  const auto full = paillier_cipher(2048, Randomness::kFull).value();
  expect_same_releases(1, 4, 40, *half);
  expect_same_releases(2, 4, 40, *half);
  expect_same_releases(3, 3, 40, *full);
}

TEST(ShufflePaillier, SendsAsManyCiphertextsAndBytesAsWereAnnounced) {
  SeededRandom random(21);
  const Graph graph = *Graph::path(2);
  const auto cipher = paillier_cipher(2048, Randomness::kHalf).value();
  const ShuffleNoise parameters = graph_noise(graph);
  const auto secrets = secrets_of(small_numbers(2, 65, random));
  const ShuffleNetwork run(graph, secrets, parameters, 22, *cipher);
  const Packing packing =
      shuffle_packing(parameters, secrets[0].grid(), 1, cipher->plaintext_bits()).value();
  EXPECT_GE(packing.slots(), 20U);
  const ShuffleSize size = shuffle_size(packing, 65, 2048, false);
  EXPECT_EQ(size.ciphertexts, packing.plaintexts(65));
  deliver_all(run.parties, nullptr, [&](const Message& next) {
    if (const auto* offer = std::get_if<ShuffleOffer>(&next.payload)) {
      EXPECT_EQ(offer->negated.size(), size.ciphertexts);
      EXPECT_EQ(offer->public_key.size() + offer->negated.size() * 512, size.offer_bytes);
    } else {
      const auto& reply = std::get<ShuffleReply>(next.payload);
      EXPECT_EQ(reply.scaled.size(), size.ciphertexts);
      EXPECT_EQ(reply.scaled.size() * 512, size.reply_bytes);
    }
  });
}

TEST(ShufflePaillier, RefusesAKeyTooShortForTheMask) {
  const Graph graph = *Graph::cycle(250);
  const Sensitivity mu = *Sensitivity::make(3);
  const ShuffleNoise lemma1 = *calibrate_lemma1(250, mu, *Budget::make(10, 0.2), {.g = 0.01});
  const auto cipher = paillier_cipher(2048, Randomness::kHalf).value();
  const Secret secret = Secret::of_entries(std::vector<double>{1, 2}, mu);
  SeededRandom keys(1);
  const auto noise = fast_noise(1, 1);
  const auto started =
      make_sealing(lemma1, {0, graph, secret, *noise, keys, cipher.get()})->start();
  ASSERT_FALSE(started.has_value());
  EXPECT_EQ(started.error().name, "E-key-too-short");
  const auto packing = shuffle_packing(lemma1, secret.grid(), 1, std::nullopt);
  const std::size_t needed = key_bits_for_slot(packing->slot_bits());
  EXPECT_NE(started.error().fix.find(std::to_string(needed)), std::string::npos);
  EXPECT_TRUE(shuffle_packing(lemma1, secret.grid(), 1, needed - 2).has_value());
  EXPECT_LE(needed, 3072U);
}

// docs/proofs/packing.md, claim 3: the entry of the smallest weight has the largest mask, and 16 of
// its standard deviations have a slot. Weights from 1/2 on leave slots as they were.
TEST(ShufflePaillier, LeavesRoomForTheMaskOfTheSmallestWeight) {
  const Graph graph = *Graph::cycle(5);
  const ShuffleNoise noise =
      *calibrate_shuffle(graph, *Sensitivity::make(1), *Budget::make(1e-3, 1e-12), {}, 0);
  const Grid grid{-40};
  const auto bits = [&](double least) {
    return shuffle_packing(noise, grid, least, std::nullopt)->slot_bits();
  };
  EXPECT_EQ(bits(1.5), bits(1));
  EXPECT_EQ(bits(0.5), bits(1));
  for (const double least : {0.5, 1e-3, 1e-6, 1e-12}) {
    const Integer sigma = ceiling(noise.sigma_eta / (grid.step() * Rational(least)));
    const Integer honest = (Integer(1) << 79) + 16 * sigma;
    const Packing packing = *shuffle_packing(noise, grid, least, std::nullopt);
    EXPECT_TRUE(packing.pack(IntegerVector{honest}).has_value()) << least;
    EXPECT_FALSE(packing.pack(IntegerVector{honest << 2}).has_value()) << least;
  }
  EXPECT_GT(bits(1e-12), bits(1));
}

TEST(ShufflePaillierPeer, IsNamedAndHarmlessWhateverItSends) {
  SeededRandom random(31);
  const Graph graph = *Graph::path(2);
  const auto cipher = paillier_cipher(2048, Randomness::kHalf).value();
  const auto secrets = secrets_of(small_numbers(2, 25, random));
  const ShuffleNetwork honest(graph, secrets, graph_noise(graph), 32);
  const ShuffleNetwork attacked(graph, secrets, graph_noise(graph), 32, *cipher);
  deliver_all(honest.parties);
  deliver_all(attacked.parties, nullptr, [&](const Message& next) {
    if (next.to != 1) return;
    Party& victim = *attacked.parties[1];
    const auto from = [&](Payload payload) { return Message{0, 1, std::move(payload)}; };
    if (const auto* offer = std::get_if<ShuffleOffer>(&next.payload)) {
      std::string key = offer->public_key;
      expect_refused(victim, from(ShuffleOffer{key.substr(1), offer->negated}), "public key");
      expect_refused(victim, from(ShuffleOffer{key + "x", offer->negated}), "public key");
      key[255] = static_cast<char>(key[255] ^ 1);  // N even
      expect_refused(victim, from(ShuffleOffer{key, offer->negated}), "public key");
      Ciphertexts zeros(offer->negated.size());
      expect_refused(victim, from(ShuffleOffer{offer->public_key, zeros}), "ciphertexts");
      expect_refused(victim, from(ShuffleOffer{offer->public_key, {}}), "length");
    } else {
      Ciphertexts reply = std::get<ShuffleReply>(next.payload).scaled;
      // Scaled once more: a plaintext that no honest party can reach.
      const auto key =
          cipher->read_key(static_cast<const ShuffleOffer&>(
                               std::get<ShuffleOffer>((*attacked.parties[1]->start())[0].payload))
                               .public_key);
      SeededRandom bits(1);
      const Ciphertexts large =
          (*key)->add_and_scale(reply, IntegerVector(reply.size()), Integer(1) << 300, 301, bits);
      expect_refused(victim, from(ShuffleReply{large}), "slot");
      reply[0] = 0;
      expect_refused(victim, from(ShuffleReply{reply}), "ciphertexts");
    }
  });
  for (PartyId i = 0; i < 2; ++i) {
    EXPECT_EQ(attacked.release(i).indices, honest.release(i).indices);
  }
}

// A path 0 – 1 – 2 whose masks all have weight 4, and what the party at its end could do if TLS did
// not keep the answer of 2 to 1 from it: send its inverse to 1 as its own, so that 1 adds it up to
// nothing, and releases its value without any mask.
class FoldedAnswer {
 public:
  // With `common`, party 1 gives both neighbours the same public key.
  explicit FoldedAnswer(bool common) {
    SeededRandom random(41);
    secrets_ = secrets_of(small_numbers(3, 2, random));
    for (PartyId i = 0; i < 3; ++i) {
      noise_.push_back(fast_noise(42, i));
      random_.push_back(std::make_unique<SeededRandom>(43, i));
      std::function<KeyPairs()> keys;
      if (i == 1 && common) {
        keys = [this] {
          return generate_key_pairs(*cipher_, {}, std::vector<std::uint32_t>{7, 7});
        };
      }
      parties_.push_back(make_sealing(parameters_, {i, graph_, secrets_[i], *noise_[i], *random_[i],
                                                    cipher_.get(), std::move(keys)}));
    }
    const auto offers = parties_[1]->start().value();
    for (const Message& message : offers) {
      public_key_[message.to] = std::get<ShuffleOffer>(message.payload).public_key;
      const auto answer = parties_[message.to]->receive(message).value();
      answers_[message.to] = std::get<ShuffleReply>(answer.at(0).payload).scaled;
    }
    for (const PartyId i : {0, 2}) {
      const auto offer = parties_[i]->start().value();
      (void)parties_[1]->receive(offer.at(0)).value();
    }
  }

  [[nodiscard]] Party& victim() { return *parties_[1]; }
  [[nodiscard]] Message honest(PartyId from) const {
    return {from, 1, ShuffleReply{answers_.at(from)}};
  }
  // c ↦ c⁻¹ mod N²: of a ciphertext under N, the one of the negated plaintext.
  [[nodiscard]] Message folded() const {
    const Integer n = paillier::from_bytes(public_key_.at(0).substr(0, 2048 / 8));
    const Integer n_squared = n * n;
    Ciphertexts inverses = answers_.at(2);
    for (Integer& c : inverses) mpz_invert(c.get_mpz_t(), c.get_mpz_t(), n_squared.get_mpz_t());
    return {0, 1, ShuffleReply{inverses}};
  }
  [[nodiscard]] IntegerVector release() const {
    return static_cast<const Sealing&>(*parties_[1]).release().indices;
  }
  // Z·T + Γ: the value under its noise alone.
  [[nodiscard]] IntegerVector unmasked() const {
    const auto again = fast_noise(42, 1);
    const ShuffleSeal seal(secrets_[1], parameters_, 2, *again);
    return seal.release(IntegerVector(2)).indices;
  }

 private:
  Graph graph_ = *Graph::path(3);
  ShuffleNoise parameters_ = *calibrate_shuffle(
      graph_, *Sensitivity::make(3), *Budget::make(10, 0.2), {.g = 0.01, .multiplier_max = 2}, 0);
  std::unique_ptr<Cipher> cipher_ = paillier_cipher(2048, Randomness::kHalf).value();
  std::vector<Secret> secrets_;
  std::vector<std::unique_ptr<NoiseSource>> noise_;
  std::vector<std::unique_ptr<RandomSource>> random_;
  Parties parties_;
  std::map<PartyId, std::string> public_key_;  // that party 1 gave this neighbour
  std::map<PartyId, Ciphertexts> answers_;     // that it gave back
};

TEST(ShufflePaillierPeer, WouldCancelAnotherEdgesMaskIfTheKeyWereCommon) {
  FoldedAnswer attack(true);
  ASSERT_TRUE(attack.victim().receive(attack.folded()));
  ASSERT_TRUE(attack.victim().receive(attack.honest(2)));
  EXPECT_EQ(attack.release(), attack.unmasked());
}

TEST(ShufflePaillierPeer, CannotFoldAnotherEdgesCiphertextIntoItsAnswer) {
  FoldedAnswer attack(false);
  FoldedAnswer undisturbed(false);
  expect_refused(attack.victim(), attack.folded(), "refused");
  for (FoldedAnswer* run : {&attack, &undisturbed}) {
    for (const PartyId from : {0, 2}) ASSERT_TRUE(run->victim().receive(run->honest(from)));
  }
  EXPECT_EQ(attack.release(), undisturbed.release());
  EXPECT_NE(attack.release(), attack.unmasked());
}

}  // namespace
}  // namespace sotto
