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

std::string toml_text(const toml::node& node) {
  std::ostringstream text;
  text << toml::toml_formatter(
      node, toml::toml_formatter::default_flags & ~toml::format_flags::allow_literal_strings);
  return text.str();
}

// Where line and column, both from 1 and the latter in characters, stand in a text.
std::size_t offset_of(std::string_view text, toml::source_position place) {
  std::size_t at = 0;
  for (toml::source_index line = 1; line < place.line; ++line) {
    at = text.find('\n', at);
    if (at == std::string_view::npos) return text.size();
    ++at;
  }
  const auto continues = [&](std::size_t k) { return (text[k] & 0xC0) == 0x80; };
  for (toml::source_index column = 1; column < place.column && at < text.size(); ++column) {
    ++at;
    while (at < text.size() && continues(at)) ++at;
  }
  return at;
}

// `text` with one value changed where it stands, or with a line more where its section begins.
std::string rewritten(const std::string& text, const toml::table& root, const Setting& setting,
                      const std::string& value) {
  if (const auto node = root.at_path(setting.key)) {
    const toml::source_region& place = node.node()->source();
    const std::size_t from = offset_of(text, place.begin);
    return text.substr(0, from) + value + text.substr(offset_of(text, place.end));
  }
  const auto dot = setting.key.rfind('.');
  const std::string section = setting.key.substr(0, dot);
  const std::string line = fmt::format("{} = {}\n", setting.key.substr(dot + 1), value);
  if (const auto node = root.at_path(section)) {
    const auto below = node.node()->source().begin.line + 1;
    const std::size_t at = offset_of(text, {below, 1});
    return text.substr(0, at) + line + text.substr(at);
  }
  return fmt::format("{}\n[{}]\n{}", text, section, line);
}

Result<Study> study_in(const StudySource& source, const std::string& text,
                       const std::string& name) {
  auto study = parse_study(text, name, source.folder);
  if (study && study->problem) {
    for (std::string& file : study->problem->files) file = (source.folder / file).string();
  }
  return study;
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

Result<StudySource> source_with(const StudySource& source, std::span<const Setting> settings) {
  StudySource made = source;
  if (settings.empty()) return made;
  SOTTO_ASSIGN(auto root, parse_toml(source.text, source.name, "E-study-syntax"));
  for (const Setting& setting : settings) {
    SOTTO_TRY(settings::put(root, setting).at("--set"));
    made.name += fmt::format("{} {} = {}", &setting == &settings.front() ? " with" : ",",
                             setting.key, setting.value);
  }
  std::ostringstream written;
  written << root << '\n';
  made.text = written.str();
  return made;
}

Result<Study> study_with(const StudySource& source, std::span<const Setting> settings) {
  SOTTO_ASSIGN(const auto made, source_with(source, settings));
  return settings::study_in(source, made.text, made.name);
}

Result<Study> study_on(const StudySource& source, Topology topology, std::size_t parties) {
  SOTTO_ASSIGN(auto root, parse_toml(source.text, source.name, "E-study-syntax"));
  toml::table graph{{"topology", to_string(topology)},
                    {"parties", static_cast<std::int64_t>(parties)}};
  if (const toml::table* before = root["graph"].as_table()) {
    using enum Topology;
    const bool drawn =
        topology == kRandomRegular || topology == kErdosRenyi || topology == kSmallWorld;
    const auto keep = [&](std::string_view key, bool belongs) {
      if (const toml::node* node = before->get(key); node != nullptr && belongs) {
        node->visit([&](const auto& value) { graph.insert_or_assign(key, value); });
      }
    };
    keep("degree", drawn);
    keep("seed", drawn);
    keep("rewire", topology == kSmallWorld);
    keep("base", topology == kBase);
    keep("file", topology == kFile);
    if (topology_from(before->get_as<std::string>("topology") != nullptr
                          ? before->get_as<std::string>("topology")->get()
                          : "") == topology) {
      keep("edges", topology == kEdges);
      const toml::node* weight = before->get("weight");
      keep("weight", weight != nullptr && !weight->is_array());
    }
  }
  root.insert_or_assign("graph", std::move(graph));
  root.erase("party");
  std::ostringstream written;
  written << root << '\n';
  return settings::study_in(
      source, written.str(),
      fmt::format("{} on a {} of {}", source.name, to_string(topology), parties));
}

Result<std::string> study_text_with(const StudySource& source, std::span<const Setting> settings) {
  SOTTO_TRY(study_with(source, settings));
  SOTTO_ASSIGN(auto wanted, parse_toml(source.text, source.name, "E-study-syntax"));
  std::string text = source.text;
  for (const Setting& setting : settings) {
    SOTTO_TRY(settings::put(wanted, setting).at("--set"));
    const auto now = parse_toml(text, source.name, "E-study-syntax");
    if (!now) break;
    // As it was written: 1e-6 is not to become 9.9999999999999995e-07.
    const bool is_toml = parse_toml("value = " + setting.value, "", "E-setting").has_value();
    const std::string value = is_toml ? setting.value : fmt::format("\"{}\"", setting.value);
    text = settings::rewritten(text, *now, setting, value);
  }
  // A file in a shape that was not thought of here: its meaning comes before its comments.
  if (const auto made = parse_toml(text, source.name, "E-study-syntax"); made && *made == wanted) {
    return text;
  }
  return settings::toml_text(wanted) + "\n";
}

std::optional<std::string> setting_in(const StudySource& source, const std::string& key) {
  const auto root = parse_toml(source.text, source.name, "E-study-syntax");
  if (!root) return std::nullopt;
  const auto node = root->at_path(key);
  return node ? std::optional(settings::toml_text(*node.node())) : std::nullopt;
}

}  // namespace sotto
