// One table dealt out to several parties: each has the sums of its own rows, however they came.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "data/csv/csv_source.h"
#include "moments/moments.h"
#include "support/csv_files.h"
#include "support/memory_source.h"

namespace sotto {
namespace {

Schema one_feature() {
  Schema schema;
  schema.target = {"y", {-1, 1}};
  schema.features.emplace_back(NumericFeature{"x0", {-1, 1}});
  return schema;
}

std::vector<std::vector<double>> uniform_rows(std::mt19937_64& random, std::size_t rows) {
  std::uniform_real_distribution<double> uniform(-1.2, 1.2);
  std::vector<std::vector<double>> result(rows, std::vector<double>(2));
  for (auto& row : result) std::ranges::generate(row, [&] { return uniform(random); });
  return result;
}

void expect_equal(const TableMoments& a, const TableMoments& b) {
  EXPECT_EQ(a.moments, b.moments);
  EXPECT_TRUE(a == b);
}

CsvSource in_order(const std::string& path) {
  CsvOptions options;
  options.threads = 1;
  return CsvSource({path}, options);
}

// Counts how often its rows are asked for, and knows of their number what it is told.
class CountedSource final : public Source {
 public:
  explicit CountedSource(CsvSource source, RecordEstimate estimate = {})
      : source_(std::move(source)), estimate_(estimate) {}
  [[nodiscard]] std::size_t workers() const override { return source_.workers(); }
  [[nodiscard]] Result<void> read(const Schema& schema, const RowSink& sink) const override {
    ++reads_;
    return source_.read(schema, sink);
  }
  [[nodiscard]] RecordEstimate estimate_records() const override { return estimate_; }
  [[nodiscard]] int reads() const { return reads_; }

