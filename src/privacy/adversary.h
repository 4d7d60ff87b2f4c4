#pragma once

#include <span>
#include <string>
#include <vector>

#include "privacy/calibration.h"

namespace sotto {

// What one observer can learn about one party's change, as a number: the length,
// in standard deviations, of the shift it sees. Privacy is κ_ε of it.
struct Adversary {
  std::string name;  // eavesdropper | neighbour | colluders-T | all-neighbours
  double shift = 0;
  double delta_at_epsilon = 0;  // δ at the study's ε
  double epsilon_at_delta = 0;  // ε at the study's δ; infinity if no ε will do
};

// --- exact shifts, one observer at a time ---

// Eavesdropper of `dishuf` for given products a_{i→j}a_{j→i} per edge: the
// largest √(vᵀC⁻¹v) over the parties, v the shift and C the covariance of y(0).
[[nodiscard]] double shuffle_shift(const Graph& graph, const ShuffleNoise& noise,
                                   Sensitivity sensitivity, std::span<const double> edge_products);

// The proven bound over every draw of the multipliers (docs/proofs/graph_calibration.md).
[[nodiscard]] double shuffle_shift_bound(const Graph& graph, const ShuffleNoise& noise,
                                         Sensitivity sensitivity);

struct WorstParty {
  double shift = 0;
  PartyId party = 0;
};

// Coalition pooling all it holds, plus the eavesdropper, for given products
// (docs/proofs/coalition.md).
[[nodiscard]] WorstParty shuffle_coalition_shift(const Graph& graph, const ShuffleNoise& noise,
                                                 Sensitivity sensitivity,
                                                 std::span<const double> edge_products,
                                                 std::span<const PartyId> coalition);

[[nodiscard]] WorstParty pairwise_coalition_shift(const Graph& graph, const PairwiseNoise& noise,
                                                  Sensitivity sensitivity,
                                                  std::span<const PartyId> coalition);

// --- the table that every plan prints ---

[[nodiscard]] Result<std::vector<Adversary>> shuffle_adversaries(const Graph& graph,
                                                                 const ShuffleNoise& noise,
                                                                 Sensitivity sensitivity,
                                                                 const Budget& budget,
                                                                 std::size_t colluders);
[[nodiscard]] Result<std::vector<Adversary>> pairwise_adversaries(const Graph& graph,
                                                                  const PairwiseNoise& noise,
                                                                  Sensitivity sensitivity,
                                                                  const Budget& budget,
                                                                  std::size_t colluders);
// `ac` and `gt`: every party protects itself, so whoever watches sees the same.
[[nodiscard]] std::vector<Adversary> local_adversaries(double sigma, Sensitivity sensitivity,
                                                       const Budget& budget, std::size_t colluders);

}  // namespace sotto
