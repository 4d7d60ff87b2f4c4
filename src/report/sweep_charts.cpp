// Sweeps drawn: the points that were computed, in the order of the key's values.
#include "report/sweep_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "base/json.h"

namespace sotto {
namespace sweep_charts {

constexpr double kFarApart = 20;  // from there on an axis is logarithmic

// A positive number, and nothing else.
std::optional<double> positive_number(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number > 0 && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

// The one key that has several values; all of them positive numbers.
std::optional<std::size_t> swept_key(std::span<const SweepPoint> points) {
  std::optional<std::size_t> found;
  if (points.empty()) return found;
  for (std::size_t k = 0; k < points.front().settings.size(); ++k) {
    std::set<std::string> values;
    for (const SweepPoint& point : points) values.insert(point.settings[k].value);
    if (values.size() < 2) continue;
    if (found || !std::ranges::all_of(values, [](const std::string& value) {
          return positive_number(value).has_value();
        })) {
      return std::nullopt;
    }
    found = k;
  }
  return found;
}

std::string words_of(const std::string& key) {
  return key == "graph.parties" ? "parties" : key == "privacy.epsilon" ? "ε" : key;
}

Scale scale_of(double low, double high) {
  return low > 0 && high / low >= kFarApart ? Scale::kLog10 : Scale::kLinear;
}

// What one point has at y, low and high; points that have no number there are left out.
struct Drawn {
  double y = 0;
  std::optional<std::pair<double, double>> band;
};

template <class Of>
std::optional<LineChart> chart_of(std::span<const SweepPoint> points, const char* y, const Of& of) {
  const auto key = swept_key(points);
  if (!key) return std::nullopt;
  LineChart chart{.labels = {.title = "", .x = words_of(points.front().settings[*key].key), .y = y},
                  .y_scale = Scale::kLog10};
  std::vector<std::pair<double, const SweepPoint*>> ordered;
  for (const SweepPoint& point : points) {
    if (!point.refusal) ordered.emplace_back(*positive_number(point.settings[*key].value), &point);
  }
  std::ranges::stable_sort(ordered, {}, &std::pair<double, const SweepPoint*>::first);
  for (const auto& [x, point] : ordered) {
    const std::optional<Drawn> drawn = of(point->result);
    if (!drawn) continue;
    const std::string name = to_string(point->solver);
    auto series = std::ranges::find(chart.series, name, &LineSeries::name);
    if (series == chart.series.end()) {
      series = chart.series.insert(chart.series.end(), LineSeries{.name = name});
    }
    series->x.push_back(x);
    series->y.push_back(drawn->y);
    if (drawn->band) {
      series->band.low.push_back(drawn->band->first);
      series->band.high.push_back(drawn->band->second);
    }
  }
  if (chart.series.empty()) return std::nullopt;
  chart.labels.title = fmt::format("{} against {}", y, chart.labels.x);
  chart.x_scale = scale_of(ordered.front().first, ordered.back().first);
  return chart;
}

}  // namespace sweep_charts

std::optional<LineChart> error_chart(std::span<const SweepPoint> points) {
  using sweep_charts::Drawn;
  return sweep_charts::chart_of(points, "squared error", [](const Json& r) -> std::optional<Drawn> {
    const Json& summary = r["summary"];
    for (const char* name : {"q25", "median", "q75"}) {
      if (!summary[name].is_number()) return std::nullopt;
    }
    return Drawn{summary["median"],
                 std::pair{summary["q25"].get<double>(), summary["q75"].get<double>()}};
  });
}

std::optional<LineChart> noise_chart(std::span<const SweepPoint> points) {
  using sweep_charts::Drawn;
  return sweep_charts::chart_of(points, "noise on the sum",
                                [](const Json& r) -> std::optional<Drawn> {
                                  const Json& noise = r["plan"]["accuracy"]["sum_noise_sd"];
                                  if (!noise.is_number()) return std::nullopt;
                                  return Drawn{noise, std::nullopt};
                                });
}

}  // namespace sotto
