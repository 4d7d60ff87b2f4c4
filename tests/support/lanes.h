#pragma once

// Lanes for tests: emulated ones, ones that count, and a list of all that run here.

#include <string>
#include <string_view>
#include <vector>

#include "paillier/kernels/ifma.h"
#include "paillier/kernels/lanes.h"

namespace sotto::paillier {

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

namespace kernel_test {

struct LaneKind {
  std::string name;
  const LaneArithmetic& arithmetic;
};
inline void PrintTo(const LaneKind& kind, std::ostream* out) {
  *out << kind.name;
}

// Emulated lanes everywhere, and the processor's own where it has them.
inline std::vector<LaneKind> lane_kinds() {
  std::vector<LaneKind> kinds{{"emulated", kArithmeticOf<EmulatedLanes>}};
  for (const LaneArithmetic* kind : {avx512_arithmetic(), avx2_arithmetic()}) {
    if (kind != nullptr) kinds.push_back({std::string(kind->name), *kind});
  }
  return kinds;
}

}  // namespace kernel_test
}  // namespace sotto::paillier
