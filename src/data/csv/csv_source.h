#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/csv/csv_format.h"
#include "data/csv/record_blocks.h"
#include "data/csv/text_stream.h"
#include "data/source.h"

namespace sotto {

// Reading a party's table as CSV. RFC 4180: fields separated by commas (or what the header tells,
// csv_format.h), quoted where they contain separators, quotes (doubled) or newlines; lines end with
// LF or CRLF, the last one with or without. UTF-8, with or without a byte order mark; gzip is
// recognised. The first line names the columns, in any order; columns that the
// study does not use are ignored, and so are empty lines. What counts as missing says the
// study (reads_as_missing).

// How far reading has come, in bytes; a total of 0 is not known.
using CsvProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// Whether whoever waits for the table has given up. Asked by one thread at a time.
using Interrupted = std::function<bool()>;
[[nodiscard]] Error reading_interrupted();

struct CsvOptions {
  static constexpr int kMaxThreads = 64;

  int threads = 0;          // 0: one per processor core
  bool with_target = true;  // false: the target's column is not read, and need not be there
  CsvKernel kernel = best_csv_kernel();
  std::size_t block_bytes = RecordBlocks::kDefaultBlockBytes;
  CsvDialect dialect;
  CsvProgress progress;  // called by one thread at a time, whichever it is
  Interrupted interrupted = {};
  // Called for every table that was read to its end.
  std::function<void(const SourceFacts&)> on_facts;
  bool digest = true;  // whether those facts have a SHA-256, which takes about half as long again

  // Between 1 and kMaxThreads.
  [[nodiscard]] std::size_t worker_count() const;
};

// One party's table as one or more texts, one after the other. Memory is constant: about 3 MB per
// thread. Progress is over all of them.
//
// Errors name table, line and column; with several of them in a table the first
// BlockFaults::kListed are listed in its order, whatever the number of threads:
//   E-csv-open     no such file, or not readable
//   E-csv-read     reading stopped: a damaged gzip file, a failing disk
//   E-csv-header   a column of the study is missing, or stands there twice
//   E-csv-fields   a record has too few or too many fields
//   E-csv-number   text in a number's column; "nan" and "inf" too
//   E-csv-level    a level that the study does not know
//   E-csv-quote    a quote that is never closed, or inside a field
//   E-csv-weight   a weight outside the study's bounds
//   E-csv-missing  a missing value where the study says missing = "error"
//   E-interrupted  as it says
class CsvSource final : public Source {
 public:
  explicit CsvSource(std::vector<TableText> tables, CsvOptions options = {});
  explicit CsvSource(const std::vector<std::string>& paths, CsvOptions options = {});

  [[nodiscard]] std::size_t workers() const override { return options_.worker_count(); }
  [[nodiscard]] Result<void> read(const Schema& schema, const RowSink& sink) const override;
  [[nodiscard]] RecordEstimate estimate_records() const override;

 private:
  std::vector<TableText> tables_;
  CsvOptions options_;
};

}  // namespace sotto
