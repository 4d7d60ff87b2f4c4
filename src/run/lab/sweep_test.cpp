// Sweeps and trajectories: the same numbers as one run after the other, kept and found again.
#include "run/lab/sweep.h"

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>

#include "base/files.h"
#include "base/json.h"
#include "run/kept_json.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

StudySource small_study(const std::string& more = "") {
  return {.text = R"([study]
name = "small"
solver = "ac"
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
lambda_min = 50.0
rounds = 40
[problem]
family = "paper"
m = 2
seed = 1
)" + more,
          .name = "small.toml",
          .folder = {}};
}

SweepOptions options_of(const std::vector<std::string>& settings, std::vector<Solver> solvers) {
  SweepOptions options{
      .keys = {}, .solvers = std::move(solvers), .seed = 3, .trials = 11, .version = "test"};
  for (const std::string& words : settings) options.keys.push_back(setting_from(words).value());
  return options;
}

TEST(Sweep, GivesTheNumbersOfOneSimulationAfterTheOther) {
  const auto options =
      options_of({"privacy.epsilon=1,10", "graph.parties=4,5"}, {Solver::kAc, Solver::kPairwise});
  const auto points = sweep(small_study(), options).value();
  ASSERT_EQ(points.size(), 8U);
  for (const SweepPoint& point : points) {
    const Study study = study_with(small_study(), point.settings).value();
    const auto alone =
        simulate_study(study, {.solvers = {point.solver}, .seed = 3, .trials = 11}).value();
    EXPECT_EQ(point.result["summary"]["median"], alone.summary[0].median);
    ASSERT_EQ(point.result["squared_errors"].size(), 11U);
    for (std::size_t t = 0; t < 11; ++t) {
      EXPECT_EQ(point.result["squared_errors"][t], alone.runs[0].squared_errors[t]);
    }
    // What is needed to repeat it.
    EXPECT_EQ(point.result["seed"], 3);
    EXPECT_EQ(point.result["version"], "test");
    EXPECT_EQ(point.result["plan"]["study_hash"], study.hash);
    EXPECT_EQ(point.result["graph"]["edges"].size(), study.graph().edges().size());
    EXPECT_TRUE(point.result["plan"]["adversaries"][0].contains("method"));
  }
}

TEST(Sweep, HasASolverThatCannotDoItAsAPointWithItsReason) {
  auto options = options_of({"privacy.epsilon=0.1,10"}, {Solver::kGt, Solver::kAc});
  const auto points = sweep(small_study(), options).value();
  ASSERT_EQ(points.size(), 4U);
  ASSERT_TRUE(points[0].refusal.has_value());
  EXPECT_EQ(points[0].refusal->name, "E-gt-convexity");
  EXPECT_EQ(points[0].result["error"]["name"], "E-gt-convexity");
  EXPECT_FALSE(points[1].refusal || points[2].refusal || points[3].refusal);
  // If there is nothing else, it is the answer.
  options = options_of({"privacy.epsilon=0.1"}, {Solver::kGt});
  EXPECT_EQ(sweep(small_study(), options).error().name, "E-gt-convexity");
}

TEST(Sweep, EndsForASlipOfTheHand) {
  EXPECT_EQ(sweep(small_study(), options_of({"privacy.epsilom=1,2"}, {})).error().name,
            "E-study-key");
  EXPECT_EQ(sweep(small_study("[oops]\n"), options_of({}, {})).error().name, "E-study-key");
}

TEST(Sweep, SharesItsDrawsBetweenPointsUnlessAskedNotTo) {
  // Two settings that change nothing about the noise: shared draws give the same errors.
  auto options = options_of({"gt.rounds=40,41"}, {Solver::kAc});
  const auto errors = [](const SweepPoint& point) { return point.result["squared_errors"]; };
  auto points = sweep(small_study(), options).value();
  EXPECT_EQ(errors(points[0]), errors(points[1]));
  EXPECT_EQ(to_json(points, options)["draws"], "shared");
  options.draws = PointDraws::kIndependent;
  points = sweep(small_study(), options).value();
  EXPECT_NE(errors(points[0]), errors(points[1]));
  EXPECT_NE(points[0].result["seed"], points[1].result["seed"]);
  EXPECT_EQ(to_json(points, options)["draws"], "independent");
}

class KeptSweep : public testing::Test {
 protected:
  const TemporaryFolder own_;
  const std::filesystem::path folder_ = own_ / "kept";
};

TEST_F(KeptSweep, DoesNothingTwice) {
  auto options = options_of({"privacy.epsilon=1,10"}, {Solver::kAc});
  options.folder = folder_;
  SweepEstimate estimate;
  options.on_estimate = [&](const SweepEstimate& e) { estimate = e; };
  const auto first = sweep(small_study(), options).value();
  EXPECT_EQ(estimate.points, 2U);
  EXPECT_EQ(estimate.known, 0U);
  EXPECT_GT(estimate.seconds, 0);
  std::size_t drawn = 0;
  options.progress = [&](std::size_t, std::size_t) { ++drawn; };
  const auto again = sweep(small_study(), options).value();
  EXPECT_EQ(estimate.known, 2U);
  EXPECT_EQ(drawn, 0U);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(first[k].result, again[k].result);
  // One point more: only that one is drawn.
  auto more = options_of({"privacy.epsilon=1,3,10"}, {Solver::kAc});
  more.folder = folder_;
  more.on_estimate = options.on_estimate;
  ASSERT_TRUE(sweep(small_study(), more).has_value());
  EXPECT_EQ(estimate.points, 3U);
  EXPECT_EQ(estimate.known, 2U);
  // Another seed, number of trials or version is another point.
  for (const int what : {0, 1, 2}) {
    auto other = options;
    if (what == 0) other.seed = 4;
    if (what == 1) other.trials = 12;
    if (what == 2) other.version = "later";
    ASSERT_TRUE(sweep(small_study(), other).has_value());
    EXPECT_EQ(estimate.known, 0U) << what;
  }
}

