#include "data/csv/csv_block.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

// The common case goes through the kernels of fields.h a column at a time; everything else
// goes through unusual_value().
namespace sotto {
namespace {

constexpr std::size_t kFewLevels = 8;  // up to here, comparing beats hashing

// What an error shows of a field: enough to find it, never a whole page.
std::string shown(std::string_view field) {
  constexpr std::size_t kShown = 40;
  return field.size() <= kShown ? std::string(field) : std::string(field.substr(0, kShown)) + "…";
}

// The names of a header, or the beginning of a long one.
std::string shown(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 20;
  std::string text;
  for (std::size_t k = 0; k < std::min(kShown, names.size()); ++k) {
    text += fmt::format("{}\"{}\"", k == 0 ? "" : ", ", shown(names[k]));
  }
  return names.size() <= kShown ? text : fmt::format("{} and {} more", text, names.size() - kShown);
}

}  // namespace

Result<CsvLayout> CsvLayout::make(const std::vector<std::string>& header, const Schema& schema,
                                  bool with_target) {
  CsvLayout layout;
  layout.fields_per_record = header.size();
  layout.missing = schema.missing;
  for (TableColumn& column : schema.table_columns(with_target)) {
    layout.columns.push_back(
        {.name = std::move(column.name),
         .levels = std::move(column.levels),
         .strict = column.is_weight ? std::optional(column.bounds) : std::nullopt});
  }
  const auto find = [&](Column& column) -> Result<void> {
    const auto found = std::find(header.begin(), header.end(), column.name);
    if (found == header.end()) {
      const bool other_separator =
          header.size() == 1 && header[0].find_first_of(";\t|") != std::string::npos;
      return bad_input("E-csv-header",
                       fmt::format("column \"{}\" of the study is not in the header, which has {}",
                                   column.name, shown(header)),
                       other_separator
                           ? "separate the fields by commas"
                           : "name the column in the file's first line as in the study");
    }
    if (std::find(found + 1, header.end(), column.name) != header.end()) {
      return bad_input("E-csv-header",
                       fmt::format("column \"{}\" stands twice in the header", column.name),
                       "rename or remove one of them");
    }
    column.position = static_cast<std::size_t>(found - header.begin());
    return {};
  };
  for (Column& column : layout.columns) SOTTO_TRY(find(column));
  if (with_target && schema.person) {
    layout.person = Column{.name = schema.person->column, .levels = {}, .strict = std::nullopt};
    SOTTO_TRY(find(*layout.person));
  }
  return layout;
}

std::optional<std::string> unquote(std::string_view field) {
  if (field.size() < 2 || field.front() != '"' || field.back() != '"') return std::nullopt;
  field = field.substr(1, field.size() - 2);
  std::string text;
  text.reserve(field.size());
  for (std::size_t i = 0; i < field.size(); ++i) {
    text += field[i];
    if (field[i] != '"') continue;
    if (i + 1 == field.size() || field[i + 1] != '"') return std::nullopt;
    ++i;
  }
  return text;
}

Result<std::vector<std::string>> first_record(CsvKernel kernel, std::string_view text,
                                              std::size_t& length) {
  FieldEnds found;
  find_field_ends(kernel, text, found);
  std::vector<std::string> fields;
  for (std::size_t i = 0; i < found.fields; ++i) {
    const std::uint32_t from = found.ends[i] + 1;
    const std::uint32_t to = found.ends[i + 1];
    std::string_view raw = text.substr(from, to - from);
    const bool last = text[to] == '\n';
    if (last && raw.ends_with('\r')) raw.remove_suffix(1);
    fields.push_back(raw.starts_with('"') ? unquote(raw).value_or("") : std::string(trimmed(raw)));
    if (last) {
      length = to + std::size_t{1};
      return fields;
    }
  }
  return bad_input("E-csv-quote", "the header has a quote that does not belong there",
                   "close every quote, and double quotes inside a field");
}

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
  fault_.reset();
  find_field_ends(kernel_, text, found_);
  regular_ = is_regular();
  return regular_ ? found_.records : count_irregular();
}

