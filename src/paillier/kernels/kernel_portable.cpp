// The kernel that runs everywhere: pairs on GMP's limbs, one number after the other.
#include <algorithm>

#include "base/check.h"
#include "base/parallel.h"
#include "paillier/kernels/kernel.h"
#include "paillier/kernels/pair_arithmetic.h"

namespace sotto::paillier {
namespace {

using Scratch = PairArithmetic::Scratch;

static_assert(sizeof(mp_limb_t) == sizeof(std::uint64_t) && GMP_NAIL_BITS == 0,
              "a residue's words are GMP's limbs");

// std::uint64_t may be another type than mp_limb_t, of the same size and meaning.
mp_limb_t* limbs(std::uint64_t* words) {
  return reinterpret_cast<mp_limb_t*>(words);
}
const mp_limb_t* limbs(const std::uint64_t* words) {
  return reinterpret_cast<const mp_limb_t*>(words);
}

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
      : shared_(std::move(pairs)),
        pairs_(*shared_),
        exponent_bits_(exponent_bits),
        row_((exponent_bits + kTeeth - 1) / kTeeth),
        columns_((row_ + kBlocks - 1) / kBlocks),
        table_(kBlocks * kColumnValues, pairs_.words()) {
    Scratch scratch(pairs_);
    for (std::size_t block = 0; block < kBlocks; ++block) {
      std::ranges::copy(pairs_.one(), table_.at(block * kColumnValues));
    }
    Limbs power(pairs_.words());  // g^(2^index)
    pairs_.enter(power.data(), base, scratch);
    for (std::size_t index = 0; index < kTeeth * row_; ++index) {
      if (index > 0) pairs_.square(power.data(), power.data(), scratch);
      const std::size_t within = index % row_;
      if (within % columns_ == 0) extend(within / columns_, index / row_, power, scratch);
    }
  }

  [[nodiscard]] Residues power(std::span<const Integer> exponents) const override {
    const std::size_t words = pairs_.words();
    Residues result{exponents.size(), std::vector<std::uint64_t>(exponents.size() * words)};
    parallel_for(exponents.size(), 0, [&](std::size_t k) {
      Scratch scratch(pairs_);
      Limbs chosen(words);
      const Limbs e = limbs_of(exponents[k], limbs_for_bits(exponent_bits_));
      mp_limb_t* x = limbs(result.words.data() + k * words);
      std::ranges::copy(pairs_.one(), x);
      for (std::size_t column = columns_; column-- > 0;) {
        if (column + 1 < columns_) pairs_.square(x, x, scratch);
        for (std::size_t block = 0; block * columns_ + column < row_; ++block) {
          table_.select(chosen.data(), block * kColumnValues, kColumnValues,
                        digit(e, block * columns_ + column));
          pairs_.multiply(x, x, chosen.data(), scratch);
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
      pairs_.multiply(table_.at(first + half + d), table_.at(first + d), power.data(), scratch);
    }
  }

  [[nodiscard]] std::size_t digit(const Limbs& e, std::size_t column) const {
    std::size_t digit = 0;
    for (std::size_t tooth = 0; tooth < kTeeth; ++tooth) {
      digit |= bit(e, tooth * row_ + column) << tooth;
    }
    return digit;
  }

  std::shared_ptr<const PairArithmetic> shared_;  // a table outlives its kernel
  const PairArithmetic& pairs_;
  std::size_t exponent_bits_;
  std::size_t row_;      // a
  std::size_t columns_;  // b
  Table table_;
};

class PortableKernel final : public Kernel {
 public:
  explicit PortableKernel(const Integer& n)
      : shared_(std::make_shared<const PairArithmetic>(n)), pairs_(*shared_) {}

  [[nodiscard]] std::string_view name() const override { return "portable"; }

  [[nodiscard]] Residues load(std::span<const Integer> numbers) const override {
    Residues result = blank(numbers.size());
    Scratch scratch(pairs_);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      pairs_.enter(at(result, k), numbers[k], scratch);
    }
    return result;
  }

  [[nodiscard]] IntegerVector store(const Residues& residues) const override {
    IntegerVector result;
    result.reserve(residues.count);
    Scratch scratch(pairs_);
    Limbs pair(pairs_.words());
    for (std::size_t k = 0; k < residues.count; ++k) {
      pairs_.leave(pair.data(), at(residues, k), scratch);
      result.push_back(pairs_.joined(pair));
    }
    return result;
  }

  [[nodiscard]] std::pair<IntegerVector, IntegerVector> store_pairs(
      const Residues& residues) const override {
    std::pair<IntegerVector, IntegerVector> result;
    Scratch scratch(pairs_);
    Limbs pair(pairs_.words());
    const std::span halves(pair);
    for (std::size_t k = 0; k < residues.count; ++k) {
      pairs_.leave(pair.data(), at(residues, k), scratch);
      result.first.push_back(integer_of(halves.first(pair.size() / 2)));
      result.second.push_back(integer_of(halves.last(pair.size() / 2)));
    }
    return result;
  }

  [[nodiscard]] Residues multiply(const Residues& left, const Residues& right) const override {
    check(left.count == right.count, "batches that are multiplied have one length");
    Residues result = blank(left.count);
    Scratch scratch(pairs_);
    for (std::size_t k = 0; k < left.count; ++k) {
      pairs_.multiply(at(result, k), at(left, k), at(right, k), scratch);
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
      Scratch scratch(pairs_);
      Table powers(entries, pairs_.words());
      Limbs chosen(pairs_.words());
      std::ranges::copy(pairs_.one(), powers.at(0));
      std::copy_n(at(bases, k), pairs_.words(), powers.at(1));
      for (std::size_t d = 2; d < entries; ++d) {
        if (d % 2 == 0) {
          pairs_.square(powers.at(d), powers.at(d / 2), scratch);
        } else {
          pairs_.multiply(powers.at(d), powers.at(d - 1), powers.at(1), scratch);
        }
      }
      mp_limb_t* x = at(result, k);
      std::ranges::copy(pairs_.one(), x);
      for (std::size_t w = windows; w-- > 0;) {
        std::size_t digit = 0;
        for (std::size_t b = 0; b < window; ++b) digit |= bit(e, w * window + b) << b;
        powers.select(chosen.data(), 0, entries, digit);
        if (w + 1 == windows) {
          std::ranges::copy(chosen, x);
          continue;
        }
        for (std::size_t b = 0; b < window; ++b) pairs_.square(x, x, scratch);
        pairs_.multiply(x, x, chosen.data(), scratch);
      }
    });
    return result;
  }

  [[nodiscard]] std::unique_ptr<FixedBase> fixed_base(const Integer& base,
                                                      std::size_t exponent_bits) const override {
    return std::make_unique<Comb>(shared_, base, exponent_bits);
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
    return {count, std::vector<std::uint64_t>(count * pairs_.words())};
  }
  [[nodiscard]] mp_limb_t* at(Residues& residues, std::size_t k) const {
    return limbs(residues.words.data() + k * pairs_.words());
  }
  [[nodiscard]] const mp_limb_t* at(const Residues& residues, std::size_t k) const {
    return limbs(residues.words.data() + k * pairs_.words());
  }

  std::shared_ptr<const PairArithmetic> shared_;
  const PairArithmetic& pairs_;
};

}  // namespace

std::unique_ptr<Kernel> make_portable_kernel(const Integer& n) {
  return std::make_unique<PortableKernel>(n);
}

}  // namespace sotto::paillier
