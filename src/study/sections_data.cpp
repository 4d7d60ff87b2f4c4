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

Result<Feature> read_feature(const toml::table* table, const std::string& file) {
  TomlReader section(table, "[[data.feature]]", file);
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

constexpr std::int64_t kMaxStatedRows = 1'000'000'000'000;

// "auto" leaves bounded_below at 0, for study_file.cpp to decide when all sections are read.
void read_weighting(TomlReader& section, Schema& schema) {
  const std::string weighting = section.choice("weighting", {"none", "bounded", "auto"}, "none");
  if (const auto rows = section.optional_integer("rows", 1, kMaxStatedRows)) {
    schema.rows = static_cast<std::uint64_t>(*rows);
  }
  if (weighting == "bounded") schema.weighting = Weighting::kBounded;
  if (weighting != "auto") return;
  schema.bounded_below = 0;
  if (!section.has("rows")) {
    section.fail(
        "weighting",
        bad_input("E-study-missing", "weighting = \"auto\" decides from the number of rows",
                  "add rows = 10000: about how many all parties hold together, known "
                  "without the data"));
  }
  if (section.has("radius")) {
    section.fail_value("radius", "radius is for weighting = \"none\"",
                       "remove radius, or say weighting = \"none\"");
  }
}

}  // namespace

Result<std::optional<Schema>> read_data_section(TomlReader section, const std::string& file) {
  if (!section.present()) return std::optional<Schema>{};
  Schema schema;
  schema.intercept = section.optional_flag("intercept").value_or(true);
  if (section.choice("missing", {"drop", "error"}, "drop") == "error") {
    schema.missing = MissingRule::kError;
  }
  schema.radius = section.optional_number("radius").value_or(0);
  read_weighting(section, schema);
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
