#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/integer.h"

struct evp_cipher_ctx_st;  // OpenSSL's

namespace sotto {

// Where random bits come from is an argument, always. The key of a run on real data is drawn from
// an OsRandom by type, so that nobody can hand it a seed; its noise is a KeyedRandom's, under that
// key.
class RandomSource {
 public:
  RandomSource() = default;
  RandomSource(const RandomSource&) = delete;
  RandomSource& operator=(const RandomSource&) = delete;
  virtual ~RandomSource() = default;

  virtual void fill(std::span<std::byte> bytes) = 0;
  [[nodiscard]] virtual std::uint64_t bits64() = 0;

  // Uniform in {0, …, bound−1}, exactly: by rejection, never by a remainder. bound > 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);
  [[nodiscard]] Integer below(const Integer& bound);
};

// Random bytes ahead of their use, wiped as they are used.
class RandomBlock {
 public:
  RandomBlock() = default;
  RandomBlock(const RandomBlock&) = delete;
  RandomBlock& operator=(const RandomBlock&) = delete;
  ~RandomBlock() { discard(); }

  void discard();
  // `refill` writes a whole block, whenever one is used up.
  template <class Refill>
  void take(std::span<std::byte> bytes, const Refill& refill);

 private:
  std::array<std::byte, 512> bytes_{};
  std::size_t used_ = sizeof(bytes_);
};

// The operating system's generator (getrandom), read in blocks that are wiped as they are used.
// After a fork neither process repeats the other's bytes.
class OsRandom final : public RandomSource {
 public:
  OsRandom();
  void fill(std::span<std::byte> bytes) override;
  [[nodiscard]] std::uint64_t bits64() override;

 private:
  RandomBlock block_;
  std::uint64_t forks_;  // this process's when the block was read
};

// For simulations: xoshiro256++, seeded by splitmix64. Different streams of one
// seed are independent for all practical purposes: `stream` names who draws (a
// party, a trial), so that results do not depend on who draws first.
class SeededRandom final : public RandomSource {
 public:
  explicit SeededRandom(std::uint64_t seed, std::uint64_t stream = 0);
  void fill(std::span<std::byte> bytes) override;
  [[nodiscard]] std::uint64_t bits64() override;

  // What the standard library's distributions ask of a generator.
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() { return bits64(); }

 private:
  std::array<std::uint64_t, 4> state_{};
};

// ChaCha20's key stream: what a run draws from its key, and two parties from a secret they share.
class KeyedRandom final : public RandomSource {
 public:
  using Key = std::array<std::byte, 32>;
  explicit KeyedRandom(const Key& key);
  void fill(std::span<std::byte> bytes) override;
  [[nodiscard]] std::uint64_t bits64() override;

 private:
  struct Free {
    void operator()(evp_cipher_ctx_st* cipher) const;
  };
  std::unique_ptr<evp_cipher_ctx_st, Free> cipher_;
  RandomBlock block_;
};

// The number-th key that `key` gives: streams of their own, from one secret. What draws from `key`
// itself draws the same bytes again, so nothing else may.
[[nodiscard]] KeyedRandom::Key derived_key(const KeyedRandom::Key& key, std::size_t number);

}  // namespace sotto
