// What both journals promise, the one on the disk and the one of simulated parties.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <map>
#include <optional>

#include "store/store.h"
#include "support/memory_journal.h"
#include "support/stores.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Told by the same moves.
class Contract : public StoreTest, public testing::WithParamInterface<bool> {
 protected:
  void start() {
    if (GetParam()) {
      store_.emplace(open_with_account());
      disk_ = journal(*store_);
      current_ = disk_.get();
    } else {
      current_ = &memory_;
    }
  }
  // The process dies and comes back.
  void crash() {
    disk_.reset();
    store_.reset();
    memory_.crash();
    start();
  }
  Journal& kept() { return *current_; }
  // As `sotto abort` does where no process is in the run any more.
  void end_from_outside() {
    if (!store_) return memory_.end_from_outside("a1");
    ASSERT_TRUE(store_->abort("a1", "its machine died"));
  }
  // What counts of all attempts, as committed.
  double squares() {
    return store_ ? store_->account("table")->guaranteed.squares
                  : memory_.squares("a1", "eavesdropper");
  }

 private:
  MemoryJournal memory_;
  std::optional<Store> store_;
  std::unique_ptr<Journal> disk_;
  Journal* current_ = nullptr;
};

TEST_P(Contract, ACrashLeavesTheLastCommit) {
  start();
  kept().append("one");
  ASSERT_TRUE(kept().commit());
  kept().append("two");
  crash();
  EXPECT_THAT(kept().records().value(), ElementsAre("one"));
  kept().append("three");
  ASSERT_TRUE(kept().commit());
  crash();
  EXPECT_THAT(kept().records().value(), ElementsAre("one", "three"));
}

TEST_P(Contract, ARunReleasesOnce) {
  start();
  ASSERT_TRUE(kept().reserve(debit("01", 0.5)));
  kept().restore("a1", "01");
  ASSERT_TRUE(kept().reserve(debit("02", 0.5)));
  ASSERT_TRUE(kept().reserve(debit("03", 0.5)));
  kept().spend("a1", "02");
  ASSERT_TRUE(kept().commit());
  EXPECT_EQ(name_of(kept().reserve(debit("04", 0.5))), "E-ledger-second");
  EXPECT_EQ(name_of(kept().reserve(debit("03", 0.5))), "E-ledger-second");
  EXPECT_TRUE(kept().reserve(debit("02", 0.5))) << "the same attempt again changes nothing";
  kept().spend("a1", "02");
  kept().restore("a1", "02");
  EXPECT_TRUE(kept().commit()) << "what was spent stays spent";
  kept().append("the other value");
  kept().spend("a1", "03");
  EXPECT_EQ(name_of(kept().commit()), "E-ledger-second");
  crash();
  EXPECT_THAT(kept().records().value(), IsEmpty());
  EXPECT_EQ(name_of(kept().reserve(debit("04", 0.5))), "E-ledger-second");
}

TEST_P(Contract, AnAttemptHasOnePrice) {
  start();
  const Debit asked = debit("01", 0.5, 0.1);
  ASSERT_TRUE(kept().reserve(asked));
  const auto expect_other = [&](auto change) {
    Debit other = asked;
    change(other);
    EXPECT_EQ(name_of(kept().reserve(other)), "E-ledger-differs");
  };
  const auto expect_others = [&] {
    expect_other([](Debit& other) { other.epsilon = 0.5; });
    expect_other([](Debit& other) { other.delta = 1e-7; });
    expect_other([](Debit& other) { other.data = "other"; });
    expect_other([](Debit& other) { other.unit = "entry"; });
    expect_other([](Debit& other) { other.charges[0].released = 0.25; });
    expect_other([](Debit& other) { other.charges[0].looks = 0; });
    expect_other([](Debit& other) { other.charges.push_back({"neighbour", 1, 1}); });
    expect_other([](Debit& other) { other.colluders = 1; });
    expect_other([](Debit& other) { other.laplace_epsilon = 1; });
    expect_other([](Debit& other) { other.laplace_delta = 1e-6; });
    expect_other([](Debit& other) { other.excess_delta = 1e-30; });
  };
  expect_others();
  ASSERT_TRUE(kept().commit());
  expect_others();
  EXPECT_TRUE(kept().reserve(asked));
}

TEST_P(Contract, SpendingWhatWasNotReservedStopsTheProcess) {
  EXPECT_DEATH(
      {
        start();
        kept().spend("a1", "01");
        static_cast<void>(kept().commit());
      },
      "what is spent was reserved");
  EXPECT_DEATH(
      {
        start();
        static_cast<void>(kept().reserve(debit("01", 0.5)));
        kept().restore("a1", "01");
        kept().spend("a1", "01");
        static_cast<void>(kept().commit());
      },
      "what is spent was reserved");
}

