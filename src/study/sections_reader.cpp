// How a section is read: each key asked for once, the first mistake kept with its line and column.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "study/sections.h"

namespace sotto {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return "text";
    case toml::node_type::integer:
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "true or false";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::table:
      return "a table";
    default:
      return "a date or time";
  }
}

// What a node holds, if it is of that type. A whole number is a number as well.
template <class T>
std::optional<T> value_of(const toml::node& node) {
  if constexpr (std::is_same_v<T, double>) {
    return node.is_number() ? node.value<double>() : std::nullopt;
  } else {
    return node.value_exact<T>();
  }
}

}  // namespace

std::optional<std::string> nearest_word(std::string_view word,
                                        const std::vector<std::string>& choices) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& choice : choices) {
    const std::size_t distance = edit_distance(word, choice);
    if (distance < best_distance) {
      best_distance = distance;
      best = choice;
    }
  }
  return best;
}

Result<std::string> read_toml_text(const std::string& path, std::string_view what,
                                   const char* error) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxTomlBytes + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad() || (file.fail() && !file.eof())) {
    return bad_input(error, fmt::format("the {} cannot be read", what),
                     "check the name and the permissions")
        .at(path.empty() ? "a file without a name" : path);
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxTomlBytes) {
    return bad_input(error, fmt::format("the {} is larger than 1 MiB", what),
                     fmt::format("a {} is a page of text: is this the right file?", what))
        .at(path);
  }
  return text;
}

// Debian's toml++ is built to throw.
Result<toml::table> parse_toml(std::string_view text, const std::string& name,
                               const char* error_name) {
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    return bad_input(error_name, std::string(error.description()),
                     "correct the line; TOML wants key = value under [section]")
        .at(fmt::format("line {}, column {} of {}", error.source().begin.line,
                        error.source().begin.column, name));
  }
}

TomlReader::TomlReader(const toml::table* table, std::string section, std::string file,
                       TomlErrors errors)
    : table_(table), section_(std::move(section)), file_(std::move(file)), errors_(errors) {
  if (std::string_view(errors_.key) == kStudyErrors.key) described_ = study_keys_of(section_);
}

const toml::node* TomlReader::node(std::string_view key) {
  asked_.emplace(key);
  if (!described_.empty() && study_key(section_, key) == nullptr) {
    check(false, fmt::format("a line for {} {} in study/study_keys.cpp", section_, key));
  }
  return table_ == nullptr ? nullptr : table_->get(key);
}

bool TomlReader::has(std::string_view key) {
  return node(key) != nullptr;
}

std::string TomlReader::place(std::string_view key) const {
  const toml::node* value = table_ == nullptr ? nullptr : table_->get(key);
  if (value != nullptr) {
    return fmt::format("{} {}, line {}, column {} of {}", section_, key, value->source().begin.line,
                       value->source().begin.column, file_);
  }
  if (table_ != nullptr && table_->source().begin.line > 0) {
    return fmt::format("{}, line {} of {}", section_, table_->source().begin.line, file_);
  }
  return fmt::format("{} of {}", section_, file_);
}

void TomlReader::fail(std::string_view key, Error error) {
  if (!error_) error_ = std::move(error).at(place(key));
}

void TomlReader::fail_value(std::string_view key, std::string what, std::string fix) {
  fail(key, bad_input(errors_.value, std::move(what), std::move(fix)));
}

void TomlReader::require(std::string_view key, std::string_view example) {
  if (has(key)) return;
  fail(key, bad_input(errors_.missing, fmt::format("{} {} is missing", section_, key),
                      fmt::format("add a line '{} = {}' to {}", key, example, section_)));
}

template <class T>
std::optional<T> TomlReader::optional_value(std::string_view key, std::string_view must_be,
                                            const std::string& fix) {
  const toml::node* value = node(key);
  if (value == nullptr) return std::nullopt;
  if (auto found = value_of<T>(*value)) return found;
  fail_value(key, fmt::format("{} is {}, and must be {}", key, kind_of(*value), must_be), fix);
  return std::nullopt;
}

template <class T>
std::optional<std::vector<T>> TomlReader::optional_list(std::string_view key,
                                                        std::string_view items,
                                                        std::string_view example) {
  const toml::node* value = node(key);
  if (value == nullptr) return std::nullopt;
  const auto* list = value->as_array();
  std::vector<T> found;
  for (std::size_t k = 0; list != nullptr && k < list->size(); ++k) {
    if (auto item = value_of<T>((*list)[k])) found.push_back(std::move(*item));
  }
  if (list != nullptr && found.size() == list->size()) return found;
  fail_value(key, fmt::format("{} must be a list of {}", key, items),
             fmt::format("write {} = {}", key, example));
  return std::nullopt;
}

std::optional<double> TomlReader::optional_number(std::string_view key) {
  return optional_value<double>(key, "a number",
                                fmt::format("write {} = 1.0, without quotes", key));
}

void TomlReader::require_range(std::string_view key, double value, NumberRange range) {
  if (value >= range.least && value <= range.most) return;
  fail_value(key, fmt::format("{} = {} is out of range", key, value),
             fmt::format("choose a number from {} to {}", range.least, range.most));
}

