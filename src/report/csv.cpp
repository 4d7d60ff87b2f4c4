#include "report/csv.h"

#include "base/check.h"

namespace sotto {
namespace {

// Spaces at the ends are quoted as well: some readers would trim them.
bool needs_quotes(std::string_view cell) {
  return cell.find_first_of(",\"\r\n") != std::string_view::npos || cell.starts_with(' ') ||
         cell.ends_with(' ');
}

std::string quoted(std::string_view cell) {
  std::string text = "\"";
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

}  // namespace

CsvWriter::CsvWriter(const std::vector<std::string>& header) : columns_(header.size()) {
  check(columns_ > 0, "a CSV file has at least one column");
  add_row(header);
}

void CsvWriter::add_row(const std::vector<std::string>& cells) {
  check(cells.size() == columns_, "a CSV row has one cell per column");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text_ += ',';
    // A lone empty cell would be an empty line, which readers skip.
    const bool lone_empty = columns_ == 1 && cells[i].empty();
    text_ += needs_quotes(cells[i]) || lone_empty ? quoted(cells[i]) : cells[i];
  }
  text_ += '\n';
}

}  // namespace sotto
