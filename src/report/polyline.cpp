#include "report/polyline.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace sotto {
namespace {

double distance_to_chord(Point p, Point a, Point b) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double length2 = dx * dx + dy * dy;
  if (length2 == 0) return std::hypot(p.x - a.x, p.y - a.y);
  const double share = std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length2, 0.0, 1.0);
  return std::hypot(p.x - a.x - share * dx, p.y - a.y - share * dy);
}

}  // namespace

std::vector<Point> decimate(std::span<const Point> line, double column) {
  const auto column_of = [&](std::size_t i) { return std::floor(line[i].x / column); };
  std::vector<Point> kept;
  for (std::size_t first = 0; first < line.size();) {
    std::size_t lowest = first;
    std::size_t highest = first;
    std::size_t last = first;
    while (last + 1 < line.size() && column_of(last + 1) == column_of(first)) {
      ++last;
      if (line[last].y < line[lowest].y) lowest = last;
      if (line[last].y > line[highest].y) highest = last;
    }
    std::array<std::size_t, 4> order{first, lowest, highest, last};
    std::ranges::sort(order);
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i == 0 || order[i] != order[i - 1]) kept.push_back(line[order[i]]);
    }
    first = last + 1;
  }
  return kept;
}

std::vector<Point> simplify(std::span<const Point> line, double tolerance) {
  if (line.size() < 3) return {line.begin(), line.end()};
  std::vector<bool> keep(line.size(), false);
  keep.front() = keep.back() = true;
  // A stack in place of recursion: a long line may not exhaust the program's own.
  std::vector<std::pair<std::size_t, std::size_t>> chords{{0, line.size() - 1}};
  while (!chords.empty()) {
    const auto [from, to] = chords.back();
    chords.pop_back();
    double furthest = tolerance;
    std::size_t worst = from;
    for (std::size_t i = from + 1; i < to; ++i) {
      const double distance = distance_to_chord(line[i], line[from], line[to]);
      if (distance > furthest) {
        furthest = distance;
        worst = i;
      }
    }
    if (worst == from) continue;
    keep[worst] = true;
    chords.emplace_back(from, worst);
    chords.emplace_back(worst, to);
  }
  std::vector<Point> kept;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (keep[i]) kept.push_back(line[i]);
  }
  return kept;
}

std::string path_data(std::span<const Point> line) {
  std::string text;
  for (const Point& p : line) {
    text += fmt::format("{}{:.2f} {:.2f}", text.empty() ? 'M' : 'L', p.x, p.y);
  }
  return text;
}

std::vector<Point> along(std::span<const Point> line, double step) {
  std::vector<Point> points(line.begin(), line.end());
  for (std::size_t i = 1; i < line.size(); ++i) {
    const Point a = line[i - 1];
    const Point b = line[i];
    const double pieces = std::ceil(std::hypot(b.x - a.x, b.y - a.y) / step);
    for (double k = 1; k < pieces; ++k) {
      points.push_back({a.x + (b.x - a.x) * k / pieces, a.y + (b.y - a.y) * k / pieces});
    }
  }
  return points;
}

}  // namespace sotto
