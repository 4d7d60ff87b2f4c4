#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "support/party_processes.h"

// Parties that leave, and parties that are killed for good, before the barrier and after it.

namespace sotto {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

// Ctrl-C, a reboot: everybody leaves, and comes back.
TEST(NetworkRun, EverybodyMayLeaveAndComeBack) {
  Parties parties({.solver = "gt",
                   .tables = false,
                   .sections = "[gt]\nlambda_min = 200.0\nstep = 0.002\nrounds = 150\n"});
  parties.start_all();
  for (std::size_t p = 0; p < 3; ++p) {
    ASSERT_TRUE(parties.says(p, "released; averaging")) << parties.said_by_all();
  }
  for (std::size_t p = 0; p < 3; ++p) parties.process(p).signal(SIGTERM);
  parties.expect_all_end(1);
  for (std::size_t p = 0; p < 3; ++p) EXPECT_THAT(parties.said(p), HasSubstr("E-interrupted"));
  parties.start_all();
  parties.expect_all_end(0);
  for (std::size_t p = 0; p < 3; ++p) {
    EXPECT_THAT(parties.said(p), HasSubstr("resuming run"));
    EXPECT_TRUE(parties.spent_once(p));
  }
}

constexpr const char* kShortPatience =
    "min_parties = 3\nmeeting_seconds = 60\npatience_seconds = 2\n";

TEST(NetworkDropout, BeforeTheBarrierTheRestGoOnAndPayOnce) {
  Parties parties({.solver = "dishuf",
                   .parties = 4,
                   .topology = "complete",
                   .sections = "[dishuf]\nkey_bits = 2048\n",
                   .network = kShortPatience});
  // With its third commit it has said that it has met all, and little more.
  for (const std::size_t p : {0U, 1U, 2U}) parties.start(p);
  parties.start(3, {.variables = {"SOTTO_TEST_KILL=3:sent"}});
  ASSERT_EQ(parties.wait(3), -SIGKILL) << parties.said_by_all();
  for (const std::size_t p : {0U, 1U, 2U}) {
    EXPECT_EQ(parties.wait(p), 0) << parties.said(p);
    EXPECT_THAT(parties.said(p), HasSubstr("going on without party-4"));
    EXPECT_TRUE(parties.spent_once(p));
  }
  parties.expect_same_models({0, 1, 2});
  // The lost one has spent nothing, and is told so when it comes back.
  for (const LedgerEntry& entry : parties.ledger(3)) EXPECT_NE(entry.state, EntryState::kSpent);
}

// Which commit the one that is lost has made last before the barrier depends on what came in at
// once: one of these has.
TEST(NetworkDropout, BelowTheLeastNumberTheRestStopAndHaveReleasedNothing) {
  bool seen = false;
  for (int commit = 4; commit >= 1 && !seen; --commit) {
    Parties parties({.solver = "dishuf",
                     .parties = 3,
                     .sections = "[dishuf]\nkey_bits = 2048\n",
                     .network = kShortPatience});
    for (const std::size_t p : {0U, 1U}) parties.start(p);
    parties.start(2, {.variables = {fmt::format("SOTTO_TEST_KILL={}:sent", commit)}});
    ASSERT_EQ(parties.wait(2), -SIGKILL) << parties.said_by_all();
    for (const std::size_t p : {0U, 1U}) EXPECT_EQ(parties.wait(p), 1) << parties.said(p);
    const auto lost_before = [&](std::size_t p) {
      return parties.said(p).find("error[E-parties-lost]") != std::string::npos &&
             parties.said(p).find("looks are booked in the ledger") != std::string::npos;
    };
    seen = lost_before(0) && lost_before(1);
    for (const std::size_t p : {0U, 1U}) {
      for (const LedgerEntry& entry : parties.ledger(p)) {
        EXPECT_EQ(entry.state == EntryState::kSpent,
                  parties.said(p).find("error[E-lost]") != std::string::npos)
            << parties.said(p);
      }
    }
  }
  EXPECT_TRUE(seen);
}

// Whatever the last commit of the one that is lost was: what neighbours have seen of a shuffle that
// is given up is in the ledger, and what nobody has seen is free.
TEST(NetworkDropout, AGivenUpShuffleLeavesItsLooksInTheLedger) {
  std::size_t booked = 0;
  for (int commit = 1; commit <= 4; ++commit) {
    Parties parties({.solver = "dishuf",
                     .parties = 3,
                     .sections = "[dishuf]\nkey_bits = 2048\ng = 1\n",
                     .network = "meeting_seconds = 60\npatience_seconds = 2\n"});
    for (const std::size_t p : {0U, 1U}) parties.start(p);
    parties.start(2, {.variables = {fmt::format("SOTTO_TEST_KILL={}:sent", commit)}});
    ASSERT_EQ(parties.wait(2), -SIGKILL) << parties.said_by_all();
    for (const std::size_t p : {0U, 1U}) {
      ASSERT_TRUE(parties.wait(p).has_value()) << parties.said(p);
      if (parties.spent_once(p)) continue;  // the third was past the barrier by then
      const bool looked = parties.said(p).find("booked in the ledger") != std::string::npos;
      bool in_ledger = false;
      for (const LedgerEntry& entry : parties.ledger(p)) {
        EXPECT_THAT(entry.state, AnyOf(EntryState::kGivenUp, EntryState::kRestored));
        in_ledger = in_ledger || entry.state == EntryState::kGivenUp;
        for (const ObserverCharge& charge : entry.debit.charges) {
          EXPECT_EQ(charge.looks > 0, charge.observer != "eavesdropper");
        }
      }
      EXPECT_EQ(looked, in_ledger) << parties.said(p);
      booked += in_ledger ? 1 : 0;
    }
  }
  EXPECT_GT(booked, 0U) << "one of these is between the offers and the barrier";
}

TEST(NetworkDropout, AfterTheBarrierTheRestStopAndSayWhatItCost) {
  Parties parties({.solver = "gt",
                   .tables = false,
                   .sections = "[gt]\nlambda_min = 200.0\nstep = 0.002\nrounds = 60\n",
                   .network = kShortPatience});
  for (const std::size_t p : {0U, 1U}) parties.start(p);
  // Sixty rounds are about eighty commits; the barrier is among the first ten.
  parties.start(2, {.variables = {"SOTTO_TEST_KILL=40:sent"}});
  ASSERT_EQ(parties.wait(2), -SIGKILL) << parties.said_by_all();
  EXPECT_THAT(parties.said(2), HasSubstr("released; averaging"));
  for (const std::size_t p : {0U, 1U}) {
    EXPECT_EQ(parties.wait(p), 1) << parties.said(p);
    EXPECT_THAT(parties.said(p),
                HasSubstr("was released once; ε = 10, δ = 0.2 per entry by 3 are spent"));
    EXPECT_THAT(parties.said(p), HasSubstr("costs the budget again"));
    EXPECT_THAT(parties.said(p), Not(HasSubstr("nothing was spent")));
    EXPECT_TRUE(parties.spent_once(p));
    EXPECT_EQ(parties.model(p), "");
  }
  EXPECT_TRUE(parties.spent_once(2));
}

// A second draw of the same noise would be a second release: who comes back without its journal
// is not let into the run that it left.
TEST(NetworkDropout, WhoComesBackWithoutItsJournalIsNotLetIn) {
  Parties parties({.solver = "gt",
                   .tables = false,
                   .sections = "[gt]\nlambda_min = 200.0\nstep = 0.002\nrounds = 60\n",
                   .network = "meeting_seconds = 60\npatience_seconds = 6\n"});
  for (const std::size_t p : {0U, 1U}) parties.start(p);
  parties.start(2, {.variables = {"SOTTO_TEST_KILL=40:sent"}});
  ASSERT_EQ(parties.wait(2), -SIGKILL) << parties.said_by_all();
  for (const char* file : {"party.db", "party.db-wal", "party.db-shm"}) {
    std::filesystem::remove(std::filesystem::path(parties.home(2)) / file);
  }
  parties.make_account(2);
  parties.start(2);
  for (const std::size_t p : {0U, 1U}) {
    EXPECT_TRUE(parties.says(p, "refused from party-3: [E-begun-anew]")) << parties.said_by_all();
    EXPECT_EQ(parties.wait(p), 1) << parties.said(p);
    EXPECT_EQ(parties.model(p), "");
  }
  EXPECT_EQ(parties.model(2), "");
}

}  // namespace
}  // namespace sotto
