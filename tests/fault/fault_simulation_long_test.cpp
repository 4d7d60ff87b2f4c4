// Twelve thousand schedules, most of them with faults of any kind.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "support/fault_simulation.h"

namespace sotto {
namespace {

struct Share {
  FaultKind kind;
  std::uint64_t first_seed;
  std::uint64_t schedules;
};

void PrintTo(const Share& share, std::ostream* out) {
  *out << to_string(share.kind);
}

class FaultSchedules : public testing::TestWithParam<Share> {};
INSTANTIATE_TEST_SUITE_P(Kinds, FaultSchedules,
                         testing::Values(Share{FaultKind::kNone, 1'000'000, 500},
                                         Share{FaultKind::kBenign, 2'000'000, 4000},
                                         Share{FaultKind::kLostEarly, 3'000'000, 1000},
                                         Share{FaultKind::kLostLate, 4'000'000, 1000},
                                         Share{FaultKind::kBegunAnew, 6'000'000, 1000},
                                         Share{FaultKind::kAny, 5'000'000, 5500}),
                         [](const auto& test) {
                           std::string name = to_string(test.param.kind);
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

TEST_P(FaultSchedules, EndInNoWrongResultNoSecondDrawAndNoHang) {
  const Share& share = GetParam();
  FaultCounts counts;
  std::map<std::string, std::size_t> ends;
  for (std::uint64_t k = 0; k < share.schedules; ++k) {
    const FaultOutcome outcome = run_faults(share.first_seed + k, share.kind);
    counts += outcome.counts;
    for (const PartyEnd& end : outcome.ends) {
      const std::string how = end.error.empty() ? "finished" : end.error;
      ++ends[end.dead ? "dead" : how];
    }
    for (const std::string& violation : outcome.violations) {
      ADD_FAILURE() << fmt::format("seed {} ({}): {}", outcome.seed, outcome.study, violation);
    }
  }
  fmt::print(
      "{} schedules ({}): {} crashes, {} restarts, {} deaths, {} cut connections, {} frames, {} "
      "of them lost and {} repeated, {} failed commits, {} empty ledgers, {} aborts, {} begun "
      "anew\n",
      share.schedules, to_string(share.kind), counts.crashes, counts.restarts, counts.deaths,
      counts.cuts, counts.frames, counts.lost, counts.repeated, counts.failed_commits,
      counts.refused_debits, counts.aborts, counts.begun_anew);
  for (const auto& [how, times] : ends) fmt::print("  {}: {}\n", how, times);
  EXPECT_GT(ends["finished"], 0U);
}

}  // namespace
}  // namespace sotto
