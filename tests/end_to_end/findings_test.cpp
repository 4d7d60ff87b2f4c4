// What docs/FINDINGS.md says of the paper, one test per finding: each would fail
// if the finding were false. What was found beyond it: findings_beyond_test.cpp.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "moments/moments.h"
#include "moments/quadratic.h"
#include "paillier/cipher.h"
#include "privacy/budget.h"
#include "privacy/observe/adversary.h"
#include "privacy/seal.h"
#include "protocol/gt.h"
#include "protocol/sealing.h"
#include "simulate/simulation.h"
#include "solve/estimators.h"
#include "study/study.h"
#include "support/exact_shifts.h"
#include "support/memory_source.h"

namespace sotto {
namespace {

// The paper's case study: ε = 10, δ = 0.2, μ = 3, g = 0.01 on a cycle.
const Budget kPaper = *Budget::make(10, 0.2);
const Sensitivity kThree = *Sensitivity::make(3);
constexpr ShuffleParameters kShuffle{
    .g = 0.01, .multiplier_max = 1000, .masks = ShuffleMasks::kShared};

// 1. Beyond the formula: 0.358 is how often the noise shows which of two values it was
// added to, because no noise could have led from the other one to the same result.
TEST(Findings, ThePapersTruncationShowsOneValueInThreeForCertain) {
  const auto noise = *gradient_noise(kThree, kPaper, 3.1);
  EXPECT_NEAR(noise.laplace.delta(), 0.35826104445188712, 1e-12);  // reference: 60 digits
  EXPECT_NEAR(truncation_needed(kPaper, kThree), 3.2748790474635850, 1e-9);

  const auto draw = fast_noise(1, 0);
  int certain = 0;
  constexpr int kDraws = 20'000;
  for (int k = 0; k < kDraws; ++k) {
    const Integer drawn = draw->truncated_laplace(noise.on_grid.scale, noise.on_grid.bound);
    if (drawn < noise.on_grid.shift - noise.on_grid.bound) ++certain;
  }
  EXPECT_NEAR(static_cast<double>(certain) / kDraws, 0.358, 0.014);  // four standard errors

  const auto asked = calibrate_gradient(kThree, kPaper, 3.1);
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().name, "E-gt-truncation");
  EXPECT_EQ(asked.error().status, Status::kRefused);
  EXPECT_TRUE(calibrate_gradient(kThree, kPaper, 3.274879048));
}

// The most unfavourable draw that the truncation allows.
class LowestNoise final : public NoiseSource {
 public:
  [[nodiscard]] Integer gaussian(const Integer&) override { return 0; }
  [[nodiscard]] Integer laplace(const Rational&) override { return 0; }
  [[nodiscard]] Integer truncated_laplace(const Rational&, const Integer& bound) override {
    return -bound;
  }
  [[nodiscard]] Integer uniform(const Integer& low, const Integer&) override { return low; }
};

// 2. m = 1, n = 4, λ = 1, d = 0.9: γ̄ = dλ/(√n·m) = 0.45, and A + Ω = 1 − 4·0.45 = −0.8.
TEST(Findings, NoiseWithinTheoremOnesConditionCanTurnTheObjectiveUpsideDown) {
  const Sensitivity mu = *Sensitivity::make(0.4);
  const auto noise = *gradient_noise(mu, *Budget::make(1, 0.45), 0.45);
  EXPECT_NEAR(convexity_margin(noise, 4, 1, 1, Convexity::kPaper), 0.9, 1e-9);
  EXPECT_TRUE(require_convexity(noise, 4, 1, 1, Convexity::kPaper));
  const Secret quarter = Secret::of_entries(std::vector<double>{0.25, 0}, mu);
  const auto perturbed = [&](NoiseSource& source) {
    std::vector<Eigen::MatrixXd> g;
    for (int i = 0; i < 4; ++i) {
      g.push_back(perturb_cost(quarter, 1, noise.on_grid, noise.sigma_eta, source).g);
    }
    return g;
  };
  const auto total = [](const std::vector<Eigen::MatrixXd>& g) {
    return g[0](0, 0) + g[1](0, 0) + g[2](0, 0) + g[3](0, 0);
  };
  LowestNoise lowest;
  const auto worst = perturbed(lowest);
  EXPECT_NEAR(total(worst), -0.8, 1e-9);
  const Weights weights = *Weights::uniform(*Graph::cycle(4), 0.3);
  EXPECT_EQ(GradientRate(weights, worst).largest_stable_step(), 0);  // no β* > 0

  // Not only in principle: about 1 draw in 90, and below the bound that sotto states.
  int negative = 0;
  for (std::uint64_t trial = 0; trial < 5000; ++trial) {
    const auto source = fast_noise(2, trial);
    if (total(perturbed(*source)) < 0) ++negative;
  }
  EXPECT_GT(negative, 25);
  EXPECT_LT(negative / 5000.0, nonconvex_probability(noise, 4, 1, 1));

  // Certain is γ̄ < λ/(n·m), and 0.45 is not below 0.25.
  EXPECT_EQ(require_convexity(noise, 4, 1, 1, Convexity::kCertain).error().name, "E-gt-convexity");
  const auto smaller = *gradient_noise(*Sensitivity::make(0.2), kPaper, 0.249);
  EXPECT_TRUE(require_convexity(smaller, 4, 1, 1, Convexity::kCertain));
}

// Lemma 1 as it is printed, "σ_η = …", for any n that doubles can hold.
struct Printed {
  double alpha = 0;
  double right_side = 0;
};
Printed printed_lemma1(double n, double a_bar, double mu, double g, double kappa_bar) {
  const double alpha = std::pow(1 - std::pow(2 * (n + 1 / (a_bar * a_bar)), -(n - 1)), 1 / (n - 1));
  const double square = (1 + g) * (1 + g);
  const double bracket =
      square * mu * mu / (square - 1) - square * mu * mu / (n * (n - 1) * alpha * alpha);
  const double front =
      (n - 1) * alpha * alpha / ((1 - alpha) * (1 - alpha) * kappa_bar * kappa_bar);
  return {.alpha = alpha, .right_side = front * bracket};
}

// 3. Only a variance has the right dimension, spends the budget exactly, and means the
// same in every unit.
TEST(Findings, LemmaOnePrintsAVarianceWhereItSaysSigma) {
  const double kappa_bar = gaussian_shift(kPaper);
  const Printed printed = printed_lemma1(3, 1000, 3, 0.01, kappa_bar);
  const auto noise = *calibrate_lemma1(3, kThree, kPaper, kShuffle);
  const double eta = noise.sigma_eta.get_d();
  EXPECT_NEAR(eta * eta / printed.right_side, 1, 1e-9);

  const auto tenfold = *calibrate_lemma1(3, *Sensitivity::make(30), kPaper, kShuffle);
  EXPECT_NEAR(tenfold.sigma_gamma.get_d() / noise.sigma_gamma.get_d(), 10, 1e-9);
  EXPECT_NEAR(tenfold.sigma_eta.get_d() / eta, 10, 1e-9);
  EXPECT_NEAR(printed_lemma1(3, 1000, 30, 0.01, kappa_bar).right_side / printed.right_side, 100,
              1e-9);

  // What the lemma bounds: μ²[1/(nσ_γ²) + (n−1)α²/(σ_γ² + σ_η²(1−α)²)], against κ̄².
  const double gamma2 = noise.sigma_gamma.get_d() * noise.sigma_gamma.get_d();
  const auto spent = [&](double eta2) {
    const double pull = (1 - printed.alpha) * (1 - printed.alpha);
    return 9 * (1 / (3 * gamma2) + 2 * printed.alpha * printed.alpha / (gamma2 + eta2 * pull));
  };
  EXPECT_NEAR(spent(printed.right_side) / (kappa_bar * kappa_bar), 1, 1e-9);
  EXPECT_LT(spent(printed.right_side * printed.right_side) / (kappa_bar * kappa_bar), 0.981);

  // In a unit ten million times larger the printed number, taken as σ_η, is too little noise.
  const Graph ring = *Graph::cycle(3);
  const std::vector<double> lowest(3, 5e5);
  const Sensitivity small = *Sensitivity::make(3e-7);
  auto in_other_unit = *calibrate_lemma1(3, small, kPaper, kShuffle);
  EXPECT_LE(shuffle_shift(ring, in_other_unit, small, lowest), kappa_bar);
  in_other_unit.sigma_eta = Rational(printed_lemma1(3, 1000, 3e-7, 0.01, kappa_bar).right_side);
  EXPECT_GT(shuffle_shift(ring, in_other_unit, small, lowest), 1.15 * kappa_bar);
}

// The shuffle in doubles, without γ: how far Σy_i(0) is from Σθ_i, which it should equal.
double loss_in_doubles(std::size_t parties, const Rational& sigma_eta, double inverse_zeta) {
  const Graph ring = *Graph::cycle(parties);
  SeededRandom random(4);
  std::vector<double> masked;
  double truth = 0;
  for (PartyId i = 0; i < parties; ++i) {
    const double theta = 0.1 * static_cast<double>(i + 1);
    const Integer drawn = fast_noise(4, i)->gaussian(ceiling(sigma_eta * power_of_two(40)));
    masked.push_back(theta + nearest_double(Rational(drawn) * power_of_two(-40)));
    truth += theta;
  }
  std::vector<double> y;
  for (PartyId i = 0; i < parties; ++i) y.push_back(0.1 * static_cast<double>(i + 1));
  for (const Edge edge : ring.edges()) {
    const auto product = static_cast<double>((708 + random.below(293)) * (708 + random.below(293)));
    y[edge.a] += product * (masked[edge.b] - masked[edge.a]) / inverse_zeta;
    y[edge.b] += product * (masked[edge.a] - masked[edge.b]) / inverse_zeta;
  }
  return std::abs(std::accumulate(y.begin(), y.end(), 0.0) - truth);
}

// 4. σ_η = 10^13.88, 10^101.3, 10^676.4: integers bear it, doubles do not.
TEST(Findings, LemmaOnesNoiseDestroysTheAverageInDoublesAndLeavesItExactInIntegers) {
  struct Case {
    std::size_t parties;
    double log10_eta;    // reference: 60-digit arithmetic
    double loss;         // at least, in doubles
    double graph_aware;  // the σ_η that the graph's spectrum asks for, at most
  };
  for (const Case& c :
       {Case{10, 13.879212567753216, 1e-4, 49.2}, Case{50, 101.27391971753758, 1e80, 1370},
        Case{250, 676.37645741614178, std::numeric_limits<double>::infinity(), 34616}}) {
    auto noise = *calibrate_lemma1(c.parties, kThree, kPaper, kShuffle);
    EXPECT_NEAR(log10(noise.sigma_eta), c.log10_eta, 1e-9);
    const double loss = loss_in_doubles(c.parties, noise.sigma_eta, noise.inverse_zeta.get_d());
    EXPECT_FALSE(loss < c.loss) << loss;  // infinite or not a number, too
    EXPECT_EQ(nearest_double(noise.sigma_eta) + 0.005, nearest_double(noise.sigma_eta));

    noise.sigma_gamma = 0;  // so that Σy_i(0) must be Σθ_i, to the last bit
    const Weights weights = *Weights::uniform(*Graph::cycle(c.parties), 0.3);
    const AveragingSetup setup{.weights = weights,
                               .consensus = *plan_consensus(ConsensusMethod::kExact, 1e-9, weights),
                               .noise = noise};
    std::vector<Secret> secrets;
    double truth = 0;
    for (std::size_t i = 0; i < c.parties; ++i) {
      const double theta = static_cast<double>(i) + 0.125;
      secrets.push_back(Secret::of_entries(std::vector<double>{theta}, kThree));
      truth += theta;
    }
    EXPECT_EQ((*simulate_averaging(setup, secrets, {})).at(0, 0)[0], truth);
    // At the same (ε, δ) and the same accuracy:
    const auto ours = *calibrate_shuffle(weights.graph(), kThree, kPaper, kShuffle, 0);
    EXPECT_LT(ours.sigma_eta.get_d(), c.graph_aware);
    EXPECT_LT(loss_in_doubles(c.parties, ours.sigma_eta, ours.inverse_zeta.get_d()), 1e-8);
  }
}

// 5. Lemma 1(iii), and the sentence after it, hold for one entry: a vector has p of them.
TEST(Findings, TheMeanSquareErrorOfTheSumIsPTimesWhatTheLemmaStates) {
  const Weights weights = *Weights::uniform(*Graph::cycle(5), 0.3);
  const AveragingSetup setup{
      .weights = weights,
      .consensus = *plan_consensus(ConsensusMethod::kExact, 1e-9, weights),
      .noise = *calibrate_shuffle(weights.graph(), kThree, kPaper, kShuffle, 0)};
  const std::size_t p = theta_size(3);
  const std::vector<Secret> secrets(5, Secret::of_entries(std::vector<double>(p, 1.0), kThree));
  constexpr std::size_t kTrials = 1000;
  SimulationOptions options;
  options.seed = 5;
  options.trials = kTrials;
  const auto sums = *simulate_averaging(setup, secrets, options);
  double squared = 0;
  for (std::size_t t = 0; t < kTrials; ++t) {
    for (const double entry : sums.at(t, 0)) squared += (entry - 5) * (entry - 5);
  }
  const double stated = std::pow(1.01 * 3 / gaussian_shift(kPaper), 2);
  EXPECT_NEAR(squared / kTrials / stated, 9, 0.5);
}

// 6. Two releases are one that moves by √2 times as much; a singular Â needs none.
TEST(Findings, RunningAgainSpendsTheBudgetTwiceAndIsNeverNeeded) {
  const double twice = std::sqrt(2.0) * gaussian_shift(kPaper);
  EXPECT_NEAR(gaussian_delta(10, twice), 0.774563, 1e-6);
  EXPECT_NEAR(gaussian_epsilon(twice, 0.2), 18.9406, 1e-4);
  const double usual = std::sqrt(2.0) * gaussian_shift(1, 1e-6);
  EXPECT_NEAR(gaussian_delta(1, usual), 2.17921e-4, 1e-9);  // 218 times the 10⁻⁶ asked for

  // The observer need only average: what he has then is noised by σ/√2.
  const double sigma = gaussian_sigma(kThree, kPaper);
  const Secret secret = Secret::of_entries(std::vector<double>(4000, 7.0), kThree);
  const auto noise = fast_noise(6, 0);
  const auto first = release_locally(secret, sigma, *noise).values();
  const auto second = release_locally(secret, sigma, *noise).values();
  double squared = 0;
  for (std::size_t k = 0; k < first.size(); ++k) {
    squared += std::pow((first[k] + second[k]) / 2 - 7, 2) / 4000;
  }
  EXPECT_NEAR(squared / (sigma * sigma), 0.5, 0.05);

  const Eigen::Vector2d b(3, 4);
  const NoisySums singular{
      .a = Eigen::MatrixXd::Ones(2, 2), .b = b, .sigma_a = 0.1, .sigma_b = 0.1};
  for (const Estimator way :
       {Estimator::kExact, Estimator::kNoiseAware, Estimator::kPsdRidge, Estimator::kAdassp}) {
    const auto found = estimate(way, singular);
    ASSERT_TRUE(found) << to_string(way);
    EXPECT_TRUE(found->theta.allFinite()) << to_string(way);
  }
  EXPECT_LT((estimate(Estimator::kExact, singular)->theta - Eigen::Vector2d(1.75, 1.75)).norm(),
            1e-12);
}

// 7. The curious party keeps every rule: it offers E(−T̄₀), decrypts the reply
// a(T̄₁ − T̄₀) as it must, and takes the greatest common divisor.
bool neighbour_finds_the_masked_value(std::uint64_t draw, std::size_t entries) {
  const Graph ring = *Graph::cycle(3);
  const auto parameters = privacy::shared_noise(ring, kThree, kPaper, kShuffle, 0);
  const Secret theirs = Secret::of_entries(std::vector<double>(entries, 1.5), kThree);
  const Secret own = Secret::of_entries(std::vector<double>(entries, -2.5), kThree);
  SeededRandom keys(draw, 1);
  const auto their_noise = fast_noise(draw, 2);
  const auto own_noise = fast_noise(draw, 3);
  const auto victim =
      make_sealing(parameters, {1, ring, theirs, *their_noise, keys, &ideal_cipher()});

  const ShuffleSeal seal(own, parameters, 1, *own_noise);
  const auto key = ideal_cipher().generate(keys);
  IntegerVector negated = seal.masked(0);
  for (Integer& entry : negated) entry = -entry;
  const ShuffleOffer offer{key->encryption_key().serialised(),
                           key->encryption_key().encrypt(negated, keys)};
  const auto answer = *victim->receive({0, 1, offer});
  const auto plain = *key->decrypt(std::get<ShuffleReply>(answer[0].payload).scaled);

  Integer multiplier = 0;
  for (const Integer& entry : plain) multiplier = gcd(multiplier, entry);
  IntegerVector found;
  for (std::size_t k = 0; k < entries; ++k) {
    found.push_back(plain[k] / multiplier + seal.masked(0)[k]);
  }
  // The victim's own T̄, from the same draws.
  const auto again = fast_noise(draw, 2);
  return found == ShuffleSeal(theirs, parameters, 1, *again).masked(0);
}

TEST(Findings, OneCuriousNeighbourReadsTheMaskedValueFromAGreatestCommonDivisor) {
  constexpr int kDraws = 500;
  int with_nine = 0;
  int with_two = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    with_nine += neighbour_finds_the_masked_value(static_cast<std::uint64_t>(draw), 9) ? 1 : 0;
    with_two += neighbour_finds_the_masked_value(static_cast<std::uint64_t>(draw), 2) ? 1 : 0;
  }
  EXPECT_GE(with_nine, kDraws * 99 / 100);                           // 1/ζ(9) = 0.998
  EXPECT_NEAR(static_cast<double>(with_two) / kDraws, 0.608, 0.09);  // 1/ζ(2) = 6/π²
}

