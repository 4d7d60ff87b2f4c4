#include "store/ledger.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/ledgers.h"

namespace sotto {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST_F(StoreLedger, WhatIsReservedCountsAsSpentUntilItIsRestored) {
  Store store = open();
  ASSERT_TRUE(store.new_account("table", limit_of_squares(1)));
  const auto mine = journal(store, "a1");
  const auto other = journal(store, "b2");
  ASSERT_TRUE(mine->reserve(debit("01", 0.75)));
  EXPECT_EQ(name_of(mine->reserve(debit("02", 0.75))), "E-ledger-overdrawn")
      << "what is staged counts too";
  mine->restore("a1", "01");
  EXPECT_TRUE(mine->reserve(debit("02", 0.75))) << "and so does what is staged to be freed";
  ASSERT_TRUE(mine->commit());
  EXPECT_EQ(name_of(other->reserve(debit("01", 0.5, 0, "b2"))), "E-ledger-overdrawn");
  mine->restore("a1", "02");
  EXPECT_EQ(name_of(other->reserve(debit("01", 0.5, 0, "b2"))), "E-ledger-overdrawn")
      << "nothing is free before the commit";
  ASSERT_TRUE(mine->commit());
  EXPECT_TRUE(other->reserve(debit("01", 0.5, 0, "b2")));
}

TEST_F(StoreLedger, HoldsBackTheLargerOfValueAndLooksAndBooksWhatItCameTo) {
  Store store = open();
  ASSERT_TRUE(store.new_account("table", limit_of_squares(1)));
  const auto kept = journal(store);
  ASSERT_TRUE(kept->reserve(debit("01", 0.25, 0.75)));
  ASSERT_TRUE(kept->commit());
  EXPECT_EQ(squares(store), 0.75);
  EXPECT_EQ(name_of(kept->reserve(debit("02", 0.5))), "E-ledger-overdrawn");
  kept->give_up("a1", "01");
  ASSERT_TRUE(kept->commit());
  EXPECT_EQ(squares(store), 0.75) << "the looks are booked";
  ASSERT_TRUE(kept->reserve(debit("02", 0.25, 0.125)));
  kept->give_up("a1", "02");
  ASSERT_TRUE(kept->commit());
  EXPECT_EQ(squares(store), 0.875) << "and the rest is free again";
  ASSERT_TRUE(kept->reserve(debit("03", 0.125, 0.0625)));
  ASSERT_TRUE(kept->commit());
  kept->restore("a1", "03");
  ASSERT_TRUE(kept->commit());
  EXPECT_EQ(squares(store), 0.875) << "where nothing was shown, all of it is";
  EXPECT_EQ(store.account("table")->basic.epsilon, 0) << "no value has left";
}

TEST_F(StoreLedger, WhatWasBookedCountsEvenBeyondTheLimitAndNothingMoreIsReserved) {
  Store store = open();
  ASSERT_TRUE(store.new_account("table", limit_of_squares(1)));
  const auto kept = journal(store);
  Debit asked = debit("01", 0.5, 0.25);
  asked.charges.push_back({"neighbour", 0.75, 0.5});
  ASSERT_TRUE(kept->reserve(asked));
  kept->give_up("a1", "01");
  const std::vector<ObserverCharge> more{{"eavesdropper", 0, 1}, {"neighbour", 0, 2}};
  kept->book("a1", "01", "north", more);
  ASSERT_TRUE(kept->commit());
  const LedgerAccount account = store.account("table").value();
  EXPECT_EQ(account.guaranteed.squares, 1.25);
  EXPECT_EQ(account.left->squares, 0);
  EXPECT_EQ(account.observers.at(1).squares, 2.5);
  EXPECT_EQ(spend(store, 1e-6), "E-ledger-overdrawn");
}

TEST_F(StoreLedger, WhoIsStrongerThanAllThatABookingNamesHasSeenWhatTheyHave) {
  Store store = open();
  ASSERT_TRUE(store.new_account("table", limit_of_squares(9)));
  const auto kept = journal(store);
  Debit asked = debit("01", 0.5, 0.25);
  asked.charges.push_back({"all-neighbours", 1, 0.75});
  ASSERT_TRUE(kept->reserve(asked));
  kept->give_up("a1", "01");
  const std::vector<ObserverCharge> more{{"eavesdropper", 0, 1}, {"neighbour", 0, 2}};
  kept->book("a1", "01", "north", more);
  ASSERT_TRUE(kept->commit());
  const LedgerAccount account = store.account("table").value();
  ASSERT_EQ(account.observers.back().observer, "all-neighbours");
  EXPECT_EQ(account.observers.back().squares, 2.75);
}

TEST_F(StoreLedger, AfterALossThatHidNothingNothingMoreIsReserved) {
  Store store = open();
  ASSERT_TRUE(store.new_account("table", limit_of_squares(1)));
  const auto kept = journal(store);
  ASSERT_TRUE(kept->reserve(debit("01", 0.5, 0.25)));
  kept->give_up("a1", "01");
  const std::vector<ObserverCharge> all{
      {"eavesdropper", 0, std::numeric_limits<double>::infinity()}};
  kept->book("a1", "01", "north", all);
  ASSERT_TRUE(kept->commit());
  const LedgerAccount account = store.account("table").value();
  EXPECT_TRUE(std::isinf(account.guaranteed.squares));
  EXPECT_EQ(account.left->squares, 0);
  EXPECT_EQ(spend(store, 1e-6), "E-ledger-overdrawn");
}

TEST_F(StoreLedger, ARefusedReserveStagesNothing) {
  Store store = open();
  ASSERT_TRUE(store.new_account("table", limit_of_squares(1)));
  const auto kept = journal(store);
  kept->append("record");
  EXPECT_EQ(name_of(kept->reserve(debit("01", 2))), "E-ledger-overdrawn");
  ASSERT_TRUE(kept->commit());
  EXPECT_THAT(store.ledger().value(), IsEmpty());
  EXPECT_THAT(kept->records().value(), SizeIs(1));
  EXPECT_EQ(name_of(store.affords(debit("01", 2))), "E-ledger-overdrawn");
  EXPECT_TRUE(store.affords(debit("01", 0.5)));
  EXPECT_THAT(store.ledger().value(), IsEmpty()) << "to ask costs nothing";
}

TEST_F(StoreLedger, TwoProcessesThatRaceForTheSameRestDoNotBothGetIt) {
  {
    Store store = open();
    ASSERT_TRUE(store.new_account("table", limit_of_squares(10)));
  }
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    auto store = Store::open(home(), [] { return 0; });
    for (int k = 0; k < 5; ++k) {
      const std::string run = fmt::format("{:x}{:x}", child + 1, k);
      if (!store || !store->begin_run(run, "energy", "beef")) ::_exit(1);
      auto kept = store->journal(run);
      const auto reserved = (*kept)->reserve(debit("01", 1, 0, run));
      const auto committed = reserved ? (*kept)->commit() : reserved;
      if (!committed && committed.error().name != "E-ledger-overdrawn") ::_exit(2);
    }
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int state = 0;
    ::waitpid(child, &state, 0);
    EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  }
  EXPECT_EQ(squares(open()), 10) << "twenty asked for one each, and ten were there";
}

