#include "data/csv/csv_format.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "data/csv/csv_layout.h"

// Tries every separator on the header, then looks at the numbers of the first records.
namespace sotto {
namespace {

constexpr std::array<char, 4> kSeparators = {',', ';', '\t', '|'};

// Whole lines between the zeros that the kernels may read.
class PaddedSample {
 public:
  explicit PaddedSample(std::string_view sample) {
    if (sample.starts_with("\xef\xbb\xbf")) sample.remove_prefix(3);
    const std::size_t end = sample.rfind('\n');
    storage_ = std::string(kTextPadding, '\0');
    storage_ += sample.substr(0, end == std::string_view::npos ? sample.size() : end);
    storage_ += '\n' + std::string(kTextPadding, '\0');
  }
  [[nodiscard]] std::string_view text() const {
    return std::string_view(storage_).substr(kTextPadding, storage_.size() - 2 * kTextPadding);
  }

 private:
  std::string storage_;
};

std::vector<std::string> wanted_columns(const Schema& schema, bool with_target) {
  std::vector<std::string> names;
  for (const TableColumn& column : schema.table_columns(with_target)) names.push_back(column.name);
  return names;
}

char find_separator(std::string_view text, const std::vector<std::string>& wanted,
                    std::optional<char> decimal) {
  char best = decimal == ',' ? ';' : ',';
  std::size_t most = 0;
  for (const char separator : kSeparators) {
    if (separator == decimal) continue;
    std::size_t length = 0;
    const auto header = first_record(CsvKernel::kPortable, text, length, separator);
    if (!header) return best;
    const auto found =
        static_cast<std::size_t>(std::ranges::count_if(wanted, [&](const std::string& name) {
          return std::ranges::find(*header, name) != header->end();
        }));
    if (found > most) {
      most = found;
      best = separator;
    }
  }
  return best;
}

// Whether a field is a number once its comma is a point, and has one.
bool has_decimal_comma(std::string_view field) {
  if (std::ranges::count(field, ',') != 1) return false;
  std::string with_point(field);
  std::ranges::replace(with_point, ',', '.');
  double value = 0;
  return field.find('.') == std::string_view::npos && parse_decimal(with_point, value);
}

char find_decimal(std::string_view text, char separator, const Schema& schema, bool with_target) {
  FieldEnds found;
  find_field_ends(CsvKernel::kPortable, text, found, separator);
  std::size_t length = 0;
  const auto header = first_record(CsvKernel::kPortable, text, length, separator);
  if (!header) return '.';
  std::vector<bool> is_number(header->size());
  for (std::size_t k = 0; k < header->size(); ++k) {
    for (const TableColumn& column : schema.table_columns(with_target)) {
      if (column.name == (*header)[k]) is_number[k] = column.levels.empty() || column.numbers;
    }
  }
  bool comma = false;
  std::size_t column = 0;
  for (std::size_t i = 0; i < found.fields; ++i) {
    const std::uint32_t from = found.ends[i] + 1;
    const std::uint32_t to = found.ends[i + 1];
    std::string_view field = text.substr(from, to - from);
    if (field.ends_with('\r')) field.remove_suffix(1);
    const auto unquoted = unquote(field);
    if (unquoted) field = *unquoted;
    double value = 0;
    if (from >= length && column < is_number.size() && is_number[column]) {
      if (field.find('.') != std::string_view::npos && parse_decimal(field, value)) return '.';
      comma = comma || has_decimal_comma(trimmed(field));
    }
    column = text[to] == '\n' ? 0 : column + 1;
  }
  return comma ? ',' : '.';
}

}  // namespace

CsvFormat find_format(const CsvDialect& dialect, std::string_view sample, const Schema& schema,
                      bool with_target) {
  const PaddedSample padded(sample);
  CsvFormat format;
  format.separator =
      dialect.separator
          ? *dialect.separator
          : find_separator(padded.text(), wanted_columns(schema, with_target), dialect.decimal);
  if (dialect.decimal) {
    format.decimal = *dialect.decimal;
  } else if (format.separator != ',') {
    format.decimal = find_decimal(padded.text(), format.separator, schema, with_target);
  }
  return format;
}

std::string format_text(CsvFormat format) {
  std::string text;
  if (format.separator != ',') {
    text = format.separator == '\t' ? "fields separated by tabs"
                                    : fmt::format("fields separated by \"{}\"", format.separator);
  }
  if (format.decimal != '.') text += text.empty() ? "decimal comma" : ", decimal comma";
  return text;
}

}  // namespace sotto