double TomlReader::positive(std::string_view key, double fallback, NumberRange range) {
  const double value = optional_number(key).value_or(fallback);
  if (!(std::isfinite(value) && value > 0)) {
    fail_value(key, fmt::format("{} = {} is not a finite number above 0", key, value),
               fmt::format("write for example {} = {}", key, fallback));
    return fallback;
  }
  require_range(key, value, range);
  return value;
}

double TomlReader::within(std::string_view key, double fallback, NumberRange range) {
  const double value = optional_number(key).value_or(fallback);
  require_range(key, value, range);
  return value;
}

double TomlReader::number(std::string_view key) {
  require(key, "…");
  // A number that every caller's check accepts, so that the first error stays the first.
  return optional_number(key).value_or(0.5);
}

std::optional<std::int64_t> TomlReader::optional_integer(std::string_view key, std::int64_t least,
                                                         std::int64_t most) {
  const toml::node* value = node(key);
  if (value == nullptr) return std::nullopt;
  const auto* integer = value->as_integer();
  if (integer == nullptr) {
    fail_value(key, fmt::format("{} is {}, and must be a whole number", key, kind_of(*value)),
               fmt::format("write {} = {}", key, least));
    return std::nullopt;
  }
  if (integer->get() < least || integer->get() > most) {
    fail_value(key, fmt::format("{} = {} is out of range", key, integer->get()),
               fmt::format("choose a number from {} to {}", least, most));
    return std::nullopt;
  }
  return integer->get();
}

std::optional<std::string> TomlReader::optional_text(std::string_view key) {
  return optional_value<std::string>(key, "text", fmt::format("write {} = \"…\", in quotes", key));
}

std::string TomlReader::text(std::string_view key) {
  require(key, "\"…\"");
  return optional_text(key).value_or("");
}

std::optional<bool> TomlReader::optional_flag(std::string_view key) {
  return optional_value<bool>(key, "true or false",
                              fmt::format("write {} = true or {} = false", key, key));
}

std::string TomlReader::choice(std::string_view key, const std::vector<std::string>& choices,
                               std::optional<std::string> fallback) {
  if (!has(key) && fallback) return *fallback;
  const std::string word = text(key);
  if (error_ || std::ranges::find(choices, word) != choices.end()) {
    return error_ ? choices.front() : word;
  }
  const auto near = nearest_word(word, choices);
  fail_value(
      key, fmt::format("{} = \"{}\" is not known", key, word),
      near ? fmt::format("did you mean \"{}\"? The choices are {}", *near, fmt::join(choices, ", "))
           : fmt::format("choose one of {}", fmt::join(choices, ", ")));
  return choices.front();
}

TomlReader TomlReader::inside(std::string_view key) const {
  const toml::node* node = table_->get(key);
  return {node == nullptr ? nullptr : node->as_table(), fmt::format("{} {}", section_, key), file_,
          errors_};
}

std::optional<std::vector<double>> TomlReader::optional_numbers(std::string_view key) {
  return optional_list<double>(key, "numbers", "[1.0, 2.0]");
}

std::optional<std::vector<std::string>> TomlReader::optional_texts(std::string_view key) {
  return optional_list<std::string>(key, "texts", "[\"a\", \"b\"]");
}

std::string TomlReader::word(std::string_view key, std::optional<std::string> fallback) {
  const StudyKey* described = study_key(section_, key);
  check(described != nullptr && !described->choices.empty(), "a choice is described");
  return choice(key, {described->choices.begin(), described->choices.end()}, std::move(fallback));
}

Error TomlReader::unknown_key(const toml::key& key) const {
  std::vector<std::string> known;
  for (const StudyKey* described : described_) known.emplace_back(described->name);
  if (known.empty()) known.assign(asked_.begin(), asked_.end());
  const auto near = nearest_word(key.str(), known);
  std::string fix = fmt::format("the keys are {}", fmt::join(known, ", "));
  if (near) {
    const StudyKey* described = described_.empty() ? nullptr : study_key(section_, *near);
    fix = fmt::format("did you mean \"{}\"{}? The keys are {}", *near,
                      described == nullptr ? "" : fmt::format(" ({})", described->kind),
                      fmt::join(known, ", "));
  } else if (!described_.empty()) {
    // A key that stands in the wrong section is the second most frequent slip.
    for (const StudyKey& other : study_keys()) {
      if (other.name != key.str()) continue;
      fix = fmt::format("it belongs to {}; {}", other.section, fix);
      break;
    }
  }
  return bad_input(errors_.key, fmt::format("{} knows no key \"{}\"", section_, key.str()),
                   std::move(fix))
      .at(fmt::format("line {}, column {} of {}", key.source().begin.line,
                      key.source().begin.column, file_));
}

Result<void> TomlReader::finish() {
  // A key that nothing reads explains one that is missing: it is said first.
  if (error_ && error_->name != errors_.missing) return *error_;
  if (table_ != nullptr) {
    for (const auto& [key, value] : *table_) {
      if (!asked_.contains(key.str())) return unknown_key(key);
    }
  }
  if (error_) return *error_;
  return {};
}

}  // namespace sotto
