#include <algorithm>

#include "graph/graph.h"

// Which few parties, taken out, would leave the others in pieces.
namespace sotto {
namespace {

constexpr PartyId kNone = ~PartyId{0};

// Disjoint paths from one party to a set of targets, by augmenting paths in the
// graph whose parties are split in two, in(v) → out(v), so that each carries one
// path at most (Ford, Fulkerson 1956; node splitting: Dantzig, Fulkerson 1956).
class Fan {
 public:
  explicit Fan(const Graph& graph)
      : graph_(graph),
        before_(graph.size(), kNone),
        reached_(2 * graph.size(), 0),
        from_(2 * graph.size(), 0) {}

  // Nothing if `wanted` paths run from the source to different targets and share
  // only the source. Otherwise fewer than `wanted` parties, the source not among
  // them, that separate it from all other targets (Menger 1927, fan version).
  // Precondition: the source is not a target.
  std::optional<std::vector<PartyId>> separator(PartyId source, const std::vector<bool>& targets,
                                                std::size_t wanted) {
    for (const PartyId party : used_) before_[party] = kNone;
    used_.clear();
    for (std::size_t paths = 0; paths < wanted; ++paths) {
      const std::optional<PartyId> end = search(source, targets);
      if (!end) return reached_but_not_crossed(targets);
      augment(source, *end);
    }
    return std::nullopt;
  }

 private:
  using Node = std::uint32_t;  // in(v) = 2v, out(v) = 2v + 1
  static Node in(PartyId party) { return 2 * party; }
  static Node out(PartyId party) { return 2 * party + 1; }
  static bool is_out(Node node) { return node % 2 == 1; }

  bool visit(Node node, Node from) {
    if (reached_[node] == stamp_) return false;
    reached_[node] = stamp_;
    from_[node] = from;
    queue_.push_back(node);
    return true;
  }

  // The free target at the end of a shortest augmenting path.
  std::optional<PartyId> search(PartyId source, const std::vector<bool>& targets) {
    ++stamp_;
    queue_.clear();
    visit(out(source), out(source));
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      const Node node = queue_[head];
      const PartyId party = node / 2;
      if (is_out(node)) {
        for (const PartyId to : graph_.neighbours(party)) {
          if (to == source) continue;
          if (visit(in(to), node) && targets[to] && before_[to] == kNone) return to;
        }
        // Only an undone path leads to out(v) of a party in use: undo its way in, too.
        if (party != source && before_[party] != kNone) visit(in(party), node);
      } else if (before_[party] != kNone) {
        visit(out(before_[party]), node);  // undo the edge before_[party] → party
      } else {
        visit(out(party), node);  // a free target never gets here: the search ends there
      }
    }
    return std::nullopt;
  }

  void augment(PartyId source, PartyId end) {
    std::vector<Node> path{in(end)};
    while (path.back() != out(source)) path.push_back(from_[path.back()]);
    // Walking from the source: in(v) → out(w) undoes the edge w → v, and
    // out(u) → in(v) with u ≠ v lays a new one. Undone edges go first, since v may
    // be entered anew.
    for (std::size_t i = path.size() - 1; i > 0; --i) {
      const Node node = path[i];
      const Node next = path[i - 1];
      if (!is_out(node) && node / 2 != next / 2) before_[node / 2] = kNone;
    }
    for (std::size_t i = path.size() - 1; i > 0; --i) {
      const Node node = path[i];
      const Node next = path[i - 1];
      if (is_out(node) && node / 2 != next / 2) {
        before_[next / 2] = node / 2;
        used_.push_back(next / 2);
      }
    }
  }

  std::vector<PartyId> reached_but_not_crossed(const std::vector<bool>& targets) const {
    std::vector<PartyId> cut;
    for (const Node node : queue_) {
      if (is_out(node)) continue;
      const PartyId party = node / 2;
      if (targets[party] || reached_[out(party)] != stamp_) cut.push_back(party);
    }
    std::ranges::sort(cut);
    return cut;
  }

