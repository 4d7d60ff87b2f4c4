// The sealing of `pairwise`: the two ends of an edge agree on a key (X25519), draw the same mask
// from it, and one adds what the other subtracts.
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "protocol/sealing.h"

namespace sotto {
namespace {

using PublicKey = std::array<std::byte, 32>;

template <auto free>
struct FreedBy {
  void operator()(auto* object) const { free(object); }
};
using KeyHandle = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using ContextHandle = std::unique_ptr<EVP_PKEY_CTX, FreedBy<EVP_PKEY_CTX_free>>;

const unsigned char* raw(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

KeyHandle draw_key(RandomSource& random) {
  std::array<std::byte, 32> secret{};
  random.fill(secret);
  KeyHandle key(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, raw(secret.data()), secret.size()));
  OPENSSL_cleanse(secret.data(), secret.size());
  check(key != nullptr, "OpenSSL makes X25519 keys");
  return key;
}

PublicKey public_part(EVP_PKEY* key) {
  PublicKey result{};
  std::size_t size = result.size();
  const int ok =
      EVP_PKEY_get_raw_public_key(key, reinterpret_cast<unsigned char*>(result.data()), &size);
  check(ok == 1 && size == result.size(), "an X25519 public key has 32 bytes");
  return result;
}

// HKDF-SHA256 of the X25519 secret; both public keys and the study go into it,
// lower party first, so that both ends derive the same key and no other edge or
// study does.
Result<KeyedRandom::Key> shared_key(EVP_PKEY* own, PartyId peer, const PublicKey& theirs,
                                    std::string_view info) {
  const KeyHandle peer_key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, raw(theirs.data()), theirs.size()));
  const ContextHandle agree(EVP_PKEY_CTX_new(own, nullptr));
  std::array<unsigned char, 32> secret{};
  std::size_t size = secret.size();
  // Fails for points of small order, which would make the secret known to everybody.
  if (peer_key == nullptr || EVP_PKEY_derive_init(agree.get()) != 1 ||
      EVP_PKEY_derive_set_peer(agree.get(), peer_key.get()) != 1 ||
      EVP_PKEY_derive(agree.get(), secret.data(), &size) != 1 || size != secret.size()) {
    return bad_peer(peer, "sent an X25519 key that gives no secret");
  }
  KeyedRandom::Key key{};
  std::size_t key_size = key.size();
  const ContextHandle kdf(EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nullptr));
  const bool ok =
      EVP_PKEY_derive_init(kdf.get()) == 1 &&
      EVP_PKEY_CTX_set_hkdf_md(kdf.get(), EVP_sha256()) == 1 &&
      EVP_PKEY_CTX_set1_hkdf_key(kdf.get(), secret.data(), static_cast<int>(secret.size())) == 1 &&
      EVP_PKEY_CTX_add1_hkdf_info(kdf.get(), reinterpret_cast<const unsigned char*>(info.data()),
                                  static_cast<int>(info.size())) == 1 &&
      EVP_PKEY_derive(kdf.get(), reinterpret_cast<unsigned char*>(key.data()), &key_size) == 1;
  OPENSSL_cleanse(secret.data(), secret.size());
  check(ok && key_size == key.size(), "OpenSSL has HKDF");
  return key;
}

// A word as a key of the ideal agreement, and back.
PublicKey ideal_key(std::uint64_t word) {
  PublicKey key{};
  std::memcpy(key.data(), &word, sizeof(word));
  return key;
}

std::uint64_t ideal_word(const PublicKey& key) {
  std::uint64_t word = 0;
  std::memcpy(&word, key.data(), sizeof(word));
  return word;
}

class Pairwise final : public Sealing {
 public:
  Pairwise(const PairwiseNoise& parameters, const SealingInputs& inputs)
      : self_(inputs.self),
        entries_(inputs.secret.size()),
        seal_(inputs.secret, parameters, inputs.noise),
        context_(inputs.context),
        agreement_(inputs.agreement) {
    for (const PartyId neighbour : inputs.graph.neighbours(self_)) {
      EdgeState& edge = edges_.emplace_back();
      edge.neighbour = neighbour;
      if (agreement_ == Agreement::kIdeal) {
        edge.own = ideal_key(inputs.keys.bits64());
      } else {
        edge.secret = draw_key(inputs.keys);
        edge.own = public_part(edge.secret.get());
      }
    }
  }

  [[nodiscard]] Result<std::vector<Message>> start() override {
    std::vector<Message> out;
    for (const EdgeState& edge : edges_) {
      out.emplace_back(self_, edge.neighbour, PairwiseOffer{edge.own});
    }
    return out;
  }

  [[nodiscard]] Result<std::vector<Message>> receive(const Message& message) override {
    const auto edge = std::ranges::find(edges_, message.from, &EdgeState::neighbour);
    if (edge == edges_.end()) {
      return bad_peer(message.from, "is not a neighbour, and sent a pairwise key");
    }
    const auto* offer = std::get_if<PairwiseOffer>(&message.payload);
    if (offer == nullptr) return bad_peer(message.from, "sent something else than a pairwise key");
    if (edge->masked) return bad_peer(message.from, "sent a second pairwise key");

    if (agreement_ == Agreement::kIdeal) {
      add_ideal_mask(*edge, offer->public_key);
    } else {
      SOTTO_TRY(add_mask(*edge, offer->public_key));
    }
    edge->masked = true;
    edge->secret.reset();
    return std::vector<Message>{};
  }

  [[nodiscard]] bool done() const override {
    return std::ranges::all_of(edges_, [](const EdgeState& edge) { return edge.masked; });
  }

  [[nodiscard]] Released release() const override {
    check(done(), "the release follows all masks");
    return seal_.release();
  }

  // Keys are all that it sends.
  [[nodiscard]] bool shown() const override { return false; }

  [[nodiscard]] std::size_t entries() const override { return entries_; }

 private:
  struct EdgeState {
    PartyId neighbour = 0;
    PublicKey own{};
    KeyHandle secret;  // gone once the mask is in
    bool masked = false;
  };

  [[nodiscard]] Result<void> add_mask(const EdgeState& edge, const PublicKey& theirs) {
    const bool lower = self_ < edge.neighbour;
    std::string info = context_;
    for (const PublicKey* part : {lower ? &edge.own : &theirs, lower ? &theirs : &edge.own}) {
      info.append(reinterpret_cast<const char*>(part->data()), part->size());
    }
    SOTTO_ASSIGN(auto key, shared_key(edge.secret.get(), edge.neighbour, theirs, info));
    KeyedRandom shared(key);
    OPENSSL_cleanse(key.data(), key.size());
    seal_.add_mask(*exact_noise(shared), /*subtract=*/!lower);
    return {};
  }

  // Both ends are in one process, so the simulator's sampler draws the same integers for both.
  void add_ideal_mask(const EdgeState& edge, const PublicKey& theirs) {
    const bool lower = self_ < edge.neighbour;
    const auto shared = lower ? fast_noise(ideal_word(edge.own), ideal_word(theirs))
                              : fast_noise(ideal_word(theirs), ideal_word(edge.own));
    seal_.add_mask(*shared, /*subtract=*/!lower);
  }

  PartyId self_;
  std::size_t entries_;
  PairwiseSeal seal_;
  std::string context_;
  Agreement agreement_;
  std::vector<EdgeState> edges_;
};

}  // namespace

std::unique_ptr<Sealing> protocol::seal_pairwise(const PairwiseNoise& noise,
                                                 const SealingInputs& inputs) {
  return std::make_unique<Pairwise>(noise, inputs);
}

}  // namespace sotto
