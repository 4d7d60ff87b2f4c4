#include "study/model_file.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "report/record_fields.h"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxModelBytes = std::size_t{1} << 26;

Json number_or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json coefficient_json(const RunRecord::Coefficient& c) {
  Json interval = nullptr;
  if (c.interval) interval = Json::array({c.interval->first, c.interval->second});
  return {{"name", c.name},
          {"value", c.value},
          {"standard_error", number_or_null(c.standard_error)},
          {"unshrunk", number_or_null(c.unshrunk)},
          {"interval", interval}};
}

Json privacy_block(const RunRecord& record) {
  Json adversaries = Json::array();
  for (const RunRecord::Adversary& adversary : record.adversaries) {
    adversaries.push_back({{"name", adversary.name},
                           {"shift", number_or_null(adversary.shift)},
                           {"delta_at_epsilon", adversary.delta_at_epsilon},
                           {"epsilon_at_delta", number_or_null(adversary.epsilon_at_delta)}});
  }
  return {{"epsilon", record.epsilon},
          {"delta", record.delta},
          {"unit", record.unit},
          {"neighbours", record.neighbours},
          {"sensitivity", record.sensitivity},
          {"kappa_bar", record.kappa_bar},
          {"adversaries", adversaries}};
}

Bounds read_bounds(RecordFields& fields) {
  const Json pair = fields.json("bounds");
  const bool fine =
      pair.is_array() && pair.size() == 2 && pair[0].is_number() && pair[1].is_number();
  fields.expect(fine, "bounds", "two numbers");
  return fine ? Bounds{pair[0].get<double>(), pair[1].get<double>()} : Bounds{};
}

Schema read_schema(const Json& json, std::string& problem) {
  RecordFields fields(json, "encoding", problem);
  Schema schema;
  schema.intercept = fields.truth("intercept");
  const std::string missing = fields.text("missing");
  fields.expect(missing == "drop" || missing == "error", "missing", "\"drop\" or \"error\"");
  schema.missing = missing == "error" ? MissingRule::kError : MissingRule::kDrop;
  schema.radius = fields.number("radius");
  RecordFields target(fields.object("target"), "encoding.target", problem);
  schema.target.column = target.text("column");
  schema.target.bounds = read_bounds(target);
  for (const auto& [element, path] : fields.elements("features")) {
    RecordFields feature(*element, path, problem);
    const std::string column = feature.text("column");
    if (element->is_object() && element->contains("levels")) {
      schema.features.emplace_back(CategoricalFeature{column, feature.texts("levels")});
    } else {
      schema.features.emplace_back(NumericFeature{column, read_bounds(feature)});
    }
  }
  return schema;
}

tl::unexpected<Error> bad_model(const std::string& name, std::string what,
                                const std::string& file) {
  return tl::unexpected(
      bad_input(name, std::move(what), "use a model.json that sotto has written").value().at(file));
}

}  // namespace

Json schema_json(const Schema& schema) {
  auto bounds = [](Bounds b) { return Json::array({b.lo, b.hi}); };
  Json features = Json::array();
  for (const Feature& feature : schema.features) {
    if (const auto* numeric = std::get_if<NumericFeature>(&feature)) {
      features.push_back({{"column", numeric->column}, {"bounds", bounds(numeric->bounds)}});
    } else {
      const auto& categorical = std::get<CategoricalFeature>(feature);
      features.push_back({{"column", categorical.column}, {"levels", categorical.levels}});
    }
  }
  return {{"intercept", schema.intercept},
          {"missing", schema.missing == MissingRule::kError ? "error" : "drop"},
          {"radius", schema.radius},
          {"target", {{"column", schema.target.column}, {"bounds", bounds(schema.target.bounds)}}},
          {"features", features}};
}

Json model_json(const RunRecord& record, const std::optional<Explained>& explained) {
  Json coefficients = Json::array();
  for (const auto& c : record.coefficients) coefficients.push_back(coefficient_json(c));
  Json json{{"study", record.study},
            {"study_hash", record.study_hash},
            {"transcript_hash", record.transcript_hash},
            {"solver", record.solver},
            {"estimator", record.estimator},
            {"target", record.target},
            {"coefficients", coefficients}};
  if (!record.errors_refused.empty()) json["errors_refused"] = record.errors_refused;
  json["privacy"] = privacy_block(record);
  if (record.noisy_rows) json["rows"] = *record.noisy_rows;
  if (explained) {
    json["explained"] = {{"share", explained->share},
                         {"interval", {explained->low, explained->high}}};
  }
  json["encoding"] = record.encoding;
  json["warnings"] = record.warnings;
  return json;
}

Result<Model> model_from_json(const Json& json, const std::string& file) {
  std::string problem;
  // Unknown fields are let pass: they cannot change a prediction.
  RecordFields fields(json, "", problem);
  Model model;
  model.study = fields.text("study");
  for (const auto& [element, path] : fields.elements("coefficients")) {
    RecordFields c(*element, path, problem);
    model.coefficients.push_back({.name = c.text("name"),
                                  .value = c.number("value"),
                                  .standard_error = c.optional_number("standard_error")});
  }
  model.schema = read_schema(fields.object("encoding"), problem);
  if (!problem.empty()) return bad_model("E-model-json", problem, file);
  if (auto valid = model.schema.validate(); !valid) {
    return tl::unexpected(Error(valid.error()).at(fmt::format("\"encoding\" in {}", file)));
  }
  const auto names = model.schema.encoded_names();
  bool fits = names.size() == model.coefficients.size();
  for (std::size_t k = 0; fits && k < names.size(); ++k) {
    fits = names[k] == model.coefficients[k].name;
  }
  if (!fits) {
    return bad_model("E-model-json", "the coefficients are not those of the encoding", file);
  }
  return model;
}

Result<Model> read_model(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    return bad_model("E-model-file", "the model cannot be read", path);
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad() || text.size() > kMaxModelBytes) {
    return bad_model("E-model-file", "the model cannot be read, or is larger than 64 MiB", path);
  }
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return bad_model("E-model-file", "the file is not JSON", path);
  return model_from_json(json, path);
}

}  // namespace sotto
