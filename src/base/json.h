#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// JSON, written and read the same way in every file that sotto keeps.
namespace sotto {

using Json = nlohmann::ordered_json;

// Whoever copies or writes JSON calls itself once a level, so that levels are a matter of the
// stack. What sotto keeps has ten.
inline constexpr std::size_t kMaxJsonDepth = 100;

// Why a text is not JSON: what stands at a byte, counted from 1, or a number beyond every double.
struct JsonFault {
  std::size_t byte = 0;
  std::string number{};
};

// Discarded if it is not JSON, or nests deeper than kMaxJsonDepth. Compiled once: the library's
// parser is long.
[[nodiscard]] Json parse_json(std::string_view text, JsonFault* fault = nullptr);

// Indented, with a line feed at its end; and on one line, without. What is not UTF-8, as names of
// files need not be, is replaced.
[[nodiscard]] std::string json_text(const Json& json);
[[nodiscard]] std::string json_line(const Json& json);

// JSON has no infinity: what is beyond every number, is none or is not there is null.
[[nodiscard]] Json number_or_null(double value);
[[nodiscard]] Json number_or_null(const std::optional<double>& value);

// A list with what `make` makes of each item.
template <class Range, class Make>
[[nodiscard]] Json json_list(const Range& items, const Make& make) {
  auto list = Json::array();
  for (const auto& item : items) list.push_back(make(item));
  return list;
}

enum class Numbers {
  kFinite,
  kOrInfinite,  // null stands for infinity
};

// A whole number, 0 or more, however it is stored.
[[nodiscard]] bool is_count(const Json& json);

// One JSON object, read field by field. What is missing, of the wrong type or
// never asked for is a problem; the first one is kept, and the values read after
// it do not count.
//
//     std::string problem;
//     JsonFields fields(json, "privacy", problem);
//     const double epsilon = fields.number("epsilon");
//     fields.finish();
class JsonFields {
 public:
  // `path` names the object; empty for the whole record.
  JsonFields(const Json& json, std::string path, std::string& problem);

  [[nodiscard]] std::string text(const char* name);
  [[nodiscard]] bool truth(const char* name);
  [[nodiscard]] std::uint64_t count(const char* name);
  [[nodiscard]] double number(const char* name, Numbers allowed = Numbers::kFinite);
  [[nodiscard]] std::optional<double> optional_number(const char* name);
  [[nodiscard]] std::vector<std::string> texts(const char* name);

  [[nodiscard]] bool has(const char* name) const;
  // Any JSON; nothing is asked of it.
  [[nodiscard]] const Json& json(const char* name);
  // The elements of an array, each with its path: "own[2]".
  [[nodiscard]] std::vector<std::pair<const Json*, std::string>> elements(const char* name);

  // Complains about a field: "privacy.delta must be …".
  void expect(bool holds, const char* name, const std::string& what);
  void finish();

 private:
  [[nodiscard]] std::string path_of(const std::string& name) const;
  void complain(const std::string& about);

  const Json& json_;
  std::string path_;
  std::string& problem_;
  std::set<std::string> taken_;
};

}  // namespace sotto
