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

TEST(Schema, RefusesKnotsOutsideTheBoundsOrNotAscending) {
  const auto with_knots = [](std::vector<double> knots, std::size_t degree = 3) {
    return error_after([&](Schema& s) {
      s.features[0] = SplineFeature{"x1", {0, 10}, knots, degree};
    });
  };
  EXPECT_EQ(with_knots({2, 5}), "");
  EXPECT_EQ(with_knots({}), "");
  for (const std::vector<double>& knots : std::vector<std::vector<double>>{
           {0, 5}, {5, 10}, {-1}, {11}, {5, 2}, {5, 5}, {double{NAN}}}) {
    EXPECT_EQ(with_knots(knots), "E-schema-knots");
  }
  EXPECT_EQ(with_knots({5}, 0), "E-schema-knots");
  EXPECT_EQ(with_knots({5}, 4), "E-schema-knots");
}

TEST(Schema, RefusesASplineBesideThePlainColumn) {
  EXPECT_EQ(error_after([](Schema& s) {
              s.features.emplace_back(SplineFeature{"x1", {0.5, 1}, {0.7}, 1});
            }),
            "E-schema-duplicate");
}

Feature term_feature(const std::string& text, std::vector<Bounds> bounds) {
  Term term{Expression::parse(text).value(), {}};
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    term.columns.push_back({term.expression.columns()[k], bounds[k]});
  }
  const Bounds own = term.bounds().value_or(Bounds{0, 1});
  return NumericFeature{term.expression.text(), own, term};
}

TEST(Schema, RefusesTermsWhoseBoundsAreNotThoseOfTheirColumns) {
  const auto with_term = [](const Feature& feature) {
    return error_after([&](Schema& s) { s.features.push_back(feature); });
  };
  EXPECT_EQ(with_term(term_feature("log(z)", {{1, 2}})), "");
  EXPECT_EQ(with_term(term_feature("x1^2", {{0.5, 1}})), "");
  EXPECT_EQ(with_term(term_feature("x1^2", {{0.5, 2}})), "E-schema-bounds") << "x1 ends at 1";
  EXPECT_EQ(with_term(term_feature("log(z)", {{0, 2}})), "E-term-domain");
  EXPECT_EQ(with_term(term_feature("exp(z)", {{0, 2000}})), "E-term-domain");
  Feature narrow = term_feature("log(z)", {{1, 2}});
  std::get<NumericFeature>(narrow).bounds.hi /= 2;
  EXPECT_EQ(with_term(narrow), "E-schema-bounds");
}

TEST(Schema, ReadsEveryColumnOfATableOnceTheTargetAndTheWeightLast) {
  Schema schema = good_schema();
  schema.features.push_back(term_feature("x1:z", {{0.5, 1}, {0, 1}}));
  schema.features.emplace_back(CategoricalFeature{"party", {"north", "south"}, false, false, true});
  schema.weight = WeightColumn{"w", {0, 1}};
  std::vector<std::string> names;
  for (const TableColumn& column : schema.table_columns()) names.push_back(column.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x1", "smoker", "z", "y", "w"}));
  EXPECT_EQ(schema.table_columns(false).size(), 3U);
  EXPECT_TRUE(schema.has_party_effect());
}

TEST(Schema, RefusesFeaturesOfAStudyThatUseTheTargetsColumns) {
  Schema schema = good_schema();
  EXPECT_TRUE(schema.keeps_target_apart());
  schema.features.push_back(term_feature("x1:y", {{0.5, 1}, {0, 50}}));
  EXPECT_TRUE(schema.validate()) << "other models of its release may";
  EXPECT_EQ(schema.keeps_target_apart().error().name, "E-schema-target");
}

TEST(Schema, RefusesWeightsAndPersonsThatAreFeaturesOrOutOfRange) {
  const auto with_weight = [](const std::string& column, Bounds bounds) {
    return error_after([&](Schema& s) { s.weight = WeightColumn{column, bounds}; });
  };
  EXPECT_EQ(with_weight("w", {0, 2}), "");
  EXPECT_EQ(with_weight("w", {-1, 2}), "E-schema-weight");
  EXPECT_EQ(with_weight("x1", {0, 2}), "E-schema-weight");
  EXPECT_EQ(with_weight("", {0, 2}), "E-schema-weight");
  EXPECT_EQ(with_weight("w", {2, 2}), "E-schema-bounds");
  const auto with_person = [](const std::string& column, std::int64_t rows) {
    return error_after([&](Schema& s) { s.person = PersonColumn{column, rows}; });
  };
  EXPECT_EQ(with_person("id", 1), "");
  EXPECT_EQ(with_person("id", 0), "E-schema-person");
  EXPECT_EQ(with_person("id", 1001), "E-schema-person");
  EXPECT_EQ(with_person("smoker", 1), "E-schema-person");
  EXPECT_EQ(with_person("y", 1), "E-schema-person");
  EXPECT_EQ(with_person("", 1), "E-schema-person");
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
