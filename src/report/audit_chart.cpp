// The trade-off curve of an audit.
#include "report/audit_chart.h"

#include <algorithm>
#include <cmath>

namespace sotto {

// (ε, δ) allows no test with false alarms α to miss less than
//
//     max(0, 1 − δ − e^ε·α, e^−ε(1 − δ − α)).                     [WZ10], [KOV15]
LineChart trade_off_chart(const PlannedStudy& planned, const AuditReport& report) {
  LineChart chart{.labels = {.title = "What attacks reached, and what may not be passed",
                             .x = "world 0 taken for world 1",
                             .y = "world 1 taken for world 0"},
                  .series = {},
                  .references = {}};
  const Budget& budget = planned.study.privacy.budget;
  LineSeries limit{.name = "the limit of (ε, δ)", .x = {}, .y = {}, .band = {}};
  for (int k = 0; k <= 100; ++k) {
    const double alarms = k / 100.0;
    const double delta = budget.delta.value();
    const double growth = std::exp(budget.epsilon.value());
    limit.x.push_back(alarms);
    limit.y.push_back(std::max({0.0, 1 - delta - growth * alarms, (1 - delta - alarms) / growth}));
  }
  chart.series.push_back(std::move(limit));
  for (const AuditedObserver& observer : report.observers) {
    chart.series.push_back({.name = observer_name(observer.claimed),
                            .x = observer.curve.false_alarm,
                            .y = observer.curve.missed,
                            .band = {}});
  }
  return chart;
}

}  // namespace sotto
