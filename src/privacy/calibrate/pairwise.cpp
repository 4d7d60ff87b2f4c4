#include "privacy/calibrate/pairwise.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "privacy/observe/coalition.h"

// The formulas of pairwise.h, with λ₂ from below and everything else rounded up.
namespace sotto {

Result<PairwiseNoise> calibrate_pairwise(const Graph& graph, Sensitivity sensitivity,
                                         const Budget& budget, double g, std::size_t colluders) {
  SOTTO_TRY(privacy::require_g(g));
  SOTTO_TRY(privacy::require_network(graph));
  SOTTO_TRY(privacy::require_colluders(graph, colluders));
  const auto lambda_2 = colluders == 0 ? std::optional(privacy::safe_spectrum(graph).lambda_2)
                                       : privacy::smallest_lambda_2(graph, colluders);
  if (!lambda_2) return privacy::unbounded_coalitions(graph, colluders);
  check(*lambda_2 > 0, "what is left is in one piece");

  const auto honest = static_cast<double>(graph.size() - colluders);
  const double scale = sensitivity.value() / gaussian_shift(budget);
  const double sigma_gamma = rounded_up((1 + g) * scale / std::sqrt(honest));
  const double spread = (1 - 1 / honest) * scale * scale / privacy::spare_share(g);
  const double edge_variance = std::max(0.0, (spread - sigma_gamma * sigma_gamma) / *lambda_2);
  return PairwiseNoise{.sigma_gamma = sigma_gamma,
                       .sigma_edge = rounded_up(std::sqrt(edge_variance))};
}

}  // namespace sotto
