#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>

#include "run/model.h"
#include "run/predict.h"
#include "solve/inference.h"
#include "support/tables.h"
#include "support/temporary_folder.h"

// How often the stated 95 % intervals have the truth in them, through the real
// pipeline: rows → exact moments → sealed among five parties → released → solved →
// own units. Rows are drawn from a known model.

namespace sotto {
namespace {

struct Setting {
  const char* name;
  std::size_t numbers;  // numeric columns; one category of three levels comes with them
  std::size_t rows;
  double epsilon;
  bool heavy_tails;
  double residual_sd = 4;  // in the target's own units; half of its bounds' width is 50
};

struct Rate {
  int covered = 0;
  int intervals = 0;
  void add(bool inside) {
    covered += inside ? 1 : 0;
    ++intervals;
  }
  [[nodiscard]] double value() const { return static_cast<double>(covered) / intervals; }
};

struct Coverage {
  Rate intercept;
  Rate slopes;
  int refused = 0;
};

// Rows as the settings have them, from a known model in own units: an intercept, a slope per
// number, two levels.
class RowMaker {
 public:
  RowMaker(const Setting& setting, unsigned seed) : setting_(setting), random_(seed) {
    for (std::size_t k = 0; k < setting.numbers; ++k) truth_.push_back(k % 2 == 0 ? 1.2 : -0.8);
    truth_.insert(truth_.end(), {3.0, -5.0});
  }

  [[nodiscard]] const std::vector<double>& truth() const { return truth_; }

  // Numbers, the level, and the target.
  std::vector<double> operator()() {
    std::vector<double> row;
    const double common = uniform_(random_);  // features are correlated
    for (std::size_t k = 0; k < setting_.numbers; ++k) {
      row.push_back(0.3 * common + 0.7 * uniform_(random_));
    }
    row.push_back(static_cast<double>(random_() % 3));
    row.push_back(mean_of(row) + residual());
    return row;
  }

  [[nodiscard]] double mean_of(const std::vector<double>& row) const {
    double y = truth_[0];
    for (std::size_t k = 0; k < setting_.numbers; ++k) y += truth_[k + 1] * row[k];
    const auto level = static_cast<std::size_t>(row[setting_.numbers]);
    return level > 0 ? y + truth_[setting_.numbers + level] : y;
  }

  double residual() {
    return setting_.residual_sd * (setting_.heavy_tails ? heavy_(random_) : normal_(random_));
  }

