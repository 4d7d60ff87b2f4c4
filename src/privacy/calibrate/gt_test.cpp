#include "privacy/calibrate/gt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <string>

#include "moments/quadratic.h"
#include "privacy/budget.h"
#include "privacy/observe/adversary.h"
#include "privacy/seal.h"

namespace sotto {
namespace {

using testing::HasSubstr;

// The paper's case study: ε = 10, δ = 0.2, μ = 3.
Budget paper_budget() {
  return *Budget::make(10, 0.2);
}
Sensitivity paper_mu() {
  return *Sensitivity::make(3);
}

std::vector<Adversary> paper_table(const GradientNoise& noise, std::size_t colluders) {
  return *adversary_table(*Graph::cycle(10), noise, paper_mu(), paper_budget(), colluders);
}

// docs/FINDINGS.md, 1. reference: 60-digit arithmetic.
TEST(GradientNoise, RefusesThePapersTruncationAndNamesWhatWouldDo) {
  const auto noise = calibrate_gradient(paper_mu(), paper_budget(), 3.1);
  ASSERT_FALSE(noise.has_value());
  EXPECT_EQ(noise.error().name, "E-gt-truncation");
  EXPECT_EQ(noise.error().status, Status::kRefused);
  EXPECT_THAT(noise.error().what, HasSubstr("0.358261"));
  EXPECT_THAT(noise.error().fix, HasSubstr("3.274879"));
  EXPECT_THAT(noise.error().fix, HasSubstr("0.358261"));
}

TEST(GradientNoise, ShowsWhatThePapersTruncationIsWorth) {
  const auto noise = gradient_noise(paper_mu(), paper_budget(), 3.1);
  ASSERT_TRUE(noise.has_value());
  EXPECT_NEAR(noise->laplace.delta(), 0.35826104445188712, 1e-13);
  EXPECT_NEAR(noise->laplace.variance(), 0.17962686335733866, 1e-13);
  for (const Adversary& seen : paper_table(*noise, 2)) {
    EXPECT_NEAR(seen.delta_at_epsilon, 0.35826104445188712, 1e-12) << observer_name(seen);
    EXPECT_TRUE(std::isinf(seen.epsilon_at_delta)) << observer_name(seen);
    EXPECT_NEAR(gaussian_delta(10, seen.shift), seen.delta_at_epsilon, 1e-12)
        << observer_name(seen);
  }
}

TEST(GradientNoise, TakesTheSmallestTruncationThatHasTheDelta) {
  const auto noise = calibrate_gradient(paper_mu(), paper_budget(), std::nullopt);
  ASSERT_TRUE(noise.has_value());
  EXPECT_NEAR(noise->laplace.truncation(), 3.2748790474635850, 1e-10);
  EXPECT_LE(noise->laplace.delta(), 0.2);
  EXPECT_GT(noise->laplace.delta(), 0.2 * (1 - 1e-9));
  EXPECT_NEAR(noise->sigma_eta, 3 / 3.9013745483174363, 1e-10);
  EXPECT_TRUE(calibrate_gradient(paper_mu(), paper_budget(), 3.274880).has_value());
  EXPECT_FALSE(calibrate_gradient(paper_mu(), paper_budget(), 3.274878).has_value());
}

TEST(GradientNoise, RefusesACutBelowTheSensitivity) {
  EXPECT_FALSE(gradient_noise(paper_mu(), paper_budget(), 2.9).has_value());
}

TEST(GradientNoise, ProtectsEveryPartyAlikeWhoeverWatches) {
  const auto noise = calibrate_gradient(paper_mu(), paper_budget(), std::nullopt);
  const auto table = paper_table(*noise, 3);
  std::vector<std::string> names;
  for (const Adversary& seen : table) {
    names.push_back(observer_name(seen));
    EXPECT_LE(seen.delta_at_epsilon, 0.2);
    EXPECT_GT(seen.delta_at_epsilon, 0.2 * (1 - 1e-9));
    EXPECT_LE(seen.epsilon_at_delta, 10);
    EXPECT_GT(seen.epsilon_at_delta, 10 * (1 - 1e-6));
  }
  EXPECT_THAT(names,
              testing::ElementsAre("eavesdropper", "neighbour", "colluders-3", "all-neighbours"));
}

// --- Theorem 1(ii): docs/FINDINGS.md, 2 ---

// Every draw at the bound's lower end.
class Lowest final : public NoiseSource {
 public:
  Integer gaussian(const Integer& /*sigma*/) override { return 0; }
  Integer laplace(const Rational& /*scale*/) override { return 0; }
  Integer truncated_laplace(const Rational& /*scale*/, const Integer& bound) override {
    return -bound;
  }
  Integer uniform(const Integer& low, const Integer& /*high*/) override { return low; }
};

TEST(Convexity, ThePapersConditionAllowsADrawThatIsNotConvex) {
  constexpr std::size_t kParties = 4;
  const auto noise = calibrate_gradient(paper_mu(), paper_budget(), std::nullopt);
  const double lambda = noise->on_grid.largest() / 0.45;  // so that d = √4·γ̄/λ = 0.9
  EXPECT_NEAR(convexity_margin(*noise, kParties, 1, lambda, Convexity::kPaper), 0.9, 1e-12);
  EXPECT_TRUE(require_convexity(*noise, kParties, 1, lambda, Convexity::kPaper).has_value());

  // ΣA_i = λ over four parties, each with the lowest noise it can draw: A + Ω = −0.8λ.
  Lowest lowest;
  double total = 0;
  for (std::size_t i = 0; i < kParties; ++i) {
    const Secret secret = Secret::of_entries(std::vector<double>{lambda / kParties, 0}, paper_mu());
    total += perturb_cost(secret, 1, noise->on_grid, noise->sigma_eta, lowest).g(0, 0);
  }
  EXPECT_NEAR(total / lambda, -0.8, 1e-9);

  const auto certain = require_convexity(*noise, kParties, 1, lambda, Convexity::kCertain);
  ASSERT_FALSE(certain.has_value());
  EXPECT_EQ(certain.error().name, "E-gt-convexity");
  EXPECT_EQ(certain.error().status, Status::kRefused);
  EXPECT_THAT(certain.error().fix, HasSubstr("at most 2 parties"));
  EXPECT_GT(nonconvex_probability(*noise, kParties, 1, lambda), 0);
}

TEST(Convexity, IsCertainExactlyBelowOneShareOfLambda) {
  const auto noise = calibrate_gradient(paper_mu(), paper_budget(), std::nullopt);
  const double enough = 10 * 3 * noise->on_grid.largest();  // n·m·γ̄
  EXPECT_TRUE(require_convexity(*noise, 10, 3, enough * 1.0001, Convexity::kCertain).has_value());
  EXPECT_FALSE(require_convexity(*noise, 10, 3, enough, Convexity::kCertain).has_value());
  EXPECT_EQ(nonconvex_probability(*noise, 10, 3, enough * 1.0001), 0);
  const double paper = enough / std::sqrt(10.0);
  EXPECT_TRUE(require_convexity(*noise, 10, 3, paper * 1.0001, Convexity::kPaper).has_value());
  EXPECT_FALSE(require_convexity(*noise, 10, 3, paper * 0.9999, Convexity::kPaper).has_value());
}

TEST(Convexity, TheStatedNumbersOfPartiesAndTruncationsDo) {
  const auto noise = calibrate_gradient(paper_mu(), paper_budget(), std::nullopt);
  const double lambda = 55;
  for (const Convexity promise : {Convexity::kCertain, Convexity::kPaper}) {
    std::size_t most = 1;
    while (convexity_margin(*noise, most + 1, 3, lambda, promise) < 1) ++most;
    const auto refused = require_convexity(*noise, 1000, 3, lambda, promise);
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(refused.error().fix, HasSubstr("at most " + std::to_string(most) + " parties"));
  }
}

// λ_min(Ω) of many draws, from the law itself and not from its bound.
std::vector<double> drawn_eigenvalues(const GradientNoise& noise, std::size_t parties,
                                      std::size_t dimension, std::size_t draws) {
  const Secret nothing =
      Secret::of_entries(std::vector<double>(theta_size(dimension), 0.0), paper_mu());
  const auto source = fast_noise(11, 0);
  std::vector<double> result;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const auto m = static_cast<Eigen::Index>(dimension);
    Eigen::MatrixXd total = Eigen::MatrixXd::Zero(m, m);
    for (std::size_t i = 0; i < parties; ++i) {
      total += perturb_cost(nothing, dimension, noise.on_grid, noise.sigma_eta, *source).g;
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(total, Eigen::EigenvaluesOnly);
    result.push_back(solver.eigenvalues()[0]);
  }
  return result;
}

TEST(Convexity, TheProbabilityOfABadDrawIsAnUpperBoundThatMeansSomething) {
  const auto noise = calibrate_gradient(paper_mu(), paper_budget(), std::nullopt);
  const std::vector<double> drawn = drawn_eigenvalues(*noise, 10, 2, 2000);
  const auto frequency = [&](double lambda) {
    return static_cast<double>(
               std::ranges::count_if(drawn, [&](double value) { return value <= -lambda; })) /
           static_cast<double>(drawn.size());
  };
  for (const double lambda : {0.5, 1.5, 2.5, 4.0, 6.0, 10.0}) {
    EXPECT_GE(nonconvex_probability(*noise, 10, 2, lambda), frequency(lambda)) << lambda;
  }
  EXPECT_GT(frequency(1.5), 0.2);  // such draws are no theory
  EXPECT_LT(nonconvex_probability(*noise, 10, 2, 16), 0.1);
  // reference: m·exp(−(λ²/2)/(n·m·σ² + m·γ̄·λ/3)) by hand, σ² = 0.17979…, γ̄ = 3.27488
  const double variance = 10 * 2 * noise->laplace.variance();
  EXPECT_NEAR(nonconvex_probability(*noise, 10, 2, 6),
              2 * std::exp(-18 / (variance + 2 * 3.2748790474635850 * 2)), 1e-9);
}

// --- Theorem 1(iii) ---

TEST(Theorem1, BoundIsTheFormula) {
  const auto noise = calibrate_gradient(paper_mu(), paper_budget(), std::nullopt);
  const double lambda = 200;
  const double sigma_a = noise->laplace.variance();
  const double sigma_b = noise->sigma_eta * noise->sigma_eta;
  const double d = 10 * 3 * 3.2748790474635850 / 200;
  const double expected =
      (2 * 10 * 9 * sigma_a * 1.0 + 2 * 10 * 3 * sigma_b) / ((1 - d) * (1 - d) * lambda * lambda);
  const double bound = theorem1_bound(*noise, 10, 3, lambda, 1.0, Convexity::kCertain);
  EXPECT_NEAR(bound / expected, 1, 1e-9);
  EXPECT_LT(theorem1_bound(*noise, 10, 3, lambda, 1.0, Convexity::kPaper), bound);
}

TEST(Theorem1, SaysNothingWhereTheConditionFails) {
  const auto noise = calibrate_gradient(paper_mu(), paper_budget(), std::nullopt);
  EXPECT_TRUE(std::isinf(theorem1_bound(*noise, 100, 3, 200, 1.0, Convexity::kCertain)));
  EXPECT_FALSE(std::isinf(theorem1_bound(*noise, 100, 3, 200, 1.0, Convexity::kPaper)));
}

// A number that a sentence names.
double number_after(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  EXPECT_NE(at, std::string::npos) << text;
  return at == std::string::npos ? 0 : std::stod(text.substr(at + words.size()));
}

TEST(GradientNoise, ThatNoTruncationKeepsConvexNamesWhatWould) {
  constexpr std::size_t kParties = 10;
  constexpr std::size_t kDimension = 3;
  const auto kept = [&](double epsilon, double delta, double lambda_min, Convexity promise) {
    return require_some_truncation(paper_mu(), *Budget::make(epsilon, delta), kParties, kDimension,
                                   lambda_min, promise);
  };
  // n·m·γ̄ < λ: 30·3.2748… = 98.25 for the paper's budget, √n·m·γ̄ a third of it.
  EXPECT_TRUE(kept(10, 0.2, 98.3, Convexity::kCertain).has_value());
  EXPECT_TRUE(kept(10, 0.2, 31.1, Convexity::kPaper).has_value());
  EXPECT_FALSE(kept(10, 0.2, 31.0, Convexity::kPaper).has_value());
  // With 95 the largest truncation is 3.17: more than μ, so that more ε or δ would do as well.
  const auto refused = kept(10, 0.2, 95, Convexity::kCertain);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().name, "E-gt-convexity");
  EXPECT_EQ(refused.error().status, Status::kRefused);
  EXPECT_THAT(refused.error().what, HasSubstr("no truncation does"));
  EXPECT_THAT(refused.error().fix, HasSubstr("guarantee = \"paper\""));
  const double lambda_min = number_after(refused.error().fix, "lambda_min above ");
  EXPECT_TRUE(kept(10, 0.2, lambda_min * 1.001, Convexity::kCertain).has_value());
  EXPECT_FALSE(kept(10, 0.2, lambda_min * 0.999, Convexity::kCertain).has_value());
  const double epsilon = number_after(refused.error().fix, "ε = ");
  EXPECT_TRUE(kept(epsilon * 1.005, 0.2, 95, Convexity::kCertain).has_value());
  EXPECT_FALSE(kept(epsilon * 0.98, 0.2, 95, Convexity::kCertain).has_value());
  const double delta = number_after(refused.error().fix, "δ = ");
  EXPECT_TRUE(kept(10, delta * 1.005, 95, Convexity::kCertain).has_value());
  EXPECT_FALSE(kept(10, delta * 0.98, 95, Convexity::kCertain).has_value());
  // At most μ: no ε and no δ does.
  const auto hopeless = kept(10, 0.2, 80, Convexity::kCertain);
  ASSERT_FALSE(hopeless.has_value());
  EXPECT_THAT(hopeless.error().fix, testing::Not(HasSubstr("δ = ")));
}

}  // namespace
}  // namespace sotto
