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
#include "data/csv/csv_layout.h"
#include "data/csv/fields.h"
#include "data/source.h"

namespace sotto {

// What is wrong in a block of records, and where.
struct CsvFault {
  Error error;
  std::size_t offset = 0;   // in the block's text
  std::string column = {};  // may be empty
  std::size_t line = 0;     // in the block, from 0
  std::size_t row = 0;      // in the block, from 0; empty lines are none
};

// All that is wrong in a block: the first few in its order, and how many there are.
struct BlockFaults {
  static constexpr std::size_t kListed = 20;

  std::vector<CsvFault> listed;
  std::uint64_t count = 0;
  bool fatal = false;  // after the last of them nothing can be made out
};

// One worker's hands: text of whole records in, groups of raw rows out.
class CsvBlockParser {
 public:
  using Sink = std::function<void(const RawRows&)>;

  CsvBlockParser(const CsvLayout& layout, CsvKernel kernel);

  // Looks at a text; the number of its records, empty lines aside.
  [[nodiscard]] std::size_t open(std::string_view text);

  // Reads what was opened, and says what is wrong with it; `first_record` is the first one's number
  // in the table. Rows around a fault may have gone to the sink.
  [[nodiscard]] BlockFaults parse(std::uint64_t first_record, const Sink& sink);

  // Of the last text: newlines, inside quotes too; and records, without empty lines.
  [[nodiscard]] std::size_t lines() const { return found_.lines; }
  [[nodiscard]] std::size_t rows() const { return found_.records - empty_lines_; }

 private:
  [[nodiscard]] bool is_regular() const;
  [[nodiscard]] std::size_t count_irregular() const;
  [[nodiscard]] std::size_t end_of_record(std::size_t first_field) const;
  void parse_records(const Sink& sink);
  void parse_irregular(const Sink& sink);
  void parse_run(std::size_t first_field, std::size_t records, const Sink& sink);
  void parse_numbers(const std::uint32_t* ends, std::size_t c);
  void parse_levels(const std::uint32_t* ends, std::size_t c);
  void check_strict(const std::uint32_t* ends, std::size_t c);
  void parse_persons(const std::uint32_t* ends);
  [[nodiscard]] std::optional<std::string> meant_by_quotes(std::string_view field,
                                                           const std::string& column);
  [[nodiscard]] std::string_view field(const std::uint32_t* ends, std::size_t position) const;
  [[nodiscard]] std::optional<double> level_of(std::size_t c, std::string_view field) const;
  // Missing, quoted, blank-padded, long or wrong: everything but the common case.
  [[nodiscard]] double unusual_value(std::size_t c, std::string_view field);
  [[nodiscard]] double number_value(std::size_t c, std::string_view meant, std::string_view field);
  [[nodiscard]] double level_value(std::size_t c, std::string_view meant, std::string_view field);
  [[nodiscard]] double missing_value(std::string_view field, const std::string& column);
  [[nodiscard]] bool is_missing(double value) const;
  [[nodiscard]] bool is_empty_line(std::size_t field_before_end) const;
  // Returns what stands in the value's place. `make` is asked for the error if it is to be listed.
  template <class MakeError>
  double fail(std::string_view field, const std::string& column, const MakeError& make);
  void find_places();

  const CsvLayout& layout_;
  CsvKernel kernel_;
  std::vector<std::unordered_map<std::string_view, double>> level_maps_;
  FieldEnds found_;
  RawRows rows_;
  std::string_view text_;
  bool regular_ = false;
  std::uint64_t next_record_ = 0;
  std::size_t empty_lines_ = 0;
  BlockFaults faults_;
};

}  // namespace sotto
