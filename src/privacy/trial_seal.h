#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "privacy/noise/fast_draws.h"
#include "privacy/seal.h"

// The seals of many simulated trials of the same secrets, without messages and in machine words:
// what ShuffleSeal, PairwiseSeal, release_locally and perturb_cost make of the same streams, to the
// bit (simulate/same_bits_test.cpp). All noise is from a seed: for costs that are made up.
namespace sotto {

// What one trial drew, in steps of the grid: the ground truth behind its releases.
struct TrialTrace {
  std::vector<noise::SignedWide> own;      // Γ, [party][entry], in steps/divisor
  std::vector<noise::SignedWide> masks;    // η, [directed edge][entry]; pairwise: R, [edge][entry]
  std::vector<std::uint64_t> multipliers;  // dishuf: [directed edge]
  // dishuf: what a party decrypts of a neighbour's answer, a_{j→i}(T̄_j − T̄_i), [directed
  // edge][entry]
  std::vector<noise::SignedWide> looks;
};

// `ac`, `dishuf` and `pairwise`.
class TrialSeal {
 public:
  using Index = noise::SignedWide;  // of Released::indices

  // An edge, and where its two directions stand among all directed ones: a party's towards its
  // neighbours in ascending order, party after party.
  struct Edge {
    std::size_t from = 0;  // the lower party
    std::size_t to = 0;
    std::size_t there = 0;  // what `from` has for `to`
    std::size_t back = 0;   // what `to` has for `from`
  };

  // None where a number could leave 64 bits before, or 126 after the multipliers: then integers
  // without limit go message by message.
  [[nodiscard]] static std::optional<TrialSeal> make(const Noise& noise, const Graph& graph,
                                                     std::span<const Secret> secrets);

  [[nodiscard]] std::size_t parties() const { return degrees_.size(); }
  [[nodiscard]] std::size_t entries() const { return entries_; }

  [[nodiscard]] std::span<const Edge> edges() const { return edges_; }

  // One trial: indices[party·entries + k] of what the parties release. `noise` and `keys` have one
  // stream for each party. `trace`, if there is one, gets what was drawn.
  void seal(std::span<noise::FastDraws> noise, std::span<noise::FastDraws> keys,
            std::span<Index> indices, TrialTrace* trace = nullptr);

  // index·step/divisor as the nearest double: Released::values().
  [[nodiscard]] double value(Index index) const;
  // The same of what no divisor applies to: η, R.
  [[nodiscard]] double whole_value(Index index) const;

 private:
  TrialSeal() = default;
  [[nodiscard]] bool read_secrets(std::span<const Secret> secrets);
  // False unless every party's σ for every entry is the same, and no wider than `bits`.
  [[nodiscard]] bool read_sigmas(std::span<const Secret> secrets, const Rational& sigma,
                                 std::size_t bits, std::vector<noise::WordSigma>& sigmas) const;
  [[nodiscard]] bool read_shuffle(const ShuffleNoise& noise, std::span<const Secret> secrets);
  void shuffle(std::span<noise::FastDraws> noise, std::span<Index> indices, TrialTrace* trace);
  void add_edge_masks(std::span<noise::FastDraws> keys, std::span<Index> indices,
                      TrialTrace* trace);
  // Γ, while it is all that was added.
  void trace_own(std::span<const Index> indices, TrialTrace& trace) const;

  std::size_t entries_ = 0;
  Grid grid_;
  std::vector<std::int64_t> values_;  // T, party by party
  std::vector<std::size_t> degrees_;
  std::vector<Edge> edges_;
  std::size_t directed_edges_ = 0;

  enum class Kind { kLocal, kShuffle, kPairwise } kind_ = Kind::kLocal;
  std::vector<noise::WordSigma> own_;    // Γ, for each entry
  std::vector<noise::WordSigma> masks_;  // η, or the edges' masks
  bool shared_ = false;                  // dishuf: one mask for all neighbours
  std::uint64_t divisor_ = 1;            // dishuf: Z
  std::uint64_t multiplier_min_ = 1;
  std::uint64_t multipliers_ = 1;  // how many there are to draw from

  // What one trial needs, kept from trial to trial.
  std::vector<std::int64_t> masked_;       // T̄: [directed edge, or party][entry]
  std::vector<std::uint64_t> multiplier_;  // or the edges' keys: [directed edge]
};

// `gt`.
class TrialCosts {
 public:
  // None where a number could leave 64 bits, or what a draw computes 126.
  [[nodiscard]] static std::optional<TrialCosts> make(std::span<const Secret> secrets,
                                                      std::size_t dimension,
                                                      const GridLaplace& laplace, double sigma);

  // perturb_cost() of one party.
  [[nodiscard]] PerturbedCost draw(std::size_t party, noise::FastDraws& noise) const;

 private:
  explicit TrialCosts(noise::WordLaplace laplace) : laplace_(laplace) {}

  std::size_t dimension_ = 0;
  std::size_t entries_ = 0;
  std::size_t matrix_entries_ = 0;
  Grid grid_;
  std::vector<std::int64_t> values_;  // T, party by party
  noise::WordLaplace laplace_;
  std::vector<noise::WordSigma> gaussian_;  // for each entry of B
};

}  // namespace sotto
