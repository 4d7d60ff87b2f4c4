#include "data/schema.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace sotto {
namespace {

Schema good_schema() {
  Schema schema;
  schema.target = {"y", {0, 50}};
  schema.features = {NumericFeature{"x1", {0.5, 1.0}},
                     CategoricalFeature{"smoker", {"no", "yes", "ex"}}};
  return schema;
}

std::string error_name(const Schema& schema) {
  const auto valid = schema.validate();
  return valid ? "" : valid.error().name;
}

std::string error_after(const std::function<void(Schema&)>& change) {
  Schema schema = good_schema();
  change(schema);
  return error_name(schema);
}

TEST(Schema, NamesOneEntryPerNumberAndPerLevelButTheFirst) {
  const Schema schema = good_schema();
  EXPECT_EQ(error_name(schema), "");
  EXPECT_EQ(schema.encoded_names(),
            (std::vector<std::string>{"intercept", "x1", "smoker=yes", "smoker=ex"}));
  EXPECT_EQ(schema.entries(), 4U);
}

TEST(Schema, CountsACategoricalColumnOnceInTheLongestRow) {
  EXPECT_DOUBLE_EQ(good_schema().longest_row(), std::sqrt(3.0));
}

TEST(Schema, RefusesAColumnThatIsAFeatureTwice) {
  EXPECT_EQ(error_after([](Schema& s) {
              s.features.emplace_back(NumericFeature{"smoker", {0, 1}});
            }),
            "E-schema-duplicate");
}

TEST(Schema, RefusesATargetThatIsAlsoAFeature) {
  EXPECT_EQ(error_after([](Schema& s) { s.target.column = "x1"; }), "E-schema-target");
}

TEST(Schema, RefusesColumnsWithoutAName) {
  EXPECT_EQ(error_after([](Schema& s) { s.target.column = ""; }), "E-schema-column");
  EXPECT_EQ(error_after([](Schema& s) {
              s.features[0] = NumericFeature{"", {0, 1}};
            }),
            "E-schema-column");
}

TEST(Schema, RefusesBoundsThatAreNoFiniteInterval) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Bounds bounds : {Bounds{1, 1}, Bounds{2, 1}, Bounds{0, infinity}, Bounds{NAN, 1},
                              Bounds{-infinity, 0}, Bounds{0, 5e-324}}) {
    EXPECT_EQ(error_after([&](Schema& s) {
                s.features[0] = NumericFeature{"x1", bounds};
              }),
              "E-schema-bounds");
    EXPECT_EQ(error_after([&](Schema& s) { s.target.bounds = bounds; }), "E-schema-bounds");
  }
  EXPECT_EQ(error_after([](Schema& s) { s.target.bounds = {-1.7e308, 1.7e308}; }), "");
}

TEST(Schema, RefusesLevelsThatAreNoneOneTwiceTheSameOrMissing) {
  const std::vector<std::vector<std::string>> wrong = {{},        {"a"},       {"a", "b", "a"},
                                                       {"a", ""}, {"a", "NA"}, {"a", " "}};
  for (const auto& levels : wrong) {
    EXPECT_EQ(error_after([&](Schema& s) {
                s.features[1] = CategoricalFeature{"smoker", levels};
              }),
              "E-schema-levels");
  }
}

TEST(Schema, RefusesAModelWithNothingInIt) {
  EXPECT_EQ(error_after([](Schema& s) { s.features.clear(); }), "");
  EXPECT_EQ(error_after([](Schema& s) {
              s.features.clear();
              s.intercept = false;
            }),
            "E-schema-empty");
}

TEST(Schema, RefusesMoreCoefficientsThanItsLimit) {
  const auto with_features = [](std::size_t count) {
    return error_after([=](Schema& s) {
      s.features.clear();
      for (std::size_t k = 0; k < count; ++k) {
        s.features.emplace_back(NumericFeature{"c" + std::to_string(k), {0, 1}});
      }
    });
  };
  EXPECT_EQ(with_features(Schema::kMaxEntries - 1), "");
  EXPECT_EQ(with_features(Schema::kMaxEntries), "E-schema-size");
}

TEST(Schema, RefusesARadiusBeyondTheLongestRow) {
  EXPECT_EQ(error_after([](Schema& s) { s.radius = 1.7; }), "");
  for (const double radius : {-1.0, 1e-4, 1.8, double{NAN}}) {
    EXPECT_EQ(error_after([=](Schema& s) { s.radius = radius; }), "E-schema-radius");
  }
}

TEST(Schema, ReadsWhatTheStudyListsAsMissingAndEmptyFieldsAlways) {
  const Schema usual;
  for (const char* text : {"", " ", "NA", " NA\t", "NaN", "NULL", " ."}) {
    EXPECT_TRUE(reads_as_missing(text, usual.missing_values)) << text;
  }
  for (const char* text : {"na", "nan", "null", "-", "0", "N/A", ".."}) {
    EXPECT_FALSE(reads_as_missing(text, usual.missing_values)) << text;
  }
  EXPECT_TRUE(reads_as_missing("-9", {"-9"}));
  EXPECT_TRUE(reads_as_missing(" ", {"-9"}));
  EXPECT_FALSE(reads_as_missing("NA", {"-9"}));
}

TEST(Schema, TakesALevelThatOtherStudiesCallMissing) {
  const auto with_dot = [](Schema& s) { s.features[1] = CategoricalFeature{"smoker", {"a", "."}}; };
  EXPECT_EQ(error_after(with_dot), "E-schema-levels");
  EXPECT_EQ(error_after([&](Schema& s) {
              with_dot(s);
              s.missing_values = {"NA"};
            }),
            "");
}

TEST(Schema, WantsNumbersWhereLevelsAreNumbersAndEachOnce) {
  const auto with = [](const std::vector<std::string>& levels, bool other) {
    return error_after([&](Schema& s) {
      s.features[1] = CategoricalFeature{"smoker", levels, true, other};
    });
  };
  EXPECT_EQ(with({"0", "1.5"}, false), "");
  EXPECT_EQ(with({"0", "1", "other"}, true), "");
  EXPECT_EQ(with({"0", "one"}, false), "E-schema-levels");
  EXPECT_EQ(with({"0", "other"}, false), "E-schema-levels");
  EXPECT_EQ(with({"1", "1.0"}, false), "E-schema-levels");
  EXPECT_EQ(error_after([](Schema& s) {
              s.features[1] = CategoricalFeature{"smoker", {"0", "-9"}, true};
              s.missing_values = {"-9.0"};
            }),
            "E-schema-levels");
}

TEST(Schema, HasALevelForWhatCountsAsOther) {
  const auto with = [](const std::vector<std::string>& levels) {
    return error_after([&](Schema& s) {
      s.features[1] = CategoricalFeature{"smoker", levels, false, true};
    });
  };
  EXPECT_EQ(with({"a", "other"}), "");
  EXPECT_EQ(with({"a", "b"}), "E-schema-levels");
}

}  // namespace
}  // namespace sotto
