#pragma once

#include <optional>
#include <span>

#include "base/integer.h"
#include "base/result.h"

namespace sotto {

// Several values in one plaintext, each in a slot of its own:
//
//     P = Σ_k v_k·2^(W·k),   |v_k| ≤ B,
//
// so that (−P + P')·a has a(v'_k − v_k) in slot k, for 0 ≤ a ≤ ā. A slot holds what comes
// back, at most 2āB, with a sign bit and a guard bit: W = bits(2āB) + 2. Whoever packs checks B,
// whoever unpacks checks 2āB, and a value that does not fit is an error, never a wrong number.
// docs/proofs/packing.md
class Packing {
 public:
  // For plaintexts |P| < 2^plaintext_bits; none: plaintexts without limit, one value in each.
  // An error if not even one slot fits.
  [[nodiscard]] static Result<Packing> make(std::optional<std::size_t> plaintext_bits,
                                            const Integer& value_bound, const Integer& factor_max);

  [[nodiscard]] std::size_t slot_bits() const { return slot_bits_; }
  [[nodiscard]] std::size_t slots() const { return slots_; }
  // How many plaintexts so many values take: ⌈values/slots⌉.
  [[nodiscard]] std::size_t plaintexts(std::size_t values) const;

  [[nodiscard]] Result<IntegerVector> pack(std::span<const Integer> values) const;
  [[nodiscard]] Result<IntegerVector> unpack(std::span<const Integer> plaintexts,
                                             std::size_t values) const;

 private:
  Packing(std::size_t slot_bits, std::size_t slots, Integer value_bound, Integer result_bound)
      : slot_bits_(slot_bits),
        slots_(slots),
        value_bound_(std::move(value_bound)),
        result_bound_(std::move(result_bound)) {}

  std::size_t slot_bits_;
  std::size_t slots_;
  Integer value_bound_;   // B
  Integer result_bound_;  // 2āB
};

// The smallest Paillier key, in the steps that keys come in, whose plaintexts have room for a slot.
[[nodiscard]] std::size_t key_bits_for_slot(std::size_t slot_bits);

// Bytes of payload that one shuffle of `values` values costs: a public key and the offer's
// ciphertexts to each neighbour, and a reply from each.
struct ShuffleSize {
  std::size_t ciphertexts = 0;  // in an offer, and in a reply
  std::size_t offer_bytes = 0;
  std::size_t reply_bytes = 0;
};

[[nodiscard]] ShuffleSize shuffle_size(const Packing& packing, std::size_t values,
                                       std::size_t key_bits, bool full_randomness);

}  // namespace sotto
