#pragma once

#include <fmt/core.h>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

// Comma-separated values (RFC 4180, lines ended by \n), built row by row. A
// number is written with the fewest digits that read back as the same double.
//
//     CsvWriter csv({"t", "mean_square_error"});
//     csv.row(0, 1.0);
//     write_file("fig1.csv", csv.text());
class CsvWriter {
 public:
  explicit CsvWriter(const std::vector<std::string>& header);

  // One cell per column of the header: texts, numbers and booleans.
  template <class... Cells>
  void row(const Cells&... cells) {
    add_row({cell(cells)...});
  }
  void row_of(const std::vector<std::string>& cells) { add_row(cells); }

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
  void add_row(const std::vector<std::string>& cells);

  std::size_t columns_;
  std::string text_;
};

}  // namespace sotto
