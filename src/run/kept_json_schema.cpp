// A study's columns as JSON, and back: what `predict` and `refit` know of the tables.
#include "run/kept_json.h"

namespace sotto {
namespace {

Json bounds_json(Bounds bounds) {
  return Json::array({bounds.lo, bounds.hi});
}

Bounds bounds_from(JsonFields& fields) {
  const Json pair = fields.json("bounds");
  const bool fine =
      pair.is_array() && pair.size() == 2 && pair[0].is_number() && pair[1].is_number();
  fields.expect(fine, "bounds", "two numbers");
  return fine ? Bounds{pair[0].get<double>(), pair[1].get<double>()} : Bounds{};
}

// {"column": …, "bounds": …}, and of a term {"term": {"columns": […]}} beside it.
Json number_json(const std::string& column, Bounds bounds, const std::optional<Term>& term) {
  Json json{{"column", column}, {"bounds", bounds_json(bounds)}};
  if (term) {
    json["term"] = {{"columns", json_list(term->columns, [](const Term::Column& each) -> Json {
                       return {{"column", each.name}, {"bounds", bounds_json(each.bounds)}};
                     })}};
  }
  return json;
}

std::optional<Term> term_from(JsonFields& fields, const std::string& text, const std::string& path,
                              std::string& problem) {
  if (!fields.has("term")) return std::nullopt;
  Term term;
  JsonFields inside(fields.json("term"), path + ".term", problem);
  for (const auto& [element, name] : inside.elements("columns")) {
    JsonFields column(*element, name, problem);
    term.columns.push_back({.name = column.text("column"), .bounds = bounds_from(column)});
  }
  auto expression = Expression::parse(text);
  bool fine = expression && expression->columns().size() == term.columns.size();
  for (std::size_t k = 0; fine && k < term.columns.size(); ++k) {
    fine = expression->columns()[k] == term.columns[k].name;
  }
  fields.expect(fine, "term", "a term of its columns");
  if (!fine) return std::nullopt;
  term.expression = *std::move(expression);
  return term;
}

Json feature_json(const Feature& feature) {
  if (const auto* levels = std::get_if<CategoricalFeature>(&feature)) {
    Json json{{"column", levels->column}, {"levels", levels->levels}};
    if (levels->numbers) json["numbers"] = true;
    if (levels->other) json["other"] = true;
    if (levels->by_party) json["by_party"] = true;
    return json;
  }
  if (const auto* spline = std::get_if<SplineFeature>(&feature)) {
    return {{"column", spline->column},
            {"bounds", bounds_json(spline->bounds)},
            {"knots", spline->knots},
            {"degree", spline->degree}};
  }
  const auto& number = std::get<NumericFeature>(feature);
  return number_json(number.column, number.bounds, number.term);
}

std::vector<double> knots_from(JsonFields& fields) {
  const Json& list = fields.json("knots");
  std::vector<double> knots;
  bool fine = list.is_array();
  for (std::size_t k = 0; fine && k < list.size(); ++k) {
    fine = list[k].is_number();
    if (fine) knots.push_back(list[k].get<double>());
  }
  fields.expect(fine, "knots", "numbers");
  return knots;
}

Feature feature_from(const Json& json, const std::string& path, std::string& problem) {
  JsonFields fields(json, path, problem);
  const std::string column = fields.text("column");
  if (fields.has("levels")) {
    const auto says = [&](const char* key) { return fields.has(key) && fields.truth(key); };
    return CategoricalFeature{column, fields.texts("levels"), says("numbers"), says("other"),
                              says("by_party")};
  }
  const Bounds bounds = bounds_from(fields);
  if (fields.has("knots")) {
    const double degree = fields.number("degree");
    const bool fine = degree == 1 || degree == 2 || degree == 3;
    fields.expect(fine, "degree", "1, 2 or 3");
    return SplineFeature{column, bounds, knots_from(fields),
                         fine ? static_cast<std::size_t>(degree) : 1};
  }
  return NumericFeature{column, bounds, term_from(fields, column, path, problem)};
}

}  // namespace

Json schema_json(const Schema& schema) {
  const Target& target = schema.target;
  Json json{{"intercept", schema.intercept},
            {"missing", schema.missing == MissingRule::kError ? "error" : "drop"},
            {"missing_values", schema.missing_values},
            {"radius", schema.radius},
            {"target", number_json(target.column, target.bounds, target.term)},
            {"features", json_list(schema.features, feature_json)}};
  if (schema.weight) {
    json["weight"] = number_json(schema.weight->column, schema.weight->bounds, std::nullopt);
  }
  if (schema.person) {
    json["person"] = {{"column", schema.person->column}, {"rows", schema.person->rows}};
  }
  return json;
}

Schema schema_from(const Json& json, const std::string& path, std::string& problem) {
  JsonFields fields(json, path, problem);
  Schema schema;
  schema.intercept = fields.truth("intercept");
  const std::string missing = fields.text("missing");
  fields.expect(missing == "drop" || missing == "error", "missing", "\"drop\" or \"error\"");
  schema.missing = missing == "error" ? MissingRule::kError : MissingRule::kDrop;
  // Files of 0.2 and before do not say it.
  schema.missing_values = fields.has("missing_values") ? fields.texts("missing_values")
                                                       : std::vector<std::string>{"", "NA"};
  schema.radius = fields.number("radius");
  JsonFields target(fields.json("target"), path + ".target", problem);
  schema.target.column = target.text("column");
  schema.target.bounds = bounds_from(target);
  schema.target.term = term_from(target, schema.target.column, path + ".target", problem);
  for (const auto& [element, name] : fields.elements("features")) {
    schema.features.push_back(feature_from(*element, name, problem));
  }
  if (fields.has("weight")) {
    JsonFields weight(fields.json("weight"), path + ".weight", problem);
    schema.weight = WeightColumn{weight.text("column"), bounds_from(weight)};
  }
  if (fields.has("person")) {
    JsonFields person(fields.json("person"), path + ".person", problem);
    schema.person =
        PersonColumn{person.text("column"), static_cast<std::int64_t>(person.count("rows"))};
  }
  return schema;
}

}  // namespace sotto
