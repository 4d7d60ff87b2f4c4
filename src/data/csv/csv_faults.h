#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/csv/csv_block.h"
#include "data/csv/text_stream.h"

namespace sotto {

// What several workers have found wrong in the blocks of one table. Blocks are handed out in the
// table's order, so when one is where reading must stop, every block before it has been handed out
// too: after all workers are done, what counts is known up to there, and is the same for any
// number of workers and any size of blocks. One thread at a time.
class TableFaults {
 public:
  // A block that was parsed.
  void add(std::size_t block, std::size_t lines, std::size_t rows, BlockFaults faults);
  // A block that could not be had.
  void add_unreadable(std::size_t block, Error error);

  // Whether reading on can change nothing.
  [[nodiscard]] bool fatal() const { return fatal_block_.has_value(); }

  // The first fault, with the others beside it: kListed in all, and a count. Nothing if all is
  // well.
  [[nodiscard]] std::optional<Error> result(const TableText& table, std::size_t header_lines) const;

 private:
  struct Size {
    std::size_t lines = 0;
    std::size_t rows = 0;
  };
  void set_fatal(std::size_t block);

  std::vector<Size> sizes_;                    // per block
  std::map<std::size_t, BlockFaults> faults_;  // of blocks that have some
  std::optional<std::size_t> fatal_block_;
  std::optional<Error> unreadable_;  // the fatal block's, where there was no text
};

}  // namespace sotto
