#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "data/csv/text_stream.h"

// A table that a program already holds: it is never written to a disk.
namespace sotto {

struct MemoryColumn {
  using Numbers = std::vector<double>;                    // NaN: missing
  using Texts = std::vector<std::optional<std::string>>;  // none: missing

  std::string name;
  std::variant<Numbers, Texts> values;

  [[nodiscard]] std::size_t rows() const;
};

struct MemoryTable {
  std::string name;  // in errors: "the table of party 2"
  std::vector<MemoryColumn> columns;
};

// Its rows as every source gives them, bit for bit, for the one parser; columns that the study does
// not use are left out. E-table-rows where the columns are not of one length.
[[nodiscard]] TableText text_of_memory(std::shared_ptr<const MemoryTable> table);

}  // namespace sotto
