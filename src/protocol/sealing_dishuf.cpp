// The sealing of `dishuf`, Algorithm 2: neighbours mix their masked values under each other's keys,
// and what is mixed in cancels in the sum.
#include <bit>

#include "base/check.h"
#include "privacy/calibrate/dishuf.h"
#include "protocol/sealing.h"

namespace sotto {
namespace {

// |T| ≤ 2^80 steps of the grid: 2^40 sensitivities, or a table of 2^38 rows.
constexpr unsigned kValueBits = 80;
// |η| ≤ 32σ for entries of weight 1 and ≥ 16σ for any: a draw beyond that has probability below
// e^−127, and is an error all the same.
constexpr int kMaskSigmas = 32;
// What the seal draws at least, where there is a mask at all.
constexpr int kLeastMaskSteps = 5;

// Algorithm 2 in integers, T̄_i^{(j)} being what i shows to j. With every neighbour j:
//   offer   i → j   k_ij, E_ij(−T̄_i^{(j)})
//   reply   j → i   (E_ij(−T̄_i^{(j)}) ⊕ E_ij(T̄_j^{(i)})) ⊗ a_{j→i}, re-randomised
// and then Δ_i = Σ_j a_{i→j}·a_{j→i}(T̄_j^{(i)} − T̄_i^{(j)}): an edge's two terms cancel, so it sums
// to 0 over the parties. k_ij is i's key for j and nobody else: under a common one, a third party
// that reads j's reply could fold it into its own, and cancel the mask of {i, j} in Δ_i. As many
// entries travel in one ciphertext as the cipher's plaintexts have slots for.
class Shuffle final : public Sealing {
 public:
  Shuffle(const ShuffleNoise& parameters, SealingInputs inputs)
      : self_(inputs.self),
        cipher_(*inputs.cipher),
        random_(inputs.keys),
        neighbours_(inputs.graph.neighbours(self_).begin(), inputs.graph.neighbours(self_).end()),
        seal_(inputs.secret, parameters, neighbours_.size(), inputs.noise),
        multipliers_(protocol::draw_multipliers(inputs.graph, self_, parameters, inputs.noise)),
        packing_(shuffle_packing(parameters, inputs.secret.grid(), inputs.secret.least_weight(),
                                 cipher_.plaintext_bits())),
        multiplier_bits_(static_cast<std::size_t>(std::bit_width(parameters.multiplier_max))),
        make_key_pairs_(std::move(inputs.key_pairs)),
        shuffled_(inputs.secret.size()),
        offered_(neighbours_.size()),
        replied_(neighbours_.size()) {
    if (!packing_) return;
    // Shared masks are packed once for all.
    const std::size_t different =
        parameters.masks == ShuffleMasks::kShared ? 1 : neighbours_.size();
    for (std::size_t k = 0; k < different; ++k) packed_.push_back(packing_->pack(seal_.masked(k)));
  }

  [[nodiscard]] Result<std::vector<Message>> start() override {
    SOTTO_TRY(packed());
    if (key_pairs_.empty()) make_key_pairs();
    std::vector<Message> out;
    for (std::size_t k = 0; k < neighbours_.size(); ++k) {
      IntegerVector negated = masked_for(k);
      for (Integer& plaintext : negated) plaintext = -plaintext;
      const DecryptionKey& own = *key_pairs_[k];
      out.emplace_back(
          self_, neighbours_[k],
          ShuffleOffer{own.encryption_key().serialised(), own.encrypt(negated, random_)});
    }
    shown_ = true;
    return out;
  }

