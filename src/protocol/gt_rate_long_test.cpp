#include <gtest/gtest.h>

#include "protocol/gt.h"
#include "support/costs.h"

namespace sotto {
namespace {

using namespace protocol_test;

// Eigenvalues crowd at 1 on long cycles; Arnoldi must still find the largest.
TEST(GradientRate, IsTheSameByArnoldiAndByDefinitionOnLongCycles) {
  SeededRandom random(1);
  for (const std::size_t parties : {60U, 100U, 150U}) {
    const Weights weights = *Weights::uniform(*Graph::cycle(parties), 0.3);
    const auto g = matrices_of(random_costs(parties, 3, random));
    const GradientRate rate(weights, g);
    for (const double step : {1e-4, 1e-2, 0.1}) {
      const double truth = radius_by_definition(weights, g, step);
      EXPECT_NEAR(rate.radius(step), truth, 1e-8) << parties << " " << step;
    }
  }
}

TEST(GradientRate, IsTheSameByArnoldiAndByDefinitionOnOtherGraphs) {
  SeededRandom random(2);
  for (const Graph& graph : {*Graph::path(60), *Graph::star(60), *Graph::grid(60),
                             *Graph::complete(50), connected_graph(70, 5, random)}) {
    const Weights weights = Weights::metropolis(graph);
    const auto g = matrices_of(random_costs(graph.size(), 3, random));
    const GradientRate rate(weights, g);
    for (const double step : {1e-3, 3e-2}) {
      const double truth = radius_by_definition(weights, g, step);
      EXPECT_NEAR(rate.radius(step), truth, 1e-8) << to_string(graph.topology()) << " " << step;
    }
  }
}

}  // namespace
}  // namespace sotto
