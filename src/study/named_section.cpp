// Keys that others describe, read and shown like those of the study itself.
#include "study/named_section.h"

#include <fmt/format.h>

#include "graph/topologies.h"
#include "solve/estimator_table.h"

namespace sotto {

std::vector<StudyKey> described_keys(const std::string& name, std::span<const NamedKey> keys,
                                     std::deque<std::string>& texts) {
  const auto text = [&](std::string words) -> std::string_view {
    return texts.emplace_back(std::move(words));
  };
  const std::string_view section = text(fmt::format("[{}]", name));
  std::vector<StudyKey> described;
  for (const NamedKey& key : keys) {
    const bool number = key.choices.empty();
    described.push_back({.section = section,
                         .name = text(key.name),
                         .kind = number ? "number" : "text",
                         .fallback = text(number ? fmt::format("{:g}", key.fallback)
                                                 : fmt::format("`\"{}\"`", key.choices.front())),
                         .choices = {},
                         .range = number ? text(fmt::format("{:g} to {:g}", key.least, key.most))
                                         : std::string_view{},
                         .about = text(key.about)});
    for (const std::string& choice : key.choices) described.back().choices.push_back(text(choice));
  }
  return described;
}

Result<NamedSettings> read_named_section(TomlReader section, std::span<const NamedKey> keys) {
  NamedSettings settings;
  for (const NamedKey& key : keys) {
    if (key.choices.empty()) {
      settings.numbers[key.name] = section.within(key.name, key.fallback, {key.least, key.most});
    } else {
      settings.words[key.name] = section.word(key.name, key.choices.front());
    }
  }
  SOTTO_TRY(section.finish());
  return settings;
}

std::vector<NamedSection> named_sections() {
  std::vector<NamedSection> sections;
  for (const EstimatorEntry& entry : estimator_table()) {
    if (entry.keys.empty()) continue;
    sections.push_back(
        {entry.name, fmt::format("Settings of the estimator `{}`.", entry.name), entry.keys});
  }
  for (const TopologyEntry& entry : topology_table()) {
    if (entry.keys.empty()) continue;
    sections.push_back({entry.name,
                        fmt::format("Settings of the topology `{}`: {}.", entry.name, entry.about),
                        entry.keys});
  }
  return sections;
}

}  // namespace sotto
