// The other end of a model file: reads it back and applies it to rows that a party already has.
#include "run/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json.h"
#include "data/encoding.h"
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
  Predictor(const ModelFile& model, const Encoding& encoding) : model_(model), encoding_(encoding) {
    for (const Feature& feature : model.schema.features) {
      if (std::holds_alternative<NumericFeature>(feature)) {
        found_.clipped.push_back({.column = column_of(feature)});
      }
    }
  }

  void add(const RawRows& rows) {
    for (std::size_t r = 0; r < rows.rows; ++r) found_.values.push_back(predict_row(rows, r));
  }

  [[nodiscard]] Predictions result() { return std::move(found_); }

 private:
  double predict_row(const RawRows& rows, std::size_t r) {
    const Schema& schema = model_.schema;
    for (std::size_t c = 0; c < schema.features.size(); ++c) {
      if (!std::isnan(rows.column(c)[r])) continue;
      ++found_.missing;
      return kMissing;
    }
    std::size_t entry = 0;
    std::size_t numeric = 0;
    double linear = schema.intercept ? model_.coefficients[entry++].value : 0;
    double square = schema.intercept ? 1 : 0;
    for (std::size_t c = 0; c < schema.features.size(); ++c) {
      const double raw = rows.column(c)[r];
      if (const auto* levels = std::get_if<CategoricalFeature>(&schema.features[c])) {
        if (raw > 0) {
          linear += model_.coefficients[entry + static_cast<std::size_t>(raw) - 1].value;
          square += 1;
        }
        entry += levels->levels.size() - 1;
        continue;
      }
      const ColumnScale& scale = encoding_.feature_scale(c);
      const double value = std::clamp(raw, scale.bounds.lo, scale.bounds.hi);
      found_.clipped[numeric].below += raw < scale.bounds.lo ? 1 : 0;
      found_.clipped[numeric].above += raw > scale.bounds.hi ? 1 : 0;
      ++numeric;
      linear += model_.coefficients[entry++].value * value;
      square += std::pow((value - scale.middle) / scale.half, 2);
    }
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
  Predictions found_;
};

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

Result<Predictions> predict(const ModelFile& model, const TableRequest& table) {
  SOTTO_ASSIGN(const auto encoding, Encoding::make(model.schema));
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
