#include "data/sql/sql_query.h"

#include <algorithm>

// Only as much SQL as tells a name from a query.
namespace sotto {

bool is_table_name(std::string_view query) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
  };
  bool at_start = true;
  std::size_t points = 0;
  for (const char c : query) {
    if (c == '.') {
      if (at_start || ++points > 1) return false;
      at_start = true;
      continue;
    }
    const bool digit = (c >= '0' && c <= '9') || c == '$';
    if (!is_letter(c) && (at_start || !digit)) return false;
    at_start = false;
  }
  return !at_start;
}

std::string rows_of(const std::string& query) {
  return is_table_name(query) ? "select * from " + query : query;
}

std::string trimmed_query(std::string_view query) {
  const std::size_t last = query.find_last_not_of(" \t\r\n;");
  if (last == std::string_view::npos) return {};
  const std::size_t first = query.find_first_not_of(" \t\r\n");
  return std::string(query.substr(first, last - first + 1));
}

}  // namespace sotto
