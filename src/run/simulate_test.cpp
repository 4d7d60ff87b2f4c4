#include "run/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "base/json.h"
#include "support/studies.h"

namespace sotto {
namespace {

const std::vector<Solver> kAllSolvers{Solver::kGt, Solver::kAc, Solver::kDishuf, Solver::kPairwise};

Simulation simulation_of(const StudyText& text, const RunOptions& options) {
  auto simulation = simulate_study(study_of(text), options);
  EXPECT_TRUE(simulation.has_value()) << simulation.error().to_string();
  return std::move(*simulation);
}

std::vector<std::vector<double>> answers(const Simulation& simulation) {
  std::vector<std::vector<double>> answers;
  for (const TrialOutcomes& runs : simulation.runs) {
    for (std::size_t t = 0; t < runs.size(); ++t) {
      answers.emplace_back(runs.x(t).begin(), runs.x(t).end());
    }
  }
  return answers;
}

TEST(SimulatingAStudy, ThatDoesNotFitIntoMemoryIsAnErrorBeforehandWithWhatWouldFit) {
  const Study study = study_of(paper_text());
  const double shuffle = simulation_bytes(study, Solver::kDishuf);
  EXPECT_GT(shuffle, simulation_bytes(study, Solver::kPairwise));
  EXPECT_GT(simulation_bytes(study, Solver::kPairwise), simulation_bytes(study, Solver::kAc));
  const std::vector<Solver> both{Solver::kAc, Solver::kDishuf};
  EXPECT_TRUE(require_memory(study, both, 1.2 * shuffle));
  EXPECT_TRUE(require_memory(study, both, 0));  // where the system does not say
  const auto refused = require_memory(study, both, shuffle / 2);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().name, "E-simulate-memory");
  EXPECT_THAT(refused.error().fix, testing::HasSubstr("at most 4 parties"));
  EXPECT_THAT(refused.error().fix, testing::HasSubstr("or mpirun with 4 ranks"));
  EXPECT_TRUE(require_memory(study, both, shuffle / 2, 4));
  EXPECT_FALSE(require_memory(study, both, shuffle / 2, 3));
  EXPECT_FALSE(require_memory(study, both, shuffle / 100, 5));
}

// Its step is found by every rank, from the costs of all.
TEST(SimulatingAStudy, WithGradientTrackingTakesAsMuchMemoryOnEveryRankAsAlone) {
  const Study study = study_of(paper_text());
  const std::vector<Solver> gt{Solver::kGt};
  const double alone = simulation_bytes(study, Solver::kGt);
  EXPECT_TRUE(require_memory(study, gt, 1.2 * alone, 2));
  const auto refused = require_memory(study, gt, alone / 2, 2);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().fix, testing::HasSubstr("no number of ranks would do"));
}

// From 2¹³ parties on a trial's parties are divided between the threads, and renumbered.
TEST(SimulatingAStudy, OfManyPartiesGivesTheSameBitsWhateverTheNumberOfThreads) {
  StudyText text = paper_text();
  text.set("graph", "parties", "9000").set("problem", "m", "1");
  text.set("consensus", "method", "\"plain\"").set("consensus", "rounds", "5");
  text.set("consensus", "tolerance", "0.5");
  for (const Solver solver : {Solver::kAc, Solver::kDishuf, Solver::kPairwise}) {
    const RunOptions one{.solvers = {solver}, .seed = 5, .trials = 1, .threads = 1};
    const RunOptions three{.solvers = {solver}, .seed = 5, .trials = 1, .threads = 3};
    const Simulation alone = simulation_of(text, one);
    const Simulation shared = simulation_of(text, three);
    EXPECT_EQ(answers(alone), answers(shared)) << to_string(solver);
    EXPECT_EQ(alone.runs[0].squared_errors, shared.runs[0].squared_errors);
  }
}

TEST(SimulatingAStudy, GivesTheSameBitsWhateverTheNumberOfThreads) {
  for (const Solver solver : kAllSolvers) {
    const RunOptions one{.solvers = {solver}, .seed = 5, .trials = 40, .threads = 1};
    const RunOptions five{.solvers = {solver}, .seed = 5, .trials = 40, .threads = 5};
    EXPECT_EQ(answers(simulation_of(paper_text(), one)), answers(simulation_of(paper_text(), five)))
        << to_string(solver);
  }
}

TEST(SimulatingAStudy, GivesATrialTheSameBitsInALongRunAndInAShortOne) {
  for (const Solver solver : kAllSolvers) {
    auto longer = answers(
        simulation_of(paper_text(), {.solvers = {solver}, .seed = 5, .trials = 19, .threads = 2}));
    const auto shorter =
        answers(simulation_of(paper_text(), {.solvers = {solver}, .seed = 5, .trials = 3}));
    longer.resize(3);
    EXPECT_EQ(longer, shorter) << to_string(solver);
  }
}

