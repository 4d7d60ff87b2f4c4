#include "run/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "base/json.h"
#include "data/generator.h"
#include "moments/moments.h"
#include "run/kept_json.h"
#include "run/predict.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

Release sample_release() {
  std::vector<double> sums;
  for (std::size_t k = 0; k < moments_size(household_schema().entries()); ++k) {
    sums.push_back(std::sqrt(2.0) * std::pow(10, static_cast<double>(k) / 4 - 12));
  }
  return Release::from_sums(household_schema(), ball_shares({.w2 = 1, .v2 = 0.25}), 1 / 3.0, sums);
}

RunRecord sample_record() {
  RunRecord record;
  record.study = "energy";
  record.study_hash = "abc";
  record.transcript_hash = "def";
  record.unit = Unit::kRecord;
  record.neighbours = Neighbours::kAddRemove;
  record.adversaries.push_back({.observer = Observer::kEavesdropper,
                                .shift = 0.2,
                                .delta_at_epsilon = 1e-6,
                                .epsilon_at_delta = std::numeric_limits<double>::infinity()});
  record.noisy_rows = 1234.5;
  record.encoding = schema_json(household_schema());
  record.release = sample_release();
  double value = 0;
  for (const std::string& name : household_schema().encoded_names()) {
    record.coefficients.push_back({.name = name,
                                   .value = value += 1.5,
                                   .standard_error = std::nullopt,
                                   .interval = std::nullopt,
                                   .unshrunk = std::nullopt});
  }
  record.coefficients[1].standard_error = 0.5;
  record.coefficients[1].unshrunk = 3.1;
  record.coefficients[1].interval = {2.1, 4.1};
  record.coefficients[1].degrees_of_freedom = std::numeric_limits<double>::infinity();
  record.coefficients[1].t = 6.2;
  record.coefficients[1].p = 5.6e-10;
  const auto d = static_cast<Eigen::Index>(record.coefficients.size());
  record.summary =
      ModelSummary{.residual_sd = 4.5,
                   .degrees_of_freedom = 1200,
                   .r_squared = ModelSummary::Share{.value = 0.5, .interval = {0.4, 0.6}},
                   .adjusted_r_squared = std::nullopt,
                   .r_squared_refused = "",
                   .f = std::nullopt,
                   .f_refused = "it is a sample",
                   .bases = {{.column = "heating", .levels = {"gas", "district"}}},
                   .words = {"It says something."},
                   .covariance = Eigen::MatrixXd::Identity(d, d) / 3};
  record.own.push_back({.party = "party-1", .rows = 7654321, .dropped = 3, .clipped = {}});
  return record;
}

Model sample_model(const std::optional<Explained>& explained = std::nullopt) {
  Model model{.record = sample_record(), .fit = {}};
  model.record.explained = explained;
  return model;
}

TEST(ModelFile, HasWhatScriptsRelyOn) {
  const auto json = to_json(sample_model(Explained{.share = 0.5, .low = 0.4, .high = 0.6}));
  EXPECT_EQ(json["coefficients"][1]["name"], "area_m2");
  EXPECT_EQ(json["coefficients"][1]["standard_error"], 0.5);
  EXPECT_TRUE(json["coefficients"][0]["standard_error"].is_null());
  EXPECT_EQ(json["privacy"]["adversaries"][0]["name"], "eavesdropper");
  EXPECT_TRUE(json["privacy"]["adversaries"][0]["epsilon_at_delta"].is_null());
  EXPECT_EQ(json["rows"], 1234.5);
  EXPECT_EQ(json["study_hash"], "abc");
  EXPECT_EQ(json["transcript_hash"], "def");
  EXPECT_EQ(json["explained"]["share"], 0.5);
  EXPECT_EQ(json["coefficients"][1]["t"], 6.2);
  EXPECT_EQ(json["coefficients"][1]["p"], 5.6e-10);
  EXPECT_TRUE(json["coefficients"][0]["p"].is_null());
  const auto& summary = json["summary"];
  EXPECT_EQ(summary["residual_sd"], 4.5);
  EXPECT_EQ(summary["r_squared"]["value"], 0.5);
  EXPECT_TRUE(summary["f"].is_null());
  EXPECT_EQ(summary["refused"]["f"], "it is a sample");
  EXPECT_EQ(summary["base_levels"][0]["levels"][1], "district");
  EXPECT_EQ(summary["words"][0], "It says something.");
}

