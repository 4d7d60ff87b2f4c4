// What a process in a run notes for those who watch it: a note, or none; and the page that shows
// it.

#include "fuzz/kept_json.h"
#include "fuzz/store_files.h"
#include "run/join/live_notes.h"

namespace sotto {
namespace {

const std::vector<Json>& good_notes() {
  static const std::vector<Json> notes{parse_json(
      R"({"party": "a", "parties": ["a", "b", "c"], "edges": [[0, 1], [1, 2]], "phase": "sealing",
          "state": "running", "waiting_for": ["b"], "without": ["c"], "released": false,
          "connected": ["b"], "sent": 10, "received": 20000000,
          "phases": [{"phase": "meeting", "at": 1700000000000},
                     {"phase": "sealing", "at": 1700000100000}], "updated": 1700000000200})")};
  return notes;
}

// The runs of a good store, one of them running, in which a process may be.
std::vector<RunView> runs_with(const std::optional<std::string>& holder) {
  static const std::vector<RunView> views = [] {
    fuzz::put_store(fuzz::store_template());
    auto looked = look_at_runs(fuzz::store_home());
    fuzz::require(looked && looked->size() == 2, "a good store has its runs");
    return *std::move(looked);
  }();
  std::vector<RunView> runs = views;
  for (RunView& run : runs) run.holder = holder;
  return runs;
}

}  // namespace

// A note's text, or what is changed in a good one (kept_json.h).
SOTTO_FUZZER(live) {
  fuzz::Choices choices(bytes);
  std::string text(bytes);
  if (!choices.at('{')) {
    const auto changed = fuzz::changed_json(choices, good_notes());
    if (changed) text = json_line(changed->json);
  }
  std::filesystem::create_directories(fuzz::own_folder() + "/live");
  fuzz::file_with("live/a1.json", text);
  const auto note = read_live_run(fuzz::own_folder(), "a1");
  if (!note) return;
  for (const auto& [a, b] : note->edges) {
    fuzz::require(a < note->parties.size() && b < note->parties.size(), "edges join parties");
  }
  fuzz::require(std::ranges::find(note->parties, note->party) != note->parties.end(),
                "a note is of one of its parties");
  // Beside a run with a process and without one; then two parties of one run, side by side.
  const view::Home north{.folder = fuzz::store_home(), .name = "north"};
  const view::Home south{.folder = fuzz::store_home(), .name = "b"};
  for (const std::optional<std::string>& holder : {std::optional<std::string>("process 1"), {}}) {
    view::Watched watched;
    for (const RunView& run : runs_with(holder)) {
      watched.runs.push_back({.home = north, .view = run, .live = note});
    }
    fuzz::require(!json_line(view::runs_json(watched)).empty(), "a note is shown");
    for (const RunView& run : runs_with(holder)) {
      watched.runs.push_back({.home = south, .view = run, .live = std::nullopt});
    }
    fuzz::require(!json_line(view::runs_json(watched)).empty(), "two parties are shown");
  }
}

}  // namespace sotto
