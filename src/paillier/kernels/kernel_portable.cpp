// The kernel that runs everywhere: pairs modulo n² on GMP's side-channel silent functions, one
// number after the other.
#include <algorithm>

#include "base/check.h"
#include "base/parallel.h"
#include "paillier/kernels/kernel.h"

namespace sotto::paillier {
namespace {

static_assert(GMP_NAIL_BITS == 0, "limbs are whole words");

mp_size_t gmp_size(std::size_t size) {
  return static_cast<mp_size_t>(size);
}

// −n⁻¹ mod 2^64 by Newton's iteration: each step doubles the bits that are right.
mp_limb_t minus_inverse_of(mp_limb_t n) {
  mp_limb_t inverse = n;  // three bits
  for (int k = 0; k < 5; ++k) inverse *= 2 - n * inverse;
  return 0 - inverse;
}

// x ← x − m if x ≥ m.
void subtract_once(mp_limb_t* x, const Limbs& m, mp_limb_t* spare) {
  const mp_size_t size = gmp_size(m.size());
  const mp_limb_t smaller = mpn_sub_n(spare, x, m.data(), size);
  mpn_cnd_sub_n(1 - smaller, x, x, m.data(), size);
}

// Arithmetic modulo n² for odd n, on pairs x = x₀ + x₁·n with x₀, x₁ in [0, n), each on L limbs, in
// Montgomery's form x·R mod n², R = 2^(64L). A product needs no number longer than 2L limbs:
//
//     x·y = x₀y₀ + (x₀y₁ + x₁y₀)·n   mod n²,
//
// and one step of Montgomery, x₀y₀ + Q·n = R·z₀, turns it into
//
//     x·y/R = z₀ + ((x₀y₁ + x₁y₀ − Q)/R mod n)·n,
//
// because what is subtracted from x₀y₀, Q·n, is a multiple of n and moves to the other half. That
// makes 5L² multiplications of limbs, where the same modulo n² as one number takes 8L²; a squaring
// 3.5L² instead of 6L². And L(x) = (x − 1)/n of Paillier's decryption can be read off.
//
// The time depends on L alone: GMP's side-channel silent functions, and no branch on a value.
class PairArithmetic {
 public:
  // Memory that a computation needs; wiped when it goes. One per thread.
  struct Scratch {
    Limbs product;   // 2L + 1
    Limbs sum;       // 2L + 1
    Limbs addend;    // 2L
    Limbs quotient;  // L
    Limbs low;       // L
    Limbs spare;     // L + 1
    Limbs sec;       // of GMP

    explicit Scratch(const PairArithmetic& pairs)
        : product(2 * pairs.length_ + 1),
          sum(2 * pairs.length_ + 1),
          addend(2 * pairs.length_),
          quotient(pairs.length_),
          low(pairs.length_),
          spare(pairs.length_ + 1) {
      const mp_size_t length = gmp_size(pairs.length_);
      sec.resize(static_cast<std::size_t>(
          std::max(mpn_sec_mul_itch(length, length), mpn_sec_sqr_itch(length))));
    }
  };

  explicit PairArithmetic(const Integer& n)
      : length_(mpz_size(n.get_mpz_t())),
        minus_inverse_(minus_inverse_of(mpz_getlimbn(n.get_mpz_t(), 0))),
        n_(limbs_of(n, length_)),
        n_wide_(limbs_of(n, length_ + 1)),
        twice_n_(limbs_of(Integer(2 * n), length_ + 1)),
        one_(2 * length_),
        r_squared_(2 * length_) {
    check(n > 1 && mpz_odd_p(n.get_mpz_t()) != 0, "n is odd and above 1");
    const Integer r = Integer(1) << (GMP_NUMB_BITS * length_);
    Integer multiple = (r / n + 1) * n;
    multiple_ = limbs_of(multiple, length_ + 1);
    wipe(multiple);
    Integer residue = r % (n * n);
    split(one_.data(), residue);
    residue = residue * residue % (n * n);
    split(r_squared_.data(), residue);
    wipe(residue);
  }

  [[nodiscard]] std::size_t words() const { return 2 * length_; }  // of a pair
  [[nodiscard]] const Limbs& one() const { return one_; }

  // A pair is x₀, then x₁. Results may stand where the operands do.
  void multiply(mp_limb_t* z, const mp_limb_t* x, const mp_limb_t* y, Scratch& scratch) const {
    const mp_size_t length = gmp_size(length_);
    mp_limb_t* sum = scratch.sum.data();
    mp_limb_t* product = scratch.product.data();
    mp_limb_t* sec = scratch.sec.data();
    mpn_sec_mul(sum, x, length, y + length_, length, sec);
    mpn_sec_mul(product, x + length_, length, y, length, sec);
    const mp_limb_t carry = mpn_add_n(sum, sum, product, 2 * length);
    mpn_sec_mul(product, x, length, y, length, sec);
    finish(z, carry, scratch);
  }

