#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/csv/fields.h"
#include "data/schema.h"

namespace sotto {

// Where a study's columns stand in one file.
struct CsvLayout {
  struct Column {
    std::string name;
    std::size_t position = 0;         // in the file's records, from 0
    std::vector<std::string> levels;  // empty where it is a number
    std::vector<double> values;       // of the levels, where they are numbers
    std::optional<double> other;      // the level for all that the list does not have
    std::optional<Bounds> strict;     // outside of them is a fault
  };

  CsvFormat format;
  std::size_t fields_per_record = 0;
  MissingRule missing = MissingRule::kDrop;
  std::vector<std::string> missing_values;
  std::vector<double> missing_numbers;  // those of them that are numbers: -9 and -9.0 are one
  std::vector<Column> columns;          // the schema's table_columns()
  std::optional<Column> person;

  // From the names in a file's header. E-csv-header.
  [[nodiscard]] static Result<CsvLayout> make(const std::vector<std::string>& header,
                                              const Schema& schema, bool with_target = true,
                                              CsvFormat format = {});
};

// The fields of the first record; `length` becomes how many bytes it takes.
[[nodiscard]] Result<std::vector<std::string>> first_record(CsvKernel kernel, std::string_view text,
                                                            std::size_t& length,
                                                            char separator = ',');

// The text of a quoted field, quotes included, as it was meant. Nothing if it is
// not one.
[[nodiscard]] std::optional<std::string> unquote(std::string_view field);

// What an error shows of a field: enough to find it, never a whole page. Of names, the first ones.
[[nodiscard]] std::string shown(std::string_view field);
[[nodiscard]] std::string shown(const std::vector<std::string>& names);

}  // namespace sotto
