#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace sotto {

// Whom the file system lets read a file that sotto writes.
enum class Readers {
  kAsUsual,    // as the process's umask says
  kOwnerOnly,  // mode 0600: what one party must not show to others
};

// Writes `text` to `path`: afterwards the file is either what it was or all of
// `text`, never a part, and has the mode that `readers` says, whatever it had before. When this
// returns it is on the disk, name and all.
// Creates missing folders; with kOwnerOnly those are for the owner too, mode 0700.
// E-file-write says why it failed.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& path, std::string_view text,
                                      Readers readers = Readers::kAsUsual);

// The same in a folder that is there, with exactly this mode, or with what the umask leaves of
// 0666. Returns 0 or an errno.
[[nodiscard]] int replace_file(const std::filesystem::path& path, std::string_view text,
                               std::optional<mode_t> mode);

// Makes the folder and those above it that are missing, on the disk when this returns; with
// kOwnerOnly each with mode 0700. Returns 0 or an errno.
[[nodiscard]] int make_folders(const std::filesystem::path& folder, Readers readers);

// The same folder: "north/" and "north/." are in the folder north, as far as parent_path() knows,
// and not beside it.
[[nodiscard]] std::filesystem::path without_slash(std::filesystem::path folder);

// The name of a new file is on the disk only when its folder is. Returns 0 or an errno; 0 too where
// there is nothing to be done: the folder may not be read, or its file system has no such thing.
[[nodiscard]] int sync_folder(const std::filesystem::path& folder);

}  // namespace sotto
