#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "privacy/calibrate/dishuf.h"
#include "privacy/observe/coalition.h"

// The calibration for masks that no two neighbours share: one bound for all multipliers, and the
// smallest σ_η that keeps it.
namespace sotto::privacy {
namespace {

// What one coalition leaves: of each part the party with most of the coalition around it.
void add_parts(const Graph& graph, std::span<const PartyId> coalition,
               std::vector<Surroundings>& all) {
  const std::vector<PartyId> left = graph.all_but(coalition);
  const Graph rest = graph.restricted_to(left);
  const std::vector<std::uint32_t> part_of = rest.components();
  const std::size_t parts = *std::ranges::max_element(part_of) + std::size_t{1};
  for (std::uint32_t part = 0; part < parts; ++part) {
    Surroundings around;
    std::vector<PartyId> members;
    for (PartyId place = 0; place < left.size(); ++place) {
      if (part_of[place] != part) continue;
      members.push_back(place);
      around.curious = std::max(around.curious, graph.degree(left[place]) - rest.degree(place));
    }
    around.honest = members.size();
    if (members.size() > 1) {
      const Spectrum of_part = safe_spectrum(parts == 1 ? rest : rest.restricted_to(members));
      around.lambda_2 = of_part.lambda_2;
      around.lambda_max = of_part.lambda_max;
    }
    all.push_back(around);
  }
}

// Many coalitions leave the same behind, and some leave less than others in every respect.
void keep_worst(std::vector<Surroundings>& all) {
  std::vector<Surroundings> kept;
  for (const Surroundings& one : all) {
    const auto hides_no_better = [&](const Surroundings& other) {
      return other.honest <= one.honest && other.lambda_2 <= one.lambda_2 &&
             other.lambda_max >= one.lambda_max && other.curious >= one.curious;
    };
    if (std::ranges::any_of(kept, hides_no_better)) continue;
    kept.push_back(one);
  }
  all = std::move(kept);
}

}  // namespace

std::optional<std::vector<Surroundings>> surroundings(const Graph& graph, std::size_t coalition) {
  std::vector<Surroundings> all;
  if (coalition == 0 ||
      (coalition < graph.size() && can_visit_coalitions(graph, coalition, kPairwiseWork))) {
    if (coalition == 0) {
      add_parts(graph, {}, all);
    } else {
      for_each_coalition(graph, coalition, [&](std::span<const PartyId> members) {
        add_parts(graph, members, all);
        keep_worst(all);
      });
    }
    return all;
  }
  // The rest hangs together where its λ₂ is above 0, and then it is one part. Taking parties away
  // takes a positive semidefinite part of L₀ away: λ_max does not grow.
  const auto lambda_2 = smallest_lambda_2(graph, coalition);
  if (!lambda_2 || *lambda_2 <= 0) return std::nullopt;
  all.push_back({.honest = graph.size() - coalition,
                 .lambda_2 = *lambda_2,
                 .lambda_max = safe_spectrum(graph).lambda_max,
                 .curious = std::min(coalition, graph.max_degree())});
  return all;
}

double per_neighbour_shift(const Surroundings& around, const ShuffleNoise& noise,
                           Sensitivity sensitivity, double looks) {
  const auto h = static_cast<double>(around.honest);
  const double gamma = nearest_double(noise.sigma_gamma);
  const double eta = nearest_double(noise.sigma_eta);
  const auto a_bar = static_cast<double>(noise.multiplier_max);
  const double product_share = a_bar * a_bar / noise.inverse_zeta.get_d();  // ζā²
  const auto passed = [&](double s) {
    return (1 - s) * (1 - s) / (gamma * gamma + eta * eta * product_share * s);
  };
  const double spread = std::max(passed(0.5 * product_share * around.lambda_2),
                                 passed(product_share * around.lambda_max));
  const double square = 1 / (h * gamma * gamma) + (1 - 1 / h) * spread + looks / (eta * eta);
  return sensitivity.value() * std::sqrt(square);
}

// The neighbours that were given up are no longer in the graph: it cannot say how many they were.
double looks_after(std::size_t attempts, const Surroundings& around) {
  const auto given_up = static_cast<double>(attempts - 1);
  return static_cast<double>(attempts * around.curious) + 0.5 * given_up;
}

double least_sigma_eta(std::size_t looks, Sensitivity sensitivity, const Budget& budget) {
  constexpr double kFloor = 10;
  return rounded_up(kFloor * std::sqrt(static_cast<double>(looks)) * sensitivity.value() /
                    gaussian_shift(budget));
}

Result<ShuffleNoise> calibrate_per_neighbour(const Graph& graph, Sensitivity sensitivity,
                                             const Budget& budget, ShuffleParameters parameters,
                                             std::size_t colluders) {
  const auto around = surroundings(graph, colluders);
  if (!around) return unbounded_coalitions(graph, colluders);
  const double kappa_bar = gaussian_shift(budget);
  const auto honest = static_cast<double>(graph.size() - colluders);
  const Integer a_bar(static_cast<unsigned long>(parameters.multiplier_max));
  ShuffleNoise noise{
      .sigma_gamma = Rational(
          rounded_up((1 + parameters.g) * sensitivity.value() / (std::sqrt(honest) * kappa_bar))),
      .sigma_eta = 0,
      .inverse_zeta = Integer(static_cast<unsigned long>(graph.max_degree())) * a_bar * a_bar + 1,
      .multiplier_max = parameters.multiplier_max,
      .masks = ShuffleMasks::kPerNeighbour};
  const auto holds = [&](double sigma_eta) {
    noise.sigma_eta = Rational(sigma_eta);
    return std::ranges::all_of(*around, [&](const Surroundings& one) {
      return per_neighbour_shift(one, noise, sensitivity, looks_after(parameters.attempts, one)) <=
             kappa_bar;
    });
  };
  // More never shows more, so halve the ratio of what does and what does not, to the last bit.
  double enough = least_sigma_eta(graph.max_degree(), sensitivity, budget);
  if (!holds(enough)) {
    double too_little = enough;
    while (!holds(enough)) {
      too_little = enough;
      enough *= 2;
      check(std::isfinite(enough), "σ_γ leaves some of κ̄² to σ_η");
    }
    for (double middle = std::sqrt(too_little * enough); too_little < middle && middle < enough;
         middle = std::sqrt(too_little * enough)) {
      (holds(middle) ? enough : too_little) = middle;
    }
  }
  noise.sigma_eta = Rational(std::max(rounded_up(enough), parameters.least_sigma_eta));
  return noise;
}

}  // namespace sotto::privacy
