#include "graph/graph_draws.h"

#include <fmt/core.h>

#include <bit>

// An order without a table, and the error of degrees that no graph has.
namespace sotto::graphs {

RandomOrder::RandomOrder(std::uint64_t size, const NumberedDraws& draws) : size_(size) {
  const int bits = size <= 4 ? 2 : static_cast<int>(std::bit_width(size - 1));
  low_bits_ = bits / 2;
  high_bits_ = bits - low_bits_;
  for (int round = 0; round < kRounds; ++round) {
    keys_[round] = draws.word(static_cast<std::uint64_t>(round));
  }
}

// Even rounds change the high bits by the low ones, odd rounds the low ones by the high ones.
std::uint64_t RandomOrder::forwards(std::uint64_t x) const {
  std::uint64_t low = x & ((std::uint64_t{1} << low_bits_) - 1);
  std::uint64_t high = x >> low_bits_;
  for (int round = 0; round < kRounds; round += 2) {
    high ^= mixed(keys_[round] ^ low) >> (64 - high_bits_);
    low ^= mixed(keys_[round + 1] ^ high) >> (64 - low_bits_);
  }
  return (high << low_bits_) | low;
}

std::uint64_t RandomOrder::backwards(std::uint64_t x) const {
  std::uint64_t low = x & ((std::uint64_t{1} << low_bits_) - 1);
  std::uint64_t high = x >> low_bits_;
  for (int round = kRounds - 2; round >= 0; round -= 2) {
    low ^= mixed(keys_[round + 1] ^ high) >> (64 - low_bits_);
    high ^= mixed(keys_[round] ^ low) >> (64 - high_bits_);
  }
  return (high << low_bits_) | low;
}

std::uint64_t RandomOrder::at(std::uint64_t place) const {
  do place = forwards(place);
  while (place >= size_);
  return place;
}

std::uint64_t RandomOrder::place_of(std::uint64_t item) const {
  do item = backwards(item);
  while (item >= size_);
  return item;
}

Error bad_degree(std::size_t parties, std::size_t degree, std::string_view why, std::string fix) {
  return bad_input("E-graph-degree",
                   fmt::format("{} parties with {} neighbours each: {}", parties, degree, why),
                   std::move(fix));
}

}  // namespace sotto::graphs
