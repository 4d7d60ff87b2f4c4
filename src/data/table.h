#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/csv/csv_source.h"
#include "data/memory_table.h"

// Where a party says its table is, and what kind of table that turns out to be.
namespace sotto {

struct TableRequest {
  TableRequest() = default;
  TableRequest(std::string a_place) : place(std::move(a_place)) {}
  TableRequest(const char* a_place) : place(a_place) {}

  // A file; several as *.csv, or as a.csv,b.csv; "-" for standard input; postgresql://…
  std::string place;
  std::string query = {};  // of a database: a SELECT or a table's name
  CsvDialect dialect = {};
  bool push_down = false;  // the database adds up: moments/push_down.h
  bool digest = true;      // whether what is read will be in a record: SourceFacts::sha256
  Interrupted interrupted = {};
  // Or a table that is here already; then nothing of the above counts.
  std::shared_ptr<const MemoryTable> memory = nullptr;

  [[nodiscard]] bool empty() const { return place.empty() && memory == nullptr; }
};

// The table, not opened yet. By content, and by name where that does not tell: CSV, gzip or not,
// SQLite, Stata, SPSS, SAS. Several files are one table, one after the other. Dialect,
// digest and interruption are the request's, not those of `options`. Errors: E-csv-open where
// nothing has that name; E-data-options where the request asks something of a table that such a
// table does not have; E-data-source; of sql/ and readstat/.
[[nodiscard]] Result<CsvSource> open_table(const TableRequest& request, CsvOptions options = {});

// Several such tables as one.
[[nodiscard]] Result<CsvSource> open_tables(const std::vector<TableRequest>& requests,
                                            CsvOptions options = {});

// Files whose names fit, in order; the name itself where it is one, or fits none.
[[nodiscard]] std::vector<std::string> files_named(const std::string& place);

// "csv, sqlite, postgresql, …": what this sotto was built with.
[[nodiscard]] std::string built_in_sources();

}  // namespace sotto
