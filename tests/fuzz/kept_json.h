#pragma once

// Files that sotto keeps end with a digest of all the rest, so bytes that are changed at random end
// at its check. Here the digest is put right first: what is behind it must not stumble either. And
// bytes that are changed at random are seldom JSON any more, so values are changed as well, as
// choices say, in a file that is good.

#include <iterator>
#include <optional>

#include "base/json.h"
#include "fuzz/fuzz.h"
#include "run/kept_json.h"

namespace sotto::fuzz {

// Somewhere in a JSON: a value, and what it stands in, unless it is all of it.
struct JsonPlace {
  Json* value;
  Json* inside = nullptr;
  std::string name{};      // in an object
  std::size_t number = 0;  // in an array
};

// Down from the whole, as far as choices say.
inline JsonPlace place_in(Choices& choices, Json& json) {
  JsonPlace place{&json};
  while (place.value->is_structured() && !place.value->empty()) {
    Json& here = *place.value;
    const std::size_t k = choices.below(here.size() + 1);
    if (k == here.size()) break;
    auto item = here.begin();
    std::advance(item, static_cast<std::ptrdiff_t>(k));
    place = {&*item, &here, here.is_object() ? item.key() : std::string(), k};
  }
  return place;
}

// What is no number, text or list where one is expected, or one that nobody has thought of.
inline const Json& odd_values() {
  static const Json values = [] {
    Json list =
        parse_json(R"json([null, true, false, "", "`", "c=blue", "intercept", "log(a)", [], {},
      0, -1, 1, 2, 0.5, -0.0, 5e-324, 1e-300, 1e15, 1e154, 1e200, 1e308, -1e308,
      9223372036854775807, 9223372036854775808, 18446744073709551615, -9223372036854775808])json");
    list.push_back(std::string(600, 'x'));
    return list;
  }();
  return values;
}

// One value becomes an odd one, or what stands somewhere else, or is there no longer.
inline void change_json(Choices& choices, Json& json) {
  const JsonPlace place = place_in(choices, json);
  switch (choices.below(4)) {
    case 0:
    case 1:
      *place.value = odd_values()[choices.below(odd_values().size())];
      break;
    case 2: {
      Json copy = *place_in(choices, json).value;
      *place.value = std::move(copy);
      break;
    }
    default:
      if (place.inside == nullptr) return;
      if (place.inside->is_object()) {
        place.inside->erase(place.name);
      } else {
        place.inside->erase(place.number);
      }
  }
}

// A file of some kind. An input that begins as JSON does is its text; of another the first byte
// says which of the good ones it is, and the second how often that is changed. `unchanged`: it is
// the good one itself. None where it is no object.
struct ChangedJson {
  Json json;
  bool unchanged = false;
};
inline std::optional<ChangedJson> changed_json(Choices& choices, const std::vector<Json>& good) {
  ChangedJson file;
  if (choices.at('{')) {
    file.json = parse_json(choices.rest());
  } else {
    file.json = good[choices.below(good.size())];
    const std::size_t changes = choices.below(7);
    for (std::size_t k = 0; k < changes; ++k) change_json(choices, file.json);
    // By way of its text, as every file comes: copies of copies may nest too deep to be one.
    file.json = parse_json(json_line(file.json));
    file.unchanged = changes == 0;
  }
  if (file.json.is_discarded() || !file.json.is_object()) return std::nullopt;
  return file;
}

// The same with a digest that fits.
inline std::optional<ChangedJson> kept_file(Choices& choices, const std::vector<Json>& good) {
  auto file = changed_json(choices, good);
  if (file) file->json = with_digest(std::move(file->json));
  return file;
}

}  // namespace sotto::fuzz
