#include "base/files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

// Written beside it, synced, renamed, and the folder synced: a reader or a crash never meets half a
// file, and no power cut takes it back.
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

}  // namespace

std::filesystem::path without_slash(std::filesystem::path folder) {
  while (folder.has_parent_path() && folder.has_relative_path() &&
         (!folder.has_filename() || folder.filename() == ".")) {
    folder = folder.parent_path();
  }
  return folder;
}

int sync_folder(const std::filesystem::path& folder) {
  const int file =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return 0;
  const int error = ::fsync(file) == 0 || errno == EINVAL ? 0 : errno;
  ::close(file);
  return error;
}

// Unlike std::filesystem it makes a folder private from its first instant.
int make_folders(const std::filesystem::path& folder, Readers readers) {
  std::error_code problem;
  if (folder.empty() || std::filesystem::is_directory(folder, problem)) return 0;
  const std::filesystem::path path = without_slash(folder);
  if (const int error = make_folders(path.parent_path(), readers); error != 0) return error;
  const bool ours_alone = readers == Readers::kOwnerOnly;
  if (::mkdir(path.c_str(), ours_alone ? 0700 : 0777) == 0) {
    // The umask must not take the owner's own rights away.
    if (ours_alone && ::chmod(path.c_str(), 0700) != 0) return errno;
    return sync_folder(path.parent_path());
  }
  const int error = errno;
  if (std::filesystem::is_directory(path, problem)) return 0;  // somebody else was quicker
  return error == EEXIST ? ENOTDIR : error;
}

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
  if (error != 0) {
    ::unlink(draft.c_str());
    return error;
  }
  // What is erased or spent next relies on it: after a power cut too the file is there.
  return sync_folder(path.parent_path());
}

}  // namespace sotto
