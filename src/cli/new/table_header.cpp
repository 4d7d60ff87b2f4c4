// Reads byte by byte up to the end of the first line, so that nothing of a row is ever in memory
// but what zlib has read ahead.
#include "cli/new/table_header.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <set>

namespace sotto {
namespace table_header {

constexpr std::size_t kLongestLine = 1 << 20;
constexpr unsigned kReadAhead = 512;  // bytes, the least that zlib may

Error bad_header(const std::string& path, std::string what) {
  return bad_input("E-csv-header", std::move(what),
                   "the first line names the columns, each once, in UTF-8")
      .at(path);
}

Result<std::string> first_line(const std::string& path) {
  const std::unique_ptr<gzFile_s, decltype(&::gzclose)> file(::gzopen(path.c_str(), "rb"),
                                                             &::gzclose);
  if (file == nullptr) {
    return bad_input("E-csv-open", "the table cannot be opened", "check the name and permissions")
        .at(path);
  }
  ::gzbuffer(file.get(), kReadAhead);
  std::string line;
  bool quoted = false;
  for (char c = '\0'; ::gzread(file.get(), &c, 1) == 1;) {
    if (c == '"') quoted = !quoted;
    if (c == '\n' && !quoted) return line;
    if (c == '\0') return bad_header(path, "the first line is not text");
    line += c;
    if (line.size() > kLongestLine) return bad_header(path, "the first line is longer than 1 MiB");
  }
  int problem = Z_OK;
  static_cast<void>(::gzerror(file.get(), &problem));
  if (problem != Z_OK) return bad_header(path, "the table cannot be read, or is a folder");
  return line;
}

// Whichever stands there most, outside of quotes.
char separator_of(const std::string& line) {
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char separator : {',', ';', '\t'}) {
    std::ptrdiff_t count = 0;
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == separator && !quoted) ++count;
    }
    if (count > most) {
      most = count;
      best = separator;
    }
  }
  return best;
}

std::vector<std::string> fields_of(const std::string& line) {
  const char separator = separator_of(line);
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (c == '"' && quoted && k + 1 < line.size() && line[k + 1] == '"') {
      fields.back() += '"';
      ++k;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace table_header

Result<std::vector<std::string>> read_table_header(const std::string& path) {
  SOTTO_ASSIGN(auto line, table_header::first_line(path));
  if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  if (line.ends_with('\r')) line.pop_back();
  auto columns = table_header::fields_of(line);
  std::set<std::string> seen;
  for (std::string& column : columns) {
    const auto from = column.find_first_not_of(" \t");
    column = from == std::string::npos
                 ? ""
                 : column.substr(from, column.find_last_not_of(" \t") - from + 1);
    if (column.empty()) return table_header::bad_header(path, "a column of the table has no name");
    if (!seen.insert(column).second) {
      return table_header::bad_header(path,
                                      fmt::format("column \"{}\" stands there twice", column));
    }
  }
  return columns;
}

}  // namespace sotto
