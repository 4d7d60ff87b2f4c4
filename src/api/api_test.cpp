// The public headers alone: what a program that links sotto can do, and that it is told the same
// as a user of the command line.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sotto/model.h>
#include <sotto/plan.h>
#include <sotto/simulate.h>
#include <sotto/study.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/json.h"

namespace sotto::v1 {
namespace {

using testing::HasSubstr;

constexpr const char* kPaper = R"(
[study]
name   = "paper"
solver = "ac"
[privacy]
epsilon = 10.0
delta   = 0.2
unit    = "entry"
mu      = 3.0
[graph]
topology = "cycle"
parties  = 5
weight   = 0.3
[problem]
family = "paper"
m      = 2
seed   = 1
)";

constexpr const char* kTables = R"(
[study]
name   = "line"
solver = "pairwise"
[privacy]
epsilon    = 1.0
delta      = 1e-6
unit       = "record"
neighbours = "add-remove"
[graph]
topology = "path"
parties  = 2
weight   = "metropolis"
[data]
target = { column = "y", bounds = [0, 4] }
[[data.feature]]
column = "x"
bounds = [0, 2]
)";

class PublicLibrary : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "sotto-api-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // y = 1 + x, without noise of its own.
  std::string table(const std::string& name) {
    std::ofstream file(folder_ / name);
    file << "x,y\n";
    for (int row = 0; row < 5000; ++row)
      file << row % 21 / 10.0 << ',' << 1 + row % 21 / 10.0 << '\n';
    return (folder_ / name).string();
  }

  std::filesystem::path folder_;
};

TEST_F(PublicLibrary, SaysOfAStudyWhatIsInIt) {
  const auto study = Study::parse(kPaper, "paper.toml");
  ASSERT_TRUE(study);
  EXPECT_EQ(study->name(), "paper");
  EXPECT_EQ(study->solver(), Solver::kAc);
  EXPECT_EQ(name_of(study->solver()), "ac");
  EXPECT_EQ(study->parties(), 5U);
  EXPECT_FALSE(study->over_tables());
  EXPECT_EQ(study->hash().size(), 64U);
}

TEST_F(PublicLibrary, RefusesAStudyAsTheProgramDoes) {
  const auto study = Study::parse("[study]\nname = \"x\"\nsolvr = \"ac\"\n", "typo.toml");
  ASSERT_FALSE(study);
  EXPECT_THAT(study.error().where, HasSubstr("typo.toml"));
  EXPECT_EQ(study.error().status, Status::kBadInput);
  EXPECT_FALSE(Study::read("/nowhere/study.toml"));
}

TEST_F(PublicLibrary, PlansForTheStudysSolverAndForOthers) {
  const auto study = Study::parse(kPaper, "paper.toml");
  ASSERT_TRUE(study);
  const auto own = make_plan(*study);
  const auto other = make_plan(*study, Solver::kPairwise);
  ASSERT_TRUE(own && other);
  EXPECT_EQ(own->solver, Solver::kAc);
  EXPECT_EQ(own->epsilon, 10);
  EXPECT_EQ(own->delta, 0.2);
  EXPECT_EQ(own->sensitivity, 3);
  EXPECT_GT(own->sum_noise_sd, other->sum_noise_sd);
  EXPECT_EQ(own->observers.front().name, "eavesdropper");
  EXPECT_LE(own->observers.front().epsilon_at_delta, 10.0001);
  EXPECT_EQ(parse_json(own->json)["solver"], "ac");
  EXPECT_THAT(own->text, HasSubstr("ac"));
}

TEST_F(PublicLibrary, SimulatesTheSameBitsFromTheSameSeed) {
  const auto study = Study::parse(kPaper, "paper.toml");
  ASSERT_TRUE(study);
  SimulateOptions options{.solvers = {Solver::kAc, Solver::kDishuf}, .seed = 7, .trials = 4};
  const auto one = simulate(*study, options);
  options.threads = 1;
  const auto two = simulate(*study, options);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->json, two->json);
  EXPECT_EQ(one->trials.size(), 8U);
  EXPECT_EQ(one->x_star.size(), 2U);
  ASSERT_EQ(one->summary.size(), 2U);
  EXPECT_EQ(one->summary[1].solver, Solver::kDishuf);
  EXPECT_LT(one->summary[1].median, one->summary[0].median);
}

