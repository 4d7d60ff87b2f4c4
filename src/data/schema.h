#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "data/bounds.h"
#include "data/expression.h"
#include "data/spline.h"

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

// What a term computes, and the table's columns that it computes it from. Values are clipped to
// their columns' bounds first, so the term stays inside its own, which follow from those.
struct Term {
  struct Column {
    std::string name;
    Bounds bounds;
  };

  Expression expression;
  std::vector<Column> columns;  // in the expression's order

  // E-term-domain.
  [[nodiscard]] Result<Bounds> bounds() const;
};

// A number: a column of the table, or a term of some.
struct NumericFeature {
  std::string column;  // the table's, or the term's text
  Bounds bounds;       // the column's, or term->bounds()
  std::optional<Term> term = std::nullopt;
};

// One 0/1 entry per level but the first, which is the base. `by_party`: no column of the table; the
// level is who holds it, the same in all of its rows.
struct CategoricalFeature {
  // The level for everything that the list does not have.
  static constexpr const char* kOther = "other";

  std::string column;
  std::vector<std::string> levels;
  bool numbers = false;  // levels are numbers: 0, 0.0 and 0e0 are one
  bool other = false;    // a level that is not in the list is kOther, which is
  bool by_party = false;
};

// One entry per B-spline but the first, which is the base.
struct SplineFeature {
  std::string column;
  Bounds bounds;
  std::vector<double> knots;
  std::size_t degree = 3;

  [[nodiscard]] SplineBasis basis() const { return {bounds, knots, degree}; }
};

using Feature = std::variant<NumericFeature, CategoricalFeature, SplineFeature>;

// "age", "log(income)", "smoker", "bs(age)": what people call it.
[[nodiscard]] std::string name_of(const Feature& feature);

// "age"; "smoker=yes", …; "bs(age)1", …: one per entry of x.
[[nodiscard]] std::vector<std::string> entry_names(const Feature& feature);
[[nodiscard]] std::size_t entries_of(const Feature& feature);

// The table's columns that it is made of.
[[nodiscard]] std::vector<std::string> table_columns_of(const Feature& feature);

struct Target {
  std::string column;
  Bounds bounds;
  std::optional<Term> term = std::nullopt;
};

// A row counts w/hi times, 0 ≤ lo ≤ w ≤ hi; a weight outside is an error.
struct WeightColumn {
  std::string column;
  Bounds bounds;
};

// Whose a row is. All rows of one person count together as at most `rows`: each of n rows counts
// min(1, rows/n) times (data/persons.h).
struct PersonColumn {
  static constexpr std::int64_t kMaxRows = 1000;

  std::string column;
  std::int64_t rows = 1;
};

// A column that is read from a table: of numbers inside bounds, or of levels.
struct TableColumn {
  std::string name;
  Bounds bounds;
  std::vector<std::string> levels;  // empty where it is a number
  bool is_weight = false;
  bool numbers = false;  // as in CategoricalFeature
  bool other = false;
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
  std::optional<WeightColumn> weight = std::nullopt;
  std::optional<PersonColumn> person = std::nullopt;
  // Which level of a by_party feature the table at hand has; of a study, none.
  std::optional<std::size_t> party = std::nullopt;

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
  // E-schema-bounds, E-schema-levels, E-schema-knots, E-schema-weight, E-schema-person,
  // E-schema-empty, E-schema-size, E-schema-radius, E-term-domain.
  [[nodiscard]] Result<void> validate() const;

  // No feature uses a column that the target uses. Holds for a study; other models of its release
  // may explain a column by its logarithm. E-schema-target.
  [[nodiscard]] Result<void> keeps_target_apart() const;

  // How many entries a row x has after encoding: intercept, numbers, levels.
  [[nodiscard]] std::size_t entries() const;

  // K, the columns that are numbers, splines or categories: the most that ‖u‖² can be without the
  // intercept.
  [[nodiscard]] std::size_t feature_columns() const { return features.size(); }

  // √(entries that can be ±1 at once): a categorical column counts once, and so does a spline.
  [[nodiscard]] double longest_row() const;

  // "intercept", "age", "smoker=yes": one per entry, in the order of x.
  [[nodiscard]] std::vector<std::string> encoded_names() const;

  // What is read from a table, each column once: those of the features as they come, then the
  // target's and the weight.
  [[nodiscard]] std::vector<TableColumn> table_columns(bool with_target = true) const;

  // An intercept for each party: [data] party = "effect".
  [[nodiscard]] bool has_party_effect() const;

  // The same for the table of party `level`.
  [[nodiscard]] Schema held_by(std::size_t level) const;
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
