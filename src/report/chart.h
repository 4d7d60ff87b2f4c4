#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

// The drawings of a page: what each shows, as data. standalone_svg() and inline_svg() draw them.
namespace sotto {

enum class Scale { kLinear, kLog10 };

struct ChartLabels {
  std::string title{};
  std::string x{};
  std::string y{};
};

// A horizontal line with a label, such as a bound from theory.
struct ReferenceLine {
  std::string label{};
  double y = 0;
};

// A shaded band around a series, on the same x: quartiles over trials, say.
struct Band {
  std::string name{};
  std::vector<double> low{};
  std::vector<double> high{};
};

struct LineSeries {
  std::string name{};
  std::vector<double> x{};
  std::vector<double> y{};
  Band band{};  // empty, or as long as x
};

// Points that the axes cannot show (not finite, beyond ±10¹⁰⁰, not positive on a logarithmic
// axis) leave a gap and are counted below the chart. The legend names the references.
struct LineChart {
  ChartLabels labels{};
  Scale y_scale = Scale::kLinear;
  Scale x_scale = Scale::kLinear;
  std::vector<LineSeries> series{};
  std::vector<ReferenceLine> references{};
};

struct BoxSeries {
  std::string name{};
  std::vector<std::vector<double>> samples{};  // one set per group; a set may be empty
};

// Groups side by side (values of ε, numbers of parties), in each group one box per series
// (a solver). Boxes describe the samples up to ±10¹⁰⁰; how many were not among them is
// said below the chart. On a logarithmic axis a box still has the quartiles and
// whiskers of the plain numbers; what is not positive is drawn at the axis's foot.
struct BoxChart {
  ChartLabels labels{};
  std::vector<std::string> groups{};
  std::vector<BoxSeries> series{};
  Scale y_scale = Scale::kLinear;
};

// Dots and whiskers: one row per coefficient, its interval across, a line at zero.
// Coefficients whose sizes differ by more than kWidestPanel get axes of their own:
// on one axis, the small ones would all look like zero. More rows than kMostCoefficients
// are thinned out to those with the clearest signal; the chart says so.
struct CoefficientChart {
  struct Row {
    std::string name{};
    double value = 0;                                     // the model's
    std::optional<std::pair<double, double>> interval{};  // low ≤ high
    std::optional<double> center{};  // what the interval is about; none: the value
    bool apart = false;              // on an axis of its own: an intercept
  };
  std::string title{};
  std::string x{};
  std::vector<Row> rows{};
  std::string note{};  // below the chart: why there are no intervals, say
};
inline constexpr std::size_t kMostCoefficients = 60;
inline constexpr double kWidestPanel = 12;
inline constexpr std::size_t kMostPanels = 4;

// How much each observer may learn: one row per observer, its ε across, a line at
// the ε that was asked for. On a logarithmic axis where sizes differ much.
struct EpsilonChart {
  struct Row {
    std::string name{};
    double epsilon = 0;  // infinity: no ε will do
  };
  std::string title{};
  std::string x{};
  double asked = 0;
  std::vector<Row> rows{};
};

// How wide something is with other settings: one row each, a filled mark for now, a hollow one for
// before.
struct WidthChart {
  struct Row {
    std::string name{};
    double now = 0;
    std::optional<double> before{};
  };
  std::string title{};
  std::string x{};
  std::string now{};     // what the marks mean
  std::string before{};  // likewise
  std::vector<Row> rows{};
};

// How columns hang together: a square for each pair, coloured by a number between −1 and 1, which
// stands in it where there is room. Rows have names, columns their numbers.
struct HeatMap {
  struct Cell {
    std::optional<double> value{};  // none: not known
    std::string words{};            // to whoever points at it
  };
  std::string title{};
  std::vector<std::string> names{};
  std::vector<std::vector<Cell>> cells{};  // square
  std::string note{};
};

// Who talks with whom, on a circle, a star's middle in the middle. Names stand beside the parties
// where all of them fit; otherwise parties are numbered from 1, as in every message, and above
// kMostNumbered they are dots.
struct GraphDrawing {
  std::string title{};
  std::vector<std::string> names{};  // one per party
  Graph graph;
  std::optional<PartyId> own{};  // the party that looks at the drawing
  // While a run goes on, how each party stands: one of `kinds`, which the legend names and which
  // differ in shape and colour. Empty: nothing is told of that.
  std::vector<std::size_t> standing{};
  std::vector<std::string> kinds{};
};
inline constexpr std::size_t kMostNumbered = 60;
inline constexpr std::size_t kMostDrawnEdges = 2000;  // of more, an even sample

// Where a drawing stands: in a file of its own, with fixed colours on white; in a page, with
// the page's CSS variables (light and dark); in a page as narrow as a telephone.
enum class Medium { kFile, kPage, kTelephone };

namespace report {

// Whether names stand beside the parties in both drawings of inline_svg().
[[nodiscard]] bool shows_all_names(const GraphDrawing& drawing);

// "10 parties and 10 connections, a cycle, 2 neighbours each, …"
[[nodiscard]] std::string graph_in_words(const Graph& graph);

[[nodiscard]] std::string draw(const LineChart& chart, Medium medium);
[[nodiscard]] std::string draw(const BoxChart& chart, Medium medium);
[[nodiscard]] std::string draw(const CoefficientChart& chart, Medium medium);
[[nodiscard]] std::string draw(const EpsilonChart& chart, Medium medium);
[[nodiscard]] std::string draw(const WidthChart& chart, Medium medium);
[[nodiscard]] std::string draw(const HeatMap& map, Medium medium);
[[nodiscard]] std::string draw(const GraphDrawing& drawing, Medium medium);

}  // namespace report

template <class Chart>
[[nodiscard]] std::string standalone_svg(const Chart& chart) {
  return report::draw(chart, Medium::kFile);
}

// One chart drawn twice for an HTML page, which shows the one that fits the
// screen: text in a drawing that is scaled down to a telephone cannot be read.
struct InlineSvg {
  std::string wide;
  std::string narrow;
};

template <class Chart>
[[nodiscard]] InlineSvg inline_svg(const Chart& chart) {
  return {.wide = report::draw(chart, Medium::kPage),
          .narrow = report::draw(chart, Medium::kTelephone)};
}

}  // namespace sotto
