#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/study.h"

// A study in many settings: the same file with some of its keys set from outside.
namespace sotto {

// A study as it was written: what settings are put into.
struct StudySource {
  std::string text;
  std::string name;              // stands for the file in errors
  std::filesystem::path folder;  // what file names in it are relative to
};

// "-" is standard input.
[[nodiscard]] Result<StudySource> read_study_text(const std::string& path);

// One key and what it is set to, as TOML would have it: "privacy.epsilon", "0.1".
struct Setting {
  std::string key;
  std::string value;
  friend bool operator==(const Setting&, const Setting&) = default;
};

// A key and the values to try.
struct SettingValues {
  std::string key;
  std::vector<std::string> values;
};

// "privacy.epsilon=0.1,1,10". Values are TOML, or words that need no quotes: "plain". Commas inside
// brackets and quotes do not part. A section may be set as a whole: "problem={ files = [\"a.json\"]
// }". E-setting.
[[nodiscard]] Result<SettingValues> setting_from(const std::string& words);

// All combinations, the last key changing fastest; without keys, one without settings.
// E-setting-many beyond kMaxSettings.
inline constexpr std::size_t kMaxSettings = 100'000;
[[nodiscard]] Result<std::vector<std::vector<Setting>>> grid_of(
    std::span<const SettingValues> keys);

// The study's text with these keys set, as TOML writes it; without settings as it stands.
// E-study-syntax, E-setting.
[[nodiscard]] Result<StudySource> source_with(const StudySource& source,
                                              std::span<const Setting> settings);

// The study with these keys set. Without settings it is the file as it stands; with some, `hash` is
// that of the study as TOML writes it.
[[nodiscard]] Result<Study> study_with(const StudySource& source,
                                       std::span<const Setting> settings);

// The same as a file to keep: values change where they stand, comments stay. Errors of
// study_with().
[[nodiscard]] Result<std::string> study_text_with(const StudySource& source,
                                                  std::span<const Setting> settings);

// What the file itself says for a key, as TOML: "\"cycle\"" for graph.topology. None where it says
// nothing, or is no TOML.
[[nodiscard]] std::optional<std::string> setting_in(const StudySource& source,
                                                    const std::string& key);

// The study on another graph: [graph] with this topology and number of parties, of its other keys
// those that go with the topology, and parties without names.
[[nodiscard]] Result<Study> study_on(const StudySource& source, Topology topology,
                                     std::size_t parties);

}  // namespace sotto
