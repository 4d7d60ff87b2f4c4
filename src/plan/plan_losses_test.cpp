#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "base/random.h"
#include "plan/plan.h"
#include "privacy/budget.h"
#include "privacy/calibrate/dishuf.h"
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

// A study on these edges of which a minority may be lost.
Study losing_a_minority(std::size_t parties, const std::vector<Edge>& edges,
                        std::size_t colluders) {
  std::string pairs;
  for (const auto& [a, b] : edges) pairs += fmt::format("[{}, {}],", a + 1, b + 1);
  StudyText text = losing("edges", parties, parties / 2 + 1, colluders);
  text.set("graph", "edges", "[" + pairs + "]").set("dishuf", "g", "0.02");
  text.set("privacy", "epsilon", "1.0").set("privacy", "delta", "1e-6").set("privacy", "mu", "1.0");
  return study_of(text);
}

// The largest shift over all sets that may be lost, the coalition of one or nobody, and every party
// that is left: what its curious neighbour saw, in all attempts, and half a look of each neighbour
// that was really lost, in the graph where these still were. As a share of the plan's row.
double largest_of_lost_neighbours(const Study& study) {
  const auto whole = plan_study(study, Solver::kDishuf);
  if (!whole) return 0;
  const Graph& graph = study.graph();
  const std::size_t colluders = study.privacy.colluders;
  const std::size_t most_lost = graph.size() - study.network.min_parties;
  const auto& noise = std::get<ShuffleNoise>(whole->plan.noise);
  const double row = whole->plan.adversaries[colluders == 0 ? 0 : 2].shift;
  double largest = 0;
  for (std::size_t mask = 0; mask < (std::size_t{1} << graph.size()); ++mask) {
    const auto is_lost = [&](PartyId p) { return (mask >> p & 1U) != 0; };
    if (static_cast<std::size_t>(std::popcount(mask)) > most_lost) continue;
    std::vector<PartyId> left;
    for (PartyId p = 0; p < graph.size(); ++p) {
      if (!is_lost(p)) left.push_back(p);
    }
    const auto rest = planning::plan_privacy(*whole->left_of(left), Solver::kDishuf);
    if (!rest) continue;
    const auto& rest_noise = std::get<ShuffleNoise>(rest->noise);
    EXPECT_EQ(rest_noise.sigma_eta, noise.sigma_eta);
    for (PartyId curious = 0; curious < (colluders == 0 ? 1 : graph.size()); ++curious) {
      std::vector<PartyId> honest = left;
      if (colluders > 0) std::erase(honest, curious);
      const auto around = *privacy::surroundings(graph.restricted_to(honest), 0);
      for (const PartyId victim : honest) {
        double looks = 0;
        for (const PartyId other : graph.neighbours(victim)) {
          if (colluders > 0 && other == curious) {
            looks += static_cast<double>(study.network.attempts - (is_lost(curious) ? 1 : 0));
          } else if (is_lost(other)) {
            looks += 0.5;
          }
        }
        const double shift =
            privacy::per_neighbour_shift(around[0], rest_noise, study.privacy.sensitivity, looks);
        largest = std::max(largest, shift / row);
      }
    }
  }
  return largest;
}

// Neighbours that were lost are missing from the graph that is left, so its degrees count too few.
TEST(PlanForLosses, CountsWhatEveryLostNeighbourMayHaveReleased) {
  // Without 0, 1, 2 and 3 nobody has more than three neighbours; one party had all four as its own.
  const std::vector<Edge> counterexample{{0, 1}, {0, 3}, {0, 5}, {0, 6}, {0, 7}, {0, 8},
                                         {1, 4}, {1, 6}, {1, 7}, {1, 8}, {2, 3}, {2, 4},
                                         {2, 5}, {2, 6}, {2, 8}, {3, 4}, {3, 5}, {3, 7},
                                         {3, 8}, {4, 5}, {4, 6}, {5, 6}, {6, 7}, {7, 8}};
  const double seen = largest_of_lost_neighbours(losing_a_minority(9, counterexample, 0));
  EXPECT_LE(seen, 1 + 1e-12);
  EXPECT_GT(seen, 1 - 1e-6) << "all that is counted can be seen";

  SeededRandom random(20261118);
  for (int trial = 0; trial < 12; ++trial) {
    const std::size_t parties = 4 + random.below(4);
    std::vector<Edge> edges;
    for (PartyId b = 1; b < parties; ++b) {
      const auto one = static_cast<PartyId>(random.below(b));
      for (PartyId a = 0; a < b; ++a) {
        if (a == one || random.below(3) > 0) edges.push_back({a, b});
      }
    }
    for (const std::size_t colluders : {0U, 1U}) {
      EXPECT_LE(largest_of_lost_neighbours(losing_a_minority(parties, edges, colluders)), 1 + 1e-12)
          << "trial " << trial;
    }
  }
}

// A run is not resumed with other noise, whoever is left of it.
TEST(PlanForLosses, NamesTheNoiseOfEverySetThatMayBeLeft) {
  const Study study = study_of(losing("complete", 6, 5, 0));
  for (const Solver solver : {Solver::kDishuf, Solver::kPairwise, Solver::kAc}) {
    const Plan plan = *make_plan(study, solver);
    EXPECT_EQ(plan.draws.size(), 32U);
    EXPECT_EQ(make_plan(study, solver)->draws, plan.draws);
    Plan other = plan;
    if (auto* shuffle = std::get_if<ShuffleNoise>(&other.noise)) {
      shuffle->sigma_eta += 1;
    } else if (auto* pairwise = std::get_if<PairwiseNoise>(&other.noise)) {
      pairwise->sigma_edge *= 1 + 1e-15;
    } else {
      std::get<LocalNoise>(other.noise).sigma *= 1 + 1e-15;
    }
    EXPECT_NE(planning::digest_of_draws(other), planning::digest_of_draws(plan));
  }
  // Each of five has other noise than each of six, and its digest is in that of the whole.
  Plan plan = *planning::plan_privacy(study, Solver::kPairwise);
  const std::string alone = planning::digest_of_draws(plan);
  ASSERT_TRUE(planning::plan_for_losses(study, plan));
  plan.adversaries = planning::plan_privacy(study, Solver::kPairwise)->adversaries;
  EXPECT_NE(planning::digest_of_draws(plan), alone);
  const std::string of_five = plan.draws;
  Study another = study;
  another.pairwise_g *= 2;
  ASSERT_TRUE(planning::plan_for_losses(another, plan));
  EXPECT_NE(plan.draws, of_five);
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
