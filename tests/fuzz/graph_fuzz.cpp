// Edge lists: a graph or an error with its line. What is a graph can be asked everything.

#include "fuzz/fuzz.h"
#include "graph/graph.h"

namespace sotto {

// The first byte: whether the study says how many parties there are; the rest is the file.
SOTTO_FUZZER(graph) {
  fuzz::Choices choices(bytes);
  std::optional<std::size_t> stated;
  if (choices.flag()) stated = choices.below(64);
  const auto graph = Graph::from_list(choices.rest(), "graph.txt", stated);
  if (!fuzz::fine_or_error(graph)) {
    fuzz::require(graph.error().where.find("graph.txt") != std::string::npos,
                  "an error of a graph has a place: " + graph.error().to_string());
    return;
  }
  fuzz::require(!stated || graph->size() == *stated, "a graph has the parties that were stated");
  for (const Edge& edge : graph->edges()) {
    fuzz::require(edge.a < edge.b && edge.b < graph->size(), "an edge joins two parties");
  }
  // Graphs of millions are allowed, and what follows takes its time.
  if (graph->size() > 200) return;
  const bool connected = require_connected(*graph).has_value();
  fuzz::require(connected == graph->connected(), "a graph is in one piece or not");
  if (!connected) return;
  fuzz::require(graph->diameter() < graph->size(), "a way has no party twice");
  (void)find_cut(*graph, 1);
  (void)find_cut(*graph, 2);
}

}  // namespace sotto
