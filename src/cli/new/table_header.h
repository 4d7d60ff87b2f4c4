#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sotto {

// The names in a table's first line, and not one byte of a row: for those who write a study, which
// must not know the data. CSV with commas, semicolons or tabs, quotes, a byte-order mark, gzip.
// E-csv-open, E-csv-header.
[[nodiscard]] Result<std::vector<std::string>> read_table_header(const std::string& path);

}  // namespace sotto
