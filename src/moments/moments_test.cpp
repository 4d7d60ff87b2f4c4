#include "moments/moments.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <random>

#include "data/csv/csv_source.h"
#include "moments/moments_sum.h"
#include "moments/quadratic.h"
#include "support/memory_source.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

class TempFile {
 public:
  explicit TempFile(const std::string& content, bool gzip = false) {
    gzFile file = gzopen(path_.c_str(), gzip ? "wb" : "wbT");  // T: as it is
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "table";
};

// A table as text, with what the study says of it.
struct TextTable {
  Schema schema;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

TextTable random_table(std::mt19937_64& random, std::size_t rows) {
  TextTable table;
  table.schema.intercept = random() % 4 != 0;
  table.schema.target = {"y, the target", {-3, 4}};
  table.header.push_back(table.schema.target.column);
  const std::size_t features = random() % 6 + 1;
  for (std::size_t k = 0; k < features; ++k) {
    const std::string name = "x \"" + std::to_string(k) + "\"";
    if (random() % 3 == 0) {
      std::vector<std::string> levels = {"no", "yes, \"really\"", "two\nlines", "ü"};
      levels.resize(2 + random() % 3);
      table.schema.features.emplace_back(CategoricalFeature{name, levels});
    } else {
      table.schema.features.emplace_back(NumericFeature{name, {-5.5, 2.25}});
    }
    table.header.push_back(name);
  }
  if (random() % 3 == 0) table.schema.radius = 0.6 * table.schema.longest_row();
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<std::string> row;
    for (std::size_t c = 0; c <= features; ++c) {
      const auto* levels =
          c == 0 ? nullptr : std::get_if<CategoricalFeature>(&table.schema.features[c - 1]);
      char text[40];
      const double value = std::uniform_real_distribution<double>(-7, 6)(random);
      const char* formats[] = {"%.3f", "%.0f", "%.17g", "%.6e", "%g"};
      std::snprintf(text, sizeof(text), formats[random() % 5], value);
      row.push_back(random() % 40 == 0  ? (random() % 2 == 0 ? "" : "NA")
                    : levels != nullptr ? levels->levels[random() % levels->levels.size()]
                                        : text);
    }
    table.rows.push_back(row);
  }
  return table;
}

// The same table, in one of the many ways to write it.
std::string as_csv(const TextTable& table, std::mt19937_64& random) {
  std::vector<std::size_t> order(table.header.size() + 1);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), random);
  const std::string newline = random() % 2 == 0 ? "\n" : "\r\n";
  const bool quotes_all = random() % 3 == 0;
  std::string csv = random() % 3 == 0 ? "\xef\xbb\xbf" : "";
  const auto write = [&](const std::vector<std::string>& row, const std::string& extra) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::string& text = order[i] < row.size() ? row[order[i]] : extra;
      const bool must = text.find_first_of(",\"\r\n") != std::string::npos;
      if (must || quotes_all || random() % 10 == 0) {
        csv += '"';
        for (const char c : text) csv += c == '"' ? std::string("\"\"") : std::string(1, c);
        csv += '"';
      } else {
        csv += text;
      }
      csv += i + 1 < order.size() ? "," : newline;
    }
  };
  write(table.header, "not used");
  for (const auto& row : table.rows) {
    if (random() % 50 == 0) csv += newline;
    write(row, random() % 2 == 0 ? "free text, with\nanything \"in\" it" : "");
  }
  if (random() % 2 == 0) csv.resize(csv.size() - newline.size());
  return csv;
}