 private:
  CsvSource source_;
  RecordEstimate estimate_;
  mutable int reads_ = 0;
};

TEST(TableSplit, ReadsTheTableOnceUnlessItsRowsFindNoRoom) {
  std::string csv = "x0,y\n";
  for (int i = 0; i < 1000; ++i) csv += std::to_string(0.002 * i - 1) + ",0.5\n";
  const csv_files::TempFile file(csv);
  TableSplit split{.parties = 3, .kind = TableSplit::Kind::kContiguous};
  const CountedSource roomy(in_order(file.path()));
  const auto once = read_split_moments(roomy, one_feature(), split).value();
  EXPECT_EQ(roomy.reads(), 1);
  split.kept_bytes = 10'000;
  const CountedSource cramped(in_order(file.path()));
  const auto twice = read_split_moments(cramped, one_feature(), split).value();
  EXPECT_EQ(cramped.reads(), 2);
  for (std::size_t p = 0; p < 3; ++p) expect_equal(once[p], twice[p]);
}

TEST(TableSplit, GivesTheSamePartiesWhateverWasExpectedOfItsLength) {
  std::string csv = "x0,y\n";
  for (int i = 0; i < 2000; ++i) csv += std::to_string(0.001 * i - 1) + ",0.5\n";
  const csv_files::TempFile file(csv);
  for (const std::size_t parties : {1U, 2U, 7U, 2500U}) {
    const TableSplit split{.parties = parties, .kind = TableSplit::Kind::kContiguous};
    const auto plain =
        read_split_moments(CountedSource(in_order(file.path())), one_feature(), split);
    const auto expect = [&](RecordEstimate estimate, int reads) {
      CsvOptions many;
      many.threads = 3;
      many.block_bytes = 700;
      const CountedSource source(CsvSource({file.path()}, many), estimate);
      const auto dealt = read_split_moments(source, one_feature(), split).value();
      for (std::size_t p = 0; p < parties; ++p) expect_equal(dealt[p], (*plain)[p]);
      EXPECT_EQ(source.reads(), reads) << estimate.least << " to " << estimate.most;
    };
    expect({2000, 2000}, 1);
    expect({1990, 2015}, 1);
    expect({1, 2000}, 1);
    for (const RecordEstimate wrong :
         {RecordEstimate{1, 1999}, {2001, 2001}, {2001, 1U << 20U}, {0, 0}, {500, 600}}) {
      expect(wrong, 2);
    }
  }
}

// What was counted by a wrong guess is forgotten: a person would count as more rows than there are.
TEST(TableSplit, CountsPersonsOnceWhateverWasExpectedOfItsLength) {
  std::string csv = "id,x0,y\n";
  for (int i = 0; i < 1000; ++i) csv += fmt::format("p{},{},0.5\n", i / 3, 0.002 * i - 1);
  const csv_files::TempFile file(csv);
  Schema schema = one_feature();
  schema.person = PersonColumn{.column = "id", .rows = 1};
  const TableSplit split{.parties = 3, .kind = TableSplit::Kind::kContiguous};
  const auto dealt = [&](RecordEstimate estimate, int reads) {
    const CountedSource source(in_order(file.path()), estimate);
    auto found = read_split_moments(source, schema, split).value();
    EXPECT_EQ(source.reads(), reads) << estimate.least << " to " << estimate.most;
    return found;
  };
  const auto expected = dealt({}, 2);
  for (const auto& found : {dealt({990, 1010}, 2), dealt({10, 20}, 3), dealt({5000, 6000}, 3)}) {
    for (std::size_t p = 0; p < 3; ++p) expect_equal(found[p], expected[p]);
  }
}

// Only rows near the boundaries wait for the number of records: they find room where all would not.
TEST(TableSplit, OfAPlainFileKeepsFewOfItsRows) {
  std::mt19937_64 random(5);
  std::string csv = "x0,y\n";
  for (const auto& row : uniform_rows(random, 60'000)) {
    csv += fmt::format("{},{}\n", row[0], row[1]);
  }
  const csv_files::TempFile file(csv);
  const CsvSource csv_source = in_order(file.path());
  TableSplit split{.parties = 5, .kind = TableSplit::Kind::kContiguous};
  const auto all_kept = read_split_moments(CountedSource(csv_source), one_feature(), split).value();
  split.kept_bytes = 60'000;  // of 960,000
  const CountedSource estimated(csv_source, csv_source.estimate_records());
  const auto few_kept = read_split_moments(estimated, one_feature(), split).value();
  EXPECT_EQ(estimated.reads(), 1);
  for (std::size_t p = 0; p < 5; ++p) {
    EXPECT_EQ(few_kept[p].rows, 12'000U);
    expect_equal(few_kept[p], all_kept[p]);
  }
}

TEST(TableSplit, GivesEveryRecordToItsParty) {
  std::mt19937_64 random(4);
  const std::size_t records = 1000;
  const std::size_t parties = 7;
  auto rows = uniform_rows(random, records);
  std::string csv = "x0,y\n";
  for (auto& row : rows) {
    char text[80];
    std::snprintf(text, sizeof(text), "%.17g,%.17g\n", row[0], row[1]);
    if (random() % 20 == 0) {
      row[0] = kMissing;
      std::snprintf(text, sizeof(text), ",%.17g\n", row[1]);
    }
    csv += text;
  }
  const csv_files::TempFile file(csv);
  for (const auto kind : {TableSplit::Kind::kInterleaved, TableSplit::Kind::kContiguous}) {
    const auto split = read_split_moments(in_order(file.path()), one_feature(), {parties, kind});
    ASSERT_TRUE(split);
    ASSERT_EQ(split->size(), parties);
    // By many threads, in small blocks, kept or read again: the same bits.
    CsvOptions many;
    many.threads = 4;
    many.block_bytes = 500;
    const CsvSource source({file.path()}, many);
    const CountedSource uncounted(source);
    for (const std::size_t kept_bytes : {std::size_t{1} << 30U, std::size_t{4000}}) {
      for (const Source* each :
           {static_cast<const Source*>(&source), static_cast<const Source*>(&uncounted)}) {
        const auto again =
            read_split_moments(*each, one_feature(), {parties, kind, kept_bytes}).value();
        for (std::size_t p = 0; p < parties; ++p) expect_equal(again[p], (*split)[p]);
      }
    }
    for (std::size_t p = 0; p < parties; ++p) {
      std::vector<std::vector<double>> own;
      for (std::size_t i = 0; i < records; ++i) {
        const std::size_t party =
            kind == TableSplit::Kind::kInterleaved ? i % parties : i * parties / records;
        if (party == p) own.push_back(rows[i]);
      }
      expect_equal((*split)[p], moments_from_rows(own, one_feature()).value());
    }
  }
}

// A table that is longer when it is read again: nobody writes to it, but somebody might.
class GrowingSource final : public Source {
 public:
  [[nodiscard]] std::size_t workers() const override { return 1; }
  [[nodiscard]] Result<void> read(const Schema& schema, const RowSink& sink) const override {
    rows_.resize(rows_.size() + 300, {0.5, 0.5});
    return MemorySource(rows_).read(schema, sink);
  }

 private:
  mutable std::vector<std::vector<double>> rows_;
};

TEST(TableSplit, GivesWhatATableGrewByToTheLastParty) {
  TableSplit split{.parties = 3, .kind = TableSplit::Kind::kContiguous, .kept_bytes = 0};
  const auto dealt = read_split_moments(GrowingSource(), one_feature(), split).value();
  EXPECT_EQ(dealt[0].rows, 100U);
  EXPECT_EQ(dealt[2].rows, 400U);
}

TEST(TableSplit, NeedsAtLeastOneParty) {
  const csv_files::TempFile file("x0,y\n1,1\n");
  EXPECT_EQ(read_split_moments(in_order(file.path()), one_feature(), {0}).error().name,
            "E-split-parties");
}

TEST(TableSplit, LeavesPartiesWithoutRowsAtZero) {
  const csv_files::TempFile file("x0,y\n1,1\n");
  const auto split =
      read_split_moments(in_order(file.path()), one_feature(), {3, TableSplit::Kind::kContiguous});
  EXPECT_EQ((*split)[0].rows, 1U);
  EXPECT_EQ((*split)[2].moments, Moments(2));
}

}  // namespace
}  // namespace sotto
