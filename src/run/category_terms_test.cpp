#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <random>

#include "base/json.h"
#include "run/input.h"
#include "run/kept_json.h"
#include "run/model.h"
#include "run/predict.h"
#include "run/refit/combine.h"
#include "run/refit/refit.h"
#include "run/simulate.h"
#include "support/temporary_folder.h"

// Products with categories on the whole way: study, files, run, model file, predictions, other
// models.
namespace sotto {
namespace category_terms {
namespace {

using testing::ElementsAre;

constexpr const char* kStudy = R"toml(
[study]
name   = "products"
solver = "pairwise"
[privacy]
epsilon    = 1e6
delta      = 1e-6
unit       = "record"
neighbours = "add-remove"
[graph]
topology = "complete"
parties  = 3
weight   = "metropolis"
[solve]
estimator = "exact"
[data]
target = { column = "y", bounds = [-40, 40] }
[[data.feature]]
column = "age"
bounds = [20, 80]
[[data.feature]]
column = "smoker"
levels = ["no", "yes", "at times"]
[[data.feature]]
column = "region"
levels = ["n", "s"]
[[data.feature]]
term = "age * smoker"
[[data.feature]]
term = "smoker:region"
)toml";

constexpr std::array kSmoker{"no", "yes", "at times"};
constexpr std::array kRegion{"n", "s"};

double truth(double age, int smoker, int region) {
  const std::array by_age{0.0, 0.2, -0.1};
  const std::array by_region{0.0, 3.0, -2.0};
  return 1 + 0.1 * age + smoker + 2 * region + by_age.at(static_cast<std::size_t>(smoker)) * age +
         (region == 1 ? by_region.at(static_cast<std::size_t>(smoker)) : 0);
}

class CategoryTerms : public testing::Test {
 protected:
  void SetUp() override {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> uniform;
    for (int party = 0; party < 3; ++party) {
      std::string csv = "region,y,smoker,age\n";
      for (int r = 0; r < 500; ++r) {
        const auto smoker = static_cast<int>(random() % 3);
        const auto region = static_cast<int>(random() % 2);
        const double age = 20 + 60 * uniform(random);
        csv += fmt::format("{},{},{},{}\n", kRegion.at(static_cast<std::size_t>(region)),
                           truth(age, smoker, region), kSmoker.at(static_cast<std::size_t>(smoker)),
                           age);
      }
      files_.push_back((folder_ / fmt::format("{}.csv", party)).string());
      std::ofstream(files_.back()) << csv;
    }
  }

  [[nodiscard]] Json run() const {
    const Study study = parse_study(kStudy, "study.toml").value();
    const PlannedStudy planned = plan_study(study, Solver::kPairwise).value();
    const Model model = simulate_tables(planned, read_tables(study, {.files = files_}).value(),
                                        {.random_from = RandomFrom::kSeed, .seed = 7})
                            .value();
    return parse_json(json_text(to_json(model)));
  }

  const TemporaryFolder folder_;
  std::vector<std::string> files_;
};

TEST_F(CategoryTerms, AreFittedPredictedAndKept) {
  const Json json = run();
  const ModelFile model = model_file_from_json(json, "model.json").value();
  std::vector<std::string> names;
  for (const auto& c : model.coefficients) names.push_back(c.name);
  EXPECT_THAT(names, ElementsAre("intercept", "age", "smoker=yes", "smoker=at times", "region=s",
                                 "age:smoker=yes", "age:`smoker=at times`", "smoker=yes:region=s",
                                 "`smoker=at times`:region=s"));
  const std::vector<double> expected{1, 0.1, 1, 2, 2, 0.2, -0.1, 3, -2};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(model.coefficients[k].value, expected[k], 0.02) << names[k];
  }
  const std::string table = (folder_ / "new.csv").string();
  std::ofstream(table) << "smoker,age,region\nat times,30,s\nyes,90,n\nno,50,s\n";
  const auto predicted = predict(model, table, {}).value();
  EXPECT_NEAR(predicted.values[0], truth(30, 2, 1), 0.05);
  EXPECT_NEAR(predicted.values[1], truth(80, 1, 0), 0.05) << "age is clipped to 80";
  EXPECT_NEAR(predicted.values[2], truth(50, 0, 1), 0.05);
  std::string problem;
  EXPECT_EQ(schema_json(schema_from(json["encoding"], "encoding", problem)), json["encoding"]);
  EXPECT_EQ(problem, "");
}

TEST_F(CategoryTerms, AreFoundInTheReleaseByTheirCategory) {
  const Json json = run();
  const RunRecord source = record_from_model_json(json, "model.json").value();
  const auto chosen = [&](const ModelWords& words) {
    const Selection found = select(*source.release, words).value();
    std::vector<std::string> names;
    for (const Eigen::Index k : found.columns) {
      names.push_back(source.release->columns()[static_cast<std::size_t>(k)]);
    }
    return names;
  };
  EXPECT_THAT(chosen({.features = {"age", "age * smoker"}}),
              ElementsAre("intercept", "age", "age:smoker=yes", "age:`smoker=at times`"));
  EXPECT_THAT(
      chosen({.features = {"smoker:region", "region"}}),
      ElementsAre("intercept", "region=s", "smoker=yes:region=s", "`smoker=at times`:region=s"));
  EXPECT_THAT(chosen({.target = "smoker=yes"}), ElementsAre("intercept", "age", "region=s", "y"))
      << "what is made of smoker says what smoker is";
  EXPECT_EQ(select(*source.release, {.features = {"age:region"}}).error().name, "E-refit-column");
  EXPECT_EQ(select(*source.release, {.features = {"age + smoker"}}).error().name,
            "E-term-category");
}

// A model without the category itself still reads it.
TEST_F(CategoryTerms, StandByThemselvesInAnotherModel) {
  const Json json = run();
  const RunRecord source = record_from_model_json(json, "model.json").value();
  const Selection some = select(*source.release, {.features = {"age", "age:smoker"}}).value();
  const Model again = refit(source, some, {.estimator = Estimator::kExact}).value();
  const ModelFile file = model_file_from_json(to_json(again), "again.json").value();
  EXPECT_EQ(file.schema.table_columns(false).size(), 2U) << "age and smoker";
  const std::string table = (folder_ / "new.csv").string();
  std::ofstream(table) << "smoker,age\nyes,30\nno,30\n";
  const auto predicted = predict(file, table, {}).value();
  double slope = 0;
  for (const auto& c : file.coefficients) {
    if (c.name == "age:smoker=yes") slope = c.value;
  }
  EXPECT_GT(slope, 0.1);
  EXPECT_NEAR(predicted.values[0] - predicted.values[1], 30 * slope, 1e-9);
  // As a part of a sum too.
  const ModelWords words{.features = {"age + 2*age:smoker=yes"}};
  const Release combined = combine_columns(*source.release, words).value();
  EXPECT_TRUE(select(combined, words).has_value());
}

}  // namespace
}  // namespace category_terms
}  // namespace sotto