TEST_P(Contract, WhatWasRestoredCanBeReservedAgain) {
  start();
  ASSERT_TRUE(kept().reserve(debit("01", 0.5)));
  ASSERT_TRUE(kept().commit());
  kept().restore("a1", "01");
  ASSERT_TRUE(kept().commit());
  ASSERT_TRUE(kept().reserve(debit("01", 0.5)));
  kept().spend("a1", "01");
  EXPECT_TRUE(kept().commit());
}

TEST_P(Contract, WhatIsGivenUpMayBeReservedAgainAndItsLooksStay) {
  start();
  ASSERT_TRUE(kept().reserve(debit("01", 0.5, 0.125)));
  kept().give_up("a1", "01");
  kept().give_up("a1", "01");
  ASSERT_TRUE(kept().commit());
  EXPECT_EQ(squares(), 0.125);
  kept().restore("a1", "01");
  ASSERT_TRUE(kept().commit());
  EXPECT_EQ(squares(), 0.125);
  ASSERT_TRUE(kept().reserve(debit("01", 0.5, 0.125)));
  ASSERT_TRUE(kept().commit());
  EXPECT_EQ(squares(), 0.5);
  kept().restore("a1", "01");
  ASSERT_TRUE(kept().commit());
  EXPECT_EQ(squares(), 0.125) << "what was shown was shown";
  ASSERT_TRUE(kept().reserve(debit("01", 0.5, 0.125)));
  kept().spend("a1", "01");
  kept().give_up("a1", "01");
  ASSERT_TRUE(kept().commit());
  EXPECT_EQ(squares(), 0.5) << "what was spent stays spent";
}

TEST_P(Contract, ARunMayGiveUpSeveralAttemptsAndSpendOne) {
  start();
  for (const char* attempt : {"01", "02", "03"}) {
    ASSERT_TRUE(kept().reserve(debit(attempt, 0.5, 0.125)));
    kept().give_up("a1", attempt);
  }
  ASSERT_TRUE(kept().reserve(debit("04", 0.5, 0.125)));
  kept().spend("a1", "04");
  ASSERT_TRUE(kept().commit());
  crash();
  EXPECT_EQ(squares(), 0.875);
}

TEST_P(Contract, ATagIsBookedOnce) {
  start();
  const std::vector<ObserverCharge> more{{"eavesdropper", 7, 0.25}};
  ASSERT_TRUE(kept().reserve(debit("01", 0.5, 0.125)));
  kept().give_up("a1", "01");
  kept().book("a1", "01", "north was given up", more);
  kept().book("a1", "01", "north was given up", more);
  ASSERT_TRUE(kept().commit());
  EXPECT_EQ(squares(), 0.375) << "of a booking, looks count";
  crash();
  kept().book("a1", "01", "north was given up", more);
  ASSERT_TRUE(kept().commit());
  EXPECT_EQ(squares(), 0.375);
  kept().book("a1", "01", "south was given up", more);
  ASSERT_TRUE(kept().reserve(debit("02", 0.5)));
  kept().spend("a1", "02");
  kept().book("a1", "02", "north was given up", more);
  ASSERT_TRUE(kept().commit());
  EXPECT_EQ(squares(), 1.375) << "another attempt's tag is another";
}

TEST_P(Contract, WhatWasNeverReservedCannotHaveShownAnything) {
  EXPECT_DEATH(
      {
        start();
        kept().give_up("a1", "01");
        static_cast<void>(kept().commit());
      },
      "what is given up was reserved");
  EXPECT_DEATH(
      {
        start();
        static_cast<void>(kept().reserve(debit("01", 0.5)));
        kept().restore("a1", "01");
        kept().book("a1", "01", "tag", {});
        static_cast<void>(kept().commit());
      },
      "more is booked of what was given up or spent");
}

TEST_P(Contract, WhatIsForeseenCountsOnlyIfNobodySaysHowItEnded) {
  const std::vector<ObserverCharge> more{{"eavesdropper", 7, 0.25}};
  start();
  for (const char* attempt : {"01", "02", "03", "04", "05"}) {
    ASSERT_TRUE(kept().reserve(debit(attempt, 0.5, 0.125)));
    kept().foresee("a1", attempt, "released-by-1", more);
    kept().foresee("a1", attempt, "released-by-1", more);
    kept().foresee("a1", attempt, "released-by-2", more);
  }
  ASSERT_TRUE(kept().commit());
  EXPECT_EQ(squares(), 2.5) << "as long as it is held back, it is in that";
  kept().restore("a1", "01");
  kept().give_up("a1", "02");
  kept().give_up("a1", "04");
  kept().book("a1", "04", "released-by-2", more);
  ASSERT_TRUE(kept().reserve(debit("04", 0.5, 0.125)));
  kept().foresee("a1", "04", "released-by-2", more);
  kept().spend("a1", "03");
  ASSERT_TRUE(kept().commit());
  EXPECT_EQ(squares(), 0.125 + 0.5 + (0.25 + 0.5) + 0.5);
  kept().give_up("a1", "05");
  crash();
  end_from_outside();
  EXPECT_EQ(squares(), 0.125 + 0.5 + (0.25 + 0.125) + (0.125 + 0.5))
      << "what was booked under a tag is not booked again";
}

