// Which products p_e ∈ [ā²/2, ā²] let a coalition see most is not a convex
// question, and equal products are not the answer: on a cycle, low ones near the
// victim and high ones far from it raise its leverage. So: all low and all high
// for every coalition; from the worst of these, one end up to some distance from
// the victim and the other beyond; from the worst of those, each edge in turn to
// whichever end is worse, nearest first, until nothing improves. Deterministic.
#include <algorithm>
#include <cmath>

#include "privacy/observe/coalition.h"

namespace sotto::privacy {
namespace {

constexpr std::size_t kMaxAscentEdges = 64;
constexpr int kMaxSweeps = 4;
constexpr std::size_t kMaxThresholds = 24;
constexpr std::size_t kMaxAscents = 32;
constexpr double kAscentWork = 1e9;  // multiply-adds in all ascents together

struct Candidate {
  double leakage = 0;
  std::size_t target = 0;  // in the remains
  std::vector<PartyId> coalition;
  double product = 0;  // of every edge
};

struct NearLink {
  std::size_t edge = 0;      // in the whole graph
  std::size_t distance = 0;  // of its nearer end from the target
};

// Links of the remains, nearest to `target` first.
std::vector<NearLink> links_by_distance(const Remains& remains, std::size_t target) {
  const std::vector<std::uint32_t> distance =
      distances(remains.graph, static_cast<PartyId>(target));
  std::vector<NearLink> links;
  for (std::size_t e = 0; e < remains.edges.size(); ++e) {
    const Edge edge = remains.graph.edges()[e];
    const std::size_t nearer = std::min(distance[edge.a], distance[edge.b]);
    // Links that no way leads to cannot matter to it.
    if (nearer < remains.graph.size()) links.push_back({remains.edges[e], nearer});
  }
  std::stable_sort(links.begin(), links.end(),
                   [](const NearLink& x, const NearLink& y) { return x.distance < y.distance; });
  return links;
}

double ascend(const Graph& graph, const ShuffleNoise& noise, const Candidate& start, double low,
              double high) {
  const ShuffleView view(graph, noise, start.coalition);
  const std::size_t target[] = {start.target};
  std::vector<NearLink> links = links_by_distance(view.remains(), start.target);
  std::vector<double> products(graph.edges().size(), start.product);
  if (links.empty()) return start.leakage;
  double best = start.leakage;

  const std::size_t farthest = links.back().distance;
  const std::size_t stride = farthest / kMaxThresholds + 1;
  for (std::size_t threshold = 0; threshold < farthest; threshold += stride) {
    for (const bool low_near : {true, false}) {
      std::vector<double> split(graph.edges().size(), start.product);
      for (const NearLink& link : links) {
        split[link.edge] = (link.distance <= threshold) == low_near ? low : high;
      }
      const double leakage = view.leakage(split, target).front();
      if (leakage > best) {
        best = leakage;
        products = std::move(split);
      }
    }
  }

  links.resize(std::min(links.size(), kMaxAscentEdges));
  bool improved = true;
  for (int sweep = 0; sweep < kMaxSweeps && improved; ++sweep) {
    improved = false;
    for (const NearLink& link : links) {
      double& product = products[link.edge];
      const double before = product;
      product = before == low ? high : low;
      const double leakage = view.leakage(products, target).front();
      if (leakage > best * (1 + 1e-12)) {
        best = leakage;
        improved = true;
      } else {
        product = before;
      }
    }
  }
  // Other parties may have come to be seen even better.
  return std::max(best, view.worst(products).leakage);
}

}  // namespace

double search_worst_leakage(const Graph& graph, const ShuffleNoise& noise, std::size_t size) {
  const auto a_bar = static_cast<double>(noise.multiplier_max);
  const double high = a_bar * a_bar;
  const double low = high / 2;
  std::vector<Candidate> candidates;
  for_each_coalition(graph, size, [&](std::span<const PartyId> coalition) {
    const ShuffleView view(graph, noise, coalition);
    for (const double product : {low, high}) {
      const std::vector<double> products(graph.edges().size(), product);
      const auto worst = view.worst(products);
      candidates.push_back(
          {worst.leakage, worst.target, {coalition.begin(), coalition.end()}, product});
    }
  });
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& x, const auto& y) { return x.leakage > y.leakage; });
  const double cost = kMaxAscentEdges * kMaxSweeps * std::pow(static_cast<double>(graph.size()), 3);
  const auto ascents = std::clamp(static_cast<std::size_t>(kAscentWork / cost), std::size_t{1},
                                  std::min(kMaxAscents, candidates.size()));
  double worst = candidates.front().leakage;
  for (std::size_t k = 0; k < ascents; ++k) {
    worst = std::max(worst, ascend(graph, noise, candidates[k], low, high));
  }
  return worst;
}

}  // namespace sotto::privacy