  void square(mp_limb_t* z, const mp_limb_t* x, Scratch& scratch) const {
    const mp_size_t length = gmp_size(length_);
    mp_limb_t* sum = scratch.sum.data();
    mpn_sec_mul(sum, x, length, x + length_, length, scratch.sec.data());
    const mp_limb_t carry = mpn_lshift(sum, sum, 2 * length, 1);
    mpn_sec_sqr(scratch.product.data(), x, length, scratch.sec.data());
    finish(z, carry, scratch);
  }

  // Into Montgomery's form, and out of it.
  void enter(mp_limb_t* z, const Integer& x, Scratch& scratch) const {
    check(sgn(x) >= 0, "a residue is not negative");
    split(z, x);
    multiply(z, z, r_squared_.data(), scratch);
  }

  void leave(mp_limb_t* z, const mp_limb_t* x, Scratch& scratch) const {
    Limbs plain_one(2 * length_);
    plain_one[0] = 1;
    multiply(z, x, plain_one.data(), scratch);
  }

 private:
  void split(mp_limb_t* pair, const Integer& x) const {
    Limbs rest = limbs_of(x, 2 * length_);
    const mp_size_t length = gmp_size(length_);
    Limbs quotient(length_);
    Limbs sec(static_cast<std::size_t>(mpn_sec_div_qr_itch(2 * length, length)));
    const mp_limb_t highest =
        mpn_sec_div_qr(quotient.data(), rest.data(), 2 * length, n_.data(), length, sec.data());
    Limbs unused(length_);
    const mp_limb_t below = mpn_sub_n(unused.data(), quotient.data(), n_.data(), length);
    check(highest == 0 && below == 1, "a residue is below n²");
    std::copy_n(rest.data(), length_, pair);
    std::copy_n(quotient.data(), length_, pair + length_);
  }

  // z + R·carry = (t + Q·n)/R, where Q < R makes the low half of t + Q·n vanish. t has 2L limbs and
  // is lost. Returns the carry.
  mp_limb_t reduce(mp_limb_t* z, mp_limb_t* t, mp_limb_t* quotient) const {
    const mp_size_t length = gmp_size(length_);
    for (std::size_t k = 0; k < length_; ++k) {
      quotient[k] = t[k] * minus_inverse_;
      // The limb has become 0, and makes room for the carry that belongs L limbs above it.
      t[k] = mpn_addmul_1(t + k, n_.data(), length, quotient[k]);
    }
    return mpn_add_n(z, t + length_, t, length);
  }

  // From x₀y₀ and x₀y₁ + x₁y₀, the latter with `carry` above its 2L limbs.
  void finish(mp_limb_t* z, mp_limb_t carry, Scratch& scratch) const {
    const mp_size_t length = gmp_size(length_);
    // z₀ < 2n: what is one n too many moves to the other half as a 1.
    mp_limb_t* low = scratch.low.data();
    const mp_limb_t above = reduce(low, scratch.product.data(), scratch.quotient.data());
    const mp_limb_t smaller = mpn_sub_n(scratch.spare.data(), low, n_.data(), length);
    const mp_limb_t excess = above | (1 - smaller);
    mpn_cnd_sub_n(excess, low, low, n_.data(), length);

    // (x₀y₁ + x₁y₀ + K − Q)/R + excess, K a multiple of n from R on, so that nothing is negative.
    // What K − Q has above its low half, 0 or R, is added after the division.
    mp_limb_t* sum = scratch.sum.data();
    mp_limb_t* addend = scratch.addend.data();  // its high half stays 0
    const mp_limb_t borrow = mpn_sub_n(addend, multiple_.data(), scratch.quotient.data(), length);
    carry += mpn_add_n(sum, sum, addend, 2 * length);
    mp_limb_t* high = scratch.spare.data();
    high[length_] = carry + reduce(high, sum, scratch.quotient.data());
    std::fill_n(addend, length_, 0);
    addend[0] = multiple_[length_] - borrow + excess;
    mpn_add_n(high, high, addend, length + 1);

    // high < 3n + 3
    subtract_once(high, twice_n_, scratch.sum.data());
    subtract_once(high, n_wide_, scratch.sum.data());
    std::copy_n(low, length_, z);
    std::copy_n(high, length_, z + length_);
  }

