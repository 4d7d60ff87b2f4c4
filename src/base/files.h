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
// `text`, never a part, and has the mode that `readers` says, whatever it had before.
// Creates missing folders; with kOwnerOnly those are for the owner too, mode 0700.
// E-file-write says why it failed.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& path, std::string_view text,
                                      Readers readers = Readers::kAsUsual);

// The same in a folder that is there, with exactly this mode, or with what the umask leaves of
// 0666. Returns 0 or an errno.
[[nodiscard]] int replace_file(const std::filesystem::path& path, std::string_view text,
                               std::optional<mode_t> mode);

}  // namespace sotto
