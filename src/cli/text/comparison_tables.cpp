#include "cli/text/comparison_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/words.h"
#include "report/csv.h"

// Plans side by side, drawn and written.
namespace sotto {
namespace {

// What the comparison is about: the intervals, if most plans have some; else the error; without
// tables the noise.
std::optional<double> drawn(const ComparedPlan& each, bool tables, bool intervals) {
  if (!each.plan) return std::nullopt;
  if (!tables) return each.plan->sum_noise_sd;
  if (!intervals) return each.error;
  const auto share = each.median_share();
  return share ? std::optional(100 * *share) : std::nullopt;
}

// Over ε, one line for each solver that can do it.
LineChart over_epsilons(const PlanComparison& comparison) {
  const bool tables = !comparison.target.empty();
  const auto has_intervals = [](const ComparedPlan& each) { return !each.intervals.empty(); };
  const bool intervals = 2 * std::ranges::count_if(comparison.plans, has_intervals) >=
                         std::ranges::count_if(comparison.plans, [](const ComparedPlan& each) {
                           return each.plan.has_value();
                         });
  const std::string rows = sotto::counted(comparison.rows, "row", "rows");
  LineChart chart{
      .labels = {.title = fmt::format("{}: what ε buys", comparison.study),
                 .x = "ε",
                 .y = !tables     ? "noise on the sum"
                      : intervals ? fmt::format("half of a 95 % interval, % of {}'s bounds, {}",
                                                comparison.target, rows)
                                  : fmt::format("expected error, {}", rows)},
      .y_scale = Scale::kLog10};
  for (const ComparedPlan& each : comparison.plans) {
    const auto y = drawn(each, tables, intervals);
    if (!y) continue;
    const std::string name = to_string(each.solver);
    auto series = std::ranges::find(chart.series, name, &LineSeries::name);
    if (series == chart.series.end()) {
      series = chart.series.insert(chart.series.end(), LineSeries{.name = name});
    }
    series->x.push_back(each.epsilon);
    series->y.push_back(*y);
  }
  if (!tables || intervals) return chart;
  chart.references = {{.label = "predicting the mean", .y = 1},
                      {.label = "without noise", .y = 1 - AssumedTable{}.explained}};
  return chart;
}

// Where there are several topologies, a line says its own.
LineChart over_parties(const PlanComparison& comparison) {
  LineChart chart{.labels = {.title = fmt::format("{}: on other graphs", comparison.study),
                             .x = "parties",
                             .y = "noise on the sum"},
                  .y_scale = Scale::kLog10,
                  .x_scale = Scale::kLog10};
  for (const ComparedPlan& each : comparison.plans) {
    if (!each.plan) continue;
    const bool one = each.topology == comparison.plans.front().topology &&
                     each.topology == comparison.plans.back().topology;
    const std::string name =
        one ? to_string(each.solver)
            : fmt::format("{}, {}", to_string(each.solver), to_string(each.topology));
    auto series = std::ranges::find(chart.series, name, &LineSeries::name);
    if (series == chart.series.end()) {
      series = chart.series.insert(chart.series.end(), LineSeries{.name = name});
    }
    series->x.push_back(static_cast<double>(each.parties));
    series->y.push_back(each.plan->sum_noise_sd);
  }
  return chart;
}

}  // namespace

LineChart comparison_chart(const PlanComparison& comparison) {
  return comparison.over_graphs ? over_parties(comparison) : over_epsilons(comparison);
}

std::string comparison_csv(const PlanComparison& comparison) {
  std::vector<std::string> observers;
  for (const ComparedPlan& each : comparison.plans) {
    if (!each.plan) continue;
    for (const Adversary& adversary : each.plan->adversaries) {
      std::string name = observer_name(adversary);
      if (std::ranges::find(observers, name) == observers.end()) observers.push_back(name);
    }
  }
  std::vector<std::string> header{"topology", "parties",      "solver", "epsilon",
                                  "delta",    "sum_noise_sd", "rounds", "bytes"};
  for (const std::string& name : observers) header.push_back("epsilon_" + name);
  header.emplace_back("refusal");
  CsvWriter csv(header);
  for (const ComparedPlan& each : comparison.plans) {
    std::vector<std::string> row{to_string(each.topology), fmt::format("{}", each.parties),
                                 to_string(each.solver), fmt::format("{}", each.epsilon),
                                 fmt::format("{}", comparison.delta)};
    if (each.plan) {
      const Plan& plan = *each.plan;
      row.push_back(fmt::format("{}", plan.sum_noise_sd));
      row.push_back(plan.rounds.rounds ? fmt::format("{}", *plan.rounds.rounds) : "");
      row.push_back(plan.traffic.bytes > 0 ? fmt::format("{}", plan.traffic.bytes) : "");
      for (const std::string& name : observers) {
        const auto seen = std::ranges::find_if(
            plan.adversaries, [&](const Adversary& one) { return observer_name(one) == name; });
        row.push_back(seen == plan.adversaries.end() ? ""
                                                     : fmt::format("{}", seen->epsilon_at_delta));
      }
      row.emplace_back("");
    } else {
      row.resize(header.size() - 1);
      row.push_back(fmt::format("{}: {}", each.refusal->name, each.refusal->what));
    }
    csv.row_of(row);
  }
  return csv.text();
}

}  // namespace sotto
