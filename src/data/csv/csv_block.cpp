#include "data/csv/csv_block.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

// The common case goes through the kernels of fields.h a column at a time; everything else
// goes through unusual_value().
namespace sotto {
namespace {

constexpr std::size_t kFewLevels = 8;  // up to here, comparing beats hashing

// parse_decimal() where the point is a comma. Then a point is nothing that a number may have: it
// would be read as a thousand times too small, or the other way round.
bool parse_number(std::string_view field, char decimal, double& value) {
  if (decimal == '.') return parse_decimal(field, value);
  if (field.find('.') != std::string_view::npos) return false;
  std::string with_point(field);
  std::ranges::replace(with_point, decimal, '.');
  return parse_decimal(with_point, value);
}

}  // namespace

CsvBlockParser::CsvBlockParser(const CsvLayout& layout, CsvKernel kernel)
    : layout_(layout), kernel_(kernel), rows_(layout.columns.size()) {
  level_maps_.resize(layout.columns.size());
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    const std::vector<std::string>& levels = layout.columns[c].levels;
    for (std::size_t k = 0; k < levels.size() && levels.size() > kFewLevels; ++k) {
      level_maps_[c].emplace(levels[k], static_cast<double>(k));
    }
  }
  if (layout.person) rows_.persons.resize(kGroupRows);
}

std::size_t CsvBlockParser::open(std::string_view text) {
  text_ = text;
  faults_ = {};
  empty_lines_ = 0;
  find_field_ends(kernel_, text, found_, layout_.format.separator);
  regular_ = is_regular();
  return regular_ ? found_.records : count_irregular();
}

BlockFaults CsvBlockParser::parse(std::uint64_t first_record, const Sink& sink) {
  next_record_ = first_record;
  parse_records(sink);
  const bool bad_quote = found_.bad_quote != FieldEnds::kNone;
  if (bad_quote || found_.unterminated) {
    const std::size_t at =
        bad_quote ? found_.bad_quote : found_.ends[found_.fields] + std::uint32_t{1};
    fail(text_.substr(at), {}, [&] {
      return bad_quote ? bad_input("E-csv-quote", "a quote stands inside a field",
                                   "quote the whole field, and double the quotes inside it")
                       : bad_input("E-csv-quote", "a quoted field never ends", "close the quote");
    });
    faults_.fatal = true;
  }
  if (!faults_.listed.empty()) find_places();
  return std::move(faults_);
}

// Lines and rows of the faults that are listed; they are in the text's order.
void CsvBlockParser::find_places() {
  std::size_t end = 1;
  std::size_t row = 0;
  std::size_t line = 0;
  std::size_t at = 0;
  for (CsvFault& fault : faults_.listed) {
    line += static_cast<std::size_t>(
        std::count(text_.begin() + static_cast<std::ptrdiff_t>(at),
                   text_.begin() + static_cast<std::ptrdiff_t>(fault.offset), '\n'));
    at = fault.offset;
    for (; end <= found_.fields && found_.ends[end] < fault.offset; ++end) {
      if (text_[found_.ends[end]] == '\n' && !is_empty_line(end)) ++row;
    }
    fault.line = line;
    fault.row = row;
  }
}

// Whether the record whose last field ends at ends[end] is a line without anything.
bool CsvBlockParser::is_empty_line(std::size_t end) const {
  const std::uint32_t before = found_.ends[end - 1];
  const bool starts_here = end == 1 || text_[before] == '\n';
  const std::size_t size = found_.ends[end] - (before + 1U);
  return starts_here && (size == 0 || (size == 1 && text_[before + 1U] == '\r'));
}

// All records have the right number of fields iff their numbers match and every
// n-th end is a newline: then no newline is left over for the places between.
bool CsvBlockParser::is_regular() const {
  const std::size_t n = layout_.fields_per_record;
  if (n < 2 || found_.fields != found_.records * n) return false;
  for (std::size_t i = n; i <= found_.fields; i += n) {
    if (text_[found_.ends[i]] != '\n') return false;
  }
  return true;
}

void CsvBlockParser::parse_records(const Sink& sink) {
  if (regular_) {
    parse_run(0, found_.records, sink);
  } else {
    parse_irregular(sink);
  }
}

// The first field behind the record that begins at this one.
std::size_t CsvBlockParser::end_of_record(std::size_t first_field) const {
  std::size_t next = first_field + 1;
  while (next < found_.fields && text_[found_.ends[next]] != '\n') ++next;
  return next;
}

std::size_t CsvBlockParser::count_irregular() const {
  std::size_t records = 0;
  for (std::size_t i = 0; i < found_.fields;) {
    const std::size_t next = end_of_record(i);
    const bool empty = next == i + 1 && is_empty_line(next);
    if (text_[found_.ends[next]] == '\n' && !empty) ++records;
    i = next;
  }
  return records;
}

