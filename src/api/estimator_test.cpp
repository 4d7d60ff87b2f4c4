// Estimators from outside: registered before the first study, they are estimators like the others,
// and see what everybody may see.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sotto/estimator.h>
#include <sotto/mechanism.h>
#include <sotto/model.h>
#include <sotto/plan.h>
#include <sotto/simulate.h>
#include <sotto/table.h>

#include <cmath>

#include "base/json.h"

namespace sotto::v1 {
namespace {

using testing::HasSubstr;

// θ_i = gain·b̂_i/Â_ii, which is the solution where Â is diagonal; or what nobody should answer.
class Diagonal final : public Estimator {
 public:
  explicit Diagonal(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string about() const override { return "It looks at the diagonal alone."; }
  [[nodiscard]] std::vector<AddedKey> keys() const override {
    AddedKey gain{.name = "gain", .about = "What answers are multiplied with.", .most = 9};
    AddedKey answer{.name = "answer",
                    .about = "What it does.",
                    .choices = {"right", "short", "infinite", "none", "noise"}};
    return {gain, answer};
  }
  [[nodiscard]] Result<EstimatorAnswer> estimate(const EstimatorSums& sums) const override {
    const std::string& answer = sums.words.at("answer");
    if (answer == "none")
      return Error{.name = "E-mine", .what = "no idea", .where = {}, .fix = "ask again"};
    EstimatorAnswer found;
    for (std::size_t i = 0; i < sums.size; ++i) {
      found.theta.push_back(answer == "noise" ? sums.sd_a.at(i * sums.size + i) + sums.sd_b.at(i)
                                              : sums.numbers.at("gain") * sums.b.at(i) /
                                                    sums.a.at(i * sums.size + i));
    }
    if (answer == "short") found.theta.pop_back();
    if (answer == "infinite") found.theta[0] = INFINITY;
    found.warnings = {"It looked at the diagonal alone."};
    return found;
  }

 private:
  std::string name_;
};

class WithoutAbout final : public Estimator {
 public:
  [[nodiscard]] std::string name() const override { return "without-about"; }
  [[nodiscard]] std::string about() const override { return ""; }
  [[nodiscard]] std::vector<AddedKey> keys() const override { return {{.name = "key"}}; }
  [[nodiscard]] Result<EstimatorAnswer> estimate(const EstimatorSums& /*sums*/) const override {
    return EstimatorAnswer{};
  }
};

class NamedAsAnEstimator final : public Mechanism {
 public:
  [[nodiscard]] std::string name() const override { return "diagonal"; }
  [[nodiscard]] std::string about() const override { return "nothing"; }
  [[nodiscard]] Result<AddedNoise> calibrate(const MechanismTerms& /*terms*/) const override {
    return laplace_noise(1);
  }
};

// Before any study is read.
struct RegisteredEstimators {
  Result<void> diagonal = register_estimator(std::make_unique<Diagonal>("diagonal"));
  Result<void> twice = register_estimator(std::make_unique<Diagonal>("diagonal"));
  Result<void> built_in = register_estimator(std::make_unique<Diagonal>("exact"));
  Result<void> section = register_estimator(std::make_unique<Diagonal>("privacy"));
  Result<void> solver = register_estimator(std::make_unique<Diagonal>("dishuf"));
  Result<void> unreadable = register_estimator(std::make_unique<Diagonal>("Dia Gonal"));
  Result<void> bad_key = register_estimator(std::make_unique<WithoutAbout>());
  Result<Solver> as_solver = register_mechanism(std::make_unique<NamedAsAnEstimator>());
};
const RegisteredEstimators kEstimators;

std::string costs_study(const std::string& estimator, const std::string& keys = "") {
  return R"(
[study]
name   = "estimated"
solver = "ac"
[privacy]
epsilon = 10.0
delta   = 0.2
unit    = "entry"
mu      = 1e-6
[graph]
topology = "cycle"
parties  = 4
[solve]
estimator = ")" +
         estimator + R"("
[problem]
family = "paper"
m      = 1
seed   = 1
)" + keys;
}

double first_answer(const std::string& estimator, const std::string& keys = "") {
  const auto study = Study::parse(costs_study(estimator, keys), "estimated.toml");
  EXPECT_TRUE(study) << study.error().to_string();
  const auto made = simulate(*study, {.seed = 3});
  EXPECT_TRUE(made) << made.error().to_string();
  return made ? made->trials.at(0).x.at(0) : NAN;
}

std::string estimator_error(const std::string& keys) {
  const auto study = Study::parse(costs_study("diagonal", keys), "estimated.toml");
  if (!study) return study.error().name;
  const auto made = simulate(*study, {.seed = 3});
  return made ? "" : made.error().name;
}

TEST(AddedEstimator, IsNamedByStudiesAndSolvesTheirSums) {
  ASSERT_TRUE(kEstimators.diagonal) << kEstimators.diagonal.error().to_string();
  // One column: a diagonal is all there is.
  EXPECT_DOUBLE_EQ(first_answer("diagonal"), first_answer("exact"));
  EXPECT_DOUBLE_EQ(first_answer("diagonal", "[diagonal]\ngain = 2\n"),
                   2 * first_answer("diagonal"));
}

TEST(AddedEstimator, IsToldHowNoisyEveryEntryIs) {
  // ac: every party's σ, √4 times as much on the sum, the same for A and B.
  const auto study = Study::parse(costs_study("diagonal"), "estimated.toml");
  const double sd = make_plan(*study)->sum_noise_sd;
  EXPECT_DOUBLE_EQ(first_answer("diagonal", "[diagonal]\nanswer = \"noise\"\n"), 2 * sd);
}

TEST(AddedEstimator, IsHeldToAnAnswer) {
  EXPECT_EQ(estimator_error("[diagonal]\nanswer = \"short\"\n"), "E-estimator-answer");
  EXPECT_EQ(estimator_error("[diagonal]\nanswer = \"infinite\"\n"), "E-estimator-answer");
  EXPECT_EQ(estimator_error("[diagonal]\nanswer = \"none\"\n"), "E-mine");
  EXPECT_EQ(estimator_error("[diagonal]\nanswer = \"wrong\"\n"), "E-study-value");
  EXPECT_EQ(estimator_error("[diagonal]\ngain = 10\n"), "E-study-value");
  EXPECT_EQ(estimator_error("[diagonal]\ngains = 1\n"), "E-study-key");
}

TEST(AddedEstimator, HasANameOfItsOwnAndComesBeforeTheFirstStudy) {
  for (const auto* refused : {&kEstimators.twice, &kEstimators.built_in, &kEstimators.section,
                              &kEstimators.solver, &kEstimators.unreadable}) {
    ASSERT_FALSE(*refused);
    EXPECT_EQ(refused->error().name, "E-estimator-name");
  }
  EXPECT_EQ(kEstimators.bad_key.error().name, "E-estimator-key");
  EXPECT_EQ(kEstimators.as_solver.error().name, "E-mechanism-name");
  (void)first_answer("exact");
  const auto late = register_estimator(std::make_unique<Diagonal>("late"));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().name, "E-estimator-late");
}

TEST(AddedEstimator, FitsTablesAndIsKeptWithItsSettings) {
  const std::string text = R"(
[study]
name   = "table"
solver = "ac"
[privacy]
epsilon    = 100.0
delta      = 1e-6
unit       = "record"
neighbours = "add-remove"
[graph]
topology = "path"
parties  = 2
[data]
target = { column = "y", bounds = [0, 1] }
[[data.feature]]
column = "x"
bounds = [0, 1]
[solve]
estimator = "diagonal"
[diagonal]
gain = 3
)";
  const auto study = Study::parse(text, "table.toml");
  ASSERT_TRUE(study) << study.error().to_string();
  std::vector<double> x;
  std::vector<double> y;
  for (int k = 0; k < 400; ++k) {
    x.push_back(k % 20 / 20.0);
    y.push_back(x.back() / 2);
  }
  const auto table = [&] {
    Table made;
    made.add_numbers("x", x);
    made.add_numbers("y", y);
    return made;
  };
  const auto model = simulate_tables(*study, {table(), table()});
  ASSERT_TRUE(model) << model.error().to_string();
  const Json json = parse_json(model->json());
  EXPECT_EQ(json["estimator"], "diagonal");
  EXPECT_EQ(json["estimator_settings"]["gain"], 3.0);
  EXPECT_EQ(json["estimator_settings"]["answer"], "right");
  EXPECT_THAT(json["warnings"].dump(), HasSubstr("looked at the diagonal alone"));
  // Its own columns again, by the settings that the file keeps.
  const auto again = model->refit({});
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(parse_json(again->json())["coefficients"], json["coefficients"]);
}

}  // namespace
}  // namespace sotto::v1