TEST_F(StoreLedger, UnitsAreNotAddedUp) {
  Store store = open_with_account();
  ASSERT_EQ(spend(store, 0.5), "");
  Debit other = debit("01", 0.5);
  other.unit = "entry";
  EXPECT_EQ(spend(store, other), "E-ledger-unit");
  EXPECT_EQ(last_.status, Status::kRefused);
  ASSERT_TRUE(store.new_account_without_limit("other", 1e-6));
  other.data = "other";
  EXPECT_EQ(spend(store, other), "");
}

// A sum over changes of different sizes would hold for the smallest alone.
TEST_F(StoreLedger, EntriesThatMoveByDifferentAmountsAreNotAddedUp) {
  Store store = open_with_account();
  const auto by = [](const char* unit) {
    Debit asked = debit("01", 0.5);
    asked.unit = unit;
    return asked;
  };
  // An earlier version did not say by how much: it goes on with one.
  ASSERT_EQ(spend(store, by("entry")), "");
  EXPECT_EQ(store.account("table")->unit, "entry");
  ASSERT_EQ(spend(store, by("entry by 3")), "");
  EXPECT_EQ(store.account("table")->unit, "entry by 3");
  EXPECT_EQ(squares(store), 1);
  EXPECT_EQ(spend(store, by("entry by 4")), "E-ledger-unit");
  EXPECT_EQ(spend(store, by("entry")), "E-ledger-unit");
  EXPECT_EQ(spend(store, by("record")), "E-ledger-unit");
  EXPECT_EQ(spend(store, by("entry by 3")), "");
  EXPECT_EQ(store.account("table")->unit, "entry by 3");
}

