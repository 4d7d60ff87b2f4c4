#include "privacy/parameter_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace sotto {

Result<void> require_g(double g) {
  if (std::isfinite(g) && g > 0) return {};
  return bad_input("E-g", fmt::format("g = {} is not an excess of noise", g),
                   "g is a finite number above 0, for example 0.001");
}

Result<void> require_multiplier_max(std::uint64_t multiplier_max) {
  if (multiplier_max >= kMinMultiplierMax && multiplier_max <= kMaxMultiplierMax) return {};
  return bad_input("E-a-bar", fmt::format("a_bar = {} is out of range", multiplier_max),
                   fmt::format("a_bar lies between {} and {}, for example 1000", kMinMultiplierMax,
                               kMaxMultiplierMax));
}

Result<void> require_network(const Graph& graph) {
  if (graph.size() < 2) {
    return bad_input("E-parties", fmt::format("{} party is no network", graph.size()),
                     "at least 2 parties are needed");
  }
  return require_connected(graph);
}

Result<void> require_colluders(const Graph& graph, std::size_t colluders) {
  if (colluders == 0) return {};
  const std::size_t parties = graph.size();
  if (colluders > parties - 2) {
    return refused("E-colluders",
                   fmt::format("{} colluders among {} parties leave fewer than 2 who are honest",
                               colluders, parties),
                   fmt::format("colluders is at most parties − 2 = {}", parties - 2));
  }
  if (const auto cut = find_cut(graph, colluders)) {
    return refused(
        "E-colluders-cut",
        fmt::format("the {} part{} {} can cut the others apart, and an isolated part "
                    "has nobody to hide among",
                    cut->size(), cut->size() == 1 ? "y" : "ies", *cut),
        fmt::format("add edges until no {} parties separate the rest, or lower colluders",
                    colluders));
  }
  return {};
}

Spectrum safe_spectrum(const Graph& graph) {
  constexpr double kClosedFormError = 1e-14;
  constexpr double kComputedError = 1e-10;  // graph/spectrum.h promises it
  if (const auto known = closed_form_spectrum(graph)) {
    return {known->lambda_2 * (1 - kClosedFormError), known->lambda_max * (1 + kClosedFormError)};
  }
  const Spectrum computed = spectrum(graph);
  return {computed.lambda_2 * (1 - kComputedError), computed.lambda_max * (1 + kComputedError)};
}

double spare_share(double g) {
  return -std::expm1(-2 * std::log1p(g));
}

}  // namespace sotto
