#include "data/csv/csv_faults.h"

#include <fmt/core.h>

#include <utility>

// Faults in the table's order, and their places from sizes of blocks.
namespace sotto {

void TableFaults::add(std::size_t block, std::size_t lines, std::size_t rows, BlockFaults faults) {
  if (sizes_.size() <= block) sizes_.resize(block + 1);
  sizes_[block] = {lines, rows};
  if (faults.count == 0) return;
  if (faults.fatal) set_fatal(block);
  faults_.emplace(block, std::move(faults));
  // What comes after so many can never be listed: earlier blocks only push it further back.
  std::size_t listed = 0;
  for (auto& [number, each] : faults_) {
    if (listed >= BlockFaults::kListed) each.listed.clear();
    listed += each.listed.size();
  }
}

void TableFaults::add_unreadable(std::size_t block, Error error) {
  if (fatal_block_ && *fatal_block_ < block) return;
  set_fatal(block);
  unreadable_ = std::move(error);
}

void TableFaults::set_fatal(std::size_t block) {
  if (fatal_block_ && *fatal_block_ <= block) return;
  fatal_block_ = block;
  unreadable_.reset();
}

std::optional<Error> TableFaults::result(const TableText& table, std::size_t header_lines) const {
  std::vector<Error> errors;
  std::uint64_t count = 0;
  Size before;
  std::size_t next_block = 0;
  for (const auto& [block, faults] : faults_) {
    if (fatal_block_ && block > *fatal_block_) break;
    for (; next_block < block; ++next_block) {
      before.lines += sizes_[next_block].lines;
      before.rows += sizes_[next_block].rows;
    }
    count += faults.count;
    for (const CsvFault& fault : faults.listed) {
      if (errors.size() == BlockFaults::kListed) break;
      std::string place =
          table.places == TableText::Places::kLines
              ? fmt::format("{}, line {}", table.name, 1 + header_lines + before.lines + fault.line)
              : fmt::format("{}, row {}", table.name, 1 + before.rows + fault.row);
      if (!fault.column.empty()) place += fmt::format(", column \"{}\"", fault.column);
      errors.push_back(Error(fault.error).at(std::move(place)));
    }
  }
  if (unreadable_) {
    ++count;
    if (errors.size() < BlockFaults::kListed) {
      errors.push_back(Error(*unreadable_).at(table.name));
    }
  }
  if (errors.empty()) return std::nullopt;
  Error first = std::move(errors.front());
  first.unlisted = count - errors.size();
  first.others.assign(std::make_move_iterator(errors.begin() + 1),
                      std::make_move_iterator(errors.end()));
  return first;
}

}  // namespace sotto
