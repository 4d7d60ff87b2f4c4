#include "support/chromium.h"

#include <gmock/gmock.h>

#include "support/sample_page.h"

namespace sotto {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class Chromium : public chromium::Browser {};

TEST_F(Chromium, ShowsAllTextInsideTheDrawingsAndNeverScrollsSideways) {
  const std::vector<int> widths{320, 375, 640, 700, 1000};
  const std::string light = probe({sample::page().html()}, widths, false);
  for (const int width : widths) {
    EXPECT_THAT(light, HasSubstr(fmt::format("width={} drawings=3 enough=true paper=rgb(255, 255, "
                                             "255) line=rgb(0, 114, 178) bad=[]\n",
                                             width)));
  }
}

TEST_F(Chromium, FollowsAReaderIntoTheDark) {
  EXPECT_EQ(
      probe({sample::page().html()}, {375}, true),
      "width=375 drawings=3 enough=true paper=rgb(21, 25, 30) line=rgb(86, 180, 233) bad=[]\n");
}

TEST_F(Chromium, PaintsThePageAndAStandaloneDrawing) {
  const fs::path page = folder_ / "page.html";
  const fs::path drawing = folder_ / "figure.svg";
  ASSERT_TRUE(write_file(page, sample::page().html()));
  ASSERT_TRUE(write_file(drawing, standalone_svg(sample::by_parties())));
  EXPECT_GT(picture_bytes(page), 60000U);
  EXPECT_GT(picture_bytes(drawing), 10000U);
}

}  // namespace
}  // namespace sotto
