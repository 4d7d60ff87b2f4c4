#pragma once

#include <span>
#include <string>
#include <vector>

namespace sotto {

// A place in a drawing; y points down.
struct Point {
  double x = 0;
  double y = 0;
};

// The same line with fewer points: of those that follow each other within one
// column of the given width, only the first, the lowest, the highest and the
// last are kept (M4: Jugel et al. 2014). With columns of half a pixel no pixel
// changes visibly, whatever the order of the points.
[[nodiscard]] std::vector<Point> decimate(std::span<const Point> line, double column);

// The same line without the points that lie within `tolerance` of a chord
// between their neighbours (Ramer, Douglas and Peucker). Ends are kept.
[[nodiscard]] std::vector<Point> simplify(std::span<const Point> line, double tolerance);

// "M1 2L3 4…", for the d attribute of a path.
[[nodiscard]] std::string path_data(std::span<const Point> line);

// Points along a line, no further apart than `step`.
[[nodiscard]] std::vector<Point> along(std::span<const Point> line, double step);

}  // namespace sotto