// A point under its own identity and without its numbers ended whoever made a table of it; under a
// digest that fits it still did.
TEST_F(KeptSweep, ComputesAgainWhatWasCutShortOrChanged) {
  auto options = options_of({}, {Solver::kAc});
  options.folder = folder_;
  options.every = 1;
  options.detail = TrajectoryDetail::kTrials;
  const auto first = sweep(small_study(), options).value();
  const Json& point = first[0].result;
  const auto known_with = [&](const std::string& text) {
    for (const auto& file : std::filesystem::directory_iterator(folder_ / "points")) {
      EXPECT_TRUE(write_file(file.path(), text).has_value());
    }
    std::size_t known = 2;
    options.on_estimate = [&](const SweepEstimate& estimate) { known = estimate.known; };
    const auto again = sweep(small_study(), options).value();
    EXPECT_EQ(again[0].result, point) << text;
    return known;
  };
  EXPECT_EQ(known_with(json_line(with_digest(point))), 1U);
  for (const std::string& text : {std::string("{\"identity\": "), std::string("{\"identity\": 1}"),
                                  json_line({{"identity", point["identity"]}}), json_line(point),
                                  json_line(with_digest({{"identity", point["identity"]}}))}) {
    EXPECT_EQ(known_with(text), 0U) << text;
  }
  // Each of its parts gone, and each of another form.
  const Json flat = point.flatten();
  for (const auto& [path, value] : flat.items()) {
    const auto place = Json::json_pointer(path);
    // Lists of numbers are long, and their first ones stand for all.
    if (place.back().size() > 1 && std::isdigit(place.back()[0]) != 0) continue;
    for (const Json& other : {Json("text"), Json(nullptr)}) {
      // Null stands for a number beyond all doubles, and is the form of every number.
      const bool drawn = path.starts_with("/summary/") || path.starts_with("/squared_errors/") ||
                         path.starts_with("/trajectory/");
      if (other.is_null() && drawn) continue;
      Json changed = point;
      changed[place] = other;
      if (changed == point) continue;
      EXPECT_EQ(known_with(json_line(with_digest(changed))), 0U) << path << other;
    }
  }
  for (const auto& [name, value] : point.items()) {
    Json changed = point;
    changed.erase(name);
    EXPECT_EQ(known_with(json_line(with_digest(changed))), 0U) << name;
  }
}

// --- trajectories ---

TEST(Trajectory, EndsWhereTheSimulationEndsForEverySolverAndMethod) {
  for (const char* method : {"exact", "plain", "chebyshev"}) {
    auto options = options_of({}, {Solver::kAc, Solver::kDishuf, Solver::kPairwise, Solver::kGt});
    options.every = 7;
    options.detail = TrajectoryDetail::kTrials;
    const std::string section = std::string("[consensus]\nmethod = \"") + method + "\"\n";
    const auto points = sweep(small_study(section), options);
    ASSERT_TRUE(points.has_value()) << points.error().to_string();
    for (const SweepPoint& point : *points) {
      const Json& trajectory = point.result["trajectory"];
      const Json& last = trajectory["squared_error"]["trials"].back();
      ASSERT_EQ(last.size(), 11U);
      for (std::size_t t = 0; t < 11; ++t) {
        const double end = point.result["squared_errors"][t];
        EXPECT_NEAR(last[t].get<double>(), end, 1e-9 * end) << method << to_string(point.solver);
      }
      EXPECT_EQ(trajectory["rounds"].front(), 0);
      EXPECT_EQ(trajectory["rounds"].back(), point.result["plan"]["consensus"]["rounds"]);
      const Json& apart = trajectory["consensus_error"]["mean"];
      EXPECT_LT(apart.back().get<double>(), 1e-3 * (apart.front().get<double>() + 1));
    }
  }
}

TEST(Trajectory, OfExactKnowsAfterEachRoundWhoIsThatNear) {
  // On a cycle of 5 a party has heard 1, 3 and 5 releases after 0, 1 and 2 rounds.
  auto options = options_of({}, {Solver::kAc});
  options.every = 1;
  const auto point = sweep(small_study(), options).value()[0];
  const Json& apart = point.result["trajectory"]["consensus_error"]["mean"];
  ASSERT_EQ(apart.size(), 3U);
  EXPECT_GT(apart[0].get<double>(), apart[1].get<double>());
  EXPECT_LT(apart[2].get<double>(), 1e-20 * apart[0].get<double>());
}

TEST(Trajectory, KeepsEveryKthRoundAndTheLast) {
  auto options = options_of({}, {Solver::kGt});
  options.every = 15;
  const auto point = sweep(small_study(), options).value()[0];
  EXPECT_EQ(point.result["trajectory"]["rounds"], Json({0, 15, 30, 40}));
  options.every = 1;
  const auto all = sweep(small_study(), options).value()[0];
  EXPECT_EQ(all.result["trajectory"]["squared_error"]["mean"][15],
            point.result["trajectory"]["squared_error"]["mean"][1]);
}

TEST(Trajectory, ThatWouldFillTheMemoryIsRefused) {
  auto options = options_of({"gt.rounds=10000000"}, {Solver::kGt});
  options.every = 1;
  options.trials = 1000;
  EXPECT_EQ(sweep(small_study(), options).error().name, "E-trajectory-size");
}

}  // namespace
}  // namespace sotto
