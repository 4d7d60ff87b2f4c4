#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "paillier/kernels/limbs.h"

// The one interface of all kernels; below it stand a portable one and one on lanes of any kind.
namespace sotto::paillier {

// Numbers modulo n² in the form in which a kernel computes (Montgomery's), so that
// a chain of operations converts once at either end. Only the kernel that made
// them can read them. Wiped when they go.
struct Residues {
  std::size_t count = 0;
  Limbs words;
};

// A number low + high·n with low, high in [0, n), each on as many limbs as n.
struct LimbPair {
  Limbs low;
  Limbs high;
};

// Powers of one base, h^e for many e, from a table that is made once.
class FixedBase {
 public:
  FixedBase() = default;
  FixedBase(const FixedBase&) = delete;
  FixedBase& operator=(const FixedBase&) = delete;
  virtual ~FixedBase() = default;

  // Exponents are secret: 0 ≤ e < 2^exponent_bits, and time and memory accesses
  // depend on the number of exponents only.
  [[nodiscard]] virtual Residues power(std::span<const Integer> exponents) const = 0;
};

// Arithmetic modulo n² for one odd n > 1: N for ciphertexts; p and q for decryption.
// Everything works on batches, and takes a time that depends on sizes, never on values. Powers
// take all cores, unless they are inside of a parallel_for.
class Kernel {
 public:
  explicit Kernel(const Integer& n) : n_(limbs_of(n)) {}
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;  // "ifma" | "fma" | "portable"

  // Numbers in [0, n²), in and out.
  [[nodiscard]] virtual Residues load(std::span<const Integer> numbers) const = 0;
  [[nodiscard]] IntegerVector store(const Residues& residues) const;
  [[nodiscard]] virtual std::vector<LimbPair> store_pairs(const Residues& residues) const = 0;

  [[nodiscard]] virtual Residues multiply(const Residues& left, const Residues& right) const = 0;
  // x^e for every x; e is secret, 0 ≤ e < 2^exponent_bits.
  [[nodiscard]] virtual Residues power(const Residues& bases, const Integer& exponent,
                                       std::size_t exponent_bits) const = 0;
  [[nodiscard]] virtual std::unique_ptr<FixedBase> fixed_base(const Integer& base,
                                                              std::size_t exponent_bits) const = 0;

 protected:
  Limbs n_;
};

// Those that run on this machine, the fastest first: "ifma", eight numbers at a time with
// AVX512-IFMA; "fma", four at a time with AVX2 and FMA; "portable", the same arithmetic with
// GMP's side-channel silent functions, everywhere.
[[nodiscard]] std::vector<std::string_view> available_kernels();

// The first of them, or the one that the environment's SOTTO_KERNEL=ifma|fma|portable names.
// An error if it names one that does not run here.
[[nodiscard]] Result<std::string_view> selected_kernel();

// Precondition: `name` is available.
[[nodiscard]] std::unique_ptr<Kernel> make_kernel(const Integer& n, std::string_view name);
// Precondition: selected_kernel() has a value.
[[nodiscard]] std::unique_ptr<Kernel> make_kernel(const Integer& n);

// One kind each. Lanes are a processor's, or emulated ones in tests.
struct LaneArithmetic;
[[nodiscard]] std::unique_ptr<Kernel> make_portable_kernel(const Integer& n);
[[nodiscard]] std::unique_ptr<Kernel> make_lane_kernel(const Integer& n,
                                                       const LaneArithmetic& arithmetic);

}  // namespace sotto::paillier
