#pragma once

// The rules of the house. Each takes what it looks at, so that a test can also show it a house
// where the rule is broken.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "support/source_tree.h"

namespace sotto {

// A room and those whose headers it may include.
struct Room {
  std::string name;
  std::vector<std::string> uses;

  bool operator==(const Room&) const = default;
};
using RoomGraph = std::vector<Room>;

inline const Room* find_room(const RoomGraph& rooms, const std::string& name) {
  const auto found = std::ranges::find(rooms, name, &Room::name);
  return found == rooms.end() ? nullptr : &*found;
}

// The lines sotto_room(NAME USES … [LIBRARIES …] [TESTED_WITH …]) of src/CMakeLists.txt.
inline RoomGraph read_rooms(const std::string& cmake) {
  static constexpr std::string_view kCall = "sotto_room(";
  std::string text;
  for (const std::string& line : lines_of(cmake)) text += line.substr(0, line.find('#')) + "\n";
  RoomGraph rooms;
  for (auto at = text.find(kCall); at != std::string::npos; at = text.find(kCall, at + 1)) {
    const auto begin = at + kCall.size();
    const auto words = words_of(text.substr(begin, text.find(')', begin) - begin));
    Room room;
    bool uses = false;
    for (const std::string& word : words) {
      const bool keyword = std::ranges::all_of(word, [](char c) {
        return std::isupper(static_cast<unsigned char>(c)) != 0 || c == '_';
      });
      if (room.name.empty()) {
        room.name = word;
      } else if (keyword) {
        uses = word == "USES";
      } else if (uses) {
        room.uses.push_back(word);
      }
    }
    rooms.push_back(std::move(room));
  }
  return rooms;
}

// The cells of a line of a Markdown table, without blanks and backquotes; none if it is no such
// line.
inline std::vector<std::string> table_cells(const std::string& line) {
  std::vector<std::string> cells;
  for (std::size_t at = line.find('|'); at != std::string::npos && at + 1 < line.size();) {
    const auto end = line.find('|', at + 1);
    if (end == std::string::npos) break;
    std::string cell = line.substr(at + 1, end - at - 1);
    std::erase(cell, '`');
    const auto first = cell.find_first_not_of(' ');
    cells.push_back(first == std::string::npos
                        ? ""
                        : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
    at = end;
  }
  return cells;
}

// The table `room | what is in it | may use` of docs/ARCHITECTURE.md.
inline RoomGraph read_room_table(const std::string& page) {
  RoomGraph rooms;
  bool inside = false;
  for (const std::string& line : lines_of(page)) {
    const auto cells = table_cells(line);
    if (cells.size() != 3) {
      inside = false;
    } else if (cells[0] == "room" && cells[2] == "may use") {
      inside = true;
    } else if (inside && !cells[0].starts_with("--")) {
      std::string uses = cells[2];
      std::ranges::replace(uses, ',', ' ');
      rooms.push_back({cells[0], words_of(uses)});
    }
  }
  return rooms;
}

// Where the table says something else than the build does.
inline std::vector<std::string> table_violations(const RoomGraph& table, const RoomGraph& rooms) {
  std::vector<std::string> violations;
  for (const Room& room : rooms) {
    const Room* row = find_room(table, room.name);
    if (row == nullptr) {
      violations.push_back(fmt::format("{} is not in the table", room.name));
    } else if (std::set(row->uses.begin(), row->uses.end()) !=
               std::set(room.uses.begin(), room.uses.end())) {
      violations.push_back(fmt::format("{} may use {}, not {}", room.name,
                                       fmt::join(room.uses, ", "), fmt::join(row->uses, ", ")));
    }
  }
  for (const Room& row : table) {
    if (find_room(rooms, row.name) == nullptr) {
      violations.push_back(fmt::format("{} is in the table, and is no room", row.name));
    }
  }
  return violations;
}

// Rooms that use one that does not stand above them.
inline std::vector<std::string> order_violations(const RoomGraph& rooms) {
  std::vector<std::string> violations;
  std::set<std::string> above;
  for (const Room& room : rooms) {
    for (const std::string& used : room.uses) {
      if (above.contains(used)) continue;
      violations.push_back(fmt::format("{} uses {}, which is not above it", room.name, used));
    }
    above.insert(room.name);
  }
  return violations;
}

// Includes that the room graph does not have, and rooms nobody has heard of. Tests may look
// further: the linker knows what they are linked with.
inline std::vector<std::string> dependency_violations(const SourceTree& tree,
                                                      const RoomGraph& rooms) {
  std::vector<std::string> violations;
  for (const auto& [path, text] : tree) {
    const Room* room = find_room(rooms, room_of(path));
    if (room == nullptr) {
      violations.push_back(fmt::format("{} is in no known room", path));
      continue;
    }
    if (is_test_code(path)) continue;
    for (const std::string& include : includes_of(text)) {
      const std::string used = room_of(include);
      // Generated from proto/, and linked only to those who may.
      if (include.find('/') == std::string::npos && include.ends_with(".pb.h")) continue;
      if (used == room->name || std::ranges::find(room->uses, used) != room->uses.end()) continue;
      violations.push_back(
          fmt::format("{} includes {}: {} may not use {}", path, include, room->name, used));
    }
  }
  return violations;
}

// Rooms that may use another and do not.
inline std::vector<std::string> unused_permissions(const SourceTree& tree, const RoomGraph& rooms) {
  std::map<std::string, std::set<std::string>> used;
  for (const auto& [path, text] : tree) {
    if (is_test_code(path)) continue;
    for (const std::string& include : includes_of(text)) {
      used[room_of(path)].insert(room_of(include));
    }
  }
  std::vector<std::string> violations;
  for (const Room& room : rooms) {
    for (const std::string& use : room.uses) {
      if (used[room.name].contains(use)) continue;
      violations.push_back(fmt::format("{} may use {}, and does not", room.name, use));
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
        if (room_of(include) == "data" || room_of(include) == "moments") return way[include];
        next.push_back(include);
      }
    }
    front = std::move(next);
  }
  return std::nullopt;
}

inline std::vector<std::string> boundary_violations(const SourceTree& tree) {
  static const std::set<std::string> kBehindTheBoundary{"protocol", "session", "store", "simulate",
                                                        "network"};
  std::vector<std::string> violations;
  for (const auto& [path, text] : tree) {
    if (is_test_code(path) || !kBehindTheBoundary.contains(room_of(path))) continue;
    if (const auto way = way_to_raw_data(tree, path)) violations.push_back(*way);
  }
  return violations;
}

// A stage of the map, and the room that has its type.
struct Stage {
  std::string type;
  std::string room;

