#include "plan/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/words.h"
#include "plan/comparison_parts.h"

// Plans of one study at several ε, as a table and for scripts.
namespace sotto {
namespace comparing {

std::vector<double> shares(const ComparedPlan& plan) {
  std::vector<double> found;
  for (const ExpectedInterval& interval : plan.intervals) {
    if (interval.share) found.push_back(*interval.share);
  }
  std::ranges::sort(found);
  return found;
}

ComparedPlan planned(const Study& study, Epsilon epsilon, Solver solver, std::uint64_t rows) {
  ComparedPlan made{.epsilon = epsilon.value(),
                    .solver = solver,
                    .topology = study.graph().topology(),
                    .parties = study.graph().size(),
                    .study = study,
                    .plan = {},
                    .refusal = {},
                    .error = {},
                    .intervals = {},
                    .no_intervals = {}};
  made.study->privacy.budget.epsilon = epsilon;
  made.study->solver = solver;
  auto plan = make_plan(*made.study, solver);
  if (!plan) {
    made.refusal = plan.error();
    return made;
  }
  made.plan = std::move(*plan);
  if (!made.plan->expected) return made;
  const auto all = static_cast<double>(rows);
  made.error = expected_error(*made.study, made.plan->sum_noise_sd, all);
  if (auto intervals = expected_intervals(*made.study, made.plan->sum_noise_sd, all)) {
    made.intervals = std::move(*intervals);
  } else {
    made.no_intervals = intervals.error().what;
  }
  return made;
}

std::string percent(const std::optional<double>& share) {
  if (!share) return "none";
  return fmt::format("±{:.{}f} %", 100 * *share, *share < 0.1 ? 1 : 0);
}

std::vector<std::string> observers(const PlanComparison& comparison) {
  std::vector<std::string> names;
  for (const ComparedPlan& each : comparison.plans) {
    if (!each.plan) continue;
    for (const Adversary& adversary : each.plan->adversaries) {
      std::string name = observer_name(adversary);
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  }
  return names;
}

std::string epsilon_against(const Plan& plan, const std::string& observer) {
  for (const Adversary& adversary : plan.adversaries) {
    if (observer_name(adversary) != observer) continue;
    const double epsilon = adversary.epsilon_at_delta;
    return std::isfinite(epsilon) ? fmt::format("{:.3g}", epsilon) : "none";
  }
  return "–";
}

std::string explanation(const PlanComparison& comparison) {
  const AssumedTable assumed;
  std::string text;
  if (!comparison.target.empty()) {
    text += fmt::format(
        "\n  error      squared error of predictions of {0} over that of predicting its mean;\n"
        "             {1:.2f} without noise\n"
        "  interval   half of a 95 % interval of what a feature moves {0} by, from one bound to "
        "the\n"
        "             other, against the width of {0}'s bounds; the median over coefficients.\n"
        "             none: the noise is too large for intervals\n",
        comparison.target, 1 - assumed.explained);
  }
  text += fmt::format(
      "{}  noise      standard deviation in every entry of the sum\n"
      "  then       ε at δ = {:g} against each who watches; none: no ε holds\n",
      comparison.target.empty() ? "\n" : "", comparison.delta);
  if (comparison.target.empty()) return text;
  return text + fmt::format(
                    "\n  Assumed: features spread over {:.0f} % of their bounds and explain "
                    "{:.0f} % of {}. No data was touched.\n",
                    100 * assumed.feature_sd, 100 * assumed.explained, comparison.target);
}

Json plan_row_json(const ComparedPlan& each, double delta) {
  if (!each.plan) {
    const Error& refusal = *each.refusal;
    return {{"solver", to_string(each.solver)},
            {"privacy", {{"epsilon", each.epsilon}, {"delta", delta}}},
            {"refusal",
             {{"name", refusal.name},
              {"what", refusal.what},
              {"where", refusal.where},
              {"fix", refusal.fix}}}};
  }
  Json json = to_json(*each.study, *each.plan);
  if (!each.error) return json;
  const auto interval_json = [](const ExpectedInterval& interval) -> Json {
    return {{"name", interval.coefficient},
            {"half_width", number_or_null(interval.half_width)},
            {"share", number_or_null(interval.share)}};
  };
  json["expected"] = {{"error", number_or_null(*each.error)},
                      {"intervals", json_list(each.intervals, interval_json)},
                      {"median_share", number_or_null(each.median_share())},
                      {"largest_share", number_or_null(each.largest_share())},
                      {"no_intervals", each.no_intervals}};
  return json;
}

}  // namespace comparing

std::optional<double> ComparedPlan::median_share() const {
  const auto sorted = comparing::shares(*this);
  if (sorted.empty()) return std::nullopt;
  return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
}

std::optional<double> ComparedPlan::largest_share() const {
  const auto sorted = comparing::shares(*this);
  return sorted.empty() ? std::nullopt : std::optional(sorted.back());
}

Result<PlanComparison> compare_plans(const Study& study, std::span<const double> epsilons,
                                     std::span<const Solver> solvers, std::uint64_t rows) {
  if (epsilons.size() * solvers.size() > kMostCompared) {
    return bad_input("E-compare-many",
                     fmt::format("{} plans to compare", epsilons.size() * solvers.size()),
                     fmt::format("at most {}: fewer ε, or fewer solvers", kMostCompared));
  }
  PlanComparison comparison{.study = study.name,
                            .target = study.data ? study.data->target.column : "",
                            .delta = study.privacy.budget.delta.value(),
                            .rows = rows,
                            .plans = {},
                            .laws = {}};
  for (const double number : epsilons) {
    SOTTO_ASSIGN(const auto epsilon, Epsilon::make(number));
    for (const Solver solver : solvers) {
      comparison.plans.push_back(comparing::planned(study, epsilon, solver, rows));
    }
  }
  return comparison;
}

std::string to_text(const PlanComparison& comparison) {
  if (comparison.over_graphs) return comparing::graphs_text(comparison);
  const bool tables = !comparison.target.empty();
  const auto names = comparing::observers(comparison);
  std::string text = fmt::format("{}: what ε buys", comparison.study);
  if (tables) {
    text +=
        fmt::format(" with {} {} in all", comparison.rows, comparison.rows == 1 ? "row" : "rows");
  }
  text += fmt::format("\n\n  {:>6}  {:<8}", "ε", "solver");
  if (tables) text += fmt::format("  {:>6}  {:>9}", "error", "interval");
  text += fmt::format("  {:>9}", "noise");
  for (const std::string& name : names) text += fmt::format("  {:>{}}", name, name.size());
  text += '\n';
  for (const ComparedPlan& each : comparison.plans) {
    text += fmt::format("  {:>6g}  {:<8}", each.epsilon, to_string(each.solver));
    if (!each.plan) {
      text += fmt::format("  refused: {}\n", each.refusal->what);
      continue;
    }
    if (tables) {
      text += fmt::format("  {:>6}  {:>9}", each.error ? fmt::format("{:.2f}", *each.error) : "–",
                          comparing::percent(each.median_share()));
    }
    text += fmt::format("  {:>9.4g}", each.plan->sum_noise_sd);
    for (const std::string& name : names) {
      text += fmt::format("  {:>{}}", comparing::epsilon_against(*each.plan, name), name.size());
    }
    text += '\n';
  }
  return text + comparing::explanation(comparison);
}

Json to_json(const PlanComparison& comparison) {
  if (comparison.over_graphs) return comparing::graphs_json(comparison);
  return {{"study", comparison.study},
          {"delta", comparison.delta},
          {"assumed_rows", comparison.rows},
          {"rows", json_list(comparison.plans, [&](const ComparedPlan& each) {
             return comparing::plan_row_json(each, comparison.delta);
           })}};
}

}  // namespace sotto
