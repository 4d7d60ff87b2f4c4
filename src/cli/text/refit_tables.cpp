#include "cli/text/refit_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/words.h"

namespace sotto {
namespace {

constexpr double kShownLoading = 0.25;

std::vector<std::string> names_of(const Release& release,
                                  const std::vector<Eigen::Index>& columns) {
  const std::vector<std::string> all = release.columns();
  std::vector<std::string> names;
  for (const Eigen::Index k : columns) names.push_back(all[static_cast<std::size_t>(k)]);
  return names;
}

std::vector<std::string> names_of(const Chosen& chosen, const Candidate& candidate) {
  std::vector<std::string> names;
  for (const std::size_t k : candidate.groups) names.push_back(chosen.names[k]);
  return names;
}

Json candidate_json(const Chosen& chosen, const Candidate& candidate) {
  return {{"features", names_of(chosen, candidate)},
          {"coefficients", candidate.coefficients},
          {"wald", candidate.wald},
          {"criterion", candidate.criterion}};
}

}  // namespace

std::string search_text(const Chosen& chosen) {
  std::string text = fmt::format("  {:>12} {:>10} {:>13}  {}\n", "coefficients", "left out",
                                 "criterion", "features");
  for (const Candidate& candidate : chosen.search.tried) {
    const auto names = names_of(chosen, candidate);
    text += fmt::format("{} {:>12} {:>10.2f} {:>13.2f}  {}\n",
                        candidate.groups == chosen.search.best.groups ? '*' : ' ',
                        candidate.coefficients, candidate.wald, candidate.criterion,
                        names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
  }
  return text + fmt::format(
                    "\n  {} tried. Left out: how far from 0 the coefficients are that a set "
                    "leaves out,\n  the noise counted in; with noise the rows are worth {:.0f}.\n",
                    sotto::counted(chosen.search.subsets, "set", "sets"),
                    chosen.search.effective_rows);
}

Json search_json(const Chosen& chosen) {
  return {{"subsets", chosen.search.subsets},
          {"effective_rows", chosen.search.effective_rows},
          {"best", candidate_json(chosen, chosen.search.best)},
          {"tried", json_list(chosen.search.tried,
                              [&](const Candidate& c) { return candidate_json(chosen, c); })}};
}

std::string correlations_text(const Release& release, const Correlations& found) {
  const auto names = names_of(release, found.columns);
  std::string text = "  correlations, with standard errors that count the noise\n\n";
  for (std::size_t j = 0; j < names.size(); ++j) {
    for (std::size_t k = j + 1; k < names.size(); ++k) {
      const Correlation& c = found.entries[j][k];
      text += c.known ? fmt::format("  {:<24} {:<24} {:>7.3f} ± {:.3f}\n", names[j], names[k],
                                    c.value, c.standard_error)
                      : fmt::format("  {:<24} {:<24} lost in the noise\n", names[j], names[k]);
    }
  }
  return text;
}

Json correlations_json(const Release& release, const Correlations& found) {
  const auto matrix = [&](double Correlation::*field) {
    return json_list(found.entries, [&](const std::vector<Correlation>& row) {
      return json_list(row,
                       [&](const Correlation& c) { return c.known ? Json(c.*field) : Json(); });
    });
  };
  return {{"columns", names_of(release, found.columns)},
          {"correlations", matrix(&Correlation::value)},
          {"standard_errors", matrix(&Correlation::standard_error)}};
}

std::string components_text(const Release& release, const Components& found) {
  const auto names = names_of(release, found.columns);
  std::string text = fmt::format("  {:>2} {:>12} {:>10} {:>7}  {:<12} {}\n", "", "variance", "±",
                                 "share", "", "mostly");
  for (std::size_t k = 0; k < found.components.size(); ++k) {
    const Component& c = found.components[k];
    std::vector<std::string> mostly;
    for (std::size_t j = 0; j < names.size(); ++j) {
      const double loading = c.loadings(static_cast<Eigen::Index>(j));
      if (std::abs(loading) >= kShownLoading) {
        mostly.push_back(fmt::format("{:+.2f} {}", loading, names[j]));
      }
    }
    text += fmt::format("  {:>2} {:>12.5g} {:>10.2g} {:>5.1f} %  {:<12} {}\n", k + 1, c.variance,
                        c.standard_error, 100 * c.share, c.above_noise ? "" : "noise",
                        fmt::join(mostly, " "));
  }
  return text +
         "\n  Variances in units where every column's bounds are -1 and 1. \"noise\": this "
         "axis could be noise alone.\n";
}

Json components_json(const Release& release, const Components& found) {
  const auto component_json = [](const Component& c) -> Json {
    return {{"variance", c.variance},
            {"standard_error", c.standard_error},
            {"share", c.share},
            {"above_noise", c.above_noise},
            {"loadings", std::vector<double>(c.loadings.begin(), c.loadings.end())}};
  };
  return {{"columns", names_of(release, found.columns)},
          {"components", json_list(found.components, component_json)}};
}

std::string comparison_text(const std::string& target, const NestedTest& test) {
  return fmt::format(
      "  {}: does the larger model explain more?\n\n  F = {:.4g} on {:.0f} and {:.0f} degrees of "
      "freedom, p = {:.3g}\n\n  The noise is counted in: {}.\n",
      target, test.f, test.left_out, test.residual, test.p,
      test.p < 0.05 ? "what the smaller model leaves out is more than chance and noise"
                    : "what the smaller model leaves out may be chance and noise alone");
}

Json comparison_json(const std::string& target, const NestedTest& test) {
  return {{"target", target},
          {"f", test.f},
          {"left_out", test.left_out},
          {"residual", test.residual},
          {"p", test.p}};
}

}  // namespace sotto
