#include "report/text.h"

#include <gtest/gtest.h>

#include <chrono>

namespace sotto::report {
namespace {

TEST(ReportText, IsShortenedToWholeCharactersThatFit) {
  EXPECT_EQ(shorten("energy", 100, 10), "energy");
  EXPECT_EQ(shorten("a longer name", 50, 10), "a longe…");
  EXPECT_EQ(shorten("ääääääääää", 35, 10), "äää…");
  EXPECT_EQ(shorten("ääää", 3, 10), "…");
  for (double width = 0; width < 60; width += 0.7) {
    const std::string cut = shorten("Straßenbahn äöü 東京 I", width, 10);
    EXPECT_TRUE(cut == "…" || text_width(cut, 10) <= width + 10) << width;
  }
}

// A byte at a time, each with a look at all before it, that would take hours.
TEST(ReportText, IsShortenedInOnePass) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(shorten(std::string(1 << 20, 'a'), 24, 10), "aa…");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace sotto::report
