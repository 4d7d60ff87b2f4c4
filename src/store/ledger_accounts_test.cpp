#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "store/ledger.h"
#include "store/ledger_history.h"
#include "support/ledgers.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr double kForever = std::numeric_limits<double>::infinity();

TEST_F(StoreLedger, TenRunsAtOneCostThreePointOneFour) {
  Store store = open_with_account();
  for (int k = 0; k < 10; ++k) ASSERT_EQ(spend(store, at_one()), "");
  const LedgerAccount account = store.account("table").value();
  EXPECT_EQ(account.delta, 1e-5);
  EXPECT_NEAR(account.guaranteed.epsilon, 3.14, 1e-2);
  EXPECT_NEAR(account.guaranteed.epsilon, 3.13976000333973504, 2e-11) << "composition_test.cpp";
  EXPECT_GE(account.guaranteed.epsilon, 3.13976000333973504);
  EXPECT_NEAR(account.guaranteed.basic_epsilon, 10, 1e-9);
  EXPECT_EQ(account.basic.epsilon, 10);
  EXPECT_NEAR(account.basic.delta, 1e-5, 1e-17);
}

TEST_F(StoreLedger, KnowsHowAnAccountStoodAfterEachRelease) {
  Store store = open_with_account();
  std::vector<double> then;
  for (int k = 0; k < 3; ++k) {
    ASSERT_EQ(spend(store, at_one()), "");
    then.push_back(store.account("table")->guaranteed.epsilon);
  }
  const LedgerAccount account = store.account("table").value();
  const auto steps = store::account_history(account, store.ledger().value());
  ASSERT_THAT(steps, SizeIs(3));
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(steps[k].after.guaranteed.epsilon, then[k]);
  EXPECT_EQ(steps.back().after.observers.size(), account.observers.size());
  LedgerAccount other = account;
  other.data = "another table";
  EXPECT_THAT(store::account_history(other, store.ledger().value()), SizeIs(0));
}

TEST_F(StoreLedger, ALimitOfTenHoldsSeventyOneOfThem) {
  Store store = open();
  ASSERT_TRUE(store.new_account("table", {.epsilon = 10, .delta = 1e-5}));
  for (int k = 0; k < 71; ++k) ASSERT_EQ(spend(store, at_one()), "") << k;
  const auto before = store.ledger().value();
  EXPECT_EQ(spend(store, at_one()), "E-ledger-overdrawn");
  EXPECT_EQ(last_.status, Status::kRefused);
  EXPECT_THAT(last_.what, AllOf(HasSubstr("\"table\""), HasSubstr("ε = 10 at δ = 1e-05"),
                                HasSubstr("spent ε = 9.96345 (basic composition: ε = 71, "),
                                HasSubstr("with this study ε = 10.0497 (basic composition: ε = 72"),
                                HasSubstr("eavesdropper ε = 10.0497 (basic 72)")));
  EXPECT_EQ(store.ledger()->size(), before.size()) << "refused, it has changed nothing";
  EXPECT_EQ(store.account("table")->left->squares,
            store::double_below(Rational(largest_squares(10, 1e-5 * (1 - 0x1p-45))) -
                                71 * Rational(largest_squares(1, 1e-6))));
}

TEST_F(StoreLedger, AStudyForAllOfALimitFitsIntoIt) {
  for (const double epsilon : {0.1, 1.0, 20.0}) {
    for (const double delta : {1e-9, 1e-5, 0.3}) {
      std::filesystem::remove_all(home());
      Store store = open();
      ASSERT_TRUE(store.new_account("table", {.epsilon = epsilon, .delta = delta}));
      EXPECT_EQ(spend(store, largest_squares(epsilon, delta)), "") << epsilon << ' ' << delta;
      EXPECT_EQ(spend(store, 1e-9), "E-ledger-overdrawn");
      // The ε that holds is the limit's, to a part in 10¹⁰.
      const double held = store.account("table")->guaranteed.epsilon;
      EXPECT_NEAR(held, epsilon, 1e-10 * epsilon);
    }
  }
}

