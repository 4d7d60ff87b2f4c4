#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace sotto {

// What the study says about the tables before anybody opens one. Nothing here
// comes from data: a bound or a level that did would itself be a release.

// What happens to a row with a missing value in a column that the study uses.
enum class MissingRule { kDrop, kError };

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
  // The level for everything that the list does not have.
  static constexpr const char* kOther = "other";

  std::string column;
  std::vector<std::string> levels;
  bool numbers = false;  // levels are numbers: 0, 0.0 and 0e0 are one
  bool other = false;    // a level that is not in the list is kOther, which is
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
  // What stands for "not known" beside an empty field. As CSV files of R, Python, SQL and SAS
  // have it.
  std::vector<std::string> missing_values = {"", "NA", "NaN", "NULL", "."};
  Target target;
  std::vector<Feature> features;

  // Rows longer than the radius R are shortened to it, then divided by it. 0
  // stands for the longest_row(), at which no row is ever shortened. A smaller
  // one makes the signal larger beside the noise, and bends the rows that exceed it.
  double radius = 0;

  // E-schema-column (empty name), E-schema-duplicate, E-schema-target,
  // E-schema-bounds, E-schema-levels, E-schema-empty, E-schema-size, E-schema-radius.
  [[nodiscard]] Result<void> validate() const;

  // How many entries a row x has after encoding: intercept, numbers, levels.
  [[nodiscard]] std::size_t entries() const;

  // √(entries that can be ±1 at once): a categorical column counts once.
  [[nodiscard]] double longest_row() const;

  // "intercept", "age", "smoker=yes": one per entry, in the order of x.
  [[nodiscard]] std::vector<std::string> encoded_names() const;
};

// Without the blanks and tabs at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view field);

// Whether a field stands for "not known": it is empty or one of `values`; blanks around it do
// not count.
[[nodiscard]] bool reads_as_missing(std::string_view field, const std::vector<std::string>& values);

// Any decimal number: [+−] digits [. digits] [e [+−] digits], blanks around it
// allowed, correctly rounded. False for anything else: "nan", "inf", "0x1", "1,5",
// and what is beyond the range of doubles.
[[nodiscard]] bool parse_decimal(std::string_view field, double& value);

}  // namespace sotto
