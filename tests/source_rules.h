#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "source_tree.h"

namespace sotto {

// What each room may include besides itself: docs/ARCHITECTURE.md, "Rooms".
inline const std::map<std::string, std::set<std::string>>& allowed_rooms() {
  static const std::map<std::string, std::set<std::string>> kAllowed = [] {
    std::map<std::string, std::set<std::string>> allowed{
        {"base", {}},
        {"graph", {"base"}},
        {"data", {"base"}},
        {"paillier", {"base"}},
        {"problem", {"base", "data"}},
        {"privacy", {"base", "graph", "problem"}},
        {"protocol", {"base", "graph", "paillier", "privacy"}},
        {"solve", {"base", "problem"}},
        {"session", {"base", "graph", "paillier", "protocol"}},
        {"simulate", {"base", "graph", "paillier", "privacy", "protocol", "session"}},
        {"network", {"base", "graph", "protocol", "session"}},
        {"report", {"base", "graph", "privacy", "protocol", "simulate", "solve"}}};
    std::set<std::string> below;
    for (const auto& [room, uses] : allowed) below.insert(room);
    allowed["study"] = below;
    below.insert("study");
    allowed["cli"] = below;
    return allowed;
  }();
  return kAllowed;
}

// Includes that go against the one-way order, and rooms nobody has heard of.
inline std::vector<std::string> dependency_violations(const SourceTree& tree) {
  std::vector<std::string> violations;
  for (const auto& [path, text] : tree) {
    const std::string room = room_of(path);
    const auto allowed = allowed_rooms().find(room);
    if (allowed == allowed_rooms().end()) {
      violations.push_back(fmt::format("{} is in no known room", path));
      continue;
    }
    for (const std::string& include : includes_of(text)) {
      const std::string used = room_of(include);
      if (used == room || allowed->second.contains(used)) continue;
      violations.push_back(
          fmt::format("{} includes {}: {} may not use {}", path, include, room, used));
    }
  }
  return violations;
}

// The privacy boundary: the shortest way from `start` to raw data that does not go
// through privacy/, as "a.h > b.h > data/c.h".
inline std::optional<std::string> way_to_raw_data(const SourceTree& tree,
                                                  const std::string& start) {
  std::map<std::string, std::string> way{{start, start}};
  std::vector<std::string> front{start};
  while (!front.empty()) {
    std::vector<std::string> next;
    for (const std::string& file : front) {
      const auto found = tree.find(file);
      if (found == tree.end() || room_of(file) == "privacy") continue;
      for (const std::string& include : includes_of(found->second)) {
        if (!way.emplace(include, fmt::format("{} > {}", way[file], include)).second) continue;
        if (room_of(include) == "data" || room_of(include) == "problem") return way[include];
        next.push_back(include);
      }
    }
    front = std::move(next);
  }
  return std::nullopt;
}

inline std::vector<std::string> boundary_violations(const SourceTree& tree) {
  static const std::set<std::string> kBehindTheBoundary{"protocol", "session", "simulate",
                                                        "network"};
  std::vector<std::string> violations;
  for (const auto& [path, text] : tree) {
    if (!kBehindTheBoundary.contains(room_of(path))) continue;
    if (const auto way = way_to_raw_data(tree, path)) violations.push_back(*way);
  }
  return violations;
}

// Code that makes its own randomness instead of taking a RandomSource. Tests may:
// theirs protects nobody.
inline std::vector<std::string> randomness_violations(const SourceTree& tree) {
  static const std::string kGenerators =
      R"(\b(getrandom|random_device|mt19937|mt19937_64|minstd_rand0?|default_random_engine|)"
      R"(srand|drand48|arc4random|RAND_bytes|s?rand(?=\s*\())\b)";
  std::vector<std::string> violations;
  for (const auto& [path, text] : tree) {
    if (room_of(path) == "base" || is_test_code(path)) continue;
    for (const std::string& name : matches(text, kGenerators)) {
      violations.push_back(fmt::format("{} uses {}: take a RandomSource", path, name));
    }
  }
  return violations;
}

inline constexpr std::ptrdiff_t kMaxLines = 500;

inline std::vector<std::string> length_violations(const SourceTree& tree) {
  std::vector<std::string> violations;
  for (const auto& [path, text] : tree) {
    const auto lines = std::ranges::count(text, '\n');
    if (lines > kMaxLines) violations.push_back(fmt::format("{} has {} lines", path, lines));
  }
  return violations;
}

}  // namespace sotto
