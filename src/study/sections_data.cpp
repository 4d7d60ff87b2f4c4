// [data]: the columns of a table, with their public bounds and levels.
#include <fmt/format.h>

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

Result<Feature> read_feature(TomlReader& section) {
  const std::string column = section.text("column");
  const auto bounds = read_bounds(section);
  const auto levels = section.optional_texts("levels");
  if (bounds.has_value() == levels.has_value()) {
    section.fail_value("column",
                       fmt::format("feature \"{}\" needs bounds or levels, and not both", column),
                       "numbers have bounds = [lo, hi], categories levels = [\"no\", \"yes\"]");
  }
  SOTTO_TRY(section.finish());
  if (bounds) return Feature(NumericFeature{column, *bounds});
  return Feature(CategoricalFeature{column, *levels});
}

// Where the mistake that `error` tells of stands. The first feature with which the schema is wrong
// is the one to look at; if it is none of them, the target or [data] itself.
std::string place_in_schema(const Error& error, const Schema& schema, const TomlReader& section,
                            const TomlReader& target, const std::vector<TomlReader>& features) {
  const char* key = error.name == "E-schema-bounds"   ? "bounds"
                    : error.name == "E-schema-levels" ? "levels"
                                                      : "column";
  if (error.name == "E-schema-radius") return section.place("radius");
  if (error.name == "E-schema-empty") return section.place("intercept");
  Schema so_far = schema;
  so_far.intercept = true;
  so_far.radius = 0;
  so_far.features.clear();
  if (!so_far.validate()) return target.place(key);
  for (std::size_t k = 0; k < features.size(); ++k) {
    so_far.features.push_back(schema.features[k]);
    if (!so_far.validate()) return features[k].place(key);
  }
  return section.place("feature");
}

}  // namespace

Result<std::optional<Schema>> read_data_section(TomlReader section, const std::string& file) {
  if (!section.present()) return std::optional<Schema>{};
  Schema schema;
  schema.intercept = section.optional_flag("intercept").value_or(true);
  if (section.word("missing", "drop") == "error") {
    schema.missing = MissingRule::kError;
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
  std::vector<TomlReader> feature_sections;
  if (features != nullptr) {
    for (const auto& element : *features->as_array()) {
      feature_sections.emplace_back(element.as_table(), "[[data.feature]]", file);
      SOTTO_ASSIGN(auto feature, read_feature(feature_sections.back()));
      schema.features.push_back(std::move(feature));
    }
  }
  if (auto valid = schema.validate(); !valid) {
    const std::string place =
        place_in_schema(valid.error(), schema, section, target_section, feature_sections);
    return std::move(valid).error().at(place);
  }
  return std::optional(schema);
}

}  // namespace sotto
