#pragma once

#include <string>
#include <vector>

#include "data/encoding.h"
#include "data/sql/dialect.h"

// The query of push_down.h while it is written: step by step what rows.cpp, rows_terms.cpp and
// rows_weighting.cpp do. t: a field's text, v: its value, x: inside its bounds, u: an entry in
// [−1, 1], g: the entry on the grid; the target is the last entry.
namespace sotto {

class PushDownSteps {
 public:
  PushDownSteps(const Encoding& encoding, SqlDialect dialect);

  [[nodiscard]] Result<std::string> write(const std::string& rows, const std::string& mark);

 private:
  struct Made {
    std::string name;
    std::string what;
  };

  // The next step: what it makes, beside what it keeps of the last.
  void step(const std::vector<std::string>& kept, const std::vector<Made>& made);

  [[nodiscard]] std::string number(double value) const { return sql_.number(value); }
  [[nodiscard]] const TableColumn& column(std::size_t c) const { return encoding_.table()[c]; }
  [[nodiscard]] bool is_level(std::size_t c) const { return !column(c).levels.empty(); }
  [[nodiscard]] static std::string at(const char* letter, std::size_t k);

  [[nodiscard]] Result<void> check_schema() const;
  [[nodiscard]] std::string add_up(const std::string& mark);

  // push_down_fields.cpp: from texts to values, and which rows count.
  void read_fields(const std::string& rows);
  void judge_rows();
  [[nodiscard]] std::string is_missing(const std::string& trimmed_text) const;
  [[nodiscard]] std::string number_of(std::size_t c) const;
  [[nodiscard]] std::string missing_numbers() const;
  [[nodiscard]] std::string level_of(std::size_t c) const;

  // push_down_rows.cpp: from values to rows on the grid.
  [[nodiscard]] Result<void> scale();
  void find_shares();
  void round();
  void shrink();
  void weigh();
  [[nodiscard]] std::string inside(const std::string& value, Bounds bounds) const;
  [[nodiscard]] std::vector<std::string> kept_with(const char* letter, std::size_t first,
                                                   std::size_t last) const;
  [[nodiscard]] std::string nearest(const std::string& value) const;
  [[nodiscard]] static std::string sum_of_squares(const char* letter, std::size_t first,
                                                  std::size_t last);

  const Encoding& encoding_;
  const Schema& schema_;
  SqlWriter sql_;
  std::size_t columns_;
  std::size_t entries_;
  bool weighted_;
  bool shares_;
  std::string text_;
  std::string from_;
  std::size_t steps_ = 0;
  std::vector<std::string> keep_;  // what every later step carries along
};

// E-push-down, with what to do in its place.
[[nodiscard]] Error cannot_push_down(const std::string& what);

}  // namespace sotto
