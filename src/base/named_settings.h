#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// Settings of what a program that links sotto adds, an estimator or a topology or a solver: the
// keys of a section of its own in the study, by name.
namespace sotto {

// A number between `least` and `most`, or one of `choices`.
struct NamedKey {
  std::string name;
  std::string about;                 // one sentence
  double fallback = 1;               // a number's, where the study does not say
  double least = 1e-100;             //
  double most = 1e100;               //
  std::vector<std::string> choices;  // words; the first is what holds without the key
};

struct NamedSettings {
  std::map<std::string, double> numbers = {};
  std::map<std::string, std::string> words = {};

  [[nodiscard]] bool empty() const { return numbers.empty() && words.empty(); }
  friend bool operator==(const NamedSettings&, const NamedSettings&) = default;
};

// What holds of `keys` where `settings` do not say.
[[nodiscard]] NamedSettings with_fallbacks(std::span<const NamedKey> keys, NamedSettings settings);

// Whether the keys of `whose` can be read: a name once, a sentence, and a fallback in its range, or
// choices. `error` is what a mistake is called.
[[nodiscard]] Result<void> check_keys(const char* error, std::string_view whose,
                                      std::span<const NamedKey> keys);

// Whether a study can write it as a value and as a section: of a-z, 0-9 and -.
[[nodiscard]] bool is_plain_name(std::string_view name);

}  // namespace sotto
