#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "report/chart.h"

namespace sotto {

// Who talks with whom. Names stand beside the parties where all of them fit;
// otherwise parties are numbered from 1, as in every message, and above
// kMostNumbered they are dots.
struct GraphDrawing {
  std::string title{};
  std::vector<std::string> names{};  // one per party
  Graph graph;
  std::optional<PartyId> own{};  // the party that looks at the drawing
};

inline constexpr std::size_t kMostNamed = 24;
inline constexpr std::size_t kMostNumbered = 60;
inline constexpr std::size_t kMostDrawnEdges = 2000;  // of more, an even sample

[[nodiscard]] std::string standalone_svg(const GraphDrawing& drawing);
[[nodiscard]] InlineSvg inline_svg(const GraphDrawing& drawing);

// Whether names stand beside the parties in both drawings of inline_svg().
[[nodiscard]] bool shows_all_names(const GraphDrawing& drawing);

// "10 parties and 10 connections, a cycle: every party has 2 neighbours, …"
[[nodiscard]] std::string graph_in_words(const Graph& graph);

}  // namespace sotto