 private:
  Setting setting_;
  std::vector<double> truth_{4};
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> uniform_{0, 10};
  std::normal_distribution<double> normal_;
  std::student_t_distribution<double> heavy_{5};
};

Schema schema_of(std::size_t numbers, Weighting weighting) {
  Schema schema;
  schema.weighting = weighting;
  schema.target = {"y", {-40, 60}};
  for (std::size_t k = 0; k < numbers; ++k) {
    schema.features.emplace_back(NumericFeature{fmt::format("x{}", k), {0, 10}});
  }
  schema.features.emplace_back(CategoricalFeature{"kind", {"a", "b", "c"}});
  return schema;
}

Coverage coverage(const Setting& setting, Weighting weighting, int tables, unsigned seed) {
  const Study study =
      study_for(schema_of(setting.numbers, weighting), 5, setting.epsilon, 1e-6, "pairwise");
  const Plan plan = make_plan(study, Solver::kPairwise).value();
  RowMaker row(setting, seed);
  const std::vector<double>& truth = row.truth();
  Coverage found;
  for (int table = 0; table < tables; ++table) {
    std::vector<std::vector<double>> rows(setting.rows);
    std::ranges::generate(rows, std::ref(row));
    const auto sums = release_sums(study, plan, deal_out(study, rows),
                                   {.random_from = RandomFrom::kSeed,
                                    .seed = seed,
                                    .trial = static_cast<std::uint64_t>(table)});
    const Release release = release_of(fit_terms(study, plan.sum_noise_sd), *sums);
    const auto known = infer(release, own_selection(release));
    if (!known) {
      ++found.refused;
      continue;
    }
    for (std::size_t k = 0; k < truth.size(); ++k) {
      const CoefficientTest& c = known->coefficients[k];
      (k == 0 ? found.intercept : found.slopes).add(c.low <= truth[k] && truth[k] <= c.high);
    }
  }
  std::cout << fmt::format(
      "{}, {}: d {}, rows {}, ε {}: coverage of the intercept {:.4f}, of slopes {:.4f}; {} of {} "
      "tables refused\n",
      setting.name, weighting == Weighting::kBounded ? "weighted" : "all alike", truth.size(),
      setting.rows, setting.epsilon, found.intercept.value(), found.slopes.value(), found.refused,
      tables);
  return found;
}

class IntervalsOfARun : public testing::TestWithParam<Setting> {};

TEST_P(IntervalsOfARun, HaveTheTruthInThemNineteenTimesInTwenty) {
  for (const Weighting weighting : {Weighting::kNone, Weighting::kBounded}) {
    const Coverage found = coverage(GetParam(), weighting, 2000, 17);
    ASSERT_GT(found.intercept.intervals, 500) << GetParam().name;
    for (const Rate& rate : {found.intercept, found.slopes}) {
      EXPECT_GE(rate.value(), 0.93) << GetParam().name;
      EXPECT_LE(rate.value(), 0.98) << GetParam().name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Nine, IntervalsOfARun,
    testing::Values(Setting{"plenty of rows", 2, 4000, 3, false},
                    Setting{"mostly privacy noise", 2, 6000, 1, false},
                    Setting{"sampling noise alone counts", 3, 2000, 10, false},
                    Setting{"heavy tails", 3, 3000, 3, true},
                    Setting{"close to refusal", 3, 2200, 1, false},
                    Setting{"close to refusal, little budget", 3, 17'000, 0.1, false},
                    Setting{"close to refusal, much budget", 3, 320, 10, false},
                    Setting{"residuals drowned by the noise on the squares", 2, 1500, 1, false, 1},
                    Setting{"likewise, few rows and much budget", 1, 150, 10, false, 1}));

class IntervalsInTinyTables : public testing::TestWithParam<Setting> {};

TEST_P(IntervalsInTinyTables, AreNotTooShort) {
  const Coverage found = coverage(GetParam(), Weighting::kBounded, 2000, 18);
  ASSERT_GT(found.intercept.intervals, 500) << GetParam().name;
  for (const Rate& rate : {found.intercept, found.slopes}) EXPECT_GE(rate.value(), 0.93);
}

INSTANTIATE_TEST_SUITE_P(Three, IntervalsInTinyTables,
                         testing::Values(Setting{"sixty rows", 1, 60, 10, false},
                                         Setting{"a hundred rows", 2, 100, 10, false},
                                         Setting{"four hundred rows, less budget", 1, 400, 3,
                                                 false}));

// Of predictions, by way of the model file: for the mean of all records like one, and for a new
// record, its residual included.
class IntervalsOfPredictions : public testing::TestWithParam<Setting> {};

TEST_P(IntervalsOfPredictions, HaveTheTruthInThemNineteenTimesInTwenty) {
  const Setting setting = GetParam();
  const TemporaryFolder folder;
  const std::string path = folder / "asked.csv";
  for (const Weighting weighting : {Weighting::kNone, Weighting::kBounded}) {
    const Study study =
        study_for(schema_of(setting.numbers, weighting), 5, setting.epsilon, 1e-6, "pairwise");
    const PlannedStudy planned = plan_study(study, Solver::kPairwise).value();
    RowMaker row(setting, 19);
    std::vector<std::vector<double>> asked(8);
    std::ranges::generate(asked, std::ref(row));
    std::ofstream table(path);
    for (std::size_t k = 0; k < setting.numbers; ++k) table << "x" << k << ",";
    table << "kind\n";
    for (const auto& each : asked) {
      for (std::size_t k = 0; k < setting.numbers; ++k) table << fmt::format("{},", each[k]);
      table << "abc"[static_cast<std::size_t>(each[setting.numbers])] << "\n";
    }
    table.close();
    Rate mean;
    Rate record;
    constexpr std::uint64_t kTables = 500;
    std::uint64_t refused = 0;
    for (std::uint64_t trial = 0; trial < kTables; ++trial) {
      std::vector<std::vector<double>> rows(setting.rows);
      std::ranges::generate(rows, std::ref(row));
      const Model model =
          simulate_tables(planned, deal_out(study, rows),
                          {.random_from = RandomFrom::kSeed, .seed = 19, .trial = trial})
              .value();
      const ModelFile file = model_file_from_json(to_json(model), "model.json").value();
      const auto predicted = predict(file, path, {.level = 0.95});
      if (!predicted) {
        ++refused;
        continue;
      }
      for (std::size_t k = 0; k < asked.size(); ++k) {
        const double truth = row.mean_of(asked[k]);
        const double y = truth + row.residual();
        const auto [low, high] = predicted->intervals->mean[k];
        const auto [lowest, highest] = predicted->intervals->row[k];
        mean.add(low <= truth && truth <= high);
        record.add(lowest <= y && y <= highest);
      }
    }
    std::cout << fmt::format(
        "predictions, {}, {}: coverage of the mean {:.4f}, of a record {:.4f}, {} of {} refused\n",
        setting.name, weighting == Weighting::kBounded ? "weighted" : "all alike", mean.value(),
        record.value(), refused, kTables);
    ASSERT_GT(mean.intervals, 1000);
    EXPECT_GE(mean.value(), 0.93);
    EXPECT_LE(mean.value(), 0.985);
    // Where the noise hides how large residuals are, a record's interval is made for the largest.
    EXPECT_GE(record.value(), 0.93);
  }
}

INSTANTIATE_TEST_SUITE_P(Three, IntervalsOfPredictions,
                         testing::Values(Setting{"plenty of rows", 2, 4000, 3, false},
                                         Setting{"few rows and much budget", 1, 300, 10, false},
                                         Setting{"mostly privacy noise", 2, 2500, 3, false}));

}  // namespace
}  // namespace sotto
