#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "privacy/budget.h"
#include "privacy/calibrate/dishuf.h"
#include "privacy/observe/adversary.h"

namespace sotto {
namespace {

// Of 60-digit arithmetic, made independently of this code.
struct PerNeighbourRow {
  const char* graph;
  std::size_t parties;
  std::uint64_t a_bar;
  double epsilon, delta, sensitivity, g;
  std::size_t colluders;
  double inverse_zeta, sigma_gamma, sigma_eta;
  double eavesdropper, coalition, neighbour, neighbour_delta;
};
constexpr PerNeighbourRow kPerNeighbourRows[] = {
    {"cycle", 5, 1000, 1.0, 0.000001, 1.5, 0.001, 0, 2000001, 2.83683475464682727,
     199.617539497893298, 0.23670438066343571, 0.23670438066343571, 0.265279125506224032,
     8.40182434736581537e-6},
    {"cycle", 5, 1000, 1.0, 0.000001, 1.5, 0.001, 1, 2000001, 3.17167767616212159,
     412.368582109096453, 0.211565355802981678, 0.23670438066343571, 0.23670438066343571, 1.0e-6},
    {"cycle", 10, 1000, 10.0, 0.2, 3.0, 0.01, 0, 2000001, 0.245598088356898048, 21.4832586657056843,
     3.90137454831743631, 3.90137454831743631, 4.20360417224396352, 0.308916323681699057},
    {"cycle", 10, 1000, 10.0, 0.2, 3.0, 0.01, 1, 2000001, 0.258883116063692816, 41.1073106178210299,
     3.67570430582915958, 3.90137454831743631, 3.90137454831743631, 0.2},
    {"cycle", 50, 1000, 10.0, 0.2, 3.0, 0.01, 0, 2000001, 0.109834804142004733, 121.634192313795472,
     3.90137454831743631, 3.90137454831743631, 4.04744929126754568, 0.250619987186177738},
    {"complete", 10, 1000, 1.0, 0.000001, 1.5, 0.001, 0, 9000001, 2.00594509211644732,
     240.517842154328783, 0.23670438066343571, 0.23670438066343571, 0.249648472573175217,
     2.84817125881495108e-6},
    {"complete", 10, 1000, 1.0, 0.000001, 1.5, 0.001, 1, 9000001, 2.11445178410808106,
     316.987042706071705, 0.224476746917027312, 0.23670438066343571, 0.23670438066343571, 1.0e-6},
    {"petersen", 10, 1000, 1.0, 0.000001, 1.5, 0.001, 1, 3000001, 2.11445178410808106,
     421.768453555286105, 0.224434601255225161, 0.23670438066343571, 0.23670438066343571, 1.0e-6},
    {"complete", 4, 1000, 1.0, 0.000001, 1.5, 0.16, 0, 3000001, 3.6754706337143467,
     109.760377229665989, 0.20422617860892573, 0.20422617860892573, 0.236411664147242334,
     9.74820213261701258e-7},
    {"complete", 6, 200, 0.5, 0.0000001, 2.0, 0.05, 2, 200001, 9.44546560744620802,
     402.29910814068695, 0.0866012053512441966, 0.10649376857985619, 0.0950830908501634663,
     1.57945742238978615e-9},
    {"grid", 9, 1000, 1.0, 0.000001, 1.5, 0.001, 0, 4000001, 2.11445178410808106,
     661.654772732438176, 0.23670438066343571, 0.23670438066343571, 0.251364838488236564,
     3.2364279906648729e-6},
    {"grid", 9, 1000, 1.0, 0.000001, 1.5, 0.001, 1, 4000001, 2.24271479255222685,
     1042.33291110567164, 0.223045196315919188, 0.23670438066343571, 0.23670438066343571, 1.0e-6},
    {"path", 4, 1000, 1.0, 0.000001, 1.5, 0.001, 0, 2000001, 3.17167767616212159,
     387.198369524332348, 0.23670438066343571, 0.23670438066343571, 0.472951691813153736,
     0.00474003738887382731},
};

Graph graph_of(const PerNeighbourRow& row) {
  const std::string name = row.graph;
  if (name == "cycle") return *Graph::cycle(row.parties);
  if (name == "complete") return *Graph::complete(row.parties);
  if (name == "petersen") return Graph::petersen();
  if (name == "grid") return *Graph::grid(row.parties);
  return *Graph::path(row.parties);
}

TEST(PerNeighbour, AgreesWithTheReference) {
  for (const PerNeighbourRow& row : kPerNeighbourRows) {
    SCOPED_TRACE(testing::Message() << row.graph << row.parties << " t = " << row.colluders);
    const Graph graph = graph_of(row);
    const Sensitivity sensitivity = *Sensitivity::make(row.sensitivity);
    const Budget budget = *Budget::make(row.epsilon, row.delta);
    const auto noise =
        calibrate_shuffle(graph, sensitivity, budget, {row.g, row.a_bar}, row.colluders);
    ASSERT_TRUE(noise) << noise.error().to_string();
    EXPECT_EQ(noise->inverse_zeta.get_d(), row.inverse_zeta);
    EXPECT_NEAR(noise->sigma_gamma.get_d() / row.sigma_gamma, 1, 1e-9);
    EXPECT_NEAR(noise->sigma_eta.get_d() / row.sigma_eta, 1, 1e-9);
    const auto table = *adversary_table(graph, *noise, sensitivity, budget, row.colluders);
    EXPECT_NEAR(table[0].shift / row.eavesdropper, 1, 1e-9);
    EXPECT_NEAR(table[1].shift / row.neighbour, 1, 1e-9);
    EXPECT_NEAR(table[1].delta_at_epsilon / row.neighbour_delta, 1, 1e-7);
    if (row.colluders > 0) {
      EXPECT_NEAR(table[2].shift / row.coalition, 1, 1e-9);
      EXPECT_LE(table[2].shift, gaussian_shift(budget));
      EXPECT_LE(table[2].epsilon_at_delta, row.epsilon);
    }
  }
}

// What a coalition sees, from first principles. Independent sources: γ_i, and η_i^{(j)} for each
// neighbour j, of the honest. Seen: y_i of the honest, T_i + η_i^{(c)} for each c of the coalition.
// Then √(vᵀC⁻¹v), whatever the products of the coalition's own edges are; v of one victim, or of
// several whose values all move.
double shift_of_view(const Graph& graph, const ShuffleNoise& noise,
                     const std::vector<double>& products, const std::vector<PartyId>& coalition,
                     const std::vector<PartyId>& victims) {
  using Eigen::Index;
  const double zeta = 1 / noise.inverse_zeta.get_d();
  const auto moves = [&](PartyId p) { return std::ranges::count(victims, p) > 0 ? 1.0 : 0.0; };
  const auto curious = [&](PartyId p) { return std::ranges::count(coalition, p) > 0; };
  const auto n = static_cast<Index>(graph.size());
  const auto edges = static_cast<Index>(graph.edges().size());
  const auto eta = [&](Index edge, bool of_a) { return n + 2 * edge + (of_a ? 0 : 1); };
  std::vector<Eigen::VectorXd> seen;
  std::vector<double> moved;
  for (PartyId i = 0; i < graph.size(); ++i) {
    if (curious(i)) continue;
    Eigen::VectorXd y = Eigen::VectorXd::Zero(n + 2 * edges);
    y(static_cast<Index>(i)) = noise.sigma_gamma.get_d();
    double mean = moves(i);
    for (Index e = 0; e < edges; ++e) {
      const Edge edge = graph.edges()[static_cast<std::size_t>(e)];
      if (edge.a != i && edge.b != i) continue;
      const PartyId other = edge.a == i ? edge.b : edge.a;
      const double weight = zeta * products[static_cast<std::size_t>(e)];
      y(eta(e, edge.a == i)) -= weight * noise.sigma_eta.get_d();
      mean -= weight * moves(i);
      if (curious(other)) {
        Eigen::VectorXd look = Eigen::VectorXd::Zero(y.size());
        look(eta(e, edge.a == i)) = noise.sigma_eta.get_d();
        seen.push_back(look);
        moved.push_back(moves(i));
      } else {
        y(eta(e, edge.a != i)) += weight * noise.sigma_eta.get_d();
        mean += weight * moves(other);
      }
    }
    seen.push_back(y);
    moved.push_back(mean);
  }
  Eigen::MatrixXd view(static_cast<Index>(seen.size()), n + 2 * edges);
  for (Index r = 0; r < view.rows(); ++r) {
    view.row(r) = seen[static_cast<std::size_t>(r)].transpose();
  }
  const Eigen::Map<const Eigen::VectorXd> v(moved.data(), view.rows());
  return std::sqrt(v.dot((view * view.transpose()).fullPivLu().solve(v)));
}

Graph random_graph_of(SeededRandom& random, std::size_t parties) {
  std::vector<Edge> edges;
  for (PartyId i = 1; i < parties; ++i) edges.push_back({static_cast<PartyId>(random.below(i)), i});
  for (PartyId a = 0; a < parties; ++a) {
    for (PartyId b = a + 1; b < parties; ++b) {
      if (std::ranges::count(edges, Edge{a, b}) == 0 && random.below(3) == 0) {
        edges.push_back({a, b});
      }
    }
  }
  return *Graph::make(parties, edges);
}

TEST(PerNeighbour, NoViewOfAnyCoalitionExceedsTheRowWhateverTheMultipliers) {
  SeededRandom random(20261116);
  double tightest = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Graph graph = random_graph_of(random, 3 + random.below(6));
    const ShuffleNoise noise{
        .sigma_gamma = Rational(1 + static_cast<long>(random.below(8)), 4),
        .sigma_eta = Rational(1 + static_cast<long>(random.below(400)), 4),
        .inverse_zeta = Integer(static_cast<unsigned long>(graph.max_degree())) * 1'000'000 + 1,
        .multiplier_max = 1000};
    const Sensitivity one = *Sensitivity::make(1);
    const std::size_t colluders = random.below(std::min<std::size_t>(3, graph.size() - 1));
    const auto table = *adversary_table(graph, noise, one, *Budget::make(1, 1e-6), colluders);
    const double row = table[colluders == 0 ? 0 : 2].shift;
    for (int draw = 0; draw < 30; ++draw) {
      std::vector<PartyId> coalition;
      while (coalition.size() < colluders) {
        const auto member = static_cast<PartyId>(random.below(graph.size()));
        if (std::ranges::count(coalition, member) == 0) coalition.push_back(member);
      }
      std::vector<double> products;
      for (const Edge& edge : graph.edges()) {
        const bool own =
            std::ranges::count(coalition, edge.a) + std::ranges::count(coalition, edge.b) > 0;
        double product = draw % 3 == 0 ? 1e6 : 5e5 * static_cast<double>(1 + random.below(2));
        if (draw % 3 == 2) product = 5e5 + static_cast<double>(random.below(500'001));
        // Its own multipliers a coalition chooses as it likes.
        if (own) product = (static_cast<double>(random.below(20'001)) - 10'000) * 1e3;
        products.push_back(product);
      }
      for (PartyId victim = 0; victim < graph.size(); ++victim) {
        if (std::ranges::count(coalition, victim) > 0) continue;
        const double shift = shift_of_view(graph, noise, products, coalition, {victim});
        EXPECT_LE(shift, row * (1 + 1e-9)) << "trial " << trial << " draw " << draw;
        tightest = std::max(tightest, shift / row);
      }
    }
  }
  EXPECT_GT(tightest, 0.99);  // a bound that is never met would prove nothing
}

// docs/proofs/person.md: the masks that cancel hide the difference of two parties, not their sum,
// so that a person at two parties costs more than two runs, and at most twice the shift.
TEST(PerNeighbour, APersonAtTwoPartiesIsSeenAtUpToTwiceTheShiftAndMoreThanTwoRuns) {
  const Sensitivity one = *Sensitivity::make(1);
  const Budget budget = *Budget::make(1, 1e-6);
  for (const Graph& graph : {*Graph::cycle(7), *Graph::complete(6), Graph::petersen()}) {
    const ShuffleNoise noise = *calibrate_shuffle(graph, one, budget, {}, 0);
    const double row = adversary_table(graph, noise, one, budget, 0)->front().shift;
    for (const double product : {5e5, 1e6}) {
      const std::vector<double> products(graph.edges().size(), product);
      for (PartyId other = 1; other < graph.size(); ++other) {
        const double joint = shift_of_view(graph, noise, products, {}, {0, other});
        EXPECT_LE(joint, 2 * row * (1 + 1e-9));
        EXPECT_GT(joint, 1.99 * row) << "and √2 for two runs";
      }
    }
  }
}

// Between two parties s₂ ≈ 1, where nothing passes, and the largest products have s ≈ 2.
TEST(PerNeighbour, LooksAtBothEndsOfTheSpectrum) {
  const Graph pair = *Graph::path(2);
  const Sensitivity one = *Sensitivity::make(1);
  const ShuffleNoise noise{
      .sigma_gamma = 1, .sigma_eta = 1, .inverse_zeta = 1'000'001, .multiplier_max = 1000};
  const auto table = *adversary_table(pair, noise, one, *Budget::make(1, 1e-6), 0);
  EXPECT_LE(shift_of_view(pair, noise, {1e6}, {}, {0}), table[0].shift);
}

// On a complete graph all of L_a's eigenvalues but one are the same, and nothing is given away.
TEST(PerNeighbour, IsTightOnACompleteGraph) {
  const Graph graph = *Graph::complete(7);
  const Sensitivity one = *Sensitivity::make(1);
  const Budget budget = *Budget::make(1, 1e-6);
  const auto noise = calibrate_shuffle(graph, one, budget, {}, 1);
  const auto table = *adversary_table(graph, *noise, one, budget, 1);
  const std::vector<double> lowest(graph.edges().size(), 5e5);
  EXPECT_NEAR(shift_of_view(graph, *noise, lowest, {3}, {0}) / table[2].shift, 1, 1e-4);
}

TEST(PerNeighbour, NeverDrawsAMaskThatProtectsNobody) {
  const Graph graph = *Graph::complete(4);
  const Sensitivity one = *Sensitivity::make(1);
  const Budget budget = *Budget::make(1, 1e-6);
  const double kappa_bar = gaussian_shift(budget);
  for (const double g : {0.16, 1.0, 100.0}) {
    const auto noise = calibrate_shuffle(graph, one, budget, {.g = g}, 0);
    ASSERT_TRUE(noise);
    const double looks = 3 / std::pow(noise->sigma_eta.get_d(), 2);  // of all three neighbours
    EXPECT_LE(looks, kappa_bar * kappa_bar / 100);
  }
}

TEST(SharedMasks, ThatProtectNobodyAreRefusedWithTheGThatWouldDo) {
  const Graph graph = *Graph::complete(4);
  const Sensitivity one = *Sensitivity::make(1);
  const Budget budget = *Budget::make(1, 1e-6);
  const auto refused =
      calibrate_shuffle(graph, one, budget, {.g = 1, .masks = ShuffleMasks::kShared}, 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().name, "E-shuffle-mask");
  EXPECT_EQ(refused.error().status, Status::kRefused);
  // "g = 0.00123 or less, …"
  const double g = std::stod(refused.error().fix.substr(4));
  EXPECT_TRUE(calibrate_shuffle(graph, one, budget, {.g = g, .masks = ShuffleMasks::kShared}, 0));
  EXPECT_FALSE(
      calibrate_shuffle(graph, one, budget, {.g = 1.02 * g, .masks = ShuffleMasks::kShared}, 0));
}

// Every attempt shows curious neighbours one masked value each, and each party that is given up may
// have released what it made of one.
TEST(PerNeighbour, LeavesRoomForEveryAttemptThatARunMayMake) {
  const Graph graph = *Graph::complete(6);
  const Sensitivity one = *Sensitivity::make(1);
  const Budget budget = *Budget::make(1, 1e-6);
  const double kappa_bar = gaussian_shift(budget);
  for (const std::size_t colluders : {0U, 1U, 2U}) {
    const auto once = calibrate_shuffle(graph, one, budget, {}, colluders);
    const auto noise = calibrate_shuffle(graph, one, budget, {.attempts = 3}, colluders);
    EXPECT_GT(noise->sigma_eta, once->sigma_eta);
    const auto table = *adversary_table(graph, *noise, one, budget, colluders, 3);
    EXPECT_LE(table[colluders == 0 ? 0 : 2].shift, kappa_bar);
    // One attempt's row, and the others' looks: T + η under one mask, and two that released.
    const auto alone = *adversary_table(graph, *noise, one, budget, colluders);
    const auto looks = looks_table(graph, *noise, one, alone);
    const double lost = release_of_lost_neighbour(*noise, one);
    const std::size_t row = colluders == 0 ? 0 : 2;
    EXPECT_NEAR(std::pow(table[row].shift, 2),
                std::pow(alone[row].shift, 2) + 2 * looks[row] + 2 * lost, 1e-9);
  }
}

TEST(Looks, AreWhatAGivenUpShuffleHasShown) {
  const Graph graph = *Graph::cycle(5);
  const Sensitivity three = *Sensitivity::make(3);
  const Budget budget = *Budget::make(1, 1e-6);
  const ShuffleNoise own{Rational(1), Rational(30), Integer(2'000'001), 1000};
  ShuffleNoise shared = own;
  shared.masks = ShuffleMasks::kShared;
  const auto of = [&](const Noise& noise) {
    return looks_table(graph, noise, three, *adversary_table(graph, noise, three, budget, 2));
  };
  const std::vector<double> each = of(own);
  ASSERT_EQ(each.size(), 4U);
  EXPECT_EQ(each[0], 0);
  EXPECT_NEAR(each[1], 0.01, 1e-9);
  EXPECT_NEAR(each[2], 0.02, 1e-9);
  EXPECT_NEAR(each[3], 0.02, 1e-9);
  EXPECT_NEAR(of(shared)[3], 0.01, 1e-9);
  for (const double look : of(PairwiseNoise{.sigma_gamma = 1, .sigma_edge = 5})) EXPECT_EQ(look, 0);
  for (const double look : of(LocalNoise{1})) EXPECT_EQ(look, 0);
}

// A run that goes on with fewer parties draws masks no smaller than those it was counted with.
TEST(PerNeighbour, MasksAreNoSmallerThanThoseOfEarlierAttempts) {
  const Graph ring = *Graph::cycle(5);
  const Sensitivity one = *Sensitivity::make(1);
  const Budget budget = *Budget::make(1, 1e-6);
  const auto alone = calibrate_shuffle(ring, one, budget, {}, 0);
  ASSERT_TRUE(alone);
  const double larger = 2 * nearest_double(alone->sigma_eta);
  const auto after = calibrate_shuffle(ring, one, budget, {.least_sigma_eta = larger}, 0);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->sigma_eta, Rational(larger));
  EXPECT_EQ(after->sigma_gamma, alone->sigma_gamma);
  const auto smaller = calibrate_shuffle(ring, one, budget, {.least_sigma_eta = larger / 4}, 0);
  ASSERT_TRUE(smaller);
  EXPECT_EQ(smaller->sigma_eta, alone->sigma_eta);
}

}  // namespace
}  // namespace sotto
