// The sum of what a trial's parties release, where nobody looks at the releases themselves.
#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/parallel.h"
#include "privacy/noise/lane_draws.h"
#include "privacy/trial_seal.h"

namespace sotto {

void TrialSeal::sum(const Trials& trials, std::span<Index> totals) {
  check(totals.size() == trials.count * entries_, "a place for every number");
  // Eight trials fill the lanes; of fewer, their parties do.
  if (!side_by_side_.empty() && trials.count >= noise::kLanes) {
    constexpr std::size_t kTogether = 64 * noise::kLanes;
    const std::size_t parts = (trials.count + kTogether - 1) / kTogether;
    parallel_for(parts, parts == 1 ? 1 : trials.threads, [&](std::size_t part) {
      Trials some = trials;
      some.number += part * kTogether;
      some.count = std::min(kTogether, trials.count - part * kTogether);
      sum_side_by_side(some, totals.subspan(part * kTogether * entries_, some.count * entries_));
    });
    return;
  }
  released_.resize(values_.size());
  for (std::size_t t = 0; t < trials.count; ++t) {
    Trials one = trials;
    one.number += t;
    one.count = 1;
    if (kind_ == Kind::kShuffle) {
      shuffle(one, released_, nullptr);
    } else {
      add_own(one, released_);
    }
    const auto total = totals.subspan(t * entries_, entries_);
    std::ranges::fill(total, 0);
    for (std::size_t at = 0; at < released_.size(); ++at) total[at % entries_] += released_[at];
  }
}

// Γ of one party of eight trials at a time, from the streams that add_own() and draw_shuffle() draw
// from.
void TrialSeal::sum_side_by_side(const Trials& trials, std::span<Index> totals) const {
  noise::LaneGroup group(side_by_side_);
  std::array<std::uint64_t, noise::kLanes> seeds;
  std::array<std::uint64_t, noise::kLanes> streams;
  seeds.fill(trials.seed);
  std::vector<std::int64_t> words(word_sums_ ? entries_ * noise::kLanes : 0);
  std::vector<Index> wide(word_sums_ ? 0 : entries_ * noise::kLanes);
  for (std::size_t first = 0; first < trials.count; first += noise::kLanes) {
    std::ranges::fill(words, 0);
    std::ranges::fill(wide, 0);
    for (std::size_t i = 0; i < parties(); ++i) {
      for (std::size_t l = 0; l < noise::kLanes; ++l) {
        streams[l] = noise::stream_of(trials.number + first + l, name_of(i), noise::Draws::kNoise);
      }
      group.draw(seeds, streams);
      for (std::size_t k = 0; k < entries_; ++k) {
        const std::int64_t* row = group.row(own_rows_[k]);
        for (std::size_t l = 0; l < noise::kLanes; ++l) {
          if (word_sums_) {
            words[k * noise::kLanes + l] += row[l];
          } else {
            wide[k * noise::kLanes + l] +=
                own_[k].narrow() ? Index{row[l]} : own_[k].times_fixed_point(row[l]);
          }
        }
      }
    }
    const std::size_t lanes = std::min(noise::kLanes, trials.count - first);
    for (std::size_t l = 0; l < lanes; ++l) {
      for (std::size_t k = 0; k < entries_; ++k) {
        const std::size_t at = k * noise::kLanes + l;
        totals[(first + l) * entries_ + k] =
            total_[k] * static_cast<Index>(divisor_) + (word_sums_ ? Index{words[at]} : wide[at]);
      }
    }
  }
}

}  // namespace sotto
