// Powers in lanes: fixed windows for any base, a comb for one that is used again and again.
#include "paillier/kernels/lane_power.h"

#include <algorithm>

#include "base/check.h"

namespace sotto::paillier {
namespace {

constexpr std::size_t kMaxWindow = 6;

constexpr std::size_t kMinRows = 3;  // a vector of the tables holds eight entries
constexpr std::size_t kMaxRows = 7;

std::size_t divide_up(std::size_t a, std::size_t b) {
  return (a + b - 1) / b;
}

// The window with the fewest instructions: a table of 2^w powers, then per window w squares
// (7L² each, the same for every w), one product (10L²) and one scan (2^w·2L).
std::size_t window_bits(std::size_t exponent_bits, std::size_t limbs) {
  std::size_t best = 1;
  std::size_t least = 0;
  for (std::size_t window = 1; window <= kMaxWindow; ++window) {
    const std::size_t entries = std::size_t{1} << window;
    const std::size_t table = (entries - 2) * 17 * limbs / 2;  // half squares, half products
    const std::size_t cost = table + divide_up(exponent_bits, window) * (10 * limbs + 2 * entries);
    if (window == 1 || cost < least) {
      best = window;
      least = cost;
    }
  }
  return best;
}

// The rows with the fewest instructions: per column one product (10L²) and one scan
// (2^w/8·2L), and an eighth of a square (7L²).
std::size_t comb_rows(std::size_t exponent_bits, std::size_t limbs) {
  std::size_t best = kMinRows;
  std::size_t least = 0;
  for (std::size_t rows = kMinRows; rows <= kMaxRows; ++rows) {
    const std::size_t columns = divide_up(exponent_bits, rows);
    const std::size_t scan = 2 * (std::size_t{1} << rows) / kLanes;
    const std::size_t cost = columns * (10 * limbs + scan) + divide_up(columns, kLanes) * 7 * limbs;
    if (rows == kMinRows || cost < least) {
      best = rows;
      least = cost;
    }
  }
  return best;
}

}  // namespace

LaneExponents::LaneExponents(std::span<const Integer> exponents, std::size_t bits)
    : bits_(bits), words_(bits / kWordBits + 1), exponents_(kLanes * words_) {
  check(exponents.size() <= kLanes, "a lane has one exponent");
  for (std::size_t lane = 0; lane < exponents.size(); ++lane) {
    const Integer& exponent = exponents[lane];
    check(exponent >= 0 && (exponent == 0 || mpz_sizeinbase(exponent.get_mpz_t(), 2) <= bits),
          "an exponent has at most as many bits as said");
    std::copy_n(mpz_limbs_read(exponent.get_mpz_t()), mpz_size(exponent.get_mpz_t()),
                exponents_.data() + lane * words_);
  }
}

Vector8 LaneExponents::digits(std::size_t first, std::size_t stride, std::size_t count) const {
  Vector8 digits{};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bit = first + i * stride;
    if (bit >= bits_) break;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t word = exponents_[lane * words_ + bit / kWordBits];
      digits.lane[lane] |= (word >> (bit % kWordBits) & 1U) << i;
    }
  }
  return digits;
}

void lane_power(const LaneArithmetic& arithmetic, const PairModulus& modulus, std::size_t lanes,
                Vector8* power, const Vector8* base, const LaneExponents& exponents) {
  const std::size_t pair = modulus.pair_size();
  if (exponents.bits() == 0) {
    std::copy_n(modulus.one(), pair, power);
    return;
  }

  const std::size_t window = window_bits(exponents.bits(), modulus.limbs());
  const std::size_t entries = std::size_t{1} << window;
  const LaneModulus view = modulus.view(lanes);
  Vectors scratch(modulus.scratch_size());
  Vectors chosen(pair);
  Vectors table(entries * pair);  // base⁰, base¹, …
  std::copy_n(modulus.one(), pair, table.at(0));
  std::copy_n(base, pair, table.at(pair));
  for (std::size_t i = 2; i < entries; ++i) {
    if (i % 2 == 0) {
      arithmetic.square(view, table.at(i * pair), table.at(i / 2 * pair), scratch.at(0));
    } else {
      arithmetic.multiply(view, table.at(i * pair), table.at((i - 1) * pair), base, scratch.at(0));
    }
  }

  for (std::size_t left = divide_up(exponents.bits(), window); left-- > 0;) {
    Vector8 digits = exponents.digits(left * window, 1, window);
    const bool first = (left + 1) * window >= exponents.bits();
    if (first) {
      arithmetic.select(view, power, table.at(0), entries, digits);
    } else {
      for (std::size_t i = 0; i < window; ++i) {
        arithmetic.square(view, power, power, scratch.at(0));
      }
      arithmetic.select(view, chosen.at(0), table.at(0), entries, digits);
      arithmetic.multiply(view, power, power, chosen.at(0), scratch.at(0));
    }
    wipe_memory(&digits, sizeof digits);
  }
}

