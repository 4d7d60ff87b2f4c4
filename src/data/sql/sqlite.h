#pragma once

#include <string>

#include "data/csv/csv_source.h"

namespace sotto {

// The rows of a query in an SQLite file, which is opened for reading only. `query` is a SELECT, the
// name of a table or view, or empty where the file has only one. NULL is missing. Errors when it is
// opened and read:
//   E-sql-open   the file is no database, or may not be read
//   E-sql-query  no query, several, one that changes something, or one that SQLite does not
//   understand E-sql-read   the query stopped
//   E-interrupted
[[nodiscard]] TableText text_of_sqlite(const std::string& path, const std::string& query,
                                       const Interrupted& interrupted = {});

}  // namespace sotto
