#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "base/json.h"
#include "run/input.h"
#include "run/kept_json.h"
#include "run/model.h"
#include "run/predict.h"
#include "run/refit/refit.h"
#include "run/simulate.h"
#include "support/temporary_folder.h"

// Terms, splines, weights, party effects and persons on the whole way: study, files, run, model
// file, predictions, other models.
namespace sotto {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kStudy = R"toml(
[study]
name   = "terms"
solver = "pairwise"
[privacy]
epsilon    = 1e6
delta      = 1e-6
unit       = "record"
neighbours = "add-remove"
person     = { column = "id", rows = 2 }
[graph]
topology = "complete"
parties  = 3
weight   = "metropolis"
[solve]
estimator = "exact"
[data]
target = { column = "y", bounds = [-40, 40] }
weight = { column = "w", bounds = [0, 2] }
party  = "effect"
[[data.column]]
column = "income"
bounds = [1, 100]
[[data.feature]]
column = "a"
bounds = [-2, 2]
[[data.feature]]
term = "log(income)"
[[data.feature]]
term = "a * income"
[[data.feature]]
column = "age"
bounds = [0, 100]
knots  = [40]
degree = 1
)toml";

class TermsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> uniform;
    for (int party = 0; party < 3; ++party) {
      std::string csv = "id,w,age,income,a,y\n";
      for (int r = 0; r < 800; ++r) {
        const double a = 4 * uniform(random) - 2;
        const double income = 1 + 99 * uniform(random);
        const double age = 100 * uniform(random);
        csv += fmt::format("{},{},{},{},{},{}\n", r / 4, 2 * uniform(random), age, income, a,
                           truth(party, a, income, age));
      }
      files_.push_back((folder_ / fmt::format("{}.csv", party)).string());
      std::ofstream(files_.back()) << csv;
    }
  }

  // 1 at 0, 4 at 40, −2 at 100, straight between them.
  static double curve(double age) { return age < 40 ? 1 + 3 * age / 40 : 4 - 6 * (age - 40) / 60; }
  static double truth(int party, double a, double income, double age) {
    return 2 * a + 1.5 * std::log(income) - 0.05 * a * income + curve(age) + 0.75 * party;
  }

  [[nodiscard]] Model run() const {
    const Study study = parse_study(kStudy, "study.toml").value();
    const PlannedStudy planned = plan_study(study, Solver::kPairwise).value();
    return simulate_tables(planned, read_tables(study, {.files = files_}).value(),
                           {.random_from = RandomFrom::kSeed, .seed = 7})
        .value();
  }

  const TemporaryFolder folder_;
  std::vector<std::string> files_;
};

TEST_F(TermsTest, AreFittedInTheirOwnUnits) {
  const Model model = run();
  std::vector<std::string> names;
  std::vector<double> values;
  for (const auto& c : model.record.coefficients) {
    names.push_back(c.name);
    values.push_back(c.value);
  }
  EXPECT_THAT(names, ElementsAre("intercept", "a", "log(income)", "a:income", "bs(age)1",
                                 "bs(age)2", "party=party-2", "party=party-3"));
  const std::vector<double> truth{1, 2, 1.5, -0.05, 3, -3, 0.75, 1.5};
  for (std::size_t k = 0; k < truth.size(); ++k) EXPECT_NEAR(values[k], truth[k], 0.02) << names[k];
  EXPECT_THAT(to_text(model), AllOf(HasSubstr("for one person (added or removed)"),
                                    HasSubstr("each counted as its w over 2, those of a person as "
                                              "at most 2"),
                                    HasSubstr("parties      differ with F = ")));
  EXPECT_LT(to_json(model)["parties_differ"]["p"].get<double>(), 1e-3);
}

TEST_F(TermsTest, ArePredictedFromTheModelFileForAPartyOrForTheMeanOfAll) {
  const auto json = parse_json(json_text(to_json(run())));
  const ModelFile model = model_file_from_json(json, "model.json").value();
  const std::string table = (folder_ / "new.csv").string();
  std::ofstream(table) << "a,income,age\n1,20,70\n-2,500,10\n,3,4\n";
  const auto of = [&](const std::string& party) {
    return predict(model, table, {.party = party}).value();
  };
  EXPECT_NEAR(of("party-1").values[0], truth(0, 1, 20, 70), 0.05);
  EXPECT_NEAR(of("party-3").values[0], truth(2, 1, 20, 70), 0.05);
  EXPECT_NEAR(of("").values[0], truth(1, 1, 20, 70), 0.05) << "the mean of three steps of 0.75";
  EXPECT_NEAR(of("party-2").values[1], truth(1, -2, 100, 10), 0.05) << "income is clipped to 100";
  EXPECT_EQ(of("").missing, 1U);
  ASSERT_EQ(of("").clipped.size(), 3U);
  EXPECT_EQ(of("").clipped[1].above, 1U);
  EXPECT_EQ(predict(model, table, {.party = "nobody"}).error().name, "E-predict-party");
}

