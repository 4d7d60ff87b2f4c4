#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/named_settings.h"
#include "study/sections.h"
#include "study/study_keys.h"

// Sections of what a program that links sotto has added: a solver's, an estimator's, a topology's.
namespace sotto {

// The keys as those of every section are described; `texts`, which outlives that, gets its words.
[[nodiscard]] std::vector<StudyKey> described_keys(const std::string& name,
                                                   std::span<const NamedKey> keys,
                                                   std::deque<std::string>& texts);

// What the section says, with what holds where it does not.
[[nodiscard]] Result<NamedSettings> read_named_section(TomlReader section,
                                                       std::span<const NamedKey> keys);

// The estimators and topologies that have one, in the order in which people are told of them.
struct NamedSection {
  std::string name;
  std::string about;
  std::span<const NamedKey> keys;
};
[[nodiscard]] std::vector<NamedSection> named_sections();

}  // namespace sotto
