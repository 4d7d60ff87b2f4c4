#include "base/json.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>

// Every reader below goes through json(), which remembers what was asked for.
namespace sotto {
namespace {

const Json kNothing;

// The bracket, counted from 1, that nests too deep; 0 if none does.
std::size_t too_deep_at(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (c == '"') {
      quoted = !quoted;
    } else if (quoted) {
      k += c == '\\' ? 1 : 0;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxJsonDepth) return k + 1;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return 0;
}

}  // namespace

Json parse_json(std::string_view text, JsonFault* fault) {
  JsonFault found;
  try {
    found.byte = too_deep_at(text);
    if (found.byte == 0) return Json::parse(text);
  } catch (const Json::parse_error& error) {
    found.byte = error.byte;
  } catch (const Json::out_of_range& error) {
    // The parser's only case: a literal beyond the largest double, which it quotes.
    const std::string message = error.what();
    const std::size_t quote = message.find('\'');
    found.number = message.substr(quote + 1, message.rfind('\'') - quote - 1);
    found.byte = text.find(found.number) + 1;
  }
  if (fault != nullptr) *fault = std::move(found);
  return Json(Json::value_t::discarded);
}

std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json number_or_null(double value) {
  if (!std::isfinite(value)) return nullptr;
  return value;
}

Json number_or_null(const std::optional<double>& value) {
  if (!value) return nullptr;
  return number_or_null(*value);
}

bool is_count(const Json& json) {
  return json.is_number_unsigned() || (json.is_number_integer() && json.get<std::int64_t>() >= 0);
}

JsonFields::JsonFields(const Json& json, std::string path, std::string& problem)
    : json_(json), path_(std::move(path)), problem_(problem) {
  if (!json.is_object()) {
    complain(fmt::format("{} must be an object", path_.empty() ? "the record" : path_));
  }
}

std::string JsonFields::text(const char* name) {
  const Json& value = json(name);
  expect(value.is_string(), name, "a text");
  return value.is_string() ? value.get<std::string>() : "";
}

bool JsonFields::truth(const char* name) {
  const Json& value = json(name);
  expect(value.is_boolean(), name, "true or false");
  return value.is_boolean() && value.get<bool>();
}

std::uint64_t JsonFields::count(const char* name) {
  const Json& value = json(name);
  expect(is_count(value), name, "a whole number, 0 or more");
  return is_count(value) ? value.get<std::uint64_t>() : 0;
}

double JsonFields::number(const char* name, Numbers allowed) {
  const Json& value = json(name);
  if (allowed == Numbers::kOrInfinite && value.is_null()) {
    return std::numeric_limits<double>::infinity();
  }
  expect(value.is_number() && std::isfinite(value.get<double>()), name,
         allowed == Numbers::kFinite ? "a number" : "a number, or null for infinity");
  return value.is_number() ? value.get<double>() : 0;
}

std::optional<double> JsonFields::optional_number(const char* name) {
  const Json& value = json(name);
  if (value.is_null()) return std::nullopt;
  expect(value.is_number() && std::isfinite(value.get<double>()), name, "a number, or null");
  return value.is_number() ? value.get<double>() : 0;
}

std::vector<std::string> JsonFields::texts(const char* name) {
  std::vector<std::string> all;
  for (const auto& [element, path] : elements(name)) {
    if (!element->is_string()) complain(fmt::format("{} must be a text", path));
    all.push_back(element->is_string() ? element->get<std::string>() : "");
  }
  return all;
}

std::vector<std::pair<const Json*, std::string>> JsonFields::elements(const char* name) {
  const Json& value = json(name);
  expect(value.is_array(), name, "a list");
  std::vector<std::pair<const Json*, std::string>> all;
  if (!value.is_array()) return all;
  for (std::size_t i = 0; i < value.size(); ++i) {
    all.emplace_back(&value[i], fmt::format("{}[{}]", path_of(name), i));
  }
  return all;
}

void JsonFields::expect(bool holds, const char* name, const std::string& what) {
  if (!holds) complain(fmt::format("{} must be {}", path_of(name), what));
}

void JsonFields::finish() {
  if (!json_.is_object()) return;
  for (const auto& [name, value] : json_.items()) {
    if (!taken_.contains(name)) complain(fmt::format("{} is not known here", path_of(name)));
  }
}

bool JsonFields::has(const char* name) const {
  return json_.is_object() && json_.contains(name);
}

const Json& JsonFields::json(const char* name) {
  taken_.insert(name);
  if (!json_.is_object()) return kNothing;
  const auto found = json_.find(name);
  if (found != json_.end()) return *found;
  complain(fmt::format("{} is missing", path_of(name)));
  return kNothing;
}

std::string JsonFields::path_of(const std::string& name) const {
  return path_.empty() ? name : fmt::format("{}.{}", path_, name);
}

void JsonFields::complain(const std::string& about) {
  if (problem_.empty()) problem_ = about;
}

}  // namespace sotto
