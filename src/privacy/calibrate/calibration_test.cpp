
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"
#include "graph/spectrum.h"
#include "privacy/budget.h"
#include "privacy/calibrate/dishuf.h"
#include "privacy/calibrate/pairwise.h"
#include "privacy/observe/adversary.h"
#include "support/exact_shifts.h"
#include "support/reference_rows.h"

namespace sotto {
namespace {

using ::testing::HasSubstr;

using reference::kOne;
using reference::kUsual;
using reference::shared_noise;

// Connected: a random tree and some more edges.
Graph random_graph(SeededRandom& random, std::size_t parties) {
  std::vector<Edge> edges;
  std::vector<std::vector<bool>> has(parties, std::vector<bool>(parties, false));
  const auto add = [&](std::size_t a, std::size_t b) {
    if (a == b || has[a][b]) return;
    has[a][b] = has[b][a] = true;
    edges.push_back({static_cast<PartyId>(std::min(a, b)), static_cast<PartyId>(std::max(a, b))});
  };
  for (std::size_t i = 1; i < parties; ++i) add(i, random.below(i));
  for (std::size_t k = random.below(2 * parties); k > 0; --k) {
    add(random.below(parties), random.below(parties));
  }
  return *Graph::make(parties, edges);
}

TEST(ShuffleCalibration, AgreesWithTheReference) {
  for (const auto& row : reference::kCalibrations) {
    const Graph graph = reference::graph(row.topology, row.parties);
    const auto noise =
        shared_noise(graph, *Sensitivity::make(row.mu), *Budget::make(row.epsilon, row.delta),
                     {.g = row.g, .multiplier_max = 1000}, 0);
    ASSERT_TRUE(noise) << noise.error().to_string();
    EXPECT_EQ(noise->inverse_zeta.get_d(), row.inverse_zeta);
    EXPECT_NEAR(noise->sigma_gamma.get_d() / row.sigma_gamma, 1, 1e-9);
    EXPECT_NEAR(noise->sigma_eta.get_d() / row.sigma_eta, 1, 1e-9)
        << to_string(row.topology) << row.parties;
    EXPECT_NEAR(spectrum(graph).lambda_2 / row.lambda_2, 1, 1e-9);
  }
}

// A formula that looks at s₂ alone is not enough. On two parties s₂ ≈ 1, where nothing is
// to hide, so it asks for no η; but the products may be twice as large, s ≈ 2.
TEST(ShuffleCalibration, TheLeftEndAloneLeavesTwoPartiesUnprotected) {
  const Graph pair = *Graph::path(2);
  const auto noise = shared_noise(pair, kOne, kUsual, {}, 0);
  ASSERT_TRUE(noise);
  const double kappa_bar = gaussian_shift(kUsual);
  const std::vector<double> highest = {1e6};
  EXPECT_LE(shuffle_shift(pair, *noise, kOne, highest), kappa_bar);

  ShuffleNoise left_end_only = *noise;
  left_end_only.sigma_eta = 0;  // (1−s₂)² ≈ 1e-12, far below σ_γ²: negative, so 0
  const std::vector<double> lowest = {5e5};
  EXPECT_LE(shuffle_shift(pair, left_end_only, kOne, lowest), kappa_bar);
  EXPECT_GT(shuffle_shift(pair, left_end_only, kOne, highest), 1.4 * kappa_bar);
}

TEST(ShuffleCalibration, HoldsForEveryDrawOfTheMultipliersOnRandomGraphs) {
  SeededRandom random(20240611);
  for (int trial = 0; trial < 60; ++trial) {
    const Graph graph = random_graph(random, 2 + random.below(12));
    const Budget budget = *Budget::make(0.1 * static_cast<double>(1 + random.below(80)), 1e-5);
    const double g = trial % 2 == 0 ? 0.001 : 0.3;
    const std::uint64_t a_bar = 2 + random.below(2000);
    const auto noise = shared_noise(graph, kOne, budget, {g, a_bar}, 0);
    ASSERT_TRUE(noise);
    const double bound = shuffle_shift_bound(graph, *noise, kOne);
    EXPECT_LE(bound, gaussian_shift(budget)) << "trial " << trial;
    const std::uint64_t least = multiplier_min(a_bar);
    for (int draw = 0; draw < 10; ++draw) {
      std::vector<double> products;
      for (std::size_t e = 0; e < graph.edges().size(); ++e) {
        const bool extreme = draw < 5;
        const std::uint64_t width = a_bar - least;
        const auto one = least + (extreme ? width * random.below(2) : random.below(width + 1));
        const auto two = extreme ? one : least + random.below(width + 1);
        products.push_back(static_cast<double>(one * two));
      }
      EXPECT_LE(shuffle_shift(graph, *noise, kOne, products), bound * (1 + 1e-10));
    }
  }
}

TEST(ShuffleCalibration, ScalesWithTheSensitivity) {
  const Graph ring = *Graph::cycle(7);
  const auto one = shared_noise(ring, kOne, kUsual, {}, 0);
  const auto ten = shared_noise(ring, *Sensitivity::make(10), kUsual, {}, 0);
  EXPECT_NEAR(Rational(ten->sigma_eta / one->sigma_eta).get_d(), 10, 1e-9);
  EXPECT_NEAR(Rational(ten->sigma_gamma / one->sigma_gamma).get_d(), 10, 1e-9);
}

TEST(ShuffleCalibration, MultiplierMinIsTheLeastWhoseSquareIsHalf) {
  EXPECT_EQ(multiplier_min(1000), 708u);
  EXPECT_EQ(multiplier_min(2), 2u);
  for (std::uint64_t a_bar = 2; a_bar < 3000; ++a_bar) {
    const std::uint64_t least = multiplier_min(a_bar);
    EXPECT_GE(2 * least * least, a_bar * a_bar);
    EXPECT_LT(2 * (least - 1) * (least - 1), a_bar * a_bar);
  }
  const std::uint64_t largest = multiplier_min(std::uint64_t{1} << 31);
  EXPECT_EQ(largest, 1518500250u);
}

// reference: 60-digit arithmetic
TEST(Lemma1, AgreesWithTheReference) {
  struct Row {
    std::size_t parties;
    std::uint64_t a_bar;
    double epsilon, delta, mu, g, sigma_gamma, log10_sigma_eta;
  };
  constexpr Row kRows[] = {
      {10, 1000, 10, 0.2, 3, 0.01, 0.24559808835689804833, 13.879212567753215725},
      {50, 1000, 10, 0.2, 3, 0.01, 0.10983480414200473339, 101.27391971753757758},
      {250, 1000, 10, 0.2, 3, 0.01, 0.049119617671379609666, 676.37645741614178391},
      {5, 10, 1, 1e-5, 1, 0.1, 1.8352281055811157559, 5.8563071359839013732}};
  for (const Row& row : kRows) {
    const auto noise = calibrate_lemma1(row.parties, *Sensitivity::make(row.mu),
                                        *Budget::make(row.epsilon, row.delta), {row.g, row.a_bar});
    ASSERT_TRUE(noise);
    EXPECT_NEAR(noise->sigma_gamma.get_d() / row.sigma_gamma, 1, 1e-9);
    EXPECT_NEAR(log10(noise->sigma_eta), row.log10_sigma_eta, 1e-9);
    EXPECT_EQ(noise->inverse_zeta, Integer(row.parties) * row.a_bar * row.a_bar + 1);
  }
}

TEST(Lemma1, KeepsItsPromiseWhereNoDoubleHoldsItsNoise) {
  const Budget budget = *Budget::make(10, 0.2);
  const Sensitivity three = *Sensitivity::make(3);
  for (const std::size_t parties : {10u, 50u, 250u}) {
    const Graph ring = *Graph::cycle(parties);
    const auto noise = calibrate_lemma1(parties, three, budget, {.g = 0.01});
    ASSERT_TRUE(noise);
    const double bound = shuffle_shift_bound(ring, *noise, three);
    EXPECT_TRUE(std::isfinite(bound));
    EXPECT_LE(bound, gaussian_shift(budget));
    const std::vector<double> products(parties, 5e5);
    EXPECT_LE(shuffle_shift(ring, *noise, three, products), bound * (1 + 1e-12));
    const PartyId curious[] = {0};
    const double seen = shuffle_coalition_shift(ring, *noise, three, products, curious).shift;
    EXPECT_TRUE(seen > bound && seen <= 3 / noise->sigma_gamma.get_d());
  }
}

// σ_γ·√n·κ̄ ≥ (1+g)μ, squared and in fractions, with what κ̄ itself may be off.
TEST(Lemma1, RoundsTowardsMoreNoiseByMoreThanKappaIsOff) {
  for (const std::size_t parties : {3u, 10u, 250u}) {
    const auto noise = calibrate_lemma1(parties, kOne, kUsual, {.g = 0.125});
    ASSERT_TRUE(noise);
    const Rational asked = Rational(1.125) * (1 + power_of_two(-41));
    const Rational made = noise->sigma_gamma * Rational(gaussian_shift(kUsual));
    EXPECT_GE(Rational(made * made * parties), Rational(asked * asked)) << parties;
  }
}

TEST(Lemma1, RunsForTheLargestNetwork) {
  const auto noise = calibrate_lemma1(kMaxNamedParties, kOne, kUsual, {});
  ASSERT_TRUE(noise);
  EXPECT_GT(log10(noise->sigma_eta), 40'000);
}

TEST(PairwiseCalibration, AgreesWithTheReference) {
  for (const auto& row : reference::kCalibrations) {
    const auto noise =
        calibrate_pairwise(reference::graph(row.topology, row.parties), *Sensitivity::make(row.mu),
                           *Budget::make(row.epsilon, row.delta), row.g, 0);
    ASSERT_TRUE(noise);
    EXPECT_NEAR(noise->sigma_gamma / row.sigma_gamma, 1, 1e-9);
    EXPECT_NEAR(noise->sigma_edge / row.sigma_edge, 1, 1e-9);
  }
}

TEST(Calibration, RefusesAGThatIsNotFiniteAndPositive) {
  const Graph ring = *Graph::cycle(5);
  for (const double g : {0.0, -0.1, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_EQ(calibrate_shuffle(ring, kOne, kUsual, {.g = g}, 0).error().name, "E-g");
    EXPECT_EQ(calibrate_lemma1(5, kOne, kUsual, {.g = g}).error().name, "E-g");
    EXPECT_EQ(calibrate_pairwise(ring, kOne, kUsual, g, 0).error().name, "E-g");
  }
}

TEST(Calibration, RefusesMultipliersOutOfRange) {
  const Graph ring = *Graph::cycle(5);
  for (const std::uint64_t a_bar :
       {std::uint64_t{0}, std::uint64_t{1}, (std::uint64_t{1} << 31) + 1}) {
    EXPECT_EQ(
        calibrate_shuffle(ring, kOne, kUsual, {0.1, a_bar, ShuffleMasks::kShared}, 0).error().name,
        "E-a-bar");
    EXPECT_EQ(calibrate_lemma1(5, kOne, kUsual, {0.1, a_bar}).error().name, "E-a-bar");
  }
}

TEST(Calibration, RefusesAGraphInPieces) {
  const Graph pieces = *Graph::make(4, {{0, 1}, {2, 3}});
  EXPECT_EQ(
      calibrate_shuffle(pieces, kOne, kUsual, {.masks = ShuffleMasks::kShared}, 0).error().name,
      "E-graph-disconnected");
  EXPECT_EQ(calibrate_pairwise(pieces, kOne, kUsual, 0.1, 0).error().name, "E-graph-disconnected");
}

TEST(Colluders, CannotBeAllButOneParty) {
  const Graph ring = *Graph::complete(4);
  const Error error = calibrate_pairwise(ring, kOne, kUsual, 0.1, 3).error();
  EXPECT_EQ(error.name, "E-colluders");
  EXPECT_THAT(error.fix, HasSubstr("2"));
  EXPECT_TRUE(calibrate_pairwise(ring, kOne, kUsual, 0.1, 2));
}

TEST(Colluders, WhoCouldCutTheGraphAreRefusedByName) {
  const Graph star = *Graph::star(5);
  for (const Error& error :
       {calibrate_pairwise(star, kOne, kUsual, 0.1, 1).error(),
        calibrate_shuffle(star, kOne, kUsual, {.masks = ShuffleMasks::kShared}, 1).error()}) {
    EXPECT_EQ(error.name, "E-colluders-cut");
    EXPECT_EQ(error.status, Status::kRefused);
    EXPECT_THAT(error.what, HasSubstr("party 1"));
  }
  EXPECT_EQ(calibrate_pairwise(*Graph::cycle(10), kOne, kUsual, 0.1, 2).error().name,
            "E-colluders-cut");
}

TEST(Colluders, CostThePairwiseSumLittleAndTheShuffleMuch) {
  const Graph graph = Graph::petersen();
  const double alone = calibrate_pairwise(graph, kOne, kUsual, 0.001, 0)->sigma_gamma;
  EXPECT_NEAR(calibrate_pairwise(graph, kOne, kUsual, 0.001, 1)->sigma_gamma / alone,
              std::sqrt(10.0 / 9), 1e-9);
  EXPECT_NEAR(shared_noise(graph, kOne, kUsual, {}, 1)->sigma_gamma.get_d() / alone,
              std::sqrt(10.0), 1e-9);
}

TEST(Colluders, CostTheShuffleOnACycleAFactorThatDoesNotGrowWithTheNetwork) {
  for (const std::size_t parties : {10u, 100u, 1000u}) {
    const Graph ring = *Graph::cycle(parties);
    const double alone = shared_noise(ring, kOne, kUsual, {}, 0)->sigma_gamma.get_d();
    const double guarded = shared_noise(ring, kOne, kUsual, {}, 1)->sigma_gamma.get_d();
    EXPECT_GT(guarded / alone, 2.0);
    EXPECT_LT(guarded / alone, 2.4);
  }
}

TEST(Colluders, AreNamedTooManyWhereTheyCannotBeLookedAt) {
  const Graph big = *Graph::random_regular(200, 6, 1);
  const auto noise = calibrate_pairwise(big, kOne, kUsual, 0.1, 3);
  ASSERT_FALSE(noise);
  EXPECT_EQ(noise.error().name, "E-colluders-many");
  // On a complete graph they need not be.
  EXPECT_TRUE(calibrate_pairwise(*Graph::complete(60), kOne, kUsual, 0.1, 20));
}

}  // namespace
}  // namespace sotto