TEST_F(StoreLedger, WhatIsNoAmountIsNeitherDebitedNorALimit) {
  Store store = open_with_account();
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  const auto expect_bad = [&](auto change) {
    Debit asked = debit("01", 0.5);
    change(asked);
    EXPECT_EQ(spend(store, asked), "E-ledger-amount");
  };
  for (const double bad : {0.0, -1.0, infinity, nan}) {
    expect_bad([&](Debit& asked) { asked.epsilon = bad; });
    EXPECT_EQ(name_of(store.new_account("new", {.epsilon = bad, .delta = 0.1})), "E-ledger-amount");
    EXPECT_EQ(name_of(store.set_limit("table", {.epsilon = bad, .delta = 0.1})), "E-ledger-amount");
  }
  for (const double bad : {-1e-9, 1.0, nan}) {
    expect_bad([&](Debit& asked) { asked.delta = bad; });
    expect_bad([&](Debit& asked) { asked.laplace_delta = bad; });
    expect_bad([&](Debit& asked) { asked.excess_delta = bad; });
    EXPECT_EQ(name_of(store.new_account("new", {.epsilon = 1, .delta = bad})), "E-ledger-amount");
    EXPECT_EQ(name_of(store.new_account_without_limit("new", bad)), "E-ledger-amount");
  }
  EXPECT_EQ(name_of(store.new_account_without_limit("new", 0)), "E-ledger-amount");
  for (const double bad : {-1.0, nan}) {
    expect_bad([&](Debit& asked) { asked.charges[0].released = bad; });
    expect_bad([&](Debit& asked) { asked.charges[0].looks = bad; });
    expect_bad([&](Debit& asked) { asked.laplace_epsilon = bad; });
  }
  expect_bad([&](Debit& asked) { asked.charges[0].released = infinity; });
  expect_bad([](Debit& asked) { asked.charges.clear(); });
  expect_bad([](Debit& asked) { asked.guaranteed = "neighbour"; });
  expect_bad([](Debit& asked) { asked.charges.push_back(asked.charges[0]); });
  expect_bad([](Debit& asked) {
    for (int k = 1; k <= 64; ++k) asked.charges.push_back({fmt::format("colluders-{}", k), 1, 1});
  });
  for (const LedgerLimit& bad : {LedgerLimit{1, 0.1, 2, 0.01}, LedgerLimit{1, 0.1, 0.5, 0.2},
                                 LedgerLimit{1, 0.1, 0.5, 0}, LedgerLimit{1, 0.1, -1, 0.1}}) {
    EXPECT_EQ(name_of(store.new_account("new", bad)), "E-ledger-amount");
  }
  EXPECT_EQ(name_of(store.new_account("", limit_of_squares(1))), "E-ledger-data");
  EXPECT_EQ(name_of(store.new_account(std::string(1025, 'x'), limit_of_squares(1))),
            "E-ledger-data");
  EXPECT_EQ(spend(store, 1, ""), "E-ledger-data");
  EXPECT_THAT(store.ledger().value(), IsEmpty());
  EXPECT_THAT(store.accounts().value(), SizeIs(1));
}

