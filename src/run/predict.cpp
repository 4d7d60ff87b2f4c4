// The other end of a model file: reads it back and applies it to rows that a party already has.
#include "run/predict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
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

// What intervals of one level are made of.
struct IntervalTerms {
  double level = 0;
  double mean_factor = 0;  // in standard errors
  double row_factor = 0;
  double residual_variance = 0;
  Eigen::MatrixXd covariance{};
  Eigen::VectorXd unshrunk{};
};

Result<IntervalTerms> interval_terms(const ModelFile& model, const Encoding& encoding,
                                     double level) {
  if (!(level > 0 && level < 1)) {
    return bad_input("E-predict-level", fmt::format("intervals of level {}", level),
                     "a number between 0 and 1, as 0.95")
        .at("--level");
  }
  if (!model.no_intervals.empty()) {
    return bad_input("E-predict-intervals", model.no_intervals,
                     "predictions without --intervals, or a refit with errors");
  }
  for (std::size_t k = 0; k < model.schema.features.size(); ++k) {
    if (!std::holds_alternative<NumericFeature>(model.schema.features[k])) continue;
    const ColumnScale& scale = encoding.feature_scale(k);
    if (std::abs(scale.middle) <= kFarthestBounds * scale.half) continue;
    return bad_input("E-predict-intervals",
                     fmt::format("the bounds of \"{}\" are so far from 0 for their width that the "
                                 "covariance has no digits left",
                                 name_of(model.schema.features[k])),
                     "a study whose column counts from nearer, as years since 2000");
  }
  double fewest = std::numeric_limits<double>::infinity();
  IntervalTerms terms{.level = level};
  terms.covariance = model.summary->covariance;
  terms.unshrunk.resize(static_cast<Eigen::Index>(model.coefficients.size()));
  for (std::size_t k = 0; k < model.coefficients.size(); ++k) {
    const ModelFile::Coefficient& c = model.coefficients[k];
    terms.unshrunk(static_cast<Eigen::Index>(k)) = c.unshrunk.value_or(0);
    fewest = std::min(fewest, c.degrees_of_freedom.value_or(fewest));
  }
  terms.mean_factor = interval_factor(level, fewest);
  terms.row_factor = interval_factor(level, *model.summary->degrees_of_freedom);
  terms.residual_variance = std::pow(*model.summary->residual_sd, 2);
  return terms;
}

// The model, ready to be applied to raw rows.
class Predictor {
 public:
  Predictor(const ModelFile& model, const Encoding& encoding, std::optional<IntervalTerms> terms)
      : model_(model), encoding_(encoding), row_(encoding), terms_(std::move(terms)) {
    if (terms_) found_.intervals = PredictionIntervals{.level = terms_->level};
  }

  void add(const RawRows& rows) {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const bool complete = row_.take(rows, r);
      if (!complete) ++found_.missing;
      if (!complete && terms_) add_intervals(kMissing, kMissing, kMissing);
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
    const Eigen::Map<const Eigen::VectorXd> x(row_.entries().data(),
                                              static_cast<Eigen::Index>(row_.entries().size()));
    double linear = 0;
    for (std::size_t k = 0; k < model_.coefficients.size(); ++k) {
      linear += model_.coefficients[k].value * row_.entries()[k];
    }
    const double square = row_.length_squared();
    const ColumnScale& target = encoding_.target_scale();
    double predicted = linear;
    double shortened = 1;
    if (encoding_.shortens() && square > encoding_.radius() * encoding_.radius()) {
      ++found_.shortened;
      shortened = encoding_.radius() / std::sqrt(square);
      predicted = target.middle + shortened * (linear - target.middle);
    }
    if (predicted < target.bounds.lo || predicted > target.bounds.hi) ++found_.outside;
    if (terms_) {
      const double about = target.middle + shortened * (terms_->unshrunk.dot(x) - target.middle);
      const double variance = shortened * shortened * std::max(x.dot(terms_->covariance * x), 0.0);
      add_intervals(about, terms_->mean_factor * std::sqrt(variance),
                    terms_->row_factor * std::sqrt(variance + terms_->residual_variance));
    }
    return predicted;
  }

  void add_intervals(double about, double mean, double row) {
    found_.intervals->unshrunk.push_back(about);
    found_.intervals->mean.emplace_back(about - mean, about + mean);
    found_.intervals->row.emplace_back(about - row, about + row);
  }

  const ModelFile& model_;
  const Encoding& encoding_;
  OwnValues row_;
  std::optional<IntervalTerms> terms_;
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

// Why a file has no intervals to offer; nothing if it has.
std::string why_no_intervals(const ModelFile& model, const Json& json) {
  const bool known = model.summary && model.summary->covariance.size() > 0 &&
                     model.summary->residual_sd && model.summary->degrees_of_freedom;
  if (known) return {};
  const auto refused = json.find("errors_refused");
  if (refused != json.end() && refused->is_string()) {
    return fmt::format("the model has no errors: {}", refused->get<std::string>());
  }
  return json.contains("release")
             ? "the file is of an earlier sotto and has no covariance: sotto refit FILE --out NEW "
               "writes one that has it"
             : "the file is of an earlier sotto and has neither covariance nor release";
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
    if (c.has("unshrunk")) model.coefficients.back().unshrunk = c.optional_number("unshrunk");
    if (c.has("degrees_of_freedom")) {
      const auto degrees = c.optional_number("degrees_of_freedom");
      c.expect(!degrees || *degrees > 0, "degrees_of_freedom", "above 0");
      model.coefficients.back().degrees_of_freedom = degrees;
    }
  }
  if (fields.has("summary")) {
    model.summary = summary_from(fields.json("summary"), model.coefficients.size(), problem);
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
  model.no_intervals = why_no_intervals(model, json);
  return model;
}

Result<ModelFile> read_model_file(const std::string& path) {
  SOTTO_ASSIGN(const auto json, read_kept_json(path, "E-model-file", kModelFix));
  return model_file_from_json(json, path);
}

Result<Predictions> predict(const ModelFile& model, const TableRequest& table,
                            const PredictOptions& options) {
  Schema schema = model.schema;
  SOTTO_ASSIGN(schema.party, party_level(model, options.party));
  SOTTO_ASSIGN(const auto encoding, Encoding::make(schema));
  if (model.schema.features.empty()) {
    return bad_input("E-predict-features", "the model has no features to predict from",
                     "its intercept is the prediction for everybody");
  }
  // One thread reads in the file's order.
  CsvOptions in_order;
  in_order.threads = 1;
  in_order.with_target = false;
  std::optional<IntervalTerms> terms;
  if (options.level) {
    SOTTO_ASSIGN(terms, interval_terms(model, encoding, *options.level));
  }
  Predictor predictor(model, encoding, std::move(terms));
  SOTTO_ASSIGN(const CsvSource source, open_table(table, in_order));
  SOTTO_TRY(
      source.read(model.schema, [&](std::size_t, const RawRows& rows) { predictor.add(rows); }));
  return predictor.result();
}

}  // namespace sotto
