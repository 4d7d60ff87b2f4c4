// Numbers into lanes and out of them: from words of 64 bits to limbs of 52, and split by n.
#include "paillier/kernels/lane_modulus.h"

#include <algorithm>

#include "base/check.h"

namespace sotto::paillier {
namespace {

static_assert(GMP_NUMB_BITS == kWordBits);

// R ≥ 16n keeps both parts of a pair below 2n (docs/proofs/lanes.md).
constexpr std::size_t kSpareBits = 4;

std::size_t blocks_for(std::span<const Integer> moduli) {
  std::size_t bits = 0;
  for (const Integer& n : moduli) {
    check(n > 1 && mpz_odd_p(n.get_mpz_t()) != 0, "a modulus is odd and above 1");
    bits = std::max(bits, mpz_sizeinbase(n.get_mpz_t(), 2));
  }
  const std::size_t block_bits = kLimbBits * kBlockLimbs;
  return (bits + kSpareBits + block_bits - 1) / block_bits;
}

// One lane of radix 2⁵² from words of 64 bits.
void put_words(Vector8* vectors, std::size_t limbs, std::size_t lane,
               std::span<const mp_limb_t> words) {
  const auto word = [&](std::size_t i) { return i < words.size() ? words[i] : 0; };
  for (std::size_t i = 0; i < limbs; ++i) {
    const std::size_t at = kLimbBits * i / kWordBits;
    const std::size_t shift = kLimbBits * i % kWordBits;
    std::uint64_t limb = word(at) >> shift;
    if (shift > kWordBits - kLimbBits) limb |= word(at + 1) << (kWordBits - shift);
    vectors[i].lane[lane] = limb & kLimbMask;
  }
}

// −n⁻¹ mod 2^bits by Newton's iteration: n·n ≡ 1 mod 8, and every step doubles the bits.
Integer minus_inverse(const Integer& n, std::size_t bits) {
  const auto low = [&](const Integer& number) {
    Integer rest;
    mpz_fdiv_r_2exp(rest.get_mpz_t(), number.get_mpz_t(), bits);
    return rest;
  };
  const Integer modulus = low(n);
  Integer inverse = modulus;
  for (std::size_t correct = 3; correct < bits; correct *= 2) {
    inverse = low(inverse * (2 - modulus * inverse));
  }
  return low(-inverse);
}

// words = words mod divisor; returns the quotient. GMP's division without branches on the
// numbers.
Limbs divide(Limbs& words, const Limbs& divisor) {
  if (words.size() < divisor.size()) words.resize(divisor.size());
  const auto size = static_cast<mp_size_t>(words.size());
  const auto divisor_size = static_cast<mp_size_t>(divisor.size());
  Limbs quotient(words.size() - divisor.size() + 1);
  Limbs scratch(static_cast<std::size_t>(mpn_sec_div_qr_itch(size, divisor_size)));
  quotient.back() = mpn_sec_div_qr(quotient.data(), words.data(), size, divisor.data(),
                                   divisor_size, scratch.data());
  words.resize(divisor.size());
  return quotient;
}

}  // namespace

void put_number(Vector8* vectors, std::size_t limbs, std::size_t lane, const Integer& number) {
  check(number >= 0 && mpz_sizeinbase(number.get_mpz_t(), 2) <= kLimbBits * limbs,
        "a number fits its limbs");
  put_words(vectors, limbs, lane,
            {mpz_limbs_read(number.get_mpz_t()), mpz_size(number.get_mpz_t())});
}

Limbs get_words(const Vector8* vectors, std::size_t limbs, std::size_t lane, std::size_t width) {
  Limbs words(kLimbBits * limbs / kWordBits + 2);
  for (std::size_t i = 0; i < limbs; ++i) {
    const std::uint64_t limb = vectors[i].lane[lane];
    const std::size_t at = kLimbBits * i / kWordBits;
    const std::size_t shift = kLimbBits * i % kWordBits;
    words[at] |= limb << shift;
    if (shift > kWordBits - kLimbBits) words[at + 1] |= limb >> (kWordBits - shift);
  }
  words.resize(width);
  return words;
}

Integer get_number(const Vector8* vectors, std::size_t limbs, std::size_t lane) {
  return integer_of(get_words(vectors, limbs, lane, kLimbBits * limbs / kWordBits + 1));
}

PairModulus::PairModulus(std::span<const Integer> moduli)
    : blocks_(blocks_for(moduli)), constants_(kInverseLimbs + 5 * limbs()), moduli_(limbs()) {
  check(moduli.size() == kLanes || moduli.size() == 1, "a modulus for each lane, or one for all");
  check(limbs() <= kMaxLimbs, "a modulus is short enough for sums of 64 bits");
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const Integer& n = moduli[moduli.size() == 1 ? 0 : lane];
    words_.push_back(limbs_of(n));
    put_number(moduli_.at(0), limbs(), lane, n);
    put_number(constants_.at(0), kInverseLimbs, lane, minus_inverse(n, kLimbBits * kInverseLimbs));

    const Integer r = Integer(1) << (kLimbBits * limbs());
    Integer one_minus_r = (1 - r) % n;
    if (one_minus_r < 0) one_minus_r += n;
    put_number(constants_.at(kInverseLimbs), limbs(), lane, one_minus_r);
    put(constants_.at(kInverseLimbs + limbs()), lane, r * r);
    put(constants_.at(kInverseLimbs + 3 * limbs()), lane, r);
  }
}

LaneModulus PairModulus::view(std::size_t lanes) const {
  return {blocks_, lanes, moduli_.at(0), constants_.at(kInverseLimbs), constants_.at(0)};
}

void PairModulus::put(Vector8* pair, std::size_t lane, const Integer& number) const {
  check(number >= 0, "a residue is not negative");
  // x = x₀ + n·(x₁ + n·…)
  Limbs low = limbs_of(number);
  Limbs high = divide(low, words_[lane]);
  divide(high, words_[lane]);
  put_words(pair, limbs(), lane, low);
  put_words(pair + limbs(), limbs(), lane, high);
}

}  // namespace sotto::paillier
