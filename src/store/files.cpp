// What the file system promises, and SQLite does not ask for: modes, folders on the disk, flock.

#include "store/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <thread>
#include <utility>

#include "base/files.h"

namespace sotto {
namespace {

constexpr std::chrono::milliseconds kBetweenTries{5};

Error cannot_open(const std::string& path, int reason) {
  if (reason == ENOSPC || reason == EDQUOT) {
    return failed(
        "E-store-full", fmt::format("the disk takes no more of {}", path),
        "free some space, or look at the quota and the disk; nothing that was kept is lost");
  }
  if (reason == EROFS || reason == EACCES || reason == EPERM) {
    return failed("E-store-read-only",
                  fmt::format("{} cannot be written: {}", path, std::strerror(reason)),
                  "make the file and its folder writable for the user who runs sotto");
  }
  return failed("E-store-open", fmt::format("cannot open {}: {}", path, std::strerror(reason)),
                "name a home folder on a local disk that can be written");
}

LockHolder holder_of(int file) {
  std::array<char, 16> text{};
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  const std::string_view digits(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return {"another process"};
  }
  return {fmt::format("process {}", digits)};
}

}  // namespace

StoreLock::StoreLock(StoreLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

StoreLock::~StoreLock() {
  // The file stays: to remove it would let two processes lock two files of one name.
  if (file_ >= 0) ::close(file_);
}

Result<StoreLock> StoreLock::take(const std::string& path, std::chrono::milliseconds patience) {
  SOTTO_ASSIGN(auto taken, try_take(path, patience));
  if (auto* lock = std::get_if<StoreLock>(&taken)) return std::move(*lock);
  return failed("E-store-busy", fmt::format("{} holds {}", std::get<LockHolder>(taken).name, path),
                "wait for it to end, or end it");
}

Result<std::variant<StoreLock, LockHolder>> StoreLock::try_take(
    const std::string& path, std::chrono::milliseconds patience) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return cannot_open(path, errno);
  StoreLock lock(file);
  std::chrono::milliseconds waited{0};
  while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return cannot_open(path, errno);
    if (waited >= patience) return holder_of(file);
    std::this_thread::sleep_for(kBetweenTries);
    waited += kBetweenTries;
  }
  // For the message only: on a full disk the lock still holds.
  const std::string holder = std::to_string(::getpid());
  if (::ftruncate(file, 0) == 0) {
    static_cast<void>(::pwrite(file, holder.data(), holder.size(), 0) > 0);
  }
  return lock;
}

Result<void> store::make_private_folder(const std::string& folder) {
  const std::filesystem::path path = without_slash(folder);
  if (const int error = make_folders(path.parent_path(), Readers::kAsUsual); error != 0) {
    return cannot_open(folder, error);
  }
  if (::mkdir(path.c_str(), 0700) == 0) {
    if (::chmod(path.c_str(), 0700) != 0) return cannot_open(folder, errno);
    if (const int error = sync_folder(path.parent_path()); error != 0) {
      return cannot_open(folder, error);
    }
    return {};
  }
  if (errno != EEXIST) return cannot_open(folder, errno);
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return cannot_open(folder, errno);
  if (!S_ISDIR(status.st_mode)) return cannot_open(folder, ENOTDIR);
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return refused("E-store-mode", fmt::format("others may write to the folder {}", folder),
                   fmt::format("chmod 700 {}", folder));
  }
  return {};
}

Result<void> store::make_private_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0) {
    int error = ::fchmod(file, 0600) == 0 ? 0 : errno;
    ::close(file);
    if (error == 0) error = sync_folder(std::filesystem::path(path).parent_path());
    if (error != 0) return cannot_open(path, error);
    return {};
  }
  if (errno != EEXIST) return cannot_open(path, errno);
  // Looked at without opening: closing any descriptor of a file drops all locks that
  // this process has on it, those of another connection too.
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return cannot_open(path, errno);
  if (!S_ISREG(status.st_mode)) {
    return failed("E-store-foreign", fmt::format("{} is no file", path),
                  "name another home folder, or move it away");
  }
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return refused("E-store-mode",
                   fmt::format("others may read {}, and it holds the noise of every run", path),
                   fmt::format("chmod 600 {}, and think about who may have read it", path));
  }
  return {};
}

}  // namespace sotto
