#include "report/graph_drawing.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "report/frame.h"
#include "report/graph_layout.h"
#include "report/svg.h"

namespace sotto {
namespace {

constexpr double kTextSize = 12;
constexpr double kNumberSize = 11;
constexpr double kMostDiameterWork = 1e8;  // parties × edges: above, nobody waits for it
constexpr std::size_t kMostNeighboursTold = 12;

struct Box {
  double left, top, right, bottom;
  [[nodiscard]] bool meets(const Box& b) const {
    return left < b.right && b.left < right && top < b.bottom && b.top < bottom;
  }
};

struct Label {
  Point at;
  std::string_view anchor;
};

enum class Style { kNames, kNumbers, kDots };

// Everything a drawing needs, in its own coordinates.
struct Placement {
  Style style = Style::kDots;
  std::vector<Point> places;
  std::vector<Label> labels;  // kNames: one per party
  double node_radius = 0;
  double half_height = 0;
};

bool is_narrow(ChartSize size) {
  return size.width < kWideChart.width;
}

// The largest circle of parties that the paper takes.
double largest_radius(ChartSize size) {
  return is_narrow(size) ? 162 : 220;
}

// How large the circle should be: room for every party, no larger than the paper.
double radius_for(std::size_t parties, double spacing, ChartSize size) {
  const double wanted = static_cast<double>(parties) * spacing / (2 * std::numbers::pi);
  return std::clamp(wanted, 90.0, is_narrow(size) ? 150.0 : 185.0);
}

std::vector<Point> scaled(const std::vector<Point>& unit, double factor) {
  std::vector<Point> places;
  places.reserve(unit.size());
  for (const Point& p : unit) places.push_back({p.x * factor, p.y * factor});
  return places;
}

// A place for every name: away from the middle first, then to the sides. Nothing if
// some name fits nowhere.
std::optional<std::vector<Label>> place_names(const GraphDrawing& drawing,
                                              const Placement& placement, const Box& paper) {
  std::vector<Box> taken;
  const double r = placement.node_radius + 1;
  for (const Point& p : placement.places) taken.push_back({p.x - r, p.y - r, p.x + r, p.y + r});
  std::vector<Label> labels;
  for (std::size_t i = 0; i < placement.places.size(); ++i) {
    const Point p = placement.places[i];
    const double width = text_width(drawing.names[i], kTextSize);
    const double away = placement.node_radius + 5;
    const Label right{{p.x + away, p.y + 4}, "start"};
    const Label left{{p.x - away, p.y + 4}, "end"};
    const Label above{{p.x, p.y - away - 1}, "middle"};
    const Label below{{p.x, p.y + away + kTextSize - 2}, "middle"};
    const bool side = std::abs(p.x) > 0.35 * std::abs(p.y);
    const Label& outward = side ? (p.x < 0 ? left : right) : (p.y < 0 ? above : below);
    bool placed = false;
    for (const Label& label : {outward, right, left, below, above}) {
      const double share = label.anchor == "start" ? 0 : label.anchor == "end" ? 1 : 0.5;
      const double from = label.at.x - share * width;
      const Box box{from, label.at.y - kTextSize, from + width, label.at.y + 4};
      const bool inside = box.left >= paper.left && box.right <= paper.right &&
                          box.top >= paper.top && box.bottom <= paper.bottom;
      if (!inside || std::ranges::any_of(taken, [&](const Box& b) { return b.meets(box); })) {
        continue;
      }
      taken.push_back(box);
      labels.push_back(label);
      placed = true;
      break;
    }
    if (!placed) return std::nullopt;
  }
  return labels;
}

Placement place(const GraphDrawing& drawing, ChartSize size) {
  const std::size_t n = drawing.graph.size();
  const std::vector<Point> unit = layout_graph(drawing.graph);
  const bool has_shape = shape_of(drawing.graph) != GraphShape::kOther;
  const double half_width = size.width / 2 - kMargin;
  Placement result;
  const auto arrange = [&](double radius, double node, double least) {
    result.node_radius = node;
    result.places = scaled(unit, radius);
    if (!has_shape) {
      result.places = spread_out(std::move(result.places), least, half_width - node - 2, radius);
    }
    result.half_height = 0;
    for (const Point& p : result.places) {
      result.half_height = std::max(result.half_height, std::abs(p.y));
    }
    result.half_height += node + kTextSize + 10;
  };
  if (n <= kMostNamed) {
    const double largest = radius_for(n, 34, size);
    for (const double share : {1.0, 0.85, 0.7, 0.55}) {
      arrange(largest * share, 8, 24);
      const Box paper{-half_width, -result.half_height, half_width, result.half_height};
      if (auto labels = place_names(drawing, result, paper)) {
        result.labels = std::move(*labels);
        result.style = Style::kNames;
        return result;
      }
    }
  }
  if (n <= kMostNumbered) {
    const double radius = n > 30 ? largest_radius(size) : radius_for(n, 38, size);
    const double spacing = 2 * std::numbers::pi * radius / static_cast<double>(n);
    const double node = std::clamp((spacing - 1) / 2, 7.5, 11.0);
    arrange(radius, node, 2 * node + 2);
    result.style = Style::kNumbers;
    return result;
  }
  const double node = std::clamp(6.0 * std::sqrt(60.0 / static_cast<double>(n)), 1.5, 5.0);
  arrange(radius_for(n, 2 * node + 2, size), node, 2 * node);
  result.style = Style::kDots;
  return result;
}

std::string neighbours_in_words(const GraphDrawing& drawing, PartyId party) {
  const auto neighbours = drawing.graph.neighbours(party);
  std::string text = fmt::format("{}: {} neighbour{}", drawing.names[party], neighbours.size(),
                                 neighbours.size() == 1 ? "" : "s");
  for (std::size_t k = 0; k < std::min(neighbours.size(), kMostNeighboursTold); ++k) {
    text += fmt::format("{}{}", k == 0 ? " (" : ", ", drawing.names[neighbours[k]]);
  }
  if (neighbours.size() > kMostNeighboursTold) text += ", …";
  return neighbours.empty() ? text : text + ")";
}

std::string remarks(const GraphDrawing& drawing) {
  const std::size_t edges = drawing.graph.edges().size();
  if (edges <= kMostDrawnEdges) return "";
  return fmt::format("{} of {} connections are drawn.", kMostDrawnEdges, edges);
}

std::string in_words(const GraphDrawing& drawing) {
  std::string text = fmt::format("Drawing of a graph: {}.", graph_in_words(drawing.graph));
  if (drawing.graph.size() <= kMostNumbered) {
    for (PartyId i = 0; i < drawing.graph.size(); ++i) {
      text += fmt::format(" {}.", neighbours_in_words(drawing, i));
    }
  }
  const std::string note = remarks(drawing);
  return note.empty() ? text : fmt::format("{} {}", text, note);
}

class Painter {
 public:
  Painter(const GraphDrawing& drawing, ChartSize size, Paint paint)
      : drawing_(drawing), size_(size), svg_(paint), placement_(place(drawing, size)) {}

