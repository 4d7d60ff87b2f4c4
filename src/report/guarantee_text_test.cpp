#include "report/guarantee_text.h"

#include <gmock/gmock.h>

#include <cmath>

#include "privacy/budget.h"
#include "report/text.h"
#include "support/run_records.h"

namespace sotto::report {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

TEST(GuaranteeText, StatesTheFactorAndTheOddsOfTheRecord) {
  const GuaranteeText text = guarantee_text(sample::energy());
  EXPECT_THAT(text.kept.at(0), HasSubstr("any one row of any one party's table"));
  EXPECT_THAT(text.kept.at(0), HasSubstr("someone who reads all traffic"));
  EXPECT_THAT(text.kept.at(0), Not(HasSubstr("neighbour")));
  EXPECT_THAT(text.kept.at(0), HasSubstr("e^ε\u00A0=\u00A02.718"));
  EXPECT_THAT(text.kept.at(0), HasSubstr("δ\u00A0=\u00A010⁻⁶ (1 in 1,000,000)"));
}

TEST(GuaranteeText, SaysAgainstWhomLessHolds) {
  const GuaranteeText text = guarantee_text(sample::energy());
  EXPECT_THAT(text.limits, Contains(HasSubstr("Against one curious neighbour less is promised: "
                                              "ε\u00A0=\u00A01.333 instead of 1")));
  EXPECT_THAT(guarantee_text(sample::entries_by_gt()).limits,
              Contains(HasSubstr("Against all neighbours together nothing is promised")));
}

TEST(GuaranteeText, ComputesWhatTwoRowsOfOnePersonLose) {
  const RunRecord record = sample::energy();
  const std::string epsilon =
      equals("ε", gaussian_epsilon(2 * record.adversaries[0].shift, record.delta));
  EXPECT_THAT(guarantee_text(record).limits, Contains(HasSubstr("with two rows, " + epsilon)));
}

// All rows of a person at one party are hidden together: it is another party's that cost more.
TEST(GuaranteeText, OfPersonsComputesWhatRowsAtTwoPartiesLose) {
  RunRecord record = sample::energy();
  record.encoding["person"] = {{"column", "id"}, {"rows", 2}};
  const GuaranteeText text = guarantee_text(record);
  const std::string epsilon =
      equals("ε", gaussian_epsilon(2 * record.adversaries[0].shift, record.delta));
  EXPECT_THAT(text.kept.at(0), HasSubstr("all rows of any one person in any one party's table"));
  EXPECT_THAT(text.limits, Contains("A person with rows at several parties is protected less: "
                                    "with rows at two, " +
                                    epsilon + " at the same δ."));
  EXPECT_THAT(text.limits, Each(Not(HasSubstr("several rows"))));
}

TEST(GuaranteeText, DoesNotTakeAnEntryForAPerson) {
  const GuaranteeText text = guarantee_text(sample::entries_by_gt());
  EXPECT_THAT(text.limits, Contains(HasSubstr("promises nothing about a person's row")));
  EXPECT_THAT(text.limits, Each(Not(HasSubstr("two rows"))));
  EXPECT_THAT(text.kept.at(0), HasSubstr("larger or smaller by up to 3"));
  EXPECT_THAT(text.kept, Contains(HasSubstr("little is promised")));
}

TEST(GuaranteeText, AdmitsWhereNobodyIsCovered) {
  RunRecord record = sample::energy();
  record.adversaries.erase(record.adversaries.begin());
  const GuaranteeText text = guarantee_text(record);
  EXPECT_THAT(text.kept.at(0), HasSubstr("hold against none of the observers"));
  record.adversaries.clear();
  EXPECT_THAT(guarantee_text(record).kept.at(0), HasSubstr("hold against none of the observers"));
}

TEST(GuaranteeText, NamesTheCryptographyItStandsOn) {
  EXPECT_THAT(guarantee_text(sample::energy()).limits, Contains(HasSubstr("Paillier")));
  EXPECT_THAT(guarantee_text(sample::one_coefficient()).limits, Contains(HasSubstr("X25519")));
  EXPECT_THAT(guarantee_text(sample::entries_by_gt()).limits, Each(Not(HasSubstr("encryption"))));
}

// The bound on a guess must agree with δ at ε = 0: (1 + κ_0(s))/2.
TEST(GuaranteeText, BoundsAGuessByTheTotalVariation) {
  const RunRecord record = sample::energy();
  for (const Adversary& observer : record.adversaries) {
    EXPECT_NEAR(best_guess(record, observer), (1 + gaussian_delta(1e-12, observer.shift)) / 2,
                1e-9);
  }
  RunRecord tracked = sample::entries_by_gt();
  tracked.delta = 0.2;
  EXPECT_NEAR(best_guess(tracked, {Observer::kNeighbour, 1, 0.2, 1}),
              (std::exp(1) + 0.2) / (1 + std::exp(1)), 1e-15);
  EXPECT_EQ(best_guess(tracked, tracked.adversaries[2]), 1);
}

TEST(GuaranteeText, RoundsTowardsTheLargerRisk) {
  EXPECT_EQ(percent_at_most(0.54801), "54.9\u00A0%");
  EXPECT_EQ(percent_at_most(0.5), "50.0\u00A0%");
  EXPECT_EQ(percent_at_most(1), "100.0\u00A0%");
  EXPECT_EQ(odds_text(0.2), "1 in 5");
  EXPECT_EQ(odds_text(0.27), "1 in 3.7");
  EXPECT_EQ(odds_text(1e-6), "1 in 1,000,000");
  EXPECT_EQ(odds_text(1e-20), "1 in 10²⁰");
  EXPECT_EQ(odds_text(0), "never");
}

TEST(GuaranteeText, GroupsDigits) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(1234567), "1,234,567");
}

TEST(GuaranteeText, NamesObserversInPlainWords) {
  const auto words = [](const char* name) { return observer_in_words(*observer_from(name)); };
  EXPECT_EQ(words("eavesdropper"), "someone who reads all traffic");
  EXPECT_EQ(words("neighbour"), "one curious neighbour");
  EXPECT_EQ(words("all-neighbours"), "all neighbours together");
  EXPECT_EQ(words("colluders-1"), "any one curious party");
  EXPECT_EQ(words("colluders-3"), "any 3 parties together");
}

}  // namespace
}  // namespace sotto::report
