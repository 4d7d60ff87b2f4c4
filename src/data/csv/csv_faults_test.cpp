#include "data/csv/csv_faults.h"

#include <string>
#include <utility>

#include "base/digest.h"
#include "data/rows.h"
#include "support/csv_files.h"

namespace sotto {
namespace {

using namespace csv_files;
using testing::HasSubstr;

TEST(CsvFaults, ReportsAllErrorsOfAFileInItsOrderWhateverTheColumn) {
  std::string content = "a,c,y\n";
  for (int i = 0; i < 500; ++i) content += "1,\"two\nlines\",2\n";
  content += "1,red,bad\nbad,green,1\n\n1,red\n1,red,2\n1,red,\"worse\"\n";
  const Error error = error_of(content);
  EXPECT_EQ(error.name, "E-csv-number");
  EXPECT_THAT(error.where, HasSubstr("line 1002, column \"y\""));
  ASSERT_EQ(error.others.size(), 4U);
  EXPECT_EQ(error.unlisted, 0U);
  const std::vector<std::pair<std::string, std::string>> others = {
      {"E-csv-number", "line 1003, column \"a\""},
      {"E-csv-level", "line 1003, column \"c\""},
      {"E-csv-fields", "line 1005"},
      {"E-csv-number", "line 1007, column \"y\""}};
  for (std::size_t k = 0; k < others.size(); ++k) {
    EXPECT_EQ(error.others[k].name, others[k].first);
    EXPECT_THAT(error.others[k].where, HasSubstr(others[k].second));
    EXPECT_FALSE(error.others[k].fix.empty());
  }
}

TEST(CsvFaults, ListsTwentyErrorsAndCountsTheRest) {
  std::string content = "a,c,y\n";
  for (int i = 0; i < 1000; ++i) content += "1,green,2\n3,red,x\n1,red,2\n";
  const Error error = error_of(content);
  ASSERT_EQ(error.others.size(), BlockFaults::kListed - 1);
  EXPECT_EQ(error.unlisted, 2000 - BlockFaults::kListed);
  EXPECT_THAT(error.others.back().where, HasSubstr("line 30, column \"y\""));
}

TEST(CsvFaults, SaysNothingOfWhatFollowsAWrongQuote) {
  const Error error = error_of("a,c,y\nx,red,1\n1,\"re\"d,1\nx,green,1\nx,red\n");
  EXPECT_EQ(error.name, "E-csv-number");
  ASSERT_EQ(error.others.size(), 1U);
  EXPECT_EQ(error.others[0].name, "E-csv-quote");
  EXPECT_THAT(error.others[0].where, HasSubstr("line 3"));
}

// Reading goes on to find the other errors; until it has ended in one, rows are added up.
TEST(CsvFaults, ARowThatCannotBeReadCountsForNobody) {
  const TempFile file("a,c,y\n1,red,1\nx,red,1\n1,green,1\n1,red,9\n");
  std::vector<bool> counts;
  const auto sink = [&](std::size_t, const RawRows& raw) {
    for (std::size_t r = 0; r < raw.rows; ++r) counts.push_back(is_complete(raw, r));
  };
  CsvOptions options;
  options.threads = 1;
  EXPECT_FALSE(CsvSource({file.path()}, options).read(schema_abc(), sink));
  EXPECT_EQ(counts, (std::vector<bool>{true, false, false, true}));
}

}  // namespace
}  // namespace sotto
