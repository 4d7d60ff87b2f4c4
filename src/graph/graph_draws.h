#pragma once

#include <cstdint>

#include "base/result.h"

// What drawn graphs share: draws that are numbered, so that threads may take them in any order, and
// integers only, so that every machine draws the same graph.
namespace sotto::graphs {

// Graphs that fall into pieces are drawn again, so often at most.
inline constexpr std::uint64_t kMaxGraphDraws = 20;

__extension__ using Product = unsigned __int128;

// splitmix64's finaliser (Steele, Lea, Flood 2014).
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Random words under numbers: the same key and number, the same word.
class NumberedDraws {
 public:
  NumberedDraws(std::uint64_t seed, std::uint64_t stream)
      : key_(mixed(mixed(seed) ^ mixed(stream + 0x6772617068))) {}

  [[nodiscard]] std::uint64_t word(std::uint64_t number) const {
    return mixed(key_ ^ mixed(number));
  }
  // In {0, …, bound − 1}. The upper half of a product: no value is more likely than another by
  // more than bound/2⁶⁴.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound, std::uint64_t number) const {
    return static_cast<std::uint64_t>((static_cast<Product>(word(number)) * bound) >> 64);
  }

 private:
  std::uint64_t key_;
};

// A random order of 0, …, size − 1 that is never written down: both ways are computed. A Feistel
// network of eight rounds on the next power of two, walked until it is back below `size`
// (Black, Rogaway 2002).
class RandomOrder {
 public:
  RandomOrder(std::uint64_t size, const NumberedDraws& draws);

  [[nodiscard]] std::uint64_t at(std::uint64_t place) const;
  [[nodiscard]] std::uint64_t place_of(std::uint64_t item) const;

 private:
  static constexpr int kRounds = 8;
  [[nodiscard]] std::uint64_t forwards(std::uint64_t x) const;
  [[nodiscard]] std::uint64_t backwards(std::uint64_t x) const;

  std::uint64_t size_;
  int low_bits_;
  int high_bits_;
  std::uint64_t keys_[kRounds];
};

[[nodiscard]] Error bad_degree(std::size_t parties, std::size_t degree, std::string_view why,
                               std::string fix);

}  // namespace sotto::graphs
