#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"

namespace sotto {

// What the study says about the tables before anybody opens one. Nothing here
// comes from data: a bound or a level that did would itself be a release.

// What happens to a row with a missing value in a column that the study uses.
enum class MissingRule { kDrop, kError };

// How much a row counts in the sums. Either way it depends on the row's features alone.
enum class Weighting {
  kNone,     // all alike: ordinary least squares
  kBounded,  // less, the farther the row is from the middle of its bounds: much less noise
};
inline constexpr EnumNames<Weighting, 2> kWeightings{{"none", "bounded"}};

struct Bounds {
  double lo = 0;
  double hi = 0;
};

struct NumericFeature {
  std::string column;
  Bounds bounds;
};

// One 0/1 entry per level but the first, which is the base.
struct CategoricalFeature {
  std::string column;
  std::vector<std::string> levels;
};

using Feature = std::variant<NumericFeature, CategoricalFeature>;

[[nodiscard]] const std::string& column_of(const Feature& feature);

struct Target {
  std::string column;
  Bounds bounds;
};

struct Schema {
  // More would make Σxxᵀ larger than any study needs (half a million sums).
  static constexpr std::size_t kMaxEntries = 1024;
  static constexpr double kMinRadius = 1e-3;

  bool intercept = true;
  MissingRule missing = MissingRule::kDrop;
  Target target;
  std::vector<Feature> features;

  // Rows longer than the radius R are shortened to it, then divided by it. 0
  // stands for the longest_row(), at which no row is ever shortened. A smaller
  // one makes the signal larger beside the noise, and bends the rows that exceed it.
  double radius = 0;

  // kBounded: rows are weighted, see data/row_weight.h; then there is no radius.
  Weighting weighting = Weighting::kNone;

  // About how many rows all parties hold together, where the study says so: public, and only for
  // what is chosen or said beforehand. 0: not said.
  std::uint64_t rows = 0;

  // Where the study says weighting = "auto": below so many rows that is kBounded, else kNone.
  std::optional<double> bounded_below = std::nullopt;

  // E-schema-column (empty name), E-schema-duplicate, E-schema-target,
  // E-schema-bounds, E-schema-levels, E-schema-empty, E-schema-size, E-schema-radius.
  [[nodiscard]] Result<void> validate() const;

  // How many entries a row x has after encoding: intercept, numbers, levels.
  [[nodiscard]] std::size_t entries() const;

  // K, the columns that are numbers or categories: the most that ‖u‖² can be without the intercept.
  [[nodiscard]] std::size_t feature_columns() const { return features.size(); }

  // √(entries that can be ±1 at once): a categorical column counts once.
  [[nodiscard]] double longest_row() const;

  // "intercept", "age", "smoker=yes": one per entry, in the order of x.
  [[nodiscard]] std::vector<std::string> encoded_names() const;
};

// Without the blanks and tabs at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view field);

// A field that stands for "not known": empty, or NA; blanks around it do not count.
[[nodiscard]] bool reads_as_missing(std::string_view field);

}  // namespace sotto
