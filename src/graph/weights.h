#pragma once

#include <memory>

#include "graph/graph.h"

namespace sotto {

// Symmetric edge weights w_ij ∈ (0, 1) with L_ii = Σ_j w_ij ∈ (0, 1), so that
// W = I − L is doubly stochastic with a positive diagonal. (L_ii = 0 only for a party
// without neighbours, which require_connected refuses.)
class Weights {
 public:
  [[nodiscard]] static Result<Weights> uniform(const Graph& graph, double weight);
  // w_ij = 1 / (1 + max(degree_i, degree_j)).
  [[nodiscard]] static Weights metropolis(const Graph& graph);
  // One weight per edge, in the order of graph.edges().
  [[nodiscard]] static Result<Weights> given(const Graph& graph, std::vector<double> weights);

  // Some parties' weights among themselves, as they were: graph().restricted_to(members) may
  // be in pieces, but its L_ii are no larger.
  [[nodiscard]] Weights restricted_to(std::span<const PartyId> members) const;

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] std::span<const double> per_edge() const { return *per_edge_; }
  // Towards each neighbour, in the order of graph().neighbours(party).
  [[nodiscard]] std::vector<double> of(PartyId party) const;
  [[nodiscard]] std::optional<double> uniform_weight() const;  // if all edges weigh the same

 private:
  Weights(Graph graph, std::vector<double> per_edge)
      : graph_(std::move(graph)),
        per_edge_(std::make_shared<const std::vector<double>>(std::move(per_edge))) {}
  Graph graph_;
  std::shared_ptr<const std::vector<double>> per_edge_;
};

}  // namespace sotto
