#pragma once

#include <span>
#include <vector>

#include "paillier/kernels/lanes.h"
#include "paillier/kernels/limbs.h"

// Moduli and numbers as lanes hold them, for whatever computes in lanes.
namespace sotto::paillier {

inline constexpr std::size_t kWordBits = 64;  // of what goes into the lanes

// Memory for vectors, zero at first and wiped at the end.
class Vectors {
 public:
  explicit Vectors(std::size_t count) : vectors_(count) {}
  Vectors(const Vectors&) = delete;
  Vectors& operator=(const Vectors&) = delete;
  ~Vectors() { wipe_memory(vectors_.data(), vectors_.size() * sizeof(Vector8)); }

  [[nodiscard]] Vector8* at(std::size_t index) { return vectors_.data() + index; }
  [[nodiscard]] const Vector8* at(std::size_t index) const { return vectors_.data() + index; }
  [[nodiscard]] std::size_t size() const { return vectors_.size(); }

 private:
  std::vector<Vector8> vectors_;
};

// One lane of `limbs` vectors as a number, and back. 0 ≤ number < 2^(52·limbs).
void put_number(Vector8* vectors, std::size_t limbs, std::size_t lane, const Integer& number);
[[nodiscard]] Integer get_number(const Vector8* vectors, std::size_t limbs, std::size_t lane);
// The same on `width` words of 64 bits, where it has room.
[[nodiscard]] Limbs get_words(const Vector8* vectors, std::size_t limbs, std::size_t lane,
                              std::size_t width);

// Eight odd moduli n > 1, one for each lane, with what Montgomery's arithmetic modulo n²
// needs of them.
class PairModulus {
 public:
  explicit PairModulus(std::span<const Integer> moduli);  // eight, or one for all lanes

  [[nodiscard]] LaneModulus view(std::size_t lanes = kLanes) const;
  [[nodiscard]] std::size_t limbs() const { return kBlockLimbs * blocks_; }
  [[nodiscard]] std::size_t pair_size() const { return 2 * limbs(); }
  [[nodiscard]] std::size_t scratch_size() const { return 5 * limbs() + kMoreScratch; }

  // The pair of `number` ≥ 0 modulo n², not yet in Montgomery form. Takes a time that
  // depends on sizes only: n may be a secret prime.
  void put(Vector8* pair, std::size_t lane, const Integer& number) const;

  // 1 and R² as pairs: a product with R² brings a number into Montgomery form.
  [[nodiscard]] const Vector8* one() const { return constants_.at(kInverseLimbs + 3 * limbs()); }
  [[nodiscard]] const Vector8* r_squared() const { return constants_.at(kInverseLimbs + limbs()); }

 private:
  std::size_t blocks_;
  Vectors constants_;         // −n⁻¹, (1−R) mod n, R² (pair), R (pair)
  Vectors moduli_;            // n
  std::vector<Limbs> words_;  // n again, as GMP wants it
};

}  // namespace sotto::paillier
