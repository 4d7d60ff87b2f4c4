#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "report/frame.h"

namespace sotto {
namespace {

constexpr double kSize = 12;        // of the labels' text
constexpr double kRim = 3;          // kept free beside a label
constexpr double kInset = 4;        // from the ends of the axis
constexpr int kPlaces = 24;         // tried along a line
constexpr double kCollision = 1e6;  // of two labels: worse than any data below
constexpr double kMostCovered = 3;  // drawn points that a label may hide

struct Box {
  double left, top, right, bottom;
  [[nodiscard]] bool holds(Point p) const {
    return p.x >= left - kRim && p.x <= right + kRim && p.y >= top && p.y <= bottom;
  }
  [[nodiscard]] bool meets(const Box& b) const {
    return left < b.right && b.left < right && top < b.bottom && b.top < bottom;
  }
};

}  // namespace

void Frame::draw_references(const std::vector<ReferenceLine>& lines,
                            const std::vector<Point>& drawn) {
  std::vector<Box> taken;
  for (const ReferenceLine& line : lines) {
    if (!drawable(line.y, y_axis_.scale)) continue;
    const double at = y(line.y);
    svg_.element("line", {{"class", "reference"},
                          {"x1", left_},
                          {"x2", right_},
                          {"y1", at},
                          {"y2", at},
                          {"stroke", svg_.ink(Ink::kText)},
                          {"stroke-width", 1.25},
                          {"stroke-dasharray", "1 3"},
                          {"stroke-linecap", "round"}});
    const std::string label = shorten(line.label, right_ - left_ - 2 * kInset, kSize);
    const double width = text_width(label, kSize);

    // Above the line before below it, at its right end before its left.
    double fewest = std::numeric_limits<double>::infinity();
    Box best{};
    for (const double bottom_edge : {at - 3, at + 4 + kSize + 2}) {
      for (int place = kPlaces; place >= 0; --place) {
        const double share = static_cast<double>(place) / kPlaces;
        const double from = left_ + kInset + share * (right_ - left_ - 2 * kInset - width);
        const Box box{from, bottom_edge - kSize - 2, from + width, bottom_edge};
        if (box.top < top_ || box.bottom > bottom()) continue;
        double cost = static_cast<double>(
            std::ranges::count_if(drawn, [&](Point p) { return box.holds(p); }));
        for (const Box& other : taken) cost += other.meets(box) ? kCollision : 0;
        if (cost < fewest) {
          fewest = cost;
          best = box;
        }
      }
    }
    if (fewest > kMostCovered) {
      draw_reference_key(line);
      continue;
    }
    taken.push_back(best);
    svg_.text(best.left, best.bottom - 3, label,
              {.size = kSize, .halo = true, .kind = "reference"});
  }
}

// With its value, because there may be several.
void Frame::draw_reference_key(const ReferenceLine& line) {
  constexpr double kLine = 17;
  const double from = kMargin + kLegendSampleWidth + 7;
  svg_.element("line", {{"class", "reference-key"},
                        {"x1", kMargin},
                        {"x2", kMargin + kLegendSampleWidth},
                        {"y1", height_ + 2},
                        {"y2", height_ + 2},
                        {"stroke", svg_.ink(Ink::kText)},
                        {"stroke-width", 1.25},
                        {"stroke-dasharray", "1 3"},
                        {"stroke-linecap", "round"}});
  const std::string value = fmt::format(" ({})", number_text(line.y));
  const double room = size_.width - kMargin - from - text_width(value, kSize);
  svg_.text(from, height_ + 6, shorten(line.label, room, kSize) + value,
            {.size = kSize, .kind = "reference"});
  height_ += kLine;
}

}  // namespace sotto
