#pragma once

#include <string>
#include <string_view>

// What --query says: SQL, or the name of a table or view.
namespace sotto {

// A name alone: letters, digits, _ and $, with one point between schema and table.
[[nodiscard]] bool is_table_name(std::string_view query);

// A SELECT: the query itself, or that of a whole table.
[[nodiscard]] std::string rows_of(const std::string& query);

// Without the blanks and semicolons at its end.
[[nodiscard]] std::string trimmed_query(std::string_view query);

}  // namespace sotto
