#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>

#include "data/csv/csv_block.h"
#include "data/generator.h"
#include "support/central_adassp.h"
#include "support/tables.h"

// How good the models are, through the real pipeline: exact moments, shuffle among
// five parties, noise-aware estimator. SOTTO_TABLES names a folder of regression
// tables with a MANIFEST.csv (name,rows,d,transform,…); without it those are skipped.

namespace sotto {
namespace {

constexpr double kDelta = 1e-6;
constexpr std::size_t kParties = 5;
constexpr std::uint64_t kSeed = 2025;

double transformed(double y, const std::string& transform) {
  if (transform == "log") return std::log(y);
  if (transform == "log1p") return std::log1p(y);
  return y;
}

void append_rows(const RawRows& raw, MeasuredTable& table) {
  for (std::size_t r = 0; r < raw.rows; ++r) {
    auto& row = table.rows.emplace_back();
    for (std::size_t c = 0; c < raw.columns(); ++c) row.push_back(raw.column(c)[r]);
  }
}

std::vector<std::string> header_of(const std::string& path) {
  RecordBlocks blocks = RecordBlocks::open(path).value();
  RecordBlock first;
  std::size_t length = 0;
  EXPECT_TRUE(blocks.next(first).value());
  return first_record(best_csv_kernel(), first.text(), length).value();
}

MeasuredTable load_table(const std::filesystem::path& folder, const std::string& name,
                         const std::string& transform) {
  MeasuredTable table{.name = name, .schema = {}, .rows = {}};
  const std::string path = (folder / (name + ".csv")).string();
  for (const std::string& column : header_of(path)) {
    if (column != "y") table.schema.features.emplace_back(NumericFeature{column, {0, 1}});
  }
  table.schema.target = {"y", {0, 1}};
  CsvOptions in_order;
  in_order.threads = 1;
  const auto read =
      CsvSource({path}, in_order).read(table.schema, [&](std::size_t, const RawRows& raw) {
        append_rows(raw, table);
      });
  for (auto& row : table.rows) row.back() = transformed(row.back(), transform);
  EXPECT_TRUE(read.has_value()) << (read ? "" : read.error().to_string());
  take_bounds_from_rows(table);
  return table;
}

std::vector<MeasuredTable> tables_from_environment() {
  const char* folder = std::getenv("SOTTO_TABLES");
  if (folder == nullptr) return {};
  std::vector<MeasuredTable> tables;
  std::ifstream manifest(std::filesystem::path(folder) / "MANIFEST.csv");
  std::string line;
  std::getline(manifest, line);
  while (std::getline(manifest, line)) {
    std::istringstream fields(line);
    std::string name;
    std::string rows;
    std::string d;
    std::string transform;
    std::getline(fields, name, ',');
    std::getline(fields, rows, ',');
    std::getline(fields, d, ',');
    std::getline(fields, transform, ',');
    tables.push_back(load_table(folder, name, transform));
  }
  return tables;
}

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

// Tables that no constant of the estimator was chosen on, nor Σy²'s weight (the seeds were new
// when that was decided): rows of features with a
// common factor, some skewed, some with two values only; a target that is partly
// linear, with a squared term and heavy tails; all drawn from the seed.
MeasuredTable drawn_table(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  const auto features = 3 + random() % 15;
  const auto count = static_cast<std::size_t>(std::pow(10, 2.6 + 2 * uniform(random)));
  MeasuredTable table{.name = fmt::format("drawn {}", seed), .schema = {}, .rows = {}};
  std::vector<double> loading;
  std::vector<double> slope;
  for (std::size_t k = 0; k < features; ++k) {
    table.schema.features.emplace_back(NumericFeature{fmt::format("x{}", k), {0, 1}});
    loading.push_back(0.8 * uniform(random));
    slope.push_back(uniform(random) < 0.6 ? normal(random) : 0);
  }
  table.schema.target = {"y", {0, 1}};
  const double noise = 0.3 + 1.5 * uniform(random);
  for (std::size_t i = 0; i < count; ++i) {
    auto& row = table.rows.emplace_back();
    const double common = normal(random);
    double y = 0;
    for (std::size_t k = 0; k < features; ++k) {
      const double x =
          loading[k] * common + std::sqrt(1 - loading[k] * loading[k]) * normal(random);
      const double shaped = k % 4 == 1 ? std::exp(0.5 * x) : k % 4 == 3 ? (x > 0.4 ? 1 : 0) : x;
      row.push_back(shaped);
      y += slope[k] * shaped;
    }
    const double tail = 1 / std::sqrt(std::max(0.15, uniform(random)));
    row.push_back(y + 0.2 * row[0] * row[0] + noise * normal(random) * tail);
  }
  take_bounds_from_rows(table);
  return table;
}

// Made-up households at several sizes, with the study's public bounds.
MeasuredTable household_table(std::uint64_t rows, std::uint64_t seed) {
  MeasuredTable table{
      .name = fmt::format("households {}", seed), .schema = household_schema(), .rows = {}};
  const auto path = std::filesystem::temp_directory_path() / "sotto_accuracy_households.csv";
  std::ofstream out(path);
  EXPECT_TRUE(write_households({.rows = rows, .seed = seed, .party = 0, .missing = 0}, out));
  out.close();
  CsvOptions in_order;
  in_order.threads = 1;
  const auto read =
      CsvSource({path.string()}, in_order).read(table.schema, [&](std::size_t, const RawRows& raw) {
        append_rows(raw, table);
      });
  EXPECT_TRUE(read.has_value());
  std::filesystem::remove(path);
  return table;
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
