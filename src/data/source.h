#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/schema.h"

// Where a party's table comes from, and what it looks like on the way: Source → RawRows,
// from which rows.h makes Rows.
namespace sotto {

// Rows travel in small groups, column by column, so that a group stays in the
// first-level cache and every loop over it has a constant length.
inline constexpr std::size_t kGroupRows = 128;

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Up to kGroupRows rows as the table has them: a column for each of the schema's table_columns().
// A number stands for itself, a level for its place in the schema's list, kMissing for what is not
// there.
class RawRows {
 public:
  explicit RawRows(std::size_t columns) : values_(columns * kGroupRows) {}

  [[nodiscard]] double* column(std::size_t c) { return values_.data() + c * kGroupRows; }
  [[nodiscard]] const double* column(std::size_t c) const {
    return values_.data() + c * kGroupRows;
  }
  [[nodiscard]] std::size_t columns() const { return values_.size() / kGroupRows; }

  std::size_t rows = 0;
  bool any_missing = false;
  // The first row's number in its table, from 0.
  std::uint64_t first_record = 0;
  // Whose each row is, where the schema has a person's column; empty where that is missing.
  std::vector<std::string> persons;

 private:
  std::vector<double> values_;
};

// Gets every record once, in groups: as worker `worker` (below workers()) reads them, so
// never two groups of one worker at once.
using RowSink = std::function<void(std::size_t worker, const RawRows& rows)>;

// What was read, for the record that stays with the party: where it was, and the SHA-256 of what
// came from there.
struct SourceFacts {
  // "csv", "sqlite", "postgresql", "stata", "spss", "sas", "memory" or "sums"
  std::string kind = {};
  std::string place = {};   // a file, or a server with its database; never a password
  std::string query = {};   // of a database
  std::string format = {};  // of a CSV file, where it is not the usual one
  std::string sha256 = {};  // of the file's bytes, or of the rows' text; empty if nobody asked

  bool operator==(const SourceFacts&) const = default;
};

// Between which numbers that of a table's records is, as far as somebody can tell.
struct RecordEstimate {
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

// One party's table, wherever it lies (table.h).
class Source {
 public:
  virtual ~Source() = default;

  // Threads that read; a single one reads in the table's order.
  [[nodiscard]] virtual std::size_t workers() const = 0;

  // Reads all of it, once a call. `schema` is valid. Errors name the place, and are the same
  // whatever the number of workers.
  [[nodiscard]] virtual Result<void> read(const Schema& schema, const RowSink& sink) const = 0;

  // How many records read() will give, at next to no cost. It may be wrong.
  [[nodiscard]] virtual RecordEstimate estimate_records() const { return {}; }
};

}  // namespace sotto
