// The trade-off curves of an audit, and their limits.
#include "report/audit_chart.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "report/text.h"

namespace sotto {

namespace {

// (ε, δ) allows no test with false alarms α to miss less than
//
//     max(0, 1 − δ − e^ε·α, e^−ε(1 − δ − α)).                     [WZ10], [KOV15]
LineSeries limit_of(double epsilon, double delta) {
  LineSeries limit{
      .name = "the limit at ε = " + report::number_text(epsilon), .x = {}, .y = {}, .band = {}};
  const double growth = std::exp(epsilon);
  for (int k = 0; k <= 100; ++k) {
    const double alarms = k / 100.0;
    limit.x.push_back(alarms);
    limit.y.push_back(std::max({0.0, 1 - delta - growth * alarms, (1 - delta - alarms) / growth}));
  }
  return limit;
}

}  // namespace

LineChart trade_off_chart(const Budget& budget, const AuditReport& report) {
  LineChart chart{.labels = {.title = "What attacks reached, and what each claim lets nobody pass",
                             .x = "world 0 taken for world 1",
                             .y = "world 1 taken for world 0"},
                  .series = {},
                  .references = {}};
  for (const AuditedObserver& observer : report.observers) {
    const double epsilon = observer.claimed.epsilon_at_delta;
    const std::string claim = std::isfinite(epsilon) ? ", ε = " + report::number_text(epsilon)
                                                     : std::string(", no ε claimed");
    chart.series.push_back({.name = observer_name(observer.claimed) + claim,
                            .x = observer.curve.false_alarm,
                            .y = observer.curve.missed,
                            .band = {}});
  }
  // Observers of one claim have one limit.
  std::set<std::string> drawn;
  for (const AuditedObserver& observer : report.observers) {
    if (!std::isfinite(observer.claimed.epsilon_at_delta)) continue;
    LineSeries limit = limit_of(observer.claimed.epsilon_at_delta, budget.delta.value());
    if (drawn.insert(limit.name).second) chart.series.push_back(std::move(limit));
  }
  return chart;
}

}  // namespace sotto