TEST(SimulatingAStudy, DependsOnTheSeedAndOnTheTrial) {
  for (const Solver solver : kAllSolvers) {
    const auto first =
        answers(simulation_of(paper_text(), {.solvers = {solver}, .seed = 5, .trials = 2}));
    const auto again =
        answers(simulation_of(paper_text(), {.solvers = {solver}, .seed = 5, .trials = 2}));
    const auto other =
        answers(simulation_of(paper_text(), {.solvers = {solver}, .seed = 6, .trials = 2}));
    EXPECT_EQ(first, again) << to_string(solver);
    EXPECT_NE(first[0], first[1]) << to_string(solver);
    EXPECT_NE(first[0], other[0]) << to_string(solver);
  }
}

TEST(SimulatingAStudy, LeavesTheSolutionAloneWhenTheNoiseChanges) {
  const auto first = simulation_of(paper_text(), {.solvers = {Solver::kAc}, .seed = 5});
  const auto other = simulation_of(paper_text(), {.solvers = {Solver::kDishuf}, .seed = 6});
  EXPECT_EQ(first.x_star, other.x_star);
  double norm = 0;
  for (const double x : first.x_star) norm += x * x;
  EXPECT_NEAR(norm, 1, 1e-9);  // the family's ‖x*‖
}

TEST(SimulatingAStudy, MeasuresTheDistanceFromTheSolution) {
  // With `exact` every party holds the first party's answer.
  const auto simulation =
      simulation_of(paper_text(), {.solvers = {Solver::kDishuf}, .seed = 3, .trials = 4});
  const TrialOutcomes& runs = simulation.runs[0];
  ASSERT_EQ(runs.size(), 4U);
  for (std::size_t t = 0; t < runs.size(); ++t) {
    double sum = 0;
    for (std::size_t k = 0; k < runs.x(t).size(); ++k) {
      sum += std::pow(runs.x(t)[k] - simulation.x_star[k], 2);
    }
    EXPECT_NEAR(runs.squared_errors[t], sum, 1e-12 * sum);
    EXPECT_GT(runs.squared_errors[t], 0);
  }
}

TEST(SimulatingAStudy, ComesNearTheSolutionWhenTheNoiseIsSmall) {
  StudyText text = paper_text();
  text.set("privacy", "mu", "1e-6");
  const auto simulation = simulation_of(text, {.solvers = kAllSolvers, .seed = 3, .trials = 2});
  ASSERT_EQ(simulation.runs.size(), kAllSolvers.size());
  for (const TrialOutcomes& runs : simulation.runs) {
    EXPECT_THAT(runs.squared_errors, testing::Each(testing::Lt(1e-12))) << to_string(runs.solver);
  }
}

TEST(SimulatingAStudy, SummarisesTheSquaredErrors) {
  const auto simulation =
      simulation_of(paper_text(), {.solvers = {Solver::kAc, Solver::kDishuf}, .trials = 9});
  ASSERT_EQ(simulation.runs.size(), 2U);
  ASSERT_EQ(simulation.summary.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    const SolverSummary& summary = simulation.summary[k];
    EXPECT_EQ(simulation.runs[k].solver, summary.solver);
    std::vector<double> errors = simulation.runs[k].squared_errors;
    ASSERT_EQ(errors.size(), 9U);
    std::ranges::sort(errors);
    EXPECT_DOUBLE_EQ(summary.mean, std::accumulate(errors.begin(), errors.end(), 0.0) / 9);
    EXPECT_EQ(summary.q25, errors[2]);  // of nine, the third, fifth and seventh
    EXPECT_EQ(summary.median, errors[4]);
    EXPECT_EQ(summary.q75, errors[6]);
  }
}

TEST(SimulatingAStudy, FollowsTheEstimatorThatTheStudyNames) {
  // As much noise as signal: with less, adassp finds nothing to regularise.
  StudyText noisy = paper_text();
  noisy.set("privacy", "mu", "300.0");
  std::vector<std::vector<double>> firsts;
  for (const char* name : {"exact", "noise-aware", "psd-ridge", "adassp"}) {
    StudyText named = noisy;
    named.set("solve", "estimator", fmt::format("\"{}\"", name));
    firsts.push_back(simulation_of(named, {.solvers = {Solver::kAc}, .seed = 2}).runs[0].answers);
  }
  for (std::size_t a = 0; a < firsts.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(firsts[a], firsts[b]) << a << " and " << b;
  }
  // `exact` is the default: the paper's.
  EXPECT_EQ(simulation_of(noisy, {.solvers = {Solver::kAc}, .seed = 2}).runs[0].answers, firsts[0]);
}