  [[nodiscard]] Result<std::vector<Message>> receive(const Message& message) override {
    SOTTO_TRY(packed());
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

  [[nodiscard]] bool shown() const override { return shown_; }

  [[nodiscard]] std::size_t entries() const override { return shuffled_.size(); }

 private:
  void make_key_pairs() {
    if (make_key_pairs_) {
      key_pairs_ = make_key_pairs_();
    } else {
      for (std::size_t k = 0; k < neighbours_.size(); ++k) {
        key_pairs_.push_back(cipher_.generate(random_));
      }
    }
    check(key_pairs_.size() == neighbours_.size(), "every neighbour has a key pair of its own");
  }

  // Whether every value has a slot.
  [[nodiscard]] Result<void> packed() const {
    if (!packing_) return packing_.error();
    for (const Result<IntegerVector>& masked : packed_) {
      if (!masked) return masked.error();
    }
    return {};
  }

  // What the k-th neighbour sees. Precondition: packed().
  [[nodiscard]] const IntegerVector& masked_for(std::size_t k) const {
    return packed_.size() == 1 ? *packed_.front() : *packed_[k];
  }

  [[nodiscard]] Result<std::vector<Message>> answer(PartyId from, std::size_t k,
                                                    const ShuffleOffer& offer) {
    if (offered_[k]) return bad_peer(from, "offered twice");
    if (offer.negated.size() != packing_->plaintexts(entries())) {
      return bad_peer(from, "offered a vector of another length");
    }
    const auto key = cipher_.read_key(offer.public_key);
    if (!key) return bad_peer(from, "sent a public key that is refused: " + key.error().what);
    if (auto valid = (*key)->validate(offer.negated); !valid) {
      return bad_peer(from, "sent ciphertexts that are refused: " + valid.error().what);
    }
    Ciphertexts scaled = (*key)->add_and_scale(offer.negated, masked_for(k), multipliers_[k],
                                               multiplier_bits_, random_);
    offered_[k] = true;
    shown_ = true;
    return std::vector<Message>{{self_, from, ShuffleReply{std::move(scaled)}}};
  }

  [[nodiscard]] Result<std::vector<Message>> collect(PartyId from, std::size_t k,
                                                     const ShuffleReply& reply) {
    if (replied_[k]) return bad_peer(from, "replied twice");
    if (key_pairs_.empty()) return bad_peer(from, "replied to what was never offered");
    if (reply.scaled.size() != packing_->plaintexts(entries())) {
      return bad_peer(from, "replied with a vector of another length");
    }
    const auto plain = key_pairs_[k]->decrypt(reply.scaled);
    if (!plain) return bad_peer(from, "sent ciphertexts that are refused: " + plain.error().what);
    const auto differences = packing_->unpack(*plain, entries());
    if (!differences)
      return bad_peer(from, "sent an answer that is refused: " + differences.error().what);
    for (std::size_t entry = 0; entry < shuffled_.size(); ++entry) {
      shuffled_[entry] += multipliers_[k] * (*differences)[entry];
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
  Result<Packing> packing_;
  std::vector<Result<IntegerVector>> packed_;  // T̄ for each neighbour, or for all, in slots
  std::size_t multiplier_bits_;  // of the largest: how long a_{i→j} is stays a secret
  std::function<KeyPairs()> make_key_pairs_;
  KeyPairs key_pairs_;      // one for each neighbour, from start() on
  IntegerVector shuffled_;  // Δ_i so far
  std::vector<bool> offered_;
  std::vector<bool> replied_;
  bool shown_ = false;  // an offer or an answer was made
};

}  // namespace

IntegerVector protocol::draw_multipliers(const Graph& graph, PartyId self,
                                         const ShuffleNoise& parameters, NoiseSource& noise) {
  const Integer low(static_cast<unsigned long>(multiplier_min(parameters.multiplier_max)));
  const Integer high(static_cast<unsigned long>(parameters.multiplier_max));
  IntegerVector multipliers;
  for (std::size_t k = 0; k < graph.degree(self); ++k) {
    multipliers.push_back(noise.uniform(low, high));
  }
  return multipliers;
}

Result<Packing> shuffle_packing(const ShuffleNoise& parameters, Grid grid, double least_weight,
                                std::optional<std::size_t> plaintext_bits) {
  Integer bound = Integer(1) << kValueBits;
  if (sgn(parameters.sigma_eta) > 0) {
    // One step more for the sensitivity's rounding.
    const Rational weight(std::min(1.0, 2 * least_weight));
    const Integer steps = ceiling(parameters.sigma_eta / (grid.step() * weight)) + 1;
    bound += kMaskSigmas * std::max<Integer>(steps, kLeastMaskSteps);
  }
  return Packing::make(plaintext_bits, bound,
                       Integer(static_cast<unsigned long>(parameters.multiplier_max)));
}

std::unique_ptr<Sealing> protocol::seal_dishuf(const ShuffleNoise& noise, SealingInputs inputs) {
  check(inputs.cipher != nullptr, "a shuffle encrypts");
  return std::make_unique<Shuffle>(noise, std::move(inputs));
}

}  // namespace sotto
