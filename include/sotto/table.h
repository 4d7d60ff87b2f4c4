#pragma once

// A table that a program already holds. It goes from memory to the sums that are sealed, and is
// never written to a disk.

#include <sotto/result.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sotto {
struct MemoryTable;   // inside the library
struct TableRequest;  // likewise
}  // namespace sotto

namespace sotto::v1 {

class Table {
 public:
  // `name` stands for the table in errors: "the table of the clinic".
  explicit Table(const std::string& name = "the table");

  // Columns are found by name, as those of a file are. NaN, and no text, are missing values; levels
  // may be text or numbers. Errors come when the table is used: columns of different lengths are
  // E-table-rows, whatever else is that of a CSV file (docs/errors.md) and names row and column.
  Table& add_numbers(std::string column, std::vector<double> numbers);
  Table& add_texts(std::string column, std::vector<std::optional<std::string>> texts);

  [[nodiscard]] std::size_t rows() const;  // of its first column

  // For sotto itself.
  [[nodiscard]] sotto::TableRequest inside() const;

 private:
  std::shared_ptr<sotto::MemoryTable> table_;
};

}  // namespace sotto::v1
