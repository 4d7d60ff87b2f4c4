#include "data/sql/dialect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>

// PostgreSQL's words are tested against a server, the other two are the same steps in their words.
namespace sotto {
namespace {

std::string doubled(std::string_view text, char letter) {
  std::string out;
  for (const char each : text) out += each == letter ? std::string(2, each) : std::string(1, each);
  return out;
}

}  // namespace

std::string SqlWriter::name(std::string_view column) const {
  return dialect_ == SqlDialect::kSpark ? "`" + doubled(column, '`') + "`"
                                        : "\"" + doubled(column, '"') + "\"";
}

std::string SqlWriter::text(std::string_view literal) const {
  if (dialect_ == SqlDialect::kSpark) {
    std::string out;
    for (const char each : literal) {
      if (each == '\\' || each == '\'') out += '\\';
      out += each;
    }
    return "'" + out + "'";
  }
  const std::string quoted = doubled(literal, '\'');
  const bool backslash = literal.find('\\') != std::string_view::npos;
  if (!backslash || dialect_ == SqlDialect::kDuckdb) return "'" + quoted + "'";
  // Read the same way whatever the server's settings are.
  return "E'" + doubled(quoted, '\\') + "'";
}

std::string SqlWriter::whole(double integer) {
  return fmt::format("{}", static_cast<std::int64_t>(integer));
}

std::string SqlWriter::number(double value) const {
  return to_double(fmt::format("'{}'", value));
}

std::string SqlWriter::to_double(const std::string& value) const {
  return fmt::format("cast({} as {})", value,
                     dialect_ == SqlDialect::kPostgres ? "double precision" : "double");
}

std::string SqlWriter::to_whole(const std::string& value) const {
  return fmt::format("cast({} as bigint)", value);
}

std::string SqlWriter::field(std::string_view column) const {
  const std::string from = "source." + name(column);
  // concat() writes a value as COPY does: a boolean as t, and NULL as nothing.
  if (dialect_ == SqlDialect::kPostgres) return fmt::format("concat({}) collate \"C\"", from);
  return fmt::format("coalesce(cast({} as {}), '')", from,
                     dialect_ == SqlDialect::kSpark ? "string" : "varchar");
}

std::string SqlWriter::trimmed(const std::string& text) const {
  return fmt::format("{}({}, concat(' ', chr(9)))",
                     dialect_ == SqlDialect::kDuckdb ? "trim" : "btrim", text);
}

std::string SqlWriter::matches(const std::string& value, const std::string& pattern) const {
  switch (dialect_) {
    case SqlDialect::kPostgres:
      return fmt::format("{} ~ {}", value, text("^(" + pattern + ")$"));
    case SqlDialect::kDuckdb:
      return fmt::format("regexp_full_match({}, {})", value, text(pattern));
    case SqlDialect::kSpark:
      break;
  }
  // Java's $ is also before a line end.
  return fmt::format("{} rlike {}", value, text("^(" + pattern + ")\\z"));
}

std::string SqlWriter::quotient(const std::string& a, const std::string& b) const {
  constexpr const char* kSigns[] = {"/", "//", "div"};
  return fmt::format("({} {} {})", a, kSigns[static_cast<std::size_t>(dialect_)], b);
}

std::string SqlWriter::sum(const std::string& integer) const {
  // PostgreSQL's sum of bigint is a numeric, DuckDB's has 128 bits; Spark's would wrap around.
  if (dialect_ != SqlDialect::kSpark) return fmt::format("coalesce(sum({}), 0)", integer);
  return fmt::format("coalesce(sum(cast({} as decimal(20, 0))), 0)", integer);
}

std::string SqlWriter::digits() const {
  return dialect_ == SqlDialect::kPostgres
             ? "cast(current_setting('extra_float_digits') as integer)"
             : "1";
}

std::string SqlWriter::list(const std::vector<std::string>& integers) const {
  switch (dialect_) {
    case SqlDialect::kPostgres:
      return fmt::format("array_to_string(array[{}], ' ')", fmt::join(integers, ",\n  "));
    case SqlDialect::kDuckdb:
      return fmt::format("array_to_string([{}], ' ')", fmt::join(integers, ",\n  "));
    case SqlDialect::kSpark:
      break;
  }
  std::vector<std::string> texts;
  for (const std::string& integer : integers) {
    texts.push_back(fmt::format("cast({} as string)", integer));
  }
  return fmt::format("array_join(array({}), ' ')", fmt::join(texts, ",\n  "));
}

std::string_view SqlWriter::fence() const {
  return dialect_ == SqlDialect::kPostgres ? " offset 0" : "";
}

}  // namespace sotto
