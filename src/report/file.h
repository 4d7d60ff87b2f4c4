#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace sotto {

// Writes `text` to `path`: afterwards the file is either what it was or all of
// `text`, never a part. Creates missing folders. E-file-write says why it failed.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace sotto
