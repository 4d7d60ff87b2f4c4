// What a process in a run notes for those who watch it: a note, or none.

#include "fuzz/fuzz.h"
#include "run/join/live_notes.h"

namespace sotto {

SOTTO_FUZZER(live) {
  std::filesystem::create_directories(fuzz::own_folder() + "/live");
  fuzz::file_with("live/a1.json", bytes);
  const auto note = read_live_run(fuzz::own_folder(), "a1");
  if (!note) return;
  for (const auto& [a, b] : note->edges) {
    fuzz::require(a < note->parties.size() && b < note->parties.size(), "edges join parties");
  }
}

}  // namespace sotto
