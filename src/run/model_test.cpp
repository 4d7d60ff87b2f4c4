#include "run/model.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "base/json.h"
#include "data/generator.h"
#include "run/predict.h"

namespace sotto {
namespace {

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
  record.own.push_back({.party = "party-1", .rows = 77, .dropped = 3, .clipped = {}});
  return record;
}

Model sample_model(const std::optional<Explained>& explained = std::nullopt) {
  Model model{.record = sample_record(), .fit = {}};
  model.fit.explained = explained;
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
}

TEST(ModelFile, NeverHasWhatBelongsToOneParty) {
  const auto json = to_json(sample_model());
  EXPECT_FALSE(json.contains("own"));
  EXPECT_EQ(json.dump().find("77"), std::string::npos);
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
  EXPECT_TRUE(names(complaint("/encoding/target/bounds", {1}), "encoding.target.bounds"));
  EXPECT_TRUE(names(complaint("/encoding/features/0/bounds", "wide"), "encoding.features[0]"));
  EXPECT_TRUE(names(complaint("/encoding/features/4/levels", {1, 2}), "encoding.features[4]"));
  EXPECT_TRUE(names(complaint("/encoding/target/bounds", {5, 1}), "encoding"));
  EXPECT_TRUE(names(complaint("/encoding/radius", -1), "encoding"));
}

TEST(ModelFile, RefusesFilesThatAreNoModel) {
  EXPECT_EQ(read_model_file("/nonexistent/model.json").error().name, "E-model-file");
  const auto path = std::filesystem::temp_directory_path() / "sotto_model_file_test.json";
  std::ofstream(path) << "{ not json";
  EXPECT_EQ(read_model_file(path.string()).error().name, "E-model-file");
  std::ofstream(path) << "[1, 2]";
  EXPECT_EQ(read_model_file(path.string()).error().name, "E-model-json");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace sotto