// Moments as the header defines them, one row and one product at a time.
TableMoments simple_moments(const TextTable& table) {
  const Schema& schema = table.schema;
  const std::size_t d = schema.entries();
  TableMoments result{Moments(d), 0, 0, {}};
  result.clips.columns.resize(schema.features.size() + 1);
  const double radius = schema.radius == 0 ? schema.longest_row() : schema.radius;
  const double scale = std::floor(kGridOne / radius);
  const auto to_unit = [&](const std::string& text, Bounds bounds, ColumnClips& clips) {
    const double v = std::strtod(text.c_str(), nullptr);
    const double inside = std::min(std::max(v, bounds.lo), bounds.hi);
    if (v < bounds.lo) ++clips.below;
    if (v > bounds.hi) ++clips.above;
    const double middle = schema.intercept ? (bounds.lo + bounds.hi) / 2 : 0;
    const double half = schema.intercept ? (bounds.hi - bounds.lo) / 2
                                         : std::max(std::abs(bounds.lo), std::abs(bounds.hi));
    return std::clamp((inside - middle) * (1 / half), -1.0, 1.0);
  };
  for (const auto& row : table.rows) {
    if (std::any_of(row.begin(), row.end(), [](const auto& f) { return f.empty() || f == "NA"; })) {
      ++result.dropped;
      continue;
    }
    ++result.rows;
    std::vector<double> u;
    if (schema.intercept) u.push_back(1);
    for (std::size_t k = 0; k < schema.features.size(); ++k) {
      if (const auto* c = std::get_if<CategoricalFeature>(&schema.features[k])) {
        for (std::size_t l = 1; l < c->levels.size(); ++l) u.push_back(row[k + 1] == c->levels[l]);
      } else {
        u.push_back(to_unit(row[k + 1], std::get<NumericFeature>(schema.features[k]).bounds,
                            result.clips.columns[k]));
      }
    }
    double square = 0;
    for (const double v : u) square += v * v;
    if (schema.radius != 0 && square > radius * radius) {
      ++result.clips.shortened_rows;
      const double factor = radius / std::sqrt(square);
      for (double& v : u) v *= factor;
    }
    std::vector<Integer> g;
    for (const double v : u) g.emplace_back(std::nearbyint(v * scale));
    for (;;) {
      Integer norm = 0;
      for (const Integer& v : g) norm += v * v;
      if (norm <= Integer(1) << 2UL * kGridBits) break;
      auto largest = std::max_element(
          g.begin(), g.end(), [](const Integer& a, const Integer& b) { return abs(a) < abs(b); });
      *largest -= sgn(*largest);
    }
    g.emplace_back(std::nearbyint(
        to_unit(row[0], schema.target.bounds, result.clips.columns.back()) * kGridOne));
    std::size_t entry = 0;
    for (std::size_t r = 0; r < d; ++r) {
      for (std::size_t c = r; c < d; ++c) result.moments.sums[entry++] += g[r] * g[c];
    }
    for (std::size_t k = 0; k <= d; ++k) result.moments.sums[entry++] += g[k] * g[d];
  }
  return result;
}

void expect_same(const TableMoments& a, const TableMoments& b) {
  EXPECT_EQ(a.moments, b.moments);
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.dropped, b.dropped);
  EXPECT_TRUE(a.clips == b.clips);
}

TEST(Moments, AreThoseOfASimpleReaderHoweverTheTableIsWritten) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const TextTable table = random_table(random, random() % 700);
    const TableMoments expected = simple_moments(table);
    for (int way = 0; way < 4; ++way) {
      const TempFile file(as_csv(table, random), way == 3);
      CsvOptions options;
      options.threads = static_cast<int>(random() % 3 + 1);
      options.block_bytes = std::size_t{16} << (random() % 15);
      options.kernel = random() % 2 == 0 ? CsvKernel::kPortable : best_csv_kernel();
      const auto moments = read_moments(CsvSource({file.path()}, options), table.schema);
      ASSERT_TRUE(moments) << moments.error().to_string();
      expect_same(*moments, expected);
    }
  }
}

Schema plain_schema(std::size_t features) {
  Schema schema;
  schema.target = {"y", {-1, 1}};
  for (std::size_t k = 0; k < features; ++k) {
    schema.features.emplace_back(NumericFeature{"x" + std::to_string(k), {-1, 1}});
  }
  return schema;
}

