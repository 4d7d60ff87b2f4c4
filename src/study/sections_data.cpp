// [data]: the columns of a table, with their public bounds and levels.
#include <fmt/format.h>

#include <algorithm>

#include "study/sections.h"

namespace sotto {
namespace {

std::optional<Bounds> read_bounds(TomlReader& section) {
  const auto numbers = section.optional_numbers("bounds");
  if (numbers && numbers->size() == 2) return Bounds{(*numbers)[0], (*numbers)[1]};
  if (numbers) {
    section.fail_value("bounds", "bounds must be two numbers", "write bounds = [0.0, 50.0]");
  }
  return std::nullopt;
}

// ["no", "yes"] or [0, 1]; with other = true there is one level more, unless it is in the list.
std::optional<CategoricalFeature> read_levels(TomlReader& section, const std::string& column) {
  CategoricalFeature feature{column, {}};
  const toml::node* node = section.node("levels");
  const bool numbers = node != nullptr && node->is_array() && !node->as_array()->empty() &&
                       node->as_array()->front().is_number();
  if (numbers) {
    feature.numbers = true;
    for (const double level : section.optional_numbers("levels").value_or(std::vector<double>{})) {
      feature.levels.push_back(fmt::format("{}", level));
    }
  } else {
    feature.levels = section.optional_texts("levels").value_or(std::vector<std::string>{});
  }
  feature.other = section.optional_flag("other").value_or(false);
  if (feature.other && node == nullptr) {
    section.fail_value("other", "other = true is for a column with levels",
                       "list the levels that are known, or leave it away");
  }
  if (node == nullptr) return std::nullopt;
  const std::string other = CategoricalFeature::kOther;
  if (feature.other && std::ranges::find(feature.levels, other) == feature.levels.end()) {
    feature.levels.push_back(other);
  }
  return feature;
}

Result<Feature> read_feature(const toml::table* table, const std::string& file) {
  TomlReader section(table, "[[data.feature]]", file);
  const std::string column = section.text("column");
  const auto bounds = read_bounds(section);
  auto levels = read_levels(section, column);
  if (bounds.has_value() == levels.has_value()) {
    section.fail_value("column",
                       fmt::format("feature \"{}\" needs bounds or levels, and not both", column),
                       "numbers have bounds = [lo, hi], categories levels = [\"no\", \"yes\"]");
  }
  SOTTO_TRY(section.finish());
  if (bounds) return Feature(NumericFeature{column, *bounds});
  return Feature(*std::move(levels));
}

}  // namespace

Result<std::optional<Schema>> read_data_section(TomlReader section, const std::string& file) {
  if (!section.present()) return std::optional<Schema>{};
  Schema schema;
  schema.intercept = section.optional_flag("intercept").value_or(true);
  if (section.choice("missing", {"drop", "error"}, "drop") == "error") {
    schema.missing = MissingRule::kError;
  }
  if (auto values = section.optional_texts("missing_values")) {
    schema.missing_values = *std::move(values);
  }
  schema.radius = section.optional_number("radius").value_or(0);
  const toml::node* target = section.node("target");
  const toml::node* features = section.node("feature");
  if (target == nullptr || !target->is_table()) {
    section.fail("target", bad_input("E-study-missing", "[data] needs a target with public bounds",
                                     "write target = { column = \"y\", bounds = [0, 50] }"));
  }
  if (features != nullptr && !features->is_array_of_tables()) {
    section.fail_value("feature", "feature must be a list of tables",
                       "write [[data.feature]], with two brackets");
  }
  SOTTO_TRY(section.finish());
  TomlReader target_section(target->as_table(), "[data] target", file);
  schema.target.column = target_section.text("column");
  if (const auto bounds = read_bounds(target_section)) {
    schema.target.bounds = *bounds;
  } else {
    target_section.fail("bounds", bad_input("E-study-missing", "the target has no bounds",
                                            "add bounds = [lo, hi], known without the data"));
  }
  SOTTO_TRY(target_section.finish());
  if (features != nullptr) {
    for (const auto& element : *features->as_array()) {
      SOTTO_ASSIGN(auto feature, read_feature(element.as_table(), file));
      schema.features.push_back(std::move(feature));
    }
  }
  SOTTO_TRY(schema.validate().at(section.place("target")));
  return std::optional(schema);
}

}  // namespace sotto
