// Columns in memory to CSV text, a few hundred rows at a time.
#include "data/memory_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/csv/written_text.h"

namespace sotto {
namespace memory_table {
namespace {

constexpr std::size_t kRowsAtATime = 512;

class MemoryText final : public WrittenText {
 public:
  MemoryText(std::shared_ptr<const MemoryTable> table, std::vector<const MemoryColumn*> columns,
             bool digest)
      : WrittenText(digest), table_(std::move(table)), columns_(std::move(columns)) {}

 private:
  Result<bool> more(std::string& text) override {
    CsvText csv;
    if (!headed_) {
      for (const MemoryColumn* column : columns_) csv.text(column->name);
      csv.end_row();
      headed_ = true;
    }
    const std::size_t rows = columns_.empty() ? 0 : columns_.front()->rows();
    const std::size_t end = std::min(rows, next_ + kRowsAtATime);
    for (; next_ < end; ++next_) {
      for (const MemoryColumn* column : columns_) write(csv, *column, next_);
      csv.end_row();
    }
    text += csv.take();
    return next_ < rows;
  }

  static void write(CsvText& csv, const MemoryColumn& column, std::size_t row) {
    if (const auto* numbers = std::get_if<MemoryColumn::Numbers>(&column.values)) {
      const double value = (*numbers)[row];
      std::isnan(value) ? csv.missing() : csv.number(value);
    } else {
      const auto& value = std::get<MemoryColumn::Texts>(column.values)[row];
      value ? csv.text(*value) : csv.missing();
    }
  }

  std::shared_ptr<const MemoryTable> table_;
  std::vector<const MemoryColumn*> columns_;  // of the table
  bool headed_ = false;
  std::size_t next_ = 0;
};

std::vector<std::string> names_used(const Schema& schema) {
  std::vector<std::string> names;
  for (const TableColumn& column : schema.table_columns()) names.push_back(column.name);
  if (schema.person) names.push_back(schema.person->column);
  return names;
}

// What the study uses; everything where it uses nothing of it, so that the header can say so.
std::vector<const MemoryColumn*> columns_used(const MemoryTable& table, const Schema& schema) {
  const std::vector<std::string> names = names_used(schema);
  std::vector<const MemoryColumn*> used;
  std::vector<const MemoryColumn*> all;
  for (const MemoryColumn& column : table.columns) {
    all.push_back(&column);
    if (std::ranges::find(names, column.name) != names.end()) used.push_back(&column);
  }
  return used.empty() ? all : used;
}

Result<void> check_lengths(const MemoryTable& table) {
  for (const MemoryColumn& column : table.columns) {
    const MemoryColumn& first = table.columns.front();
    if (column.rows() == first.rows()) continue;
    return bad_input("E-table-rows",
                     fmt::format("column \"{}\" has {} values, and \"{}\" has {}", first.name,
                                 first.rows(), column.name, column.rows()),
                     "give every column a value, or a missing one, for every row");
  }
  return {};
}

}  // namespace
}  // namespace memory_table

std::size_t MemoryColumn::rows() const {
  return std::visit([](const auto& each) { return each.size(); }, values);
}

TableText text_of_memory(std::shared_ptr<const MemoryTable> table) {
  TableText text;
  text.facts = {.kind = "memory", .place = table->name};
  text.name = table->name;
  text.places = TableText::Places::kRows;
  text.format = CsvFormat{};
  text.open = [table](const Schema& schema, bool digest) -> Result<std::unique_ptr<TextStream>> {
    SOTTO_TRY(memory_table::check_lengths(*table));
    return std::make_unique<memory_table::MemoryText>(
        table, memory_table::columns_used(*table, schema), digest);
  };
  return text;
}

}  // namespace sotto
