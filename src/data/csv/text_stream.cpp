#include "data/csv/text_stream.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/digest.h"

// Bytes from a file or a pipe, through zlib where they are gzip's. The digest is of the bytes as
// they lie on the disk, so that `sha256sum` says the same.
namespace sotto {
namespace {

constexpr std::size_t kPackedBytes = std::size_t{1} << 17;
constexpr std::array<char, 2> kGzipMagic{'\x1f', '\x8b'};

Error stopped(const std::string& why) {
  return failed("E-csv-read", fmt::format("reading stopped: {}", why),
                "check that the file is complete");
}

// A file descriptor, and the digest of all that came from it.
class FileBytes {
 public:
  FileBytes(int fd, bool digest) : fd_(fd) {
    if (digest) digest_.emplace();
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes() { ::close(fd_); }

  Result<std::size_t> read(char* to, std::size_t wanted) {
    ssize_t got = 0;
    do {
      got = ::read(fd_, to, wanted);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return stopped(std::strerror(errno));
    const auto bytes = static_cast<std::size_t>(got);
    if (digest_) digest_->add({to, bytes});
    done_ += bytes;
    return bytes;
  }

  [[nodiscard]] std::uint64_t done() const { return done_; }
  [[nodiscard]] std::string sha256() const { return digest_ ? to_hex(digest_->value()) : ""; }

 private:
  int fd_;
  std::uint64_t done_ = 0;
  std::optional<ByteDigest> digest_;
};

// Whether they are gzip's tells the first two bytes, which a pipe shows only once.
class FileText final : public TextStream {
 public:
  FileText(int fd, bool digest, std::uint64_t total) : file_(fd, digest), total_(total) {}
  FileText(const FileText&) = delete;
  FileText& operator=(const FileText&) = delete;
  ~FileText() override {
    if (kind_ == Kind::kGzip) inflateEnd(&zlib_);
  }

  Result<std::size_t> read(char* to, std::size_t wanted) override {
    if (kind_ == Kind::kUnknown) SOTTO_TRY(look());
    if (kind_ == Kind::kGzip) return read_gzip(to, wanted);
    if (waiting_ == 0) return file_.read(to, wanted);
    const std::size_t taken = std::min(waiting_, wanted);
    std::copy_n(packed_.data(), taken, to);
    std::copy(packed_.begin() + static_cast<std::ptrdiff_t>(taken),
              packed_.begin() + static_cast<std::ptrdiff_t>(waiting_), packed_.begin());
    waiting_ -= taken;
    return taken;
  }

  [[nodiscard]] std::uint64_t done() const override { return file_.done(); }
  [[nodiscard]] std::uint64_t total() const override { return total_; }
  [[nodiscard]] std::string sha256() const override { return file_.sha256(); }

 private:
  enum class Kind { kUnknown, kPlain, kGzip };

  Result<void> look() {
    packed_.resize(2);
    while (waiting_ < 2) {
      SOTTO_ASSIGN(const std::size_t got, file_.read(packed_.data() + waiting_, 2 - waiting_));
      if (got == 0) break;
      waiting_ += got;
    }
    kind_ = Kind::kPlain;
    if (waiting_ < 2 || !std::ranges::equal(packed_, kGzipMagic)) return {};
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&zlib_, MAX_WBITS + kGzipOnly) != Z_OK) return stopped("gzip: no memory");
    kind_ = Kind::kGzip;
    packed_.resize(kPackedBytes);
    take_in(waiting_);
    return {};
  }

  void take_in(std::size_t bytes) {
    zlib_.next_in = reinterpret_cast<unsigned char*>(packed_.data());
    zlib_.avail_in = static_cast<unsigned>(bytes);
  }

  // A file may be several gzip files one after the other; what follows the last is no part of it.
  Result<std::size_t> read_gzip(char* to, std::size_t wanted) {
    zlib_.next_out = reinterpret_cast<unsigned char*>(to);
    zlib_.avail_out = static_cast<unsigned>(wanted);
    while (zlib_.avail_out == wanted) {
      if (zlib_.avail_in == 0 || over_) {
        SOTTO_ASSIGN(const std::size_t got, file_.read(packed_.data(), packed_.size()));
        if (got == 0 && !between_) return stopped("gzip: the file ends too early");
        if (got == 0) return std::size_t{0};
        if (over_) continue;
        take_in(got);
      }
      if (between_ && *zlib_.next_in != 0x1f) {
        over_ = true;
        continue;
      }
      if (between_) inflateReset(&zlib_);
      const int code = inflate(&zlib_, Z_NO_FLUSH);
      between_ = code == Z_STREAM_END;
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
        return stopped(fmt::format("gzip: {}", zlib_.msg == nullptr ? "damaged" : zlib_.msg));
      }
    }
    return wanted - zlib_.avail_out;
  }

  FileBytes file_;
  std::uint64_t total_;
  Kind kind_ = Kind::kUnknown;
  std::vector<char> packed_;  // read and not handed on
  std::size_t waiting_ = 0;
  z_stream zlib_{};
  bool between_ = false;  // a gzip file has ended, and another may follow
  bool over_ = false;
};

Result<std::unique_ptr<TextStream>> open_file(const std::string& path, bool digest) {
  const int fd = path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                             : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (fd < 0 || ::fstat(fd, &status) != 0 || S_ISDIR(status.st_mode)) {
    const std::string why = fd >= 0 ? "it is a directory" : std::strerror(errno);
    if (fd >= 0) ::close(fd);
    return bad_input("E-csv-open", fmt::format("\"{}\" cannot be read: {}", path, why),
                     "give the path of a table that may be read");
  }
  return std::make_unique<FileText>(fd, digest, static_cast<std::uint64_t>(status.st_size));
}

// No pipe, whose bytes come once, and nothing that must be unpacked.
bool is_plain_file(const std::string& path) {
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return false;
  std::array<char, 2> first{};
  std::ifstream(path, std::ios::binary).read(first.data(), first.size());
  return first != kGzipMagic;
}

std::string part_of_file(const std::string& path, std::uint64_t from, std::size_t bytes) {
  std::string part(bytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(from));
  file.read(part.data(), static_cast<std::streamsize>(bytes));
  part.resize(static_cast<std::size_t>(file.gcount()));
  return part;
}

}  // namespace

std::string shown_path(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

TableText text_of_file(const std::string& path) {
  std::error_code ignored;  // whoever opens the file reports it
  const auto size = std::filesystem::file_size(path, ignored);
  TableText text{.facts = {.kind = "csv", .place = shown_path(path)},
                 .name = shown_path(path),
                 .bytes = ignored ? 0 : size,
                 .format = std::nullopt,
                 .open = [path](const Schema&, bool digest) { return open_file(path, digest); }};
  if (is_plain_file(path)) {
    text.part = [path](std::uint64_t from, std::size_t bytes) {
      return part_of_file(path, from, bytes);
    };
  }
  return text;
}

}  // namespace sotto
