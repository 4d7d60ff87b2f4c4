#include "base/files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

// Written beside it, synced, and renamed: a reader or a crash never meets half a file.
namespace sotto {
namespace {

Error cannot_write(const std::filesystem::path& path, const std::string& reason) {
  return failed("E-file-write", fmt::format("cannot write {}: {}", path.string(), reason),
                "name a file in a folder that can be written and has space left");
}

// Returns 0 or an errno.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(file) == 0 ? 0 : errno;
}

// Returns 0 or an errno. Unlike std::filesystem it makes a folder private from its first instant.
int make_private_folders(const std::filesystem::path& folder) {
  std::error_code problem;
  if (folder.empty() || std::filesystem::is_directory(folder, problem)) return 0;
  if (const int error = make_private_folders(folder.parent_path()); error != 0) return error;
  if (::mkdir(folder.c_str(), 0700) == 0) {
    // The umask must not take the owner's own rights away.
    return ::chmod(folder.c_str(), 0700) == 0 ? 0 : errno;
  }
  // Somebody else was quicker, or "a/" is "a".
  const int error = errno;
  return std::filesystem::is_directory(folder, problem) ? 0 : error;
}

int make_folders(const std::filesystem::path& folder, Readers readers) {
  if (readers == Readers::kOwnerOnly) return make_private_folders(folder);
  std::error_code problem;
  if (!folder.empty()) std::filesystem::create_directories(folder, problem);
  return problem.value();
}

}  // namespace

Result<void> write_file(const std::filesystem::path& path, std::string_view text, Readers readers) {
  std::error_code problem;
  if (!path.has_filename() || std::filesystem::is_directory(path, problem)) {
    return cannot_write(path, "it is a folder");
  }
  int error = make_folders(path.parent_path(), readers);
  const auto mode = readers == Readers::kOwnerOnly ? std::optional<mode_t>(0600) : std::nullopt;
  if (error == 0) error = replace_file(path, text, mode);
  if (error != 0) return cannot_write(path, std::strerror(error));
  return {};
}

int replace_file(const std::filesystem::path& path, std::string_view text,
                 std::optional<mode_t> mode) {
  // In the same folder, because a rename is atomic only within one file system.
  std::filesystem::path draft = path;
  draft += fmt::format(".{}.part", ::getpid());
  ::unlink(draft.c_str());  // a crash may have left one, with the mode it had
  const int file =
      ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode.value_or(0666));
  if (file < 0) return errno;
  int error = 0;
  // The umask must not take the owner's own rights away.
  if (mode && ::fchmod(file, *mode) != 0) error = errno;
  if (error == 0) error = write_all(file, text);
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(draft.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) ::unlink(draft.c_str());
  return error;
}

}  // namespace sotto
