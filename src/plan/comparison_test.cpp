#include "plan/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "base/json.h"
#include "support/studies.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::array kEpsilons{0.5, 1.0, 2.0};
constexpr std::array kAll{Solver::kDishuf, Solver::kPairwise, Solver::kAc, Solver::kGt};

TEST(ExpectedIntervals, AreThoseOfLeastSquaresWhereThereIsNoNoise) {
  StudyText text;
  text.set("study", "name", "\"one\"").set("study", "solver", "\"ac\"");
  text.set("privacy", "epsilon", "1").set("privacy", "delta", "1e-6");
  text.set("privacy", "unit", "\"record\"").set("privacy", "neighbours", "\"add-remove\"");
  text.set("graph", "topology", "\"cycle\"").set("graph", "parties", "3");
  text.set("data", "target", "{ column = \"y\", bounds = [0, 50] }");
  text.append("[[data.feature]]\ncolumn = \"x\"\nbounds = [10, 20]\n");
  const auto found = expected_intervals(study_of(text), 0, 1000);
  ASSERT_TRUE(found.has_value()) << found.error().to_string();
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[1].coefficient, "x");
  // In halves of the bounds' widths: sd(x) = 0.4, residual variance 0.3²·(1 − 0.5).
  const AssumedTable assumed;
  const double residual = assumed.target_sd * std::sqrt(1 - assumed.explained);
  const double slope = kInterval95 * residual / (assumed.feature_sd * std::sqrt(1000.0 - 2));
  EXPECT_NEAR((*found)[1].half_width, slope * 25 / 5, 1e-6);
  EXPECT_NEAR(*(*found)[1].share, slope, 1e-6);
  EXPECT_FALSE((*found)[0].share.has_value()) << "an intercept moves nothing";
}

TEST(ExpectedIntervals, AreRefusedWhereARunWouldRefuseThem) {
  const Study study = study_of(record_text());
  EXPECT_EQ(expected_intervals(study, 1e6, 1000).error().name, "E-errors-noise");
  const Study lean = study_of(record_text().set("solve", "error_bars", "false"));
  EXPECT_EQ(expected_intervals(lean, 1, 1000).error().name, "E-errors-squares");
}

TEST(PlanComparison, BuysLessErrorAndNarrowerIntervalsWithMoreEpsilon) {
  const auto made = compare_plans(study_of(record_text()), kEpsilons, kAll, 5000);
  ASSERT_TRUE(made.has_value()) << made.error().to_string();
  ASSERT_EQ(made->plans.size(), 12U);
  for (std::size_t k = 0; k + 4 < made->plans.size(); ++k) {
    const ComparedPlan& small = made->plans[k];
    const ComparedPlan& large = made->plans[k + 4];
    ASSERT_EQ(small.solver, large.solver);
    ASSERT_EQ(small.plan.has_value(), large.plan.has_value());
    if (!small.plan) {
      EXPECT_EQ(small.solver, Solver::kGt);
      EXPECT_EQ(small.refusal->name, "E-gt-record");
      continue;
    }
    EXPECT_GT(small.plan->sum_noise_sd, large.plan->sum_noise_sd);
    EXPECT_GE(*small.error, *large.error);
    EXPECT_GT(*small.median_share(), *large.median_share());
    EXPECT_GE(*large.largest_share(), *large.median_share());
  }
  // The plans are those that `plan` makes of a study with that ε.
  const Study two = study_of(record_text().set("privacy", "epsilon", "2.0"));
  EXPECT_EQ(made->plans[8].plan->sum_noise_sd, make_plan(two, Solver::kDishuf)->sum_noise_sd);
}

TEST(PlanComparison, HasATableAndRowsForScripts) {
  const auto made = compare_plans(study_of(record_text()), kEpsilons, kAll, 1);
  EXPECT_THAT(to_text(*made),
              AllOf(HasSubstr("with 1 row in all"), HasSubstr("refused: gt protects"),
                    HasSubstr("all-neighbours"), HasSubstr("none")));
  const Json json = to_json(*made);
  ASSERT_EQ(json["rows"].size(), 12U);
  EXPECT_EQ(json["rows"][0]["solver"], "dishuf");
  EXPECT_EQ(json["rows"][0]["privacy"]["epsilon"], 0.5);
  EXPECT_FALSE(json["rows"][0]["adversaries"].empty());
  EXPECT_TRUE(json["rows"][0]["expected"]["error"].is_number());
  EXPECT_EQ(json["rows"][3]["refusal"]["name"], "E-gt-record");
}

TEST(PlanComparison, OfCostsShowsTheNoiseAlone) {
  const auto made = compare_plans(study_of(paper_text()), kEpsilons, kAll, kComparedRows);
  ASSERT_TRUE(made.has_value());
  EXPECT_FALSE(made->plans[0].error.has_value());
  EXPECT_THAT(to_text(*made), AllOf(HasSubstr("noise"), Not(HasSubstr("interval"))));
  EXPECT_FALSE(to_json(*made)["rows"][0].contains("expected"));
}

TEST(PlanComparison, RefusesWhatIsNoEpsilonAndTooMany) {
  const Study study = study_of(record_text());
  EXPECT_EQ(compare_plans(study, std::array{-1.0}, kAll, 1000).error().name, "E-epsilon");
  EXPECT_EQ(compare_plans(study, std::vector<double>(100, 1.0), kAll, 1000).error().name,
            "E-compare-many");
}

}  // namespace
}  // namespace sotto