// Runs of records with the right number of fields, with empty lines between them.
void CsvBlockParser::parse_irregular(const Sink& sink) {
  std::size_t run = 0;  // the field at which the run starts
  std::size_t records = 0;
  for (std::size_t i = 0; i < found_.fields;) {
    const std::size_t next = end_of_record(i);
    if (text_[found_.ends[next]] != '\n') break;  // cut off by a wrong quote
    const bool empty = next == i + 1 && is_empty_line(next);
    if (!empty && next - i == layout_.fields_per_record) {
      ++records;
      i = next;
      continue;
    }
    parse_run(run, records, sink);
    if (empty) ++empty_lines_;
    if (!empty) {
      fail(field(found_.ends.data() + i, 0), {}, [&] {
        return bad_input(
            "E-csv-fields",
            fmt::format("the record has {} field{}, the header {}", next - i,
                        next - i == 1 ? "" : "s", layout_.fields_per_record),
            "give every record as many fields as the header; quote fields with separators");
      });
    }
    i = run = next;
    records = 0;
  }
  parse_run(run, records, sink);
}

void CsvBlockParser::parse_run(std::size_t first_field, std::size_t records, const Sink& sink) {
  const std::uint32_t* ends = found_.ends.data() + first_field;
  for (std::size_t done = 0; done < records; done += kGroupRows) {
    rows_.rows = std::min(kGroupRows, records - done);
    rows_.any_missing = false;
    rows_.first_record = next_record_;
    for (std::size_t c = 0; c < layout_.columns.size(); ++c) {
      layout_.columns[c].levels.empty() ? parse_numbers(ends, c) : parse_levels(ends, c);
      if (layout_.columns[c].strict) check_strict(ends, c);
    }
    if (layout_.person) parse_persons(ends);
    sink(rows_);
    next_record_ += rows_.rows;
    ends += rows_.rows * layout_.fields_per_record;
  }
}

void CsvBlockParser::parse_numbers(const std::uint32_t* ends, std::size_t c) {
  const std::size_t n = layout_.fields_per_record;
  const std::size_t position = layout_.columns[c].position;
  std::array<std::uint16_t, kGroupRows> others;
  const std::size_t count =
      parse_plain_column(kernel_, text_.data(), ends, n, position, rows_.rows, rows_.column(c),
                         others.data(), layout_.format.decimal);
  for (std::size_t k = 0; k < count; ++k) {
    rows_.column(c)[others[k]] = unusual_value(c, field(ends + others[k] * n, position));
  }
  if (layout_.missing_numbers.empty()) return;
  for (std::size_t r = 0; r < rows_.rows; ++r) {
    double& value = rows_.column(c)[r];
    if (is_missing(value))
      value = missing_value(field(ends + r * n, position), layout_.columns[c].name);
  }
}

bool CsvBlockParser::is_missing(double value) const {
  return std::ranges::find(layout_.missing_numbers, value) != layout_.missing_numbers.end();
}

void CsvBlockParser::parse_levels(const std::uint32_t* ends, std::size_t c) {
  const std::size_t n = layout_.fields_per_record;
  const std::size_t position = layout_.columns[c].position;
  for (std::size_t r = 0; r < rows_.rows; ++r) {
    const std::string_view text = field(ends + r * n, position);
    const std::optional<double> level = level_of(c, text);
    rows_.column(c)[r] = level ? *level : unusual_value(c, text);
  }
}

void CsvBlockParser::check_strict(const std::uint32_t* ends, std::size_t c) {
  const CsvLayout::Column& column = layout_.columns[c];
  const Bounds bounds = *column.strict;
  for (std::size_t r = 0; r < rows_.rows; ++r) {
    const double v = rows_.column(c)[r];
    if (!(v < bounds.lo || v > bounds.hi)) continue;
    fail(field(ends + r * layout_.fields_per_record, column.position), column.name, [&] {
      return bad_input("E-csv-weight",
                       fmt::format("the weight {} is outside the study's bounds [{}, {}]", v,
                                   bounds.lo, bounds.hi),
                       "correct it, or agree on wider bounds with the others");
    });
  }
}

void CsvBlockParser::parse_persons(const std::uint32_t* ends) {
  for (std::size_t r = 0; r < rows_.rows; ++r) {
    const std::string_view text =
        field(ends + r * layout_.fields_per_record, layout_.person->position);
    std::string& person = rows_.persons[r];
    std::optional<std::string> unquoted;
    if (text.starts_with('"')) unquoted = meant_by_quotes(text, layout_.person->name);
    person = unquoted ? *unquoted : trimmed(text);
    if (!reads_as_missing(person, layout_.missing_values)) continue;
    person.clear();
    static_cast<void>(missing_value(text, layout_.person->name));
  }
}