  bool operator==(const Stage&) const = default;
};

// The map in docs/ARCHITECTURE.md: a line of types with arrows between them, and below it a line
// of as many rooms; the bar of the privacy boundary stands in both.
inline std::vector<Stage> read_map(const std::string& page) {
  const auto lines = lines_of(page);
  const auto stops = [](const std::string& line) {
    auto words = words_of(line);
    std::erase_if(words, [](const std::string& word) { return word == "→" || word == "│"; });
    return words;
  };
  for (std::size_t k = 0; k + 1 < lines.size(); ++k) {
    if (!holds(lines[k], " → ") || !holds(lines[k], " │ ")) continue;
    const auto types = stops(lines[k]);
    const auto rooms = stops(lines[k + 1]);
    if (types.size() != rooms.size()) continue;
    std::vector<Stage> map;
    for (std::size_t at = 0; at < types.size(); ++at) map.push_back({types[at], rooms[at]});
    return map;
  }
  return {};
}

// Whether `struct X` or `class X` with a body stands in the text; a declaration is not enough.
inline bool defines_type(const std::string& text, const std::string& type) {
  for (const std::string& line : lines_of(text)) {
    const auto names = names_of(line);
    for (std::size_t k = 0; k + 1 < names.size(); ++k) {
      if ((names[k] != "struct" && names[k] != "class") || line.ends_with(';')) continue;
      const std::size_t name = names[k + 1] == "nodiscard" ? k + 2 : k + 1;
      if (name < names.size() && names[name] == type && !holds(line, "//")) return true;
    }
  }
  return false;
}

// Stages whose type nobody finds where the map says it is.
inline std::vector<std::string> map_violations(const std::vector<Stage>& map,
                                               const SourceTree& tree) {
  std::vector<std::string> violations;
  for (const Stage& stage : map) {
    const bool found = std::ranges::any_of(tree, [&](const auto& file) {
      return room_of(file.first) == stage.room && file.first.ends_with(".h") &&
             defines_type(file.second, stage.type);
    });
    if (!found) violations.push_back(fmt::format("{}/ defines no {}", stage.room, stage.type));
  }
  return violations;
}

// Code that makes its own randomness instead of taking a RandomSource. Tests may:
// theirs protects nobody.
inline std::vector<std::string> randomness_violations(const SourceTree& tree) {
  static const std::set<std::string> kGenerators{"getrandom",
                                                 "random_device",
                                                 "mt19937",
                                                 "mt19937_64",
                                                 "minstd_rand",
                                                 "minstd_rand0",
                                                 "default_random_engine",
                                                 "rand",
                                                 "srand",
                                                 "drand48",
                                                 "arc4random",
                                                 "RAND_bytes"};
  std::vector<std::string> violations;
  for (const auto& [path, text] : tree) {
    if (room_of(path) == "base" || is_test_code(path)) continue;
    const auto names = names_of(text);
    for (const std::string& name : std::set(names.begin(), names.end())) {
      if (!kGenerators.contains(name)) continue;
      violations.push_back(fmt::format("{} uses {}: take a RandomSource", path, name));
    }
  }
  return violations;
}

// What only tests need, in a tree that everybody compiles: it belongs into tests/support/.
inline std::vector<std::string> harness_violations(const SourceTree& tree) {
  const auto of_tests = [](const std::string& name) {
    return (name.starts_with("fault_") && name != "fault_") || name.ends_with("_for_tests") ||
           name.starts_with("memory_journal");
  };
  std::vector<std::string> violations;
  for (const auto& [path, text] : tree) {
    auto names = names_of(path);
    if (!is_test_code(path)) std::ranges::copy(names_of(text), std::back_inserter(names));
    for (const std::string& name : std::set(names.begin(), names.end())) {
      if (of_tests(name)) violations.push_back(fmt::format("{} has {}", path, name));
    }
  }
  return violations;
}

inline constexpr std::ptrdiff_t kMaxLines = 450;
inline constexpr std::ptrdiff_t kMaxTestLines = 500;
inline constexpr std::size_t kMaxFilesInAFolder = 30;

inline std::vector<std::string> length_violations(const SourceTree& tree) {
  std::vector<std::string> violations;
  for (const auto& [path, text] : tree) {
    const auto lines = std::ranges::count(text, '\n');
    const auto limit = is_test_code(path) ? kMaxTestLines : kMaxLines;
    if (lines > limit) violations.push_back(fmt::format("{} has {} lines", path, lines));
  }
  return violations;
}

inline std::vector<std::string> crowd_violations(const SourceTree& tree) {
  std::map<std::string, std::size_t> files;
  for (const auto& [path, text] : tree) files[folder_of(path)] += is_test_code(path) ? 0 : 1;
  std::vector<std::string> violations;
  for (const auto& [folder, count] : files) {
    if (count > kMaxFilesInAFolder) {
      violations.push_back(fmt::format("{} has {} files", folder, count));
    }
  }
  return violations;
}

// Implementations that nobody declares: x.cpp goes with x.h, or is a part of it, x_part.cpp. A verb
// of the command line, which nobody calls but the command line, is declared with it.
inline std::vector<std::string> header_violations(const SourceTree& tree) {
  std::vector<std::string> violations;
  for (const auto& [path, text] : tree) {
    if (!path.ends_with(".cpp") || is_test_code(path) || path.ends_with("/main.cpp")) continue;
    std::string stem = path.substr(0, path.size() - 4);
    const auto name = stem.rfind('/') + 1;
    const auto verbs = tree.find(folder_of(path) + "/command_line.h");
    if (verbs != tree.end() && holds(verbs->second, " add_" + stem.substr(name) + "(")) continue;
    while (!tree.contains(stem + ".h")) {
      const auto cut = stem.rfind('_');
      if (cut == std::string::npos || cut <= name) {
        violations.push_back(fmt::format("{} has no header", path));
        break;
      }
      stem.resize(cut);
    }
  }
  return violations;
}

}  // namespace sotto
