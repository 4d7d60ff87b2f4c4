#include "data/schema.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

// What a study may say of its columns, checked before any table is opened.
namespace sotto {
namespace {

// A bound must leave room for the scaling: half the width, and one over it, are finite.
Result<void> check_bounds(const std::string& column, Bounds bounds) {
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

Result<void> check_levels(const CategoricalFeature& feature) {
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
  for (const std::string& level : feature.levels) {
    if (reads_as_missing(level)) {
      return wrong(fmt::format("contain \"{}\", which reads as a missing value", level),
                   "name the level differently, in the tables too");
    }
    if (!seen.insert(level).second) {
      return wrong(fmt::format("contain \"{}\" twice", level), "list every level once");
    }
  }
  return {};
}

}  // namespace

const std::string& column_of(const Feature& feature) {
  return std::visit([](const auto& each) -> const std::string& { return each.column; }, feature);
}

std::string_view trimmed(std::string_view field) {
  const std::size_t from = field.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return field.substr(from, field.find_last_not_of(" \t") - from + 1);
}

bool reads_as_missing(std::string_view field) {
  field = trimmed(field);
  return field.empty() || field == "NA";
}

Result<void> Schema::validate() const {
  std::unordered_set<std::string_view> seen;
  for (const Feature& feature : features) {
    const std::string& column = column_of(feature);
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
    const auto* numeric = std::get_if<NumericFeature>(&feature);
    SOTTO_TRY(numeric != nullptr ? check_bounds(column, numeric->bounds)
                                 : check_levels(std::get<CategoricalFeature>(feature)));
  }
  if (target.column.empty()) {
    return bad_input("E-schema-column", "the target's column has no name",
                     "give the name that stands in the tables' header");
  }
  SOTTO_TRY(check_bounds(target.column, target.bounds));
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

std::size_t Schema::entries() const {
  std::size_t count = intercept ? 1 : 0;
  for (const Feature& feature : features) {
    const auto* categorical = std::get_if<CategoricalFeature>(&feature);
    count += categorical == nullptr ? 1 : std::max<std::size_t>(categorical->levels.size(), 1) - 1;
  }
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
    if (const auto* categorical = std::get_if<CategoricalFeature>(&feature)) {
      for (std::size_t k = 1; k < categorical->levels.size(); ++k) {
        names.push_back(categorical->column + "=" + categorical->levels[k]);
      }
    } else {
      names.push_back(column_of(feature));
    }
  }
  return names;
}

}  // namespace sotto