std::string_view CsvBlockParser::field(const std::uint32_t* ends, std::size_t position) const {
  const std::uint32_t from = ends[position] + 1;
  std::uint32_t to = ends[position + 1];
  if (to > from && text_[to] == '\n' && text_[to - 1] == '\r') --to;
  return text_.substr(from, to - from);
}

std::optional<double> CsvBlockParser::level_of(std::size_t c, std::string_view field) const {
  const std::vector<std::string>& levels = layout_.columns[c].levels;
  if (levels.size() > kFewLevels) {
    const auto found = level_maps_[c].find(field);
    if (found == level_maps_[c].end()) return std::nullopt;
    return found->second;
  }
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (field == levels[k]) return static_cast<double>(k);
  }
  return std::nullopt;
}

std::optional<std::string> CsvBlockParser::meant_by_quotes(std::string_view field,
                                                           const std::string& column) {
  std::optional<std::string> meant = unquote(field);
  if (!meant) {
    fail(field, column, [] {
      return bad_input("E-csv-quote", "a quoted field goes on after its quote",
                       "quote the whole field");
    });
  }
  return meant;
}

double CsvBlockParser::unusual_value(std::size_t c, std::string_view field) {
  const CsvLayout::Column& column = layout_.columns[c];
  std::optional<std::string> unquoted;
  std::string_view meant = field;
  if (field.starts_with('"')) {
    unquoted = meant_by_quotes(field, column.name);
    if (!unquoted) return kMissing;
    meant = *unquoted;
  }
  if (reads_as_missing(meant, layout_.missing_values)) return missing_value(field, column.name);
  return column.levels.empty() ? number_value(c, meant, field) : level_value(c, meant, field);
}

double CsvBlockParser::missing_value(std::string_view field, const std::string& column) {
  rows_.any_missing = true;
  if (layout_.missing == MissingRule::kDrop) return kMissing;
  return fail(field, column, [] {
    return bad_input("E-csv-missing", "a value is missing",
                     "fill it in, remove the row, or say missing = \"drop\" in the study");
  });
}

double CsvBlockParser::number_value(std::size_t c, std::string_view meant, std::string_view field) {
  const char decimal = layout_.format.decimal;
  double value = 0;
  if (parse_number(meant, decimal, value)) return value;
  return fail(field, layout_.columns[c].name, [&] {
    const bool other_point = parse_number(meant, decimal == '.' ? ',' : '.', value);
    return bad_input("E-csv-number", fmt::format("\"{}\" is not a number", shown(meant)),
                     !other_point     ? "write a decimal number, or nothing where it is missing"
                     : decimal == '.' ? "write a decimal point, or say --decimal comma"
                                      : "write a decimal comma, or say --decimal point");
  });
}

double CsvBlockParser::level_value(std::size_t c, std::string_view meant, std::string_view field) {
  const CsvLayout::Column& column = layout_.columns[c];
  if (const std::optional<double> level = level_of(c, meant)) return *level;
  if (const std::optional<double> level = level_of(c, trimmed(meant))) return *level;
  double value = 0;
  if (!column.values.empty() && parse_number(meant, layout_.format.decimal, value)) {
    const auto found = std::ranges::find(column.values, value);
    if (found != column.values.end()) return static_cast<double>(found - column.values.begin());
    if (is_missing(value)) return missing_value(field, layout_.columns[c].name);
  }
  if (column.other) return *column.other;
  return fail(field, column.name, [&] {
    return bad_input("E-csv-level", fmt::format("the study knows no level \"{}\"", shown(meant)),
                     "use one of " + shown(column.levels));
  });
}

// Columns are read one after the other, so faults do not come in the file's order; the first ones
// in the file are those that are listed.
template <class MakeError>
double CsvBlockParser::fail(std::string_view field, const std::string& column,
                            const MakeError& make) {
  const auto offset = static_cast<std::size_t>(field.data() - text_.data());
  auto& listed = faults_.listed;
  ++faults_.count;
  rows_.any_missing = true;  // reading ends in an error; until then nobody adds the row up
  if (listed.size() < BlockFaults::kListed || offset < listed.back().offset) {
    const auto place = std::ranges::upper_bound(listed, offset, {}, &CsvFault::offset);
    listed.insert(place, CsvFault{.error = make(), .offset = offset, .column = column});
    if (listed.size() > BlockFaults::kListed) listed.pop_back();
  }
  return kMissing;
}

}  // namespace sotto
