// A few hundred schedules of each kind; fault_simulation_long_test.cpp runs a hundred thousand.
#include "support/fault_simulation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace sotto {
namespace {

void expect_kept(FaultKind kind, std::uint64_t first, std::uint64_t count) {
  for (const FaultOutcome& outcome : run_many_faults(first, count, kind).violated) {
    for (const std::string& violation : outcome.violations) {
      ADD_FAILURE() << fmt::format("SOTTO_SCHEDULE={} ({}): {}", name_of({kind, outcome.seed}),
                                   outcome.study, violation);
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

TEST(FaultSimulation, NoLiarMakesHonestPartiesDisagreeReleaseTwiceOrBlameEachOther) {
  expect_kept(FaultKind::kLiars, 7000, 400);
}

// Whoever has passed the barrier has paid, also if its release never left it: seeds of which the
// checker once thought otherwise.
TEST(FaultSimulation, WhoPassedTheBarrierHasPaidEvenIfNothingLeftIt) {
  expect_kept(FaultKind::kAny, 5'007'894, 1);
  expect_kept(FaultKind::kAny, 5'020'572, 1);
}

// A neighbour that called its start by one number and then by a lower one, and then began anew
// between the two: what was heard live could not be heard again.
TEST(FaultSimulation, NoLiarSpoilsAJournal) {
  expect_kept(FaultKind::kLiars, 7'015'089, 1);
}

// SOTTO_SCHEDULE=liars:17 runs one schedule again, as a violation names it.
TEST(FaultSimulation, AScheduleThatIsNamedRunsAgain) {
  const char* name = std::getenv("SOTTO_SCHEDULE");
  const auto schedule = schedule_named(name == nullptr ? "any:4000" : name);
  ASSERT_TRUE(schedule) << name << " names no schedule; liars:17 would";
  EXPECT_EQ(name_of(*schedule), name == nullptr ? "any:4000" : name);
  for (const char* none : {"", "liars", "liars:", "liars:x", "lairs:1", "liars:1x"}) {
    EXPECT_FALSE(schedule_named(none)) << none;
  }
  const FaultOutcome outcome = run_faults(schedule->seed, schedule->kind);
  for (const std::string& violation : outcome.violations) ADD_FAILURE() << violation;
  if (name == nullptr) return;
  fmt::print("{}, ended after {} s\n", outcome.study, outcome.ended.count() / 1000);
  for (std::size_t p = 0; p < outcome.ends.size(); ++p) {
    const PartyEnd& end = outcome.ends[p];
    fmt::print("  party {}: {}{}\n", p + 1,
               end.liar   ? "liar"
               : end.dead ? "dead"
                          : "",
               end.error.empty() ? "" : end.error);
  }
}

TEST(FaultSimulation, TheSameSeedIsTheSameSchedule) {
  for (const FaultKind kind : {FaultKind::kAny, FaultKind::kLiars}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const FaultOutcome one = run_faults(seed, kind);
      const FaultOutcome two = run_faults(seed, kind);
      EXPECT_EQ(one.ended, two.ended);
      EXPECT_EQ(one.counts.frames, two.counts.frames);
      EXPECT_EQ(one.counts.lies, two.counts.lies);
      for (std::size_t p = 0; p < one.ends.size(); ++p) {
        EXPECT_EQ(one.ends[p].result, two.ends[p].result);
        EXPECT_EQ(one.ends[p].error, two.ends[p].error);
      }
    }
  }
}

}  // namespace
}  // namespace sotto
