#pragma once

#include <fmt/core.h>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace sotto {

// Comma-separated values (RFC 4180, lines ended by \n), built row by row. A
// number is written with the fewest digits that read back as the same double.
//
//     CsvWriter csv({"t", "mean_square_error"});
//     csv.row(0, 1.0);
//     write_file("fig1.csv", csv.text());
class CsvWriter {
 public:
  explicit CsvWriter(const std::vector<std::string>& header) : columns_(header.size()) {
    check(columns_ > 0, "a CSV file has at least one column");
    row_of(header);
  }

  // One cell per column of the header: texts, numbers and booleans.
  template <class... Cells>
  void row(const Cells&... cells) {
    row_of({cell(cells)...});
  }

  void row_of(const std::vector<std::string>& cells) {
    check(cells.size() == columns_, "a CSV row has one cell per column");
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) text_ += ',';
      // A lone empty cell would be an empty line, which readers skip.
      const bool lone_empty = columns_ == 1 && cells[i].empty();
      text_ += needs_quotes(cells[i]) || lone_empty ? quoted(cells[i]) : cells[i];
    }
    text_ += '\n';
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  template <class T>
  static std::string cell(const T& value) {
    if constexpr (std::convertible_to<T, std::string_view>) {
      return std::string(std::string_view(value));
    } else {
      return fmt::format("{}", value);
    }
  }

  // Spaces at the ends are quoted as well: some readers would trim them.
  static bool needs_quotes(std::string_view cell) {
    return cell.find_first_of(",\"\r\n") != std::string_view::npos || cell.starts_with(' ') ||
           cell.ends_with(' ');
  }

  static std::string quoted(std::string_view cell) {
    std::string text = "\"";
    for (const char c : cell) {
      if (c == '"') text += '"';
      text += c;
    }
    return text + '"';
  }

  std::size_t columns_;
  std::string text_;
};

}  // namespace sotto
