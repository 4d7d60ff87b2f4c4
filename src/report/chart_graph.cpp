#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "report/chart.h"
#include "report/frame.h"
#include "report/text.h"

// Parties on a circle, and lines between those who talk with each other.
namespace sotto::report {
namespace {

constexpr double kPartySize = 12;  // of a party's name
constexpr double kNamedNode = 8;   // radius of a party that has a name beside it
constexpr double kNameGap = 5;     // between the two
// Within these limits no name meets another, nor a star's middle its rays' ends.
constexpr std::size_t kMostNamed = 14;
constexpr double kWidestParty = 140;
constexpr double kSmallestNamed = 70;      // radius of the circle
constexpr double kMostDiameterWork = 1e8;  // parties × edges: above, nobody waits for it
constexpr std::size_t kMostNeighboursTold = 12;

// How large the circle of parties may be if their names stand beside them.
double room_beside_names(const GraphDrawing& drawing, Medium medium) {
  double widest = 0;
  for (const std::string& name : drawing.names) {
    widest = std::max(widest, text_width(name, kPartySize));
  }
  if (widest > kWidestParty || drawing.names.size() > kMostNamed) return 0;
  return width_of(medium) / 2 - kMargin - widest - kNameGap - kNamedNode;
}

bool is_star(const Graph& graph) {
  return graph.size() > 3 && graph.edges().size() == graph.size() - 1 &&
         graph.max_degree() == graph.size() - 1;
}

// Clockwise from the top in their own order; two parties stand side by side,
// a star's middle (and a party alone) in the middle.
std::vector<Point> on_circle(const Graph& graph, Point middle, double radius) {
  const std::size_t n = graph.size();
  const bool star = is_star(graph);
  const double turn = 2 * std::numbers::pi / static_cast<double>(star ? n - 1 : n);
  double angle = n == 2 ? -std::numbers::pi / 2 : 0;
  std::vector<Point> places(n, middle);
  for (PartyId i = 0; i < n && n > 1; ++i) {
    if (star && graph.degree(i) > 1) continue;
    places[i] = {middle.x + radius * std::sin(angle), middle.y - radius * std::cos(angle)};
    angle += turn;
  }
  return places;
}

std::string neighbours_in_words(const GraphDrawing& drawing, PartyId party) {
  const auto neighbours = drawing.graph.neighbours(party);
  std::string text = fmt::format("{}: {}", drawing.names[party],
                                 plural(neighbours.size(), "neighbour", "neighbours"));
  for (std::size_t k = 0; k < std::min(neighbours.size(), kMostNeighboursTold); ++k) {
    text += fmt::format("{}{}", k == 0 ? " (" : ", ", drawing.names[neighbours[k]]);
  }
  if (neighbours.size() > kMostNeighboursTold) text += ", …";
  if (!neighbours.empty()) text += ")";
  return drawing.standing.empty() ? text : text + ", " + drawing.kinds[drawing.standing[party]];
}

// The kinds that there are, in their order.
std::vector<LegendEntry> legend_of(const GraphDrawing& drawing) {
  std::vector<LegendEntry> legend;
  for (std::size_t k = 0; k < drawing.kinds.size(); ++k) {
    if (std::ranges::find(drawing.standing, k) == drawing.standing.end()) continue;
    legend.push_back(
        {.name = drawing.kinds[k], .marker = k, .radius = 5.5, .fill = series_color(k)});
  }
  return legend;
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
  svg.path(path, {.kind = "edges",
                  .opacity = std::clamp(12 / std::sqrt(static_cast<double>(drawn)), 0.15, 0.7),
                  .stroke = Color::kMuted,
                  .width = drawn > 200 ? 0.75 : 1.5});
}

// Beside its party, away from the middle; above and below at the very top and bottom.
void draw_name(Svg& svg, const std::string& name, Point party, Point middle) {
  constexpr double kAway = kNamedNode + kNameGap;
  TextLook look{.kind = "party-name", .size = kPartySize, .anchor = "middle", .halo = true};
  const double right = party.x - middle.x;
  const double down = party.y - middle.y;
  if (std::abs(right) > 0.1 * std::abs(down)) {
    look.anchor = right < 0 ? "end" : "start";
    party.x += std::copysign(kAway, right);
  } else {
    party.y += std::copysign(kAway + 5, down);
  }
  svg.text({party.x, party.y + 4}, name, look);
}

}  // namespace

std::string draw(const GraphDrawing& drawing, Medium medium) {
  const Graph& graph = drawing.graph;
  const std::size_t n = graph.size();
  check(drawing.names.size() == n, "every party of a drawing has a name");
  check(drawing.standing.empty() || drawing.standing.size() == n, "all stand somehow, or none");
  const double round =
      static_cast<double>(n) / (2 * std::numbers::pi);  // of a circle, to its radius
  const double room = room_beside_names(drawing, medium);
  const bool named = room >= kSmallestNamed;
  const bool numbered = !named && n <= kMostNumbered;
  double radius = std::clamp((named ? 34 : 38) * round, 90.0, 150.0);
  if (named) radius = std::min(radius, room);
  if (n > 30) radius = std::min(width_of(medium) / 2 - 18, 220.0);
  const double spacing = radius / round;
  const double node = named      ? kNamedNode
                      : numbered ? std::clamp((spacing - 1) / 2, 7.5, 11.0)
                                 : std::clamp(0.4 * spacing, 1.0, 5.0);

  const double half_height = (n > 2 ? radius : 0) + node + kPartySize + 10;
  Frame frame(medium, drawing.title, legend_of(drawing));
  frame.begin_plot(0, width_of(medium), 2 * half_height);
  const Point middle{width_of(medium) / 2, frame.top() + half_height};
  const std::vector<Point> places = on_circle(graph, middle, radius);
  draw_edges(frame, graph, places);
  std::string words = fmt::format("Drawing of a graph: {}.", graph_in_words(graph));
  for (PartyId i = 0; i < n; ++i) {
    const Point p = places[i];
    const bool told = !drawing.standing.empty();
    const Color color = series_color(told ? drawing.standing[i] : drawing.own == i ? 1 : 0);
    const std::string neighbours = neighbours_in_words(drawing, i);
    frame.open_group("party", neighbours);
    if (drawing.own == i) frame.circle(p, node + 4, {.kind = "own", .stroke = color, .width = 1.5});
    if (told) {
      frame.marker(drawing.standing[i], p, node, numbered ? Color::kPaper : color);
    } else {
      frame.circle(p, node,
                   {.fill = numbered ? Color::kPaper : color,
                    .stroke = numbered ? color : Color::kPaper,
                    .width = std::min(1.5, node / 4)});
    }
    if (named) draw_name(frame, drawing.names[i], p, middle);
    if (numbered) {
      frame.text({p.x, p.y + 4}, fmt::format("{}", i + 1),
                 {.kind = "party-number", .size = 11, .anchor = "middle"});
    }
    frame.close_group();
    if (n <= kMostNumbered) words += fmt::format(" {}.", neighbours);
  }
  std::string note;
  if (const std::size_t edges = graph.edges().size(); edges > kMostDrawnEdges) {
    note = fmt::format("{} of {} connections are drawn.", kMostDrawnEdges, edges);
  }
  return frame.finish(words, note);
}

bool shows_all_names(const GraphDrawing& drawing) {
  return room_beside_names(drawing, Medium::kTelephone) >= kSmallestNamed;
}

std::string graph_in_words(const Graph& graph) {
  const std::size_t n = graph.size();
  const std::size_t edges = graph.edges().size();
  const std::size_t most = graph.max_degree();
  std::string text = fmt::format("{} and {}", plural(n, "party", "parties"),
                                 plural(edges, "connection", "connections"));
  if (n <= 2) return text;
  if (graph.connected()) {
    text += is_star(graph)             ? ", a star"
            : edges == n * (n - 1) / 2 ? ", everybody with everybody"
            : most == 2 && edges == n  ? ", a cycle"
            : most == 2                ? ", a path"
                                       : "";
  }
  std::size_t fewest = graph.degree(0);
  for (PartyId i = 1; i < n; ++i) fewest = std::min(fewest, graph.degree(i));
  text += fewest == most ? fmt::format(", {} each", plural(most, "neighbour", "neighbours"))
                         : fmt::format(", {} to {} neighbours each", fewest, most);
  if (graph.connected() &&
      static_cast<double>(n) * static_cast<double>(edges) <= kMostDiameterWork) {
    text += fmt::format(", at most {} from one party to another",
                        plural(graph.diameter(), "step", "steps"));
  }
  return text;
}

}  // namespace sotto::report
