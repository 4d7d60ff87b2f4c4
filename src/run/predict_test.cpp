#include "run/predict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/decompositions.h"
#include "base/json.h"
#include "data/rows.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

class PredictTest : public testing::Test {
 protected:
  void SetUp() override {
    model_.schema.target = {"y", {0, 100}};
    model_.schema.features = {NumericFeature{"x", {0, 10}},
                              CategoricalFeature{"kind", {"a", "b", "c"}},
                              NumericFeature{"z", {-1, 1}}};
    model_.coefficients = {
        {"intercept", 20, {}}, {"x", 3, {}}, {"kind=b", 5, {}}, {"kind=c", -7, {}}, {"z", 2, {}}};
  }

  Result<Predictions> predicted(const std::string& text) const {
    std::ofstream(path_) << text;
    return predict(model_, path_);
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "rows.csv";
  ModelFile model_;
};

TEST_F(PredictTest, AddsUpTheCoefficientsWithoutTheTargetsColumn) {
  const auto found = predicted("z,kind,x,other\n0.5,a,1,hello\n-0.5,b,2,\n1,c,10,\"q,r\"\n");
  ASSERT_TRUE(found.has_value()) << found.error().to_string();
  EXPECT_EQ(found->values, (std::vector<double>{24, 30, 45}));
  EXPECT_EQ(found->missing, 0U);
  EXPECT_EQ(found->outside, 0U);
}

TEST_F(PredictTest, IgnoresTheTargetWhereItIsThere) {
  const auto found = predicted("y,z,kind,x\nnot known,0.5,a,1\n");
  ASSERT_TRUE(found.has_value()) << found.error().to_string();
  EXPECT_EQ(found->values, std::vector<double>{24});
}

TEST_F(PredictTest, ClipsAsInTrainingAndCounts) {
  const auto found = predicted("x,kind,z\n12,a,-3\n-1,a,0\n11,b,0\n").value();
  EXPECT_EQ(found.values, (std::vector<double>{48, 20, 55}));
  ASSERT_EQ(found.clipped.size(), 2U);
  EXPECT_EQ(found.clipped[0].column, "x");
  EXPECT_EQ(found.clipped[0].above, 2U);
  EXPECT_EQ(found.clipped[0].below, 1U);
  EXPECT_EQ(found.clipped[1].column, "z");
  EXPECT_EQ(found.clipped[1].below, 1U);
}

TEST_F(PredictTest, CountsPredictionsThatTheTargetCannotHave) {
  model_.coefficients[1].value = 9;
  EXPECT_EQ(predicted("x,kind,z\n10,a,0\n1,a,0\n")->outside, 1U);
}

TEST_F(PredictTest, LeavesAGapWhereAValueIsMissing) {
  const auto found = predicted("x,kind,z\n1,a,0\nNA,a,0\n1,,0\n1,a,0\n").value();
  ASSERT_EQ(found.values.size(), 4U);
  EXPECT_TRUE(std::isnan(found.values[1]) && std::isnan(found.values[2]));
  EXPECT_EQ(found.values[3], 23);
  EXPECT_EQ(found.missing, 2U);
  model_.schema.missing = MissingRule::kError;
  EXPECT_EQ(predicted("x,kind,z\n1,a,0\nNA,a,0\n").error().name, "E-csv-missing");
}

TEST_F(PredictTest, NamesFileLineAndColumnOfWhatDoesNotFit) {
  EXPECT_EQ(predicted("x,z\n1,0\n").error().name, "E-csv-header");
  const auto level = predicted("x,kind,z\n1,a,0\n1,d,0\n");
  EXPECT_EQ(level.error().name, "E-csv-level");
  EXPECT_NE(level.error().where.find(".csv, line 3, column \"kind\""), std::string::npos)
      << level.error().where;
  const auto text = predicted("x,kind,z\nmany,a,0\n");
  EXPECT_EQ(text.error().name, "E-csv-number");
  EXPECT_NE(text.error().where.find("line 2, column \"x\""), std::string::npos);
  EXPECT_EQ(predicted("x,kind,z\n1,a\n").error().name, "E-csv-fields");
  EXPECT_EQ(predicted("").error().name, "E-csv-header");
  EXPECT_EQ(predict(model_, "/nonexistent.csv").error().name, "E-csv-open");
}

TEST_F(PredictTest, NamesTheLineInAFileOfManyBlocks) {
  std::string text = "x,kind,z\n";
  for (int i = 0; i < 60'000; ++i) text += "1.25,b,0.125\n";
  text += "1,?,0\n";
  const auto found = predicted(text);
  ASSERT_FALSE(found.has_value());
  EXPECT_NE(found.error().where.find("line 60002, column \"kind\""), std::string::npos)
      << found.error().where;
}

TEST_F(PredictTest, TakesModelsOfCategoriesAlone) {
  model_.schema.features = {CategoricalFeature{"kind", {"a", "b"}}};
  model_.coefficients = {{"intercept", 20, {}}, {"kind=b", 5, {}}};
  EXPECT_EQ(predicted("kind\nb\na\n")->values, (std::vector<double>{25, 20}));
  model_.schema.features.clear();
  model_.coefficients.resize(1);
  EXPECT_EQ(predicted("kind\nb\n").error().name, "E-predict-features");
}

// The model of the unit ball, applied to the row that training would have seen.
TEST_F(PredictTest, ShortensRowsAsTrainingDoes) {
  model_.schema.radius = 1.2;
  const Encoding encoding = Encoding::make(model_.schema).value();
  Eigen::VectorXd beta(5);
  for (Eigen::Index k = 0; k < 5; ++k) {
    beta(k) = model_.coefficients[static_cast<std::size_t>(k)].value;
  }
  const Eigen::VectorXd theta =
      inverse(encoding.own_units_matrix()) * (beta - encoding.own_units_offset());
  const auto found = predicted("x,kind,z\n9,b,0.9\n5,a,0.1\n0.5,c,-1\n").value();
  EXPECT_EQ(found.shortened, 2U);
  RawRows raw(4);
  raw.rows = 3;
  const std::vector<std::vector<double>> rows{{9, 1, 0.9, 0}, {5, 0, 0.1, 0}, {0.5, 2, -1, 0}};
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 4; ++c) raw.column(c)[r] = rows[r][c];
  }
  RowEncoder encoder(encoding);
  const Rows& grid = encoder.encode(raw);
  for (std::size_t r = 0; r < 3; ++r) {
    double y = 0;
    for (std::size_t k = 0; k < 5; ++k) {
      y += theta(static_cast<Eigen::Index>(k)) * grid.column(k)[r] / kGridOne;
    }
    const ColumnScale& target = encoding.target_scale();
    EXPECT_NEAR(found.values[r], target.middle + target.half * y, 1e-3) << r;
  }
}

