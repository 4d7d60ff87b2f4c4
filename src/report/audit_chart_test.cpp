#include "report/audit_chart.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

AuditedObserver observed(Observer observer, double epsilon, double missed) {
  AuditedObserver result;
  result.claimed = {.observer = observer, .epsilon_at_delta = epsilon};
  result.curve = {.false_alarm = {0, 0.5, 1}, .missed = {1, missed, 0}};
  return result;
}

std::vector<std::string> names(const LineChart& chart) {
  std::vector<std::string> result;
  for (const LineSeries& series : chart.series) result.push_back(series.name);
  return result;
}

// A neighbour may pass what was asked for, where its own row claims more: that disproves nothing.
TEST(AuditChart, HasALimitForEachClaimAndNoneWhereNothingIsClaimed) {
  AuditReport report;
  report.observers = {
      observed(Observer::kEavesdropper, 1, 0.3), observed(Observer::kNeighbour, 2, 0.1),
      observed(Observer::kColluders, 1, 0.3),
      observed(Observer::kAllNeighbours, std::numeric_limits<double>::infinity(), 0)};
  const LineChart chart = trade_off_chart(*Budget::make(1, 0.05), report);
  EXPECT_THAT(names(chart),
              ElementsAre(HasSubstr("eavesdropper, ε = 1"), HasSubstr("neighbour, ε = 2"),
                          HasSubstr("colluders"), HasSubstr("all-neighbours, no ε"),
                          "the limit at ε = 1", "the limit at ε = 2"));
  // At α = 1/2: e^−ε(1 − δ − α), and less of it the larger ε is.
  EXPECT_NEAR(chart.series[4].y.at(50), 0.45 * std::exp(-1), 1e-12);
  EXPECT_NEAR(chart.series[5].y.at(50), 0.45 * std::exp(-2), 1e-12);
  EXPECT_EQ(chart.series[4].y.at(0), 0.95);
  EXPECT_EQ(chart.series[4].y.at(100), 0);
}

}  // namespace
}  // namespace sotto