TEST_F(StoreLedger, SaysWhatWasSpentOnWhatWhenAndWhatIsLeft) {
  Store store = open();
  ASSERT_TRUE(store.new_account("table", limit_of_squares(1)));
  ASSERT_TRUE(store.new_account("untouched", {.epsilon = 2, .delta = 1e-6}));
  ASSERT_TRUE(store.new_account_without_limit("free", 1e-4));
  now_ = 1'800'000'000;
  ASSERT_EQ(spend(store, 0.25), "");
  ASSERT_EQ(spend(store, 0.5), "");
  ASSERT_EQ(spend(store, 8, "free"), "");
  const auto entries = store.ledger();
  ASSERT_TRUE(entries);
  ASSERT_THAT(*entries, SizeIs(3));
  const LedgerEntry& first = entries->front();
  EXPECT_EQ(first.debit.run, "1");
  EXPECT_EQ(first.debit.attempt, "01");
  EXPECT_EQ(first.debit.study, "energy");
  EXPECT_EQ(first.debit.data, "table");
  EXPECT_EQ(first.debit.unit, "record");
  EXPECT_EQ(first.debit.charges, debit("01", 0.25).charges);
  EXPECT_EQ(first.debit.guaranteed, "eavesdropper");
  EXPECT_EQ(first.state, EntryState::kSpent);
  EXPECT_EQ(first.time, 1'800'000'000);
  const auto accounts = store.accounts();
  ASSERT_TRUE(accounts);
  ASSERT_THAT(*accounts, SizeIs(3));
  EXPECT_EQ((*accounts)[0].data, "free");
  EXPECT_EQ((*accounts)[0].guaranteed.squares, 8);
  EXPECT_EQ((*accounts)[0].guaranteed.epsilon, composed_epsilon(8, 1e-4));
  EXPECT_FALSE((*accounts)[0].limit || (*accounts)[0].left);
  EXPECT_EQ((*accounts)[1].data, "table");
  EXPECT_EQ((*accounts)[1].unit, "record");
  EXPECT_EQ((*accounts)[1].guaranteed.squares, 0.75);
  EXPECT_EQ((*accounts)[1].guaranteed.epsilon, composed_epsilon(0.75, 1e-5));
  EXPECT_NEAR((*accounts)[1].left->squares, 0.25, 1e-10);
  EXPECT_NEAR((*accounts)[1].left->epsilon, gaussian_epsilon(0.5, 1e-5), 1e-9);
  EXPECT_LE((*accounts)[1].left->epsilon,
            gaussian_epsilon(std::sqrt((*accounts)[1].left->squares), 1e-5));
  EXPECT_EQ((*accounts)[2].guaranteed.epsilon, 0);
  EXPECT_EQ((*accounts)[2].colluders, std::nullopt);
  EXPECT_NEAR((*accounts)[2].left->epsilon, 2, 1e-9);
}

TEST_F(StoreLedger, NothingIsDebitedFromAnAccountThatNobodyMade) {
  Store store = open_with_account();
  ASSERT_TRUE(store.new_account_without_limit("people", 1e-6));
  EXPECT_EQ(spend(store, 0.5, "peopel"), "E-account-unknown");
  EXPECT_EQ(last_.status, Status::kBadInput);
  EXPECT_THAT(last_.what, AllOf(HasSubstr("\"peopel\""), HasSubstr("\"people\", \"table\"")));
  EXPECT_THAT(last_.fix, HasSubstr("sotto ledger new \"peopel\" --epsilon E --delta D"));
  EXPECT_EQ(name_of(store.account("peopel")), "E-account-unknown");
  EXPECT_EQ(name_of(store.affords(debit("01", 1, 0, "a1", "peopel"))), "E-account-unknown");
  EXPECT_EQ(name_of(store.set_limit("peopel", limit_of_squares(1))), "E-account-unknown");
  EXPECT_THAT(store.accounts().value(), SizeIs(2));
  EXPECT_EQ(name_of(store.new_account("people", limit_of_squares(1))), "E-account-exists");
  EXPECT_FALSE(store.account("people")->limit) << "nor is one made twice";
}

TEST_F(StoreLedger, TheSlackOfALimitDoesNotGrowWithTheNumberOfRuns) {
  Store store = open();
  ASSERT_TRUE(store.new_account("table", {.epsilon = 1, .delta = 1e-5}));
  const double all = store.account("table")->left->squares;
  ASSERT_EQ(spend(store, all), "");
  EXPECT_EQ(store.account("table")->left->squares, 0);
  ASSERT_EQ(spend(store, std::ldexp(all, -41)), "");
  ASSERT_EQ(spend(store, std::ldexp(all, -42)), "");
  EXPECT_EQ(spend(store, std::ldexp(all, -41)), "E-ledger-overdrawn");
}

TEST_F(StoreLedger, FloatingPointNeverUnderCounts) {
  Store store = open_with_account();
  // 1 + 2⁻⁶⁰ + 2⁻⁶⁰ is 1 in doubles, in any order and rounding to nearest.
  ASSERT_EQ(spend(store, 1), "");
  ASSERT_EQ(spend(store, std::ldexp(1, -60)), "");
  ASSERT_EQ(spend(store, std::ldexp(1, -60)), "");
  EXPECT_EQ(squares(store), std::nextafter(1.0, 2.0));
}

RC_GTEST_FIXTURE_PROP(StoreLedger, SumsAreNeverTooSmallAndDoNotDependOnTheOrder, ()) {
  const auto exponents = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-1200, 120));
  std::vector<double> amounts;
  Rational exact = 0;
  for (const int exponent :
       std::span(exponents).first(std::min<std::size_t>(8, exponents.size()))) {
    amounts.push_back(std::pow(10.0, exponent / 100.0));
    exact += Rational(amounts.back());
  }
  const auto spent = [&](const std::vector<double>& list) {
    std::filesystem::remove_all(home());
    Store store = open_with_account();
    for (const double amount : list) RC_ASSERT(spend(store, amount) == "");
    return store.account("table").value();
  };
  const LedgerAccount one = spent(amounts);
  RC_ASSERT(Rational(one.guaranteed.squares) >= exact);
  RC_ASSERT(one.guaranteed.squares == store::double_above(exact));
  if (one.guaranteed.epsilon > 0) {
    RC_ASSERT(gaussian_delta(one.guaranteed.epsilon, std::sqrt(one.guaranteed.squares)) <=
              one.delta);
  }
  std::ranges::sort(amounts);
  const LedgerAccount other = spent(amounts);
  RC_ASSERT(other.guaranteed.squares == one.guaranteed.squares);
  RC_ASSERT(other.guaranteed.epsilon == one.guaranteed.epsilon);
  RC_ASSERT(other.guaranteed.basic_epsilon == one.guaranteed.basic_epsilon);
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

