// Drawings as PDF, where Debian's rsvg-convert is installed.
#include "report/pdf.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <iterator>

#include "base/files.h"
#include "report/chart.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

TEST(Pdf, IsMadeOfADrawingOrSaysWhatIsMissing) {
  const TemporaryFolder folder;
  const LineChart chart{.labels = {.title = "what ε buys", .x = "ε", .y = "σ"},
                        .series = {{.name = "ac", .x = {0.1, 1, 10}, .y = {3, 2, 1}}}};
  ASSERT_TRUE(write_file(folder / "drawing of ε.svg", standalone_svg(chart)));
  const auto made = write_pdf(folder / "drawing of ε.svg", folder / "drawing.pdf");
  if (made) {
    std::ifstream file(folder / "drawing.pdf", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_TRUE(bytes.starts_with("%PDF-"));
    EXPECT_GT(bytes.size(), 1000U);
    EXPECT_FALSE(write_pdf(folder / "no such.svg", folder / "other.pdf"));
  } else {
    EXPECT_EQ(made.error().name, "E-pdf");
    EXPECT_NE(made.error().fix.find("librsvg2-bin"), std::string::npos);
  }
  const std::string path = getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const auto without = write_pdf(folder / "drawing of ε.svg", folder / "none.pdf");
  setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().name, "E-pdf");
}

}  // namespace
}  // namespace sotto
