#pragma once

#include <Eigen/SparseCore>

#include "graph/weights.h"

namespace sotto {

// The two eigenvalues of a graph Laplacian that everything depends on.
struct Spectrum {
  double lambda_2 = 0;    // the smallest but one: 0 iff the graph is not connected
  double lambda_max = 0;  // the largest
};

// L_ij = −w_e on edges, L_ii = Σ w_e. Without weights: L₀, all weights 1.
[[nodiscard]] Eigen::SparseMatrix<double> laplacian(const Graph& graph);
[[nodiscard]] Eigen::SparseMatrix<double> laplacian(const Graph& graph,
                                                    std::span<const double> edge_weights);

// Of L₀, where the topology has a closed form (formulas in spectrum.cpp).
[[nodiscard]] std::optional<Spectrum> closed_form_spectrum(const Graph& graph);

// Of any Laplacian, by Spectra (shift-invert Lanczos for λ₂), or densely when small.
// Relative accuracy 1e-10 or better.
[[nodiscard]] Spectrum computed_spectrum(const Eigen::SparseMatrix<double>& laplacian);

// The closed form where there is one, computed otherwise; above kMaxNamedParties what is proven of
// it (graph/spectrum_bounds.h): λ₂ from below, λ_max from above.
[[nodiscard]] Spectrum spectrum(const Graph& graph);      // of L₀
[[nodiscard]] Spectrum spectrum(const Weights& weights);  // of L = I − W

}  // namespace sotto