TEST(ModelFile, KeepsTheSummaryToTheBit) {
  const auto json = parse_json(json_text(to_json(sample_model())));
  const auto record = record_from_model_json(json, "model.json");
  ASSERT_TRUE(record.has_value()) << record.error().to_string();
  EXPECT_EQ(record->summary->covariance, sample_record().summary->covariance);
  EXPECT_EQ(to_json(*record->summary), to_json(*sample_record().summary));
  EXPECT_TRUE(std::isinf(*record->coefficients[1].degrees_of_freedom));
  const auto model = model_file_from_json(json, "model.json");
  EXPECT_EQ(model->summary->covariance, sample_record().summary->covariance);
  EXPECT_EQ(model->no_intervals, "");
  EXPECT_EQ(model->coefficients[1].unshrunk, 3.1);
}

TEST(ModelFile, NeverHasWhatBelongsToOneParty) {
  const auto json = to_json(sample_model());
  EXPECT_FALSE(json.contains("own"));
  EXPECT_EQ(json.dump().find("7654321"), std::string::npos);
}

TEST(ModelFile, KeepsWhatALevelIsAndWhatIsMissing) {
  Schema schema = household_schema();
  schema.missing_values = {"-9"};
  schema.features.emplace_back(CategoricalFeature{"k", {"1", "2", "other"}, true, true});
  std::string problem;
  const Schema back = schema_from(schema_json(schema), "encoding", problem);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(back.missing_values, schema.missing_values);
  const auto& levels = std::get<CategoricalFeature>(back.features.back());
  EXPECT_TRUE(levels.numbers && levels.other);
  Json old = schema_json(household_schema());
  old.erase("missing_values");
  EXPECT_EQ(schema_from(old, "encoding", problem).missing_values,
            (std::vector<std::string>{"", "NA"}))
      << "what it meant when it was written";
}

TEST(ModelFile, ReadsBackWhatWasWritten) {
  const auto model = model_file_from_json(to_json(sample_model()), "model.json");
  ASSERT_TRUE(model.has_value()) << model.error().to_string();
  EXPECT_EQ(model->study, "energy");
  EXPECT_EQ(schema_json(model->schema), schema_json(household_schema()));
  ASSERT_EQ(model->coefficients.size(), household_schema().entries());
  EXPECT_EQ(model->coefficients[1].value, 3);
  EXPECT_EQ(model->coefficients[1].standard_error, 0.5);
}

TEST(ModelFile, NamesTheFieldThatIsMissingOrWrong) {
  const auto good = to_json(sample_model());
  const auto complaint = [&](const char* pointer, const Json& value) {
    auto json = good;
    json[Json::json_pointer(pointer)] = value;
    const auto model = model_file_from_json(json, "model.json");
    EXPECT_FALSE(model.has_value()) << pointer;
    return model ? std::string() : model.error().to_string();
  };
  const auto names = [](const std::string& text, const char* field) {
    return text.find(field) != std::string::npos && text.find("model.json") != std::string::npos;
  };
  EXPECT_TRUE(names(complaint("/study", 3), "study"));
  EXPECT_TRUE(names(complaint("/coefficients", "none"), "coefficients"));
  EXPECT_TRUE(names(complaint("/coefficients/2/value", "x"), "coefficients[2].value"));
  EXPECT_TRUE(names(complaint("/coefficients/2/name", "x"), "coefficients"));
  EXPECT_TRUE(names(complaint("/encoding", nullptr), "encoding"));
  EXPECT_TRUE(names(complaint("/encoding/intercept", 1), "encoding.intercept"));
  EXPECT_TRUE(names(complaint("/encoding/missing", "maybe"), "encoding.missing"));
  EXPECT_TRUE(names(complaint("/encoding/missing_values", "NA"), "encoding.missing_values"));
  EXPECT_TRUE(names(complaint("/encoding/target/bounds", {1}), "encoding.target.bounds"));
  EXPECT_TRUE(names(complaint("/encoding/features/0/bounds", "wide"), "encoding.features[0]"));
  EXPECT_TRUE(names(complaint("/encoding/features/4/levels", {1, 2}), "encoding.features[4]"));
  EXPECT_TRUE(names(complaint("/encoding/target/bounds", {5, 1}), "encoding"));
  EXPECT_TRUE(names(complaint("/encoding/radius", -1), "encoding"));
}

