// More than a hundred thousand schedules, most of them with liars or with faults of any kind.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
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
                         testing::Values(Share{FaultKind::kNone, 1'000'000, 2'000},
                                         Share{FaultKind::kBenign, 2'000'000, 15'000},
                                         Share{FaultKind::kLostEarly, 3'000'000, 6'000},
                                         Share{FaultKind::kLostLate, 4'000'000, 6'000},
                                         Share{FaultKind::kBegunAnew, 6'000'000, 6'000},
                                         Share{FaultKind::kAny, 5'000'000, 25'000},
                                         Share{FaultKind::kLiars, 7'000'000, 45'000}),
                         [](const auto& test) {
                           std::string name = to_string(test.param.kind);
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

TEST_P(FaultSchedules, EndInNoWrongResultNoSecondDrawAndNoHang) {
  const Share& share = GetParam();
  FaultSummary summary = run_many_faults(share.first_seed, share.schedules, share.kind);
  for (const FaultOutcome& outcome : summary.violated) {
    for (const std::string& violation : outcome.violations) {
      ADD_FAILURE() << fmt::format("SOTTO_SCHEDULE={} ({}): {}",
                                   name_of({share.kind, outcome.seed}), outcome.study, violation);
    }
  }
  const FaultCounts& counts = summary.counts;
  fmt::print(
      "{} schedules ({}): {} crashes, {} restarts, {} deaths, {} cut connections, {} frames, {} "
      "of them lost and {} repeated, {} failed commits, {} empty ledgers, {} aborts, {} begun "
      "anew, {} lies\n",
      share.schedules, to_string(share.kind), counts.crashes, counts.restarts, counts.deaths,
      counts.cuts, counts.frames, counts.lost, counts.repeated, counts.failed_commits,
      counts.refused_debits, counts.aborts, counts.begun_anew, counts.lies);
  for (const auto& [how, times] : summary.ends) fmt::print("  {}: {}\n", how, times);
  EXPECT_GT(summary.ends["finished"], 0U);
  EXPECT_EQ(summary.counts.lies > 0, share.kind == FaultKind::kLiars);
}

}  // namespace
}  // namespace sotto
