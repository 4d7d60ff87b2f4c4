#include "privacy/observe/adversary.h"

#include <gmock/gmock.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/decompositions.h"
#include "base/random.h"
#include "privacy/budget.h"
#include "privacy/calibrate/dishuf.h"
#include "privacy/calibrate/pairwise.h"
#include "privacy/observe/coalition.h"
#include "support/exact_shifts.h"
#include "support/reference_rows.h"

namespace sotto {
namespace {

using reference::kOne;
using reference::kUsual;
using reference::row_of;
using reference::shared_noise;

const Budget kPaper = *Budget::make(10, 0.2);
const Sensitivity kThree = *Sensitivity::make(3);

std::vector<PartyId> members(const reference::Coalition& row) {
  if (row.second == 0) return {0};
  return {0, row.second};
}

// From first principles: everything the coalition sees is linear in independent
// Gaussians; √(vᵀC⁻¹v) on the rows it sees, by least squares over all noises.
// Sources: η_h and γ_h of the honest h. Seen: y_h for all h, the victim's only if it released, and
// T̄_b for b ∈ B.
double shift_from_first_principles(const Graph& graph, double sigma_gamma, double sigma_eta,
                                   double zeta, const std::vector<double>& products,
                                   const std::vector<PartyId>& coalition, PartyId victim,
                                   bool released = true) {
  const auto n = static_cast<Eigen::Index>(graph.size());
  Eigen::MatrixXd laplace = Eigen::MatrixXd::Zero(n, n);
  std::vector<bool> curious(graph.size(), false);
  for (const PartyId c : coalition) curious[c] = true;
  std::vector<bool> boundary(graph.size(), false);
  for (std::size_t e = 0; e < products.size(); ++e) {
    const Edge edge = graph.edges()[e];
    laplace(edge.a, edge.a) += products[e];
    laplace(edge.b, edge.b) += products[e];
    laplace(edge.a, edge.b) -= products[e];
    laplace(edge.b, edge.a) -= products[e];
    if (curious[edge.a]) boundary[edge.b] = true;
    if (curious[edge.b]) boundary[edge.a] = true;
  }
  std::vector<Eigen::Index> honest;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!curious[static_cast<std::size_t>(i)]) honest.push_back(i);
  }
  const auto h = static_cast<Eigen::Index>(honest.size());
  std::vector<Eigen::RowVectorXd> seen;  // over (η_1 … η_h, γ_1 … γ_h)
  std::vector<double> moved;
  for (Eigen::Index r = 0; r < h; ++r) {
    const bool own = honest[r] == static_cast<Eigen::Index>(victim);
    if (own && !released) continue;
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(2 * h);
    for (Eigen::Index c = 0; c < h; ++c) row(c) = -zeta * laplace(honest[r], honest[c]) * sigma_eta;
    row(h + r) = sigma_gamma;
    seen.push_back(row);
    moved.push_back((own ? 1.0 : 0.0) - zeta * laplace(honest[r], victim));
  }
  for (Eigen::Index r = 0; r < h; ++r) {
    if (!boundary[static_cast<std::size_t>(honest[r])]) continue;
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(2 * h);
    row(r) = sigma_eta;
    seen.push_back(row);
    moved.push_back(honest[r] == static_cast<Eigen::Index>(victim) ? 1 : 0);
  }
  Eigen::MatrixXd a(static_cast<Eigen::Index>(seen.size()), 2 * h);
  Eigen::VectorXd v(a.rows());
  for (Eigen::Index r = 0; r < a.rows(); ++r) {
    a.row(r) = seen[static_cast<std::size_t>(r)];
    v(r) = moved[static_cast<std::size_t>(r)];
  }
  const Eigen::MatrixXd covariance = a * a.transpose();
  return std::sqrt(v.dot(covariance.fullPivLu().solve(v)));
}

