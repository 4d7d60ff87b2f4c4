#pragma once

#include <optional>
#include <string>
#include <string_view>

// The files of the page, which are part of the program (src/view/page/, cmake/PageFiles.cmake).
namespace sotto::view {

struct PageFile {
  std::string_view type;
  std::string text;
};

// "" is the page itself. "style.css" has the report's colours and shapes before the page's own.
[[nodiscard]] std::optional<PageFile> page_file(std::string_view name);

// A file of src/view/page/ as it is; empty if there is none. Written by the build.
[[nodiscard]] std::string_view page_text(std::string_view name);

}  // namespace sotto::view
