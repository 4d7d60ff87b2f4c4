// The sum of what a trial's parties release, where nobody looks at the releases themselves.
#include <algorithm>
#include <vector>

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

// Γ of eight trials at a time, from the streams that add_own() and draw_shuffle() draw from: of all
// parties together where their sum fits a word, of one after the other where it does not.
void TrialSeal::sum_side_by_side(const Trials& trials, std::span<Index> totals) const {
  noise::LaneGroup group(side_by_side_);
  noise::LaneStreams of;
  of.seeds.fill(trials.seed);
  std::vector<std::uint64_t> names(parties());
  for (std::size_t i = 0; i < parties(); ++i) {
    names[i] = noise::stream_of(0, name_of(i), noise::Draws::kNoise);
  }
  std::vector<Index> start(entries_);
  for (std::size_t k = 0; k < entries_; ++k) start[k] = total_[k] * static_cast<Index>(divisor_);
  for (std::size_t first = 0; first < trials.count; first += noise::kLanes) {
    const std::size_t lanes = std::min(noise::kLanes, trials.count - first);
    const auto some = totals.subspan(first * entries_, lanes * entries_);
    for (std::size_t l = 0; l < noise::kLanes; ++l) {
      of.streams[l] = noise::stream_of(trials.number + first + l, 0, noise::Draws::kNoise);
    }
    if (word_sums_) {
      of.more = names;
      group.draw(of);
      for (std::size_t l = 0; l < lanes; ++l) {
        for (std::size_t k = 0; k < entries_; ++k) {
          some[l * entries_ + k] = start[k] + group.word(own_rows_[k], l);
        }
      }
      continue;
    }
    for (std::size_t l = 0; l < lanes; ++l) {
      std::ranges::copy(start, some.subspan(l * entries_).begin());
    }
    for (std::size_t i = 0; i < parties(); ++i) {
      of.more = std::span(names).subspan(i, 1);
      group.draw(of);
      for (std::size_t l = 0; l < lanes; ++l) {
        for (std::size_t k = 0; k < entries_; ++k) {
          const std::int64_t drawn = group.word(own_rows_[k], l);
          some[l * entries_ + k] +=
              own_[k].narrow() ? Index{drawn} : own_[k].times_fixed_point(drawn);
        }
      }
    }
  }
}

}  // namespace sotto
