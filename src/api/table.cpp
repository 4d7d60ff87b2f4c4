// sotto::v1::Table: columns in memory, behind a pointer.

#include "data/table.h"

#include <sotto/table.h>

#include <utility>

namespace sotto::v1 {

Table::Table(const std::string& name) : table_(std::make_shared<MemoryTable>()) {
  table_->name = name;
}

Table& Table::add_numbers(std::string column, std::vector<double> numbers) {
  table_->columns.push_back({std::move(column), std::move(numbers)});
  return *this;
}

Table& Table::add_texts(std::string column, std::vector<std::optional<std::string>> texts) {
  table_->columns.push_back({std::move(column), std::move(texts)});
  return *this;
}

std::size_t Table::rows() const {
  return table_->columns.empty() ? 0 : table_->columns.front().rows();
}

sotto::TableRequest Table::inside() const {
  sotto::TableRequest request;
  request.memory = table_;
  return request;
}

}  // namespace sotto::v1
