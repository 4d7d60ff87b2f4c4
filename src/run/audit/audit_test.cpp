// The audit on small studies: it reaches what is claimed, not more, and finds a claim that is
// false.
#include "run/audit/audit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "run/audit/attack.h"
#include "study/study.h"

namespace sotto {
namespace {

Study study_of(const std::string& privacy, const std::string& rest) {
  const std::string text = "[study]\nname = \"small\"\nsolver = \"ac\"\n[privacy]\n" + privacy +
                           "colluders = 1\n[graph]\ntopology = \"cycle\"\nparties = 4\n"
                           "weight = 0.3\n" +
                           rest;
  auto study = parse_study(text, "small.toml");
  EXPECT_TRUE(study.has_value()) << (study ? "" : study.error().to_string());
  return std::move(*study);
}

Study entries() {
  return study_of("epsilon = 1\ndelta = 0.05\nunit = \"entry\"\nmu = 1\n",
                  "[problem]\nfamily = \"paper\"\nm = 1\nseed = 1\n[gt]\nlambda_min = 200\n");
}

Study rows(const std::string& neighbours) {
  return study_of(
      "epsilon = 1\ndelta = 1e-6\nunit = \"record\"\nneighbours = \"" + neighbours + "\"\n",
      "[data]\ntarget = { column = \"y\", bounds = [0, 2] }\n"
      "[[data.feature]]\ncolumn = \"x\"\nbounds = [0, 1]\n");
}

PlannedStudy planned(const Study& study, Solver solver) {
  auto result = plan_study(study, solver);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().to_string());
  return std::move(*result);
}

// z ~ N(distance·s, 1), whoever watches: the model that the likelihood ratio rests on is what the
// machines do.
TEST(AuditAttack, SeesWhatItsModelSays) {
  constexpr int kRuns = 300;
  for (const Solver solver : {Solver::kAc, Solver::kPairwise, Solver::kDishuf}) {
    const PlannedStudy study = planned(entries(), solver);
    for (const std::vector<PartyId>& members :
         {std::vector<PartyId>{}, std::vector<PartyId>{1}, std::vector<PartyId>{1, 3}}) {
      const auto attack = attack_on_release(study, entry_moved(study, 0), 0, members);
      for (const double distance : {0.0, 3.0}) {
        double sum = 0;
        double squares = 0;
        for (std::uint64_t run = 0; run < kRuns; ++run) {
          const auto seen = attack->sight(distance, 5, run);
          ASSERT_TRUE(seen.has_value()) << seen.error().to_string();
          const double residual = seen->z - distance * seen->s;
          sum += residual;
          squares += residual * residual;
        }
        EXPECT_NEAR(sum / kRuns, 0, 5 / std::sqrt(kRuns)) << to_string(solver);
        EXPECT_NEAR(squares / kRuns, 1, 5 * std::sqrt(2.0 / kRuns)) << to_string(solver);
      }
    }
  }
}

TEST(AuditAttack, MovesARowAsFarAsTheSensitivityAllowsAndNoFarther) {
  for (const char* neighbours : {"add-remove", "replace"}) {
    const PlannedStudy study = planned(rows(neighbours), Solver::kAc);
    const double share = row_moved(study, 1).moved / study.study.privacy.sensitivity.value();
    EXPECT_LE(share, 1 + 1e-9) << neighbours;
    EXPECT_GE(share, 0.9) << neighbours;
  }
}

TEST(Audit, ProvesNoMoreThanIsClaimedAndMostOfIt) {
  for (const Solver solver : {Solver::kAc, Solver::kDishuf, Solver::kGt}) {
    const auto report = audit_study(planned(entries(), solver), {.seed = 3, .runs = 1000});
    ASSERT_TRUE(report.has_value()) << report.error().to_string();
    EXPECT_FALSE(report->disproved()) << to_string(solver);
    for (const AuditedObserver& observer : report->observers) {
      EXPECT_GE(observer.provable(), 0.6 * observer.claimed.epsilon_at_delta)
          << to_string(solver) << " " << observer_name(observer.claimed) << " " << observer.change;
    }
  }
}

TEST(Audit, WorksAtATinyDelta) {
  const auto report =
      audit_study(planned(rows("add-remove"), Solver::kPairwise), {.seed = 3, .runs = 2000});
  ASSERT_TRUE(report.has_value()) << report.error().to_string();
  EXPECT_FALSE(report->disproved());
  EXPECT_GE(report->observers[0].likelihood, 0.8 * report->observers[0].claimed.epsilon_at_delta);
}

TEST(Audit, FindsAStudyThatClaimsTooMuch) {
  PlannedStudy study = planned(entries(), Solver::kAc);
  std::get<LocalNoise>(study.plan.noise).sigma /= 2;
  const auto report = audit_study(study, {.seed = 3, .runs = 2000});
  ASSERT_TRUE(report.has_value());
  EXPECT_TRUE(report->disproved());
}

TEST(Audit, GivesTheSameBitsOnAnyNumberOfThreads) {
  const PlannedStudy study = planned(entries(), Solver::kAc);
  const auto one = audit_study(study, {.seed = 9, .runs = 1000, .threads = 1});
  const auto two = audit_study(study, {.seed = 9, .runs = 1000, .threads = 2});
  ASSERT_TRUE(one.has_value() && two.has_value());
  for (std::size_t k = 0; k < one->observers.size(); ++k) {
    EXPECT_EQ(one->observers[k].provable(), two->observers[k].provable());
  }
}

}  // namespace
}  // namespace sotto
