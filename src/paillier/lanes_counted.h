#pragma once

#include "paillier/lanes_emulated.h"

namespace sotto {

// Operations done. Zeros and constants are not counted: they are made once and kept.
struct LaneCount {
  std::uint64_t multiplications = 0;
  std::uint64_t others = 0;  // sums, carries, masks, choices
  std::uint64_t memory = 0;  // loads and stores

  [[nodiscard]] std::uint64_t all() const { return multiplications + others + memory; }
};
inline LaneCount lane_count;

// Emulated lanes that count what they do: in `lane_count`, for tests in one thread.
struct CountedLanes {
  using V = EmulatedLanes::V;
  using Mask = EmulatedLanes::Mask;
  static constexpr std::string_view kName = "counted";
  static constexpr std::size_t kWidth = kLanes;
  static constexpr std::size_t kKept = EmulatedLanes::kKept;

  static V zero() { return EmulatedLanes::zero(); }
  static V broadcast(std::uint64_t word) { return EmulatedLanes::broadcast(word); }
  static V load(const Vector8* from) {
    ++lane_count.memory;
    return EmulatedLanes::load(from);
  }
  static void store(Vector8* to, const V& v) {
    ++lane_count.memory;
    EmulatedLanes::store(to, v);
  }
  static V add(const V& a, const V& b) { return counted(EmulatedLanes::add(a, b)); }
  static V both(const V& a, const V& b) { return counted(EmulatedLanes::both(a, b)); }
  static V only_second(const V& a, const V& b) { return counted(EmulatedLanes::only_second(a, b)); }
  static V carry(const V& a) { return counted(EmulatedLanes::carry(a)); }
  static V add_low(const V& c, const V& a, const V& b) {
    ++lane_count.multiplications;
    return EmulatedLanes::add_low(c, a, b);
  }
  static V add_high(const V& c, const V& a, const V& b) {
    ++lane_count.multiplications;
    return EmulatedLanes::add_high(c, a, b);
  }
  static Mask equal(const V& a, const V& b) { return counted(EmulatedLanes::equal(a, b)); }
  static V choose(Mask mask, const V& a, const V& b) {
    return counted(EmulatedLanes::choose(mask, a, b));
  }
  static V keep(Mask mask, const V& a, const V& b) { return choose(mask, a, b); }
  static V look_up(Mask mask, const V& a, const V& index, const Vector8* table) {
    ++lane_count.memory;
    return counted(EmulatedLanes::look_up(mask, a, index, table));
  }

 private:
  template <class T>
  [[gnu::noinline]] static T counted(const T& result) {
    ++lane_count.others;
    return result;
  }
};

}  // namespace sotto
