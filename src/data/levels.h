#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/schema.h"

// Levels as numbers, for terms that multiply by a category. `smoker=yes` is 1 in rows with that
// level and 0 in others, so its bounds are [0, 1], public as the level itself; `age:smoker=yes` is
// a term as any other, and its bounds follow. A category by its own name stands for all of its
// levels but the base: age:smoker is one term for each of them, smoker:region one for each pair.
namespace sotto {

inline constexpr Bounds kLevelAsNumber{0, 1};

// What a term calls a level: "smoker=yes".
[[nodiscard]] std::string level_name(const CategoricalFeature& category, std::size_t level);

// A level that terms of a schema use.
struct LevelColumn {
  std::string name;
  std::string column;     // the category's
  std::size_t level = 0;  // its place in the category's list
};

// Those of all terms, target's included, each once, as they come. A name that is no level of a
// category among the schema's features is a column of the table.
[[nodiscard]] std::vector<LevelColumn> level_columns(const Schema& schema);

// Encoding::inputs() of a level: where its category stands in the table, and which level it is, in
// one number. Places themselves are below kMostPlaces.
struct TermInput {
  static constexpr std::size_t kMostPlaces = std::size_t{1} << 32;

  std::size_t place = 0;
  std::optional<double> level = std::nullopt;

  [[nodiscard]] static std::size_t pack(std::size_t place, std::size_t level) {
    return place + (level + 1) * kMostPlaces;
  }
  [[nodiscard]] static TermInput unpack(std::size_t input) {
    const std::size_t level = input / kMostPlaces;
    if (level == 0) return {input};
    return {input % kMostPlaces, static_cast<double>(level - 1)};
  }
  // What the term computes with, of a value of the table's column.
  [[nodiscard]] double operator()(double value) const {
    return !level ? value : value == *level ? 1 : 0;
  }
};

// The table's columns that a feature of this schema is made of: of a level, its category's.
[[nodiscard]] std::vector<std::string> table_columns_of(const Schema& schema,
                                                        const Feature& feature);

// One expression for each choice of levels but the base, of every category that it names; itself
// where it names none. E-term-category unless each of these is multiplied with the rest, and where
// a level's name cannot stand in a term; E-term-syntax where it makes the term too long;
// E-schema-size where there would be more than a model may have coefficients.
[[nodiscard]] Result<std::vector<Expression>> by_levels(
    const Expression& expression, const std::vector<CategoricalFeature>& categories);

}  // namespace sotto
