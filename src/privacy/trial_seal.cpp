// Sealing in words. What makes it fast: nothing is allocated in a trial, σ in steps is worked out
// once, draws are inlined, and only the shuffle's sums and Γ are wider than 64 bits.
#include "privacy/trial_seal.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <tuple>

#include "base/check.h"
#include "base/parallel.h"
#include "moments/quadratic.h"
#include "privacy/calibrate/dishuf.h"
#include "privacy/noise/lane_draws.h"

namespace sotto {
namespace trial_seal {

// |T| < 2⁶¹ and 16σ < 2⁶¹, so that T̄ and every difference of two of them are words.
constexpr std::size_t kValueBits = Secrets::kValueBits;
constexpr std::size_t kMaskBits = kValueBits - noise::kLargestDrawLog2;
// What is added up over neighbours and parties stays below 2¹²⁶.
constexpr std::size_t kSumBits = 126;
// Steps so coarse or fine that a value could be subnormal or infinite take the other way.
constexpr int kLargestExponent = 700;

std::size_t bits(const Integer& value) {
  return mpz_sizeinbase(value.get_mpz_t(), 2);
}

// 2^e, |e| ≤ kLargestExponent.
double power_of_two(int e) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + e) << 52);
}

// index·2^log2_step/divisor to the nearest double. The quotient gets 62 bits or more, its last one
// sticky: one rounding, when it becomes a double.
double nearest(noise::SignedWide index, std::uint64_t divisor, int log2_step) {
  if (index == 0) return 0;
  if (divisor == 1 && index == static_cast<std::int64_t>(index)) {
    return static_cast<double>(static_cast<std::int64_t>(index)) * power_of_two(log2_step);
  }
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

bool TrialSeal::read_secrets(const Secrets& secrets) {
  entries_ = secrets.entries_;
  grid_ = secrets.grid_;
  values_ = secrets.words_;
  total_.assign(entries_, 0);
  for (std::size_t at = 0; at < values_.size(); ++at) total_[at % entries_] += values_[at];
  return !values_.empty() && std::abs(grid_.log2_step) <= trial_seal::kLargestExponent;
}

bool TrialSeal::read_sigmas(const Secret& of, const Rational& sigma, std::size_t bits,
                            std::vector<noise::WordSigma>& sigmas) const {
  for (std::size_t k = 0; k < entries_; ++k) {
    const Integer steps = of.sigma_steps(sigma, k);
    if (trial_seal::bits(steps) > bits) return false;
    sigmas.emplace_back(steps);
  }
  return true;
}

bool TrialSeal::read_shuffle(const ShuffleNoise& noise, const Secret& of) {
  using trial_seal::bits;
  constexpr std::size_t kDivisorBits = 63;
  if (bits(noise.inverse_zeta) > kDivisorBits || noise.multiplier_max >> 32 != 0) return false;
  kind_ = Kind::kShuffle;
  shared_ = noise.masks == ShuffleMasks::kShared;
  divisor_ = noise.inverse_zeta.get_ui();
  multiplier_min_ = multiplier_min(noise.multiplier_max);
  multipliers_ = noise.multiplier_max - multiplier_min_ + 1;
  const Rational gamma = noise.sigma_gamma * Rational(noise.inverse_zeta);
  if (!read_sigmas(of, noise.sigma_eta, trial_seal::kMaskBits, masks_) ||
      !read_sigmas(of, gamma, 64, own_)) {
    return false;
  }
  // Z·T, Γ < 16·2⁶⁴ and a² times the differences of all neighbours, over all parties.
  const Integer neighbours(static_cast<unsigned long>(most_neighbours_));
  const Integer count(static_cast<unsigned long>(network_));
  const Integer squares = Integer(static_cast<unsigned long>(noise.multiplier_max)) *
                          Integer(static_cast<unsigned long>(noise.multiplier_max));
  const Integer largest = count * ((noise.inverse_zeta << trial_seal::kValueBits) +
                                   (Integer(1) << (64 + noise::kLargestDrawLog2)) +
                                   neighbours * (squares << (trial_seal::kValueBits + 2)));
  return bits(largest) <= trial_seal::kSumBits;
}

std::optional<TrialSeal> TrialSeal::make(const Noise& noise, const Graph& graph,
                                         const Secrets& secrets, const SealPart* part) {
  TrialSeal seal;
  if (secrets.size() == 0 || !seal.read_secrets(secrets)) return std::nullopt;
  seal.read_graph(graph, part);
  const Secret of = secrets.of(0);
  bool fits = false;
  if (const auto* local = std::get_if<LocalNoise>(&noise)) {
    fits = seal.read_sigmas(of, Rational(local->sigma), trial_seal::kMaskBits, seal.own_);
  } else if (const auto* shuffle = std::get_if<ShuffleNoise>(&noise)) {
    fits = seal.read_shuffle(*shuffle, of);
  } else if (const auto* pairwise = std::get_if<PairwiseNoise>(&noise)) {
    seal.kind_ = Kind::kPairwise;
    fits =
        seal.read_sigmas(of, Rational(pairwise->sigma_gamma), trial_seal::kMaskBits, seal.own_) &&
        seal.read_sigmas(of, Rational(pairwise->sigma_edge), trial_seal::kMaskBits, seal.masks_);
  }
  if (!fits) return std::nullopt;
  seal.choose_lanes();
  return seal;
}

void TrialSeal::choose_lanes() {
  const auto one_normal = [](const noise::WordSigma& s) {
    return s.sigma >= noise::WordSigma::kRoundingIsExactFrom;
  };
  if (!std::ranges::all_of(own_, one_normal)) return;
  const double most = std::ranges::max(own_, {}, &noise::WordSigma::sigma).sigma;
  word_sums_ = most * static_cast<double>(parties()) < 0x1p57;  // every draw is below 16σ
  const bool masks = std::ranges::all_of(masks_, one_normal);
  if (kind_ != Kind::kShuffle) {
    side_by_side_ = own_;
    for (std::size_t k = 0; k < entries_; ++k) own_rows_.push_back(k);
    if (masks) edges_side_by_side_ = masks_;
    return;
  }
  if (!masks || !(shared_ || regular_)) return;
  for (std::size_t k = 0; k < entries_; ++k) {
    side_by_side_.insert(side_by_side_.end(), shared_ ? 1 : most_neighbours_, masks_[k]);
    own_rows_.push_back(side_by_side_.size());
    // A σ of more than 58 bits is multiplied afterwards: fixed_point() is a draw of 2⁵⁸.
    side_by_side_.push_back(own_[k].narrow() ? own_[k]
                                             : noise::WordSigma(Integer(1) << noise::kSafeBits));
  }
}

void TrialSeal::trace_own(std::span<const Index> indices, TrialTrace& trace) const {
  trace.own.assign(indices.begin(), indices.end());
  for (std::size_t k = 0; k < indices.size(); ++k) {
    trace.own[k] -= Index{values_[k]} * static_cast<Index>(divisor_);
  }
}

namespace trial_seal {

// Streams that are named by `of` and draw by themselves, divided between threads.
template <class Work>
void in_parts(std::size_t streams, std::size_t threads, const Work& work) {
  constexpr std::size_t kTogether = 4096;
  if (threads == 1 || streams <= kTogether) return work(0, streams);
  parallel_for((streams + kTogether - 1) / kTogether, threads, [&](std::size_t part) {
    work(part * kTogether, std::min(streams, (part + 1) * kTogether));
  });
}

// Calls take(stream, lane, group) for streams [begin, end), eight of them drawn at a time.
// name(stream) is a seed and a stream of it.
template <class Name, class Take>
void side_by_side(std::span<const noise::WordSigma> sigmas, std::size_t begin, std::size_t end,
                  const Name& name, const Take& take) {
  noise::LaneGroup group(sigmas);
  constexpr std::array<std::uint64_t, 1> kItself{0};
  noise::LaneStreams of;
  of.more = kItself;
  for (std::size_t first = begin; first < end; first += noise::kLanes) {
    const std::size_t lanes = std::min(noise::kLanes, end - first);
    for (std::size_t l = 0; l < lanes; ++l) {
      std::tie(of.seeds[l], of.streams[l]) = name(first + l);
    }
    group.draw(of);
    for (std::size_t l = 0; l < lanes; ++l) take(first + l, l, group);
  }
}

}  // namespace trial_seal

void TrialSeal::seal(const Trials& trials, std::span<Index> indices, TrialTrace* trace) {
  check(indices.size() == trials.count * values_.size(), "a place for every number");
  check(trace == nullptr || (trials.count == 1 && names_.empty()), "a trace is of one trial");
  if (kind_ == Kind::kShuffle) return shuffle(trials, indices, trace);
  add_own(trials, indices);
  if (trace != nullptr) trace_own(indices, *trace);
  if (kind_ == Kind::kPairwise) add_edge_masks(trials, indices, trace);
}

// T + Γ. Party i of the t-th trial is number t·parties + i among all.
void TrialSeal::add_own(const Trials& trials, std::span<Index> indices) const {
  const auto name = [&](std::size_t at) {
    return std::pair(trials.seed, noise::stream_of(trials.number + at / parties(),
                                                   name_of(at % parties()), noise::Draws::kNoise));
  };
  trial_seal::in_parts(trials.count * parties(), trials.threads,
                       [&](std::size_t begin, std::size_t end) {
                         if (side_by_side_.empty()) {
                           for (std::size_t at = begin; at < end; ++at) {
                             noise::FastDraws draws(trials.seed, name(at).second);
                             const std::int64_t* values = &values_[at % parties() * entries_];
                             for (std::size_t k = 0; k < entries_; ++k) {
                               indices[at * entries_ + k] = values[k] + draws.gaussian(own_[k]);
                             }
                           }
                           return;
                         }
                         trial_seal::side_by_side(
                             side_by_side_, begin, end, name,
                             [&](std::size_t at, std::size_t lane, const noise::LaneGroup& group) {
                               const std::int64_t* values = &values_[at % parties() * entries_];
                               for (std::size_t k = 0; k < entries_; ++k) {
                                 indices[at * entries_ + k] = values[k] + group.word(k, lane);
                               }
                             });
                       });
}

// Draws in the order of ShuffleSeal's constructor and draw_multipliers: for each entry the masks of
// all neighbours and Γ, then the multipliers.
void TrialSeal::draw_shuffle(const Trials& trials, std::span<Index> indices) {
  const std::size_t rows = mask_rows();
  const auto name = [&](std::size_t at) {
    return std::pair(trials.seed, noise::stream_of(trials.number + at / parties(),
                                                   name_of(at % parties()), noise::Draws::kNoise));
  };
  const auto noised = [&](std::int64_t value, Index gamma) {
    return Index{value} * static_cast<Index>(divisor_) + gamma;
  };
  const auto draw_multipliers = [&](std::size_t at, noise::FastDraws& draws) {
    const std::size_t i = at % parties();
    std::uint64_t* multiplier = &multiplier_[at / parties() * directed()];
    for (std::size_t m = first_[i]; m < first_[i + 1]; ++m) {
      multiplier[m] = multiplier_min_ + draws.below(multipliers_);
    }
  };
  const auto alone = [&](std::size_t at) {
    const std::size_t i = at % parties();
    const std::size_t masks = shared_ ? 1 : degree(i);
    const std::size_t first = at / parties() * rows + (shared_ ? i : first_[i]);
    noise::FastDraws draws(trials.seed, name(at).second);
    for (std::size_t k = 0; k < entries_; ++k) {
      const std::int64_t value = values_[i * entries_ + k];
      for (std::size_t m = 0; m < masks; ++m) {
        masked_[(first + m) * entries_ + k] = value + draws.gaussian(masks_[k]);
      }
      indices[at * entries_ + k] = noised(value, draws.wide_gaussian(own_[k]));
    }
    draw_multipliers(at, draws);
  };
  const auto from_lane = [&](std::size_t at, std::size_t lane, const noise::LaneGroup& group) {
    const std::size_t i = at % parties();
    const std::size_t masks = shared_ ? 1 : degree(i);
    const std::size_t first = at / parties() * rows + (shared_ ? i : first_[i]);
    std::size_t row = 0;
    for (std::size_t k = 0; k < entries_; ++k) {
      const std::int64_t value = values_[i * entries_ + k];
      for (std::size_t m = 0; m < masks; ++m) {
        masked_[(first + m) * entries_ + k] = value + group.word(row++, lane);
      }
      const std::int64_t gamma = group.word(row++, lane);
      indices[at * entries_ + k] =
          noised(value, own_[k].narrow() ? Index{gamma} : own_[k].times_fixed_point(gamma));
    }
    noise::FastDraws draws = group.rest(lane);
    draw_multipliers(at, draws);
  };
  trial_seal::in_parts(trials.count * parties(), trials.threads,
                       [&](std::size_t begin, std::size_t end) {
                         if (side_by_side_.empty()) {
                           for (std::size_t at = begin; at < end; ++at) alone(at);
                         } else {
                           trial_seal::side_by_side(side_by_side_, begin, end, name, from_lane);
                         }
                       });
}

// An edge's term is worked out once: what one end adds the other subtracts.
void TrialSeal::mix_edges(std::size_t trial, std::span<Index> indices, TrialTrace* trace) const {
  const std::int64_t* masked = &masked_[trial * mask_rows() * entries_];
  const std::uint64_t* multiplier = &multiplier_[trial * directed()];
  for (const Edge& e : edges_) {
    const std::uint64_t word = multiplier[e.there] * multiplier[e.back];  // of 32 bits each
    const auto product = static_cast<Index>(word);
    const std::int64_t* from = masked + std::size_t{shared_ ? e.from : e.there} * entries_;
    const std::int64_t* to = masked + std::size_t{shared_ ? e.to : e.back} * entries_;
    for (std::size_t k = 0; k < entries_; ++k) {
      const Index mixed = product * (to[k] - from[k]);
      if (trace != nullptr) {
        trace->looks[std::size_t{e.there} * entries_ + k] =
            static_cast<Index>(multiplier[e.back]) * (to[k] - from[k]);
        trace->looks[std::size_t{e.back} * entries_ + k] =
            static_cast<Index>(multiplier[e.there]) * (from[k] - to[k]);
      }
      if (e.from < parties()) indices[std::size_t{e.from} * entries_ + k] += mixed;
      if (e.to < parties()) indices[std::size_t{e.to} * entries_ + k] -= mixed;
    }
  }
}

void TrialSeal::shuffle(const Trials& trials, std::span<Index> indices, TrialTrace* trace) {
  masked_.resize(trials.count * mask_rows() * entries_);
  multiplier_.resize(trials.count * directed());
  draw_shuffle(trials, indices);
  swap_draws(trials.count);
  if (trace != nullptr) {
    trace_own(indices, *trace);
    trace->multipliers = multiplier_;
    trace->masks.resize(first_.back() * entries_);
    trace->looks.resize(first_.back() * entries_);
    for (std::size_t i = 0; i < parties(); ++i) {
      for (std::size_t e = first_[i]; e < first_[i + 1]; ++e) {
        for (std::size_t k = 0; k < entries_; ++k) {
          trace->masks[e * entries_ + k] =
              masked_[(shared_ ? i : e) * entries_ + k] - values_[i * entries_ + k];
        }
      }
    }
  }
  for (std::size_t t = 0; t < trials.count; ++t) {
    mix_edges(t, indices.subspan(t * values_.size(), values_.size()), trace);
  }
}

// The ideal key agreement (protocol/sealing.h): each end draws a word, and the two of them are the
// seed of what the edge draws from.
void TrialSeal::draw_keys(const Trials& trials) {
  multiplier_.resize(trials.count * directed());
  trial_seal::in_parts(
      trials.count * parties(), trials.threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; ++at) {
          const std::size_t i = at % parties();
          std::uint64_t* words = &multiplier_[at / parties() * directed()];
          noise::FastDraws keys(trials.seed, noise::stream_of(trials.number + at / parties(),
                                                              name_of(i), noise::Draws::kKeys));
          for (std::size_t m = first_[i]; m < first_[i + 1]; ++m) words[m] = keys.bits64();
        }
      });
}

