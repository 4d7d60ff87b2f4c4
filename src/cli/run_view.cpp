#include "cli/run_view.h"

#include <fmt/format.h>

#include "cli/shown.h"

namespace sotto {

Result<RunView> look_at_run(const Store& store, const StoredRun& run) {
  RunView view{.run = run, .entries = {}, .holder = std::nullopt};
  const auto ledger = store.ledger();
  if (!ledger) return tl::unexpected(ledger.error());
  for (const LedgerEntry& entry : *ledger) {
    if (entry.debit.run == run.run) view.entries.push_back(entry);
  }
  if (run.state != RunState::kRunning) return view;
  // A process in a run has the lock of its study; one that has ended, however, has none.
  const auto lock = store.lock(run.study_hash);
  if (!lock && lock.error().name != "E-store-busy") return tl::unexpected(lock.error());
  if (!lock) view.holder = lock.error().what.substr(0, lock.error().what.find(" holds "));
  return view;
}

Result<std::vector<RunView>> look_at_runs(const std::string& home) {
  std::vector<RunView> views;
  if (!Store::exists(home)) return views;
  const auto store = Store::open(home, unix_seconds);
  if (!store) return tl::unexpected(store.error());
  const auto runs = store->runs();
  if (!runs) return tl::unexpected(runs.error());
  for (const StoredRun& run : *runs) {
    auto view = look_at_run(*store, run);
    if (!view) return tl::unexpected(view.error());
    views.push_back(std::move(*view));
  }
  return views;
}

RunCost cost_of(const RunView& view) {
  RunCost cost;
  for (const auto& [debit, state, time] : view.entries) {
    cost.unit = debit.unit;
    if (state == EntryState::kSpent) {
      cost.epsilon += debit.epsilon;
      cost.delta += debit.delta;
    } else if (state == EntryState::kReserved) {
      cost.held_epsilon += debit.epsilon;
      cost.held_delta += debit.delta;
    }
  }
  return cost;
}

nlohmann::ordered_json to_json(const RunView& view) {
  nlohmann::ordered_json ledger = nlohmann::ordered_json::array();
  for (const auto& [debit, state, time] : view.entries) {
    ledger.push_back({{"state", to_string(state)},
                      {"epsilon", debit.epsilon},
                      {"delta", debit.delta},
                      {"unit", debit.unit},
                      {"data", debit.data},
                      {"time", utc_text(time)}});
  }
  const StoredRun& run = view.run;
  nlohmann::ordered_json json{{"run", run.run},
                              {"study", run.study},
                              {"study_hash", run.study_hash},
                              {"state", to_string(run.state)},
                              {"phase", run.phase},
                              {"began", utc_text(run.started)},
                              {"ended", nullptr},
                              {"process", nullptr},
                              {"abort_requested", run.abort_requested},
                              {"note", run.note},
                              {"files", run.files},
                              {"ledger", ledger}};
  if (run.ended) json["ended"] = utc_text(*run.ended);
  if (view.holder) json["process"] = *view.holder;
  return json;
}

}  // namespace sotto
