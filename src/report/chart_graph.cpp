#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "report/chart.h"
#include "report/frame.h"
#include "report/text.h"

// Parties on a circle, in an order in which as many neighbours as possible stand side by side.
namespace sotto::report {
namespace {

constexpr double kPartySize = 12;   // of a party's name
constexpr double kNumberSize = 11;  // of its number
constexpr double kNameGap = 5;      // between a party and its name
constexpr double kNamedNode = 8;    // radius of a party that has a name beside it
// Within these limits no name meets another, nor a star's middle its rays' ends.
constexpr std::size_t kMostNamed = 14;
constexpr double kWidestParty = 140;
constexpr double kSmallestNamed = 70;      // radius of the circle
constexpr double kMostDiameterWork = 1e8;  // parties × edges: above, nobody waits for it
constexpr std::size_t kMostNeighboursTold = 12;

enum class PartyLabels { kNames, kNumbers, kNone };

// Where everything stands, around the origin.
struct Placement {
  PartyLabels labels = PartyLabels::kNone;
  std::vector<Point> places;
  double node_radius = 0;
  double half_height = 0;
};

// Party 0 or one at an end, then always the first neighbour that is new: a cycle or
// path in its own order, whatever its numbering.
std::vector<PartyId> walk(const Graph& graph) {
  std::vector<PartyId> order;
  std::vector<bool> seen(graph.size(), false);
  const auto visit = [&](PartyId at) {
    while (!seen[at]) {
      seen[at] = true;
      order.push_back(at);
      for (const PartyId next : graph.neighbours(at)) {
        if (seen[next]) continue;
        at = next;
        break;
      }
    }
  };
  for (PartyId i = 0; i < graph.size() && order.empty(); ++i) {
    if (graph.degree(i) == 1) visit(i);
  }
  for (PartyId i = 0; i < graph.size(); ++i) visit(i);
  return order;
}

bool is_star(const Graph& graph) {
  return graph.size() > 3 && graph.edges().size() == graph.size() - 1 &&
         graph.max_degree() == graph.size() - 1;
}

// Clockwise from the top; two parties stand side by side, a star's middle in the middle.
std::vector<Point> on_circle(const Graph& graph, double radius) {
  std::vector<PartyId> order = walk(graph);
  if (is_star(graph)) {
    std::erase_if(order, [&](PartyId i) { return graph.degree(i) > 1; });
  }
  std::vector<Point> places(graph.size());
  if (graph.size() == 1) return places;
  const double quarter = order.size() == 2 ? -0.25 : 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double turn = static_cast<double>(k) / static_cast<double>(order.size()) + quarter;
    const double angle = 2 * std::numbers::pi * turn;
    places[order[k]] = {radius * std::sin(angle), -radius * std::cos(angle)};
  }
  return places;
}

Placement arranged(const Graph& graph, PartyLabels labels, double radius, double node_radius) {
  Placement result{.labels = labels,
                   .places = on_circle(graph, radius),
                   .node_radius = node_radius,
                   .half_height = node_radius + kPartySize + 10};
  double highest = 0;
  for (const Point& p : result.places) highest = std::max(highest, std::abs(p.y));
  result.half_height += highest;
  return result;
}

Placement place(const GraphDrawing& drawing, ChartSize size) {
  const std::size_t n = drawing.graph.size();
  const double round =
      static_cast<double>(n) / (2 * std::numbers::pi);  // of a circle, to its radius
  double widest = 0;
  for (const std::string& name : drawing.names) {
    widest = std::max(widest, text_width(name, kPartySize));
  }
  const double room = size.width / 2 - kMargin - widest - kNameGap - kNamedNode;
  if (n <= kMostNamed && widest <= kWidestParty && room >= kSmallestNamed) {
    return arranged(drawing.graph, PartyLabels::kNames,
                    std::min(room, std::clamp(34 * round, 90.0, 150.0)), kNamedNode);
  }
  const double largest = size.width < kWideChart.width ? 162 : 220;
  const double radius = n > 30 ? largest : std::clamp(38 * round, 90.0, 150.0);
  const double spacing = radius / round;
  if (n <= kMostNumbered) {
    return arranged(drawing.graph, PartyLabels::kNumbers, radius,
                    std::clamp((spacing - 1) / 2, 7.5, 11.0));
  }
  return arranged(drawing.graph, PartyLabels::kNone, radius, std::clamp(0.4 * spacing, 1.0, 5.0));
}

std::string neighbours_in_words(const GraphDrawing& drawing, PartyId party) {
  const auto neighbours = drawing.graph.neighbours(party);
  std::string text = fmt::format("{}: {}", drawing.names[party],
                                 plural(neighbours.size(), "neighbour", "neighbours"));
  for (std::size_t k = 0; k < std::min(neighbours.size(), kMostNeighboursTold); ++k) {
    text += fmt::format("{}{}", k == 0 ? " (" : ", ", drawing.names[neighbours[k]]);
  }
  if (neighbours.size() > kMostNeighboursTold) text += ", …";
  return neighbours.empty() ? text : text + ")";
}

// All in one path: thousands of elements would make the page slow.
void draw_edges(Svg& svg, const Graph& graph, const std::vector<Point>& places) {
  const auto edges = graph.edges();
  const std::size_t drawn = std::min(edges.size(), kMostDrawnEdges);
  std::string path;
  for (std::size_t k = 0; k < drawn; ++k) {
    const Edge& edge = edges[k * edges.size() / drawn];
    path += path_data({places[edge.a], places[edge.b]});
  }
  if (path.empty()) return;
  const double opacity = std::clamp(12 / std::sqrt(static_cast<double>(drawn)), 0.15, 0.7);
  svg.path(path, {.kind = "edges",
                  .opacity = opacity,
                  .stroke = svg.ink(Ink::kMuted),
                  .width = drawn > 200 ? 0.75 : 1.5});
}

void draw_party(Svg& svg, const GraphDrawing& drawing, const Placement& placement, PartyId i,
                Point middle) {
  const Point offset = placement.places[i];
  const Point p{middle.x + offset.x, middle.y + offset.y};
  const std::string color = svg.series_color(drawing.own == i ? 1 : 0);
  const std::string paper = svg.ink(Ink::kPaper);
  const bool numbered = placement.labels == PartyLabels::kNumbers;
  svg.open_group("party", neighbours_in_words(drawing, i));
  if (drawing.own == i) {
    svg.circle(p, placement.node_radius + 4, {.kind = "own", .stroke = color, .width = 1.5});
  }
  svg.circle(p, placement.node_radius,
             {.fill = numbered ? paper : color,
              .stroke = numbered ? color : paper,
              .width = std::min(1.5, placement.node_radius / 4)});
  if (numbered) {
    svg.text({p.x, p.y + 4}, fmt::format("{}", i + 1),
             {.size = kNumberSize, .anchor = "middle", .kind = "party-number"});
  } else if (placement.labels == PartyLabels::kNames) {
    // Beside it, away from the middle; above and below at the very top and bottom.
    const double away = placement.node_radius + kNameGap;
    const bool side = std::abs(offset.x) > 0.1 * std::abs(offset.y);
    const double sign = (side ? offset.x : offset.y) < 0 ? -1 : 1;
    svg.text({p.x + (side ? sign * away : 0), p.y + 4 + (side ? 0 : sign * (away + 5))},
             drawing.names[i],
             {.size = kPartySize,
              .anchor = !side      ? "middle"
                        : sign < 0 ? "end"
                                   : "start",
              .halo = true,
              .kind = "party-name"});
  }
  svg.close_group();
}

std::string shape_in_words(const Graph& graph) {
  const std::size_t n = graph.size();
  const std::size_t edges = graph.edges().size();
  if (n <= 2 || !graph.connected()) return "";
  if (edges == n - 1 && graph.max_degree() == 2) return ", a path";
  if (edges == n * (n - 1) / 2) return ", everybody with everybody";
  if (edges == n && graph.max_degree() == 2) return ", a cycle";
  return is_star(graph) ? ", a star" : "";
}

}  // namespace
}  // namespace sotto::report

