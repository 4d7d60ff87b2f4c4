#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "data/generator.h"
#include "plan/plan.h"
#include "support/tables.h"

namespace sotto {
namespace {

TEST(ExpectedError, FallsWithTheRowsTowardsWhatCannotBeExplained) {
  const Study study = study_for(household_schema(), 5, 1, 1e-6);
  double before = 1e9;
  for (const double rows : {100.0, 1000.0, 1e4, 1e5, 1e6}) {
    const double error = expected_error(study, 7.3, rows);
    EXPECT_LT(error, before);
    before = error;
  }
  EXPECT_NEAR(before, 1 - AssumedTable{}.explained, 0.01);
}

TEST(ExpectedError, NeedsMoreRowsForMorePrivacyAndMoreColumns) {
  const auto needed = [](const Schema& schema, double epsilon) {
    const Study study = study_for(schema, 5, epsilon, 1e-6);
    return make_plan(study, Solver::kDishuf).value().expected->rows_needed.value();
  };
  const Schema few = household_schema();
  Schema many = few;
  for (int k = 0; k < 20; ++k) {
    many.features.emplace_back(NumericFeature{fmt::format("extra{}", k), {0, 1}});
  }
  EXPECT_GT(needed(few, 0.1), 4 * needed(few, 1));
  EXPECT_GT(needed(many, 1), 3 * needed(few, 1));
}

TEST(ExpectedError, FollowsTheNumberOfRowsThatThePlanNames) {
  const Study study = study_for(household_schema(), 5, 1, 1e-6);
  const Plan plan = make_plan(study, Solver::kDishuf).value();
  const auto needed = static_cast<double>(*plan.expected->rows_needed);
  EXPECT_LT(expected_error(study, plan.sum_noise_sd, 1.1 * needed), 1);
  EXPECT_GT(expected_error(study, plan.sum_noise_sd, 0.9 * needed), 1);
}

TEST(ExpectedError, HoldsForEveryEstimatorWithAndWithoutAnIntercept) {
  Schema schema = household_schema();
  for (const bool intercept : {true, false}) {
    schema.intercept = intercept;
    for (const Estimator estimator :
         {Estimator::kNoiseAware, Estimator::kExact, Estimator::kPsdRidge, Estimator::kAdassp}) {
      Study study = study_for(schema, 5, 1, 1e-6);
      study.solve.estimator = estimator;
      const auto expected = expected_accuracy(study, 7.3);
      ASSERT_TRUE(expected.has_value());
      EXPECT_TRUE(expected->rows_needed.has_value()) << to_string(estimator);
      EXPECT_LT(expected->errors.back().error, 0.6) << to_string(estimator);
    }
  }
}

TEST(ExpectedError, IsNotToldForStudiesWithoutTables) {
  Study study = study_for(household_schema(), 5, 1, 1e-6);
  study.data.reset();
  EXPECT_FALSE(expected_accuracy(study, 1).has_value());
}

TEST(ExpectedError, NamesNoNumberOfRowsWhereNoneWouldDo) {
  Schema schema = household_schema();
  schema.features.clear();  // an intercept alone is the mean
  const auto expected = expected_accuracy(study_for(schema, 5, 1, 1e-6), 7.3);
  ASSERT_TRUE(expected.has_value());
  EXPECT_FALSE(expected->rows_needed.has_value());
}

TEST(PlanOverTables, SaysHowManyRowsItNeedsAsTextAndAsJson) {
  const Study study = study_for(household_schema(), 5, 1, 1e-6);
  const Plan plan = make_plan(study, Solver::kDishuf).value();
  const auto accuracy = to_json(study, plan)["accuracy"];
  EXPECT_EQ(accuracy["rows_needed"], *plan.expected->rows_needed);
  EXPECT_EQ(accuracy["expected_errors"].size(), 4U);
  EXPECT_NE(to_text(study, plan).find("to do better than predicting the mean"), std::string::npos);
}

TEST(ExpectedError, IsSmallerWhereRowsAreWeighted) {
  Schema schema = household_schema();
  const auto plan_with = [&](Weighting weighting) {
    schema.weighting = weighting;
    return make_plan(study_for(schema, 5, 1, 1e-6), Solver::kDishuf).value();
  };
  const Plan none = plan_with(Weighting::kNone);
  const Plan bounded = plan_with(Weighting::kBounded);
  EXPECT_NEAR(bounded.sum_noise_sd / none.sum_noise_sd, 1 / 1.5, 1e-9);
  EXPECT_LT(*bounded.expected->rows_needed, *none.expected->rows_needed);
  EXPECT_LT(bounded.expected->errors[1].error, none.expected->errors[1].error);
}

TEST(PlanOverTables, SaysWhichQuestionItAnswersAndHowMuchNoiseEachKindOfSumHas) {
  Schema schema = household_schema();
  schema.weighting = Weighting::kBounded;
  schema.rows = 20'000;
  schema.bounded_below = 1.5e6;
  const Study study = study_for(schema, 5, 1, 1e-6);
  const Plan plan = make_plan(study, Solver::kPairwise).value();
  const Json json = to_json(study, plan);
  EXPECT_EQ(json["weighting"]["kind"], "bounded");
  EXPECT_EQ(json["weighting"]["rows"], 20'000);
  EXPECT_EQ(json["weighting"]["bounded_below"], 1.5e6);
  const Json& noise = json["accuracy"]["noise_sd"];
  EXPECT_NEAR(noise["rows"], plan.sum_noise_sd / std::sqrt(0.05), 1e-9);
  EXPECT_NEAR(noise["target"], plan.sum_noise_sd / std::sqrt(0.12), 1e-9);
  const std::string text = to_text(study, plan);
  EXPECT_NE(text.find("Weighted least squares"), std::string::npos) << text;
  EXPECT_NE(text.find("Chosen for the 20,000 rows"), std::string::npos) << text;
  EXPECT_NE(text.find("below about 1,500,000"), std::string::npos) << text;
  const Study plain = study_for(household_schema(), 5, 1, 1e-6);
  EXPECT_EQ(to_text(plain, make_plan(plain, Solver::kPairwise).value()).find("weighting"),
            std::string::npos)
      << "a study that says nothing of weighting is told nothing";
}

}  // namespace
}  // namespace sotto
