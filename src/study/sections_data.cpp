// [data]: the columns of a table, with their public bounds and levels, and the terms made of them.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "data/levels.h"
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

// What terms may use: columns with bounds, each stated once, and levels of categories.
struct KnownColumns {
  std::map<std::string, Bounds> bounds;
  std::vector<CategoricalFeature> categories;
};

Result<Term> term_of(Expression expression, const KnownColumns& known) {
  Term term;
  term.expression = std::move(expression);
  const std::string& text = term.expression.text();
  for (const std::string& column : term.expression.columns()) {
    const auto found = known.bounds.find(column);
    if (found == known.bounds.end()) {
      std::vector<std::string> names;
      for (const auto& [name, bounds] : known.bounds) names.push_back(name);
      const auto near = nearest_word(column, names);
      return bad_input(
          "E-term-column",
          fmt::format("the term \"{}\" uses \"{}\", which has no bounds", text, column),
          near ? fmt::format("did you mean \"{}\"?", *near)
               : fmt::format("state them once: [[data.column]] with column = \"{}\" and "
                             "bounds = [lo, hi]; a category is a [[data.feature]] with levels",
                             column));
    }
    term.columns.push_back({.name = column, .bounds = found->second});
  }
  return term;
}

Result<NumericFeature> number_of(Expression expression, const KnownColumns& known) {
  SOTTO_ASSIGN(Term term, term_of(std::move(expression), known));
  SOTTO_ASSIGN(const Bounds bounds, term.bounds());
  std::string name = term.expression.text();
  return NumericFeature{std::move(name), bounds, std::move(term)};
}

// One feature, or with categories in it one for each of their levels.
Result<std::vector<Feature>> read_term(const std::string& text, const KnownColumns& known) {
  SOTTO_ASSIGN(const Expression written, Expression::parse(text));
  SOTTO_ASSIGN(auto expressions, by_levels(written, known.categories));
  std::vector<Feature> features;
  for (Expression& expression : expressions) {
    SOTTO_ASSIGN(auto number, number_of(std::move(expression), known));
    features.emplace_back(std::move(number));
  }
  return features;
}

// [[data.feature]]: a column with bounds (a number), with bounds and knots (a spline), with levels
// (a category); or a term.
Result<std::vector<Feature>> read_feature(TomlReader& section, const KnownColumns& known) {
  if (const auto text = section.optional_text("term")) {
    SOTTO_TRY(section.finish());
    return read_term(*text, known).at(section.place("term"));
  }
  const std::string column = section.text("column");
  const auto bounds = read_bounds(section);
  auto levels = read_levels(section, column);
  const auto knots = section.optional_numbers("knots");
  const auto degree = section.optional_integer("degree", 1, SplineBasis::kMaxDegree);
  if (bounds.has_value() == levels.has_value()) {
    section.fail_value("column",
                       fmt::format("feature \"{}\" needs bounds or levels, and not both", column),
                       "numbers have bounds = [lo, hi], categories levels = [\"no\", \"yes\"]");
  }
  if ((knots || degree) && !bounds) {
    section.fail_value("column", fmt::format("the spline of \"{}\" needs bounds", column),
                       "write bounds = [0, 100] and knots = [25, 45, 65]");
  }
  if (degree && !knots) {
    section.fail_value("degree", "a degree is for splines, and there are no knots",
                       "add knots = [25, 45, 65], or remove degree");
  }
  SOTTO_TRY(section.finish());
  if (knots) {
    return std::vector<Feature>{
        SplineFeature{column, *bounds, *knots,
                      static_cast<std::size_t>(degree.value_or(SplineBasis::kMaxDegree))}};
  }
  if (bounds) return std::vector<Feature>{NumericFeature{column, *bounds}};
  return std::vector<Feature>{*std::move(levels)};
}

