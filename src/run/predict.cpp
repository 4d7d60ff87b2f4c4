// The other end of a model file: reads it back and applies it to rows that a party already has.
#include "run/predict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json.h"
#include "data/own_values.h"
#include "run/kept_json.h"

namespace sotto {
namespace {

constexpr const char* kModelFix = "use a model.json that sotto has written";

Error bad_model(std::string what, const std::string& file) {
  return bad_input("E-model-json", std::move(what), kModelFix).at(file);
}

// The model, ready to be applied to raw rows.
class Predictor {
 public:
  Predictor(const ModelFile& model, const Encoding& encoding)
      : model_(model), encoding_(encoding), row_(encoding) {}

  void add(const RawRows& rows) {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const bool complete = row_.take(rows, r);
      if (!complete) ++found_.missing;
      found_.values.push_back(complete ? predict_row() : kMissing);
    }
  }

  [[nodiscard]] Predictions result() {
    for (std::size_t c = 0; c < row_.columns().size(); ++c) {
      if (!row_.columns()[c].levels.empty()) continue;
      found_.clipped.push_back({.column = row_.columns()[c].name,
                                .below = row_.clips()[c].below,
                                .above = row_.clips()[c].above});
    }
    return std::move(found_);
  }

 private:
  double predict_row() {
    double linear = 0;
    for (std::size_t k = 0; k < model_.coefficients.size(); ++k) {
      linear += model_.coefficients[k].value * row_.entries()[k];
    }
    const double square = row_.length_squared();
    const ColumnScale& target = encoding_.target_scale();
    double predicted = linear;
    if (encoding_.shortens() && square > encoding_.radius() * encoding_.radius()) {
      ++found_.shortened;
      predicted = target.middle + encoding_.radius() / std::sqrt(square) * (linear - target.middle);
    }
    if (predicted < target.bounds.lo || predicted > target.bounds.hi) ++found_.outside;
    return predicted;
  }

  const ModelFile& model_;
  const Encoding& encoding_;
  OwnValues row_;
  Predictions found_;
};

// Which level of the feature by party is meant; none for all alike.
Result<std::optional<std::size_t>> party_level(const ModelFile& model, const std::string& party) {
  if (party.empty()) return std::optional<std::size_t>{};
  for (const Feature& feature : model.schema.features) {
    const auto* levels = std::get_if<CategoricalFeature>(&feature);
    if (levels == nullptr || !levels->by_party) continue;
    const auto found = std::ranges::find(levels->levels, party);
    if (found != levels->levels.end()) {
      return std::optional(static_cast<std::size_t>(found - levels->levels.begin()));
    }
    return bad_input("E-predict-party", fmt::format("the model knows no party \"{}\"", party),
                     fmt::format("name one of {}", fmt::join(levels->levels, ", ")))
        .at("--party");
  }
  return bad_input("E-predict-party", "the model is the same for every party",
                   "leave --party out; party = \"effect\" in the study's [data] tells them apart")
      .at("--party");
}

}  // namespace

Result<ModelFile> model_file_from_json(const Json& json, const std::string& file) {
  SOTTO_ASSIGN(const auto version, kept_version(json, kModelFormat, kModelVersion, file));
  std::string problem;
  // Unknown fields are let pass: they cannot change a prediction.
  JsonFields fields(json, "", problem);
  ModelFile model;
  model.study = fields.text("study");
  for (const auto& [element, path] : fields.elements("coefficients")) {
    JsonFields c(*element, path, problem);
    model.coefficients.push_back({.name = c.text("name"),
                                  .value = c.number("value"),
                                  .standard_error = c.optional_number("standard_error")});
  }
  model.schema = schema_from(fields.json("encoding"), "encoding", problem);
  if (!problem.empty()) return bad_model(problem, file);
  SOTTO_TRY(model.schema.validate().at(fmt::format("\"encoding\" in {}", file)));
  const auto names = model.schema.encoded_names();
  bool fits = names.size() == model.coefficients.size();
  for (std::size_t k = 0; fits && k < names.size(); ++k) {
    fits = names[k] == model.coefficients[k].name;
  }
  if (!fits) {
    return bad_model("the coefficients are not those of the encoding", file);
  }
  if (version > 1) SOTTO_TRY(check_digest(json, file));
  return model;
}

Result<ModelFile> read_model_file(const std::string& path) {
  SOTTO_ASSIGN(const auto json, read_kept_json(path, "E-model-file", kModelFix));
  return model_file_from_json(json, path);
}

Result<Predictions> predict(const ModelFile& model, const TableRequest& table,
                            const std::string& party) {
  Schema schema = model.schema;
  SOTTO_ASSIGN(schema.party, party_level(model, party));
  SOTTO_ASSIGN(const auto encoding, Encoding::make(schema));
  if (model.schema.features.empty()) {
    return bad_input("E-predict-features", "the model has no features to predict from",
                     "its intercept is the prediction for everybody");
  }
  // One thread reads in the file's order.
  CsvOptions in_order;
  in_order.threads = 1;
  in_order.with_target = false;
  Predictor predictor(model, encoding);
  SOTTO_ASSIGN(const CsvSource source, open_table(table, in_order));
  SOTTO_TRY(
      source.read(model.schema, [&](std::size_t, const RawRows& rows) { predictor.add(rows); }));
  return predictor.result();
}

}  // namespace sotto