namespace sotto {

std::string draw(const GraphDrawing& drawing, ChartSize size, Paint paint) {
  using namespace report;
  check(drawing.names.size() == drawing.graph.size(), "every party of a drawing has a name");
  Svg svg(paint);
  Frame frame(svg, size, drawing.title);
  Placement placement = place(drawing, size);
  frame.begin_plot(0, size.width, 2 * placement.half_height);
  const Point middle{size.width / 2, frame.top() + placement.half_height};
  std::vector<Point> on_paper;
  for (const Point& p : placement.places) on_paper.push_back({middle.x + p.x, middle.y + p.y});
  draw_edges(svg, drawing.graph, on_paper);
  for (PartyId i = 0; i < drawing.graph.size(); ++i) draw_party(svg, drawing, placement, i, middle);

  std::string words = fmt::format("Drawing of a graph: {}.", graph_in_words(drawing.graph));
  if (drawing.graph.size() <= kMostNumbered) {
    for (PartyId i = 0; i < drawing.graph.size(); ++i) {
      words += fmt::format(" {}.", neighbours_in_words(drawing, i));
    }
  }
  std::string note;
  if (const std::size_t edges = drawing.graph.edges().size(); edges > kMostDrawnEdges) {
    note = fmt::format("{} of {} connections are drawn.", kMostDrawnEdges, edges);
  }
  frame.draw_note(note);
  return svg.document(size.width, frame.height(), drawing.title, join(words, note));
}

bool shows_all_names(const GraphDrawing& drawing) {
  using namespace report;
  return place(drawing, kWideChart).labels == PartyLabels::kNames &&
         place(drawing, kNarrowChart).labels == PartyLabels::kNames;
}

std::string graph_in_words(const Graph& graph) {
  using namespace report;
  const std::size_t n = graph.size();
  const std::size_t edges = graph.edges().size();
  std::string text = fmt::format("{} and {}{}", plural(n, "party", "parties"),
                                 plural(edges, "connection", "connections"), shape_in_words(graph));
  if (n <= 2) return text;
  std::size_t fewest = graph.degree(0);
  for (PartyId i = 1; i < n; ++i) fewest = std::min(fewest, graph.degree(i));
  const std::size_t most = graph.max_degree();
  text += fewest == most ? fmt::format(", {} each", plural(most, "neighbour", "neighbours"))
                         : fmt::format(", {} to {} neighbours each", fewest, most);
  if (graph.connected() &&
      static_cast<double>(n) * static_cast<double>(edges) <= kMostDiameterWork) {
    text += fmt::format(", at most {} from one party to another",
                        plural(graph.diameter(), "step", "steps"));
  }
  return text;
}

}  // namespace sotto
