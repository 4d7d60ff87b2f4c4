// The table of keys as docs/STUDY.md, for a terminal, and for scripts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/json.h"
#include "study/sections.h"
#include "study/study_keys.h"

namespace sotto {
namespace study_page {

constexpr std::string_view kPrologue =
    "# Every key of study.toml\n\n"
    "What all parties agree on is one TOML file, the same bytes for everybody. Unknown keys are "
    "errors, and privacy has no defaults: a forgotten line must not choose somebody's. `sotto new` "
    "writes a study and explains it; `sotto study show` says in words what one means, `sotto plan` "
    "what it promises.\n\n"
    "This page is `sotto study keys --markdown`, written from the table that the reader itself "
    "uses; a test compares them.\n";

std::string values(const StudyKey& key, std::string_view quote) {
  if (key.choices.empty()) return std::string(key.range);
  std::string text;
  for (const std::string_view choice : key.choices) {
    text += fmt::format("{}{}\"{}\"{}", text.empty() ? "" : ", ", quote, choice, quote);
  }
  return text;
}

// "[[data.feature]]", "data.feature" and "feature" as people say it.
std::string plain(std::string_view section) {
  std::string text(section);
  std::erase_if(text, [](char c) { return c == '[' || c == ']'; });
  std::ranges::replace(text, ' ', '.');
  return text;
}

std::string without_quotes(std::string_view text) {
  std::string plain_text(text);
  std::erase(plain_text, '`');
  return plain_text;
}

std::string section_text(const StudySection& section) {
  std::string text = fmt::format("{}\n  {}\n", section.name, without_quotes(section.about));
  for (const StudyKey* key : study_keys_of(section.name)) {
    text += fmt::format("\n  {:<17} {}; {}\n", key->name, key->kind,
                        key->fallback == kRequiredKey
                            ? std::string("required")
                            : fmt::format("without it: {}", without_quotes(key->fallback)));
    if (const auto allowed = values(*key, ""); !allowed.empty()) {
      text += fmt::format("  {:<17} {}\n", "", allowed);
    }
    text += fmt::format("  {:<17} {}\n", "", without_quotes(key->about));
  }
  return text;
}

}  // namespace study_page

std::string study_keys_page() {
  std::string page(study_page::kPrologue);
  for (const StudySection& section : study_sections()) {
    page += fmt::format(
        "\n## `{}`\n\n{}\n\n| key | what it is | without it | values | |\n|---|---|---|---|---|\n",
        section.name, section.about);
    for (const StudyKey* key : study_keys_of(section.name)) {
      page += fmt::format("| `{}` | {} | {} | {} | {} |\n", key->name, key->kind, key->fallback,
                          study_page::values(*key, "`"), key->about);
    }
  }
  return page;
}

Result<std::string> study_keys_text(const std::string& section) {
  std::string text;
  std::vector<std::string> names;
  const std::string wanted = study_page::plain(section);
  for (const StudySection& each : study_sections()) {
    names.push_back(study_page::plain(each.name));
    if (!wanted.empty() && wanted != names.back()) continue;
    text += (text.empty() ? "" : "\n") + study_page::section_text(each);
  }
  if (!text.empty()) return text;
  const auto near = nearest_word(wanted, names);
  return bad_input(
      "E-study-section", fmt::format("a study has no section \"{}\"", section),
      fmt::format("{}the sections are {}", near ? fmt::format("did you mean {}? ", *near) : "",
                  fmt::join(names, ", ")));
}

Json study_keys_json() {
  return json_list(study_keys(), [](const StudyKey& key) -> Json {
    return {{"section", key.section},
            {"key", key.name},
            {"kind", key.kind},
            {"required", key.fallback == kRequiredKey},
            {"without", study_page::without_quotes(key.fallback)},
            {"choices", json_list(key.choices, [](std::string_view c) { return Json(c); })},
            {"range", key.range},
            {"about", study_page::without_quotes(key.about)}};
  });
}

}  // namespace sotto
