#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "store/store.h"
#include "support/stores.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class StoreJournal : public StoreTest {};

TEST_F(StoreJournal, KeepsWhatWasCommittedAndNothingElse) {
  const std::string binary("\0\xff\x80 text\0", 9);
  {
    Store store = open();
    const auto kept = journal(store);
    kept->append("first");
    kept->append("");
    kept->append(binary);
    EXPECT_THAT(kept->records().value(), IsEmpty());
    ASSERT_TRUE(kept->commit());
    kept->append("never committed");
  }
  Store store = open();
  const auto kept = journal(store);
  EXPECT_THAT(kept->records().value(), ElementsAre("first", "", binary));
  kept->append("fourth");
  ASSERT_TRUE(kept->commit());
  EXPECT_THAT(journal(store)->records().value(), ElementsAre("first", "", binary, "fourth"));
}

TEST_F(StoreJournal, RunsHaveJournalsOfTheirOwn) {
  Store store = open();
  const auto one = journal(store, "a1");
  const auto two = journal(store, "b2");
  one->append("one");
  two->append("two");
  ASSERT_TRUE(one->commit());
  EXPECT_THAT(two->records().value(), IsEmpty());
  ASSERT_TRUE(two->commit());
  EXPECT_THAT(one->records().value(), ElementsAre("one"));
  EXPECT_THAT(two->records().value(), ElementsAre("two"));
}

TEST_F(StoreJournal, MayOutliveItsStore) {
  std::unique_ptr<Journal> kept;
  {
    Store store = open();
    kept = journal(store);
  }
  kept->append("record");
  EXPECT_TRUE(kept->commit());
}

TEST_F(StoreJournal, ASecondWriterOfTheSameRunIsFoundOutAndLosesNothing) {
  Store store = open();
  const auto one = journal(store);
  const auto two = journal(store);
  one->append("one");
  two->append("two");
  ASSERT_TRUE(one->commit());
  EXPECT_EQ(name_of(two->commit()), "E-store-busy");
  EXPECT_THAT(journal(store)->records().value(), ElementsAre("one"));
}

TEST_F(StoreJournal, RecordsThatWereChangedOrRemovedAreFoundOut) {
  const auto make = [&] {
    std::filesystem::remove_all(home());
    Store store = open();
    const auto kept = journal(store);
    for (const char* record : {"one", "two", "three"}) kept->append(record);
    EXPECT_TRUE(kept->commit());
    const auto other = journal(store, "b2");
    for (const char* record : {"one", "two", "three"}) other->append(record);
    EXPECT_TRUE(other->commit());
  };
  for (const char* sql :
       {"UPDATE records SET bytes = x'00' WHERE number = 1 AND owner = 1",
        "UPDATE records SET digest = x'00' WHERE number = 2 AND owner = 1",
        "DELETE FROM records WHERE number = 1 AND owner = 1",
        "DELETE FROM records WHERE number = 0 AND owner = 1",
        "DELETE FROM records WHERE number = 2 AND owner = 1", "DELETE FROM records WHERE owner = 1",
        "DELETE FROM records WHERE owner = 1; UPDATE records SET owner = 1 WHERE owner = 2"}) {
    make();
    tamper(sql);
    Store store = open();
    EXPECT_EQ(name_of(store.journal("a1")), "E-store-corrupt") << sql;
  }
  make();
  Store store = open();
  EXPECT_TRUE(store.journal("a1")) << "unchanged, it is read";
}

TEST_F(StoreJournal, RecordsAndLedgerMoveTogetherOrNotAtAll) {
  Store store = open();
  ASSERT_TRUE(store.new_account("table", limit_of_squares(1)));
  auto mine = journal(store, "a1");
  auto other = journal(store, "b2");
  mine->append("sealed");
  ASSERT_TRUE(mine->reserve(debit("01", 0.8)));
  // Checked when it is asked for, and again when it counts.
  ASSERT_TRUE(other->reserve(debit("01", 0.8, 0, "b2")));
  ASSERT_TRUE(other->commit());
  EXPECT_EQ(name_of(mine->commit()), "E-ledger-overdrawn");
  EXPECT_THAT(journal(store, "a1")->records().value(), IsEmpty());
  EXPECT_THAT(store.ledger().value(), SizeIs(1));
  // What was staged is still there, and goes through as soon as there is room.
  other->restore("b2", "01");
  ASSERT_TRUE(other->commit());
  ASSERT_TRUE(mine->commit());
  EXPECT_THAT(mine->records().value(), ElementsAre("sealed"));
  EXPECT_THAT(store.ledger().value(), SizeIs(2));
}

