#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "support/party_processes.h"

// Whole runs, each party a process: who comes when, and how often.

namespace sotto {
namespace {

using testing::HasSubstr;

TEST(NetworkRun, PartiesStartInAnyOrderAndWaitForEachOther) {
  NetworkOptions options;
  options.solver = "pairwise";
  options.addresses[1] = "";  // dials out only
  Parties parties(options);
  for (const std::size_t p : {2U, 0U, 1U}) {
    parties.start(p);
    ASSERT_TRUE(parties.says(p, "waiting for")) << parties.said(p);
    std::this_thread::sleep_for(milliseconds(300));
  }
  parties.expect_all_end(0);
  parties.expect_same_models({0, 1, 2});
  EXPECT_THAT(parties.said(1), HasSubstr("dialling out only"));
  EXPECT_THAT(parties.said(2), HasSubstr("party-1 does not answer at"));
  for (std::size_t p = 0; p < 3; ++p) EXPECT_TRUE(parties.spent_once(p));
}

TEST(NetworkRun, APartyTakesPartOnceAtATime) {
  Parties parties({.solver = "ac", .parties = 3, .tables = false});
  parties.start(0);
  ASSERT_TRUE(parties.says(0, "waiting for")) << parties.said(0);
  Child second(
      {SOTTO_PROGRAM, "join", parties.study(), "--as", "party-1", "--home", parties.home(0)},
      parties.folder() / "second.out", parties.folder() / "second.err");
  EXPECT_EQ(second.wait(kLongRun), 1);
  std::ifstream file(parties.folder() / "second.err");
  const std::string said{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(said, HasSubstr("error[E-store-busy]"));
  // The first one is none the worse for it.
  parties.start(1);
  parties.start(2);
  parties.expect_all_end(0);
}

TEST(NetworkRun, AnAccountThatARunWouldOverdrawRefusesItAndNothingIsSpent) {
  Parties parties({.solver = "ac", .parties = 3, .tables = false});
  (void)parties.sotto({"ledger", "limit", "--data", kAccount, "--epsilon", "0.01", "--delta",
                       "1e-9", "--home", parties.home(0)});
  parties.start_all();
  EXPECT_EQ(parties.wait(0), 3) << parties.said(0);
  EXPECT_THAT(parties.said(0), HasSubstr("E-ledger-overdrawn"));
  for (std::size_t p = 0; p < 3; ++p) {
    EXPECT_TRUE(parties.wait(p).has_value()) << parties.said(p);
    for (const LedgerEntry& entry : parties.ledger(p)) EXPECT_NE(entry.state, EntryState::kSpent);
  }
}

TEST(NetworkRun, AFinishedStudyIsNotRunTwice) {
  Parties parties({.solver = "ac", .parties = 3, .tables = false});
  parties.start_all();
  parties.expect_all_end(0);
  parties.start(0);
  EXPECT_EQ(parties.wait(0), 0);
  EXPECT_TRUE(parties.spent_once(0));
}

}  // namespace
}  // namespace sotto
