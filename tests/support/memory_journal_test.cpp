#include "support/memory_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// What a journal promises in general is tested for both kinds in store/contract_test.cpp.

Debit debit(const std::string& attempt) {
  Debit made;
  made.run = "a1";
  made.attempt = attempt;
  made.data = "table";
  made.unit = "record";
  made.epsilon = 0.5;
  return made;
}

TEST(MemoryJournal, ACrashDropsWhatIsStaged) {
  MemoryJournal journal;
  journal.append("one");
  ASSERT_TRUE(journal.reserve(debit("01")));
  EXPECT_THAT(journal.records().value(), IsEmpty());
  ASSERT_TRUE(journal.commit());
  journal.append("two");
  journal.spend("a1", "01");
  journal.crash();
  ASSERT_TRUE(journal.commit());
  EXPECT_THAT(journal.records().value(), ElementsAre("one"));
  EXPECT_EQ(journal.moves("a1").spent, 0);
  EXPECT_EQ(journal.held("a1"), 1);
  EXPECT_EQ(journal.commits(), 1) << "a commit of nothing is none";
}

TEST(MemoryJournal, CountsWhatWasCommittedOfEachAttempt) {
  MemoryJournal journal;
  ASSERT_TRUE(journal.reserve(debit("01")));
  ASSERT_TRUE(journal.reserve(debit("01")));
  EXPECT_EQ(journal.moves("a1", "01").reserved, 0) << "staged is not committed";
  ASSERT_TRUE(journal.commit());
  journal.restore("a1", "01");
  journal.restore("a1", "01");
  ASSERT_TRUE(journal.reserve(debit("02")));
  journal.spend("a1", "02");
  journal.spend("a1", "02");
  ASSERT_TRUE(journal.commit());
  EXPECT_EQ(journal.moves("a1", "01").reserved, 1);
  EXPECT_EQ(journal.moves("a1", "01").restored, 1);
  EXPECT_EQ(journal.moves("a1", "01").spent, 0);
  EXPECT_EQ(journal.moves("a1", "02").spent, 1);
  EXPECT_EQ(journal.moves("a1").reserved, 2);
  EXPECT_EQ(journal.moves("a1").spent, 1);
  EXPECT_EQ(journal.moves("b2").reserved, 0);
  EXPECT_EQ(journal.held("a1"), 0);
  EXPECT_EQ(journal.commits(), 2);
}

TEST(MemoryJournal, AddsUpWhatAnObserverHasSeen) {
  MemoryJournal journal;
  Debit asked = debit("01");
  asked.charges = {{"eavesdropper", 0.5, 0}, {"neighbour", 0.75, 0.25}};
  ASSERT_TRUE(journal.reserve(asked));
  ASSERT_TRUE(journal.commit());
  EXPECT_EQ(journal.squares("a1", "neighbour"), 0.75);
  journal.give_up("a1", "01");
  journal.book("a1", "01", "lost", std::vector<ObserverCharge>{{"neighbour", 0, 1}});
  EXPECT_EQ(journal.squares("a1", "neighbour"), 0.75) << "staged is not committed";
  ASSERT_TRUE(journal.commit());
  EXPECT_EQ(journal.squares("a1", "neighbour"), 1.25);
  EXPECT_EQ(journal.squares("a1", "eavesdropper"), 0);
  EXPECT_EQ(journal.moves("a1", "01").given_up, 1);
  EXPECT_EQ(journal.moves("a1").booked, 1);
  EXPECT_THAT(journal.booked("a1", "01"), ElementsAre("lost"));
}

TEST(MemoryJournal, HasALimitForTheGuaranteedObserver) {
  MemoryJournal journal;
  journal.set_limit(1);
  Debit asked = debit("01");
  asked.charges = {{"eavesdropper", 0.5, 0.75}, {"neighbour", 8, 8}};
  asked.guaranteed = "eavesdropper";
  ASSERT_TRUE(journal.reserve(asked));
  asked.attempt = "02";
  EXPECT_EQ(journal.reserve(asked).error().name, "E-ledger-overdrawn");
  journal.spend("a1", "01");
  EXPECT_FALSE(journal.reserve(asked)) << "0.5 and 0.75 are more than 1";
  ASSERT_TRUE(journal.commit());
  EXPECT_TRUE(journal.within_limit());
  EXPECT_EQ(journal.total("neighbour"), 8);
}

Debit charged(const std::string& attempt) {
  Debit made = debit(attempt);
  made.charges = {{.observer = "eavesdropper", .released = 1, .looks = 0},
                  {.observer = "neighbour", .released = 2, .looks = 0.5}};
  made.guaranteed = "neighbour";
  return made;
}

TEST(MemoryJournal, AddsUpWhatWasReleasedShownAndBooked) {
  MemoryJournal journal;
  journal.set_limit(3);
  ASSERT_TRUE(journal.reserve(charged("01")));
  ASSERT_TRUE(journal.commit());
  EXPECT_DOUBLE_EQ(journal.total("neighbour"), 2);
  EXPECT_FALSE(journal.reserve(charged("02"))) << "both may be released, as far as it knows";
  journal.give_up("a1", "01");
  ASSERT_TRUE(journal.commit());
  EXPECT_DOUBLE_EQ(journal.total("neighbour"), 0.5);
  EXPECT_DOUBLE_EQ(journal.total("eavesdropper"), 0);
  const std::vector<ObserverCharge> more{{.observer = "neighbour", .released = 9, .looks = 0.25}};
  journal.book("a1", "01", "released-by-2", more);
  journal.book("a1", "01", "released-by-2", more);
  ASSERT_TRUE(journal.commit());
  EXPECT_DOUBLE_EQ(journal.total("neighbour"), 0.75);
  EXPECT_THAT(journal.booked("a1", "01"), ElementsAre("released-by-2"));
  ASSERT_TRUE(journal.reserve(charged("02")));
  journal.spend("a1", "02");
  journal.crash();
  EXPECT_DOUBLE_EQ(journal.total("neighbour"), 0.75);
  ASSERT_TRUE(journal.reserve(charged("02")));
  journal.spend("a1", "02");
  ASSERT_TRUE(journal.commit());
  EXPECT_DOUBLE_EQ(journal.total("neighbour"), 2.75);
  EXPECT_DOUBLE_EQ(journal.total("eavesdropper"), 1);
  EXPECT_TRUE(journal.within_limit());
  EXPECT_EQ(journal.moves("a1").given_up, 1);
}

TEST(MemoryJournal, CanBeToldToRefuse) {
  MemoryJournal journal;
  journal.refuse_reserves(true);
  const auto refusal = journal.reserve(debit("01"));
  ASSERT_FALSE(refusal);
  EXPECT_EQ(refusal.error().name, "E-ledger-overdrawn");
  EXPECT_EQ(refusal.error().status, Status::kRefused);
  journal.refuse_reserves(false);
  EXPECT_TRUE(journal.reserve(debit("01")));
  journal.refuse_reserves(true);
  EXPECT_TRUE(journal.reserve(debit("01"))) << "what is held already is not asked for again";
}

TEST(MemoryJournal, CanBeToldToFailAndKeepsWhatIsStaged) {
  MemoryJournal journal;
  journal.append("one");
  journal.fail_commits(true);
  const auto full = journal.commit();
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().name, "E-store-full");
  EXPECT_THAT(journal.records().value(), IsEmpty());
  journal.fail_commits(false);
  ASSERT_TRUE(journal.commit());
  EXPECT_THAT(journal.records().value(), ElementsAre("one"));
}

}  // namespace
}  // namespace sotto