std::optional<CsvFault> CsvBlockParser::parse(std::uint64_t first_record, const Sink& sink) {
  next_record_ = first_record;
  parse_records(sink);
  if (fault_) return std::move(fault_);
  if (found_.bad_quote != FieldEnds::kNone) {
    return CsvFault{bad_input("E-csv-quote", "a quote stands inside a field",
                              "quote the whole field, and double the quotes inside it"),
                    found_.bad_quote,
                    {}};
  }
  if (found_.unterminated) {
    return CsvFault{bad_input("E-csv-quote", "a quoted field never ends", "close the quote"),
                    found_.ends[found_.fields] + std::uint32_t{1},
                    {}};
  }
  return std::nullopt;
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

bool CsvBlockParser::is_empty_line(std::size_t first_field, std::size_t end) const {
  const std::string_view first = field(found_.ends.data() + first_field, 0);
  return end == first_field + 1 && (first.empty() || first == "\r");
}

std::size_t CsvBlockParser::count_irregular() const {
  std::size_t records = 0;
  for (std::size_t i = 0; i < found_.fields;) {
    const std::size_t next = end_of_record(i);
    if (text_[found_.ends[next]] == '\n' && !is_empty_line(i, next)) ++records;
    i = next;
  }
  return records;
}

// Runs of records with the right number of fields, with empty lines between them.
void CsvBlockParser::parse_irregular(const Sink& sink) {
  std::size_t run = 0;  // the field at which the run starts
  std::size_t records = 0;
  for (std::size_t i = 0; i < found_.fields && !fault_;) {
    const std::size_t next = end_of_record(i);
    if (text_[found_.ends[next]] != '\n') break;  // cut off by a wrong quote
    const std::string_view first = field(found_.ends.data() + i, 0);
    const bool empty = is_empty_line(i, next);
    if (!empty && next - i == layout_.fields_per_record) {
      ++records;
      i = next;
      continue;
    }
    parse_run(run, records, sink);
    if (!fault_ && !empty) {
      fail(bad_input("E-csv-fields",
                     fmt::format("the record has {} fields, the header {}", next - i,
                                 layout_.fields_per_record),
                     "give every record as many fields as the header; quote fields with commas"),
           first, {});
    }
    i = run = next;
    records = 0;
  }
  if (!fault_) parse_run(run, records, sink);
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
    if (fault_) return;
    sink(rows_);
    next_record_ += rows_.rows;
    ends += rows_.rows * layout_.fields_per_record;
  }
}

void CsvBlockParser::parse_numbers(const std::uint32_t* ends, std::size_t c) {
  const std::size_t n = layout_.fields_per_record;
  const std::size_t position = layout_.columns[c].position;
  std::array<std::uint16_t, kGroupRows> others;
  const std::size_t count = parse_plain_column(kernel_, text_.data(), ends, n, position, rows_.rows,
                                               rows_.column(c), others.data());
  for (std::size_t k = 0; k < count; ++k) {
    rows_.column(c)[others[k]] = unusual_value(c, field(ends + others[k] * n, position));
  }
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
  const auto [lo, hi] = *column.strict;
  for (std::size_t r = 0; r < rows_.rows; ++r) {
    const double v = rows_.column(c)[r];
    if (!(v < lo || v > hi)) continue;
    fail(bad_input("E-csv-weight",
                   fmt::format("the weight {} is outside the study's bounds [{}, {}]", v, lo, hi),
                   "correct it, or agree on wider bounds with the others"),
         field(ends + r * layout_.fields_per_record, column.position), column.name);
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
    if (!reads_as_missing(person)) continue;
    person.clear();
    miss(text, layout_.person->name);
  }
}

void CsvBlockParser::miss(std::string_view field, const std::string& column) {
  rows_.any_missing = true;
  if (layout_.missing != MissingRule::kError) return;
  fail(bad_input("E-csv-missing", "a value is missing",
                 "fill it in, remove the row, or say missing = \"drop\" in the study"),
       field, column);
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
    fail(
        bad_input("E-csv-quote", "a quoted field goes on after its quote", "quote the whole field"),
        field, column);
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
  if (reads_as_missing(meant)) {
    miss(field, column.name);
    return kMissing;
  }
  if (!column.levels.empty()) {
    if (const std::optional<double> level = level_of(c, meant)) return *level;
    return fail(
        bad_input("E-csv-level", fmt::format("the study knows no level \"{}\"", shown(meant)),
                  "use one of " + shown(column.levels)),
        field, column.name);
  }
  double value = 0;
  if (parse_decimal(meant, value)) return value;
  return fail(bad_input("E-csv-number", fmt::format("\"{}\" is not a number", shown(meant)),
                        "write a decimal number, or nothing or NA where it is missing"),
              field, column.name);
}

// Columns are read one after the other, so faults do not come in the file's
// order; the first in the file is the one that counts.
double CsvBlockParser::fail(Error error, std::string_view field, const std::string& column) {
  const auto offset = static_cast<std::size_t>(field.data() - text_.data());
  if (!fault_ || offset < fault_->offset) fault_ = CsvFault{std::move(error), offset, column};
  return kMissing;
}

}  // namespace sotto