TEST_F(StoreJournal, ARunThatHasEndedReleasesNothingAndHoldsNothing) {
  Store store = open_with_account();
  const auto kept = journal(store);
  ASSERT_TRUE(kept->reserve(debit("01", 0.5)));
  ASSERT_TRUE(kept->commit());
  EXPECT_EQ(store.account("table")->guaranteed.squares, 0.5);
  ASSERT_TRUE(store.abort("a1", "asked to"));
  EXPECT_EQ(store.account("table")->guaranteed.squares, 0);
  kept->append("about to send");
  kept->spend("a1", "01");
  EXPECT_EQ(name_of(kept->commit()), "E-run-ended");
  EXPECT_THAT(journal(store)->records().value(), IsEmpty());
  EXPECT_EQ(name_of(journal(store)->reserve(debit("02", 0.5))), "E-run-ended");
  EXPECT_EQ(store.ledger().value().at(0).state, EntryState::kRestored);
}

TEST_F(StoreJournal, TheEndOfARunBooksTheLooksThatItMayHaveShown) {
  Store store = open_with_account();
  const auto kept = journal(store);
  ASSERT_TRUE(kept->reserve(debit("01", 0.5, 0.125)));
  ASSERT_TRUE(kept->reserve(debit("02", 0.5)));
  ASSERT_TRUE(kept->commit());
  EXPECT_EQ(store.account("table")->guaranteed.squares, 1);
  ASSERT_TRUE(store.fail("a1", "the machine fell over"));
  EXPECT_EQ(store.ledger()->at(0).state, EntryState::kGivenUp);
  EXPECT_EQ(store.ledger()->at(1).state, EntryState::kRestored) << "it had nothing to show";
  EXPECT_EQ(store.account("table")->guaranteed.squares, 0.125);
}

// Of colluders none: the eavesdropper sees no look, and a neighbour's release all the same.
TEST_F(StoreJournal, TheEndOfARunBooksWhatItsSessionForesaw) {
  Store store = open_with_account();
  const std::vector<ObserverCharge> release{{"eavesdropper", 0, 0.0625}, {"neighbour", 0, 0.25}};
  const auto kept = journal(store);
  Debit asked = debit("01", 0.5);
  asked.charges.push_back({"neighbour", 1, 0.125});
  ASSERT_TRUE(kept->reserve(asked));
  kept->foresee("a1", "01", "released-by-1", release);
  kept->foresee("a1", "01", "released-by-3", release);
  ASSERT_TRUE(kept->commit());
  EXPECT_EQ(store.account("table")->guaranteed.squares, 0.5);
  const auto other = journal(store, "b2");
  ASSERT_TRUE(other->reserve(debit("01", 0.25, 0, "b2")));
  other->foresee("b2", "01", "released-by-1", release);
  ASSERT_TRUE(other->commit());
  now_ += 60;
  ASSERT_TRUE(store.abort("a1", "its machine died"));
  const LedgerEntry entry = store.ledger()->at(0);
  EXPECT_EQ(entry.state, EntryState::kGivenUp);
  EXPECT_EQ(entry.time, now_);
  ASSERT_THAT(entry.bookings, SizeIs(2));
  EXPECT_EQ(entry.bookings[0].tag, "released-by-1");
  EXPECT_EQ(entry.bookings[1].tag, "released-by-3");
  EXPECT_EQ(entry.bookings[0].charges, release);
  EXPECT_EQ(store.ledger()->at(1).state, EntryState::kReserved) << "another run's";
  EXPECT_EQ(store.account("table")->guaranteed.squares, 0.125 + 0.25);
  ASSERT_TRUE(store.fail("b2", "its machine died too"));
  EXPECT_EQ(store.account("table")->guaranteed.squares, 0.125 + 0.0625) << "without any looks too";
}

TEST_F(StoreJournal, TheEndOfARunLeavesSpentEntriesAndOtherRunsAlone) {
  Store store = open_with_account();
  const auto mine = journal(store, "a1");
  const auto other = journal(store, "b2");
  ASSERT_TRUE(mine->reserve(debit("01", 0.25)));
  mine->spend("a1", "01");
  ASSERT_TRUE(mine->commit());
  ASSERT_TRUE(other->reserve(debit("01", 0.5, 0, "b2")));
  ASSERT_TRUE(other->commit());
  ASSERT_TRUE(store.fail("a1", "south was lost"));
  EXPECT_EQ(store.account("table")->guaranteed.squares, 0.75);
}

TEST_F(StoreJournal, TheEndOfARunErasesItsRecordsFromTheDisk) {
  const std::string key = "the key that all of the noise was drawn from";
  Store store = open();
  const auto mine = journal(store, "a1");
  mine->append(key);
  ASSERT_TRUE(mine->commit());
  ASSERT_TRUE(store.finish("a1", {}));
  EXPECT_TRUE(journal(store, "a1")->records().value().empty());
  mine->append("what a late neighbour asked for");
  EXPECT_FALSE(mine->commit()) << "a run that has ended hears nothing any more";
  for (const auto& file : std::filesystem::directory_iterator(home())) {
    if (!file.is_regular_file()) continue;
    std::ifstream in(file.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    EXPECT_EQ(bytes.find(key), std::string::npos) << file.path();
  }
}

}  // namespace
}  // namespace sotto
