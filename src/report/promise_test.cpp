#include "report/promise.h"

#include <gmock/gmock.h>

#include <cmath>

#include "privacy/gaussian.h"
#include "report/run_records_for_tests.h"

namespace sotto {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

TEST(Promise, StatesTheFactorAndTheOddsOfTheRecord) {
  const Promise promise = promise_of(sample::energy());
  EXPECT_THAT(promise.kept.at(0), HasSubstr("any one row of any one party's table"));
  EXPECT_THAT(promise.kept.at(0), HasSubstr("someone who reads all traffic"));
  EXPECT_THAT(promise.kept.at(0), Not(HasSubstr("neighbour")));
  EXPECT_THAT(promise.kept.at(0), HasSubstr("e^ε\u00A0=\u00A02.718"));
  EXPECT_THAT(promise.kept.at(0), HasSubstr("δ\u00A0=\u00A010⁻⁶ (1 in 1,000,000)"));
}

TEST(Promise, SaysAgainstWhomLessHolds) {
  const Promise promise = promise_of(sample::energy());
  EXPECT_THAT(promise.limits, Contains(HasSubstr("Against one curious neighbour less is promised: "
                                                 "ε\u00A0=\u00A01.333 instead of 1")));
  EXPECT_THAT(promise_of(sample::entries_by_gt()).limits,
              Contains(HasSubstr("Against all neighbours together nothing is promised")));
}

TEST(Promise, ComputesWhatTwoRowsOfOnePersonLose) {
  const RunRecord record = sample::energy();
  const std::string epsilon =
      equals("ε", gaussian_epsilon(2 * record.adversaries[0].shift, record.delta));
  EXPECT_THAT(promise_of(record).limits, Contains(HasSubstr("with two rows, " + epsilon)));
}

TEST(Promise, DoesNotTakeAnEntryForAPerson) {
  const Promise promise = promise_of(sample::entries_by_gt());
  EXPECT_THAT(promise.limits, Contains(HasSubstr("promises nothing about a person's row")));
  EXPECT_THAT(promise.limits, Each(Not(HasSubstr("two rows"))));
  EXPECT_THAT(promise.kept.at(0), HasSubstr("larger or smaller by up to 3"));
  EXPECT_THAT(promise.kept, Contains(HasSubstr("little is promised")));
}

TEST(Promise, AdmitsWhereNobodyIsCovered) {
  RunRecord record = sample::energy();
  record.adversaries.erase(record.adversaries.begin());
  const Promise promise = promise_of(record);
  EXPECT_THAT(promise.kept.at(0), HasSubstr("hold against none of the observers"));
  record.adversaries.clear();
  EXPECT_THAT(promise_of(record).kept.at(0), HasSubstr("hold against none of the observers"));
}

TEST(Promise, NamesTheCryptographyItStandsOn) {
  EXPECT_THAT(promise_of(sample::energy()).limits, Contains(HasSubstr("Paillier")));
  EXPECT_THAT(promise_of(sample::one_coefficient()).limits, Contains(HasSubstr("X25519")));
  EXPECT_THAT(promise_of(sample::entries_by_gt()).limits, Each(Not(HasSubstr("encryption"))));
}

// The bound on a guess must agree with δ at ε = 0: (1 + κ_0(s))/2.
TEST(Promise, BoundsAGuessByTheTotalVariation) {
  const RunRecord record = sample::energy();
  for (const RunRecord::Adversary& observer : record.adversaries) {
    EXPECT_NEAR(best_guess(record, observer), (1 + gaussian_delta(1e-12, observer.shift)) / 2,
                1e-9);
  }
  RunRecord tracked = sample::entries_by_gt();
  tracked.delta = 0.2;
  EXPECT_NEAR(best_guess(tracked, {"neighbour", 1, 0.2, 1}),
              (std::exp(1) + 0.2) / (1 + std::exp(1)), 1e-15);
  EXPECT_EQ(best_guess(tracked, tracked.adversaries[2]), 1);
}

TEST(Promise, RoundsTowardsTheLargerRisk) {
  EXPECT_EQ(percent_at_most(0.54801), "54.9\u00A0%");
  EXPECT_EQ(percent_at_most(0.5), "50.0\u00A0%");
  EXPECT_EQ(percent_at_most(1), "100.0\u00A0%");
  EXPECT_EQ(odds_text(0.2), "1 in 5");
  EXPECT_EQ(odds_text(0.27), "1 in 3.7");
  EXPECT_EQ(odds_text(1e-6), "1 in 1,000,000");
  EXPECT_EQ(odds_text(1e-20), "1 in 10²⁰");
  EXPECT_EQ(odds_text(0), "never");
}

TEST(Promise, GroupsDigits) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(1234567), "1,234,567");
}

TEST(Promise, NamesObserversInPlainWords) {
  EXPECT_EQ(observer_in_words("eavesdropper"), "someone who reads all traffic");
  EXPECT_EQ(observer_in_words("neighbour"), "one curious neighbour");
  EXPECT_EQ(observer_in_words("all-neighbours"), "all neighbours together");
  EXPECT_EQ(observer_in_words("colluders-3"), "any 3 parties together");
  EXPECT_EQ(observer_in_words("something new"), "something new");
}

}  // namespace
}  // namespace sotto
