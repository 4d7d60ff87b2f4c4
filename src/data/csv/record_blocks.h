#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/csv/fields.h"
#include "data/csv/text_stream.h"

namespace sotto {

// Whole records of a text: it starts where one starts and ends with a newline
// (one is added if the text's last line has none). Has kTextPadding on both sides.
class RecordBlock {
 public:
  [[nodiscard]] std::string_view text() const {
    return {storage_.data() + kTextPadding + begin_, size_ - begin_};
  }
  // Leaves out the first `bytes`: a header.
  void skip(std::size_t bytes) { begin_ += bytes; }

  std::size_t number = 0;  // 0, 1, … in the text's order

 private:
  friend class RecordBlocks;
  [[nodiscard]] char* data() { return storage_.data() + kTextPadding; }

  std::vector<char> storage_;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
};

// CSV text as a sequence of blocks of whole records, in constant memory. Leaves out a UTF-8 byte
// order mark. Files are read, not mapped: one that shrinks meanwhile is an error, not a signal.
class RecordBlocks {
 public:
  static constexpr std::size_t kDefaultBlockBytes = std::size_t{1} << 18;
  // A record longer than this is a quote that was never closed.
  static constexpr std::size_t kMaxRecordBytes = std::size_t{1} << 22;

  explicit RecordBlocks(std::unique_ptr<TextStream> stream,
                        std::size_t block_bytes = kDefaultBlockBytes);

  // The text's beginning, `bytes` of it if there are so many; next() gives them again. Once, before
  // the first block. The stream's errors.
  [[nodiscard]] Result<std::string_view> peek(std::size_t bytes);

  // False at the end of the text. E-csv-quote, and the stream's errors.
  [[nodiscard]] Result<bool> next(RecordBlock& block);

  [[nodiscard]] const TextStream& stream() const { return *stream_; }

 private:
  [[nodiscard]] Result<std::size_t> take(char* to, std::size_t wanted);
  [[nodiscard]] Result<void> fill(RecordBlock& block, std::size_t wanted);

  std::size_t block_bytes_;
  std::unique_ptr<TextStream> stream_;
  std::string peeked_;
  std::size_t peeked_taken_ = 0;
  std::vector<char> carry_;  // the beginning of a record whose end is not read yet
  std::size_t blocks_ = 0;
  bool at_end_ = false;
};

}  // namespace sotto
