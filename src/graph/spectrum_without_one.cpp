#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "graph/spectrum_bounds.h"

// How well a graph holds together without any one of its parties, without an eigenvalue for each:
// docs/proofs/spectrum.md, Claim 5. Around a party, all of whose neighbours spread a unit of flow
// into trees that share nobody, flow by flow over what is left: the more it spreads, the less the
// party was needed.
namespace sotto {
namespace {

constexpr double kEnough = 0.25;    // of λ₂: masks that large do not matter to the sum
constexpr double kMostLooks = 4e8;  // at neighbours, in all: a second or two
constexpr double kLeastLooks = 64;  // at neighbours, for each party
constexpr double kRounding = 1e-9;  // relatively, of sums of a few hundred squares

// sup over s > 0 of (λ₂ − (1 + 1/s)W)/(1 + (1 + s)R), where it is positive; else 0.
double held_together(double lambda_2, double resistance, double width) {
  const double r = resistance * (1 + kRounding);
  const double w = width * (1 + kRounding);
  const double a = lambda_2 - w;
  if (a <= 0) return 0;
  const double s = r == 0 ? 1e9 : (w * r + std::sqrt(w * r * (w * r + a * (1 + r)))) / (r * a);
  return std::max(0.0, (a - w / s) / (1 + (1 + s) * r) * (1 - kRounding));
}

// The trees around one party after the other.
class Spreading {
 public:
  Spreading(const Graph& graph, double lambda_2)
      : graph_(graph),
        lambda_2_(lambda_2),
        looks_(std::max(kLeastLooks, kMostLooks / static_cast<double>(graph.size()))),
        stamp_(graph.size(), 0) {}

  // What is proven of λ₂ without this party.
  [[nodiscard]] double without(PartyId party) {
    begin(party);
    double best = 0;
    double left = looks_;
    for (bool moved = true; moved;) {
      best = std::max(best, held_together(lambda_2_, std::ranges::max(resistance_), width()));
      if (best >= kEnough * lambda_2_) break;
      moved = step(left);
    }
    return best;
  }

 private:
  struct Tip {
    PartyId party;
    std::uint32_t tree;
    double flow;
  };

  void begin(PartyId party) {
    ++now_;
    stamp_[party] = now_;
    tips_.clear();
    resistance_.clear();
    ended_.clear();
    for (const PartyId neighbour : graph_.neighbours(party)) {
      stamp_[neighbour] = now_;
      tips_.push_back({neighbour, static_cast<std::uint32_t>(resistance_.size()), 1});
      resistance_.push_back(0);
      ended_.push_back(0);
    }
  }

  // Every tip goes on to neighbours whom no tree has yet, in equal parts; where there is none, or
  // too much to look at, its flow ends. False if nothing went on.
  bool step(double& left) {
    next_.clear();
    for (const Tip& tip : tips_) {
      const auto around = graph_.neighbours(tip.party);
      const std::size_t before = next_.size();
      if (static_cast<double>(around.size()) <= left) {
        left -= static_cast<double>(around.size());
        for (const PartyId neighbour : around) {
          if (stamp_[neighbour] == now_) continue;
          stamp_[neighbour] = now_;
          next_.push_back({neighbour, tip.tree, 0});
        }
      }
      const auto parts = static_cast<double>(next_.size() - before);
      if (parts == 0) {
        ended_[tip.tree] += tip.flow * tip.flow;
        continue;
      }
      for (std::size_t k = before; k < next_.size(); ++k) next_[k].flow = tip.flow / parts;
      resistance_[tip.tree] += tip.flow * tip.flow / parts;
    }
    tips_.swap(next_);
    return !tips_.empty();
  }

  // The largest Σ w² of a tree, w where its flow has ended or stands.
  [[nodiscard]] double width() {
    widths_ = ended_;
    for (const Tip& tip : tips_) widths_[tip.tree] += tip.flow * tip.flow;
    return std::ranges::max(widths_);
  }

  const Graph& graph_;
  double lambda_2_;
  double looks_;
  std::vector<std::uint32_t> stamp_;  // when a tree took a party
  std::uint32_t now_ = 0;
  std::vector<Tip> tips_;
  std::vector<Tip> next_;
  std::vector<double> resistance_;  // of each tree: Σ of its flow's squares
  std::vector<double> ended_;       // Σ of squares of flow that goes no farther
  std::vector<double> widths_;
};

double proven_without_one(const Graph& graph, double lambda_2) {
  if (lambda_2 <= 0 || graph.size() < 3) return 0;
  const std::size_t parts = core_count();
  std::vector<double> least(parts, lambda_2);
  parallel_for(parts, 0, [&](std::size_t part) {
    Spreading spreading(graph, lambda_2);
    const std::size_t end = graph.size() * (part + 1) / parts;
    for (std::size_t i = graph.size() * part / parts; i < end && least[part] > 0; ++i) {
      least[part] = std::min(least[part], spreading.without(static_cast<PartyId>(i)));
    }
  });
  return std::ranges::min(least);
}

}  // namespace

double lambda_2_without_one(const Graph& graph) {
  const double lambda_2 = spectrum_bounds(graph).lambda_2;
  graphs::SpectrumCache& cache = graph.spectrum_cache();
  const std::scoped_lock lock(cache.mutex);
  if (!cache.without_one) cache.without_one = proven_without_one(graph, lambda_2);
  return *cache.without_one;
}

}  // namespace sotto