// A model with errors: β̃ a little off β, and every pair of coefficients correlated.
class PredictIntervals : public PredictTest {
 protected:
  void SetUp() override {
    PredictTest::SetUp();
    for (ModelFile::Coefficient& c : model_.coefficients) {
      c.unshrunk = 1.1 * c.value;
      c.degrees_of_freedom = 12;
    }
    model_.summary.emplace();
    model_.summary->residual_sd = 2;
    model_.summary->degrees_of_freedom = 8;
    model_.summary->covariance = Eigen::MatrixXd::Constant(5, 5, 0.01);
    model_.summary->covariance.diagonal() << 0.5, 0.04, 0.3, 0.2, 0.1;
  }
  [[nodiscard]] Result<Predictions> with_level(const std::string& text, double level) const {
    std::ofstream(path_) << text;
    return predict(model_, path_, {.party = {}, .level = level});
  }
};

TEST_F(PredictIntervals, FollowTheCovarianceAndTheResiduals) {
  const auto found = with_level("x,kind,z\n4,c,0.5\n", 0.9).value();
  ASSERT_TRUE(found.intervals.has_value());
  EXPECT_EQ(found.values[0], 20 + 12 - 7 + 1);
  const Eigen::VectorXd x{{1, 4, 0, 1, 0.5}};
  const double variance = x.dot(model_.summary->covariance * x);
  EXPECT_NEAR(found.intervals->unshrunk[0], 1.1 * 26, 1e-12);
  // R: qt(.95, 12), qt(.95, 8).
  const double mean = 1.782287555649319 * std::sqrt(variance);
  const double row = 1.859548037530899 * std::sqrt(variance + 4);
  EXPECT_NEAR(found.intervals->mean[0].first, 1.1 * 26 - mean, 1e-9);
  EXPECT_NEAR(found.intervals->mean[0].second, 1.1 * 26 + mean, 1e-9);
  EXPECT_NEAR(found.intervals->row[0].first, 1.1 * 26 - row, 1e-9);
  EXPECT_NEAR(found.intervals->row[0].second, 1.1 * 26 + row, 1e-9);
}

