// Solvers from outside: registered before the first study, they are solvers like the four, and what
// they say of themselves is held against the noise that they asked for.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sotto/mechanism.h>
#include <sotto/plan.h>
#include <sotto/simulate.h>

#include <cmath>
#include <fstream>

#include "base/json.h"
#include "support/temporary_folder.h"

namespace sotto::v1 {
namespace {

using testing::HasSubstr;

// Noise of any law and scale, and any claim about it.
class Anything final : public Mechanism {
 public:
  explicit Anything(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string about() const override { return "everybody adds noise of any kind"; }
  [[nodiscard]] std::vector<MechanismKey> keys() const override {
    MechanismKey scale{.name = "scale", .about = "Of the noise.", .fallback = 2, .least = -1};
    MechanismKey bound{.name = "bound", .about = "Where it ends.", .fallback = 0, .least = 0};
    MechanismKey claim{.name = "claim", .about = "δ, if any.", .fallback = -1, .least = -1};
    MechanismKey epsilon{.name = "epsilon", .about = "ε, with it.", .fallback = 1, .least = 0};
    MechanismKey law{.name = "law", .about = "Of the noise.", .choices = {"laplace", "gaussian"}};
    return {scale, bound, claim, epsilon, law};
  }
  [[nodiscard]] Result<AddedNoise> calibrate(const MechanismTerms& terms) const override {
    AddedNoise noise = laplace_noise(terms.numbers.at("scale"));
    if (terms.words.at("law") == "gaussian") noise = gaussian_noise(noise.scale);
    if (const double bound = terms.numbers.at("bound"); bound > 0) noise.bound = bound;
    return noise;
  }
  [[nodiscard]] std::optional<ObserverClaim> claim(std::string_view /*observer*/,
                                                   const MechanismTerms& terms,
                                                   const AddedNoise& /*noise*/) const override {
    const double delta = terms.numbers.at("claim");
    if (delta < 0) return std::nullopt;
    return ObserverClaim{.delta_at_epsilon = delta,
                         .epsilon_at_delta = terms.numbers.at("epsilon")};
  }

 private:
  std::string name_;
};

class BadKey final : public Mechanism {
 public:
  [[nodiscard]] std::string name() const override { return "bad-key"; }
  [[nodiscard]] std::string about() const override { return "nothing"; }
  [[nodiscard]] std::vector<MechanismKey> keys() const override {
    return {{.name = "k", .about = "Out of its own range.", .fallback = 3, .least = 4, .most = 5}};
  }
  [[nodiscard]] Result<AddedNoise> calibrate(const MechanismTerms& /*terms*/) const override {
    return laplace_noise(1);
  }
};

// Before any study is read.
struct Registered {
  Result<Solver> anything = register_mechanism(std::make_unique<Anything>("anything"));
  Result<Solver> twice = register_mechanism(std::make_unique<Anything>("anything"));
  Result<Solver> section = register_mechanism(std::make_unique<Anything>("privacy"));
  Result<Solver> unreadable = register_mechanism(std::make_unique<Anything>("Any Thing"));
  Result<Solver> bad_key = register_mechanism(std::make_unique<BadKey>());
};
const Registered kRegistered;

Result<Study> entry_study(const std::string& keys) {
  return Study::parse(R"(
[study]
name   = "added"
solver = "anything"
[privacy]
epsilon   = 0.5
delta     = 1e-3
unit      = "entry"
mu        = 1.0
colluders = 1
[graph]
topology = "cycle"
parties  = 4
weight   = 0.3
[problem]
family = "paper"
m      = 2
seed   = 1
[anything]
)" + keys,
                      "added.toml");
}

TEST(AddedSolver, IsPlannedLikeTheFour) {
  ASSERT_TRUE(kRegistered.anything) << kRegistered.anything.error().to_string();
  EXPECT_EQ(name_of(*kRegistered.anything), "anything");
  const auto study = entry_study("");
  ASSERT_TRUE(study) << study.error().to_string();
  EXPECT_EQ(study->solver(), *kRegistered.anything);
  const auto plan = make_plan(*study);
  ASSERT_TRUE(plan) << plan.error().to_string();
  EXPECT_NEAR(plan->sum_noise_sd, std::sqrt(2.0 * 4) * 2, 1e-9);
  ASSERT_EQ(plan->observers.size(), 4U);
  // ε₀ = μ/b = 0.5: all of the budget, and nothing of δ.
  for (const Observer& observer : plan->observers) EXPECT_EQ(observer.delta_at_epsilon, 0);
  EXPECT_THAT(plan->text, HasSubstr("Laplace of scale 2 (sd 2.82843) at every party"));
  const Json json = parse_json(plan->json);
  EXPECT_EQ(json["solver"], "anything");
  EXPECT_EQ(json["noise"]["laplace_scale"], 2.0);
  EXPECT_EQ(json["adversaries"][0]["method"], "proof");
  // Beside another, from the same study.
  EXPECT_TRUE(make_plan(*study, Solver::kAc));
}

TEST(AddedSolver, IsSimulatedWithTheNoiseThatItAskedFor) {
  // Σθ has noise of 4·2b² in every entry: the mean squared error of the sums follows it.
  const auto errors = [](const std::string& keys) {
    const auto study = entry_study(keys);
    const auto made = simulate(*study, {.seed = 3, .trials = 200});
    EXPECT_TRUE(made) << made.error().to_string();
    return made->summary.at(0).median;
  };
  const double small = errors("scale = 0.002\n");
  const double larger = errors("scale = 0.02\n");
  const double gaussian = errors("scale = 0.028284\nlaw = \"gaussian\"\n");
  EXPECT_NEAR(larger / small, 100, 40);
  EXPECT_NEAR(gaussian / larger, 1, 0.5);
  const auto study = entry_study("");
  const auto one = simulate(*study, {.seed = 3, .trials = 5});
  const auto two = simulate(*study, {.seed = 3, .trials = 5, .threads = 1});
  EXPECT_EQ(one->json, two->json);
}

TEST(AddedSolver, IsHeldToItsNoise) {
  const auto error_of = [](const std::string& keys) {
    const auto study = entry_study(keys);
    if (!study) return study.error().name;
    const auto plan = make_plan(*study);
    return plan ? std::string("none") : plan.error().name;
  };
  EXPECT_EQ(error_of("scale = 0\n"), "E-mechanism-noise");
  EXPECT_EQ(error_of("scale = 1\nbound = 2\nlaw = \"gaussian\"\n"), "E-mechanism-noise");
  EXPECT_EQ(error_of("scales = 1\n"), "E-study-key");
  EXPECT_EQ(error_of("scale = -2\n"), "E-study-value");
  // One entry under noise of scale 1 has δ = 1 − e^{(0.5 − 1)/2} = 0.2212 at ε = 0.5.
  EXPECT_EQ(error_of("scale = 1\nclaim = 0.2\n"), "E-mechanism-claim");
  EXPECT_EQ(error_of("scale = 1\nclaim = 2\n"), "E-mechanism-claim");
  EXPECT_EQ(error_of("scale = 1\nclaim = 0.2213\n"), "none");
  // And δ = 1 − e^{(0.9 − 1)/2} = 0.0488 at ε = 0.9: more than the study's.
  EXPECT_EQ(error_of("scale = 1\nclaim = 0.2213\nepsilon = 0.9\n"), "E-mechanism-claim");
  const auto plan = make_plan(*entry_study("scale = 1\nclaim = 0.2213\n"));
  EXPECT_EQ(parse_json(plan->json)["adversaries"][1]["method"], "claim");
  EXPECT_EQ(plan->observers[1].delta_at_epsilon, 0.2213);
}

TEST(AddedSolver, OverTablesHasNoiseByTheLengthOfARow) {
  const std::string head = R"(
[study]
name   = "rows"
solver = "anything"
[privacy]
epsilon    = 1.0
delta      = 1e-6
unit       = "record"
neighbours = "add-remove"
[graph]
topology = "path"
parties  = 2
[data]
target = { column = "y", bounds = [0, 4] }
[[data.feature]]
column = "x"
bounds = [0, 2]
[anything]
)";
  const auto study = Study::parse(head + "scale = 3.674235\n", "rows.toml");
  ASSERT_TRUE(study) << study.error().to_string();
  const auto plan = make_plan(*study);
  ASSERT_TRUE(plan) << plan.error().to_string();
  // Six sums, Δ = 1.5: ε₀ = √6·1.5/b = 1, which is what δ = 0 takes.
  EXPECT_NEAR(plan->observers[0].epsilon_at_delta, 1, 1e-5);
  const TemporaryFolder folder;
  const std::string file = folder / "added.csv";
  std::ofstream csv(file);
  csv << "x,y\n";
  for (int row = 0; row < 20'000; ++row) {
    csv << row % 21 / 10.0 << ',' << 1 + row % 21 / 10.0 << '\n';
  }
  csv.close();
  const auto model = simulate_tables(*study, {file, file});
  ASSERT_TRUE(model) << model.error().to_string();
  EXPECT_NEAR(model->coefficients().at(1).value, 1, 0.2);
  // Cut off, sotto has no proof for a row.
  const auto cut = make_plan(*Study::parse(head + "bound = 20\n", "rows.toml"));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().name, "E-mechanism-row");
}

TEST(AddedSolver, IsRegisteredOnceUnderANameOfItsOwnAndBeforeTheFirstStudy) {
  EXPECT_EQ(kRegistered.twice.error().name, "E-mechanism-name");
  EXPECT_EQ(kRegistered.section.error().name, "E-mechanism-name");
  EXPECT_EQ(kRegistered.unreadable.error().name, "E-mechanism-name");
  EXPECT_EQ(kRegistered.bad_key.error().name, "E-mechanism-key");
  ASSERT_TRUE(entry_study(""));
  EXPECT_EQ(register_mechanism(std::make_unique<Anything>("later")).error().name,
            "E-mechanism-late");
}

}  // namespace
}  // namespace sotto::v1