// { column = …, bounds = … }
struct BoundedColumn {
  std::string column;
  Bounds bounds;
};
Result<BoundedColumn> read_bounded(TomlReader section, const std::string& what) {
  BoundedColumn found;
  found.column = section.text("column");
  if (const auto bounds = read_bounds(section)) {
    found.bounds = *bounds;
  } else {
    section.fail("bounds", bad_input("E-study-missing", fmt::format("the {} has no bounds", what),
                                     "add bounds = [lo, hi], known without the data"));
  }
  SOTTO_TRY(section.finish());
  return found;
}

Result<Target> read_target(const toml::table* table, const std::string& file,
                           const KnownColumns& known) {
  TomlReader section(table, "[data] target", file);
  if (const auto text = section.optional_text("term")) {
    SOTTO_TRY(section.finish());
    SOTTO_ASSIGN(Expression expression, Expression::parse(*text).at(section.place("term")));
    SOTTO_ASSIGN(auto number, number_of(std::move(expression), known).at(section.place("term")));
    return Target{std::move(number.column), number.bounds, std::move(number.term)};
  }
  SOTTO_ASSIGN(auto column, read_bounded(section, "target"));
  return Target{std::move(column.column), column.bounds};
}

// Everything that states a column's bounds or levels: [[data.column]], and features that are one.
Result<KnownColumns> known_columns(const toml::array* columns, const toml::array* features,
                                   const std::string& file) {
  KnownColumns known;
  const auto add = [&](const toml::table& table, const char* name) -> Result<void> {
    TomlReader section(&table, name, file);
    const auto column = section.optional_text("column");
    const auto bounds = read_bounds(section);
    if (!column || !bounds || known.bounds.emplace(*column, *bounds).second) return {};
    section.fail("column", bad_input("E-schema-duplicate",
                                     fmt::format("the bounds of \"{}\" are stated twice", *column),
                                     "keep one of them; terms may use it as often as they like"));
    return section.finish().error();
  };
  if (columns != nullptr) {
    for (const auto& element : *columns) {
      TomlReader section(element.as_table(), "[[data.column]]", file);
      SOTTO_TRY(read_bounded(section, "column"));
      SOTTO_TRY(add(*element.as_table(), "[[data.column]]"));
    }
  }
  if (features == nullptr) return known;
  for (const auto& element : *features) {
    SOTTO_TRY(add(*element.as_table(), "[[data.feature]]"));
    TomlReader section(element.as_table(), "[[data.feature]]", file);
    const auto column = section.optional_text("column");
    auto category = read_levels(section, column.value_or(""));
    if (!column || !category) continue;
    for (std::size_t level = 0; level < category->levels.size(); ++level) {
      known.bounds.emplace(level_name(*category, level), kLevelAsNumber);
    }
    known.categories.push_back(*std::move(category));
  }
  return known;
}

// A column that is listed for terms and used by none would only cost rows where it is missing.
Result<void> check_used(const Schema& schema, const toml::array* columns, const std::string& file) {
  if (columns == nullptr) return {};
  const std::vector<TableColumn> used = schema.table_columns();
  for (const auto& element : *columns) {
    TomlReader section(element.as_table(), "[[data.column]]", file);
    const std::string name = section.text("column");
    if (std::ranges::find(used, name, &TableColumn::name) != used.end()) continue;
    section.fail_value("column", fmt::format("no term uses column \"{}\"", name),
                       "use it in a term = \"…\", make it a [[data.feature]], or remove it");
    return section.finish().error();
  }
  return {};
}

// A list of tables under `key`, if there is one.
const toml::array* list_of_tables(TomlReader& section, const char* key) {
  const toml::node* list = section.node(key);
  if (list != nullptr && !list->is_array_of_tables()) {
    section.fail_value(key, fmt::format("{} must be a list of tables", key),
                       fmt::format("write [[data.{}]], with two brackets", key));
    return nullptr;
  }
  return list == nullptr ? nullptr : list->as_array();
}

constexpr std::int64_t kMaxStatedRows = 1'000'000'000'000;

