#include "store/ledger.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "support/stores.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class StoreLedger : public StoreTest {
 protected:
  // A run of its own that spends; the error's name if it may not.
  std::string spend(Store& store, double epsilon, double delta = 0,
                    const std::string& data = "table", const std::string& unit = "record") {
    const std::string run = fmt::format("{:x}", ++runs_);
    const auto kept = journal(store, run);
    Debit asked = debit("01", epsilon, delta, run, data);
    asked.unit = unit;
    if (auto held = kept->reserve(asked); !held) {
      last_ = held.error();
      return last_.name;
    }
    kept->spend(run, "01");
    return name_of(kept->commit());
  }
  Error last_;

 private:
  int runs_ = 0;
};

TEST_F(StoreLedger, SaysWhatWasSpentOnWhatWhenAndWhatIsLeft) {
  Store store = open();
  ASSERT_TRUE(store.set_limit("table", {.epsilon = 1, .delta = 0.5}));
  ASSERT_TRUE(store.set_limit("untouched", {.epsilon = 2, .delta = 0}));
  now_ = 1'800'000'000;
  ASSERT_EQ(spend(store, 0.25, 0.125), "");
  ASSERT_EQ(spend(store, 0.5, 0.25), "");
  ASSERT_EQ(spend(store, 8, 0, "free"), "");
  const auto entries = store.ledger();
  ASSERT_TRUE(entries);
  ASSERT_THAT(*entries, SizeIs(3));
  const LedgerEntry& first = entries->front();
  EXPECT_EQ(first.debit.run, "1");
  EXPECT_EQ(first.debit.attempt, "01");
  EXPECT_EQ(first.debit.study, "energy");
  EXPECT_EQ(first.debit.data, "table");
  EXPECT_EQ(first.debit.unit, "record");
  EXPECT_EQ(first.debit.epsilon, 0.25);
  EXPECT_EQ(first.debit.delta, 0.125);
  EXPECT_EQ(first.state, EntryState::kSpent);
  EXPECT_EQ(first.time, 1'800'000'000);
  const auto accounts = store.accounts();
  ASSERT_TRUE(accounts);
  ASSERT_THAT(*accounts, SizeIs(3));
  EXPECT_EQ((*accounts)[0].data, "free");
  EXPECT_EQ((*accounts)[0].spent.epsilon, 8);
  EXPECT_FALSE((*accounts)[0].limit || (*accounts)[0].left);
  EXPECT_EQ((*accounts)[1].data, "table");
  EXPECT_EQ((*accounts)[1].unit, "record");
  EXPECT_EQ((*accounts)[1].spent.epsilon, 0.75);
  EXPECT_EQ((*accounts)[1].spent.delta, 0.375);
  EXPECT_EQ((*accounts)[1].left.value().epsilon, 0.25);
  EXPECT_EQ((*accounts)[1].left.value().delta, 0.125);
  EXPECT_EQ((*accounts)[2].spent.epsilon, 0);
  EXPECT_EQ((*accounts)[2].left.value().epsilon, 2);
}

TEST_F(StoreLedger, AnOverdraftIsRefusedInEitherNumberAndSaysWhatIsLeft) {
  Store store = open();
  ASSERT_TRUE(store.set_limit("table", {.epsilon = 1, .delta = 1e-6}));
  ASSERT_EQ(spend(store, 0.75, 5e-7), "");
  EXPECT_EQ(spend(store, 0.5, 0), "E-ledger-overdrawn");
  EXPECT_EQ(last_.status, Status::kRefused);
  EXPECT_THAT(last_.what,
              AllOf(HasSubstr("table"), HasSubstr("spent ε = 0.75, δ = 5e-07"),
                    HasSubstr("asked ε = 0.5, δ = 0"), HasSubstr("left ε = 0.25, δ = 5e-07")));
  EXPECT_EQ(spend(store, 0.125, 6e-7), "E-ledger-overdrawn");
  EXPECT_EQ(spend(store, 0.5, 0, "another table"), "") << "each table has its own ledger";
  EXPECT_EQ(spend(store, 0.25, 5e-7), "") << "all that is left may be spent";
  EXPECT_EQ(spend(store, 1e-6, 0), "E-ledger-overdrawn");
  ASSERT_TRUE(store.set_limit("table", {.epsilon = 2, .delta = 1e-6}));
  EXPECT_EQ(spend(store, 0.5, 0), "");
  ASSERT_TRUE(store.set_limit("table", {.epsilon = 0.1, .delta = 1e-6}));
  EXPECT_EQ(store.accounts().value().at(1).left.value().epsilon, 0);
}

TEST_F(StoreLedger, WhatIsReservedCountsAsSpentUntilItIsRestored) {
  Store store = open();
  ASSERT_TRUE(store.set_limit("table", {.epsilon = 1, .delta = 0}));
  const auto mine = journal(store, "a1");
  const auto other = journal(store, "b2");
  ASSERT_TRUE(mine->reserve(debit("01", 0.75)));
  EXPECT_EQ(name_of(mine->reserve(debit("02", 0.75))), "E-ledger-overdrawn")
      << "what is staged counts";
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

TEST_F(StoreLedger, ARefusedReserveStagesNothing) {
  Store store = open();
  ASSERT_TRUE(store.set_limit("table", {.epsilon = 1, .delta = 0}));
  const auto kept = journal(store);
  kept->append("record");
  EXPECT_EQ(name_of(kept->reserve(debit("01", 2))), "E-ledger-overdrawn");
  ASSERT_TRUE(kept->commit());
  EXPECT_THAT(store.ledger().value(), IsEmpty());
  EXPECT_THAT(kept->records().value(), SizeIs(1));
}

TEST_F(StoreLedger, ASecondRunOnTheSameTableIsASecondDebit) {
  Store store = open();
  ASSERT_EQ(spend(store, 0.5), "");
  ASSERT_EQ(spend(store, 0.5), "");
  EXPECT_EQ(store.accounts().value().at(0).spent.epsilon, 1);
}

TEST_F(StoreLedger, UnitsAreNotAddedUp) {
  Store store = open();
  ASSERT_EQ(spend(store, 0.5, 0, "table", "record"), "");
  EXPECT_EQ(spend(store, 0.5, 0, "table", "entry"), "E-ledger-unit");
  EXPECT_EQ(last_.status, Status::kRefused);
  EXPECT_EQ(spend(store, 0.5, 0, "other", "entry"), "");
}

TEST_F(StoreLedger, WhatIsNoAmountIsNeitherDebitedNorALimit) {
  Store store = open();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<LedgerAmount> bad{
      {.epsilon = 0, .delta = 0.1},         {.epsilon = -1, .delta = 0.1},
      {.epsilon = infinity, .delta = 0.1},  {.epsilon = std::nan(""), .delta = 0.1},
      {.epsilon = 1, .delta = -1e-9},       {.epsilon = 1, .delta = 1},
      {.epsilon = 1, .delta = std::nan("")}};
  for (const LedgerAmount& amount : bad) {
    EXPECT_EQ(spend(store, amount.epsilon, amount.delta), "E-ledger-amount");
    EXPECT_EQ(name_of(store.set_limit("table", amount)), "E-ledger-amount");
  }
  EXPECT_EQ(name_of(store.set_limit("", {.epsilon = 1, .delta = 0})), "E-ledger-data");
  EXPECT_EQ(name_of(store.set_limit(std::string(1025, 'x'), {.epsilon = 1, .delta = 0})),
            "E-ledger-data");
  EXPECT_EQ(spend(store, 1, 0, ""), "E-ledger-data");
  EXPECT_EQ(spend(store, 1, 0, "table", ""), "E-ledger-data");
  EXPECT_THAT(store.ledger().value(), IsEmpty());
  EXPECT_THAT(store.accounts().value(), IsEmpty());
}

TEST_F(StoreLedger, RoundDecimalsFitIntoARoundLimit) {
  Store store = open();
  ASSERT_TRUE(store.set_limit("table", {.epsilon = 0.3, .delta = 3e-6}));
  for (int k = 0; k < 3; ++k) EXPECT_EQ(spend(store, 0.1, 1e-6), "") << k;
  // The sum is exact and rounded up all the same: 3·fl(0.1) is above fl(0.3).
  const auto account = store.accounts().value().at(0);
  EXPECT_GT(account.spent.epsilon, 0.3);
  EXPECT_EQ(account.left.value().epsilon, 0);
  EXPECT_EQ(spend(store, 1e-10, 0), "E-ledger-overdrawn") << "the slack is 2⁻⁴⁰, no more";
}

TEST_F(StoreLedger, TheSlackOfALimitDoesNotGrowWithTheNumberOfRuns) {
  Store store = open();
  ASSERT_TRUE(store.set_limit("table", {.epsilon = 1, .delta = 0}));
  ASSERT_EQ(spend(store, 1), "");
  ASSERT_EQ(spend(store, std::ldexp(1, -41)), "");
  ASSERT_EQ(spend(store, std::ldexp(1, -41)), "");
  EXPECT_EQ(spend(store, std::ldexp(1, -80)), "E-ledger-overdrawn");
}

TEST_F(StoreLedger, FloatingPointNeverUnderCounts) {
  Store store = open();
  // 1 + 2⁻⁶⁰ + 2⁻⁶⁰ is 1 in doubles, in any order and rounding to nearest.
  ASSERT_EQ(spend(store, 1), "");
  ASSERT_EQ(spend(store, std::ldexp(1, -60)), "");
  ASSERT_EQ(spend(store, std::ldexp(1, -60)), "");
  EXPECT_EQ(store.accounts().value().at(0).spent.epsilon, std::nextafter(1.0, 2.0));
  ASSERT_TRUE(store.set_limit("table", {.epsilon = 3, .delta = 0}));
  EXPECT_EQ(store.accounts().value().at(0).left.value().epsilon, std::nextafter(2.0, 0.0))
      << "what is left is rounded down";
}

RC_GTEST_PROP(LedgerRounding, IsTheNearestDoubleOnTheSafeSide,
              (std::int32_t numerator, std::uint16_t denominator, std::int8_t exponent)) {
  Rational value(Integer(numerator), Integer(denominator) + 1);
  value.canonicalize();
  value *= power_of_two(exponent);
  const double above = store::double_above(value);
  const double below = store::double_below(value);
  RC_ASSERT(Rational(above) >= value);
  RC_ASSERT(Rational(below) <= value);
  RC_ASSERT(Rational(std::nextafter(above, -1e300)) < value);
  RC_ASSERT(Rational(std::nextafter(below, 1e300)) > value);
}

TEST_F(StoreLedger, NobodyUnspendsBehindItsBack) {
  {
    Store store = open();
    ASSERT_EQ(spend(store, 0.5), "");
  }
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &handle), SQLITE_OK);
  for (const char* sql :
       {"UPDATE entries SET state = 'restored'", "UPDATE entries SET epsilon = 0.1",
        "DELETE FROM entries", "DELETE FROM entries WHERE state = 'spent'"}) {
    EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_CONSTRAINT) << sql;
  }
  sqlite3_close(handle);
  EXPECT_EQ(open().accounts().value().at(0).spent.epsilon, 0.5);
}

}  // namespace
}  // namespace sotto
