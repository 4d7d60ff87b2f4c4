#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <random>

#include "support/central_adassp.h"
#include "support/measured_tables.h"
#include "support/tables.h"

// How good the models are, through the real pipeline: exact moments, shuffle among
// five parties, noise-aware estimator. SOTTO_TABLES names a folder of regression
// tables with a MANIFEST.csv (name,rows,d,transform,…); without it those are skipped.

namespace sotto {
namespace {

constexpr double kDelta = 1e-6;
constexpr std::size_t kParties = 5;
constexpr std::uint64_t kSeed = 2025;

// Mean squared errors, relative to predicting the mean.
struct Errors {
  double without_noise = 0;
  double distributed = 0;
  double central = 0;  // the same estimator, the noise of a trusted centre
  double adassp_tight = 0;
  double adassp_published = 0;
};

// With and without error bars: whether Σy² is released, and takes its part of the sensitivity.
Study study_of(const MeasuredTable& table, double epsilon, bool error_bars) {
  Study study = study_for(table.schema, kParties, epsilon, kDelta);
  study.solve.error_bars = error_bars;
  study.privacy.sensitivity = row_sensitivity(*study.data, study.privacy.neighbours, study.solve);
  return study;
}

Errors measure(const MeasuredTable& table, double epsilon, bool error_bars, int trials) {
  const Study study = study_of(table, epsilon, error_bars);
  const Plan plan = make_plan(study, Solver::kDishuf).value();
  const auto tables = deal_out(study, table.rows);
  const auto true_values = true_sums(tables);
  const TableSums truth = table_sums(fit_terms(study, 0), true_values);
  const double trivial = error_of_the_mean(truth);
  const auto tight = AdasspNoise::tight(plan.kappa_bar, kDelta).value();
  const auto published = AdasspNoise::published(epsilon, kDelta).value();
  std::mt19937_64 random(kSeed);
  std::normal_distribution<double> distribution;
  const auto normal = [&] { return distribution(random); };

  Errors errors;
  errors.without_noise = squared_error(truth, truth.sums.a.ldlt().solve(truth.sums.b)) / trivial;
  const double share = 1 / (trivial * trials);
  for (int trial = 0; trial < trials; ++trial) {
    const auto sums = release_sums(study, plan, tables,
                                   {.random_from = RandomFrom::kSeed,
                                    .seed = kSeed,
                                    .trial = static_cast<std::uint64_t>(trial)})
                          .value();
    const auto fit = [&](std::span<const double> values, double sigma) {
      const TableSums noisy = table_sums(fit_terms(study, sigma), values);
      return estimate(Estimator::kNoiseAware, noisy.sums).value().theta;
    };
    errors.distributed += share * squared_error(truth, fit(sums, plan.sum_noise_sd));
    // Common random numbers: the same draw, at the size of a trusted centre's noise.
    std::vector<double> central(sums.size());
    for (std::size_t k = 0; k < sums.size(); ++k) {
      central[k] = true_values[k] + (sums[k] - true_values[k]) / plan.central_ratio;
    }
    errors.central +=
        share * squared_error(truth, fit(central, plan.sum_noise_sd / plan.central_ratio));
    errors.adassp_tight +=
        share * squared_error(truth, adassp_central(truth.sums, tight, normal)->theta);
    errors.adassp_published +=
        share * squared_error(truth, adassp_central(truth.sums, published, normal)->theta);
  }
  return errors;
}

// Geometric means over tables.
struct Summary {
  double noise_aware = 0;
  double against_tight = 0;
  double against_published = 0;
  double worst_central_gap = 0;
};

Summary measure_all(const std::vector<MeasuredTable>& tables, double epsilon, bool error_bars,
                    int trials) {
  Summary summary;
  std::cout << fmt::format("ε = {}, {} error bars: mean squared error over that of the mean\n",
                           epsilon, error_bars ? "with" : "without")
            << fmt::format("  {:<22} {:>7} {:>3} {:>8} {:>12} {:>9} {:>8} {:>8}\n", "table", "rows",
                           "d", "no noise", "distributed", "/central", "/tight", "/publ.");
  for (const MeasuredTable& table : tables) {
    const Errors e = measure(table, epsilon, error_bars, trials);
    std::cout << fmt::format("  {:<22} {:>7} {:>3} {:>8.4f} {:>12.4f} {:>9.5f} {:>8.4f} {:>8.4f}\n",
                             table.name, table.rows.size(), table.schema.entries(), e.without_noise,
                             e.distributed, e.distributed / e.central,
                             e.distributed / e.adassp_tight, e.distributed / e.adassp_published);
    const auto n = static_cast<double>(tables.size());
    summary.noise_aware += std::log(e.distributed) / n;
    summary.against_tight += std::log(e.distributed / e.adassp_tight) / n;
    summary.against_published += std::log(e.distributed / e.adassp_published) / n;
    summary.worst_central_gap =
        std::max(summary.worst_central_gap, std::abs(e.distributed / e.central - 1));
  }
  summary.noise_aware = std::exp(summary.noise_aware);
  summary.against_tight = std::exp(summary.against_tight);
  summary.against_published = std::exp(summary.against_published);
  std::cout << fmt::format(
      "  geometric mean {:.4f}; against AdaSSP: tight {:.4f}, published {:.4f}; largest "
      "distance from central {:.5f}\n",
      summary.noise_aware, summary.against_tight, summary.against_published,
      summary.worst_central_gap);
  return summary;
}

// Within 1 % of a trusted centre. Against AdaSSP, as published and with tight accounting, with and
// without error bars: below 0.92 for ε ≤ 1. With Σy² at full weight it would be 0.95 on the
// drawn tables at ε = 0.1, against tight accounting with error bars (docs/FINDINGS.md, 19).
void expect_targets(const Summary& found, double epsilon) {
  EXPECT_LT(found.worst_central_gap, 0.01) << epsilon;
  EXPECT_LT(found.against_published, epsilon <= 1 ? 0.92 : 1.0) << epsilon;
  EXPECT_LT(found.against_tight, epsilon <= 1 ? 0.92 : 1.0) << epsilon;
}

TEST(DrawnTables, HaveTheErrorOfATrustedCentreAndLessThanAdassp) {
  std::vector<MeasuredTable> tables;
  for (std::uint64_t seed = 1001; seed <= 1016; ++seed) tables.push_back(drawn_table(seed));
  std::uint64_t seed = 1100;
  for (const std::uint64_t rows : {500U, 2000U, 8000U, 32'000U}) {
    tables.push_back(household_table(rows, ++seed));
  }
  for (const double epsilon : {0.1, 1.0, 10.0}) {
    for (const bool error_bars : {true, false}) {
      expect_targets(measure_all(tables, epsilon, error_bars, 60), epsilon);
    }
  }
}

TEST(RealTables, HaveTheErrorOfATrustedCentreAndLessThanAdassp) {
  const auto tables = tables_from_environment();
  if (tables.empty()) GTEST_SKIP() << "SOTTO_TABLES names no folder of tables: nothing measured";
  for (const double epsilon : {0.1, 1.0, 10.0}) {
    for (const bool error_bars : {true, false}) {
      expect_targets(measure_all(tables, epsilon, error_bars, 100), epsilon);
    }
  }
}

}  // namespace
}  // namespace sotto