// "auto" leaves bounded_below at 0, for study_file.cpp to decide when all sections are read.
void read_weighting(TomlReader& section, Schema& schema) {
  const std::string weighting = section.word("weighting", "none");
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

// Where the mistake that `error` tells of stands. The first feature with which the schema is wrong
// is the one to look at; if it is none of them, the target or [data] itself.
std::string place_in_schema(const Error& error, const Schema& schema, const TomlReader& section,
                            const TomlReader& target, const std::vector<TomlReader>& features) {
  const char* key = error.name == "E-schema-bounds"   ? "bounds"
                    : error.name == "E-schema-levels" ? "levels"
                    : error.name == "E-schema-knots"  ? "knots"
                                                      : "column";
  if (error.name == "E-schema-radius") return section.place("radius");
  if (error.name == "E-schema-weight") return section.place("weight");
  if (error.name == "E-schema-empty") return section.place("intercept");
  Schema so_far = schema;
  so_far.intercept = true;
  so_far.radius = 0;
  so_far.weight.reset();
  so_far.person.reset();
  so_far.features.clear();
  if (!so_far.validate()) return target.place(key);
  for (std::size_t k = 0; k < features.size(); ++k) {
    so_far.features.push_back(schema.features[k]);
    if (!so_far.validate()) return features[k].place(key);
  }
  return section.place("feature");
}

}  // namespace

Result<std::optional<Schema>> read_data_section(TomlReader section, const std::string& file,
                                                const std::vector<PartyTerms>& parties,
                                                const std::optional<PersonColumn>& person) {
  if (!section.present()) return std::optional<Schema>{};
  Schema schema;
  schema.intercept = section.optional_flag("intercept").value_or(true);
  if (section.word("missing", "drop") == "error") {
    schema.missing = MissingRule::kError;
  }
  if (auto values = section.optional_texts("missing_values")) {
    schema.missing_values = *std::move(values);
  }
  schema.radius = section.optional_number("radius").value_or(0);
  const bool party_effect = section.word("party", "none") == "effect";
  read_weighting(section, schema);
  const toml::node* target = section.node("target");
  const toml::node* weight = section.node("weight");
  if (target == nullptr || !target->is_table()) {
    section.fail("target", bad_input("E-study-missing", "[data] needs a target with public bounds",
                                     "write target = { column = \"y\", bounds = [0, 50] }"));
  }
  if (weight != nullptr && !weight->is_table()) {
    section.fail_value("weight", "weight must say its column and bounds",
                       "write weight = { column = \"w\", bounds = [0, 10] }");
  }
  const toml::array* features = list_of_tables(section, "feature");
  const toml::array* columns = list_of_tables(section, "column");
  SOTTO_TRY(section.finish());
  SOTTO_ASSIGN(const KnownColumns known, known_columns(columns, features, file));
  SOTTO_ASSIGN(schema.target, read_target(target->as_table(), file, known));
  if (weight != nullptr) {
    SOTTO_ASSIGN(auto column,
                 read_bounded(TomlReader(weight->as_table(), "[data] weight", file), "weight"));
    schema.weight = WeightColumn{std::move(column.column), column.bounds};
  }
  std::vector<TomlReader> feature_sections;
  if (features != nullptr) {
    for (const auto& element : *features) {
      TomlReader feature_section(element.as_table(), "[[data.feature]]", file);
      SOTTO_ASSIGN(auto read, read_feature(feature_section, known));
      for (Feature& feature : read) {
        schema.features.push_back(std::move(feature));
        feature_sections.push_back(feature_section);
      }
    }
  }
  if (party_effect) {
    CategoricalFeature effect{.column = "party", .levels = {}, .by_party = true};
    for (const PartyTerms& party : parties) effect.levels.push_back(party.name);
    schema.features.emplace_back(std::move(effect));
  }
  schema.person = person;
  const TomlReader target_section(target->as_table(), "[data] target", file);
  if (auto valid = schema.validate(); !valid) {
    const std::string place =
        place_in_schema(valid.error(), schema, section, target_section, feature_sections);
    return std::move(valid).error().at(place);
  }
  SOTTO_TRY(schema.keeps_target_apart().at(target_section.place("column")));
  SOTTO_TRY(check_used(schema, columns, file));
  return std::optional(schema);
}

}  // namespace sotto
