// Plans of one study on several graphs, and how their numbers grow with the number of parties.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/json.h"
#include "base/words.h"
#include "plan/comparison_parts.h"

namespace sotto {
namespace comparing {

// What is fitted: its name, and its number in a plan, if it has one.
struct Quantity {
  std::string_view name;
  std::function<std::optional<double>(const Plan&)> of;
};

const std::vector<Quantity>& fitted_quantities() {
  static const std::vector<Quantity> all{
      {"noise", [](const Plan& plan) { return std::optional(plan.sum_noise_sd); }},
      {"rounds",
       [](const Plan& plan) -> std::optional<double> {
         if (!plan.rounds.rounds || *plan.rounds.rounds == 0) return std::nullopt;
         return static_cast<double>(*plan.rounds.rounds);
       }},
      {"bytes",
       [](const Plan& plan) -> std::optional<double> {
         if (plan.traffic.bytes == 0) return std::nullopt;
         return static_cast<double>(plan.traffic.bytes);
       }},
  };
  return all;
}

std::vector<GrowthLaw> laws_of(const PlanComparison& comparison,
                               std::span<const Topology> topologies,
                               std::span<const Solver> solvers) {
  std::vector<GrowthLaw> laws;
  for (const Topology topology : topologies) {
    for (const Solver solver : solvers) {
      for (const Quantity& quantity : fitted_quantities()) {
        std::vector<double> n;
        std::vector<double> values;
        for (const ComparedPlan& each : comparison.plans) {
          if (each.topology != topology || each.solver != solver || !each.plan) continue;
          const auto value = quantity.of(*each.plan);
          if (!value) continue;
          n.push_back(static_cast<double>(each.parties));
          values.push_back(*value);
        }
        auto law = fitted_law(n, values);
        if (!law) continue;
        law->topology = topology;
        law->solver = solver;
        law->of = quantity.name;
        laws.push_back(*std::move(law));
      }
    }
  }
  return laws;
}

std::string rounds_text(const Plan& plan) {
  return plan.rounds.rounds ? fmt::format("{}", *plan.rounds.rounds) : "–";
}

std::string bytes_text(const Plan& plan) {
  return plan.traffic.bytes > 0 ? fmt::format("{}", plan.traffic.bytes) : "–";
}

std::string law_text(const PlanComparison& comparison, Topology topology, Solver solver,
                     std::string_view of) {
  for (const GrowthLaw& law : comparison.laws) {
    if (law.topology != topology || law.solver != solver || law.of != of) continue;
    return law.error ? fmt::format("{:.3f} ± {:.3f}", law.exponent, *law.error)
                     : fmt::format("{:.3f}", law.exponent);
  }
  return "–";
}

std::string graphs_text(const PlanComparison& comparison) {
  const auto names = observers(comparison);
  std::string text = fmt::format("{}: on other graphs\n\n  {:<15} {:>9}  {:<8}  {:>10}",
                                 comparison.study, "topology", "parties", "solver", "noise");
  for (const std::string& name : names) text += fmt::format("  {:>{}}", name, name.size());
  text += fmt::format("  {:>9}  {:>12}\n", "rounds", "bytes");
  for (const ComparedPlan& each : comparison.plans) {
    text += fmt::format("  {:<15} {:>9}  {:<8}", to_string(each.topology), each.parties,
                        to_string(each.solver));
    if (!each.plan) {
      text += fmt::format("  refused: {}\n", each.refusal->what);
      continue;
    }
    text += fmt::format("  {:>10.4g}", each.plan->sum_noise_sd);
    for (const std::string& name : names) {
      text += fmt::format("  {:>{}}", epsilon_against(*each.plan, name), name.size());
    }
    text += fmt::format("  {:>9}  {:>12}\n", rounds_text(*each.plan), bytes_text(*each.plan));
  }
  if (!comparison.laws.empty()) {
    text +=
        fmt::format("\n  grows like n to the power of\n  {:<15} {:<8}  {:>15}  {:>15}  {:>15}\n",
                    "topology", "solver", "noise", "rounds", "bytes");
    std::vector<std::pair<Topology, Solver>> shown;
    for (const GrowthLaw& law : comparison.laws) {
      const std::pair both{law.topology, law.solver};
      if (std::ranges::find(shown, both) != shown.end()) continue;
      shown.push_back(both);
      text += fmt::format("  {:<15} {:<8}  {:>15}  {:>15}  {:>15}\n", to_string(law.topology),
                          to_string(law.solver),
                          law_text(comparison, law.topology, law.solver, "noise"),
                          law_text(comparison, law.topology, law.solver, "rounds"),
                          law_text(comparison, law.topology, law.solver, "bytes"));
    }
  }
  return text +
         fmt::format(
             "\n  noise      standard deviation in every entry of the sum\n"
             "  then       ε at δ = {:g} against each who watches; none: no ε holds\n"
             "  rounds     of averaging; –: decided during the run\n"
             "  bytes      sent by the party that sends most; –: too many parties to meet\n"
             "  ±          standard error of the slope between logarithms, from three n on\n",
             comparison.delta);
}

Json graphs_json(const PlanComparison& comparison) {
  const auto row = [&](const ComparedPlan& each) {
    Json json = plan_row_json(each, comparison.delta);
    json["topology"] = to_string(each.topology);
    json["parties"] = each.parties;
    return json;
  };
  const auto law = [](const GrowthLaw& each) -> Json {
    return {{"topology", to_string(each.topology)},
            {"solver", to_string(each.solver)},
            {"of", each.of},
            {"points", each.points},
            {"exponent", each.exponent},
            {"error", number_or_null(each.error)}};
  };
  return {{"study", comparison.study},
          {"delta", comparison.delta},
          {"rows", json_list(comparison.plans, row)},
          {"laws", json_list(comparison.laws, law)}};
}

}  // namespace comparing

// Slope b = Sxy/Sxx of y = ln value on x = ln n, and its error √(RSS/((N−2)·Sxx)).
std::optional<GrowthLaw> fitted_law(std::span<const double> n, std::span<const double> values) {
  const auto count = static_cast<double>(n.size());
  double mean_x = 0;
  double mean_y = 0;
  for (std::size_t k = 0; k < n.size(); ++k) {
    if (!(values[k] > 0) || !std::isfinite(values[k])) return std::nullopt;
    mean_x += std::log(n[k]) / count;
    mean_y += std::log(values[k]) / count;
  }
  double sxx = 0;
  double sxy = 0;
  for (std::size_t k = 0; k < n.size(); ++k) {
    sxx += std::pow(std::log(n[k]) - mean_x, 2);
    sxy += (std::log(n[k]) - mean_x) * (std::log(values[k]) - mean_y);
  }
  if (!(sxx > 1e-9)) return std::nullopt;
  GrowthLaw law;
  law.points = n.size();
  law.exponent = sxy / sxx;
  if (n.size() < 3) return law;
  double rest = 0;
  for (std::size_t k = 0; k < n.size(); ++k) {
    rest += std::pow(std::log(values[k]) - mean_y - law.exponent * (std::log(n[k]) - mean_x), 2);
  }
  law.error = std::sqrt(rest / (count - 2) / sxx);
  return law;
}

Result<PlanComparison> compare_graphs(const StudySource& source,
                                      std::span<const Topology> topologies,
                                      std::span<const Solver> solvers,
                                      std::span<const std::size_t> parties) {
  const std::size_t count = topologies.size() * solvers.size() * parties.size();
  if (count > kMostCompared) {
    return bad_input(
        "E-compare-many", fmt::format("{} plans to compare", count),
        fmt::format("at most {}: fewer topologies, solvers or numbers of parties", kMostCompared));
  }
  SOTTO_ASSIGN(const auto written, study_with(source, {}));
  const Epsilon epsilon = written.privacy.budget.epsilon;
  PlanComparison comparison{.study = written.name,
                            .target = written.data ? written.data->target.column : "",
                            .delta = written.privacy.budget.delta.value(),
                            .rows = kComparedRows,
                            .plans = {},
                            .over_graphs = true,
                            .laws = {}};
  for (const Topology topology : topologies) {
    // A graph is made once for all solvers, and what is known of it kept.
    std::vector<Result<Study>> studies;
    for (const std::size_t n : parties) studies.push_back(study_on(source, topology, n));
    for (const Solver solver : solvers) {
      for (std::size_t k = 0; k < parties.size(); ++k) {
        ComparedPlan each;
        if (studies[k]) {
          each = comparing::planned(*studies[k], epsilon, solver, kComparedRows);
        } else {
          each.refusal = studies[k].error();
        }
        each.epsilon = epsilon.value();
        each.solver = solver;
        each.topology = topology;
        each.parties = parties[k];
        comparison.plans.push_back(std::move(each));
      }
    }
  }
  comparison.laws = comparing::laws_of(comparison, topologies, solvers);
  return comparison;
}

}  // namespace sotto
