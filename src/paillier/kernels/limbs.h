#pragma once

#include <gmp.h>

#include <new>
#include <span>
#include <vector>

#include "base/integer.h"

// Secrets as numbers of fixed width: arithmetic without branches, and memory that is wiped.
namespace sotto::paillier {

// From here on GMP wipes memory before it gives it back, so that no copy which an expression made
// on the way outlives it. For the whole process; calling it again changes nothing.
void wipe_what_gmp_frees();

// Overwrites what the number holds, all of its memory; it is 0 afterwards.
void wipe(Integer& secret);
void wipe(std::span<Integer> secrets);

// Wipes a number when the scope ends, however it ends.
template <class T>
class WipedAtEnd {
 public:
  explicit WipedAtEnd(T& secret) : secret_(secret) {}
  ~WipedAtEnd() { wipe(secret_); }
  WipedAtEnd(const WipedAtEnd&) = delete;
  WipedAtEnd& operator=(const WipedAtEnd&) = delete;

 private:
  T& secret_;
};

void wipe_memory(void* memory, std::size_t bytes);

template <class T>
struct WipingAllocator {
  using value_type = T;
  WipingAllocator() = default;
  template <class U>
  WipingAllocator(const WipingAllocator<U>&) {}  // NOLINT: allocators convert
  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) {
    wipe_memory(memory, count * sizeof(T));
    ::operator delete(memory);
  }
  bool operator==(const WipingAllocator&) const { return true; }
};

// A number of fixed width, lowest limb first, wiped when it goes. On these the time
// depends on widths alone (GMP's mpn_sec_ functions).
using Limbs = std::vector<mp_limb_t, WipingAllocator<mp_limb_t>>;

[[nodiscard]] std::size_t limbs_for_bits(std::size_t bits);
// How many bits |x| has; GMP's own function branches on the sign.
[[nodiscard]] std::size_t bit_length(const Integer& x);
// |x| on `width` limbs, where it has room, or on as many as it takes.
[[nodiscard]] Limbs limbs_of(const Integer& x, std::size_t width);
[[nodiscard]] Limbs limbs_of(const Integer& x);
[[nodiscard]] Integer integer_of(std::span<const mp_limb_t> limbs);

// x mod m; the highest limb of m is not 0.
[[nodiscard]] Limbs remainder(const Limbs& x, const Limbs& m);
[[nodiscard]] Limbs product(const Limbs& x, const Limbs& y);
// a + b·c, where there is room for it on the limbs of b and c together.
[[nodiscard]] Limbs sum(const Limbs& a, const Limbs& b, const Limbs& c);
// x − y mod m for x, y < m.
[[nodiscard]] Limbs difference(const Limbs& x, const Limbs& y, const Limbs& m);
// The residue in [0, m) of a signed integer, |x| < m.
[[nodiscard]] Limbs residue_of(const Integer& x, const Limbs& m);
// The signed integer in (−m/2, m/2] of a residue, m odd. What its sign and size are shows in the
// Integer's own shape, not in the time.
[[nodiscard]] Integer centred(const Limbs& residue, const Limbs& m);

}  // namespace sotto::paillier
