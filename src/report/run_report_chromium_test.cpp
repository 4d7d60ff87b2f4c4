#include <gmock/gmock.h>

#include "report/run_report.h"
#include "support/chromium.h"
#include "support/run_records.h"

namespace sotto {
namespace {

using testing::HasSubstr;

class RunReportInChromium : public chromium::Browser {};

// On a telephone, where there is the least room; all others are in the long test.
TEST_F(RunReportInChromium, FollowsAReaderIntoTheDark) {
  const std::string answer =
      probe({run_report(sample::energy(), Audience::kOwn).html()}, {375}, true);
  EXPECT_THAT(answer, HasSubstr("drawings=4 enough=true paper=rgb(21, 25, 30) line=rgb(86, 180, "
                                "233) bad=[]\n"));
}

}  // namespace
}  // namespace sotto
