#pragma once

#include <string>

#include "base/enum_names.h"
#include "data/encoding.h"

// One query that makes of rows inside a database the integers that RowEncoder and MomentSum make of
// them outside. The same bits, because every step is the same IEEE operation on the same doubles in
// the same order: comparisons, + − · / and √, which all three databases round to nearest, and
// integers. A field is read from its text, as a CSV file has it, so that a `real` 0.1 is 0.1 here
// and there. Proof that a row moves the sums by no more than promised: docs/proofs/moments.md, it
// is the same row.
//
// What may differ is only what changes no integer: numbers below 10^−100 of a column's range are
// taken for 0, where a product of theirs could leave the range of doubles.
namespace sotto {

enum class SqlDialect { kPostgres, kDuckdb, kSpark };
inline constexpr EnumNames<SqlDialect, 3> kSqlDialects{{"postgres", "duckdb", "spark"}};

// What the query answers, one line of text: `mark`, then numbers between blanks, in this order.
struct PushDownAnswer {
  static constexpr std::size_t kDigits = 0;      // 1 or more: doubles were written with all digits
  static constexpr std::size_t kRecords = 1;     // all of them
  static constexpr std::size_t kRows = 2;        // that count
  static constexpr std::size_t kFaults = 3;      // fields that nobody can read
  static constexpr std::size_t kUnfinished = 4;  // rows that are still too long after kMaxSteps
  static constexpr std::size_t kShortened = 5;
  static constexpr std::size_t kClips = 6;  // below and above, for each of the table's columns
  // then the sums, in the order of Moments
};

// `rows` is a SELECT; `mark` begins the answer, without blanks. Where the schema has a party effect
// it says whose table it is. E-push-down where a database cannot give the same bits (log, exp), or
// no query is written for it (splines, hundreds of entries).
[[nodiscard]] Result<std::string> push_down_query(const Schema& schema, const std::string& rows,
                                                  const std::string& mark, SqlDialect dialect);

}  // namespace sotto
