// Values side by side in one plaintext: the widths of slots, and the way in and out.
#include "paillier/packing.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "paillier/cipher.h"

namespace sotto {
namespace {

std::size_t bits_of(const Integer& positive) {
  return mpz_sizeinbase(positive.get_mpz_t(), 2);
}

// The signed digit of `rest` in the lowest slot, in [−2^(bits−1), 2^(bits−1)); takes it off.
Integer take_slot(Integer& rest, std::size_t bits) {
  Integer digit;
  mpz_fdiv_r_2exp(digit.get_mpz_t(), rest.get_mpz_t(), bits);
  mpz_fdiv_q_2exp(rest.get_mpz_t(), rest.get_mpz_t(), bits);
  if (mpz_tstbit(digit.get_mpz_t(), bits - 1) != 0) {
    digit -= Integer(1) << bits;
    rest += 1;
  }
  return digit;
}

}  // namespace

Result<Packing> Packing::make(std::optional<std::size_t> plaintext_bits, const Integer& value_bound,
                              const Integer& factor_max) {
  check(value_bound > 0 && factor_max > 0, "slots are made for values and factors that exist");
  Integer result_bound = 2 * factor_max * value_bound;
  const std::size_t slot_bits = bits_of(result_bound) + 2;
  if (!plaintext_bits) return Packing(slot_bits, 1, value_bound, std::move(result_bound));
  // |P| < 2^(slots·W − 1), whatever the slots hold.
  const std::size_t slots = (*plaintext_bits + 1) / slot_bits;
  if (slots == 0) {
    const std::size_t needed = key_bits_for_slot(slot_bits);
    return bad_input("E-key-too-short",
                     fmt::format("one masked value takes {} bits, and a plaintext has {}",
                                 slot_bits, *plaintext_bits),
                     needed <= kMaxKeyBits
                         ? fmt::format("key_bits = {} would do", needed)
                         : fmt::format("key_bits = {} would do, and {} is the most there is; use "
                                       "calibration = \"graph\"",
                                       needed, kMaxKeyBits));
  }
  return Packing(slot_bits, slots, value_bound, std::move(result_bound));
}

std::size_t Packing::plaintexts(std::size_t values) const {
  return (values + slots_ - 1) / slots_;
}

Result<IntegerVector> Packing::pack(std::span<const Integer> values) const {
  IntegerVector packed(plaintexts(values.size()));
  for (std::size_t k = values.size(); k-- > 0;) {
    if (abs(values[k]) > value_bound_) {
      return failed(
          "E-slot-overflow", "a masked value is larger than its slot",
          "measure the columns in larger units: an entry may be up to 2^40 sensitivities");
    }
    Integer& plaintext = packed[k / slots_];
    plaintext <<= slot_bits_;
    plaintext += values[k];
  }
  return packed;
}

Result<IntegerVector> Packing::unpack(std::span<const Integer> plaintexts_in,
                                      std::size_t values) const {
  check(plaintexts_in.size() == plaintexts(values), "as many plaintexts as the values take");
  IntegerVector result;
  result.reserve(values);
  for (const Integer& plaintext : plaintexts_in) {
    Integer rest = plaintext;
    const std::size_t here = std::min(slots_, values - result.size());
    for (std::size_t slot = 0; slot < here; ++slot) {
      // Without a limit the only slot is as wide as its value.
      Integer value = slots_ == 1 ? std::exchange(rest, 0) : take_slot(rest, slot_bits_);
      if (abs(value) > result_bound_) {
        return failed("E-slot-overflow", "a value that came back is larger than its slot",
                      "one of the two parties does not keep to the protocol");
      }
      result.push_back(std::move(value));
    }
    // Slots that hold nothing, and what is above the last slot.
    if (sgn(rest) != 0) {
      return failed("E-slot-overflow", "a plaintext has more in it than its slots",
                    "one of the two parties does not keep to the protocol");
    }
  }
  return result;
}

std::size_t key_bits_for_slot(std::size_t slot_bits) {
  // A key of b bits holds |P| < 2^(b−2), and one slot needs b − 2 + 1 ≥ W.
  const std::size_t steps = (slot_bits + 1 + kKeyBitsStep - 1) / kKeyBitsStep;
  return std::max(kMinKeyBits, steps * kKeyBitsStep);
}

ShuffleSize shuffle_size(const Packing& packing, std::size_t values, std::size_t key_bits,
                         bool full_randomness) {
  const std::size_t ciphertexts = packing.plaintexts(values);
  const std::size_t bytes = ciphertexts * (key_bits / 4);
  const std::size_t key = key_bits / 8 + (full_randomness ? 0 : key_bits / 4);
  return {.ciphertexts = ciphertexts, .offer_bytes = key + bytes, .reply_bytes = bytes};
}

}  // namespace sotto