CombTable::CombTable(const LaneArithmetic& arithmetic, const PairModulus& modulus,
                     const Integer& base, std::size_t exponent_bits)
    : arithmetic_(arithmetic),
      modulus_(modulus),
      exponent_bits_(exponent_bits),
      rows_(comb_rows(exponent_bits, modulus.limbs())),
      columns_(std::max<std::size_t>(1, divide_up(exponent_bits, rows_))),
      run_(divide_up(columns_, kTables)),
      tables_((std::size_t{1} << rows_) * modulus.pair_size()) {
  const std::size_t pair = modulus_.pair_size();
  const std::size_t entries = std::size_t{1} << rows_;
  const LaneModulus view = modulus_.view();
  Vectors scratch(modulus_.scratch_size());

  // Lane s of teeth[i]: h^(2^(i·a + s·c)), picked up on the way from h to its last square.
  Vectors teeth(rows_ * pair);
  Vectors square(pair);
  for (std::size_t lane = 0; lane < kLanes; ++lane) modulus_.put(square.at(0), lane, base);
  arithmetic_.multiply(view, square.at(0), square.at(0), modulus_.r_squared(), scratch.at(0));
  for (std::size_t exponent = 0; exponent <= (rows_ - 1) * columns_ + (kTables - 1) * run_;
       ++exponent) {
    if (exponent > 0) arithmetic_.square(view, square.at(0), square.at(0), scratch.at(0));
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t s = 0; s < kTables; ++s) {
        if (i * columns_ + s * run_ != exponent) continue;
        for (std::size_t k = 0; k < pair; ++k) {
          teeth.at(i * pair + k)->lane[s] = square.at(k)->lane[s];
        }
      }
    }
  }

  // Lane s of entry u: the product of the teeth that u names.
  Vectors entry(entries * pair);
  std::copy_n(modulus_.one(), pair, entry.at(0));
  for (std::size_t i = 0; i < rows_; ++i) {
    const std::size_t half = std::size_t{1} << i;
    for (std::size_t u = 0; u < half; ++u) {
      arithmetic_.multiply(view, entry.at((half + u) * pair), entry.at(u * pair),
                           teeth.at(i * pair), scratch.at(0));
    }
  }

  // From lanes to tables: lane j of vector k of octet o of table s.
  for (std::size_t u = 0; u < entries; ++u) {
    for (std::size_t k = 0; k < pair; ++k) {
      for (std::size_t s = 0; s < kTables; ++s) {
        tables_.at((s * entries / kLanes + u / kLanes) * pair + k)->lane[u % kLanes] =
            entry.at(u * pair + k)->lane[s];
      }
    }
  }
}

const Vector8* CombTable::table(std::size_t s) const {
  return tables_.at(s * (std::size_t{1} << rows_) / kLanes * modulus_.pair_size());
}

void CombTable::power(Vector8* power, std::size_t lanes, const LaneExponents& exponents) const {
  check(exponents.bits() == exponent_bits_, "a table is for exponents of one size");
  const LaneModulus view = modulus_.view(lanes);
  Vectors scratch(modulus_.scratch_size());
  Vectors factor(modulus_.pair_size());
  std::copy_n(modulus_.one(), modulus_.pair_size(), power);
  bool started = false;
  for (std::size_t k = run_; k-- > 0;) {
    if (started) arithmetic_.square(view, power, power, scratch.at(0));
    for (std::size_t s = 0; s < kTables; ++s) {
      const std::size_t column = s * run_ + k;
      if (column >= columns_) break;
      Vector8 place = exponents.digits(column, columns_, rows_);
      Vector8 octet;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        octet.lane[lane] = place.lane[lane] / kLanes;
        place.lane[lane] %= kLanes;
      }
      arithmetic_.select_shared(view, started ? factor.at(0) : power, table(s),
                                (std::size_t{1} << rows_) / kLanes, octet, place);
      if (started) arithmetic_.multiply(view, power, power, factor.at(0), scratch.at(0));
      started = true;
      wipe_memory(&place, sizeof place);
      wipe_memory(&octet, sizeof octet);
    }
  }
}

}  // namespace sotto::paillier
