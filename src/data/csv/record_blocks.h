#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/csv/fields.h"

namespace sotto {

// Whole records of a file: it starts where one starts and ends with a newline
// (one is added if the file's last line has none). Has kTextPadding on both sides.
class RecordBlock {
 public:
  [[nodiscard]] std::string_view text() const {
    return {storage_.data() + kTextPadding + begin_, size_ - begin_};
  }
  // Leaves out the first `bytes`: a header.
  void skip(std::size_t bytes) { begin_ += bytes; }

  std::size_t number = 0;  // 0, 1, … in the file's order

 private:
  friend class RecordBlocks;
  [[nodiscard]] char* data() { return storage_.data() + kTextPadding; }

  std::vector<char> storage_;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
};

// A CSV file as a sequence of blocks of whole records, in constant memory. Reads
// gzip without being told, and leaves out a UTF-8 byte order mark. Read, not
// mapped: a file that shrinks meanwhile is an error, not a signal.
class RecordBlocks {
 public:
  static constexpr std::size_t kDefaultBlockBytes = std::size_t{1} << 18;
  // A record longer than this is a quote that was never closed.
  static constexpr std::size_t kMaxRecordBytes = std::size_t{1} << 22;

  // E-csv-open.
  [[nodiscard]] static Result<RecordBlocks> open(const std::string& path,
                                                 std::size_t block_bytes = kDefaultBlockBytes);

  // False at the end of the file. E-csv-read, E-csv-quote.
  [[nodiscard]] Result<bool> next(RecordBlock& block);

  // Of the file as it lies on the disk.
  [[nodiscard]] std::uint64_t bytes_done() const;
  [[nodiscard]] std::uint64_t bytes_total() const { return bytes_total_; }

 private:
  class Input;
  struct InputDeleter {
    void operator()(Input* input) const;
  };
  RecordBlocks() = default;
  [[nodiscard]] Result<void> fill(RecordBlock& block, std::size_t wanted);

  std::string path_;
  std::size_t block_bytes_ = kDefaultBlockBytes;
  std::uint64_t bytes_total_ = 0;
  std::unique_ptr<Input, InputDeleter> input_;
  std::vector<char> carry_;  // the beginning of a record whose end is not read yet
  std::size_t blocks_ = 0;
  bool at_end_ = false;
};

}  // namespace sotto