  const Graph& graph_;
  std::vector<PartyId> before_;  // on a path through a party: where it comes from
  std::vector<PartyId> used_;    // parties whose before_ may be set
  std::vector<std::uint32_t> reached_;
  std::uint32_t stamp_ = 0;
  std::vector<Node> from_;
  std::vector<Node> queue_;
};

// A party without which the others fall apart, by one walk through the graph in depth (Hopcroft,
// Tarjan 1973): from nobody behind it, along that walk, an edge leads before it. Iterative, for a
// path is as deep as it is long. Precondition: connected.
std::optional<PartyId> articulation_point(const Graph& graph) {
  const std::size_t n = graph.size();
  std::vector<std::uint32_t> when(n, 0);      // reached, from 1; 0: not yet
  std::vector<std::uint32_t> earliest(n, 0);  // that an edge leads to, from it or behind it
  std::vector<std::uint32_t> tried(n, 0);     // of its neighbours
  std::vector<PartyId> way{0};
  std::size_t branches_of_root = 0;
  std::uint32_t clock = 0;
  when[0] = earliest[0] = ++clock;
  while (!way.empty()) {
    const PartyId at = way.back();
    const auto around = graph.neighbours(at);
    if (tried[at] < around.size()) {
      const PartyId to = around[tried[at]++];
      if (when[to] == 0) {
        when[to] = earliest[to] = ++clock;
        way.push_back(to);
      } else {
        earliest[at] = std::min(earliest[at], when[to]);
      }
      continue;
    }
    way.pop_back();
    if (way.empty()) break;
    const PartyId before = way.back();
    earliest[before] = std::min(earliest[before], earliest[at]);
    if (before == 0) {
      if (++branches_of_root > 1) return before;
    } else if (earliest[at] >= when[before]) {
      return before;
    }
  }
  return std::nullopt;
}

}  // namespace

// Even (1975), "An algorithm for determining whether the connectivity of a graph is
// at least k", with k = t + 1. Call a set K inseparable if no t parties separate two
// of its members. If k disjoint paths run from a party u to different members of an
// inseparable K, then K ∪ {u} is inseparable too: t parties cannot break all of the
// paths, and whichever member is reached is joined to all that are left of K. If
// there are no such paths, fewer than k parties separate u from at least one of k
// members. So: k parties pairwise, then every other party against those before it;
// n + k² flows, and short ones, where pairs of all parties would take n².
std::optional<std::vector<PartyId>> find_cut(const Graph& graph, std::size_t parties_removed) {
  const std::size_t n = graph.size();
  if (graph.edges().size() == n * (n - 1) / 2) return std::nullopt;
  if (!graph.connected()) return std::vector<PartyId>{};
  // Two parties must be left over; the neighbours of the least connected party cut it off.
  PartyId least = 0;
  for (PartyId i = 1; i < n; ++i) {
    if (graph.degree(i) < graph.degree(least)) least = i;
  }
  if (graph.degree(least) <= parties_removed) {
    const auto around = graph.neighbours(least);
    return std::vector<PartyId>(around.begin(), around.end());
  }

  if (parties_removed == 0) return std::nullopt;
  if (parties_removed == 1) {
    const auto alone = articulation_point(graph);
    return alone ? std::optional(std::vector<PartyId>{*alone}) : std::nullopt;
  }

  const std::size_t k = parties_removed + 1;  // ≤ the least degree, so k < n
  Fan fan(graph);
  std::vector<bool> targets(n, false);
  for (PartyId a = 0; a < k; ++a) {
    const auto around = graph.neighbours(a);
    for (const PartyId neighbour : around) targets[neighbour] = true;
    for (PartyId b = a + 1; b < k; ++b) {
      if (targets[b]) continue;  // neighbours are inseparable
      // Paths from b to the neighbours of a are paths from b to a.
      if (auto cut = fan.separator(b, targets, k)) return cut;
    }
    for (const PartyId neighbour : around) targets[neighbour] = false;
  }
  for (PartyId i = 0; i < k; ++i) targets[i] = true;
  for (PartyId i = PartyId(k); i < n; ++i) {
    if (auto cut = fan.separator(i, targets, k)) return cut;
    targets[i] = true;
  }
  return std::nullopt;
}

}  // namespace sotto
