#include "data/csv/record_blocks.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

// Bytes from a file or from zlib, cut where a record ends.
namespace sotto {

// A plain file through read(2), a gzip file through zlib.
class RecordBlocks::Input {
 public:
  explicit Input(int fd) : fd_(fd) {
    std::array<unsigned char, 2> magic{};
    const ssize_t got = ::pread(fd_, magic.data(), magic.size(), 0);
    if (got == 2 && magic[0] == 0x1f && magic[1] == 0x8b) {
      gzip_ = gzdopen(fd_, "rb");
      if (gzip_ != nullptr) gzbuffer(gzip_, 1U << 17);
    }
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input() {
    if (gzip_ != nullptr) {
      gzclose(gzip_);
    } else {
      ::close(fd_);
    }
  }

  // How many bytes came; 0 at the end, −1 with problem() set.
  std::ptrdiff_t read(char* to, std::size_t wanted) {
    if (gzip_ != nullptr) return read_gzip(to, wanted);
    ssize_t got = 0;
    do {
      got = ::read(fd_, to, wanted);
    } while (got < 0 && errno == EINTR);
    if (got < 0) problem_ = std::strerror(errno);
    if (got > 0) done_ += static_cast<std::uint64_t>(got);
    return got;
  }

  [[nodiscard]] std::uint64_t done() const {
    if (gzip_ == nullptr) return done_;
    const auto offset = gzoffset(gzip_);
    return offset < 0 ? 0 : static_cast<std::uint64_t>(offset);
  }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  std::ptrdiff_t read_gzip(char* to, std::size_t wanted) {
    const int got = gzread(gzip_, to, static_cast<unsigned>(wanted));
    int code = Z_OK;
    const char* text = gzerror(gzip_, &code);
    // A file that was cut short ends like any other, but for this code.
    if (got < 0 || (got == 0 && code != Z_OK && code != Z_STREAM_END)) {
      problem_ = std::string("gzip: ") + text;
      return -1;
    }
    return got;
  }

  int fd_;
  gzFile gzip_ = nullptr;
  std::uint64_t done_ = 0;
  std::string problem_;
};

void RecordBlocks::InputDeleter::operator()(Input* input) const {
  delete input;
}

Result<RecordBlocks> RecordBlocks::open(const std::string& path, std::size_t block_bytes) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (fd < 0 || ::fstat(fd, &status) != 0 || S_ISDIR(status.st_mode)) {
    const std::string why = fd >= 0 ? "it is a directory" : std::strerror(errno);
    if (fd >= 0) ::close(fd);
    return bad_input("E-csv-open", fmt::format("\"{}\" cannot be read: {}", path, why),
                     "give the path of a CSV file that may be read");
  }
  RecordBlocks source;
  source.path_ = path;
  source.block_bytes_ = std::clamp<std::size_t>(block_bytes, 16, kMaxRecordBytes);
  source.bytes_total_ = static_cast<std::uint64_t>(status.st_size);
  source.input_.reset(new Input(fd));
  return source;
}

std::uint64_t RecordBlocks::bytes_done() const {
  return input_->done();
}

Result<void> RecordBlocks::fill(RecordBlock& block, std::size_t wanted) {
  // One byte more than wanted: for the newline that a last line may lack.
  block.storage_.resize(wanted + 1 + 2 * kTextPadding);
  while (block.size_ < wanted && !at_end_) {
    const std::ptrdiff_t got = input_->read(block.data() + block.size_, wanted - block.size_);
    if (got < 0) {
      return failed("E-csv-read", fmt::format("reading stopped: {}", input_->problem()),
                    "check that the file is complete");
    }
    at_end_ = got == 0;
    block.size_ += static_cast<std::size_t>(got);
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
    SOTTO_TRY(fill(block, wanted).at(path_));
    if (blocks_ == 0 && std::string_view(block.data(), block.size_).starts_with("\xef\xbb\xbf")) {
      block.begin_ = 3;
    }
    if (at_end_) break;
    end = last_record_end({block.data(), block.size_});
    if (end == 0 && wanted >= kMaxRecordBytes) {
      return bad_input("E-csv-quote",
                       fmt::format("a record is longer than {} bytes", kMaxRecordBytes),
                       "check for a quote that is never closed")
          .at(path_);
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