TEST(ModelFile, KeepsTheReleaseToTheBit) {
  const auto json = parse_json(json_text(to_json(sample_model())));
  const auto record = record_from_model_json(json, "model.json");
  ASSERT_TRUE(record.has_value()) << record.error().to_string();
  ASSERT_TRUE(record->release.has_value());
  EXPECT_EQ(record->release->moments, sample_release().moments);
  EXPECT_EQ(record->release->noise_sd, sample_release().noise_sd);
  EXPECT_EQ(record->release->columns(), sample_release().columns());
  const auto& scaling = json["release"]["scaling"];
  ASSERT_EQ(scaling.size(), sample_release().columns().size());
  EXPECT_EQ(scaling[0]["half"], 1);
  EXPECT_EQ(scaling.back()["scale"], 1);
  EXPECT_EQ(record->coefficients.size(), household_schema().entries());
  EXPECT_TRUE(record->parties.empty());
}

TEST(ModelFile, SaysThatASquareStayedAtHome) {
  Model model = sample_model();
  Eigen::MatrixXd& moments = model.record.release->moments;
  moments(moments.rows() - 1, moments.rows() - 1) = std::numeric_limits<double>::quiet_NaN();
  const auto json = parse_json(json_text(to_json(model)));
  EXPECT_TRUE(json["release"]["sums"].back().is_null());
  EXPECT_TRUE(json["release"]["noise_sd"].back().is_null());
  const auto record = record_from_model_json(json, "model.json");
  ASSERT_TRUE(record.has_value()) << record.error().to_string();
  EXPECT_FALSE(record->release->squares_released());
}

TEST(ModelFile, RefusesAFileThatWasEditedOrIsOfANewerVersion) {
  const auto refused = [](const char* pointer, const Json& value) {
    auto json = to_json(sample_model());
    json[Json::json_pointer(pointer)] = value;
    const auto model = model_file_from_json(json, "model.json");
    const auto record = record_from_model_json(json, "model.json");
    EXPECT_FALSE(model.has_value() || record.has_value()) << pointer;
    return model || record ? "" : model.error().name + " " + record.error().name;
  };
  EXPECT_EQ(refused("/coefficients/2/value", 7), "E-model-digest E-model-digest");
  EXPECT_EQ(refused("/release/sums/3", 7), "E-model-digest E-model-digest");
  EXPECT_EQ(refused("/privacy/epsilon", 0.1), "E-model-digest E-model-digest");
  EXPECT_EQ(refused("/digest", "00"), "E-model-digest E-model-digest");
  EXPECT_EQ(refused("/format", "sotto-model-4"), "E-model-version E-model-version");
  EXPECT_EQ(refused("/format", "another"), "E-model-version E-model-version");
}