std::vector<std::vector<double>> random_rows(std::mt19937_64& random, std::size_t rows,
                                             std::size_t columns) {
  std::uniform_real_distribution<double> uniform(-1.2, 1.2);
  std::vector<std::vector<double>> result(rows, std::vector<double>(columns));
  for (auto& row : result) std::generate(row.begin(), row.end(), [&] { return uniform(random); });
  return result;
}

RC_GTEST_PROP(Moments, AreTheSameBitsInAnyOrderOfTheRows, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  const std::size_t features = random() % 8;
  auto rows = random_rows(random, random() % 500, features + 1);
  const Schema schema = plain_schema(features);
  const TableMoments before = moments_from_rows(rows, schema).value();
  std::shuffle(rows.begin(), rows.end(), random);
  const TableMoments after = moments_from_rows(rows, schema).value();
  RC_ASSERT(before.moments == after.moments);
}

// More rows than the 2^13 that doubles add exactly, close to the corner of the
// box and with odd squares: one lost bit would show.
TEST(Moments, StayExactBeyondWhatDoublesHold) {
  const Schema schema = plain_schema(0);
  std::vector<std::vector<double>> rows;
  Integer squares = 0;
  Integer products = 0;
  for (int i = 0; i < 40'001; ++i) {
    const Integer h = (1 << kGridBits) - i % 61;
    rows.push_back({h.get_d() / kGridOne});
    squares += h * h;
    products += h << kGridBits;
  }
  const Moments moments = moments_from_rows(rows, schema)->moments;
  EXPECT_EQ(moments.sums[0], Integer(40'001) << 2UL * kGridBits);
  EXPECT_EQ(moments.sums[1], products);
  EXPECT_EQ(moments.sums[2], squares);
}

TEST(Moments, AreTheSameBitsFromBothKernels) {
  std::mt19937_64 random(9);
  for (const std::size_t features : {0, 1, 2, 3, 4, 5, 20, 50}) {
    const Encoding encoding = Encoding::make(plain_schema(features)).value();
    MomentSum portable(encoding.dimension(), SumKernel::kPortable);
    MomentSum best(encoding.dimension(), best_sum_kernel());
    RowEncoder encoder(encoding);
    RawRows raw(features + 1);
    for (int group = 0; group < 80; ++group) {
      raw.rows = 1 + random() % kGroupRows;
      for (std::size_t c = 0; c <= features; ++c) {
        for (std::size_t r = 0; r < raw.rows; ++r) {
          raw.column(c)[r] = std::uniform_real_distribution<double>(-1, 1)(random);
        }
      }
      const Rows& rows = encoder.encode(raw);
      portable.add(rows);
      best.add(rows);
    }
    EXPECT_EQ(portable.moments(), best.moments());
  }
}

// ‖φ‖² = Σ_k (weight_k·sum_k)² of one row, in units of 16^b.
double weighted_square(const Moments& moments, RecordWeights weights) {
  const auto factors = entry_weights(moments.dimension, true, ball_shares(weights));
  double square = 0;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const double entry = factors[k] * moments_grid().value(moments.sums[k]);
    square += entry * entry;
  }
  return square;
}

// The claim of docs/proofs/moments.md, attacked at the corners of the box, where
// rows are longest, with rows that rounding pushes outwards.
RC_GTEST_PROP(Moments, OneRowNeverMovesThemByMoreThanTheSensitivity, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  const std::size_t features = random() % 12;
  Schema schema = plain_schema(features);
  if (random() % 2 == 0) schema.radius = schema.longest_row() * 0.7;
  auto rows = random_rows(random, 2, features + 1);
  for (auto& row : rows) {
    for (double& v : row) {
      if (random() % 2 == 0) v = v < 0 ? -1 : 1;
    }
  }
  const RecordWeights weights{0.5 + static_cast<double>(random() % 4) / 2,
                              random() % 2 == 0 ? 1 : 0.25};
  const Moments one = moments_from_rows(std::span(rows).first(1), schema)->moments;
  Moments difference = one;
  const Moments other = moments_from_rows(std::span(rows).last(1), schema)->moments;
  for (std::size_t k = 0; k < difference.sums.size(); ++k) difference.sums[k] -= other.sums[k];
  const double add = record_sensitivity(Neighbours::kAddRemove, weights).value();
  RC_ASSERT(weighted_square(one, weights) <= add * add * (1 + 1e-14));
  if (weights.v2 <= largest_replace_v2(weights.w2)) {
    const double replace = record_sensitivity(Neighbours::kReplace, weights).value();
    RC_ASSERT(weighted_square(difference, weights) <= replace * replace * (1 + 1e-14));
  }
}

TEST(Moments, ReachTheSensitivityAtACornerOfTheBall) {
  Schema schema = plain_schema(0);  // x = (1): the intercept alone
  const Moments one = moments_from_rows(std::vector<std::vector<double>>{{1.0}}, schema)->moments;
  EXPECT_DOUBLE_EQ(weighted_square(one, {1, 1}), 3);  // Δ² = 1 + w² + v²
  EXPECT_DOUBLE_EQ(weighted_square(one, {1, 0.25}), 2.25);
}

TEST(Moments, StandInTheOrderOfTheta) {
  const Schema schema = plain_schema(2);
  const std::vector<std::vector<double>> rows = {{0.5, -0.25, 0.125}};
  const Moments moments = moments_from_rows(rows, schema)->moments;
  const double s = Encoding::make(schema)->grid_scale();
  const std::vector<double> g = {s, std::nearbyint(s * 0.5), std::nearbyint(s * -0.25)};
  const double h = kGridOne / 8;
  ASSERT_EQ(moments.sums.size(), moments_size(3));
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = r; c < 3; ++c) {
      EXPECT_EQ(moments.sums[theta_index(3, r, c)], Integer(g[r] * g[c]));
    }
    EXPECT_EQ(moments.sums[6 + r], Integer(g[r] * h));
  }
  EXPECT_EQ(moments.sums[9], Integer(h * h));
}

