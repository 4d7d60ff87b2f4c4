#include "view/homes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace sotto::view {
namespace {

namespace fs = std::filesystem;

std::string stamp(const fs::path& path) {
  std::error_code problem;
  const auto time = fs::last_write_time(path, problem).time_since_epoch().count();
  if (problem) return "-";
  const auto size = fs::is_regular_file(path, problem) ? fs::file_size(path, problem) : 0;
  return fmt::format("{}:{}", time, size);
}

Home home_at(const fs::path& folder) {
  fs::path name = folder.lexically_normal();
  if (!name.has_filename()) name = name.parent_path();
  return {.folder = folder.string(), .name = name.filename().string()};
}

}  // namespace

Result<std::vector<Home>> find_homes(const std::string& folder) {
  SOTTO_TRY(require_home(folder));
  if (Store::exists(folder)) return std::vector{home_at(folder)};
  std::vector<Home> homes;
  std::error_code problem;
  for (const auto& inside : fs::directory_iterator(folder, problem)) {
    if (inside.is_directory(problem) && Store::exists(inside.path().string())) {
      homes.push_back(home_at(inside.path()));
    }
  }
  std::ranges::sort(homes, {},
                    [](const Home& home) { return std::pair(home.name.size(), home.name); });
  if (homes.empty()) homes.push_back(home_at(folder));  // where no run was ever begun
  return homes;
}

Watched look_at_homes(const std::vector<Home>& homes) {
  Watched watched;
  for (const Home& home : homes) {
    auto views = look_at_runs(home.folder);
    if (!views) {
      watched.problems.push_back(std::move(views.error()).at(home.folder));
      continue;
    }
    for (RunView& view : *views) {
      auto live = read_live_run(home.folder, view.run.run);
      watched.runs.push_back({.home = home, .view = std::move(view), .live = std::move(live)});
    }
  }
  return watched;
}

std::string stamp_of(const std::vector<Home>& homes) {
  std::string text;
  for (const Home& home : homes) {
    const fs::path folder(home.folder);
    text += fmt::format("{} {} {}\n", stamp(folder / "party.db"), stamp(folder / "party.db-wal"),
                        stamp(folder / "live"));
  }
  return text;
}

}  // namespace sotto::view
