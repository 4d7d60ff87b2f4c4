#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "network/store.h"

namespace sotto {

// One of a party's runs as its store has it, and whether a process is in it now.
struct RunView {
  StoredRun run;
  std::vector<LedgerEntry> entries;   // what its attempts cost
  std::optional<std::string> holder;  // "process 4242"
};

// All of them, in the order they began; makes no store where there is none.
[[nodiscard]] Result<std::vector<RunView>> look_at_runs(const std::string& home);
[[nodiscard]] Result<RunView> look_at_run(const Store& store, const StoredRun& run);

// What of a run has left the party, and what that cost.
struct RunCost {
  double epsilon = 0;  // spent, for ever
  double delta = 0;
  double held_epsilon = 0;  // held back: free again if the run ends before the release
  double held_delta = 0;
  std::string unit;
  [[nodiscard]] bool released() const { return epsilon > 0 || delta > 0; }
  [[nodiscard]] bool held() const { return held_epsilon > 0 || held_delta > 0; }
};
[[nodiscard]] RunCost cost_of(const RunView& view);

[[nodiscard]] nlohmann::ordered_json to_json(const RunView& view);

}  // namespace sotto