TEST(SimulatingAStudy, ReachesTheSameSumByEveryConsensus) {
  const auto exact = simulation_of(paper_text(), {.solvers = {Solver::kAc}, .seed = 2});
  for (const char* method : {"plain", "chebyshev"}) {
    StudyText text = paper_text();
    text.set("consensus", "method", fmt::format("\"{}\"", method));
    const auto simulation = simulation_of(text, {.solvers = {Solver::kAc}, .seed = 2});
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(simulation.runs[0].x(0)[k], exact.runs[0].x(0)[k], 1e-6) << method;
    }
  }
}

TEST(SimulatingAStudy, CountsEveryTrialOfEverySolver) {
  std::mutex mutex;
  std::vector<std::size_t> seen;
  const RunOptions options{.solvers = {Solver::kAc, Solver::kPairwise},
                           .trials = 20,
                           .progress =
                               [&](std::size_t done, std::size_t all) {
                                 const std::scoped_lock lock(mutex);
                                 EXPECT_EQ(all, 40U);
                                 seen.push_back(done);
                               },
                           .threads = 3};
  static_cast<void>(simulation_of(paper_text(), options));
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back(), 40U);
}

TEST(SimulatingAStudy, HandsItsCallerAnExceptionOfAnotherThreadAndStops) {
  const auto caller = std::this_thread::get_id();
  std::size_t chunks_after = 0;
  bool thrown = false;
  RunOptions options{.solvers = {Solver::kAc}, .seed = 5, .trials = 8000, .threads = 4};
  options.progress = [&](std::size_t, std::size_t) {
    if (thrown) ++chunks_after;
    if (std::this_thread::get_id() == caller) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the others' turn
    } else if (!thrown) {
      thrown = true;
      throw std::runtime_error("no more");
    }
  };
  const Study study = study_of(paper_text());
  EXPECT_THROW((void)simulate_study(study, options), std::runtime_error);
  EXPECT_LT(chunks_after, 500u);  // of 1000
}

TEST(SimulatingAStudy, RefusesNumbersOfTrialsThatCannotBe) {
  for (const std::size_t trials : {std::size_t{0}, kMaxTrials + 1}) {
    const auto simulation =
        simulate_study(study_of(paper_text()), {.solvers = {Solver::kAc}, .trials = trials});
    ASSERT_FALSE(simulation.has_value());
    EXPECT_EQ(simulation.error().name, "E-trials");
  }
}

TEST(SimulatingAStudy, NeedsAProblem) {
  const auto simulation =
      simulate_study(study_of(paper_text().remove("problem")), {.solvers = {Solver::kAc}});
  ASSERT_FALSE(simulation.has_value());
  EXPECT_EQ(simulation.error().name, "E-problem-missing");
}

TEST(SimulationJson, KeepsTheContract) {
  const Study study = study_of(paper_text());
  const auto simulation = simulate_study(study, {.solvers = kAllSolvers, .seed = 9, .trials = 2});
  ASSERT_TRUE(simulation.has_value());
  const Json json = parse_json(to_json(study, *simulation).dump());
  EXPECT_EQ(json["seed"], 9);
  EXPECT_EQ(json["x_star"].size(), 3U);
  ASSERT_EQ(json["runs"].size(), 8U);
  for (const Json& run : json["runs"]) {
    EXPECT_TRUE(run["solver"].is_string());
    EXPECT_TRUE(run["trial"].is_number_unsigned());
    EXPECT_TRUE(run["squared_error"].is_number());
    ASSERT_EQ(run["x"].size(), 3U);
    EXPECT_TRUE(run["x"][0].is_number());
  }
  ASSERT_EQ(json["summary"].size(), 4U);
  for (const Json& summary : json["summary"]) {
    EXPECT_TRUE(summary["solver"].is_string());
    for (const char* key : {"mean", "median", "q25", "q75"}) {
      EXPECT_TRUE(summary[key].is_number()) << key;
    }
  }
  for (const Solver solver : kAllSolvers) {
    const Json& privacy = json["privacy"][to_string(solver)];
    for (const char* key : {"epsilon", "delta", "sensitivity", "kappa_bar"}) {
      EXPECT_TRUE(privacy[key].is_number()) << key;
    }
    EXPECT_EQ(privacy["unit"], "entry");
    EXPECT_EQ(privacy["adversaries"][0]["name"], "eavesdropper");
  }
}

TEST(SimulationJson, WritesWhatIsNotANumberAsNull) {
  const Study study = study_of(paper_text());
  auto simulation = simulate_study(study, {.solvers = {Solver::kAc}});
  ASSERT_TRUE(simulation.has_value());
  simulation->runs[0].squared_errors[0] = std::numeric_limits<double>::infinity();
  simulation->runs[0].answers[1] = std::nan("");
  const Json json = parse_json(to_json(study, *simulation).dump());
  EXPECT_TRUE(json["runs"][0]["squared_error"].is_null());
  EXPECT_TRUE(json["runs"][0]["x"][1].is_null());
}

}  // namespace
}  // namespace sotto