TEST_F(TermsTest, AreFoundInTheReleaseByAnyWayOfWritingThem) {
  const auto json = parse_json(json_text(to_json(run())));
  const RunRecord source = record_from_model_json(json, "model.json").value();
  const auto chosen = [&](const ModelWords& words) {
    const Selection found = select(*source.release, words).value();
    std::vector<std::string> names{found.schema.target.column};
    for (const Eigen::Index k : found.columns) {
      names.push_back(source.release->columns()[static_cast<std::size_t>(k)]);
    }
    return names;
  };
  EXPECT_THAT(chosen({.features = {"log( income )", "a * income", "bs(age)"}}).size(), 6U);
  // What a is made into says what a is: it explains it only where somebody asks for that.
  EXPECT_THAT(chosen({.target = "a"}),
              ElementsAre("a", "intercept", "log(income)", "bs(age)1", "bs(age)2", "party=party-2",
                          "party=party-3", "y"));
  EXPECT_THAT(chosen({.target = "a", .features = {"a:income"}}),
              ElementsAre("a", "intercept", "a:income"));
  const Selection some = select(*source.release, {.features = {"log(income)", "bs(age)2"}}).value();
  const Model again = refit(source, some, {.estimator = Estimator::kExact}).value();
  const ModelFile file = model_file_from_json(to_json(again), "again.json").value();
  EXPECT_EQ(file.schema.table_columns(false).size(), 2U) << "income and age";
  EXPECT_EQ(select(*source.release, {.features = {"log(a)"}}).error().name, "E-refit-column");
}

TEST_F(TermsTest, KeepTheSameModelFileToTheBitByWayOfItsJson) {
  const Json json = to_json(run());
  std::string problem;
  const Schema back = schema_from(json["encoding"], "encoding", problem);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(schema_json(back), json["encoding"]);
  EXPECT_TRUE(back.validate().has_value());
  const auto complaint = [&](const char* pointer, const Json& value) {
    Json changed = json["encoding"];
    changed[Json::json_pointer(pointer)] = value;
    std::string wrong;
    const Schema read = schema_from(changed, "encoding", wrong);
    const auto valid = read.validate();
    return wrong.empty() && !valid ? valid.error().name : wrong;
  };
  EXPECT_THAT(complaint("/features/1/column", "log(other)"), HasSubstr("term"));
  EXPECT_THAT(complaint("/features/1/column", "log("), HasSubstr("term"));
  EXPECT_THAT(complaint("/features/1/bounds", {0, 1}), HasSubstr("E-schema-bounds"));
  EXPECT_THAT(complaint("/features/1/term/columns/0/bounds", {0, 100}), HasSubstr("E-term-domain"));
  EXPECT_THAT(complaint("/features/3/knots", {140}), HasSubstr("E-schema-knots"));
  EXPECT_THAT(complaint("/features/3/knots", "many"), HasSubstr("knots"));
  EXPECT_THAT(complaint("/features/3/degree", 7), HasSubstr("degree"));
  EXPECT_THAT(complaint("/person/rows", 0), HasSubstr("E-schema-person"));
  EXPECT_THAT(complaint("/weight/bounds", {-1, 2}), HasSubstr("E-schema-weight"));
}

// One file that is dealt out has the same sums as the files it is dealt into.
TEST_F(TermsTest, OfADealtFileAreThoseOfItsParts) {
  const Study study = parse_study(kStudy, "study.toml").value();
  std::string all;
  for (const std::string& file : files_) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    if (all.empty()) all = line + "\n";
    while (std::getline(in, line)) all += line + "\n";
  }
  const std::string one = (folder_ / "all.csv").string();
  std::ofstream(one) << all;
  const auto apart = read_tables(study, {.files = files_}).value();
  const auto dealt =
      read_tables(study, {.files = {one}, .split = TableSplit::Kind::kContiguous}).value();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(dealt[i].moments, apart[i].moments);
}

TEST_F(TermsTest, LeaveOutNeitherPartiesNorPersonsInWhatIsSaidOfThem) {
  const Study study = parse_study(kStudy, "study.toml").value();
  const PartyTable own = read_own_table(study, 1, files_[1]).value();
  std::vector<std::string> clipped;
  for (const auto& column : own.own.clipped) clipped.push_back(column.column);
  EXPECT_THAT(clipped, ElementsAre("a", "income", "age", "y"));
  EXPECT_TRUE(own.constant_columns.empty()) << "a party's own level is meant to be constant";
}

}  // namespace
}  // namespace sotto
