#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// Every key of study.toml, described once: the reader takes the words that a key may be from here,
// names of keys in errors come from here, `sotto new` explains what it writes with it, and
// docs/STUDY.md is written from it.
namespace sotto {

struct StudySection {
  std::string_view name;  // as the reader calls it: "[privacy]", "[[party]]"
  std::string_view about;
};

struct StudyKey {
  std::string_view section;
  std::string_view name;
  std::string_view kind;                  // "number", "text", …
  std::string_view fallback;              // what holds without it; kRequired, or in words
  std::vector<std::string_view> choices;  // the words that it may be; empty: any
  std::string_view range;                 // which numbers or texts; empty: any, or the choices
  std::string_view about;                 // one sentence
};

inline constexpr std::string_view kRequiredKey = "required";

// In the order in which a person writes them.
[[nodiscard]] std::span<const StudySection> study_sections();
[[nodiscard]] std::span<const StudyKey> study_keys();

// What stands in single brackets on a line of its own: "privacy", "dishuf", …
[[nodiscard]] std::span<const std::string> study_tables();
// Whether a section that is no solver's, or the list of parties, has this name.
[[nodiscard]] bool is_study_section(std::string_view name);

// Of one section; empty for one that is not a study's.
[[nodiscard]] std::vector<const StudyKey*> study_keys_of(std::string_view section);
[[nodiscard]] const StudyKey* study_key(std::string_view section, std::string_view name);

// docs/STUDY.md.
[[nodiscard]] std::string study_keys_page();

// The same for a terminal: all, or one section as a person says it, "privacy" or "[[party]]".
// E-study-section with those that there are.
[[nodiscard]] Result<std::string> study_keys_text(const std::string& section);
[[nodiscard]] nlohmann::ordered_json study_keys_json();

}  // namespace sotto