TEST_F(PredictIntervals, AreClippedShortenedAndLeftOutAsPredictionsAre) {
  const auto inside = with_level("x,kind,z\n10,a,0\n", 0.95).value();
  const auto beyond = with_level("x,kind,z\n12,a,0\nNA,a,0\n", 0.95).value();
  EXPECT_EQ(beyond.intervals->row[0], inside.intervals->row[0]);
  EXPECT_TRUE(std::isnan(beyond.intervals->mean[1].first));
  EXPECT_EQ(beyond.intervals->mean.size(), beyond.values.size());
  model_.schema.radius = 1.2;
  const auto shorter = with_level("x,kind,z\n10,a,0\n", 0.95).value();
  const auto width = [](const auto& ends) { return ends.second - ends.first; };
  const double factor = 1.2 / std::sqrt(2.0);
  EXPECT_NEAR(width(shorter.intervals->mean[0]), factor * width(inside.intervals->mean[0]), 1e-9);
}

TEST_F(PredictIntervals, AreNotOfDegreesOfFreedomThatCannotBe) {
  for (const double degrees : {-1.0, 0.0}) {
    Json json = parse_json(R"({"study": "s", "coefficients": [{"name": "intercept", "value": 1,
      "standard_error": 1, "degrees_of_freedom": 5}], "encoding": {"intercept": true, "missing":
      "drop", "radius": 0, "target": {"column": "y", "bounds": [0, 1]}, "features": []}})");
    json["coefficients"][0]["degrees_of_freedom"] = degrees;
    const auto model = model_file_from_json(json, "model.json");
    ASSERT_FALSE(model.has_value()) << degrees;
    EXPECT_NE(model.error().what.find("degrees_of_freedom"), std::string::npos)
        << model.error().to_string();
  }
}

TEST_F(PredictIntervals, AreRefusedWithTheReason) {
  EXPECT_EQ(with_level("x,kind,z\n1,a,0\n", 0).error().name, "E-predict-level");
  EXPECT_EQ(with_level("x,kind,z\n1,a,0\n", 1).error().name, "E-predict-level");
  EXPECT_EQ(with_level("x,kind,z\n1,a,0\n", std::nan("")).error().name, "E-predict-level");
  model_.schema.features[0] = NumericFeature{"x", {1e9, 1e9 + 10}};
  EXPECT_EQ(with_level("x,kind,z\n1000000001,a,0\n", 0.9).error().name, "E-predict-intervals");
  model_.no_intervals = "the noise hid them";
  const auto refused = with_level("x,kind,z\n1,a,0\n", 0.9);
  EXPECT_EQ(refused.error().name, "E-predict-intervals");
  EXPECT_EQ(refused.error().what, "the noise hid them");
}

}  // namespace
}  // namespace sotto
