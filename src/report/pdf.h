#pragma once

#include <filesystem>

#include "base/result.h"

// Drawings for papers: an SVG file made a PDF by Debian's rsvg-convert, which sotto needs for
// nothing else and starts where it is asked for.
namespace sotto {

// E-pdf where the program is not there, or does not want to.
[[nodiscard]] Result<void> write_pdf(const std::filesystem::path& svg,
                                     const std::filesystem::path& pdf);

}  // namespace sotto
