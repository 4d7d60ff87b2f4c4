#include "run/consent/policy_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan.h"
#include "support/studies.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Policy policy_of_text(const std::string& text) {
  auto policy = parse_policy(text, "policy.toml");
  EXPECT_TRUE(policy.has_value()) << policy.error().to_string();
  return std::move(*policy);
}

std::vector<Error> broken(const std::string& policy, const StudyText& text) {
  const Study study = study_of(text);
  const auto plan = make_plan(study, study.solver);
  EXPECT_TRUE(plan.has_value()) << plan.error().to_string();
  return policy_against_study(policy_of_text(policy), study, study.solver, plan->adversaries);
}

// Broken once: the refusal names the rule, what the study has, and who could change which.
void expect_broken(const std::string& policy, const StudyText& study, const std::string& name,
                   const std::vector<std::string>& words) {
  SCOPED_TRACE(policy);
  const auto errors = broken(policy, study);
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_EQ(errors[0].name, name);
  EXPECT_EQ(errors[0].status, Status::kRefused);
  EXPECT_EQ(errors[0].where, "policy.toml");
  for (const std::string& word : words) EXPECT_THAT(errors[0].to_string(), HasSubstr(word));
  EXPECT_THAT(errors[0].fix,
              AllOf(HasSubstr("with all other parties"), HasSubstr("alone you can")));
}

// ε = 1, δ = 1e-6, dishuf on a cycle of 10, columns y, x1 and smoker.
TEST(PolicyAgainstStudy, IsKeptByAStudyThatAsksForNoMore) {
  const auto study =
      record_text().set("privacy", "colluders", "1").set("study", "solver", "\"pairwise\"");
  EXPECT_THAT(broken("", study), IsEmpty());
  EXPECT_THAT(broken("[privacy]\nepsilon_max = 1\ndelta_max = 1e-6\ncolluders_min = 1\n"
                     "[study]\nsolvers = [\"ac\", \"pairwise\"]\nrows_min = 100\nparties_min = 10\n"
                     "columns_forbidden = [\"x\", \"smoker_*\"]\n",
                     study),
              IsEmpty());
}

TEST(PolicyAgainstStudy, NamesTheKeyAndBothValues) {
  const auto study = record_text();
  expect_broken("[privacy]\nepsilon_max = 0.5\n", study, "E-policy-epsilon",
                {"[privacy] epsilon_max = 0.5", "asks for ε = 1", "raise epsilon_max"});
  expect_broken("[privacy]\ndelta_max = 1e-9\n", study, "E-policy-delta",
                {"[privacy] delta_max = 1e-09", "asks for δ = 1e-06", "raise delta_max"});
  expect_broken("[privacy]\ncolluders_min = 1\n", study, "E-policy-colluders",
                {"[privacy] colluders_min = 1", "colluders = 0", "lower colluders_min"});
  expect_broken("[study]\nsolvers = [\"ac\", \"pairwise\"]\n", study, "E-policy-solver",
                {"[study] solvers has ac, pairwise", "the solver is dishuf"});
  expect_broken("[study]\nparties_min = 11\n", study, "E-policy-parties",
                {"[study] parties_min = 11", "as few as 10 parties"});
  expect_broken("[study]\ncolumns_forbidden = [\"SMOK*\"]\n", study, "E-policy-columns",
                {"columns_forbidden has \"SMOK*\"", "the column \"smoker\""});
  expect_broken("[study]\ncolumns_forbidden = [\"y\"]\n", study, "E-policy-columns",
                {"the column \"y\""});
}

TEST(PolicyAgainstStudy, FindsAllThatIsBrokenAtOnce) {
  EXPECT_THAT(broken("[privacy]\nepsilon_max = 0.1\ndelta_max = 1e-9\n[study]\nparties_min = 99\n",
                     record_text()),
              SizeIs(3));
}

TEST(PolicyAgainstStudy, CountsThePartiesThatMayBeLeft) {
  expect_broken("[study]\nparties_min = 9\n", record_text().set("network", "min_parties", "8"),
                "E-policy-parties", {"as few as 8 parties"});
  EXPECT_THAT(
      broken("[study]\nparties_min = 8\n", record_text().set("network", "min_parties", "8")),
      IsEmpty());
}

TEST(PolicyAgainstStudy, AsksForNoColludersWhereEverybodyTogetherLearnsNoMore) {
  EXPECT_THAT(
      broken("[privacy]\ncolluders_min = 3\n", record_text().set("study", "solver", "\"ac\"")),
      IsEmpty());
}

TEST(PolicyAgainstStudy, IsNotKeptWhereItCannotBeHeldAgainstTheStudy) {
  for (const char* rule : {"rows_min = 10", "columns_forbidden = [\"name\"]"}) {
    expect_broken(std::string("[study]\n") + rule + "\n", paper_text(), "E-policy-rows",
                  {"over costs"});
  }
}

TEST(PolicyAgainstRows, CountsThePartysOwn) {
  const Policy policy = policy_of_text("[study]\nrows_min = 100\n");
  EXPECT_FALSE(policy_against_rows(policy, 100).has_value());
  EXPECT_FALSE(policy_against_rows(policy_of_text(""), 0).has_value());
  const auto error = policy_against_rows(policy, 99);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->name, "E-policy-rows");
  EXPECT_EQ(error->status, Status::kRefused);
  EXPECT_THAT(error->what, AllOf(HasSubstr("rows_min = 100"), HasSubstr("99 rows")));
}

TEST(PolicyAgainstAccount, CanDemandALimit) {
  const Policy policy = policy_of_text("[privacy]\nrequire_limit = true\n");
  EXPECT_FALSE(policy_against_account(policy, "all data", true).has_value());
  EXPECT_FALSE(policy_against_account(policy_of_text(""), "all data", false).has_value());
  const auto error = policy_against_account(policy, "all data", false);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->name, "E-policy-limit");
  EXPECT_THAT(error->what, AllOf(HasSubstr("require_limit"), HasSubstr("\"all data\"")));
  EXPECT_THAT(error->fix, HasSubstr("sotto ledger limit"));
}

}  // namespace
}  // namespace sotto
