// A transcript is what was released, what members saw is what was drawn, and it is the run that
// `simulate` makes of the same seed.
#include "run/lab/transcript.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "base/json.h"
#include "moments/quadratic.h"
#include "run/simulate.h"
#include "study/settings.h"

namespace sotto {
namespace {

constexpr const char* kTranscriptStudy = R"([study]
name = "small"
solver = "dishuf"
[privacy]
epsilon = 10.0
delta = 0.2
unit = "entry"
mu = 3.0
[graph]
topology = "cycle"
parties = 5
weight = 0.3
[gt]
lambda_min = 200.0
[problem]
family = "paper"
m = 2
seed = 1
)";

struct Recorded {
  PlannedStudy planned;
  Problem problem;
  std::vector<Json> seen;  // the head, then the trials
  std::vector<Json> truth;
};

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(parse_json(line));
  return lines;
}

Recorded record(Solver solver, const std::string& observer, std::size_t trials = 3) {
  PlannedStudy planned =
      plan_study(parse_study(kTranscriptStudy, "small.toml").value(), solver).value();
  Problem problem = load_problem(planned.study).value();
  const auto transcript =
      record_transcript(planned, problem,
                        {.seed = 7,
                         .trials = trials,
                         .observer = transcript_observer_from(observer, 5).value(),
                         .version = "test"})
          .value();
  return {std::move(planned), std::move(problem), lines_of(transcript.seen),
          lines_of(transcript.truth)};
}

double at(const Json& list, std::size_t i, std::size_t k) {
  return list[i][k].get<double>();
}

// What the releases average to is what `simulate` has solved.
TEST(Transcript, IsTheRunThatSimulateMakesOfTheSameSeed) {
  for (const Solver solver : {Solver::kAc, Solver::kDishuf, Solver::kPairwise}) {
    const Recorded run = record(solver, "eavesdropper");
    const auto results = run_trials(run.planned, run.problem, {.seed = 7, .trials = 3}).value();
    ASSERT_EQ(run.seen.size(), 4U);
    for (std::size_t t = 0; t < 3; ++t) {
      const Json& releases = run.seen[t + 1]["releases"];
      std::vector<double> sum(5, 0.0);
      for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t k = 0; k < 5; ++k) sum[k] += at(releases, i, k);
      }
      const auto x = solve_sums(run.planned, sum).value();
      for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(x[k], results.runs.x(t)[k], 1e-9);
    }
  }
}

TEST(Transcript, OfAnEavesdropperHasTheReleasesAndNothingElse) {
  const Recorded run = record(Solver::kDishuf, "eavesdropper");
  EXPECT_FALSE(run.seen[0].contains("own_theta"));
  EXPECT_EQ(run.seen[0]["plan"]["adversaries"][0]["name"], "eavesdropper");
  EXPECT_EQ(run.seen[1].size(), 2U);  // trial, releases
  EXPECT_EQ(run.truth[0]["theta"].size(), 5U);
}

// y_i = θ_i + γ_i + ζ·Σ_j a_{i→j}a_{j→i}(T̄_j − T̄_i), from the ground truth.
TEST(Transcript, OfDishufFollowsFromItsGroundTruth) {
  const Recorded run = record(Solver::kDishuf, "all");
  const double zeta = 1 / run.seen[0]["plan"]["noise"]["inverse_zeta"].get<double>();
  const Json& theta = run.truth[0]["theta"];
  const Json& truth = run.truth[1];
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t k = 0; k < 5; ++k) {
      const auto own = [&](std::size_t party) {
        return theta[std::to_string(party)][k].get<double>();
      };
      double expected = own(i + 1) + at(truth["gamma"], i, k);
      for (const Json& there : truth["eta"]) {
        if (there["from"] != i + 1) continue;
        for (const Json& back : truth["eta"]) {
          if (back["from"] != there["to"] || back["to"] != there["from"]) continue;
          const double product =
              there["multiplier"].get<double>() * back["multiplier"].get<double>();
          const double theirs = own(back["from"]) + back["eta"][k].get<double>();
          const double ours = own(i + 1) + there["eta"][k].get<double>();
          expected += zeta * product * (theirs - ours);
        }
      }
      EXPECT_NEAR(at(run.seen[1]["releases"], i, k), expected, 1e-8 * (1 + std::abs(expected)));
    }
  }
}