TEST_F(StoreLedger, TruncatedLaplaceNoiseHasAShareThatIsFixedBeforehand) {
  Store store = open();
  ASSERT_TRUE(
      store.new_account("table", {.epsilon = 3, .delta = 1e-5, .gt_epsilon = 1, .gt_delta = 2e-6}));
  EXPECT_NEAR(store.account("table")->left->squares, largest_squares(2, 8e-6), 1e-12);
  ASSERT_EQ(spend(store, by_gt(0.5, 1e-6)), "");
  EXPECT_EQ(spend(store, by_gt(0.25, 1.5e-6)), "E-ledger-overdrawn") << "its δ";
  EXPECT_THAT(last_.what, HasSubstr("gt's share, ε = 1, δ = 2e-06, of the limit"));
  ASSERT_EQ(spend(store, by_gt(0.5, 1e-6)), "");
  EXPECT_EQ(spend(store, by_gt(1e-3, 1e-9)), "E-ledger-overdrawn") << "its ε";
  const LedgerAccount account = store.account("table").value();
  EXPECT_EQ(account.laplace.epsilon, 1);
  EXPECT_EQ(account.laplace.delta, 2e-6);
  EXPECT_EQ(account.left->gt_epsilon, 0);
  EXPECT_NEAR(account.guaranteed.epsilon,
              1 + composed_epsilon(2 * largest_squares(0.5, 1e-6), 8e-6), 1e-11);
  // The rest of the limit is the Gaussians', and none of it is gt's.
  Debit gaussian = debit("01", account.left->squares);
  gaussian.unit = "entry";
  EXPECT_EQ(spend(store, gaussian), "");
}

