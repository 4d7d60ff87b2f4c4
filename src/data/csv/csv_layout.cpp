#include "data/csv/csv_layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

// A file's first line against the study's columns.
namespace sotto {
namespace {

CsvLayout::Column column_from(const TableColumn& column) {
  CsvLayout::Column found{.name = column.name,
                          .levels = column.levels,
                          .values = {},
                          .other = {},
                          .strict = column.is_weight ? std::optional(column.bounds) : std::nullopt};
  for (std::size_t k = 0; k < column.levels.size(); ++k) {
    if (column.other && column.levels[k] == CategoricalFeature::kOther) {
      found.other = static_cast<double>(k);
    }
    if (!column.numbers) continue;
    double value = kMissing;  // equal to nothing
    found.values.push_back(parse_decimal(column.levels[k], value) ? value : kMissing);
  }
  return found;
}

}  // namespace

std::string shown(std::string_view field) {
  constexpr std::size_t kShown = 40;
  return field.size() <= kShown ? std::string(field) : std::string(field.substr(0, kShown)) + "…";
}

std::string shown(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 20;
  std::string text;
  for (std::size_t k = 0; k < std::min(kShown, names.size()); ++k) {
    text += fmt::format("{}\"{}\"", k == 0 ? "" : ", ", shown(names[k]));
  }
  return names.size() <= kShown ? text : fmt::format("{} and {} more", text, names.size() - kShown);
}

Result<CsvLayout> CsvLayout::make(const std::vector<std::string>& header, const Schema& schema,
                                  bool with_target, CsvFormat format) {
  CsvLayout layout;
  layout.format = format;
  layout.fields_per_record = header.size();
  layout.missing = schema.missing;
  layout.missing_values = schema.missing_values;
  for (const std::string& value : schema.missing_values) {
    double number = 0;
    if (parse_decimal(value, number)) layout.missing_numbers.push_back(number);
  }
  for (const TableColumn& column : schema.table_columns(with_target)) {
    layout.columns.push_back(column_from(column));
  }
  std::vector<Column*> wanted;
  for (Column& column : layout.columns) wanted.push_back(&column);
  if (with_target && schema.person) {
    layout.person = column_from({.name = schema.person->column, .bounds = {}, .levels = {}});
    wanted.push_back(&*layout.person);
  }
  std::vector<std::string> absent;
  for (Column* const each : wanted) {
    Column& column = *each;
    const auto found = std::find(header.begin(), header.end(), column.name);
    if (found == header.end()) {
      absent.push_back(column.name);
      continue;
    }
    if (std::find(found + 1, header.end(), column.name) != header.end()) {
      return bad_input("E-csv-header",
                       fmt::format("column \"{}\" stands twice in the header", column.name),
                       "rename or remove one of them");
    }
    column.position = static_cast<std::size_t>(found - header.begin());
  }
  if (absent.empty()) return layout;
  return bad_input("E-csv-header",
                   fmt::format("{} {} of the study {} not in the header, which has {}",
                               absent.size() == 1 ? "column" : "columns", shown(absent),
                               absent.size() == 1 ? "is" : "are", shown(header)),
                   header.size() == 1 ? "name the columns in the first line as in the study, and "
                                        "what separates them with --separator"
                                      : "name every column in the first line as in the study");
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
                                              std::size_t& length, char separator) {
  FieldEnds found;
  find_field_ends(kernel, text, found, separator);
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

}  // namespace sotto