  std::size_t length_;       // L
  mp_limb_t minus_inverse_;  // −n⁻¹ mod 2^64
  Limbs n_;
  Limbs multiple_;   // of n, from R on: L + 1 limbs
  Limbs n_wide_;     // L + 1 limbs
  Limbs twice_n_;    // L + 1 limbs
  Limbs one_;        // R mod n²
  Limbs r_squared_;  // R² mod n²
};

using Scratch = PairArithmetic::Scratch;

// Pairs, one of which is read without showing which.
class Table {
 public:
  Table(std::size_t entries, std::size_t words) : words_(words), limbs_(entries * words) {}

  [[nodiscard]] mp_limb_t* at(std::size_t entry) { return limbs_.data() + entry * words_; }
  // Entry first + chosen, chosen < count: all of them are read.
  void select(mp_limb_t* into, std::size_t first, std::size_t count, std::size_t chosen) const {
    mpn_sec_tabselect(into, limbs_.data() + first * words_, static_cast<mp_size_t>(words_),
                      static_cast<mp_size_t>(count), static_cast<mp_size_t>(chosen));
  }

 private:
  std::size_t words_;
  Limbs limbs_;
};

std::size_t bit(const Limbs& e, std::size_t index) {
  const std::size_t limb = index / GMP_NUMB_BITS;
  return limb < e.size() ? (e[limb] >> (index % GMP_NUMB_BITS)) & 1 : 0;
}

// Lim and Lee's comb [LL94]. An exponent of t bits is cut into kTeeth rows of a = ⌈t/kTeeth⌉ bits,
// written under each other, and the columns into kBlocks blocks of b = ⌈a/kBlocks⌉. Block j has
// the table
//     G_j[d] = Π_k g^(d_k·2^(k·a + j·b)),   d a column: one bit from every row,
// and g^e takes b squarings and kBlocks·b ≈ a multiplications: t/6 or so. The table costs about as
// much as one plain exponentiation, and fits the second-level cache.
class Comb final : public FixedBase {
 public:
  Comb(std::shared_ptr<const PairArithmetic> pairs, const Integer& base, std::size_t exponent_bits)
      : pairs_(std::move(pairs)),
        exponent_bits_(exponent_bits),
        row_((exponent_bits + kTeeth - 1) / kTeeth),
        columns_((row_ + kBlocks - 1) / kBlocks),
        table_(kBlocks * kColumnValues, pairs_->words()) {
    Scratch scratch(*pairs_);
    for (std::size_t block = 0; block < kBlocks; ++block) {
      std::ranges::copy(pairs_->one(), table_.at(block * kColumnValues));
    }
    Limbs power(pairs_->words());  // g^(2^index)
    pairs_->enter(power.data(), base, scratch);
    for (std::size_t index = 0; index < kTeeth * row_; ++index) {
      if (index > 0) pairs_->square(power.data(), power.data(), scratch);
      const std::size_t within = index % row_;
      if (within % columns_ == 0) extend(within / columns_, index / row_, power, scratch);
    }
  }

  [[nodiscard]] Residues power(std::span<const Integer> exponents) const override {
    const std::size_t words = pairs_->words();
    Residues result{exponents.size(), Limbs(exponents.size() * words)};
    parallel_for(exponents.size(), 0, [&](std::size_t k) {
      Scratch scratch(*pairs_);
      Limbs chosen(words);
      const Limbs e = limbs_of(exponents[k], limbs_for_bits(exponent_bits_));
      mp_limb_t* x = result.words.data() + k * words;
      std::ranges::copy(pairs_->one(), x);
      for (std::size_t column = columns_; column-- > 0;) {
        if (column + 1 < columns_) pairs_->square(x, x, scratch);
        for (std::size_t block = 0; block * columns_ + column < row_; ++block) {
          table_.select(chosen.data(), block * kColumnValues, kColumnValues,
                        digit(e, block * columns_ + column));
          pairs_->multiply(x, x, chosen.data(), scratch);
        }
      }
    });
    return result;
  }

 private:
  static constexpr std::size_t kTeeth = 6;
  static constexpr std::size_t kBlocks = 8;
  static constexpr std::size_t kColumnValues = std::size_t{1} << kTeeth;

  // The entries of a block that have their highest bit at `tooth`, from those below.
  void extend(std::size_t block, std::size_t tooth, const Limbs& power, Scratch& scratch) {
    const std::size_t first = block * kColumnValues;
    const std::size_t half = std::size_t{1} << tooth;
    for (std::size_t d = 0; d < half; ++d) {
      pairs_->multiply(table_.at(first + half + d), table_.at(first + d), power.data(), scratch);
    }
  }

  [[nodiscard]] std::size_t digit(const Limbs& e, std::size_t column) const {
    std::size_t digit = 0;
    for (std::size_t tooth = 0; tooth < kTeeth; ++tooth) {
      digit |= bit(e, tooth * row_ + column) << tooth;
    }
    return digit;
  }