TEST_F(StoreLedger, AnAccountWithoutAShareTakesNoGt) {
  Store store = open();
  ASSERT_TRUE(store.new_account("table", {.epsilon = 3, .delta = 1e-5}));
  EXPECT_EQ(spend(store, by_gt(0.1, 1e-7)), "E-ledger-overdrawn");
  ASSERT_TRUE(
      store.set_limit("table", {.epsilon = 3, .delta = 1e-5, .gt_epsilon = 1, .gt_delta = 1e-6}));
  EXPECT_EQ(store.account("table")->limit_changes, 0U) << "nothing had been released";
  ASSERT_EQ(spend(store, by_gt(0.1, 1e-7)), "");
  EXPECT_EQ(name_of(store.set_limit("table", {.epsilon = 3, .delta = 1e-5})), "E-ledger-share");
  EXPECT_EQ(name_of(store.set_limit(
                "table", {.epsilon = 3, .delta = 1e-5, .gt_epsilon = 2, .gt_delta = 1e-6})),
            "E-ledger-share");
  EXPECT_TRUE(
      store.set_limit("table", {.epsilon = 4, .delta = 1e-5, .gt_epsilon = 1, .gt_delta = 1e-6}));
  EXPECT_EQ(store.account("table")->limit_changes, 1U) << "it is no filter any more, and says so";
}

TEST_F(StoreLedger, TheDiscreteExcessHasAShareToo) {
  Store store = open();
  ASSERT_TRUE(store.new_account("table", {.epsilon = 3, .delta = 1e-5}));
  Debit asked = debit("01", 1e-3);
  asked.excess_delta = discrete_excess(1e6);
  ASSERT_EQ(spend(store, asked), "");
  EXPECT_EQ(store.account("table")->excess_delta, asked.excess_delta);
  asked.excess_delta = 1e-5 * 0x1p-45;
  EXPECT_EQ(spend(store, asked), "E-ledger-overdrawn");
}

TEST_F(StoreLedger, EveryObserverHasASumOfItsOwnAndTheGuaranteedOnesIsLimited) {
  Store store = open();
  ASSERT_TRUE(store.new_account("table", limit_of_squares(1)));
  Debit two = debit("01", 0);
  two.charges = {{"eavesdropper", 0.125, 0},
                 {"neighbour", 0.25, 0},
                 {"colluders-2", 0.5, 0},
                 {"all-neighbours", kForever, 0}};
  two.guaranteed = "colluders-2";
  two.colluders = 2;
  ASSERT_EQ(spend(store, two), "");
  EXPECT_EQ(store.account("table")->colluders, 2U);
  Debit one = debit("01", 0);
  one.charges = {{"eavesdropper", 0.125, 0},
                 {"neighbour", 0.25, 0},
                 {"colluders-1", 0.25, 0},
                 {"all-neighbours", 4, 0}};
  one.guaranteed = "colluders-1";
  one.colluders = 1;
  ASSERT_EQ(spend(store, one), "");
  const LedgerAccount account = store.account("table").value();
  EXPECT_EQ(account.guaranteed.squares, 0.75) << "each by what its study guarantees";
  EXPECT_EQ(account.colluders, 1U) << "the smallest coalition of all studies";
  std::vector<std::string> names;
  std::vector<double> sums;
  for (const ObserverTotal& total : account.observers) {
    names.push_back(total.observer);
    sums.push_back(total.squares);
    EXPECT_EQ(total.unknown, 0U);
  }
  EXPECT_THAT(names, ElementsAre("eavesdropper", "neighbour", "colluders-1", "colluders-2",
                                 "all-neighbours"));
  // Who is not named is charged as the weakest one that is as strong: colluders-1 in the first
  // study as a neighbour, colluders-2 in the second as all neighbours.
  EXPECT_THAT(sums, ElementsAre(0.25, 0.5, 0.5, 4.5, kForever));
  EXPECT_EQ(account.observers[3].epsilon, composed_epsilon(4.5, 1e-5));
  EXPECT_EQ(account.observers[4].epsilon, kForever);
}

