#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan.h"
#include "privacy/budget.h"
#include "support/studies.h"

// What a study promises when parties may be lost.
namespace sotto {
namespace {

using testing::Contains;
using testing::HasSubstr;

StudyText losing(const char* topology, std::size_t parties, std::size_t min_parties,
                 std::size_t colluders) {
  StudyText text = paper_text(parties);
  text.set("graph", "topology", fmt::format("\"{}\"", topology)).remove("graph", "weight");
  text.set("privacy", "colluders", std::to_string(colluders)).set("dishuf", "g", "0.0001");
  return text.append(fmt::format("[network]\nmin_parties = {}\n", min_parties));
}

double kappa_bar_of(const Study& study) {
  return gaussian_shift(study.privacy.budget) * (1 + 1e-9);
}

TEST(PlanForLosses, KeepsWhatIsAskedForEverySetThatMayBeLeft) {
  const Study study = study_of(losing("complete", 6, 4, 1));
  for (const Solver solver : {Solver::kDishuf, Solver::kPairwise}) {
    const auto whole = plan_study(study, solver);
    ASSERT_TRUE(whole) << whole.error().to_string();
    EXPECT_LE(whole->plan.adversaries[2].shift, kappa_bar_of(study));
    for (const std::vector<PartyId>& left :
         {std::vector<PartyId>{0, 1, 2, 3, 4}, std::vector<PartyId>{1, 2, 4, 5}}) {
      const auto rest = whole->planned_for(left);
      ASSERT_TRUE(rest) << rest.error().to_string();
      EXPECT_LE(rest->plan.adversaries[2].shift, kappa_bar_of(study));
      for (std::size_t row = 0; row < rest->plan.adversaries.size(); ++row) {
        EXPECT_LE(rest->plan.adversaries[row].shift,
                  whole->plan.adversaries[row].shift * (1 + 1e-9));
      }
    }
  }
}

TEST(PlanForLosses, DrawsMasksOfOneSizeInEveryAttempt) {
  const auto whole = *plan_study(study_of(losing("complete", 6, 4, 1)), Solver::kDishuf);
  const auto& masks = std::get<ShuffleNoise>(whole.plan.noise);
  for (const std::vector<PartyId>& left :
       {std::vector<PartyId>{0, 1, 2, 3, 4}, std::vector<PartyId>{1, 2, 4, 5}}) {
    const auto rest = *whole.planned_for(left);
    EXPECT_EQ(std::get<ShuffleNoise>(rest.plan.noise).sigma_eta, masks.sigma_eta);
  }
  const auto never = *plan_study(study_of(losing("complete", 6, 6, 1)), Solver::kDishuf);
  EXPECT_LT(std::get<ShuffleNoise>(never.plan.noise).sigma_eta, masks.sigma_eta);
  EXPECT_EQ(std::get<ShuffleNoise>(never.plan.noise).sigma_gamma, masks.sigma_gamma);
}

// A path needs larger masks than the cycle that it is left of: so the cycle has them too.
TEST(PlanForLosses, DrawsMasksAsLargeAsAnySetNeeds) {
  const auto whole = *plan_study(study_of(losing("cycle", 5, 4, 0)), Solver::kDishuf);
  const auto path = *whole.planned_for(std::vector<PartyId>{0, 1, 2, 3});
  const auto never = *make_plan(study_of(losing("cycle", 5, 5, 0)), Solver::kDishuf);
  const Rational& masks = std::get<ShuffleNoise>(whole.plan.noise).sigma_eta;
  EXPECT_EQ(std::get<ShuffleNoise>(path.plan.noise).sigma_eta, masks);
  EXPECT_GT(masks, std::get<ShuffleNoise>(never.noise).sigma_eta);
}

// Without one of its parties a cycle is a path, where a neighbour has its other side to itself.
TEST(PlanForLosses, ShowsTheWorstRowOverAllSets) {
  const auto whole = *make_plan(study_of(losing("cycle", 5, 5, 0)), Solver::kDishuf);
  const auto losing_one = *make_plan(study_of(losing("cycle", 5, 4, 0)), Solver::kDishuf);
  EXPECT_LT(whole.adversaries[1].shift, 1.2 * whole.kappa_bar);
  EXPECT_GT(losing_one.adversaries[1].shift, 1.8 * whole.kappa_bar);
  EXPECT_LE(losing_one.adversaries[0].shift, whole.kappa_bar * (1 + 1e-9));
}

TEST(PlanForLosses, RefusesAMinimumThatNoSetCouldMakeUseOf) {
  // What is left of a cycle is a path, which one colluder cuts.
  for (const Solver solver : {Solver::kDishuf, Solver::kPairwise}) {
    const auto plan = make_plan(study_of(losing("cycle", 5, 4, 1)), solver);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().name, "E-min-parties");
    EXPECT_EQ(plan.error().status, Status::kRefused);
    EXPECT_EQ(plan.error().where, "[network] min_parties");
  }
  EXPECT_TRUE(make_plan(study_of(losing("cycle", 5, 4, 1)), Solver::kAc));
}

TEST(PlanForLosses, WarnsOfSetsThatEndTheRun) {
  const auto star = make_plan(study_of(losing("star", 5, 4, 0)), Solver::kDishuf);
  ASSERT_TRUE(star) << star.error().to_string();
  EXPECT_THAT(star->warnings, Contains(HasSubstr("1 of the 5 sets")));
}

TEST(PlanForLosses, RefusesMoreSetsThanItCanLookAt) {
  StudyText text = losing("random-regular", 60, 31, 0);
  text.set("graph", "degree", "4").set("graph", "seed", "1");
  const auto plan = make_plan(study_of(text), Solver::kDishuf);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().name, "E-min-parties-many");
  EXPECT_TRUE(make_plan(study_of(losing("complete", 60, 31, 1)), Solver::kDishuf));
}

}  // namespace
}  // namespace sotto