Graph random_dense_graph(SeededRandom& random, std::size_t parties) {
  std::vector<Edge> edges;
  for (PartyId i = 1; i < parties; ++i) edges.push_back({static_cast<PartyId>(random.below(i)), i});
  for (PartyId a = 0; a < parties; ++a) {
    for (PartyId b = a + 1; b < parties; ++b) {
      const bool there = std::find(edges.begin(), edges.end(), Edge{a, b}) != edges.end();
      if (!there && random.below(4) == 0) edges.push_back({a, b});
    }
  }
  return *Graph::make(parties, edges);
}

std::vector<double> random_products(SeededRandom& random, const Graph& graph) {
  std::vector<double> products;
  for (std::size_t e = 0; e < graph.edges().size(); ++e) {
    products.push_back(5e5 + static_cast<double>(random.below(500'001)));
  }
  return products;
}

TEST(Eavesdropper, SeesTheShiftsOfTheReference) {
  for (const auto& row : reference::kCalibrations) {
    const Graph graph = reference::graph(row.topology, row.parties);
    const Sensitivity mu = *Sensitivity::make(row.mu);
    const Budget budget = *Budget::make(row.epsilon, row.delta);
    const auto noise = shared_noise(graph, mu, budget, {.g = row.g}, 0);
    const std::vector<double> low(graph.edges().size(), 5e5);
    const std::vector<double> high(graph.edges().size(), 1e6);
    const double at_low = shuffle_shift(graph, *noise, mu, low);
    const double at_high = shuffle_shift(graph, *noise, mu, high);
    EXPECT_NEAR(at_low / row.shift_low, 1, 1e-9) << to_string(row.topology) << row.parties;
    EXPECT_NEAR(at_high / row.shift_high, 1, 1e-9) << to_string(row.topology) << row.parties;
    EXPECT_NEAR(gaussian_delta(row.epsilon, at_low) / row.delta_low, 1, 1e-7);
    EXPECT_NEAR(gaussian_delta(row.epsilon, at_high) / row.delta_high, 1, 1e-7);
  }
}

TEST(Coalition, SeesTheShiftsOfTheReference) {
  for (const auto& row : reference::kCoalitions) {
    const Graph graph = reference::graph(row.topology, row.parties);
    const Sensitivity mu = *Sensitivity::make(row.mu);
    const Budget budget = *Budget::make(row.epsilon, row.delta);
    const std::vector<double> products(graph.edges().size(), 1e6);
    const auto shuffle = shared_noise(graph, mu, budget, {.g = row.g}, 0);
    const auto pairwise = calibrate_pairwise(graph, mu, budget, row.g, 0);
    EXPECT_NEAR(shuffle_coalition_shift(graph, *shuffle, mu, products, members(row)).shift /
                    row.shuffle_shift,
                1, 1e-9)
        << to_string(row.topology) << row.parties << " " << row.second;
    EXPECT_NEAR(
        pairwise_coalition_shift(graph, *pairwise, mu, members(row)).shift / row.pairwise_shift, 1,
        1e-9)
        << to_string(row.topology) << row.parties << " " << row.second;
  }
}

TEST(Coalition, SeesWhatTheJointGaussianOfItsViewSays) {
  SeededRandom random(7);
  for (int trial = 0; trial < 40; ++trial) {
    const Graph graph = random_dense_graph(random, 3 + random.below(7));
    const std::vector<double> products = random_products(random, graph);
    ShuffleNoise noise{.sigma_gamma = Rational(3, 4),
                       .sigma_eta = Rational(static_cast<long>(1 + random.below(40)), 2),
                       .inverse_zeta = Integer(graph.max_degree()) * 1'000'000 + 1,
                       .multiplier_max = 1000,
                       .masks = ShuffleMasks::kShared};
    std::vector<PartyId> coalition = {static_cast<PartyId>(random.below(graph.size()))};
    if (trial % 2 == 1) {
      const auto other = static_cast<PartyId>((coalition[0] + 1) % graph.size());
      coalition.push_back(other);
    }
    double worst = 0;
    for (PartyId victim = 0; victim < graph.size(); ++victim) {
      if (std::find(coalition.begin(), coalition.end(), victim) != coalition.end()) continue;
      worst = std::max(worst, shift_from_first_principles(
                                  graph, noise.sigma_gamma.get_d(), noise.sigma_eta.get_d(),
                                  1 / noise.inverse_zeta.get_d(), products, coalition, victim));
    }
    const double computed = shuffle_coalition_shift(graph, noise, kOne, products, coalition).shift;
    EXPECT_NEAR(computed / worst, 1, 1e-9) << "trial " << trial;
  }
}

TEST(Eavesdropper, SeesWhatTheJointGaussianOfItsViewSays) {
  SeededRandom random(8);
  for (int trial = 0; trial < 30; ++trial) {
    const Graph graph = random_dense_graph(random, 2 + random.below(8));
    const std::vector<double> products = random_products(random, graph);
    const ShuffleNoise noise{.sigma_gamma = Rational(1, 2),
                             .sigma_eta = 20,
                             .inverse_zeta = Integer(graph.max_degree()) * 1'000'000 + 1,
                             .multiplier_max = 1000,
                             .masks = ShuffleMasks::kShared};
    double worst = 0;
    for (PartyId victim = 0; victim < graph.size(); ++victim) {
      worst = std::max(worst,
                       shift_from_first_principles(graph, 0.5, 20, 1 / noise.inverse_zeta.get_d(),
                                                   products, {}, victim));
    }
    EXPECT_NEAR(shuffle_shift(graph, noise, kOne, products) / worst, 1, 1e-9);
  }
}

// A shared mask is in the releases of all neighbours of its owner's neighbours too: together they
// cancel more of it than one edge's half.
TEST(LostNeighbours, OfASharedMaskShowNoMoreThanIsBooked) {
  SeededRandom random(20261118);
  std::vector<Graph> graphs = {*Graph::path(3), *Graph::star(10)};
  for (int k = 0; k < 20; ++k) graphs.push_back(random_dense_graph(random, 2 + random.below(8)));
  for (std::size_t k = 0; k < graphs.size(); ++k) {
    const Graph& graph = graphs[k];
    const auto noise = *shared_noise(graph, kOne, kUsual, {}, 0);
    const double look = std::pow(kOne.value() / noise.sigma_eta.get_d(), 2);
    const double booked = release_of_lost_neighbour(noise, kOne);
    const std::vector<double> products(graph.edges().size(), 1e6);
    for (PartyId victim = 0; victim < graph.size(); ++victim) {
      const double shown =
          std::pow(shift_from_first_principles(
                       graph, noise.sigma_gamma.get_d(), noise.sigma_eta.get_d(),
                       1 / noise.inverse_zeta.get_d(), products, {}, victim, /*released=*/false),
                   2);
      EXPECT_LE(shown, look * (1 + 1e-9)) << "all of them together show a masked value at most";
      EXPECT_LE(shown, static_cast<double>(graph.degree(victim)) * booked * (1 + 1e-9))
          << "graph " << k << ", party " << victim;
      if (k == 0 && victim == 2) {
        EXPECT_GT(shown / look, 0.65);
      } else if (k == 1 && victim == 9) {
        EXPECT_GT(shown / look, 0.85);
      }
    }
  }
}

TEST(Coalition, OfPairwiseSeesWhatTheCovarianceSays) {
  SeededRandom random(9);
  for (int trial = 0; trial < 30; ++trial) {
    const Graph graph = random_dense_graph(random, 3 + random.below(7));
    const PairwiseNoise noise{.sigma_gamma = 0.5, .sigma_edge = 12};
    const std::vector<PartyId> coalition = {static_cast<PartyId>(random.below(graph.size()))};
    const auto n = static_cast<Eigen::Index>(graph.size());
    // r_ij of the coalition's own edges is known to it, so it is left out.
    Eigen::MatrixXd covariance = 0.25 * Eigen::MatrixXd::Identity(n, n);
    for (const Edge edge : graph.edges()) {
      if (edge.a == coalition[0] || edge.b == coalition[0]) continue;
      Eigen::VectorXd sign = Eigen::VectorXd::Zero(n);
      sign(edge.a) = 1;
      sign(edge.b) = -1;
      covariance += 144 * sign * sign.transpose();
    }
    Eigen::VectorXd diagonal = inverse(covariance).diagonal();
    diagonal(coalition[0]) = 0;
    EXPECT_NEAR(pairwise_coalition_shift(graph, noise, kOne, coalition).shift,
                std::sqrt(diagonal.maxCoeff()), 1e-9);
  }
}

// What two parties have of one person moves together along the masks' null space: up to twice the
// shift, where two runs would be √2 times (docs/proofs/person.md).
TEST(Eavesdropper, OfPairwiseSeesAPersonAtTwoPartiesAtUpToTwiceTheShift) {
  SeededRandom random(21);
  for (int trial = 0; trial < 20; ++trial) {
    const Graph graph = random_dense_graph(random, 3 + random.below(7));
    const auto noise = *calibrate_pairwise(graph, kOne, kUsual, 0.001, 0);
    const auto n = static_cast<Eigen::Index>(graph.size());
    Eigen::MatrixXd covariance = std::pow(noise.sigma_gamma, 2) * Eigen::MatrixXd::Identity(n, n) +
                                 std::pow(noise.sigma_edge, 2) * Eigen::MatrixXd(laplacian(graph));
    Eigen::VectorXd moved = Eigen::VectorXd::Zero(n);
    moved(0) = moved(1 + static_cast<Eigen::Index>(random.below(graph.size() - 1))) = 1;
    const double joint = std::sqrt(moved.dot(inverse(covariance) * moved));
    const double row = adversary_table(graph, noise, kOne, kUsual, 0)->front().shift;
    EXPECT_LE(joint, 2 * row * (1 + 1e-9));
    EXPECT_GT(joint, 1.99 * row);
  }
}

TEST(Coalition, IsOneOfAsManyAsWereAskedFor) {
  std::size_t visited = 0;
  const auto visit = [&](std::span<const PartyId> members) {
    EXPECT_EQ(members.size(), 2U);
    ++visited;
  };
  privacy::for_each_coalition(*Graph::path(5), 2, visit);
  EXPECT_EQ(std::exchange(visited, 0), 10U);
  privacy::for_each_coalition(*Graph::path(5), 2, visit, 7);
  EXPECT_EQ(visited, 7U);
}

TEST(Coalition, SeesNoLessWithOneMoreMember) {
  SeededRandom random(10);
  for (int trial = 0; trial < 40; ++trial) {
    const Graph graph = random_dense_graph(random, 4 + random.below(8));
    const std::vector<double> products = random_products(random, graph);
    const auto shuffle = shared_noise(graph, kOne, kUsual, {}, 0);
    const auto pairwise = calibrate_pairwise(graph, kOne, kUsual, 0.001, 0);
    const std::vector<PartyId> one = {0};
    const WorstParty shuffled = shuffle_coalition_shift(graph, *shuffle, kOne, products, one);
    const WorstParty paired = pairwise_coalition_shift(graph, *pairwise, kOne, one);
    EXPECT_GE(shuffled.shift * (1 + 1e-9), shuffle_shift(graph, *shuffle, kOne, products));
    for (PartyId second = 1; second < graph.size(); ++second) {
      const std::vector<PartyId> two = {0, second};
      if (second != shuffled.party) {
        EXPECT_GE(shuffle_coalition_shift(graph, *shuffle, kOne, products, two).shift * (1 + 1e-9),
                  shuffled.shift);
      }
      if (second != paired.party) {
        EXPECT_GE(pairwise_coalition_shift(graph, *pairwise, kOne, two).shift * (1 + 1e-9),
                  paired.shift);
      }
    }
  }
}

TEST(Adversaries, EachSeesAtLeastWhatTheOneBeforeSeesAndNoneMoreThanAllNeighbours) {
  SeededRandom random(11);
  std::vector<Graph> graphs = {*Graph::cycle(10), *Graph::complete(6), Graph::petersen(),
                               *Graph::star(6),   *Graph::path(2),     *Graph::grid(12)};
  for (int k = 0; k < 6; ++k) graphs.push_back(random_dense_graph(random, 4 + random.below(6)));
  for (const Graph& graph : graphs) {
    const auto shuffle = shared_noise(graph, kOne, kUsual, {}, 0);
    const auto pairwise = calibrate_pairwise(graph, kOne, kUsual, 0.001, 0);
    const std::size_t colluders = std::min<std::size_t>(2, graph.size() - 1);
    for (const auto& table : {*adversary_table(graph, *shuffle, kOne, kUsual, colluders),
                              *adversary_table(graph, *pairwise, kOne, kUsual, colluders)}) {
      ASSERT_EQ(table.size(), 4u);
      EXPECT_LE(table[0].shift, gaussian_shift(kUsual));
      for (std::size_t k = 1; k < table.size(); ++k) {
        EXPECT_GE(table[k].shift, table[k - 1].shift);
        EXPECT_GE(table[k].delta_at_epsilon, table[k - 1].delta_at_epsilon);
        EXPECT_GE(table[k].epsilon_at_delta, table[k - 1].epsilon_at_delta);
      }
    }
    // The ceiling is a formula: a search that exceeded it would raise the row.
    const double gamma = 1 / shuffle->sigma_gamma.get_d();
    const auto rows = *adversary_table(graph, *shuffle, kOne, kUsual, colluders);
    EXPECT_NEAR(row_of(*adversary_table(graph, *pairwise, kOne, kUsual, colluders),
                       Observer::kAllNeighbours)
                        .shift *
                    pairwise->sigma_gamma,
                1, 1e-12);
    EXPECT_NEAR(row_of(rows, Observer::kAllNeighbours).shift,
                std::hypot(gamma, 1 / shuffle->sigma_eta.get_d()), 1e-12 * gamma);
  }
}

// The search must at least find what equal products give, and more on a cycle.
TEST(Adversaries, UnequalMultipliersShowACuriousNeighbourMoreThanEqualOnes) {
  const Graph ring = *Graph::cycle(10);
  const auto noise = shared_noise(ring, kThree, kPaper, {.g = 0.01}, 0);
  const auto table = *adversary_table(ring, *noise, kThree, kPaper, 0);
  EXPECT_GT(row_of(table, Observer::kNeighbour).shift, 1.05 * 7.511721474826105);
}

TEST(Adversaries, OnACompleteGraphOneCuriousPartyUndoesTheShuffle) {
  const Graph graph = *Graph::complete(8);
  const auto noise = shared_noise(graph, kOne, kUsual, {}, 0);
  const auto table = *adversary_table(graph, *noise, kOne, kUsual, 0);
  EXPECT_NEAR(
      row_of(table, Observer::kNeighbour).shift / row_of(table, Observer::kAllNeighbours).shift, 1,
      1e-12);
}

TEST(Colluders, StayWithinTheBudgetThatWasCalibratedForThem) {
  struct Case {
    Graph graph;
    std::size_t colluders;
  };
  for (const Case& c : {Case{*Graph::cycle(10), 1}, Case{Graph::petersen(), 2},
                        Case{*Graph::complete(6), 3}, Case{*Graph::grid(9), 1}}) {
    const double kappa_bar = gaussian_shift(kUsual);
    const auto pairwise = calibrate_pairwise(c.graph, kOne, kUsual, 0.001, c.colluders);
    ASSERT_TRUE(pairwise) << pairwise.error().to_string();
    const auto paired = *adversary_table(c.graph, *pairwise, kOne, kUsual, c.colluders);
    EXPECT_LE(row_of(paired, Observer::kColluders).shift, kappa_bar);
    EXPECT_GT(row_of(paired, Observer::kColluders).shift, 0.95 * kappa_bar);
    const auto shuffle = shared_noise(c.graph, kOne, kUsual, {}, c.colluders);
    ASSERT_TRUE(shuffle);
    const auto shuffled = *adversary_table(c.graph, *shuffle, kOne, kUsual, c.colluders);
    EXPECT_LE(row_of(shuffled, Observer::kColluders).shift, kappa_bar);
    EXPECT_LE(row_of(shuffled, Observer::kColluders).delta_at_epsilon, 1e-6);
    EXPECT_LE(row_of(shuffled, Observer::kColluders).epsilon_at_delta, 1);
    // A cycle's bound is tight but for g; elsewhere the ceiling itself is kept.
    if (c.graph.topology() == Topology::kCycle) {
      EXPECT_GT(row_of(shuffled, Observer::kColluders).shift, 0.99 * kappa_bar);
    } else {
      EXPECT_LE(row_of(shuffled, Observer::kAllNeighbours).shift, kappa_bar);
    }
  }
}

TEST(Adversaries, OfALocalMechanismAllSeeTheSame) {
  const Graph ring = *Graph::cycle(5);
  const double sigma = gaussian_sigma(kThree, kPaper);
  const auto table = *adversary_table(ring, LocalNoise{sigma}, kThree, kPaper, 2);
  ASSERT_EQ(table.size(), 4u);
  EXPECT_EQ(observer_name(table[2]), "colluders-2");
  for (const Adversary& row : table) {
    EXPECT_EQ(row.shift, 3 / sigma);
    EXPECT_LE(row.delta_at_epsilon, 0.2);
    EXPECT_NEAR(row.epsilon_at_delta, 10, 1e-9);
  }
  EXPECT_EQ(adversary_table(ring, LocalNoise{sigma}, kThree, kPaper, 0)->size(), 3u);
}

TEST(Adversaries, WithoutAnyEtaANeighbourSeesEverything) {
  const Graph ring = *Graph::cycle(5);
  const ShuffleNoise noise{.sigma_gamma = 1,
                           .sigma_eta = 0,
                           .inverse_zeta = 2'000'001,
                           .multiplier_max = 1000,
                           .masks = ShuffleMasks::kShared};
  const auto table = *adversary_table(ring, noise, kOne, kUsual, 0);
  EXPECT_TRUE(std::isfinite(table[0].shift));
  EXPECT_EQ(row_of(table, Observer::kNeighbour).shift, std::numeric_limits<double>::infinity());
  EXPECT_EQ(row_of(table, Observer::kNeighbour).delta_at_epsilon, 1);
  EXPECT_EQ(row_of(table, Observer::kNeighbour).epsilon_at_delta,
            std::numeric_limits<double>::infinity());
}

TEST(Observers, HaveOneNameEach) {
  for (const char* name :
       {"eavesdropper", "neighbour", "colluders-1", "colluders-250", "all-neighbours"}) {
    ASSERT_TRUE(observer_from(name)) << name;
    EXPECT_EQ(observer_name(*observer_from(name)), name);
  }
  EXPECT_EQ(observer_from("colluders-250")->colluders, 250U);
  for (const char* nobody :
       {"", "Neighbour", "colluders", "colluders-", "colluders-0", "colluders-02", "colluders--1",
        "colluders-2 ", "colluders-99999999999999999999999"}) {
    EXPECT_FALSE(observer_from(nobody)) << nobody;
  }
}

}  // namespace
}  // namespace sotto