TEST_F(PublicLibrary, FitsTablesAndPredicts) {
  const auto study = Study::parse(kTables, "line.toml");
  ASSERT_TRUE(study);
  EXPECT_TRUE(study->over_tables());
  const auto model = simulate_tables(*study, {table("a.csv"), table("b.csv")});
  ASSERT_TRUE(model) << model.error().to_string();
  EXPECT_EQ(model->study(), "line");
  EXPECT_EQ(model->target(), "y");
  ASSERT_EQ(model->coefficients().size(), 2U);
  EXPECT_EQ(model->coefficients()[1].name, "x");
  EXPECT_NEAR(model->coefficients()[1].value, 1, 0.3);

  ASSERT_TRUE(model->write((folder_ / "model.json").string()));
  const auto again = Model::read((folder_ / "model.json").string());
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(again->json(), model->json());
  EXPECT_EQ(again->coefficients()[1].interval, model->coefficients()[1].interval);

  std::ofstream(folder_ / "new.csv") << "x\n0.5\n\"\"\n1.5\n";
  const auto predicted = again->predict((folder_ / "new.csv").string());
  ASSERT_TRUE(predicted) << predicted.error().to_string();
  ASSERT_EQ(predicted->values.size(), 3U);
  EXPECT_NEAR(predicted->values[0], 1.5, 0.3);
  EXPECT_TRUE(std::isnan(predicted->values[1]));
  EXPECT_EQ(predicted->missing, 1U);
  EXPECT_TRUE(predicted->intervals.empty());

  const auto sure = again->predict((folder_ / "new.csv").string(), 0.99);
  ASSERT_TRUE(sure) << sure.error().to_string();
  ASSERT_EQ(sure->intervals.size(), 3U);
  EXPECT_LT(sure->intervals[0].row.first, sure->intervals[0].mean.first);
  EXPECT_LT(sure->intervals[0].mean.first, sure->intervals[0].unshrunk);
  EXPECT_EQ(again->predict((folder_ / "new.csv").string(), 2).error().name, "E-predict-level");
}

TEST_F(PublicLibrary, RefitsFromTheModelAlone) {
  const auto study = Study::parse(kTables, "line.toml");
  const auto model = simulate_tables(*study, {table("a.csv"), table("b.csv")});
  ASSERT_TRUE(model) << model.error().to_string();
  EXPECT_THAT(model->text(), HasSubstr("std. error"));
  EXPECT_LT(model->coefficients()[1].p.value(), 0.001);
  const auto other = model->refit({.target = "x"});
  ASSERT_TRUE(other) << other.error().to_string();
  EXPECT_EQ(other->target(), "x");
  EXPECT_EQ(other->coefficients()[1].name, "y");
  EXPECT_NEAR(other->coefficients()[1].value, 1, 0.3);
  const auto slope = model->refit({.without = {"intercept"}, .estimator = "exact"});
  ASSERT_TRUE(slope) << slope.error().to_string();
  EXPECT_EQ(slope->coefficients().size(), 1U);
  EXPECT_EQ(model->refit({.features = {"z"}}).error().name, "E-refit-column");
  EXPECT_EQ(model->refit({.bases = {"x=1"}}).error().name, "E-refit-base");
}

TEST_F(PublicLibrary, SaysWhatIsWrongWithAModelThatIsNone) {
  const auto model = Model::parse("{\"study\": 3}", "m.json");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().name, "E-model-json");
  EXPECT_EQ(Model::parse("no", "m.json").error().name, "E-model-file");
  EXPECT_FALSE(Model::read("/nowhere/model.json"));
}

}  // namespace
}  // namespace sotto::v1