void TrialSeal::add_edge_masks(const Trials& trials, std::span<Index> indices, TrialTrace* trace) {
  draw_keys(trials);
  swap_draws(trials.count);
  if (trace != nullptr) trace->masks.clear();
  // Edge e of the t-th trial is number t·edges + e among all.
  const auto name = [&](std::size_t at) {
    const Edge& e = edges_[at % edges_.size()];
    const std::uint64_t* words = &multiplier_[at / edges_.size() * directed()];
    return std::pair(words[e.there], words[e.back]);
  };
  // draw(k) is the edge's mask of entry k.
  const auto add = [&](std::size_t at, const auto& draw) {
    const Edge& e = edges_[at % edges_.size()];
    Index* trial = &indices[at / edges_.size() * values_.size()];
    Index* from = e.from < parties() ? trial + e.from * entries_ : nullptr;
    Index* to = e.to < parties() ? trial + e.to * entries_ : nullptr;
    for (std::size_t k = 0; k < entries_; ++k) {
      const std::int64_t mask = draw(k);
      if (trace != nullptr) trace->masks.push_back(mask);
      if (from != nullptr) from[k] += mask;
      if (to != nullptr) to[k] -= mask;
    }
  };
  const std::size_t edges = trials.count * edges_.size();
  if (!edges_side_by_side_.empty()) {
    trial_seal::side_by_side(edges_side_by_side_, 0, edges, name,
                             [&](std::size_t at, std::size_t lane, const noise::LaneGroup& group) {
                               add(at, [&](std::size_t k) { return group.word(k, lane); });
                             });
    return;
  }
  for (std::size_t at = 0; at < edges; ++at) {
    const auto [seed, stream] = name(at);
    noise::FastDraws draws(seed, stream);
    add(at, [&](std::size_t k) { return draws.gaussian(masks_[k]); });
  }
}

