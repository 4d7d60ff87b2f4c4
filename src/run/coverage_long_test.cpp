#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <random>

#include "solve/inference.h"
#include "support/tables.h"

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
  // Own units: an intercept, a slope per number, two levels.
  std::vector<double> truth{4};
  for (std::size_t k = 0; k < setting.numbers; ++k) {
    truth.push_back(k % 2 == 0 ? 1.2 : -0.8);
  }
  truth.insert(truth.end(), {3.0, -5.0});
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 10);
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> heavy(5);
  Coverage found;
  for (int table = 0; table < tables; ++table) {
    std::vector<std::vector<double>> rows(setting.rows);
    for (auto& row : rows) {
      double y = truth[0];
      const double common = uniform(random);  // features are correlated
      for (std::size_t k = 0; k < setting.numbers; ++k) {
        row.push_back(0.3 * common + 0.7 * uniform(random));
        y += truth[k + 1] * row[k];
      }
      const auto level = random() % 3;
      row.push_back(static_cast<double>(level));
      if (level > 0) y += truth[setting.numbers + level];
      row.push_back(y +
                    setting.residual_sd * (setting.heavy_tails ? heavy(random) : normal(random)));
    }
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

TEST(IntervalsOfARun, HaveTheTruthInThemNineteenTimesInTwenty) {
  for (const Setting& setting :
       {Setting{"plenty of rows", 2, 4000, 3, false},
        Setting{"mostly privacy noise", 2, 6000, 1, false},
        Setting{"sampling noise alone counts", 3, 2000, 10, false},
        Setting{"heavy tails", 3, 3000, 3, true}, Setting{"close to refusal", 3, 2200, 1, false},
        Setting{"close to refusal, little budget", 3, 17'000, 0.1, false},
        Setting{"close to refusal, much budget", 3, 320, 10, false},
        Setting{"residuals drowned by the noise on the squares", 2, 1500, 1, false, 1},
        Setting{"likewise, few rows and much budget", 1, 150, 10, false, 1}}) {
    for (const Weighting weighting : {Weighting::kNone, Weighting::kBounded}) {
      const Coverage found = coverage(setting, weighting, 2000, 17);
      ASSERT_GT(found.intercept.intervals, 500) << setting.name;
      for (const Rate& rate : {found.intercept, found.slopes}) {
        EXPECT_GE(rate.value(), 0.93) << setting.name;
        EXPECT_LE(rate.value(), 0.98) << setting.name;
      }
    }
  }
}

TEST(IntervalsOfARun, AreNotTooShortInTinyTables) {
  for (const Setting& setting :
       {Setting{"sixty rows", 1, 60, 10, false}, Setting{"a hundred rows", 2, 100, 10, false},
        Setting{"four hundred rows, less budget", 1, 400, 3, false}}) {
    const Coverage found = coverage(setting, Weighting::kBounded, 2000, 18);
    ASSERT_GT(found.intercept.intervals, 500) << setting.name;
    for (const Rate& rate : {found.intercept, found.slopes}) EXPECT_GE(rate.value(), 0.93);
  }
}

}  // namespace
}  // namespace sotto
