#pragma once

#include <cstddef>
#include <vector>

#include "graph/graph.h"
#include "report/polyline.h"

namespace sotto {

enum class GraphShape { kSingle, kCycle, kPath, kStar, kComplete, kOther };

// Read off the edges: a record does not say what was asked for.
[[nodiscard]] GraphShape shape_of(const Graph& graph);

// Above this many parties a drawing in which distances mean something takes too
// long and shows nothing more: then everybody stands on a circle.
inline constexpr std::size_t kMostByDistance = 400;

// A place for every party, around the origin, none further from it than 1. Cycles,
// complete graphs and paths stand on a circle in their own order, a star around
// its middle; else the places have distances as near as possible to those in the
// graph (stress majorisation from classical scaling: Gansner, Koren, North 2004).
// The same graph, the same places.
[[nodiscard]] std::vector<Point> layout_graph(const Graph& graph);

// The same places, moved until no two are nearer than `least`, as far as that is
// possible within the rectangle of the given half-sides around the origin.
[[nodiscard]] std::vector<Point> spread_out(std::vector<Point> places, double least,
                                            double half_width, double half_height);

}  // namespace sotto
