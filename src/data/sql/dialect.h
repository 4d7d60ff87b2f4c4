#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/sql/push_down.h"

// The words in which the databases differ, for push_down.cpp.
namespace sotto {

class SqlWriter {
 public:
  explicit SqlWriter(SqlDialect dialect) : dialect_(dialect) {}

  [[nodiscard]] std::string name(std::string_view column) const;
  [[nodiscard]] std::string text(std::string_view literal) const;
  // A double, to the bit.
  [[nodiscard]] static std::string whole(double integer);
  [[nodiscard]] std::string number(double value) const;
  [[nodiscard]] std::string to_double(const std::string& value) const;
  // An integer below 2^51 that is a double.
  [[nodiscard]] std::string to_whole(const std::string& value) const;

  // The text of a column of `source`, as a CSV file would have it; missing is ''.
  [[nodiscard]] std::string field(std::string_view column) const;
  [[nodiscard]] std::string trimmed(const std::string& text) const;
  [[nodiscard]] std::string matches(const std::string& text, const std::string& pattern) const;
  // ⌊a/b⌋ of integers, a ≥ 0, b > 0.
  [[nodiscard]] std::string quotient(const std::string& a, const std::string& b) const;
  // Σ over rows of an integer, without limit; 0 where there is no row.
  [[nodiscard]] std::string sum(const std::string& integer) const;
  // Whether doubles are written with all their digits: 1 or more.
  [[nodiscard]] std::string digits() const;
  // Many integers as one text, blanks between them.
  [[nodiscard]] std::string list(const std::vector<std::string>& integers) const;
  // At the end of every step: one that is computed is not computed again where it is used.
  [[nodiscard]] std::string_view fence() const;

 private:
  SqlDialect dialect_;
};

}  // namespace sotto
