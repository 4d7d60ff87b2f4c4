#pragma once

// Stata, SPSS and SAS files, as libreadstat writes them.

#if __has_include(<readstat.h>)
#include <gtest/gtest.h>
#include <readstat.h>

#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sotto {

struct StatColumn {
  std::string name;
  bool text = false;
  std::map<double, std::string> labels = {};
  std::optional<double> user_missing = {};  // SPSS: a value that stands for "not known"
};

using StatCell = std::variant<std::monostate, double, std::string>;

enum class StatFormat { kStata, kSpss, kSas, kSasTransport };

inline void write_stat_file(const std::string& path, StatFormat format,
                            const std::vector<StatColumn>& columns,
                            const std::vector<std::vector<StatCell>>& rows) {
  std::ofstream file(path, std::ios::binary);
  readstat_writer_t* writer = readstat_writer_init();
  readstat_set_data_writer(
      writer, [](const void* data, std::size_t size, void* context) -> ssize_t {
        static_cast<std::ofstream*>(context)->write(static_cast<const char*>(data),
                                                    static_cast<std::streamsize>(size));
        return static_cast<ssize_t>(size);
      });
  for (const StatColumn& column : columns) {
    readstat_variable_t* variable = readstat_add_variable(
        writer, column.name.c_str(), column.text ? READSTAT_TYPE_STRING : READSTAT_TYPE_DOUBLE,
        column.text ? 32 : 0);
    if (column.user_missing) {
      readstat_variable_add_missing_double_value(variable, *column.user_missing);
    }
    if (column.labels.empty()) continue;
    const std::string name = column.name + "_labels";
    readstat_label_set_t* labels =
        format == StatFormat::kStata
            ? readstat_add_label_set(writer, READSTAT_TYPE_INT32, name.c_str())
            : readstat_add_label_set(writer, READSTAT_TYPE_DOUBLE, name.c_str());
    for (const auto& [value, label] : column.labels) {
      if (format == StatFormat::kStata) {
        readstat_label_int32_value(labels, static_cast<std::int32_t>(value), label.c_str());
      } else {
        readstat_label_double_value(labels, value, label.c_str());
      }
    }
    readstat_variable_set_label_set(variable, labels);
  }
  const auto begin = format == StatFormat::kStata  ? readstat_begin_writing_dta
                     : format == StatFormat::kSpss ? readstat_begin_writing_sav
                     : format == StatFormat::kSas  ? readstat_begin_writing_sas7bdat
                                                   : readstat_begin_writing_xport;
  ASSERT_EQ(begin(writer, &file, static_cast<long>(rows.size())), READSTAT_OK) << path;
  for (const auto& row : rows) {
    readstat_begin_row(writer);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const readstat_variable_t* variable = readstat_get_variable(writer, static_cast<int>(c));
      if (const auto* number = std::get_if<double>(&row[c])) {
        readstat_insert_double_value(writer, variable, *number);
      } else if (const auto* text = std::get_if<std::string>(&row[c])) {
        readstat_insert_string_value(writer, variable, text->c_str());
      } else {
        readstat_insert_missing_value(writer, variable);
      }
    }
    ASSERT_EQ(readstat_end_row(writer), READSTAT_OK);
  }
  ASSERT_EQ(readstat_end_writing(writer), READSTAT_OK);
  readstat_writer_free(writer);
}

}  // namespace sotto
#endif
