#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "report/chart.h"
#include "report/frame.h"
#include "report/text.h"

// Pairs of columns as coloured squares.
namespace sotto::report {
namespace {

constexpr double kNameSize = 12;
constexpr double kWidestColumnName = 210;
constexpr double kLargestCell = 52;
constexpr double kRoomForNumber = 31;  // a cell that is smaller shows its colour alone
// The colour of ±1. No stronger, so that a number in ink can be read on it, in the dark too.
constexpr double kStrongest = 0.5;
constexpr std::size_t kPositive = 0;
constexpr std::size_t kNegative = 1;

std::string signed_text(double value) {
  return with_minus_sign(fmt::format("{:.2f}", value));
}

}  // namespace

std::string draw(const HeatMap& map, Medium medium) {
  const std::size_t n = map.names.size();
  check(map.cells.size() == n, "a heat map has a row for each name");
  const bool telephone = medium == Medium::kTelephone;
  double widest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    widest = std::max(widest, text_width(fmt::format("{}  {}", i + 1, map.names[i]), kNameSize));
  }
  widest = std::min(widest, telephone ? 130.0 : kWidestColumnName);
  const double left = kMargin + widest + 10;
  const double room = width_of(medium) - kMargin - left;
  const double cell =
      std::min(kLargestCell, room / static_cast<double>(std::max<std::size_t>(n, 1)));

  const auto sample = [](std::size_t series, std::string name) {
    return LegendEntry{
        .name = std::move(name),
        .sample = {.fill = series_color(series), .opacity = kStrongest, .stroke = Color::kGrid}};
  };
  Frame frame(medium, map.title, {sample(kPositive, "+1"), sample(kNegative, "−1")});
  const double head = 22;
  frame.begin_plot(left, left + cell * static_cast<double>(n),
                   head + cell * static_cast<double>(n) + 10);
  const double top = frame.top() + head;
  std::string words = "Heat map of pairs.";
  for (std::size_t i = 0; i < n; ++i) {
    const double at = static_cast<double>(i) * cell;
    check(map.cells[i].size() == n, "a heat map is square");
    // Every number that fits; of the others, a few.
    if (cell >= 15 || i % 5 == 4 || i == 0) {
      frame.text({left + at + cell / 2, top - 7}, fmt::format("{}", i + 1),
                 {.kind = "column", .size = 11, .color = Color::kMuted, .anchor = "middle"});
    }
    if (cell >= 13) {
      frame.text({left - 8, top + at + cell / 2 + 4}, fmt::format("{}  {}", map.names[i], i + 1),
                 {.kind = "row-name", .size = kNameSize, .anchor = "end", .room = widest});
    }
    for (std::size_t k = 0; k < n; ++k) {
      const HeatMap::Cell& one = map.cells[i][k];
      const double x = left + static_cast<double>(k) * cell;
      const double strength = std::clamp(std::abs(one.value.value_or(0)), 0.0, 1.0);
      const Color color = series_color(one.value.value_or(0) < 0 ? kNegative : kPositive);
      const std::string told = one.words.empty() ? "" : one.words;
      frame.open_group("cell", told);
      frame.rect({x, top + at}, cell, cell,
                 {.kind = "heat", .fill = Color::kPaper, .stroke = Color::kGrid, .width = 0.75});
      if (strength > 0) {
        frame.rect({x, top + at}, cell, cell, {.fill = color, .opacity = kStrongest * strength});
      }
      if (cell >= kRoomForNumber) {
        frame.text({x + cell / 2, top + at + cell / 2 + 4},
                   one.value ? signed_text(*one.value) : "?",
                   {.kind = "value", .size = 11, .anchor = "middle"});
      }
      frame.close_group();
      if (k < i && !told.empty()) words += fmt::format(" {}.", told);
    }
  }
  return frame.finish(words, map.note);
}

}  // namespace sotto::report
