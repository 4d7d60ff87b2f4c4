#include "graph/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "graph/spectrum.h"
#include "support/graphs.h"

namespace sotto {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

TEST(Weights, AreTheSameTowardsBothEnds) {
  const Graph graph = *Graph::path(3);
  const Weights weights = *Weights::given(graph, {0.25, 0.5});
  EXPECT_THAT(weights.of(0), ElementsAre(0.25));
  EXPECT_THAT(weights.of(1), ElementsAre(0.25, 0.5));
  EXPECT_THAT(weights.of(2), ElementsAre(0.5));
  EXPECT_FALSE(weights.uniform_weight());
}

TEST(Weights, KnowWhenTheyAreUniform) {
  EXPECT_EQ(Weights::uniform(*Graph::cycle(5), 0.3)->uniform_weight(), 0.3);
  EXPECT_THAT(*Weights::metropolis(*Graph::cycle(5)).uniform_weight(), DoubleEq(1.0 / 3));
  EXPECT_FALSE(Weights::metropolis(*Graph::grid(6)).uniform_weight());
}

TEST(Weights, OfMetropolisDependOnTheLargerDegree) {
  const Weights weights = Weights::metropolis(*Graph::star(5));
  EXPECT_THAT(weights.of(2), ElementsAre(DoubleEq(0.2)));
}

TEST(Weights, AreRefusedOutsideZeroAndOne) {
  const Graph graph = *Graph::path(2);
  for (const double bad :
       {0.0, 1.0, -0.5, 2.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(Weights::uniform(graph, bad).error().name, "E-graph-weight") << bad;
    EXPECT_EQ(Weights::given(graph, {bad}).error().name, "E-graph-weight") << bad;
  }
  EXPECT_EQ(Weights::given(*Graph::path(3), {0.5, -1}).error().what,
            "a weight of -1 between party 2 and party 3");
}

TEST(Weights, AreRefusedWhenAPartyWouldKeepNothingOfItsOwn) {
  const auto weights = Weights::uniform(*Graph::star(5), 0.25);
  ASSERT_FALSE(weights);
  EXPECT_EQ(weights.error().to_string(),
            "error[E-graph-weight]: the weights of party 1 to its 4 neighbours add up to 1, not "
            "below 1; a uniform weight above 0 and below 1/4 ≈ 0.25, or \"metropolis\"");
  EXPECT_TRUE(Weights::uniform(*Graph::star(5), 0.2499));
  EXPECT_FALSE(Weights::uniform(*Graph::cycle(5), 0.5));
}

TEST(Weights, AreRefusedUnlessThereIsOneForEachEdge) {
  EXPECT_EQ(Weights::given(*Graph::cycle(4), {0.1, 0.1}).error().what, "2 weights for 4 edges");
}

void assert_doubly_stochastic(const Weights& weights) {
  const auto n = static_cast<Eigen::Index>(weights.graph().size());
  const Eigen::MatrixXd l(laplacian(weights.graph(), weights.per_edge()));
  const Eigen::MatrixXd w = Eigen::MatrixXd::Identity(n, n) - l;
  RC_ASSERT(l.diagonal().maxCoeff() < 1);
  RC_ASSERT(w.minCoeff() >= 0);
  RC_ASSERT(w.diagonal().minCoeff() > 0);
  RC_ASSERT((w.rowwise().sum().array() - 1).abs().maxCoeff() < 1e-14);
  RC_ASSERT(w == w.transpose());
}

RC_GTEST_PROP(Weights, OfMetropolisAreDoublyStochasticOnEveryGraph, (std::uint64_t seed)) {
  const auto size = any_of<std::size_t>(1, 40);
  assert_doubly_stochastic(
      Weights::metropolis(random_graph(size, any_of<std::uint64_t>(0, 101), seed)));
}

RC_GTEST_PROP(Weights, AreDoublyStochasticWheneverTheyAreAccepted, (std::uint64_t seed)) {
  const Graph graph = random_graph(any_of<std::size_t>(2, 12), 40, seed);
  SeededRandom random(seed, 1);
  std::vector<double> per_edge;
  for (std::size_t e = 0; e < graph.edges().size(); ++e) {
    per_edge.push_back(std::ldexp(double(random.below(1000) + 1), -11));
  }
  const auto weights = Weights::given(graph, per_edge);
  const double largest = Eigen::MatrixXd(laplacian(graph, per_edge)).diagonal().maxCoeff();
  RC_ASSERT(weights.has_value() == (largest < 1));
  RC_CLASSIFY(weights.has_value(), "accepted");
  if (weights) assert_doubly_stochastic(*weights);
}

TEST(Weights, OfSomePartiesAreWhatTheyWere) {
  const Graph path = *Graph::path(4);
  const Weights weights = *Weights::given(path, {0.1, 0.2, 0.3});
  const std::vector<PartyId> members = {1, 2, 3};
  const Weights rest = weights.restricted_to(members);
  EXPECT_EQ(rest.graph().size(), 3u);
  EXPECT_EQ(std::vector<double>(rest.per_edge().begin(), rest.per_edge().end()),
            (std::vector<double>{0.2, 0.3}));
}

}  // namespace
}  // namespace sotto
