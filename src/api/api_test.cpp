// The public headers alone: what a program that links sotto can do, and that it is told the same
// as a user of the command line.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sotto/join.h>
#include <sotto/ledger.h>
#include <sotto/model.h>
#include <sotto/paper.h>
#include <sotto/plan.h>
#include <sotto/simulate.h>
#include <sotto/study.h>
#include <sotto/table.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "base/json.h"
#include "support/temporary_folder.h"

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
  // y = 1 + x, without noise of its own.
  std::string table(const std::string& name) {
    std::ofstream file(folder_ / name);
    file << "x,y\n";
    for (int row = 0; row < 5000; ++row)
      file << row % 21 / 10.0 << ',' << 1 + row % 21 / 10.0 << '\n';
    return (folder_ / name).string();
  }

  // The same rows, never written anywhere.
  static Table rows_in_memory() {
    std::vector<double> x;
    std::vector<double> y;
    for (int row = 0; row < 5000; ++row) {
      x.push_back(row % 21 / 10.0);
      y.push_back(1 + row % 21 / 10.0);
    }
    return Table("the rows")
        .add_numbers("y", y)
        .add_numbers("x", x)
        .add_texts("unused", std::vector<std::optional<std::string>>(5000));
  }

  const TemporaryFolder folder_;
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
  ASSERT_EQ(one->trials.size(), 2U);
  EXPECT_EQ(one->trials[1].solver, Solver::kDishuf);
  EXPECT_EQ(one->trials[1].squared_errors.size(), 4U);
  EXPECT_EQ(one->trials[1].x.size(), 8U);
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

TEST_F(PublicLibrary, SetsKeysOfAStudyAsTheProgramDoes) {
  const auto study = Study::parse(kPaper, "paper.toml");
  const auto other = study->with({{"privacy.epsilon", "5.0"}, {"graph.parties", "7"}});
  ASSERT_TRUE(other) << other.error().to_string();
  EXPECT_EQ(make_plan(*other)->epsilon, 5);
  EXPECT_EQ(other->parties(), 7U);
  EXPECT_EQ(other->party_names().back(), "party-7");
  EXPECT_EQ(study->text(), kPaper);
  EXPECT_EQ(Study::parse(other->text(), "again")->hash(), other->hash());
  EXPECT_EQ(study->with({{"privacy.epsilon", "-1.0"}}).error().status, Status::kBadInput);
}

TEST_F(PublicLibrary, EndsASimulationThatIsNoLongerWanted) {
  const auto study = Study::parse(kPaper, "paper.toml");
  struct Enough {};
  SimulateOptions options{.trials = 10000,
                          .progress = [](std::size_t, std::size_t) { throw Enough(); }};
  EXPECT_THROW(static_cast<void>(simulate(*study, options)), Enough);
}

TEST_F(PublicLibrary, SweepsSettings) {
  const auto study = Study::parse(kPaper, "paper.toml");
  const auto points = sweep(*study, {.settings = {{"privacy.epsilon", {"1.0", "10.0"}}}},
                            {.solvers = {Solver::kAc}, .seed = 3, .trials = 2});
  ASSERT_TRUE(points) << points.error().to_string();
  EXPECT_EQ(parse_json(*points)["points"].size(), 2U);
  EXPECT_EQ(sweep(*study, {.settings = {{"epsilon", {"1"}}}}).error().name, "E-study-key");
}

TEST_F(PublicLibrary, FitsTablesInMemoryAsItFitsFiles) {
  const auto study = Study::parse(kTables, "line.toml");
  const auto model = simulate_tables(*study, std::vector{rows_in_memory(), rows_in_memory()});
  ASSERT_TRUE(model) << model.error().to_string();
  EXPECT_NEAR(model->coefficients()[1].value, 1, 0.3);
  EXPECT_EQ(model->columns(), std::vector<std::string>{"x"});
  const auto missing = std::numeric_limits<double>::quiet_NaN();
  const auto predicted = model->predict(Table().add_numbers("x", {0.5, missing, 1.5}), 0.9);
  ASSERT_TRUE(predicted) << predicted.error().to_string();
  std::ofstream(folder_ / "new.csv") << "x\n0.5\n\"\"\n1.5\n";
  const auto of_file = model->predict((folder_ / "new.csv").string(), 0.9);
  EXPECT_EQ(predicted->values[0], of_file->values[0]);
  EXPECT_EQ(predicted->intervals[2].row, of_file->intervals[2].row);
  EXPECT_TRUE(std::isnan(predicted->values[1]));
  EXPECT_EQ(predicted->missing, 1U);
}

