#include "data/csv/record_blocks.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

// Text cut where a record ends.
namespace sotto {

RecordBlocks::RecordBlocks(std::unique_ptr<TextStream> stream, std::size_t block_bytes)
    : block_bytes_(std::clamp<std::size_t>(block_bytes, 16, kMaxRecordBytes)),
      stream_(std::move(stream)) {}

Result<std::string_view> RecordBlocks::peek(std::size_t bytes) {
  peeked_.resize(bytes);
  std::size_t size = 0;
  while (size < bytes) {
    SOTTO_ASSIGN(const std::size_t got, stream_->read(peeked_.data() + size, bytes - size));
    if (got == 0) break;
    size += got;
  }
  peeked_.resize(size);
  return std::string_view(peeked_);
}

Result<std::size_t> RecordBlocks::take(char* to, std::size_t wanted) {
  if (peeked_taken_ == peeked_.size()) return stream_->read(to, wanted);
  const std::size_t taken = std::min(wanted, peeked_.size() - peeked_taken_);
  std::copy_n(peeked_.data() + peeked_taken_, taken, to);
  peeked_taken_ += taken;
  return taken;
}

Result<void> RecordBlocks::fill(RecordBlock& block, std::size_t wanted) {
  // One byte more than wanted: for the newline that a last line may lack.
  block.storage_.resize(wanted + 1 + 2 * kTextPadding);
  while (block.size_ < wanted && !at_end_) {
    SOTTO_ASSIGN(const std::size_t got, take(block.data() + block.size_, wanted - block.size_));
    at_end_ = got == 0;
    block.size_ += got;
  }
  return {};
}

namespace {

// Where the last record that ends in `text` ends: after its last newline outside
// quotes; 0 if there is none. `text` starts outside quotes. The parity of the
// quotes before a place says whether it is inside, so it is counted once to the
// end and then followed backwards.
std::size_t last_record_end(std::string_view text) {
  const std::size_t first_quote = text.find('"');
  if (first_quote == std::string_view::npos) return text.rfind('\n') + 1;
  bool inside =
      std::count(text.begin() + static_cast<std::ptrdiff_t>(first_quote), text.end(), '"') % 2 == 1;
  for (std::size_t at = text.size(); at > 0; --at) {
    if (text[at - 1] == '"') inside = !inside;
    if (text[at - 1] == '\n' && !inside) return at;
  }
  return 0;
}

}  // namespace

Result<bool> RecordBlocks::next(RecordBlock& block) {
  block.begin_ = 0;
  block.size_ = carry_.size();
  block.storage_.resize(std::max(block.storage_.size(), carry_.size() + 2 * kTextPadding));
  std::copy(carry_.begin(), carry_.end(), block.data());
  carry_.clear();
  std::size_t end = 0;
  for (std::size_t wanted = std::max(block_bytes_, block.size_); end == 0; wanted *= 2) {
    SOTTO_TRY(fill(block, wanted));
    if (blocks_ == 0 && std::string_view(block.data(), block.size_).starts_with("\xef\xbb\xbf")) {
      block.begin_ = 3;
    }
    if (at_end_) break;
    end = last_record_end({block.data(), block.size_});
    if (end == 0 && wanted >= kMaxRecordBytes) {
      return bad_input("E-csv-quote",
                       fmt::format("a record is longer than {} bytes", kMaxRecordBytes),
                       "check for a quote that is never closed");
    }
  }
  if (at_end_) {
    if (block.size_ == block.begin_) return false;
    if (block.data()[block.size_ - 1] != '\n') block.data()[block.size_++] = '\n';
    end = block.size_;
  }
  carry_.assign(block.data() + end, block.data() + block.size_);
  block.size_ = end;
  std::fill_n(block.data() + end, kTextPadding, '\0');
  block.number = blocks_++;
  return true;
}

}  // namespace sotto
