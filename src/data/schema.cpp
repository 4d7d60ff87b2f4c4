#include "data/schema.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "data/levels.h"

// What a study may say of its columns, checked before any table is opened.
namespace sotto {
namespace {

// A bound must leave room for the scaling: half the width, and one over it, are finite.
Result<void> check_bounds(std::string_view column, Bounds bounds) {
  const double half = bounds.hi / 2 - bounds.lo / 2;
  if (std::isfinite(bounds.lo) && std::isfinite(bounds.hi) && bounds.lo < bounds.hi &&
      std::isfinite(1 / half)) {
    return {};
  }
  return bad_input("E-schema-bounds",
                   fmt::format("the bounds [{}, {}] of column \"{}\" are no interval", bounds.lo,
                               bounds.hi, column),
                   "give two finite numbers, the smaller one first");
}

bool is_number_among(std::string_view level, const std::vector<std::string>& values) {
  double number = 0;
  double other = 0;
  return parse_decimal(level, number) && std::ranges::any_of(values, [&](const std::string& value) {
           return parse_decimal(value, other) && other == number;
         });
}

// A term's bounds follow from its columns'.
Result<void> check_number(const std::string& name, Bounds bounds, const std::optional<Term>& term) {
  SOTTO_TRY(check_bounds(name, bounds));
  if (!term) return {};
  for (const Term::Column& column : term->columns) {
    SOTTO_TRY(check_bounds(column.name, column.bounds));
  }
  SOTTO_ASSIGN(const Bounds own, term->bounds().at(fmt::format("the term {}", name)));
  if (own == bounds && name == term->expression.text()) return {};
  return bad_input("E-schema-bounds",
                   fmt::format("the bounds of the term {} are not those of its columns", name),
                   fmt::format("they are [{}, {}]", own.lo, own.hi));
}

Result<void> check_spline(const SplineFeature& spline) {
  SOTTO_TRY(check_bounds(spline.column, spline.bounds));
  auto wrong = [&](std::string what, std::string fix) {
    return bad_input("E-schema-knots",
                     fmt::format("the spline of column \"{}\" {}", spline.column, what),
                     std::move(fix));
  };
  if (spline.degree < 1 || spline.degree > SplineBasis::kMaxDegree) {
    return wrong(fmt::format("has degree {}", spline.degree),
                 fmt::format("a degree is 1 to {}", SplineBasis::kMaxDegree));
  }
  if (spline.knots.size() > Schema::kMaxEntries) {
    return wrong("has more knots than a model has coefficients", "use fewer");
  }
  double before = spline.bounds.lo;
  for (const double knot : spline.knots) {
    if (!(knot > spline.bounds.lo && knot < spline.bounds.hi)) {
      return wrong(fmt::format("has the knot {}, which is not inside its bounds [{}, {}]", knot,
                               spline.bounds.lo, spline.bounds.hi),
                   "knots lie between the bounds, which are no knots themselves");
    }
    if (!(knot > before)) {
      return wrong(fmt::format("has the knot {} after {}", knot, before),
                   "list every knot once, ascending");
    }
    before = knot;
  }
  return {};
}

Result<void> check_levels(const CategoricalFeature& feature,
                          const std::vector<std::string>& missing_values) {
  auto wrong = [&](std::string_view what, std::string fix) {
    return bad_input("E-schema-levels",
                     fmt::format("the levels of column \"{}\" {}", feature.column, what),
                     std::move(fix));
  };
  if (feature.levels.size() < 2) {
    return wrong(feature.levels.empty() ? "are empty" : "are only one",
                 "list at least two levels; the first is the base");
  }
  std::unordered_set<std::string_view> seen;
  std::unordered_set<double> values;
  for (const std::string& level : feature.levels) {
    if (reads_as_missing(level, missing_values) ||
        (feature.numbers && is_number_among(level, missing_values))) {
      return wrong(fmt::format("contain \"{}\", which reads as a missing value", level),
                   "name the level differently, in the tables too, or set missing_values");
    }
    const bool is_other = feature.other && level == CategoricalFeature::kOther;
    double value = 0;
    if (feature.numbers && !is_other && !parse_decimal(level, value)) {
      return wrong(fmt::format("are numbers, and \"{}\" is none", level),
                   "write all levels as numbers, or all in quotes");
    }
    const bool again = feature.numbers && !is_other && !values.insert(value).second;
    if (!seen.insert(level).second || again) {
      return wrong(fmt::format("contain \"{}\" twice", level), "list every level once");
    }
  }
  if (feature.other && !seen.contains(CategoricalFeature::kOther)) {
    return wrong("have no \"other\", where all that is not listed should count",
                 "add the level \"other\"");
  }
  return {};
}

Result<void> check_feature(const Feature& feature, const std::vector<std::string>& missing_values) {
  if (const auto* levels = std::get_if<CategoricalFeature>(&feature)) {
    return check_levels(*levels, missing_values);
  }
  if (const auto* spline = std::get_if<SplineFeature>(&feature)) return check_spline(*spline);
  const auto& number = std::get<NumericFeature>(feature);
  return check_number(number.column, number.bounds, number.term);
}

// The columns of the table behind a number.
void add_number(const std::string& column, Bounds bounds, const std::optional<Term>& term,
                std::vector<TableColumn>& columns) {
  const auto add = [&](const std::string& name, Bounds own) {
    const bool there =
        std::ranges::any_of(columns, [&](const TableColumn& other) { return other.name == name; });
    if (!there) columns.push_back({.name = name, .bounds = own, .levels = {}});
  };
  if (!term) return add(column, bounds);
  for (const Term::Column& each : term->columns) add(each.name, each.bounds);
}

void add_columns(const Feature& feature, std::vector<TableColumn>& columns) {
  if (const auto* levels = std::get_if<CategoricalFeature>(&feature)) {
    if (levels->by_party) return;
    columns.push_back({.name = levels->column,
                       .bounds = {},
                       .levels = levels->levels,
                       .numbers = levels->numbers,
                       .other = levels->other});
  } else if (const auto* spline = std::get_if<SplineFeature>(&feature)) {
    add_number(spline->column, spline->bounds, std::nullopt, columns);
  } else {
    const auto& number = std::get<NumericFeature>(feature);
    add_number(number.column, number.bounds, number.term, columns);
  }
}

// One name, one column: with the same bounds wherever it is used, and never both number and
// category.
Result<void> check_uses(const Schema& schema) {
  std::unordered_map<std::string, TableColumn> seen;
  const auto use = [&](const TableColumn& column) -> Result<void> {
    const auto [found, fresh] = seen.emplace(column.name, column);
    if (fresh || (found->second.levels == column.levels && found->second.bounds == column.bounds)) {
      return {};
    }
    return bad_input("E-schema-bounds",
                     fmt::format("column \"{}\" is used with different bounds", column.name),
                     "state a column's bounds once");
  };
  for (const Feature& feature : schema.features) {
    std::vector<TableColumn> columns;
    add_columns(feature, columns);
    for (const TableColumn& column : columns) SOTTO_TRY(use(column));
  }
  std::vector<TableColumn> columns;
  add_number(schema.target.column, schema.target.bounds, schema.target.term, columns);
  for (const TableColumn& column : columns) SOTTO_TRY(use(column));
  const auto alone = [&](const std::string& column, const char* error, const char* what,
                         const char* fix) -> Result<void> {
    if (!column.empty() && !seen.contains(column)) return {};
    return bad_input(error,
                     column.empty() ? fmt::format("the {}'s column has no name", what)
                                    : fmt::format("column \"{}\" is both {} and feature or target",
                                                  column, what),
                     column.empty() ? "give the name that stands in the tables' header" : fix);
  };
  if (schema.weight) {
    const auto& [column, bounds] = *schema.weight;
    SOTTO_TRY(alone(column, "E-schema-weight", "weight", "remove one of them"));
    SOTTO_TRY(check_bounds(column, bounds));
    if (bounds.lo < 0) {
      return bad_input("E-schema-weight", fmt::format("a weight may be {}", bounds.lo),
                       "give weights bounds that begin at 0 or above");
    }
    seen.emplace(column, TableColumn{});
  }
  if (!schema.person) return {};
  SOTTO_TRY(alone(schema.person->column, "E-schema-person", "person",
                  "whose a row is tells persons apart, and cannot explain anything"));
  if (schema.person->rows >= 1 && schema.person->rows <= PersonColumn::kMaxRows) return {};
  return bad_input("E-schema-person",
                   fmt::format("a person cannot count as {} rows", schema.person->rows),
                   fmt::format("from 1 to {}", PersonColumn::kMaxRows));
}

}  // namespace

Result<Bounds> Term::bounds() const {
  std::vector<Bounds> each;
  for (const Column& column : columns) each.push_back(column.bounds);
  return expression.bounds(each);
}

std::string name_of(const Feature& feature) {
  if (const auto* spline = std::get_if<SplineFeature>(&feature)) {
    return fmt::format("bs({})", spline->column);
  }
  if (const auto* levels = std::get_if<CategoricalFeature>(&feature)) return levels->column;
  return std::get<NumericFeature>(feature).column;
}

std::size_t entries_of(const Feature& feature) {
  if (const auto* levels = std::get_if<CategoricalFeature>(&feature)) {
    return std::max<std::size_t>(levels->levels.size(), 1) - 1;
  }
  if (const auto* spline = std::get_if<SplineFeature>(&feature)) {
    return spline->knots.size() + spline->degree;
  }
  return 1;
}

std::vector<std::string> entry_names(const Feature& feature) {
  const std::string name = name_of(feature);
  if (std::holds_alternative<NumericFeature>(feature)) return {name};
  const auto* levels = std::get_if<CategoricalFeature>(&feature);
  std::vector<std::string> names;
  for (std::size_t k = 1; k <= entries_of(feature); ++k) {
    names.push_back(levels == nullptr ? fmt::format("{}{}", name, k)
                                      : fmt::format("{}={}", name, levels->levels[k]));
  }
  return names;
}

std::string_view trimmed(std::string_view field) {
  const std::size_t from = field.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return field.substr(from, field.find_last_not_of(" \t") - from + 1);
}

bool reads_as_missing(std::string_view field, const std::vector<std::string>& values) {
  field = trimmed(field);
  return field.empty() || std::ranges::find(values, field) != values.end();
}

bool parse_decimal(std::string_view field, double& value) {
  field = trimmed(field);
  if (!field.empty() && field.front() == '+') {
    field.remove_prefix(1);
    if (!field.empty() && field.front() == '-') return false;
  }
  // from_chars also knows words, like "inf"; no number starts with a letter.
  const std::string_view magnitude = field.starts_with('-') ? field.substr(1) : field;
  if (magnitude.empty() ||
      !(magnitude.front() == '.' || (magnitude.front() >= '0' && magnitude.front() <= '9')))
    return false;
  const char* end = field.data() + field.size();
  const auto [stopped, error] = std::from_chars(field.data(), end, value);
  return error == std::errc{} && stopped == end;
}

Result<void> Schema::validate() const {
  std::unordered_set<std::string> seen;
  for (const Feature& feature : features) {
    // A spline bends what a plain column would add: both together would be one too many.
    const auto* spline = std::get_if<SplineFeature>(&feature);
    const std::string column = spline == nullptr ? name_of(feature) : spline->column;
    if (column.empty()) {
      return bad_input("E-schema-column", "a feature's column has no name",
                       "give the name that stands in the tables' header");
    }
    if (column == target.column) {
      return bad_input("E-schema-target",
                       fmt::format("column \"{}\" is both target and feature", column),
                       "remove it from the features");
    }
    if (!seen.insert(column).second) {
      return bad_input("E-schema-duplicate",
                       fmt::format("column \"{}\" is a feature twice", column), "keep one of them");
    }
    SOTTO_TRY(check_feature(feature, missing_values));
  }
  if (target.column.empty()) {
    return bad_input("E-schema-column", "the target's column has no name",
                     "give the name that stands in the tables' header");
  }
  SOTTO_TRY(check_number(target.column, target.bounds, target.term));
  SOTTO_TRY(check_uses(*this));
  if (entries() == 0) {
    return bad_input("E-schema-empty", "the model has neither an intercept nor a feature",
                     "list features, or set intercept = true");
  }
  if (entries() > kMaxEntries) {
    return bad_input(
        "E-schema-size",
        fmt::format("the model has {} coefficients, more than {}", entries(), kMaxEntries),
        "use fewer features or levels");
  }
  if (radius != 0 && weighting == Weighting::kBounded) {
    return bad_input("E-schema-radius",
                     "a radius and weighting = \"bounded\" both bound how far a row moves the sums",
                     "remove radius: bounded weights need none, and bend no row");
  }
  if (radius != 0 && !(radius >= kMinRadius && radius <= longest_row())) {
    return bad_input(
        "E-schema-radius", fmt::format("the radius {} cannot be used", radius),
        fmt::format("give one between {} and {:.6g}, the longest a row can be, or none", kMinRadius,
                    longest_row()));
  }
  return {};
}

std::vector<std::string> table_columns_of(const Feature& feature) {
  std::vector<TableColumn> columns;
  add_columns(feature, columns);
  std::vector<std::string> names;
  for (TableColumn& column : columns) names.push_back(std::move(column.name));
  return names;
}

Result<void> Schema::keeps_target_apart() const {
  const auto own =
      table_columns_of(*this, NumericFeature{target.column, target.bounds, target.term});
  for (const Feature& feature : features) {
    for (const std::string& column : table_columns_of(*this, feature)) {
      if (std::ranges::find(own, column) == own.end()) continue;
      return bad_input("E-schema-target",
                       fmt::format("column \"{}\" of {} is the target's", column, name_of(feature)),
                       "remove it from the features and their terms");
    }
  }
  return {};
}

std::size_t Schema::entries() const {
  std::size_t count = intercept ? 1 : 0;
  for (const Feature& feature : features) count += entries_of(feature);
  return count;
}

double Schema::longest_row() const {
  return std::sqrt(static_cast<double>(feature_columns() + (intercept ? 1 : 0)));
}

std::vector<std::string> Schema::encoded_names() const {
  std::vector<std::string> names;
  names.reserve(entries());
  if (intercept) names.emplace_back("intercept");
  for (const Feature& feature : features) {
    for (std::string& name : entry_names(feature)) names.push_back(std::move(name));
  }
  return names;
}

std::vector<TableColumn> Schema::table_columns(bool with_target) const {
  std::vector<TableColumn> columns;
  for (const Feature& feature : features) add_columns(feature, columns);
  if (with_target) add_number(target.column, target.bounds, target.term, columns);
  for (const LevelColumn& level : level_columns(*this)) {
    std::erase_if(columns, [&](const TableColumn& each) { return each.name == level.name; });
  }
  if (!with_target) return columns;
  if (weight) {
    columns.push_back(
        {.name = weight->column, .bounds = weight->bounds, .levels = {}, .is_weight = true});
  }
  return columns;
}

bool Schema::has_party_effect() const {
  return std::ranges::any_of(features, [](const Feature& feature) {
    const auto* levels = std::get_if<CategoricalFeature>(&feature);
    return levels != nullptr && levels->by_party;
  });
}

Schema Schema::held_by(std::size_t level) const {
  Schema held = *this;
  held.party = level;
  return held;
}

}  // namespace sotto