void TrialSeal::values(std::span<const Index> indices, std::span<double> values) const {
  check(values.size() == indices.size(), "a place for every number");
  const double step = trial_seal::power_of_two(grid_.log2_step);
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const auto word = static_cast<std::int64_t>(indices[k]);
    // A power of two changes no bit of what is far from the ends of the range.
    values[k] = divisor_ == 1 && indices[k] == word
                    ? static_cast<double>(word) * step
                    : trial_seal::nearest(indices[k], divisor_, grid_.log2_step);
  }
}

double TrialSeal::value(Index index) const {
  return trial_seal::nearest(index, divisor_, grid_.log2_step);
}

double TrialSeal::whole_value(Index index) const {
  return trial_seal::nearest(index, 1, grid_.log2_step);
}

std::optional<TrialCosts> TrialCosts::make(const Secrets& secrets, std::size_t dimension,
                                           const GridLaplace& laplace, double sigma) {
  if (secrets.words_.empty() || !secrets.entry_weights_.empty() ||
      !noise::WordLaplace::fits(laplace.scale, laplace.bound) ||
      std::abs(secrets.grid_.log2_step) > trial_seal::kLargestExponent) {
    return std::nullopt;
  }
  check(secrets.entries_ == theta_size(dimension), "θ has m(m+3)/2 entries");
  check(secrets.grid_.log2_step == laplace.grid.log2_step, "data and noise stand on one grid");
  TrialCosts costs(noise::WordLaplace(laplace.scale, laplace.bound));
  costs.entries_ = secrets.entries_;
  costs.matrix_entries_ = costs.entries_ - dimension;
  costs.grid_ = secrets.grid_;
  costs.values_ = secrets.words_;
  const Secret of = secrets.of(0);
  for (std::size_t k = costs.matrix_entries_; k < costs.entries_; ++k) {
    const Integer steps = of.sigma_steps(Rational(sigma), k);
    if (trial_seal::bits(steps) > trial_seal::kMaskBits) return std::nullopt;
    costs.gaussian_.emplace_back(steps);
  }
  return costs;
}

void TrialCosts::draw(std::size_t party, noise::FastDraws& noise, std::span<double> theta) const {
  const std::int64_t* values = &values_[party * entries_];
  for (std::size_t k = 0; k < entries_; ++k) {
    const std::int64_t index =
        values[k] + (k < matrix_entries_ ? laplace_.draw(noise)
                                         : noise.gaussian(gaussian_[k - matrix_entries_]));
    theta[k] = trial_seal::nearest(index, 1, grid_.log2_step);
  }
}

}  // namespace sotto
