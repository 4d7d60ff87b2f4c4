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

StudySource source_of(const StudyText& text) {
  return {.text = text.text(), .name = "study.toml", .folder = {}};
}

constexpr std::array kShapes{Topology::kCycle, Topology::kTorus};
constexpr std::array<std::size_t, 3> kSizes{16, 36, 64};

TEST(GraphComparison, HasAPlanForEverySolverTopologyAndNumberOfParties) {
  const auto made = compare_graphs(source_of(paper_text()), kShapes, kAll, kSizes);
  ASSERT_TRUE(made.has_value()) << made.error().to_string();
  ASSERT_EQ(made->plans.size(), 24U);
  for (const ComparedPlan& each : made->plans) {
    if (!each.plan) continue;
    EXPECT_EQ(each.plan->parties, each.parties);
    EXPECT_EQ(each.study->graph().topology(), each.topology);
    EXPECT_EQ(each.plan->solver, each.solver);
  }
  const Json json = to_json(*made);
  EXPECT_EQ(json["rows"].size(), 24U);
  EXPECT_EQ(json["rows"][0]["topology"], "cycle");
  EXPECT_EQ(json["rows"][0]["parties"], 16);
  EXPECT_FALSE(json["rows"][0]["adversaries"].empty());
  EXPECT_THAT(to_text(*made), AllOf(HasSubstr("torus"), HasSubstr("grows like n")));
}

// Everybody's own noise adds up to √n; what cancels leaves the sum alone.
TEST(GraphComparison, FitsHowNoiseGrows) {
  const auto made = compare_graphs(source_of(paper_text()), kShapes, kAll, kSizes);
  const auto law = [&](Topology topology, Solver solver, std::string_view of) {
    for (const GrowthLaw& each : made->laws) {
      if (each.topology == topology && each.solver == solver && each.of == of) return each;
    }
    ADD_FAILURE() << "no law of " << of;
    return GrowthLaw{};
  };
  for (const Topology topology : kShapes) {
    const GrowthLaw local = law(topology, Solver::kAc, "noise");
    EXPECT_EQ(local.points, 3U);
    EXPECT_NEAR(local.exponent, 0.5, 1e-9);
    EXPECT_NEAR(*local.error, 0, 1e-9);
    EXPECT_NEAR(law(topology, Solver::kDishuf, "noise").exponent, 0, 1e-9);
  }
  // exact: as many rounds as the diameter, n/2 and √n.
  EXPECT_NEAR(law(Topology::kCycle, Solver::kAc, "rounds").exponent, 1, 1e-9);
  EXPECT_NEAR(law(Topology::kTorus, Solver::kAc, "rounds").exponent, 0.5, 1e-9);
}

TEST(GraphComparison, SaysWhatAGraphCannotBe) {
  const auto made = compare_graphs(source_of(paper_text()), std::array{Topology::kTorus},
                                   std::array{Solver::kAc}, std::array<std::size_t, 2>{14, 16});
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->plans[0].refusal->name, "E-graph-grid");
  EXPECT_TRUE(made->plans[1].plan.has_value());
  EXPECT_TRUE(made->laws.empty()) << "one point has no slope";
  EXPECT_THAT(to_text(*made), HasSubstr("refused: 14 parties"));
  EXPECT_EQ(to_json(*made)["rows"][0]["refusal"]["name"], "E-graph-grid");
  EXPECT_EQ(compare_graphs(source_of(paper_text()), kShapes, kAll, std::vector<std::size_t>(40, 9))
                .error()
                .name,
            "E-compare-many");
}

TEST(GrowthLaw, IsTheSlopeBetweenLogarithmsWithItsError) {
  const std::array n{10.0, 100.0, 1000.0};
  const auto exact = fitted_law(n, std::array{2.0, 20.0, 200.0});
  EXPECT_NEAR(exact->exponent, 1, 1e-12);
  EXPECT_NEAR(*exact->error, 0, 1e-12);
  // y = 0, 1, 1 at x = 0, 1, 2 decades: slope ½, residuals −1/6, 1/3, −1/6.
  const auto bent = fitted_law(n, std::array{1.0, 10.0, 10.0});
  EXPECT_NEAR(bent->exponent, 0.5, 1e-12);
  EXPECT_NEAR(*bent->error, std::sqrt(1.0 / 6 / 2), 1e-12);
  EXPECT_FALSE(fitted_law(std::array{10.0, 10.0}, std::array{1.0, 2.0}));
  EXPECT_FALSE(fitted_law(std::array{10.0, 20.0}, std::array{1.0, 0.0}));
}

TEST(PlanComparison, RefusesWhatIsNoEpsilonAndTooMany) {
  const Study study = study_of(record_text());
  EXPECT_EQ(compare_plans(study, std::array{-1.0}, kAll, 1000).error().name, "E-epsilon");
  EXPECT_EQ(compare_plans(study, std::vector<double>(100, 1.0), kAll, 1000).error().name,
            "E-compare-many");
}

}  // namespace
}  // namespace sotto
