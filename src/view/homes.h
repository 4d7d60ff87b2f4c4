#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/home.h"
#include "run/join/live_notes.h"

// Whose runs the page shows: one party's, or those of several homes in one folder, as a demo has
// them. Read with the rights of whoever started `sotto view`; nothing is made or changed there.
namespace sotto::view {

struct Home {
  std::string folder;
  std::string name;  // the folder's own
};

// `folder` itself, or each home directly inside it if it is none itself. E-home-missing.
[[nodiscard]] Result<std::vector<Home>> find_homes(const std::string& folder);

// One party's part in a run, as its store and its notes have it.
struct WatchedRun {
  Home home;
  RunView view;
  std::optional<LiveRun> live;
};

// In the order of the homes, and the runs in the order they began. A home whose store cannot be
// read has its error in `problems`.
struct Watched {
  std::vector<WatchedRun> runs;
  std::vector<Error> problems;
};
[[nodiscard]] Watched look_at_homes(const std::vector<Home>& homes);

// Changes whenever a store or a note does: to look at that costs next to nothing.
[[nodiscard]] std::string stamp_of(const std::vector<Home>& homes);

}  // namespace sotto::view
