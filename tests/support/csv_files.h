#pragma once

// CSV files that go away with the test, and what reading them gives: rows, or an error that must
// not depend on blocks, threads or kernels.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <optional>
#include <string>
#include <vector>

#include "data/csv/csv_source.h"
#include "support/temporary_folder.h"

namespace sotto::csv_files {

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

inline Schema schema_abc() {
  Schema schema;
  schema.target = {"y", {0, 10}};
  schema.features = {NumericFeature{"a", {0, 10}},
                     CategoricalFeature{"c", {"red", "light, \"sky\" blue", "two\nlines"}}};
  return schema;
}

using Table = std::vector<std::vector<double>>;

// In the file's order: one thread.
inline Result<Table> table_of(const std::string& path, const Schema& schema = schema_abc(),
                              std::size_t block_bytes = RecordBlocks::kDefaultBlockBytes) {
  CsvOptions options;
  options.threads = 1;
  options.block_bytes = block_bytes;
  Table rows;
  const auto sink = [&](std::size_t, const RawRows& raw) {
    EXPECT_EQ(raw.first_record, rows.size());
    for (std::size_t r = 0; r < raw.rows; ++r) {
      rows.emplace_back();
      for (std::size_t c = 0; c < raw.columns(); ++c) rows.back().push_back(raw.column(c)[r]);
    }
  };
  if (auto read = CsvSource({path}, options).read(schema, sink); !read) {
    return read.error();
  }
  return rows;
}

// An error and those that follow it, a line each.
inline std::string all_of(const Error& error) {
  std::string text = error.to_string() + "\n";
  for (const Error& other : error.others) text += other.to_string() + "\n";
  return text + std::to_string(error.unlisted);
}

// The error of a file, which must not depend on blocks, threads or kernels.
inline Error error_of(const std::string& content, const Schema& schema = schema_abc()) {
  const TempFile file(content);
  std::optional<Error> first;
  for (const std::size_t block_bytes : {16UL, 100UL, RecordBlocks::kDefaultBlockBytes}) {
    for (const int threads : {1, 3}) {
      for (const CsvKernel kernel : {CsvKernel::kPortable, best_csv_kernel()}) {
        CsvOptions options;
        options.threads = threads;
        options.block_bytes = block_bytes;
        options.kernel = kernel;
        const auto read =
            CsvSource({file.path()}, options).read(schema, [](std::size_t, const RawRows&) {});
        EXPECT_FALSE(read) << content;
        if (read) return {};
        if (!first) first = read.error();
        EXPECT_EQ(all_of(read.error()), all_of(*first));
      }
    }
  }
  EXPECT_THAT(first->where, testing::HasSubstr(file.path()));
  return *first;
}

inline const Table kTwoRows = {{1.5, 1, 2}, {3, 0, 4}};

}  // namespace sotto::csv_files