TEST(ModelFile, NamesWhatIsWrongWithARelease) {
  const auto complaint = [](const char* pointer, const Json& value) {
    auto json = to_json(sample_model());
    json[Json::json_pointer(pointer)] = value;
    const auto record = record_from_model_json(json, "model.json");
    EXPECT_FALSE(record.has_value()) << pointer;
    return record ? std::string() : record.error().what;
  };
  EXPECT_EQ(complaint("/release/weighting", "bounded"),
            "release.weighting must be \"none\", as in its encoding");
  EXPECT_EQ(complaint("/summary/covariance", {1, 2}).substr(0, 40),
            "summary.covariance must be empty, or 66 ");
  EXPECT_EQ(complaint("/release/columns", {"x"}), "release.columns must be those of the encoding");
  EXPECT_EQ(complaint("/release/sums", {1, 2}), "release.sums must be 78 numbers");
  EXPECT_EQ(complaint("/release/sums/0", nullptr), "release.sums must be 78 numbers");
  EXPECT_EQ(complaint("/release/noise_sd/0", -1),
            "release.noise_sd must be 0, or from 1e-30 to 1e+100");
  EXPECT_EQ(complaint("/release/encoding/radius", -1).substr(0, 32),
            "release.encoding must be a schem");
}

TEST(ModelFile, OfEarlierVersionsIsStillReadAndSaysWhatItLacks) {
  auto json = to_json(sample_model());
  json.erase("summary");
  for (auto& c : json["coefficients"]) {
    for (const char* field : {"t", "p", "degrees_of_freedom", "noise_share"}) c.erase(field);
  }
  auto second = json;
  second["format"] = "sotto-model-2";
  second = with_digest(second);
  const auto middle = model_file_from_json(second, "model.json");
  ASSERT_TRUE(middle.has_value()) << middle.error().to_string();
  EXPECT_NE(middle->no_intervals.find("sotto refit"), std::string::npos);
  EXPECT_TRUE(record_from_model_json(second, "model.json")->release.has_value());
  for (const char* field : {"format", "release", "digest"}) json.erase(field);
  const auto first = model_file_from_json(json, "model.json");
  ASSERT_TRUE(first.has_value()) << first.error().to_string();
  EXPECT_NE(first->no_intervals.find("neither covariance nor release"), std::string::npos);
  const auto record = record_from_model_json(json, "model.json");
  ASSERT_TRUE(record.has_value()) << record.error().to_string();
  EXPECT_FALSE(record->release.has_value());
}

TEST(ModelFile, RefusesFilesThatAreNoModel) {
  EXPECT_EQ(read_model_file("/nonexistent/model.json").error().name, "E-model-file");
  const TemporaryFolder folder;
  const auto path = folder / "model.json";
  std::ofstream(path) << "{ not json";
  EXPECT_EQ(read_model_file(path.string()).error().name, "E-model-file");
  std::ofstream(path) << "[1, 2]";
  EXPECT_EQ(read_model_file(path.string()).error().name, "E-model-json");
}

TEST(ModelFile, SaysHowRowsWereWeightedAndReadsThatBack) {
  Model model = sample_model();
  Schema& schema = model.record.release->schema;
  schema.weighting = Weighting::kBounded;
  schema.rows = 4000;
  schema.bounded_below = 123456.5;
  const auto json = parse_json(json_text(to_json(model)));
  EXPECT_EQ(json["release"]["weighting"], "bounded");
  EXPECT_EQ(json["release"]["scaling"][1]["scale"], 1) << "weighted rows are not put into a ball";
  const auto record = record_from_model_json(json, "model.json");
  ASSERT_TRUE(record.has_value()) << record.error().to_string();
  EXPECT_EQ(record->release->schema.weighting, Weighting::kBounded);
  EXPECT_EQ(record->release->schema.rows, 4000U);
  EXPECT_EQ(record->release->schema.bounded_below, 123456.5);
}

TEST(ModelFile, FromBeforeThereWasAWeightingWeighsAllRowsAlike) {
  auto json = to_json(sample_model());
  for (const char* field : {"weighting", "rows", "bounded_below"}) {
    json["encoding"].erase(field);
    json["release"]["encoding"].erase(field);
  }
  const auto record = record_from_model_json(with_digest(std::move(json)), "model.json");
  ASSERT_TRUE(record.has_value()) << record.error().to_string();
  EXPECT_EQ(record->release->schema.weighting, Weighting::kNone);
  EXPECT_EQ(record->release->noise_sd, sample_release().noise_sd);
}

}  // namespace
}  // namespace sotto
