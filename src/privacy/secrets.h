#pragma once

#include <cstdint>

#include "privacy/seal.h"

namespace sotto {

// What all parties of a simulation hold, behind the same boundary as one Secret: nothing outside of
// privacy/ can read it. In machine words and one array where the numbers fit, so that ten million
// parties have a place; one by one where not.
class Secrets {
 public:
  // |T| < 2⁶¹: T̄ and every difference of two of them are words (privacy/trial_seal.cpp).
  static constexpr std::size_t kValueBits = 61;

  Secrets(std::span<const Secret> each);    // NOLINT(google-explicit-constructor)
  Secrets(const std::vector<Secret>& each)  // NOLINT(google-explicit-constructor)
      : Secrets(std::span<const Secret>(each)) {}

  // θ of all parties, one after the other: Secret::of_entries of each.
  [[nodiscard]] static Secrets of_entries(std::span<const double> thetas, std::size_t entries,
                                          Sensitivity mu);

  [[nodiscard]] std::size_t size() const { return parties_; }
  [[nodiscard]] std::size_t entries() const { return entries_; }
  [[nodiscard]] Secret of(std::size_t party) const;

 private:
  friend class TrialSeal;   // privacy/trial_seal.h
  friend class TrialCosts;  //
  Secrets() = default;
  // False where a number, or what is public about it, does not fit the others' words.
  [[nodiscard]] bool take(const Secret& secret);

  std::size_t parties_ = 0;
  std::size_t entries_ = 0;
  Grid grid_;
  Rational widening_;
  std::vector<double> entry_weights_;
  std::vector<std::int64_t> words_;  // T, party by party; empty where they do not fit
  std::vector<Secret> each_;         // then these
};

}  // namespace sotto
