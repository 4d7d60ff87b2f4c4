#include "run/account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "plan/plan.h"
#include "privacy/composition.h"
#include "run/join/join.h"
#include "run/made_up/household_study.h"
#include "support/studies.h"

namespace sotto {
namespace {

using testing::MatchesRegex;

Study costs(std::size_t colluders) {
  auto study = paper_text(4).parse();
  if (!study) throw std::runtime_error(study.error().to_string());
  study->privacy.colluders = colluders;
  return *study;
}

Debit cost_of_study(const Study& study, Solver solver) {
  const auto plan = make_plan(study, solver);
  if (!plan) throw std::runtime_error(plan.error().to_string());
  return debit_of(study, *plan, "people");
}

Study households() {
  HouseholdStudy made{.folder = "", .parties = 3, .rows = 10};
  auto study = parse_study(household_study_text(made), "study.toml");
  if (!study) throw std::runtime_error(study.error().to_string());
  study->parties = {{"north", "", ""}, {"south", "", ""}, {"west", "", ""}};
  return *study;
}

TEST(AccountOfAStudy, IsNamedByOwnerAndColumns) {
  Study study = households();
  const std::string north = default_account(study, 0);
  EXPECT_THAT(north, MatchesRegex("north/[0-9]+-columns-[0-9a-f]+"));
  EXPECT_NE(default_account(study, 1), north) << "another owner";
  Study other = study;
  ASSERT_GE(other.data->features.size(), 2U);
  std::swap(other.data->features.front(), other.data->features.back());
  other.privacy.budget = Budget::make(0.1, 1e-9).value();
  other.data->target.bounds = {0, 1};
  EXPECT_EQ(default_account(other, 0), north) << "the same columns, whatever is asked of them";
  other.data->features.pop_back();
  EXPECT_NE(default_account(other, 0), north) << "another schema";
  study.data.reset();
  EXPECT_EQ(default_account(study, 0), "north/costs");
}

TEST(AccountOfAStudy, IsChargedTheSquareOfEveryObserversShift) {
  for (const Solver solver : {Solver::kAc, Solver::kDishuf, Solver::kPairwise}) {
    for (const std::size_t colluders : {0U, 1U}) {
      const Study study = costs(colluders);
      const auto plan = make_plan(study, solver);
      ASSERT_TRUE(plan) << plan.error().to_string();
      const Debit debit = debit_of(study, *plan, "people");
      ASSERT_EQ(debit.charges.size(), plan->adversaries.size());
      for (std::size_t k = 0; k < debit.charges.size(); ++k) {
        const Adversary& row = plan->adversaries[k];
        EXPECT_EQ(debit.charges[k].observer, observer_name(row));
        EXPECT_EQ(debit.charges[k].released, row.shift * row.shift);
        // A shuffle that is given up has shown every neighbour a masked value.
        const bool looks = solver == Solver::kDishuf && row.observer != Observer::kEavesdropper;
        EXPECT_EQ(debit.charges[k].looks > 0, looks);
        EXPECT_LE(debit.charges[k].looks, debit.charges[k].released);
      }
      EXPECT_EQ(debit.guaranteed, colluders == 0 ? "eavesdropper" : "colluders-1");
      EXPECT_EQ(debit.colluders, colluders);
      EXPECT_EQ(debit.laplace_epsilon, 0);
      EXPECT_EQ(debit.data, "people");
      EXPECT_EQ(debit.unit, "entry by 3");
      EXPECT_EQ(debit.excess_delta,
                discrete_excess(static_cast<double>(plan->entries) * (4 + 2 * 4)));
      EXPECT_TRUE(store::check_debit([&] {
        Debit whole = debit;
        whole.run = whole.attempt = "01";
        return whole;
      }()));
    }
  }
}

TEST(AccountOfAStudy, IsChargedBothPartsOfGt) {
  const Study study = costs(0);
  const Debit debit = cost_of_study(study, Solver::kGt);
  const Budget& budget = study.privacy.budget;
  EXPECT_EQ(debit.laplace_epsilon, budget.epsilon.value());
  EXPECT_EQ(debit.laplace_delta, budget.delta.value());
  // Its Gaussian noise is made for the same budget, a hair wider.
  const double made_for = largest_squares(budget.epsilon.value(), budget.delta.value());
  for (const ObserverCharge& charge : debit.charges) {
    EXPECT_LE(charge.released, made_for);
    EXPECT_NEAR(charge.released, made_for, 1e-11 * made_for);
  }
}

TEST(AccountOfAStudy, KeepsTheNotionsOfNeighbouringApart) {
  Study study = households();
  EXPECT_EQ(cost_of_study(study, Solver::kAc).unit, "record");
  study.privacy.neighbours = Neighbours::kReplace;
  EXPECT_EQ(cost_of_study(study, Solver::kAc).unit, "replaced record");
  study.privacy.person = PersonColumn{"id", 2};
  EXPECT_EQ(cost_of_study(study, Solver::kAc).unit, "replaced person by \"id\"");
  Study entries = costs(0);
  EXPECT_EQ(cost_of_study(entries, Solver::kAc).unit, "entry by 3");
  entries.privacy.sensitivity = *Sensitivity::make(0.1);
  EXPECT_EQ(cost_of_study(entries, Solver::kAc).unit, "entry by 0.1");
}

TEST(AccountOfAStudy, GoesIntoTheTermsOfItsSession) {
  const Study study = costs(0);
  const Debit debit = cost_of_study(study, Solver::kAc);
  const SessionTerms terms = session_terms(study, make_plan(study, Solver::kAc).value(), 0, debit);
  EXPECT_EQ(terms.debit.charges, debit.charges);
  EXPECT_EQ(terms.debit.data, "people");
}

TEST(AccountOfAStudy, SaysHowManyRunsFit) {
  Debit debit;
  debit.charges = {{"eavesdropper", 0.25, 0.5}};
  debit.guaranteed = "eavesdropper";
  LedgerAccount account;
  EXPECT_EQ(runs_left(account, debit), std::nullopt);
  account.limit = LedgerLimit{};
  account.left = LedgerLeft{.squares = 1.75, .epsilon = 0, .gt_epsilon = 2, .gt_delta = 1e-6};
  EXPECT_EQ(runs_left(account, debit), 3U) << "an attempt may cost its looks";
  debit.laplace_epsilon = 1;
  EXPECT_EQ(runs_left(account, debit), 2U);
  debit.laplace_delta = 1e-6;
  EXPECT_EQ(runs_left(account, debit), 1U);
  account.left->squares = 0.5 * (1 - 1e-13);
  EXPECT_EQ(runs_left(account, debit), 1U) << "as the ledger's own slack";
  account.left->squares = 0;
  EXPECT_EQ(runs_left(account, debit), 0U);
}

// Whoever is lost, in whatever order: what the given-up attempts have shown, what those who were
// lost may have released, and the release in the end are together within what the plan says.
TEST(AccountOfAStudy, ARunThatLosesPartiesCostsNoMoreThanPlanned) {
  for (const std::size_t colluders : {0U, 1U, 2U}) {
    StudyText text = paper_text(7);
    text.set("graph", "topology", "\"complete\"").remove("graph", "weight");
    text.set("privacy", "colluders", std::to_string(colluders));
    const auto whole =
        plan_study(study_of(text.append("[network]\nmin_parties = 5\n")), Solver::kDishuf);
    ASSERT_TRUE(whole) << whole.error().to_string();
    const std::vector<std::vector<PartyId>> attempts = {
        {0, 1, 2, 3, 4, 5, 6}, {0, 1, 2, 4, 5, 6}, {1, 2, 4, 5, 6}};
    std::map<std::string, double> shown;
    for (std::size_t last = 0; last < attempts.size(); ++last) {
      const auto rest = whole->planned_for(attempts[last]);
      ASSERT_TRUE(rest) << rest.error().to_string();
      const auto charges = attempt_charges(rest->study, rest->plan);
      for (std::size_t row = 0; row < charges.size(); ++row) {
        const double planned = std::pow(whole->plan.adversaries[row].shift, 2);
        EXPECT_LE(shown[charges[row].observer] + charges[row].released, planned * (1 + 1e-9))
            << charges[row].observer << " after " << last << " losses";
        // And if this one is given up too: each neighbour's look, and one that released.
        shown[charges[row].observer] += charges[row].looks;
        shown[charges[row].observer] += lost_neighbour_charges(rest->study, rest->plan)[row].looks;
      }
    }
    const std::size_t guaranteed = colluders == 0 ? 0 : 2;
    EXPECT_LE(whole->plan.adversaries[guaranteed].shift, whole->plan.kappa_bar * (1 + 1e-9));
  }
}

}  // namespace
}  // namespace sotto
