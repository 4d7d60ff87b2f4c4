#include "paillier/lane_comb.h"

#include <algorithm>

#include "base/check.h"

namespace sotto {
namespace {

constexpr std::size_t kMinRows = 3;  // a vector of the tables holds eight entries
constexpr std::size_t kMaxRows = 7;

std::size_t divide_up(std::size_t a, std::size_t b) {
  return (a + b - 1) / b;
}

}  // namespace

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

}  // namespace sotto
