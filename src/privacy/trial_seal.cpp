// Sealing in words. What makes it fast: nothing is allocated in a trial, σ in steps is worked out
// once, draws are inlined, and only the shuffle's sums and Γ are wider than 64 bits.
#include "privacy/trial_seal.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"
#include "moments/quadratic.h"
#include "privacy/calibrate/dishuf.h"

namespace sotto {
namespace trial_seal {

// |T| < 2⁶¹ and 16σ < 2⁶¹, so that T̄ and every difference of two of them are words.
constexpr std::size_t kValueBits = 61;
constexpr std::size_t kMaskBits = kValueBits - noise::kLargestDrawLog2;
// What is added up over neighbours and parties stays below 2¹²⁶.
constexpr std::size_t kSumBits = 126;
// Steps so coarse or fine that a value could be subnormal or infinite take the other way.
constexpr int kLargestExponent = 700;

std::size_t bits(const Integer& value) {
  return mpz_sizeinbase(value.get_mpz_t(), 2);
}

// index·2^log2_step/divisor to the nearest double. The quotient gets 62 bits or more, its last one
// sticky: one rounding, when it becomes a double.
double nearest(noise::SignedWide index, std::uint64_t divisor, int log2_step) {
  if (index == 0) return 0;
  const bool negative = index < 0;
  auto numerator = static_cast<noise::Wide>(negative ? -index : index);
  int shift = 0;
  if (divisor != 1) {
    const auto high = static_cast<std::uint64_t>(numerator >> 64);
    const auto width = [](std::uint64_t word) { return static_cast<int>(std::bit_width(word)); };
    const int digits = high != 0 ? 64 + width(high) : width(static_cast<std::uint64_t>(numerator));
    shift = std::max(0, 62 + width(divisor) - digits);
    numerator <<= shift;
    const noise::Wide quotient = numerator / divisor;
    numerator = quotient | (quotient * divisor != numerator ? 1 : 0);
  }
  const double value = std::ldexp(static_cast<double>(numerator), log2_step - shift);
  return negative ? -value : value;
}

}  // namespace trial_seal

bool TrialSeal::read_secrets(std::span<const Secret> secrets) {
  entries_ = secrets[0].size();
  grid_ = secrets[0].grid_;
  if (std::abs(grid_.log2_step) > trial_seal::kLargestExponent) return false;
  values_.reserve(secrets.size() * entries_);
  for (const Secret& secret : secrets) {
    if (secret.size() != entries_ || secret.grid_.log2_step != grid_.log2_step) return false;
    for (const Integer& index : secret.indices_) {
      if (trial_seal::bits(index) > trial_seal::kValueBits) return false;
      values_.push_back(index.get_si());
    }
  }
  return true;
}

bool TrialSeal::read_sigmas(std::span<const Secret> secrets, const Rational& sigma,
                            std::size_t bits, std::vector<noise::WordSigma>& sigmas) const {
  for (std::size_t k = 0; k < entries_; ++k) {
    const Integer steps = secrets[0].sigma_steps(sigma, k);
    if (trial_seal::bits(steps) > bits) return false;
    sigmas.emplace_back(steps);
  }
  return std::ranges::all_of(secrets, [&](const Secret& other) {
    return other.widening_ == secrets[0].widening_ &&
           other.entry_weights_ == secrets[0].entry_weights_;
  });
}

bool TrialSeal::read_shuffle(const ShuffleNoise& noise, std::span<const Secret> secrets) {
  using trial_seal::bits;
  constexpr std::size_t kDivisorBits = 63;
  if (bits(noise.inverse_zeta) > kDivisorBits || noise.multiplier_max >> 32 != 0) return false;
  kind_ = Kind::kShuffle;
  shared_ = noise.masks == ShuffleMasks::kShared;
  divisor_ = noise.inverse_zeta.get_ui();
  multiplier_min_ = multiplier_min(noise.multiplier_max);
  multipliers_ = noise.multiplier_max - multiplier_min_ + 1;
  const Rational gamma = noise.sigma_gamma * Rational(noise.inverse_zeta);
  if (!read_sigmas(secrets, noise.sigma_eta, trial_seal::kMaskBits, masks_) ||
      !read_sigmas(secrets, gamma, 64, own_)) {
    return false;
  }
  masked_.resize((shared_ ? degrees_.size() : directed_edges_) * entries_);
  multiplier_.resize(directed_edges_);
  // Z·T, Γ < 16·2⁶⁴ and a² times the differences of all neighbours, over all parties.
  const Integer neighbours(static_cast<unsigned long>(std::ranges::max(degrees_)));
  const Integer parties(static_cast<unsigned long>(degrees_.size()));
  const Integer squares = Integer(static_cast<unsigned long>(noise.multiplier_max)) *
                          Integer(static_cast<unsigned long>(noise.multiplier_max));
  const Integer largest = parties * ((noise.inverse_zeta << trial_seal::kValueBits) +
                                     (Integer(1) << (64 + noise::kLargestDrawLog2)) +
                                     neighbours * (squares << (trial_seal::kValueBits + 2)));
  return bits(largest) <= trial_seal::kSumBits;
}

std::optional<TrialSeal> TrialSeal::make(const Noise& noise, const Graph& graph,
                                         std::span<const Secret> secrets) {
  TrialSeal seal;
  if (secrets.empty() || !seal.read_secrets(secrets)) return std::nullopt;
  std::vector<std::size_t> first;  // directed edge of each party
  for (PartyId i = 0; i < graph.size(); ++i) {
    first.push_back(seal.directed_edges_);
    seal.degrees_.push_back(graph.degree(i));
    seal.directed_edges_ += graph.degree(i);
  }
  const auto place = [&](PartyId of, PartyId among) {
    const auto neighbours = graph.neighbours(among);
    return first[among] +
           static_cast<std::size_t>(std::ranges::lower_bound(neighbours, of) - neighbours.begin());
  };
  for (PartyId i = 0; i < graph.size(); ++i) {
    for (const PartyId j : graph.neighbours(i)) {
      if (i < j) {
        seal.edges_.push_back({.from = i, .to = j, .there = place(j, i), .back = place(i, j)});
      }
    }
  }
  bool fits = false;
  if (const auto* local = std::get_if<LocalNoise>(&noise)) {
    fits = seal.read_sigmas(secrets, Rational(local->sigma), trial_seal::kMaskBits, seal.own_);
  } else if (const auto* shuffle = std::get_if<ShuffleNoise>(&noise)) {
    fits = seal.read_shuffle(*shuffle, secrets);
  } else if (const auto* pairwise = std::get_if<PairwiseNoise>(&noise)) {
    seal.kind_ = Kind::kPairwise;
    seal.multiplier_.resize(seal.directed_edges_);
    fits = seal.read_sigmas(secrets, Rational(pairwise->sigma_gamma), trial_seal::kMaskBits,
                            seal.own_) &&
           seal.read_sigmas(secrets, Rational(pairwise->sigma_edge), trial_seal::kMaskBits,
                            seal.masks_);
  }
  if (!fits) return std::nullopt;
  return seal;
}

void TrialSeal::trace_own(std::span<const Index> indices, TrialTrace& trace) const {
  trace.own.assign(indices.begin(), indices.end());
  for (std::size_t k = 0; k < indices.size(); ++k) {
    trace.own[k] -= Index{values_[k]} * static_cast<Index>(divisor_);
  }
}

void TrialSeal::seal(std::span<noise::FastDraws> noise, std::span<noise::FastDraws> keys,
                     std::span<Index> indices, TrialTrace* trace) {
  check(noise.size() == parties() && indices.size() == values_.size(), "one stream per party");
  if (kind_ == Kind::kShuffle) return shuffle(noise, indices, trace);
  for (std::size_t i = 0; i < parties(); ++i) {
    for (std::size_t k = 0; k < entries_; ++k) {
      indices[i * entries_ + k] = values_[i * entries_ + k] + noise[i].gaussian(own_[k]);
    }
  }
  if (trace != nullptr) trace_own(indices, *trace);
  if (kind_ == Kind::kPairwise) add_edge_masks(keys, indices, trace);
}

// Draws in the order of ShuffleSeal's constructor and draw_multipliers: for each entry the masks of
// all neighbours and Γ, then the multipliers. An edge's term is worked out once: what one end adds
// the other subtracts.
void TrialSeal::shuffle(std::span<noise::FastDraws> noise, std::span<Index> indices,
                        TrialTrace* trace) {
  std::size_t edge = 0;
  for (std::size_t i = 0; i < parties(); ++i) {
    const std::size_t masks = shared_ ? 1 : degrees_[i];
    const std::size_t first = shared_ ? i : edge;
    noise::FastDraws draws = noise[i];
    for (std::size_t k = 0; k < entries_; ++k) {
      for (std::size_t m = 0; m < masks; ++m) {
        masked_[(first + m) * entries_ + k] = values_[i * entries_ + k] + draws.gaussian(masks_[k]);
      }
      indices[i * entries_ + k] = Index{values_[i * entries_ + k]} * static_cast<Index>(divisor_) +
                                  draws.wide_gaussian(own_[k]);
    }
    for (std::size_t m = 0; m < degrees_[i]; ++m) {
      multiplier_[edge + m] = multiplier_min_ + draws.below(multipliers_);
    }
    edge += degrees_[i];
  }
  if (trace != nullptr) {
    trace_own(indices, *trace);
    trace->multipliers = multiplier_;
    trace->masks.resize(directed_edges_ * entries_);
    trace->looks.resize(directed_edges_ * entries_);
    for (std::size_t i = 0, e = 0; i < parties(); ++i) {
      for (std::size_t m = 0; m < degrees_[i]; ++m, ++e) {
        for (std::size_t k = 0; k < entries_; ++k) {
          trace->masks[e * entries_ + k] =
              masked_[(shared_ ? i : e) * entries_ + k] - values_[i * entries_ + k];
        }
      }
    }
  }
  for (const Edge& e : edges_) {
    const auto product = static_cast<Index>(multiplier_[e.there] * multiplier_[e.back]);
    const std::int64_t* from = &masked_[(shared_ ? e.from : e.there) * entries_];
    const std::int64_t* to = &masked_[(shared_ ? e.to : e.back) * entries_];
    for (std::size_t k = 0; k < entries_; ++k) {
      const Index mixed = product * (to[k] - from[k]);
      if (trace != nullptr) {
        trace->looks[e.there * entries_ + k] =
            static_cast<Index>(multiplier_[e.back]) * (to[k] - from[k]);
        trace->looks[e.back * entries_ + k] =
            static_cast<Index>(multiplier_[e.there]) * (from[k] - to[k]);
      }
      indices[e.from * entries_ + k] += mixed;
      indices[e.to * entries_ + k] -= mixed;
    }
  }
}

// The ideal key agreement (protocol/sealing.h): each end draws a word, and the two of them are the
// seed of what the edge draws from.
void TrialSeal::add_edge_masks(std::span<noise::FastDraws> keys, std::span<Index> indices,
                               TrialTrace* trace) {
  std::size_t edge = 0;
  for (std::size_t i = 0; i < parties(); ++i) {
    for (std::size_t m = 0; m < degrees_[i]; ++m) multiplier_[edge++] = keys[i].bits64();
  }
  if (trace != nullptr) trace->masks.clear();
  for (const Edge& e : edges_) {
    noise::FastDraws draws(multiplier_[e.there], multiplier_[e.back]);
    for (std::size_t k = 0; k < entries_; ++k) {
      const std::int64_t mask = draws.gaussian(masks_[k]);
      if (trace != nullptr) trace->masks.push_back(mask);
      indices[e.from * entries_ + k] += mask;
      indices[e.to * entries_ + k] -= mask;
    }
  }
}

double TrialSeal::value(Index index) const {
  return trial_seal::nearest(index, divisor_, grid_.log2_step);
}

double TrialSeal::whole_value(Index index) const {
  return trial_seal::nearest(index, 1, grid_.log2_step);
}

std::optional<TrialCosts> TrialCosts::make(std::span<const Secret> secrets, std::size_t dimension,
                                           const GridLaplace& laplace, double sigma) {
  if (secrets.empty() || !noise::WordLaplace::fits(laplace.scale, laplace.bound)) {
    return std::nullopt;
  }
  TrialCosts costs(noise::WordLaplace(laplace.scale, laplace.bound));
  costs.dimension_ = dimension;
  costs.entries_ = secrets[0].size();
  costs.matrix_entries_ = costs.entries_ - dimension;
  costs.grid_ = secrets[0].grid_;
  if (std::abs(costs.grid_.log2_step) > trial_seal::kLargestExponent) return std::nullopt;
  for (const Secret& secret : secrets) {
    check(secret.size() == theta_size(dimension), "θ has m(m+3)/2 entries");
    check(secret.grid_.log2_step == laplace.grid.log2_step, "data and noise stand on one grid");
    if (secret.widening_ != secrets[0].widening_ || !secret.entry_weights_.empty()) {
      return std::nullopt;
    }
    for (const Integer& index : secret.indices_) {
      if (trial_seal::bits(index) > trial_seal::kValueBits) return std::nullopt;
      costs.values_.push_back(index.get_si());
    }
  }
  for (std::size_t k = costs.matrix_entries_; k < costs.entries_; ++k) {
    const Integer steps = secrets[0].sigma_steps(Rational(sigma), k);
    if (trial_seal::bits(steps) > trial_seal::kMaskBits) return std::nullopt;
    costs.gaussian_.emplace_back(steps);
  }
  return costs;
}

PerturbedCost TrialCosts::draw(std::size_t party, noise::FastDraws& noise) const {
  std::vector<double> theta(entries_);
  const std::int64_t* values = &values_[party * entries_];
  for (std::size_t k = 0; k < entries_; ++k) {
    const std::int64_t index =
        values[k] + (k < matrix_entries_ ? laplace_.draw(noise)
                                         : noise.gaussian(gaussian_[k - matrix_entries_]));
    theta[k] = trial_seal::nearest(index, 1, grid_.log2_step);
  }
  Quadratic perturbed = from_theta(theta, dimension_);
  return {.g = std::move(perturbed.a), .h = std::move(perturbed.b)};
}

}  // namespace sotto
