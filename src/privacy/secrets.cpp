// Secrets of many parties side by side. What is public about them, grid, widening and weights, is
// the same for all.
#include "privacy/secrets.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "privacy/noise/fast_draws.h"

namespace sotto {

bool Secrets::take(const Secret& secret) {
  if (secret.size() != entries_ || secret.grid_.log2_step != grid_.log2_step ||
      secret.widening_ != widening_ || secret.entry_weights_ != entry_weights_) {
    return false;
  }
  for (const Integer& index : secret.indices_) {
    if (mpz_sizeinbase(index.get_mpz_t(), 2) > kValueBits) return false;
    words_.push_back(index.get_si());
  }
  return true;
}

Secrets::Secrets(std::span<const Secret> each) : parties_(each.size()) {
  if (each.empty()) return;
  entries_ = each[0].size();
  grid_ = each[0].grid_;
  widening_ = each[0].widening_;
  entry_weights_ = each[0].entry_weights_;
  words_.reserve(parties_ * entries_);
  if (std::ranges::all_of(each, [&](const Secret& secret) { return take(secret); })) return;
  words_ = {};
  each_.assign(each.begin(), each.end());
}

Secrets Secrets::of_entries(std::span<const double> thetas, std::size_t entries, Sensitivity mu) {
  check(entries > 0 && thetas.size() % entries == 0, "whole parties");
  Secrets result;
  result.parties_ = thetas.size() / entries;
  result.entries_ = entries;
  const Secret none = Secret::of_entries({}, mu);
  result.grid_ = none.grid_;
  result.widening_ = none.widening_;
  const double limit = std::ldexp(1.0, static_cast<int>(kValueBits) + result.grid_.log2_step);
  if (std::ranges::all_of(thetas, [&](double entry) { return std::abs(entry) < limit; })) {
    // Times a power of two is exact; what would be too small for it is nearest to 0 anyway.
    const double steps = std::ldexp(1.0, -result.grid_.log2_step);
    if (std::isfinite(steps) && steps > 0) {
      result.words_.reserve(thetas.size());
      for (const double entry : thetas) result.words_.push_back(noise::nearest_word(entry * steps));
      return result;
    }
  }
  result.each_.reserve(result.parties_);
  for (std::size_t i = 0; i < result.parties_; ++i) {
    result.each_.push_back(Secret::of_entries(thetas.subspan(i * entries, entries), mu));
  }
  return result;
}

Secret Secrets::of(std::size_t party) const {
  check(party < parties_, "a party that is there");
  if (!each_.empty()) return each_[party];
  IntegerVector indices;
  indices.reserve(entries_);
  for (std::size_t k = 0; k < entries_; ++k) indices.emplace_back(words_[party * entries_ + k]);
  return {std::move(indices), grid_, widening_, entry_weights_};
}

}  // namespace sotto