// 8. μ-adjacent data differ in one entry; with or without a person they differ in all.
TEST(Findings, ARowMovesEveryEntryAndFartherThanOneEntrysMu) {
  const auto number = [](const char* name) { return NumericFeature{name, {-1, 1}}; };
  const Schema wide{.target = {"y", {-1, 1}}, .features = {number("u"), number("v")}};
  const std::vector<std::vector<double>> person = {{1, -1, 1}};
  const Moments moved = moments_from_rows(person, wide)->moments;
  ASSERT_EQ(moved.sums.size(), 10U);
  EXPECT_TRUE(std::ranges::none_of(moved.sums, [](const Integer& sum) { return sum == 0; }));

  // The row (1; 1): no entry moves by more than 1, and φ by √(1 + w² + v²),
  // √3 for w = v = 1.
  const Schema narrow{.target = {"y", {-1, 1}}, .features = {}};
  const std::vector<std::vector<double>> corner = {{1}};
  const Moments sums = moments_from_rows(corner, narrow)->moments;
  const auto weights = entry_weights(1, true, ball_shares({1, 1}));
  double squared = 0;
  for (std::size_t k = 0; k < sums.sums.size(); ++k) {
    const double entry = moments_grid().value(sums.sums[k]);
    EXPECT_LE(std::abs(entry), 1);
    squared += std::pow(weights[k] * entry, 2);
  }
  EXPECT_DOUBLE_EQ(std::sqrt(squared), *record_sensitivity(Neighbours::kAddRemove, {1, 1}));
  EXPECT_DOUBLE_EQ(squared, 3);
  // With what a study releases, v = 1/2: 1.5.
  EXPECT_EQ(row_sensitivity(narrow, Neighbours::kAddRemove, SolveTerms{}).value(), 1.5);

  // Noise for μ = 1 at (1, 10⁻⁶) has δ = 0.0016 for that person, or needs ε = 1.81.
  const Budget usual = *Budget::make(1, 1e-6);
  const double shift = std::sqrt(squared) / gaussian_sigma(*Sensitivity::make(1), usual);
  EXPECT_NEAR(gaussian_delta(1, shift), 1.60521e-3, 1e-8);
  EXPECT_NEAR(gaussian_epsilon(shift, 1e-6), 1.81378, 1e-5);
}

}  // namespace
}  // namespace sotto
