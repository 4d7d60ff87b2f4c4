#pragma once

// A topology of your own: who is neighbour to whom. Registered once, it is one like the others:
// [graph] topology = "NAME" in studies, plans and runs, `plan --compare --topology NAME`.
// docs/ADDING_A_SOLVER.md adds one.

#include <sotto/keys.h>
#include <sotto/result.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sotto::v1 {

struct TopologyTerms {
  std::size_t parties = 0;
  std::map<std::string, double> numbers = {};     // of its section, with what holds without a key
  std::map<std::string, std::string> words = {};  //
};

class Topology {
 public:
  virtual ~Topology() = default;

  // As [graph] topology writes it: of a-z, 0-9 and -.
  [[nodiscard]] virtual std::string name() const = 0;
  // A few words: "a ring".
  [[nodiscard]] virtual std::string about() const = 0;
  [[nodiscard]] virtual std::vector<AddedKey> keys() const { return {}; }

  // Pairs of different parties, numbered from 0, each pair once, in any order. Every party of a run
  // computes it for itself: the same terms must always give the same graph. λ₂, the diameter and
  // what else privacy needs of the graph is computed by sotto.
  [[nodiscard]] virtual Result<std::vector<std::pair<std::size_t, std::size_t>>> edges(
      const TopologyTerms& terms) const = 0;
};

// From here on a study may name it. Before the first study is read: E-topology-late,
// E-topology-name, E-topology-key. A graph that is none, or not in one piece, is refused when a
// study is read (E-graph-edge, E-graph-disconnected).
[[nodiscard]] Result<void> register_topology(std::unique_ptr<const Topology> topology);

}  // namespace sotto::v1