TEST(Moments, WeighOffDiagonalsByTheRootOfTwo) {
  const double root2 = 1.414213562373095;  // the double below √2: noise is never too little
  EXPECT_LE(Rational(root2) * Rational(root2), 2);
  for (const bool intercept : {true, false}) {
    EXPECT_EQ(entry_weights(2, intercept, ball_shares({4, 9})),
              (std::vector<double>{1, root2, 1, 2, 2, 3}));
  }
}

TEST(Moments, OfSeveralFilesAreTheirSum) {
  const TempFile first("y,x0\n0.5,1\n,3\n");
  const TempFile second("x0,z,y\n-0.5,7,0.25\n5,7,2\n");
  const std::vector<std::string> paths = {first.path(), second.path()};
  const std::vector<std::vector<double>> rows = {{1, 0.5}, {3, kMissing}, {-0.5, 0.25}, {5, 2}};
  std::uint64_t last = 0;
  CsvOptions options;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_GE(done, last);
    EXPECT_LE(done, total);
    last = done;
  };
  const TableMoments moments = read_moments(CsvSource(paths, options), plain_schema(1)).value();
  expect_same(moments, moments_from_rows(rows, plain_schema(1)).value());
  EXPECT_EQ(moments.rows, 3U);
  EXPECT_EQ(moments.dropped, 1U);
  EXPECT_EQ(last, std::filesystem::file_size(paths[0]) + std::filesystem::file_size(paths[1]));
}

TEST(Moments, SayWhatIsWrongWithTheSchemaOrTheFile) {
  Schema schema = plain_schema(1);
  const std::vector<std::string> nowhere = {"/nonexistent/table.csv"};
  EXPECT_EQ(read_moments(CsvSource(nowhere), schema).error().name, "E-csv-open");
  schema.missing = MissingRule::kError;
  const TempFile gap("x0,y\n,1\n");
  EXPECT_EQ(read_moments(CsvSource({gap.path()}), schema).error().name, "E-csv-missing");
  schema.target.bounds = {1, 1};
  EXPECT_EQ(read_moments(CsvSource(nowhere), schema).error().name, "E-schema-bounds");
}

}  // namespace
}  // namespace sotto
