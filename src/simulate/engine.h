#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/ranks.h"
#include "graph/weights.h"
#include "privacy/seal.h"
#include "protocol/consensus.h"
#include "simulate/round_graph.h"

namespace sotto {

// The vectorised engine: the rounds of many trials at once, without messages.
// Trials lie side by side in memory, so that the inner loops run over
// neighbouring numbers (simulate/rounds.h); parties are divided between threads. Every number goes
// through the same operations in the same order as in protocol/, so the bits are the same.

// Numbers of several trials, [trial][party][entry], in one piece.
class TrialValues {
 public:
  TrialValues() = default;
  TrialValues(std::size_t trials, std::size_t parties, std::size_t entries)
      : trials_(trials),
        parties_(parties),
        entries_(entries),
        values_(trials * parties * entries, 0.0) {}

  [[nodiscard]] std::size_t trials() const { return trials_; }
  [[nodiscard]] std::size_t parties() const { return parties_; }
  [[nodiscard]] std::size_t entries() const { return entries_; }
  [[nodiscard]] std::span<double> at(std::size_t trial, std::size_t party) {
    return std::span(values_).subspan((trial * parties_ + party) * entries_, entries_);
  }
  [[nodiscard]] std::span<const double> at(std::size_t trial, std::size_t party) const {
    return std::span(values_).subspan((trial * parties_ + party) * entries_, entries_);
  }
  [[nodiscard]] std::span<double> all() { return values_; }
  [[nodiscard]] std::span<const double> all() const { return values_; }

  // One trial alone.
  [[nodiscard]] TrialValues trial(std::size_t number) const;
  friend bool operator==(const TrialValues&, const TrialValues&) = default;

 private:
  std::size_t trials_ = 0;
  std::size_t parties_ = 0;
  std::size_t entries_ = 0;
  std::vector<double> values_;
};

// Where the parties of several trials stand after a round: y of the averaging, x of gradient
// tracking.
class RoundView {
 public:
  // Where the party at place i has entry k of trial t: i·party + k·entry + t·trial.
  struct Strides {
    std::size_t party;
    std::size_t entry;
    std::size_t trial;
  };
  // places[party] is where a party stands; empty: at its own number.
  RoundView(const double* values, Strides strides, std::size_t entries, std::size_t trials,
            std::span<const std::uint32_t> places = {})
      : values_(values), strides_(strides), entries_(entries), trials_(trials), places_(places) {}
  [[nodiscard]] std::size_t trials() const { return trials_; }
  [[nodiscard]] std::size_t entries() const { return entries_; }
  [[nodiscard]] double at(PartyId party, std::size_t entry, std::size_t trial) const {
    const std::size_t place = places_.empty() ? party : places_[party];
    return values_[place * strides_.party + entry * strides_.entry + trial * strides_.trial];
  }

 private:
  const double* values_;
  Strides strides_;
  std::size_t entries_;
  std::size_t trials_;
  std::span<const std::uint32_t> places_;
};

// Sees round 0, before anything was said, and every round after it.
using RoundObserver = std::function<void(Round, const RoundView&)>;

// Keeps what long runs have come to: rows of `lanes` doubles, a row for each place.
class RoundKeeper {
 public:
  virtual ~RoundKeeper() = default;
  // The round that was come to earlier; 0: none. Then its rows, and those of the round before
  // unless nobody reads them again (nullptr).
  [[nodiscard]] virtual Round reached() const = 0;
  virtual void restore(std::size_t lanes, double* now, double* before) = 0;
  // After every round, from one thread.
  virtual void after(Round round, std::size_t lanes, const double* now, const double* before) = 0;
};

// How the rounds are walked. None of it changes a bit.
struct EngineOptions {
  RoundObserver observer = {};
  std::size_t threads = 1;                                // 0: one for each core
  std::size_t renumber_from = RoundGraph::kRenumberFrom;  // of a whole network
  RowExchange* halo = nullptr;                            // of a part: others' rows, every round
  RoundKeeper* keeper = nullptr;
};

// values ← what `plain` or `chebyshev` makes of them. Of a part they are its own parties'.
void run_linear_consensus(const Weights& weights, const ConsensusPlan& plan, TrialValues& values,
                          const EngineOptions& options = {});
void run_linear_consensus(const RoundGraph& graph, const ConsensusPlan& plan, TrialValues& values,
                          const EngineOptions& options);

// The perturbed costs of several trials, [trial][party]: θ of G and H.
//
// Gradient tracking: x of every party after the last round; x = 0 before the first. `costs` has
// θ = [vech(G); H] of an m×m problem, m = dimension.
[[nodiscard]] TrialValues run_gradient_tracking(const Weights& weights, const TrialValues& costs,
                                                std::size_t dimension, double step, Round rounds,
                                                const EngineOptions& options = {});
[[nodiscard]] TrialValues run_gradient_tracking(const RoundGraph& graph, const TrialValues& costs,
                                                std::size_t dimension, double step, Round rounds,
                                                const EngineOptions& options);

}  // namespace sotto