  std::string render() {
    const double top = draw_title(svg_, size_.width, kMargin, drawing_.title);
    middle_ = {size_.width / 2, top + placement_.half_height};
    draw_edges();
    for (PartyId i = 0; i < drawing_.graph.size(); ++i) draw_party(i);
    double height = top + 2 * placement_.half_height + kMargin;
    if (const std::string note = remarks(drawing_); !note.empty()) {
      svg_.text(kMargin, height, note, {.size = kTextSize, .ink = Ink::kMuted, .kind = "note"});
      height += kMargin;
    }
    return svg_.document(size_.width, height, drawing_.title, in_words(drawing_));
  }

 private:
  [[nodiscard]] Point on_paper(Point p) const { return {middle_.x + p.x, middle_.y + p.y}; }

  // All in one path: thousands of elements would make the page slow.
  void draw_edges() {
    const auto edges = drawing_.graph.edges();
    const std::size_t drawn = std::min(edges.size(), kMostDrawnEdges);
    std::string path;
    for (std::size_t k = 0; k < drawn; ++k) {
      const Edge& edge = edges[k * edges.size() / drawn];
      const Point a = on_paper(placement_.places[edge.a]);
      const Point b = on_paper(placement_.places[edge.b]);
      path += fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", a.x, a.y, b.x, b.y);
    }
    if (path.empty()) return;
    const double crowd = static_cast<double>(drawn);
    svg_.element("path", {{"class", "edges"},
                          {"d", path},
                          {"fill", "none"},
                          {"stroke", svg_.ink(Ink::kMuted)},
                          {"stroke-width", drawn > 200 ? 0.75 : 1.5},
                          {"stroke-opacity", std::clamp(12 / std::sqrt(crowd), 0.15, 0.7)}});
  }