TEST_P(Contract, WhatIsNotHeldBackForeseesNothing) {
  EXPECT_DEATH(
      {
        start();
        static_cast<void>(kept().reserve(debit("01", 0.5)));
        kept().give_up("a1", "01");
        kept().foresee("a1", "01", "tag", {});
        static_cast<void>(kept().commit());
      },
      "what is foreseen was reserved");
}

INSTANTIATE_TEST_SUITE_P(Journals, Contract, testing::Bool(), [](const auto& chosen) {
  return std::string(chosen.param ? "OnTheDisk" : "InMemory");
});

// Any order of moves, commits and crashes: both journals answer alike at every step and
// have the same state after it.
RC_GTEST_FIXTURE_PROP(StoreTest, TheDiskAndTheMemoryAgreeOnEveryOrderOfMoves, ()) {
  std::filesystem::remove_all(home());
  std::optional<Store> store(open_with_account());
  auto disk = journal(*store);
  MemoryJournal memory;
  enum class Stand { kNone, kHeld, kSpent, kGivenUp };
  std::map<std::string, Stand> stand;  // what a move may be called for: others stop the process
  std::map<std::string, Stand> stand_kept;
  const auto steps = *rc::gen::inRange(1, 30);
  const std::vector<ObserverCharge> more{{"eavesdropper", 0, 0.25}};
  for (int step = 0; step < steps; ++step) {
    const std::string attempt = fmt::format("{:02x}", *rc::gen::inRange(0, 3));
    Stand& now = stand[attempt];
    const auto choice = *rc::gen::inRange(0, 14);
    if (choice <= 1) {
      const std::string record = *rc::gen::arbitrary<std::string>();
      disk->append(record);
      memory.append(record);
    } else if (choice <= 4) {
      const Debit asked = debit(attempt, *rc::gen::element(0.5, 0.5, 0.5, 0.25), 0.125);
      const auto answer = memory.reserve(asked);
      RC_ASSERT(name_of(disk->reserve(asked)) == name_of(answer));
      if (answer && now != Stand::kSpent) now = Stand::kHeld;
    } else if (choice == 5 && (now == Stand::kHeld || now == Stand::kSpent)) {
      disk->spend("a1", attempt);
      memory.spend("a1", attempt);
      now = Stand::kSpent;
    } else if (choice == 6 && now != Stand::kNone) {
      disk->give_up("a1", attempt);
      memory.give_up("a1", attempt);
      if (now == Stand::kHeld) now = Stand::kGivenUp;
    } else if (choice == 7 && (now == Stand::kSpent || now == Stand::kGivenUp)) {
      disk->book("a1", attempt, "tag", more);
      memory.book("a1", attempt, "tag", more);
    } else if (choice == 8) {
      disk->restore("a1", attempt);
      memory.restore("a1", attempt);
      if (now == Stand::kHeld) now = Stand::kNone;
    } else if (choice == 9 && now == Stand::kHeld) {
      const std::string tag = *rc::gen::element("tag", "other");
      disk->foresee("a1", attempt, tag, more);
      memory.foresee("a1", attempt, tag, more);
    } else if (choice <= 12) {
      const auto answer = memory.commit();
      RC_ASSERT(name_of(disk->commit()) == name_of(answer));
      if (answer) stand_kept = stand;
      if (!answer) {
        memory.crash();
        disk = journal(*store);
        stand = stand_kept;
      }
    } else {
      disk.reset();
      store.reset();
      store.emplace(open());
      disk = journal(*store);
      memory.crash();
      stand = stand_kept;
    }
    RC_ASSERT(disk->records().value() == memory.records().value());
    int spent = 0;
    int reserved = 0;
    const auto entries = store->ledger();
    for (const LedgerEntry& entry : *entries) {
      spent += entry.state == EntryState::kSpent ? 1 : 0;
      reserved += entry.state == EntryState::kReserved ? 1 : 0;
    }
    RC_ASSERT(spent == memory.moves("a1").spent);
    RC_ASSERT(reserved == memory.held("a1"));
    RC_ASSERT(spent <= 1);
    RC_ASSERT(store->account("table")->guaranteed.squares == memory.squares("a1", "eavesdropper"));
  }
  RC_ASSERT(store->abort("a1", "its process is gone").has_value());
  memory.end_from_outside("a1");
  RC_ASSERT(store->account("table")->guaranteed.squares == memory.squares("a1", "eavesdropper"));
}

}  // namespace
}  // namespace sotto
