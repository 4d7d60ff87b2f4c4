#include "report/pdf.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

// No shell: file names are words of their own, whatever is in them.
namespace sotto {

Result<void> write_pdf(const std::filesystem::path& svg, const std::filesystem::path& pdf) {
  std::array<std::string, 6> words{"rsvg-convert", "--format=pdf", "--output",
                                   pdf.string(),   "--",           svg.string()};
  std::array<char*, 7> arguments{};
  for (std::size_t k = 0; k < words.size(); ++k) arguments[k] = words[k].data();
  pid_t child = -1;
  if (const int error =
          ::posix_spawnp(&child, "rsvg-convert", nullptr, nullptr, arguments.data(), environ);
      error != 0) {
    return failed("E-pdf", fmt::format("rsvg-convert could not be run: {}", std::strerror(error)),
                  "install librsvg2-bin, or use the SVG")
        .at(pdf.string());
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return failed("E-pdf", "rsvg-convert made no PDF of the drawing",
                "can the folder be written? The SVG is there in any case")
      .at(pdf.string());
}

}  // namespace sotto
