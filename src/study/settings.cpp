// Keys of a study set from outside: put into its TOML, which is then read like any other.
#include "study/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <sstream>

#include "study/sections.h"

namespace sotto {
namespace settings {

Error bad_setting(const std::string& what) {
  return bad_input("E-setting", what,
                   "write KEY=VALUE or KEY=VALUE,VALUE: --set privacy.epsilon=0.1,1,10");
}

std::vector<std::string> apart(std::string_view list) {
  std::vector<std::string> values(1);
  int depth = 0;
  char quote = 0;
  for (const char c : list) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    }
    if (c == ',' && depth == 0 && quote == 0) {
      values.emplace_back();
    } else {
      values.back() += c;
    }
  }
  return values;
}

// `value` as TOML; a word without quotes is text.
Result<toml::table> as_toml(const std::string& value) {
  for (const std::string& written :
       {fmt::format("value = {}", value), fmt::format("value = \"{}\"", value)}) {
    auto parsed = parse_toml(written, "--set", "E-setting");
    if (parsed && parsed->size() == 1) return parsed;
  }
  return bad_setting(fmt::format("\"{}\" is no value", value));
}

// Puts a value where the dots of `key` lead to, making tables on the way.
Result<void> put(toml::table& root, const Setting& setting) {
  SOTTO_ASSIGN(auto made, as_toml(setting.value));
  toml::table* table = &root;
  std::string_view rest = setting.key;
  for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
    const std::string_view name = rest.substr(0, dot);
    toml::node* next = table->get(name);
    if (next == nullptr) next = &table->insert(name, toml::table{}).first->second;
    table = next->as_table();
    if (table == nullptr) {
      return bad_setting(
          fmt::format("{} leads through \"{}\", which is no section", setting.key, name));
    }
    rest.remove_prefix(dot + 1);
  }
  made.get("value")->visit([&](auto&& node) { table->insert_or_assign(rest, node); });
  return {};
}

}  // namespace settings

Result<StudySource> read_study_text(const std::string& path) {
  if (path != "-") {
    SOTTO_ASSIGN(auto text, read_toml_text(path, "study", "E-study-file"));
    return StudySource{std::move(text), path, std::filesystem::path(path).parent_path()};
  }
  std::string text;
  for (std::istreambuf_iterator<char> at(std::cin), end; at != end; ++at) {
    text += *at;
    if (text.size() > kMaxTomlBytes) {
      return bad_input("E-study-file", "the study on standard input is too large",
                       fmt::format("a study has at most {} bytes", kMaxTomlBytes))
          .at("standard input");
    }
  }
  return StudySource{std::move(text), "standard input", {}};
}

Result<SettingValues> setting_from(const std::string& words) {
  const std::size_t equals = words.find('=');
  if (equals == std::string::npos || equals == 0) {
    return settings::bad_setting(fmt::format("\"{}\" sets no key", words)).at("--set");
  }
  SettingValues result{words.substr(0, equals), settings::apart(words.substr(equals + 1))};
  // A key of a section, or a whole section: problem={ family = "paper", m = 2, seed = 1 }.
  const bool section = std::ranges::all_of(
      result.values, [](const std::string& value) { return value.starts_with('{'); });
  if ((result.key.find('.') == std::string::npos && !section) || result.key.ends_with('.') ||
      result.key.starts_with('.') || result.key.find("..") != std::string::npos) {
    return settings::bad_setting(fmt::format("\"{}\" is no key of a section", result.key))
        .at("--set");
  }
  for (const std::string& value : result.values) {
    if (auto good = settings::as_toml(value); value.empty() || !good) {
      return settings::bad_setting(fmt::format("\"{}\" of {} is no value", value, result.key))
          .at("--set");
    }
  }
  return result;
}

Result<std::vector<std::vector<Setting>>> grid_of(std::span<const SettingValues> keys) {
  std::vector<std::vector<Setting>> points(1);
  for (const SettingValues& key : keys) {
    std::vector<std::vector<Setting>> more;
    for (const std::vector<Setting>& point : points) {
      for (const Setting& earlier : point) {
        if (earlier.key == key.key) {
          return settings::bad_setting(fmt::format("{} is set twice", key.key)).at("--set");
        }
      }
      for (const std::string& value : key.values) {
        more.push_back(point);
        more.back().push_back({key.key, value});
      }
      if (more.size() > kMaxSettings) {
        return bad_input("E-setting-many",
                         fmt::format("the grid has more than {} points", kMaxSettings),
                         "try fewer values of a key")
            .at("--set");
      }
    }
    points = std::move(more);
  }
  return points;
}

Result<Study> study_with(const StudySource& source, std::span<const Setting> settings) {
  std::string text = source.text;
  std::string name = source.name;
  if (!settings.empty()) {
    SOTTO_ASSIGN(auto root, parse_toml(text, name, "E-study-syntax"));
    for (const Setting& setting : settings) {
      SOTTO_TRY(settings::put(root, setting).at("--set"));
      name += fmt::format("{} {} = {}", &setting == &settings.front() ? " with" : ",", setting.key,
                          setting.value);
    }
    std::ostringstream written;
    written << root << '\n';
    text = written.str();
  }
  auto study = parse_study(text, name);
  if (study && study->problem) {
    for (std::string& file : study->problem->files) file = (source.folder / file).string();
  }
  return study;
}

}  // namespace sotto