TEST_F(PublicLibrary, SaysWhatIsWrongWithATableInMemory) {
  const auto study = Study::parse(kTables, "line.toml");
  const auto error = [&](const Table& table) {
    return simulate_tables(*study, std::vector{rows_in_memory(), table}).error();
  };
  EXPECT_EQ(error(Table().add_numbers("x", {1.0}).add_numbers("y", {1.0, 2.0})).name,
            "E-table-rows");
  EXPECT_EQ(error(Table().add_numbers("x", {1.0})).name, "E-csv-header");
  const Error infinite =
      error(Table("mine").add_numbers("x", {1.0, HUGE_VAL}).add_numbers("y", {1.0, 2.0}));
  EXPECT_EQ(infinite.name, "E-csv-number");
  EXPECT_THAT(infinite.where, HasSubstr("mine"));
  EXPECT_THAT(infinite.where, HasSubstr("row 2"));
  EXPECT_EQ(simulate_tables(*study, std::vector<Table>{}).error().name, "E-data-files");
}

TEST_F(PublicLibrary, AnAccountPaysForEachReleaseAndRefusesTheOneThatIsTooMany) {
  const auto study = Study::parse(kTables, "line.toml");
  const auto account = Account::in_memory(1.5, 1e-5);
  ASSERT_TRUE(account) << account.error().to_string();
  const std::vector tables{rows_in_memory(), rows_in_memory()};
  EXPECT_EQ(account->balance()->spent_epsilon, 0);
  ASSERT_TRUE(simulate_tables(*study, tables, *account));
  const auto once = account->balance();
  EXPECT_EQ(once->releases, 1U);
  EXPECT_GT(once->spent_epsilon, 0.5);
  EXPECT_LT(once->left_epsilon.value(), 1.5);
  // A table that cannot be read costs nothing.
  EXPECT_FALSE(simulate_tables(*study, {rows_in_memory(), Table()}, *account));
  EXPECT_EQ(account->balance()->spent_epsilon, once->spent_epsilon);
  std::size_t released = 1;
  for (; released < 10 && simulate_tables(*study, tables, *account); ++released) {
  }
  EXPECT_LT(released, 10U);
  const auto refused = simulate_tables(*study, tables, *account);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().name, "E-ledger-overdrawn");
  EXPECT_EQ(refused.error().status, Status::kRefused);
  EXPECT_EQ(account->balance()->releases, released);
  EXPECT_LE(account->balance()->spent_epsilon, 1.5 * (1 + 1e-9));
}

TEST_F(PublicLibrary, AnAccountInAHomeIsTheLedgersOwn) {
  const std::string home = (folder_ / "home").string();
  EXPECT_EQ(Account::open(home, "people").error().name, "E-home-missing");
  ASSERT_TRUE(Account::create(home, "people", 10, 1e-5));
  EXPECT_EQ(Account::create(home, "people", 10, 1e-5).error().name, "E-account-exists");
  EXPECT_EQ(Account::open(home, "others").error().name, "E-account-unknown");
  const auto study = Study::parse(kTables, "line.toml");
  const std::vector tables{rows_in_memory(), rows_in_memory()};
  ASSERT_TRUE(simulate_tables(*study, tables, *Account::open(home, "people")));
  const auto ledger = read_ledger(home);
  ASSERT_TRUE(ledger) << ledger.error().to_string();
  const Json read = parse_json(*ledger);
  ASSERT_EQ(read["entries"].size(), 1U);
  EXPECT_EQ(read["entries"][0]["state"], "spent");
  EXPECT_EQ(read["accounts"][0], parse_json(Account::open(home, "people")->balance()->json));
}

TEST_F(PublicLibrary, JoinsNoStudyThatIsForNoNetwork) {
  const auto study = Study::parse(kTables, "line.toml");
  EXPECT_EQ(join(*study, {.as = "party-1"}).error().name, "E-network-fingerprint");
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
