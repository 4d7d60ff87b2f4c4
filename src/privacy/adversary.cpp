#include "privacy/adversary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "privacy/coalition.h"
#include "privacy/gaussian.h"
#include "privacy/parameter_checks.h"

namespace sotto {
namespace {

// Rows from the weakest observer to the strongest. Each sees at least what the
// one before it sees, so a row that is a search never says less than a row that
// is a bound.
class AdversaryTable {
 public:
  explicit AdversaryTable(const Budget& budget) : budget_(budget) {}

  void add(std::string name, double shift) {
    if (!rows_.empty()) shift = std::max(shift, rows_.back().shift);
    rows_.push_back({.name = std::move(name),
                     .shift = shift,
                     .delta_at_epsilon = gaussian_delta(budget_.epsilon.value(), shift),
                     .epsilon_at_delta = gaussian_epsilon(shift, budget_.delta.value())});
  }

  [[nodiscard]] std::vector<Adversary> rows() && { return std::move(rows_); }

 private:
  Budget budget_;
  std::vector<Adversary> rows_;
};

Result<void> require_honest_party(const Graph& graph, std::size_t colluders) {
  if (colluders < graph.size()) return {};
  return bad_input("E-colluders",
                   fmt::format("{} colluders among {} parties", colluders, graph.size()),
                   fmt::format("colluders is at most parties − 1 = {}", graph.size() - 1));
}

// eavesdropper, neighbour, colluders-T, all-neighbours. `coalition` gives the
// worst shift over coalitions of a size, or nothing if there are too many.
template <class Coalition>
Result<std::vector<Adversary>> adversaries(const Graph& graph, const Budget& budget,
                                           std::size_t colluders, double eavesdropper,
                                           double ceiling, Coalition coalition) {
  AdversaryTable table(budget);
  table.add("eavesdropper", eavesdropper);
  const std::optional<double> neighbour = coalition(1);
  table.add("neighbour", neighbour.value_or(ceiling));
  if (colluders > 0) {
    const std::optional<double> shift = colluders == 1 ? neighbour : coalition(colluders);
    if (!shift && colluders > 1) return too_many_coalitions(graph, colluders);
    table.add(fmt::format("colluders-{}", colluders), shift.value_or(ceiling));
  }
  table.add("all-neighbours", ceiling);
  return std::move(table).rows();
}

}  // namespace

// The all-neighbours row is Δ√(1/σ_γ² + 1/σ_η²): the neighbours know y_i but for
// γ_i and, through the gcd of what they decrypt, T̄_i but for η_i.
Result<std::vector<Adversary>> shuffle_adversaries(const Graph& graph, const ShuffleNoise& noise,
                                                   Sensitivity sensitivity, const Budget& budget,
                                                   std::size_t colluders) {
  if (auto ok = require_network(graph); !ok) return tl::unexpected(ok.error());
  if (auto ok = require_honest_party(graph, colluders); !ok) return tl::unexpected(ok.error());
  const double gamma_shift = sensitivity.value() / nearest_double(noise.sigma_gamma);
  // 0 for lemma1's σ_η past a double's range, infinite for σ_η = 0.
  const double eta_shift = sensitivity.value() / nearest_double(noise.sigma_eta);
  const auto coalition = [&](std::size_t size) -> std::optional<double> {
    if (!can_visit_coalitions(graph, size, kShuffleWork)) return std::nullopt;
    return gamma_shift * std::sqrt(search_worst_leakage(graph, noise, size));
  };
  return adversaries(graph, budget, colluders, shuffle_shift_bound(graph, noise, sensitivity),
                     std::hypot(gamma_shift, eta_shift), coalition);
}

// Where the coalitions are too many to look at, λ₂ of what they leave bounds them:
// docs/proofs/pairwise.md.
Result<std::vector<Adversary>> pairwise_adversaries(const Graph& graph, const PairwiseNoise& noise,
                                                    Sensitivity sensitivity, const Budget& budget,
                                                    std::size_t colluders) {
  if (auto ok = require_network(graph); !ok) return tl::unexpected(ok.error());
  if (auto ok = require_honest_party(graph, colluders); !ok) return tl::unexpected(ok.error());
  const double gamma_shift = sensitivity.value() / noise.sigma_gamma;
  const double ratio = std::pow(noise.sigma_edge / noise.sigma_gamma, 2);
  const auto bound = [&](std::size_t honest, double lambda_2) {
    const double share = 1 / static_cast<double>(honest);
    return gamma_shift * std::sqrt(share + (1 - share) / (1 + ratio * lambda_2));
  };
  const auto coalition = [&](std::size_t size) -> std::optional<double> {
    if (!can_visit_coalitions(graph, size, kPairwiseWork)) {
      const auto lambda_2 = smallest_lambda_2(graph, size);
      if (!lambda_2) return std::nullopt;
      return bound(graph.size() - size, *lambda_2);
    }
    double worst = 0;
    for_each_coalition(graph, size, [&](std::span<const PartyId> members) {
      worst = std::max(worst, pairwise_coalition_shift(graph, noise, sensitivity, members).shift);
    });
    return worst;
  };
  return adversaries(graph, budget, colluders, bound(graph.size(), safe_spectrum(graph).lambda_2),
                     gamma_shift, coalition);
}

std::vector<Adversary> local_adversaries(double sigma, Sensitivity sensitivity,
                                         const Budget& budget, std::size_t colluders) {
  const double shift = sensitivity.value() / sigma;
  AdversaryTable table(budget);
  table.add("eavesdropper", shift);
  table.add("neighbour", shift);
  if (colluders > 0) table.add(fmt::format("colluders-{}", colluders), shift);
  table.add("all-neighbours", shift);
  return std::move(table).rows();
}

}  // namespace sotto
