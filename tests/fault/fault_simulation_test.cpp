// A few hundred schedules of each kind; fault_simulation_long_test.cpp runs ten thousand.
#include "support/fault_simulation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sotto {
namespace {

void expect_kept(FaultKind kind, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const FaultOutcome outcome = run_faults(seed, kind);
    for (const std::string& violation : outcome.violations) {
      ADD_FAILURE() << fmt::format("seed {}, {} ({}): {}", seed, to_string(kind), outcome.study,
                                   violation);
    }
  }
}

TEST(FaultSimulation, FinishesWithoutFaults) {
  expect_kept(FaultKind::kNone, 1, 100);
}

TEST(FaultSimulation, BenignFaultsCostNothing) {
  expect_kept(FaultKind::kBenign, 1000, 150);
}

TEST(FaultSimulation, TheRestFinishesWithoutAPartyLostBeforeTheBarrier) {
  expect_kept(FaultKind::kLostEarly, 2000, 80);
}

TEST(FaultSimulation, APartyLostAfterTheBarrierStopsAllOrNone) {
  expect_kept(FaultKind::kLostLate, 3000, 80);
}

TEST(FaultSimulation, WhoBeginsAnewBeforeItHasMetAllCostsNobodyAnything) {
  expect_kept(FaultKind::kBegunAnew, 6000, 100);
}

TEST(FaultSimulation, NoFaultLeadsToAWrongResultASecondDrawOrAHang) {
  expect_kept(FaultKind::kAny, 4000, 200);
}

TEST(FaultSimulation, TheSameSeedIsTheSameSchedule) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const FaultOutcome one = run_faults(seed, FaultKind::kAny);
    const FaultOutcome two = run_faults(seed, FaultKind::kAny);
    EXPECT_EQ(one.ended, two.ended);
    EXPECT_EQ(one.counts.frames, two.counts.frames);
    for (std::size_t p = 0; p < one.ends.size(); ++p) {
      EXPECT_EQ(one.ends[p].result, two.ends[p].result);
      EXPECT_EQ(one.ends[p].error, two.ends[p].error);
    }
  }
}

}  // namespace
}  // namespace sotto