// Moves of several runs in any order against one limit: it is never passed, what is refused changes
// nothing, and freeing frees what was held and no more.
RC_GTEST_FIXTURE_PROP(StoreLedger, NoOrderOfMovesPassesTheLimit, ()) {
  std::filesystem::remove_all(home());
  Store store = open();
  RC_ASSERT(store.new_account("table", limit_of_squares(1)).has_value());
  struct Attempt {
    std::unique_ptr<Journal> kept;
    Debit debit;
    bool held = false;
    double counted = 0;
  };
  std::vector<Attempt> attempts;
  for (int k = 0; k < 4; ++k) {
    const std::string run = fmt::format("{:x}", k + 1);
    const double released = *rc::gen::inRange(1, 40) / 64.0;
    const double looks = *rc::gen::inRange(0, 20) / 64.0;
    attempts.push_back({journal(store, run), debit("01", released, looks, run)});
  }
  const auto steps = *rc::gen::inRange(1, 20);
  for (int step = 0; step < steps; ++step) {
    Attempt& attempt = attempts[*rc::gen::inRange<std::size_t>(0, attempts.size())];
    const ObserverCharge& charge = attempt.debit.charges[0];
    const double before = squares(store);
    const auto choice = *rc::gen::inRange(0, 5);
    if (choice <= 1) {
      const auto reserved = attempt.kept->reserve(attempt.debit);
      if (!reserved) {
        RC_ASSERT(reserved.error().name == "E-ledger-overdrawn");
        RC_ASSERT(before + std::max(charge.released, charge.looks) > 1);
        RC_ASSERT(attempt.kept->commit().has_value());
        RC_ASSERT(squares(store) == before);
        continue;
      }
    } else if (!attempt.held) {
      continue;
    } else if (choice == 2) {
      attempt.kept->spend(attempt.debit.run, "01");
    } else if (choice == 3) {
      attempt.kept->give_up(attempt.debit.run, "01");
    } else {
      attempt.kept->restore(attempt.debit.run, "01");
    }
    RC_ASSERT(attempt.kept->commit().has_value());
    const auto entries = store.ledger().value();
    double sum = 0;
    for (Attempt& one : attempts) {
      for (const LedgerEntry& entry : entries) {
        if (entry.debit.run != one.debit.run) continue;
        const ObserverCharge& of = one.debit.charges[0];
        one.held = entry.state == EntryState::kReserved;
        one.counted = one.held                              ? std::max(of.released, of.looks)
                      : entry.state == EntryState::kSpent   ? of.released
                      : entry.state == EntryState::kGivenUp ? of.looks
                                                            : 0;
      }
      sum += one.counted;
    }
    RC_ASSERT(squares(store) == sum);
    RC_ASSERT(sum <= 1 + 1e-9);
  }
}

TEST_F(StoreLedger, NobodyUnspendsBehindItsBack) {
  {
    Store store = open_with_account();
    ASSERT_EQ(spend(store, 0.5), "");
    const auto kept = journal(store, "b2");
    ASSERT_TRUE(kept->reserve(debit("01", 0.5, 0.25, "b2")));
    kept->give_up("b2", "01");
    kept->book("b2", "01", "tag", std::vector<ObserverCharge>{{"eavesdropper", 0, 0.25}});
    ASSERT_TRUE(kept->reserve(debit("02", 0.25, 0, "b2")));
    kept->foresee("b2", "02", "tag", std::vector<ObserverCharge>{{"eavesdropper", 0, 0.25}});
    ASSERT_TRUE(kept->commit());
  }
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &handle), SQLITE_OK);
  for (const char* sql :
       {"UPDATE entries SET state = 'restored'", "UPDATE entries SET epsilon = 0.1",
        "UPDATE entries SET state = 'restored' WHERE state = 'given-up'",
        "UPDATE entries SET shown = 0 WHERE state = 'given-up'",
        "UPDATE entries SET guaranteed = 'x' WHERE state = 'given-up'", "DELETE FROM entries",
        "DELETE FROM entries WHERE state = 'spent'", "UPDATE charges SET released = 0",
        "DELETE FROM charges", "UPDATE bookings SET looks = 0", "DELETE FROM bookings",
        "UPDATE foreseen SET looks = 0", "DELETE FROM foreseen", "DELETE FROM accounts"}) {
    EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_CONSTRAINT) << sql;
  }
  sqlite3_close(handle);
  EXPECT_EQ(squares(open()), 1.25);
}

}  // namespace
}  // namespace sotto