  void draw_party(PartyId i) {
    const Point p = on_paper(placement_.places[i]);
    const bool own = drawing_.own == i;
    const std::string color = svg_.series_color(own ? 1 : 0);
    const bool numbered = placement_.style == Style::kNumbers;
    svg_.open("g", {{"class", "party"}});
    svg_.tooltip(neighbours_in_words(drawing_, i));
    if (own) {
      svg_.element("circle", {{"class", "own"},
                              {"cx", p.x},
                              {"cy", p.y},
                              {"r", placement_.node_radius + 4},
                              {"fill", "none"},
                              {"stroke", color},
                              {"stroke-width", 1.5}});
    }
    svg_.element("circle", {{"cx", p.x},
                            {"cy", p.y},
                            {"r", placement_.node_radius},
                            {"fill", numbered ? svg_.ink(Ink::kPaper) : color},
                            {"stroke", numbered ? color : svg_.ink(Ink::kPaper)},
                            {"stroke-width", 1.5}});
    if (numbered) {
      svg_.text(p.x, p.y + 4, fmt::format("{}", i + 1),
                {.size = kNumberSize, .anchor = "middle", .kind = "party-number"});
    } else if (placement_.style == Style::kNames) {
      const Point at = on_paper(placement_.labels[i].at);
      svg_.text(at.x, at.y, drawing_.names[i],
                {.size = kTextSize,
                 .anchor = placement_.labels[i].anchor,
                 .bold = false,
                 .halo = true,
                 .kind = "party-name"});
    }
    svg_.close("g");
  }

  const GraphDrawing& drawing_;
  ChartSize size_;
  Svg svg_;
  Placement placement_;
  Point middle_;
};

std::string draw(const GraphDrawing& drawing, ChartSize size, Paint paint) {
  check(drawing.names.size() == drawing.graph.size(), "every party of a drawing has a name");
  return Painter(drawing, size, paint).render();
}

std::string shape_in_words(GraphShape shape) {
  switch (shape) {
    case GraphShape::kSingle:
      return "";
    case GraphShape::kCycle:
      return "a cycle";
    case GraphShape::kPath:
      return "a path";
    case GraphShape::kStar:
      return "a star";
    case GraphShape::kComplete:
      return "everybody with everybody";
    case GraphShape::kOther:
      return "";
  }
  check(false, "a shape is one of its values");
  return "";
}

}  // namespace

std::string standalone_svg(const GraphDrawing& drawing) {
  return draw(drawing, kWideChart, Paint::kStandalone);
}

InlineSvg inline_svg(const GraphDrawing& drawing) {
  return {.wide = draw(drawing, kWideChart, Paint::kInline),
          .narrow = draw(drawing, kNarrowChart, Paint::kInline)};
}

bool shows_all_names(const GraphDrawing& drawing) {
  return place(drawing, kWideChart).style == Style::kNames &&
         place(drawing, kNarrowChart).style == Style::kNames;
}

std::string graph_in_words(const Graph& graph) {
  const std::size_t n = graph.size();
  const std::size_t edges = graph.edges().size();
  std::string text = fmt::format("{} part{} and {} connection{}", n, n == 1 ? "y" : "ies", edges,
                                 edges == 1 ? "" : "s");
  const std::string shape = shape_in_words(shape_of(graph));
  if (n > 2 && !shape.empty()) text += fmt::format(", {}", shape);
  std::size_t fewest = graph.degree(0);
  for (PartyId i = 1; i < n; ++i) fewest = std::min(fewest, graph.degree(i));
  const std::size_t most = graph.max_degree();
  if (n > 2 && fewest == most) {
    text += fmt::format(", {} neighbour{} each", most, most == 1 ? "" : "s");
  }
  if (n > 2 && fewest != most) text += fmt::format(", {} to {} neighbours each", fewest, most);
  if (n > 2 && graph.connected() &&
      static_cast<double>(n) * static_cast<double>(edges) <= kMostDiameterWork) {
    const std::size_t steps = graph.diameter();
    text +=
        fmt::format(", at most {} step{} from one party to another", steps, steps == 1 ? "" : "s");
  }
  return text;
}

}  // namespace sotto
