#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "run/simulate.h"
#include "simulate/ranks/checkpoint.h"
#include "simulate/ranks/network_part.h"

// `sotto simulate` as one of several processes, or with a file to go on from when it is killed.
// Each rank has its own parties' costs, noise and rows; all have the study, its graph and its plan.
// What comes out has the bits of one process without any of this (docs/CLUSTER.md).
namespace sotto {

// Where the ranks of a program come from; without any, it is by itself.
struct RankLauncher {
  std::function<std::string()> about = [] { return std::string("none"); };  // for --version
  std::function<Result<std::unique_ptr<Ranks>>()> start = {};
  Partitioner partition = {};
};

// The processes that a launcher has started as one program, for verbs that can make use of them;
// other verbs never ask, and run as often as they were started.
class ProgramRanks {
 public:
  explicit ProgramRanks(const RankLauncher& launcher) : launcher_(launcher) {}

  // nullptr where nobody has launched us.
  [[nodiscard]] Result<Ranks*> start() {
    if (!ranks_ && launcher_.start) {
      SOTTO_ASSIGN(ranks_, launcher_.start());
    }
    return ranks_.get();
  }
  [[nodiscard]] const Partitioner& partition() const { return launcher_.partition; }
  // Whether another process prints what all have to say.
  [[nodiscard]] bool silent() const { return ranks_ && ranks_->rank() != 0; }

 private:
  RankLauncher launcher_;
  std::unique_ptr<Ranks> ranks_;
};

struct RanksOfRun {
  Ranks& ranks;
  Partitioner partition;
  std::optional<CheckpointOptions> checkpoint;
};

// E-ranks-differ where a rank has other facts than rank 0 has, with which and how.
[[nodiscard]] Result<void> require_same(Ranks& ranks, const nlohmann::ordered_json& facts);

// simulate_study() on options.ranks. Only errors that all ranks agree on come out. E-ranks-many,
// E-ranks-differ, E-ranks-words, E-ranks-unsupported, E-simulate-memory, and Checkpoint's.
[[nodiscard]] Result<Simulation> simulate_on_ranks(const Study& study, const RunOptions& options);

}  // namespace sotto
