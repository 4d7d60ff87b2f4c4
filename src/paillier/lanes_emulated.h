#pragma once

#include <string_view>

#include "paillier/lanes.h"

namespace sotto {

// The operations of lanes.h as Intel's manual defines their instructions (VPMADD52LUQ,
// VPMADD52HUQ, VPERMQ, ...), lane by lane in plain C++. For tests.
struct EmulatedLanes {
  using V = Vector8;
  using Mask = std::uint8_t;
  __extension__ using Wide = unsigned __int128;
  static constexpr std::string_view kName = "emulated";
  static constexpr std::size_t kWidth = kLanes;
  static constexpr std::size_t kKept = 20;

  static V zero() { return broadcast(0); }
  static V broadcast(std::uint64_t word) {
    return each([&](std::size_t) { return word; });
  }
  static V load(const Vector8* from) { return *from; }
  static void store(Vector8* to, const V& v) { *to = v; }
  static V add(const V& a, const V& b) {
    return each([&](std::size_t i) { return a.lane[i] + b.lane[i]; });
  }
  static V both(const V& a, const V& b) {
    return each([&](std::size_t i) { return a.lane[i] & b.lane[i]; });
  }
  static V only_second(const V& a, const V& b) {
    return each([&](std::size_t i) { return ~a.lane[i] & b.lane[i]; });
  }
  static V carry(const V& a) {
    return each([&](std::size_t i) { return a.lane[i] >> kLimbBits; });
  }
  [[gnu::noinline]] static V add_low(const V& c, const V& a, const V& b) {
    return each([&](std::size_t i) {
      return c.lane[i] + (static_cast<std::uint64_t>(product(a.lane[i], b.lane[i])) & kLimbMask);
    });
  }
  [[gnu::noinline]] static V add_high(const V& c, const V& a, const V& b) {
    return each([&](std::size_t i) {
      return c.lane[i] + static_cast<std::uint64_t>(product(a.lane[i], b.lane[i]) >> kLimbBits);
    });
  }
  static Mask equal(const V& a, const V& b) {
    unsigned mask = 0;
    for (std::size_t i = 0; i < kLanes; ++i) mask |= (a.lane[i] == b.lane[i] ? 1U : 0U) << i;
    return static_cast<Mask>(mask);
  }
  static V choose(Mask mask, const V& a, const V& b) {
    return each([&](std::size_t i) { return (mask >> i & 1U) != 0 ? b.lane[i] : a.lane[i]; });
  }
  static V keep(Mask mask, const V& a, const V& b) { return choose(mask, a, b); }
  static V look_up(Mask mask, const V& a, const V& index, const Vector8* table) {
    return keep(mask, a, each([&](std::size_t i) { return table->lane[index.lane[i] % kLanes]; }));
  }

 private:
  static Wide product(std::uint64_t a, std::uint64_t b) {
    return Wide{a & kLimbMask} * (b & kLimbMask);
  }
  template <class Function>
  static V each(Function function) {
    V result;
    for (std::size_t i = 0; i < kLanes; ++i) result.lane[i] = function(i);
    return result;
  }
};

}  // namespace sotto