TEST_F(StoreLedger, SaysWhereAStudySaidNothingAboutAnObserver) {
  Store store = open_with_account();
  ASSERT_EQ(spend(store, 0.5), "");
  Debit more = debit("01", 0.5);
  more.charges.push_back({"all-neighbours", 2, 0});
  ASSERT_EQ(spend(store, more), "");
  const LedgerAccount account = store.account("table").value();
  EXPECT_EQ(account.observers.at(0).unknown, 0U);
  EXPECT_EQ(account.observers.at(1).observer, "all-neighbours");
  EXPECT_EQ(account.observers.at(1).squares, 2);
  EXPECT_EQ(account.observers.at(1).unknown, 1U);
}

TEST_F(StoreLedger, HasNoLimitBeyondWhatStudiesCanCost) {
  Store store = open();
  for (const double epsilon : {1e308, 1.01e9, kForever, 0.0, -1.0}) {
    EXPECT_EQ(name_of(store.new_account("table", {.epsilon = epsilon, .delta = 1e-5})),
              "E-ledger-amount")
        << epsilon;
  }
  ASSERT_TRUE(store.new_account("table", {.epsilon = 1e9, .delta = 1e-5}));
  EXPECT_EQ(name_of(store.set_limit("table", {.epsilon = 1e308, .delta = 1e-5})),
            "E-ledger-amount");
  EXPECT_EQ(spend(store, at_one()), "");
  EXPECT_GT(store.account("table")->left->epsilon, 0.9e9);
}

TEST_F(StoreLedger, WithTermsThatNoAccountHasIsDamaged) {
  { ASSERT_TRUE(open().new_account("table", {.epsilon = 10, .delta = 1e-5})); }
  for (const char* terms : {"epsilon = 9e999", "gt_epsilon = 9e999"}) {
    tamper(fmt::format("UPDATE accounts SET epsilon = 10, gt_epsilon = 0; UPDATE accounts SET {}",
                       terms));
    EXPECT_EQ(name_of(open().accounts()), "E-store-corrupt") << terms;
    EXPECT_EQ(name_of(open().account("table")), "E-store-corrupt") << terms;
  }
  tamper("UPDATE accounts SET epsilon = 1e308, gt_epsilon = 0");
  const auto account = open().account("table");
  ASSERT_TRUE(account.has_value()) << "as an earlier sotto would have made it";
  EXPECT_EQ(account->left->epsilon, 1e308) << "no more is left than there was";
}

TEST_F(StoreLedger, WithAnEntryThatChargesNobodyForWhatItGuaranteesIsDamaged) {
  {
    Store store = open_with_account();
    ASSERT_EQ(spend(store, at_one()), "");
  }
  tamper("DROP TRIGGER charges_stay_the_same; UPDATE charges SET observer = 'nobody'");
  EXPECT_EQ(name_of(open().ledger()), "E-store-corrupt");
  EXPECT_EQ(name_of(open().account("table")), "E-store-corrupt");
}

TEST_F(StoreLedger, WithATimeThatNoClockHasShownIsDamaged) {
  {
    Store store = open_with_account();
    ASSERT_EQ(spend(store, at_one()), "");
  }
  for (const char* time : {"-1", "1099511627776", "9223372036854775807"}) {
    tamper(fmt::format("DROP TRIGGER IF EXISTS spent_stays_spent; UPDATE entries SET time = {}",
                       time));
    EXPECT_EQ(name_of(open().ledger()), "E-store-corrupt") << time;
  }
}

// The entries, their charges and their bookings are three tables.
TEST_F(StoreLedger, IsReadAsOfOneMomentWhileAnotherProcessWrites) {
  { (void)open_with_account(); }
  const pid_t writer = ::fork();
  if (writer == 0) {
    bool fine = true;
    {
      Store store = open();
      for (int k = 0; k < 400; ++k) fine = spend(store, at_one()).empty() && fine;
    }
    ::_exit(fine ? 0 : 1);
  }
  int state = 0;
  {
    const Store store = open();
    while (::waitpid(writer, &state, WNOHANG) == 0) {
      EXPECT_NO_THROW(EXPECT_EQ(name_of(store.ledger()), ""));
    }
    EXPECT_EQ(store.ledger()->size(), 400U);
  }
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

}  // namespace
}  // namespace sotto
