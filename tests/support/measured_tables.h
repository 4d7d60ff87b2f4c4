#pragma once

// Tables to measure accuracy on: real ones from a folder, and drawn ones.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "data/generator.h"
#include "support/tables.h"
#include "support/temporary_folder.h"

namespace sotto {

inline double transformed(double y, const std::string& transform) {
  if (transform == "log") return std::log(y);
  if (transform == "log1p") return std::log1p(y);
  return y;
}

inline void append_rows(const RawRows& raw, MeasuredTable& table) {
  for (std::size_t r = 0; r < raw.rows; ++r) {
    auto& row = table.rows.emplace_back();
    for (std::size_t c = 0; c < raw.columns(); ++c) row.push_back(raw.column(c)[r]);
  }
}

inline std::vector<std::string> header_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  if (line.ends_with('\r')) line.pop_back();
  std::vector<std::string> names;
  std::istringstream fields(line);
  for (std::string name; std::getline(fields, name, ',');) names.push_back(name);
  return names;
}

inline MeasuredTable load_table(const std::filesystem::path& folder, const std::string& name,
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

inline std::vector<MeasuredTable> tables_from_environment() {
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

// Tables that no constant of the estimator was chosen on, nor Σy²'s weight (the seeds were new
// when that was decided): rows of features with a
// common factor, some skewed, some with two values only; a target that is partly
// linear, with a squared term and heavy tails; all drawn from the seed.
inline MeasuredTable drawn_table(std::uint64_t seed) {
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
inline MeasuredTable household_table(std::uint64_t rows, std::uint64_t seed) {
  MeasuredTable table{
      .name = fmt::format("households {}", seed), .schema = household_schema(), .rows = {}};
  const TemporaryFolder folder;
  const std::string path = folder / "households.csv";
  std::ofstream out(path);
  EXPECT_TRUE(write_households({.rows = rows, .seed = seed, .party = 0, .missing = 0}, out));
  out.close();
  CsvOptions in_order;
  in_order.threads = 1;
  const auto read =
      CsvSource({path}, in_order).read(table.schema, [&](std::size_t, const RawRows& raw) {
        append_rows(raw, table);
      });
  EXPECT_TRUE(read.has_value());
  return table;
}

}  // namespace sotto
