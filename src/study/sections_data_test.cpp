#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "study/study.h"
#include "support/studies.h"

// [data] beyond plain columns: terms, splines, weights, persons, weighting.
namespace sotto {
namespace {

using testing::HasSubstr;

Error data_error_of(const StudyText& text) {
  const auto study = text.parse();
  EXPECT_FALSE(study.has_value()) << text.text();
  return study ? Error{} : study.error();
}

// record_text() with lines of [data] before its features, and tables of its own behind them.
StudyText terms_text(const std::string& tables) {
  return record_text().append(tables);
}
std::string feature_text(const std::string& term) {
  return fmt::format("[[data.feature]]\nterm = \"{}\"\n", term);
}
constexpr const char* kIncome = "[[data.column]]\ncolumn = \"income\"\nbounds = [1, 100]\n";

TEST(StudyFile, ReadsTermsOfColumnsWhoseBoundsAreStatedOnce) {
  const Study study = study_of(terms_text(kIncome + feature_text("log( income )") +
                                          feature_text("x1 * income") + feature_text("x1^2")));
  EXPECT_EQ(study.data->encoded_names(),
            (std::vector<std::string>{"intercept", "x1", "smoker=yes", "log(income)", "x1:income",
                                      "x1^2"}));
  EXPECT_EQ(std::get<NumericFeature>(study.data->features[3]).bounds.hi, 100);
  EXPECT_EQ(study.data->table_columns().size(), 4U) << "x1, smoker, income, y";
}

TEST(StudyFile, APersonsSensitivityIsNeverBelowThatOfItsRows) {
  const StudyText text = record_text().set("privacy", "neighbours", "\"replace\"");
  const double one = study_of(text).privacy.sensitivity.value();
  for (int rows = 1; rows <= 50; ++rows) {
    const Study study = study_of(StudyText(text).set(
        "privacy", "person", fmt::format("{{ column = \"id\", rows = {} }}", rows)));
    EXPECT_GE(std::fma(-one, rows, study.privacy.sensitivity.value()), 0) << rows;
  }
}

TEST(StudyFile, ReadsProductsWithCategoriesAsOneTermForEachLevel) {
  const Study study = study_of(terms_text(
      "[[data.feature]]\ncolumn = \"region\"\nlevels = [\"n\", \"s\", \"far west\"]\n" +
      feature_text("x1 * smoker") + feature_text("region:smoker") + feature_text("x1^2:region=n")));
  EXPECT_EQ(study.data->encoded_names(),
            (std::vector<std::string>{"intercept", "x1", "smoker=yes", "region=s",
                                      "region=far west", "x1:smoker=yes", "region=s:smoker=yes",
                                      "`region=far west`:smoker=yes", "x1^2:region=n"}));
  EXPECT_EQ(study.data->table_columns().size(), 4U) << "x1, smoker, region, y";
  const auto& pair = std::get<NumericFeature>(study.data->features[4]);
  EXPECT_EQ(pair.bounds.lo, 0);
  EXPECT_EQ(pair.bounds.hi, 1);
}

TEST(StudyFile, ReadsATermAsTarget) {
  const Study study =
      study_of(record_text().set("data", "target", "{ term = \"log(income)\" }").append(kIncome));
  EXPECT_EQ(study.data->target.column, "log(income)");
  EXPECT_NEAR(study.data->target.bounds.hi, std::log(100), 1e-12);
}

TEST(StudyFile, ReadsSplinesWithPublicKnots) {
  const Study study = study_of(terms_text(
      "[[data.feature]]\ncolumn = \"age\"\nbounds = [0, 100]\nknots = [25, 45, 65]\ndegree = 1\n"));
  const auto& spline = std::get<SplineFeature>(study.data->features[2]);
  EXPECT_EQ(spline.knots.size(), 3U);
  EXPECT_EQ(spline.degree, 1U);
  EXPECT_EQ(study.data->entries(), 7U);
}

TEST(StudyFile, ReadsWeightsPartyEffectsAndPersons) {
  const Study study = study_of(record_text()
                                   .set("data", "weight", "{ column = \"w\", bounds = [0, 10] }")
                                   .set("data", "party", "\"effect\"")
                                   .set("privacy", "person", "{ column = \"id\", rows = 3 }"));
  EXPECT_EQ(study.data->weight->bounds.hi, 10);
  EXPECT_TRUE(study.data->has_party_effect());
  EXPECT_EQ(study.data->encoded_names().back(), "party=party-10");
  EXPECT_EQ(study.data->entries(), 12U);
  EXPECT_EQ(study.data->longest_row(), 2) << "an effect of ten parties counts once";
  ASSERT_TRUE(study.data->person.has_value());
  EXPECT_EQ(study.privacy.sensitivity.value(), 4.5) << "three times a row's";
}

TEST(StudyFile, SaysWhatIsWrongWithATerm) {
  const auto complaint = [](const std::string& tables) {
    return data_error_of(terms_text(tables)).to_string();
  };
  using testing::AllOf;
  EXPECT_THAT(complaint(feature_text("log(incmoe)") + kIncome),
              AllOf(HasSubstr("E-term-column"), HasSubstr("did you mean \"income\""),
                    HasSubstr("term, line")));
  EXPECT_THAT(complaint(feature_text("log(smoker)")), HasSubstr("E-term-category"));
  EXPECT_THAT(complaint(feature_text("x1 + smoker")), HasSubstr("E-term-category"));
  EXPECT_THAT(complaint(feature_text("x1 * smoker=maybe")),
              AllOf(HasSubstr("E-term-column"), HasSubstr("did you mean \"smoker=")));
  EXPECT_THAT(complaint(feature_text("x1 * smoker") + feature_text("x1:smoker=yes")),
              HasSubstr("E-schema-duplicate"));
  EXPECT_THAT(complaint(feature_text("log(x1")),
              AllOf(HasSubstr("E-term-syntax"), HasSubstr("character 7")));
  EXPECT_THAT(complaint(feature_text("log(x1 - 0.5)")), HasSubstr("E-term-domain"));
  EXPECT_THAT(complaint(feature_text("sqrt(x1 - 0.7)")), HasSubstr("E-term-domain"));
  EXPECT_THAT(complaint(feature_text("2 + 3")), HasSubstr("E-term-constant"));
  EXPECT_THAT(complaint(feature_text("x1^2") + feature_text("square(x1)")),
              HasSubstr("E-schema-duplicate"));
  EXPECT_THAT(complaint(kIncome), HasSubstr("no term uses column \"income\""));
  EXPECT_THAT(complaint("[[data.column]]\ncolumn = \"x1\"\nbounds = [0, 1]\n"),
              AllOf(HasSubstr("E-schema-duplicate"), HasSubstr("stated twice")));
  EXPECT_THAT(complaint("[[data.column]]\ncolumn = \"z\"\n"), HasSubstr("E-study-missing"));
  EXPECT_THAT(
      complaint("[[data.column]]\ncolumn = \"y\"\nbounds = [0, 50]\n" + feature_text("y^2")),
      HasSubstr("E-schema-target"));
  EXPECT_THAT(complaint("[[data.feature]]\nterm = \"x1^2\"\nbounds = [0, 1]\n"),
              HasSubstr("E-study-key"));
}

TEST(StudyFile, SaysWhatIsWrongWithASplineAWeightOrAPerson) {
  const auto spline = [](const std::string& lines) {
    return data_error_of(terms_text("[[data.feature]]\ncolumn = \"age\"\n" + lines)).name;
  };
  EXPECT_EQ(spline("bounds = [0, 100]\nknots = [25, 145]\n"), "E-schema-knots");
  EXPECT_EQ(spline("bounds = [0, 100]\nknots = [45, 25]\n"), "E-schema-knots");
  EXPECT_EQ(spline("bounds = [0, 100]\nknots = [45]\ndegree = 4\n"), "E-study-value");
  EXPECT_EQ(spline("bounds = [0, 100]\ndegree = 1\n"), "E-study-value");
  EXPECT_EQ(spline("levels = [\"a\", \"b\"]\nknots = [45]\n"), "E-study-value");
  const auto set = [](const char* section, const char* key, const char* value) {
    return data_error_of(record_text().set(section, key, value)).name;
  };
  EXPECT_EQ(set("data", "weight", "\"w\""), "E-study-value");
  EXPECT_EQ(set("data", "weight", "{ column = \"w\" }"), "E-study-missing");
  EXPECT_EQ(set("data", "weight", "{ column = \"w\", bounds = [-1, 1] }"), "E-schema-weight");
  EXPECT_EQ(set("data", "weight", "{ column = \"w\", bounds = [0, 1], x = 1 }"), "E-study-key");
  EXPECT_EQ(set("data", "party", "\"effects\""), "E-study-value");
  EXPECT_EQ(set("privacy", "person", "\"id\""), "E-study-value");
  EXPECT_EQ(set("privacy", "person", "{ column = \"id\", rows = 0 }"), "E-study-value");
  EXPECT_EQ(set("privacy", "person", "{ rows = 1 }"), "E-study-missing");
  EXPECT_EQ(set("privacy", "person", "{ column = \"x1\" }"), "E-schema-person");
  EXPECT_EQ(data_error_of(paper_text().set("privacy", "person", "{ column = \"id\" }")).name,
            "E-study-value");
  EXPECT_EQ(data_error_of(
                record_text().set("data", "party", "\"effect\"").set("network", "min_parties", "9"))
                .name,
            "E-study-value");
}

TEST(StudyFile, ARowsSensitivityDependsOnWhetherErrorBarsAreAskedFor) {
  StudyText text = record_text();
  EXPECT_EQ(parse_study(text.text(), "s")->privacy.sensitivity.value(), 1.5);
  text.set("solve", "error_bars", "false");
  const auto lean = parse_study(text.text(), "s");
  ASSERT_TRUE(lean.has_value()) << lean.error().to_string();
  EXPECT_FALSE(lean->solve.error_bars);
  EXPECT_NEAR(lean->privacy.sensitivity.value(), std::sqrt(2.0), 1e-12);

  StudyText entry = paper_text();
  entry.set("solve", "error_bars", "false");
  const auto refused_there = parse_study(entry.text(), "s");
  ASSERT_FALSE(refused_there.has_value());
  EXPECT_EQ(refused_there.error().name, "E-study-value");
}

TEST(StudyFile, WeighsAllRowsAlikeUnlessToldOtherwise) {
  const Study plain = study_of(record_text());
  EXPECT_EQ(plain.data->weighting, Weighting::kNone);
  EXPECT_EQ(plain.data->rows, 0U);
  EXPECT_FALSE(plain.data->bounded_below.has_value());
  EXPECT_EQ(plain.privacy.sensitivity.value(), 1.5);
  const Study named =
      study_of(record_text().set("data", "weighting", "\"none\"").set("data", "rows", "5000"));
  EXPECT_EQ(named.data->weighting, Weighting::kNone);
  EXPECT_EQ(named.data->rows, 5000U);
}

TEST(StudyFile, BoundedWeightsHaveASensitivityOfTheirOwn) {
  const auto sensitivity = [](StudyText text) {
    const Study study = study_of(text.set("data", "weighting", "\"bounded\""));
    EXPECT_EQ(study.data->weighting, Weighting::kBounded);
    return study.privacy.sensitivity.value();
  };
  EXPECT_EQ(sensitivity(record_text()), 1);
  EXPECT_EQ(sensitivity(record_text().set("solve", "error_bars", "false")), 1);
  EXPECT_EQ(sensitivity(record_text().set("data", "intercept", "false")), 1);
  StudyText replace = record_text().set("privacy", "neighbours", "\"replace\"");
  EXPECT_NEAR(sensitivity(replace), 1.562311253246, 1e-12);
  EXPECT_NEAR(sensitivity(replace.set("solve", "error_bars", "false")), 1.643696483659, 1e-12);
}

TEST(StudyFile, ChoosesTheWeightingFromTheNumberOfRowsThatItNames) {
  const auto automatic = [](const std::string& rows, StudyText text = record_text()) {
    return *study_of(text.set("data", "weighting", "\"auto\"").set("data", "rows", rows)).data;
  };
  const double limit = automatic("1").bounded_below.value();
  EXPECT_GT(limit, 1e4);
  EXPECT_LT(limit, 1e6);
  EXPECT_EQ(automatic(fmt::format("{:.0f}", 0.99 * limit)).weighting, Weighting::kBounded);
  EXPECT_EQ(automatic(fmt::format("{:.0f}", 1.01 * limit)).weighting, Weighting::kNone);
  EXPECT_EQ(automatic("1000").bounded_below.value(), limit) << "whatever the number of rows";
  // More noise beside the rows: with less ε, and where everybody adds noise of its own.
  EXPECT_GT(automatic("1", record_text().set("privacy", "epsilon", "0.1")).bounded_below.value(),
            50 * limit);
  EXPECT_NEAR(automatic("1", record_text().set("study", "solver", "\"ac\"")).bounded_below.value(),
              10 * limit, 1e-6 * limit);
}

TEST(StudyFile, RefusesAWeightingThatCannotBeDone) {
  const auto refused = [](const std::string& key, const std::string& value,
                          const std::string& weighting) {
    return data_error_of(record_text().set("data", "weighting", weighting).set("data", key, value));
  };
  const Error unknown = data_error_of(record_text().set("data", "weighting", "\"heavy\""));
  EXPECT_EQ(unknown.name, "E-study-value");
  EXPECT_THAT(unknown.fix, HasSubstr("bounded"));
  const Error without = data_error_of(record_text().set("data", "weighting", "\"auto\""));
  EXPECT_EQ(without.name, "E-study-missing");
  EXPECT_THAT(without.fix, HasSubstr("rows ="));
  for (const char* rows : {"0", "-5", "2.5", "\"many\"", "10000000000000"}) {
    EXPECT_EQ(refused("rows", rows, "\"auto\"").name, "E-study-value") << rows;
    EXPECT_EQ(refused("rows", rows, "\"none\"").name, "E-study-value") << rows;
  }
  const Error radius = refused("radius", "1.0", "\"bounded\"");
  EXPECT_EQ(radius.name, "E-schema-radius");
  EXPECT_THAT(radius.fix, HasSubstr("remove radius"));
  EXPECT_EQ(data_error_of(record_text()
                              .set("data", "weighting", "\"auto\"")
                              .set("data", "rows", "100")
                              .set("data", "radius", "1.0"))
                .name,
            "E-study-value");
}

}  // namespace
}  // namespace sotto