// a_{j→i}(T̄_j − T̄_i): what Algorithm 2 lets i decrypt of j.
TEST(Transcript, OfACoalitionHasWhatItsMembersDecrypted) {
  const Recorded run = record(Solver::kDishuf, "coalition:2,4");
  const Json& looks = run.seen[1]["looks"];
  EXPECT_EQ(looks.size(), 4U);  // two members with two neighbours each
  for (const Json& look : looks) {
    EXPECT_TRUE(look["by"] == 2 || look["by"] == 4);
    for (const Json& eta : run.truth[1]["eta"]) {
      if (eta["from"] != look["of"] || eta["to"] != look["by"]) continue;
      for (std::size_t k = 0; k < 5; ++k) {
        const auto theta = [&](const Json& party) {
          return run.truth[0]["theta"][std::to_string(party.get<int>())][k].get<double>();
        };
        const double theirs = theta(look["of"]) + eta["eta"][k].get<double>();
        const double own = theta(look["by"]) + look["own_eta"][k].get<double>();
        const double expected = eta["multiplier"].get<double>() * (theirs - own);
        EXPECT_NEAR(look["decrypted"][k].get<double>(), expected, 1e-9 * (1 + std::abs(expected)));
      }
    }
  }
  EXPECT_EQ(run.seen[0]["own_theta"].size(), 2U);
  EXPECT_EQ(run.seen[1]["own"].size(), 2U);
}

TEST(Transcript, OfPairwiseHasTheMasksOfTheMembersEdgesOnly) {
  const Recorded run = record(Solver::kPairwise, "neighbour:3");
  EXPECT_EQ(run.seen[1]["masks"].size(), 2U);
  EXPECT_EQ(run.truth[1]["masks"].size(), 5U);
  for (std::size_t k = 0; k < 5; ++k) {
    double sum = 0;  // masks cancel
    double noise = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      sum += at(run.seen[1]["releases"], i, k) -
             run.truth[0]["theta"][std::to_string(i + 1)][k].get<double>();
      noise += at(run.truth[1]["gamma"], i, k);
    }
    EXPECT_NEAR(sum, noise, 1e-9);
  }
}

TEST(Transcript, OfGtHasThePerturbedCosts) {
  const Recorded run = record(Solver::kGt, "eavesdropper");
  const double bound = run.seen[0]["plan"]["noise"]["truncation"].get<double>();
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_LE(std::abs(at(run.truth[1]["gamma"], i, k)), bound * (1 + 1e-9));
    }
  }
}

TEST(TranscriptObserver, IsSomebodyOfThisStudy) {
  EXPECT_TRUE(transcript_observer_from("eavesdropper", 5).value().members.empty());
  EXPECT_EQ(transcript_observer_from("neighbour:3", 5).value().members, std::vector<PartyId>{2});
  EXPECT_EQ(transcript_observer_from("coalition:1,4", 5).value().members,
            (std::vector<PartyId>{0, 3}));
  EXPECT_EQ(transcript_observer_from("all", 5).value().members.size(), 5U);
  for (const char* nobody : {"", "neighbour", "neighbour:", "neighbour:0", "neighbour:6",
                             "neighbour:1,2", "coalition:1,x", "coalition:1,", "somebody:1"}) {
    const auto observer = transcript_observer_from(nobody, 5);
    ASSERT_FALSE(observer.has_value()) << nobody;
    EXPECT_EQ(observer.error().name, "E-observer") << nobody;
  }
}

TEST(Transcript, SaysWhereNumbersAreTooWideForIt) {
  const StudySource lemma1{
      .text = std::string(kTranscriptStudy) + "[dishuf]\ncalibration = \"lemma1\"\n",
      .name = "lemma1.toml",
      .folder = {}};
  const std::vector<Setting> many{{"graph.parties", "50"}, {"dishuf.key_bits", "4096"}};
  const auto planned = plan_study(study_with(lemma1, many).value(), Solver::kDishuf);
  ASSERT_TRUE(planned.has_value()) << planned.error().to_string();
  EXPECT_EQ(record_transcript(*planned, load_problem(planned->study).value(), {}).error().name,
            "E-transcript-wide");
}

}  // namespace
}  // namespace sotto
