#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/ranks.h"
#include "graph/graph.h"
#include "privacy/noise/fast_draws.h"
#include "privacy/secrets.h"

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

// Whose seals a rank of several makes. What its parties draw is their own; what the other end of an
// edge has drawn for them comes from the rank that has it.
struct SealPart {
  Ranks& ranks;
  std::span<const PartyId> own;           // in the order of the secrets
  std::span<const std::uint32_t> owners;  // of all parties
};

// `ac`, `dishuf` and `pairwise`.
class TrialSeal {
 public:
  using Index = noise::SignedWide;  // of Released::indices

  // An edge, and where its two directions stand among all directed ones: a party's towards its
  // neighbours in ascending order, party after party. Ends that another rank has come after all
  // parties, one for each edge, and so do what they have for us.
  struct Edge {
    std::uint32_t from = 0;  // the lower party
    std::uint32_t to = 0;
    std::uint32_t there = 0;  // what `from` has for `to`
    std::uint32_t back = 0;   // what `to` has for `from`
  };

  // None where a number could leave 64 bits before, or 126 after the multipliers: then integers
  // without limit go message by message. With a `part`, `secrets` are its own parties'.
  [[nodiscard]] static std::optional<TrialSeal> make(const Noise& noise, const Graph& graph,
                                                     const Secrets& secrets,
                                                     const SealPart* part = nullptr);

  [[nodiscard]] std::size_t parties() const { return first_.size() - 1; }
  [[nodiscard]] std::size_t entries() const { return entries_; }

  [[nodiscard]] std::span<const Edge> edges() const { return edges_; }

  // Trials from `number` on, one after the other: indices[(trial·parties + party)·entries + k] of
  // what the parties release. Every party draws from its own streams of the seed
  // (noise::stream_of), on as many threads as wanted (0: one for each core). `trace`, if there is
  // one, gets what one trial drew; not of a part.
  struct Trials {
    std::uint64_t seed = 0;
    std::uint64_t number = 0;
    std::size_t count = 1;
    std::size_t threads = 1;
  };
  void seal(const Trials& trials, std::span<Index> indices, TrialTrace* trace = nullptr);

  // The sum of what all parties of a trial release, totals[trial·entries + k], and nothing else:
  // what neighbours add and subtract cancels, in integers to the last step, so that no mask is
  // mixed here, and of `pairwise` none is drawn. Of a part, its own parties'; masks towards others
  // cancel when all ranks' are added up.
  void sum(const Trials& trials, std::span<Index> totals);

  // index·step/divisor as the nearest double, of each: Released::values().
  void values(std::span<const Index> indices, std::span<double> values) const;
  [[nodiscard]] double value(Index index) const;
  // The same of what no divisor applies to: η, R.
  [[nodiscard]] double whole_value(Index index) const;

 private:
  TrialSeal() = default;
  [[nodiscard]] bool read_secrets(const Secrets& secrets);
  void read_graph(const Graph& graph, const SealPart* part);
  // An edge's two ends as the ranks see them, for `read_graph`.
  void read_crossings(const Graph& graph, const SealPart& part,
                      std::span<const std::uint32_t> place);
  // False where σ of an entry is wider than `bits`. `of` has what is public about all secrets.
  [[nodiscard]] bool read_sigmas(const Secret& of, const Rational& sigma, std::size_t bits,
                                 std::vector<noise::WordSigma>& sigmas) const;
  [[nodiscard]] bool read_shuffle(const ShuffleNoise& noise, const Secret& of);
  [[nodiscard]] std::size_t degree(std::size_t party) const {
    return first_[party + 1] - first_[party];
  }
  // How many directed edges and rows of masks a trial has, others' included.
  [[nodiscard]] std::size_t directed() const { return first_.back() + outside_; }
  [[nodiscard]] std::size_t mask_rows() const {
    return (shared_ ? parties() : first_.back()) + outside_;
  }
  [[nodiscard]] std::uint64_t name_of(std::size_t party) const {
    return names_.empty() ? party : names_[party];
  }
  // What the other ranks have drawn for edges of ours, of every trial.
  void swap_draws(std::size_t trials);
  void choose_lanes();
  void add_own(const Trials& trials, std::span<Index> indices) const;
  void shuffle(const Trials& trials, std::span<Index> indices, TrialTrace* trace);
  void draw_shuffle(const Trials& trials, std::span<Index> indices);
  void mix_edges(std::size_t trial, std::span<Index> indices, TrialTrace* trace) const;
  void sum_side_by_side(const Trials& trials, std::span<Index> totals) const;
  void draw_keys(const Trials& trials);
  void add_edge_masks(const Trials& trials, std::span<Index> indices, TrialTrace* trace);
  // Γ, while it is all that was added.
  void trace_own(std::span<const Index> indices, TrialTrace& trace) const;

  std::size_t entries_ = 0;
  Grid grid_;
  std::vector<std::int64_t> values_;     // T, party by party
  std::vector<Index> total_;             // ΣT, entry by entry
  std::vector<std::uint32_t> first_{0};  // directed edge of each party, and how many there are
  std::vector<Edge> edges_;
  std::vector<PartyId> names_;  // of a part's parties; empty: their numbers
  std::size_t outside_ = 0;     // ends of edges that other ranks have
  std::size_t network_ = 0;     // parties in all
  std::size_t most_neighbours_ = 0;
  bool regular_ = false;                   // all parties of the network have as many
  std::optional<RowExchange> over_edges_;  // rows: directed edges
  std::optional<RowExchange> over_masks_;  // rows of masked_

  enum class Kind { kLocal, kShuffle, kPairwise } kind_ = Kind::kLocal;
  std::vector<noise::WordSigma> own_;    // Γ, for each entry
  std::vector<noise::WordSigma> masks_;  // η, or the edges' masks
  bool shared_ = false;                  // dishuf: one mask for all neighbours
  std::uint64_t divisor_ = 1;            // dishuf: Z
  std::uint64_t multiplier_min_ = 1;
  std::uint64_t multipliers_ = 1;  // how many there are to draw from

  // σ of all that a party draws, in its order, where eight streams can go side by side: every draw
  // takes one normal, and every party as many. Empty: one after the other.
  std::vector<noise::WordSigma> side_by_side_;
  std::vector<noise::WordSigma> edges_side_by_side_;  // pairwise
  std::vector<std::size_t> own_rows_;                 // which of side_by_side_ are Γ
  bool word_sums_ = false;                            // Γ of all parties fit a word together

  // What trials need, kept from one call to the next.
  std::vector<std::int64_t> masked_;       // T̄: [trial][directed edge, or party][entry]
  std::vector<std::uint64_t> multiplier_;  // or the edges' keys: [trial][directed edge]
  std::vector<Index> released_;            // of sum(), where it adds up releases
};

// `gt`.
class TrialCosts {
 public:
  // None where a number could leave 64 bits, or what a draw computes 126.
  [[nodiscard]] static std::optional<TrialCosts> make(const Secrets& secrets, std::size_t dimension,
                                                      const GridLaplace& laplace, double sigma);

  // perturb_cost() of one party: θ = [vech(G); H].
  void draw(std::size_t party, noise::FastDraws& noise, std::span<double> theta) const;

 private:
  explicit TrialCosts(noise::WordLaplace laplace) : laplace_(laplace) {}

  std::size_t entries_ = 0;
  std::size_t matrix_entries_ = 0;
  Grid grid_;
  std::vector<std::int64_t> values_;  // T, party by party
  noise::WordLaplace laplace_;
  std::vector<noise::WordSigma> gaussian_;  // for each entry of B
};

}  // namespace sotto
