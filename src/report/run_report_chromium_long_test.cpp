#include "report/run_report.h"
#include "support/chromium.h"
#include "support/run_records.h"

namespace sotto {
namespace {

class RunReportInChromium : public chromium::Browser {};

std::vector<std::string> all_pages() {
  std::vector<std::string> pages;
  for (const RunRecord& record : sample::all_records()) {
    pages.push_back(run_report(record, Audience::kOwn).html());
  }
  return pages;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(RunReportInChromium, ShowsEveryKindOfRunOnEveryScreen) {
  const std::vector<std::string> pages = all_pages();
  const std::vector<int> widths{320, 375, 700, 1000};
  const std::string answer = probe(pages, widths, false);
  EXPECT_EQ(count_of(answer, "width="), pages.size() * widths.size()) << answer;
  EXPECT_EQ(count_of(answer, "bad=[]\n"), pages.size() * widths.size()) << answer;
}

TEST_F(RunReportInChromium, PaintsThePage) {
  const auto page = folder_ / "report.html";
  ASSERT_TRUE(write_file(page, all_pages().front()));
  EXPECT_GT(picture_bytes(page), 60000U);
}

}  // namespace
}  // namespace sotto
