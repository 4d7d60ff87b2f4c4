#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "data/csv/fields.h"
#include "data/schema.h"
#include "data/source.h"

namespace sotto {

// Where a study's columns stand in one file.
struct CsvLayout {
  struct Column {
    std::string name;
    std::size_t position = 0;         // in the file's records, from 0
    std::vector<std::string> levels;  // empty where it is a number
    std::optional<Bounds> strict;     // outside of them is a fault
  };

  std::size_t fields_per_record = 0;
  MissingRule missing = MissingRule::kDrop;
  std::vector<Column> columns;  // the schema's table_columns()
  std::optional<Column> person;

  // From the names in a file's header. E-csv-header.
  [[nodiscard]] static Result<CsvLayout> make(const std::vector<std::string>& header,
                                              const Schema& schema, bool with_target = true);
};

// What is wrong in a block of records, and where.
struct CsvFault {
  Error error;
  std::size_t offset = 0;  // in the block's text
  std::string column;      // may be empty
};

// The fields of the first record; `length` becomes how many bytes it takes.
[[nodiscard]] Result<std::vector<std::string>> first_record(CsvKernel kernel, std::string_view text,
                                                            std::size_t& length);

// The text of a quoted field, quotes included, as it was meant. Nothing if it is
// not one.
[[nodiscard]] std::optional<std::string> unquote(std::string_view field);

// One worker's hands: text of whole records in, groups of raw rows out.
class CsvBlockParser {
 public:
  using Sink = std::function<void(const RawRows&)>;

  CsvBlockParser(const CsvLayout& layout, CsvKernel kernel);

  // Looks at a text; the number of its records, empty lines aside.
  [[nodiscard]] std::size_t open(std::string_view text);

  // Reads what was opened; `first_record` is the first one's number in the table. Nothing if all
  // is well. On a fault, the rows before it may have gone to the sink.
  [[nodiscard]] std::optional<CsvFault> parse(std::uint64_t first_record, const Sink& sink);

  // Of the last text: newlines, inside quotes too.
  [[nodiscard]] std::size_t lines() const { return found_.lines; }

 private:
  [[nodiscard]] bool is_regular() const;
  [[nodiscard]] std::size_t count_irregular() const;
  [[nodiscard]] std::size_t end_of_record(std::size_t first_field) const;
  [[nodiscard]] bool is_empty_line(std::size_t first_field, std::size_t end) const;
  void parse_records(const Sink& sink);
  void parse_irregular(const Sink& sink);
  void parse_run(std::size_t first_field, std::size_t records, const Sink& sink);
  void parse_numbers(const std::uint32_t* ends, std::size_t c);
  void parse_levels(const std::uint32_t* ends, std::size_t c);
  void check_strict(const std::uint32_t* ends, std::size_t c);
  void parse_persons(const std::uint32_t* ends);
  [[nodiscard]] std::optional<std::string> meant_by_quotes(std::string_view field,
                                                           const std::string& column);
  void miss(std::string_view field, const std::string& column);
  [[nodiscard]] std::string_view field(const std::uint32_t* ends, std::size_t position) const;
  [[nodiscard]] std::optional<double> level_of(std::size_t c, std::string_view field) const;
  // Missing, quoted, blank-padded, long or wrong: everything but the common case.
  [[nodiscard]] double unusual_value(std::size_t c, std::string_view field);
  // Returns what stands in the value's place.
  double fail(Error error, std::string_view field, const std::string& column);

  const CsvLayout& layout_;
  CsvKernel kernel_;
  std::vector<std::unordered_map<std::string_view, double>> level_maps_;
  FieldEnds found_;
  RawRows rows_;
  std::string_view text_;
  bool regular_ = false;
  std::uint64_t next_record_ = 0;
  std::optional<CsvFault> fault_;
};

}  // namespace sotto
