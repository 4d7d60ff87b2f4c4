// Flattens TOML into sorted lines, and compares two such lists.
#include "study/study_lines.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "study/sections.h"

namespace sotto {
namespace {

constexpr std::size_t kMostValueBytes = 400;
constexpr std::size_t kMostShownBytes = 60;

class Flattener {
 public:
  [[nodiscard]] std::vector<std::string> run(const toml::table& root) {
    table(root, "");
    std::ranges::sort(lines_);
    return std::move(lines_);
  }

 private:
  void table(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, value] : table) node(value, prefix + std::string(key.str()));
  }

  void node(const toml::node& value, const std::string& name) {
    if (const auto* inner = value.as_table()) return table(*inner, name + ".");
    const auto* list = value.as_array();
    if (list == nullptr || !list->is_array_of_tables()) return line(name, value);
    std::size_t number = 0;
    for (const auto& element : *list) {
      ++number;
      const auto* one = element.as_table();
      const auto called = (*one)["name"].value<std::string>();
      table(*one, fmt::format("{}.{}.", name, called ? *called : std::to_string(number)));
      if (called) lines_.push_back(fmt::format("{}.{} = number {}", name, *called, number));
    }
  }

  void line(const std::string& name, const toml::node& value) {
    std::string shown;
    if (const auto* number = value.as_floating_point()) {
      // As a person writes it: as many digits as tell it from every other.
      shown = fmt::format("{}", number->get());
      if (shown.find_first_of(".en") == std::string::npos) shown += ".0";
    } else {
      std::ostringstream text;
      value.visit([&](const auto& concrete) { text << concrete; });
      shown = text.str();
    }
    std::ranges::replace(shown, '\n', ' ');
    if (shown.size() > kMostValueBytes) shown = shown.substr(0, kMostValueBytes) + "…";
    lines_.push_back(fmt::format("{} = {}", name, shown));
  }

  std::vector<std::string> lines_;
};

// Key → value; lines that are none are left away.
std::map<std::string, std::string> values_in(std::string_view lines) {
  std::map<std::string, std::string> values;
  std::istringstream stream{std::string(lines)};
  for (std::string line; std::getline(stream, line);) {
    const auto equals = line.find(" = ");
    if (equals == std::string::npos) continue;
    values[line.substr(0, equals)] = line.substr(equals + 3);
  }
  return values;
}

std::string shown(const std::string& text) {
  if (text.size() <= kMostShownBytes) return text;
  std::size_t end = kMostShownBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

}  // namespace

std::string study_lines(std::string_view text, std::size_t most_bytes) {
  const auto parsed = parse_toml(text, "", "E-study-syntax");
  if (!parsed) return {};
  std::string lines;
  for (const std::string& line : Flattener().run(*parsed)) {
    if (lines.size() + line.size() + 1 > most_bytes) break;
    lines += line + "\n";
  }
  return lines;
}

std::vector<std::string> study_differences(std::string_view ours, std::string_view theirs,
                                           std::size_t most) {
  const auto here = values_in(ours);
  const auto there = values_in(theirs);
  std::set<std::string> keys;
  for (const auto& [key, value] : here) keys.insert(key);
  for (const auto& [key, value] : there) keys.insert(key);
  std::vector<std::string> differences;
  std::size_t more = 0;
  for (const std::string& key : keys) {
    const auto a = here.find(key);
    const auto b = there.find(key);
    if (a != here.end() && b != there.end() && a->second == b->second) continue;
    if (differences.size() == most) {
      ++more;
      continue;
    }
    differences.push_back(fmt::format("{}: {} here, {} there", shown(key),
                                      a == here.end() ? "nothing" : shown(a->second),
                                      b == there.end() ? "nothing" : shown(b->second)));
  }
  if (more > 0) differences.push_back(fmt::format("and {} more", more));
  return differences;
}

}  // namespace sotto
