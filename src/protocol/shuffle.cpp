#include <algorithm>
#include <optional>

#include "base/check.h"
#include "protocol/sealing.h"

namespace sotto {
namespace {

// Algorithm 2 in integers. With every neighbour j:
//   offer   i → j   k_i, E_i(−T̄_i)
//   reply   j → i   (E_i(−T̄_i) ⊕ E_i(T̄_j)) ⊗ a_{j→i}, re-randomised
// and then Δ_i = Σ_j a_{i→j}·a_{j→i}(T̄_j − T̄_i), which sums to 0 over the parties.
class Shuffle final : public Sealing {
 public:
  Shuffle(PartyId self, const Graph& graph, const Secret& secret, const ShuffleNoise& parameters,
          NoiseSource& noise, const Cipher& cipher, RandomSource& cipher_random)
      : self_(self),
        cipher_(cipher),
        random_(cipher_random),
        seal_(secret, parameters, noise),
        multipliers_(draw_multipliers(graph, self, parameters, noise)),
        key_(cipher.generate(cipher_random)),
        shuffled_(secret.size()) {
    const auto neighbours = graph.neighbours(self);
    neighbours_.assign(neighbours.begin(), neighbours.end());
    offered_.resize(neighbours_.size());
    replied_.resize(neighbours_.size());
  }

  [[nodiscard]] Result<std::vector<Message>> start() override {
    IntegerVector negated = seal_.masked();
    for (Integer& entry : negated) entry = -entry;
    const ShuffleOffer offer{key_->encryption_key().serialised(),
                             key_->encryption_key().encrypt(negated, random_)};
    std::vector<Message> out;
    for (const PartyId to : neighbours_) out.push_back({self_, to, offer});
    return out;
  }

  [[nodiscard]] Result<std::vector<Message>> receive(const Message& message) override {
    const auto neighbour = std::lower_bound(neighbours_.begin(), neighbours_.end(), message.from);
    if (neighbour == neighbours_.end() || *neighbour != message.from) {
      return bad_peer(message.from, "is not a neighbour, and sent a shuffle message");
    }
    const auto k = static_cast<std::size_t>(neighbour - neighbours_.begin());
    if (const auto* offer = std::get_if<ShuffleOffer>(&message.payload)) {
      return answer(message.from, k, *offer);
    }
    if (const auto* reply = std::get_if<ShuffleReply>(&message.payload)) {
      return collect(message.from, k, *reply);
    }
    return bad_peer(message.from, "sent something else than a shuffle message");
  }

  [[nodiscard]] bool done() const override {
    // Offers count too: a party that stopped before answering would leave a neighbour waiting.
    return std::ranges::all_of(offered_, [](bool b) { return b; }) &&
           std::ranges::all_of(replied_, [](bool b) { return b; });
  }

  [[nodiscard]] Released release() const override {
    check(done(), "the release follows the whole shuffle");
    return seal_.release(shuffled_);
  }

  [[nodiscard]] std::size_t entries() const override { return shuffled_.size(); }

 private:
  [[nodiscard]] Result<std::vector<Message>> answer(PartyId from, std::size_t k,
                                                    const ShuffleOffer& offer) {
    if (offered_[k]) return bad_peer(from, "offered twice");
    if (offer.negated.size() != shuffled_.size()) {
      return bad_peer(from, "offered a vector of another length");
    }
    const auto key = cipher_.read_key(offer.public_key);
    if (!key) return bad_peer(from, "sent a public key that is refused: " + key.error().what);
    if (auto valid = (*key)->validate(offer.negated); !valid) {
      return bad_peer(from, "sent ciphertexts that are refused: " + valid.error().what);
    }
    const Ciphertexts own = (*key)->encrypt(seal_.masked(), random_);
    const Ciphertexts difference = (*key)->add(own, offer.negated);
    const Ciphertexts scaled = (*key)->multiply(difference, multipliers_[k]);
    offered_[k] = true;
    return std::vector<Message>{{self_, from, ShuffleReply{(*key)->rerandomise(scaled, random_)}}};
  }

  [[nodiscard]] Result<std::vector<Message>> collect(PartyId from, std::size_t k,
                                                     const ShuffleReply& reply) {
    if (replied_[k]) return bad_peer(from, "replied twice");
    if (reply.scaled.size() != shuffled_.size()) {
      return bad_peer(from, "replied with a vector of another length");
    }
    const auto plain = key_->decrypt(reply.scaled);
    if (!plain) return bad_peer(from, "sent ciphertexts that are refused: " + plain.error().what);
    for (std::size_t entry = 0; entry < shuffled_.size(); ++entry) {
      shuffled_[entry] += multipliers_[k] * (*plain)[entry];
    }
    replied_[k] = true;
    return std::vector<Message>{};
  }

  PartyId self_;
  const Cipher& cipher_;
  RandomSource& random_;
  std::vector<PartyId> neighbours_;
  ShuffleSeal seal_;
  IntegerVector multipliers_;
  std::unique_ptr<DecryptionKey> key_;
  IntegerVector shuffled_;  // Δ_i so far
  std::vector<bool> offered_;
  std::vector<bool> replied_;
};

}  // namespace

IntegerVector draw_multipliers(const Graph& graph, PartyId self, const ShuffleNoise& parameters,
                               NoiseSource& noise) {
  const Integer low(static_cast<unsigned long>(multiplier_min(parameters.multiplier_max)));
  const Integer high(static_cast<unsigned long>(parameters.multiplier_max));
  IntegerVector multipliers;
  for (std::size_t k = 0; k < graph.degree(self); ++k) {
    multipliers.push_back(noise.uniform(low, high));
  }
  return multipliers;
}

std::unique_ptr<Sealing> make_shuffle(PartyId self, const Graph& graph, const Secret& secret,
                                      const ShuffleNoise& parameters, NoiseSource& noise,
                                      const Cipher& cipher, RandomSource& cipher_random) {
  return std::make_unique<Shuffle>(self, graph, secret, parameters, noise, cipher, cipher_random);
}

}  // namespace sotto