  std::shared_ptr<const PairArithmetic> pairs_;  // a table outlives its kernel
  std::size_t exponent_bits_;
  std::size_t row_;      // a
  std::size_t columns_;  // b
  Table table_;
};

class PortableKernel final : public Kernel {
 public:
  explicit PortableKernel(const Integer& n)
      : Kernel(n), pairs_(std::make_shared<const PairArithmetic>(n)) {}

  [[nodiscard]] std::string_view name() const override { return "portable"; }

  [[nodiscard]] Residues load(std::span<const Integer> numbers) const override {
    Residues result = blank(numbers.size());
    Scratch scratch(*pairs_);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      pairs_->enter(at(result, k), numbers[k], scratch);
    }
    return result;
  }

  [[nodiscard]] std::vector<LimbPair> store_pairs(const Residues& residues) const override {
    std::vector<LimbPair> result;
    result.reserve(residues.count);
    Scratch scratch(*pairs_);
    Limbs pair(pairs_->words());
    const auto middle = pair.begin() + static_cast<std::ptrdiff_t>(pair.size() / 2);
    for (std::size_t k = 0; k < residues.count; ++k) {
      pairs_->leave(pair.data(), at(residues, k), scratch);
      result.push_back({Limbs(pair.begin(), middle), Limbs(middle, pair.end())});
    }
    return result;
  }

  [[nodiscard]] Residues multiply(const Residues& left, const Residues& right) const override {
    check(left.count == right.count, "batches that are multiplied have one length");
    Residues result = blank(left.count);
    Scratch scratch(*pairs_);
    for (std::size_t k = 0; k < left.count; ++k) {
      pairs_->multiply(at(result, k), at(left, k), at(right, k), scratch);
    }
    return result;
  }

  // Fixed windows, from the top, each looked up in a table of x's powers.
  [[nodiscard]] Residues power(const Residues& bases, const Integer& exponent,
                               std::size_t exponent_bits) const override {
    const Limbs e = limbs_of(exponent, limbs_for_bits(exponent_bits));
    const std::size_t window = window_for(exponent_bits);
    const std::size_t entries = std::size_t{1} << window;
    const std::size_t windows = (exponent_bits + window - 1) / window;
    Residues result = blank(bases.count);
    parallel_for(bases.count, 0, [&](std::size_t k) {
      Scratch scratch(*pairs_);
      Table powers(entries, pairs_->words());
      Limbs chosen(pairs_->words());
      std::ranges::copy(pairs_->one(), powers.at(0));
      std::copy_n(at(bases, k), pairs_->words(), powers.at(1));
      for (std::size_t d = 2; d < entries; ++d) {
        if (d % 2 == 0) {
          pairs_->square(powers.at(d), powers.at(d / 2), scratch);
        } else {
          pairs_->multiply(powers.at(d), powers.at(d - 1), powers.at(1), scratch);
        }
      }
      mp_limb_t* x = at(result, k);
      std::ranges::copy(pairs_->one(), x);
      for (std::size_t w = windows; w-- > 0;) {
        std::size_t digit = 0;
        for (std::size_t b = 0; b < window; ++b) digit |= bit(e, w * window + b) << b;
        powers.select(chosen.data(), 0, entries, digit);
        if (w + 1 == windows) {
          std::ranges::copy(chosen, x);
          continue;
        }
        for (std::size_t b = 0; b < window; ++b) pairs_->square(x, x, scratch);
        pairs_->multiply(x, x, chosen.data(), scratch);
      }
    });
    return result;
  }

  [[nodiscard]] std::unique_ptr<FixedBase> fixed_base(const Integer& base,
                                                      std::size_t exponent_bits) const override {
    return std::make_unique<Comb>(pairs_, base, exponent_bits);
  }

 private:
  // Where the table's multiplications and those of the windows balance.
  static std::size_t window_for(std::size_t exponent_bits) {
    if (exponent_bits <= 16) return 2;
    if (exponent_bits <= 80) return 3;
    if (exponent_bits <= 256) return 4;
    return 5;
  }

  [[nodiscard]] Residues blank(std::size_t count) const {
    return {count, Limbs(count * pairs_->words())};
  }
  [[nodiscard]] mp_limb_t* at(Residues& residues, std::size_t k) const {
    return residues.words.data() + k * pairs_->words();
  }
  [[nodiscard]] const mp_limb_t* at(const Residues& residues, std::size_t k) const {
    return residues.words.data() + k * pairs_->words();
  }

  std::shared_ptr<const PairArithmetic> pairs_;
};

}  // namespace

std::unique_ptr<Kernel> make_portable_kernel(const Integer& n) {
  return std::make_unique<PortableKernel>(n);
}

}  // namespace sotto::paillier
