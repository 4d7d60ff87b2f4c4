#include "report/csv.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace sotto {
namespace {

TEST(Csv, WritesAHeaderAndRowsOfTextsAndNumbers) {
  CsvWriter csv({"solver", "trial", "squared_error"});
  csv.row("gt", 0, 1.0);
  csv.row(std::string("dishuf"), 1, 0.1 + 0.2);
  csv.row_of({"ac", "2", "x"});
  EXPECT_EQ(csv.text(),
            "solver,trial,squared_error\ngt,0,1\ndishuf,1,0.30000000000000004\nac,2,x\n");
}

TEST(Csv, QuotesWhatWouldBreakARow) {
  CsvWriter csv({"a", "b"});
  csv.row("x,y", "she said \"no\"");
  csv.row("two\nlines", " padded");
  csv.row("", "plain");
  EXPECT_EQ(csv.text(),
            "a,b\n\"x,y\",\"she said \"\"no\"\"\"\n\"two\nlines\",\" padded\"\n,plain\n");
}

TEST(Csv, KeepsARowWhoseOnlyCellIsEmpty) {
  CsvWriter csv({"a"});
  csv.row("");
  EXPECT_EQ(csv.text(), "a\n\"\"\n");
}

TEST(CsvDeathTest, TreatsARowOfTheWrongLengthAsABug) {
  CsvWriter csv({"a", "b"});
  EXPECT_DEATH(csv.row(1), "one cell per column");
}

RC_GTEST_PROP(CsvProperty, NumbersReadBackAsTheSameDouble, (std::uint64_t bits)) {
  const auto value = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(value));
  CsvWriter csv({"v"});
  csv.row(value);
  const double back = std::strtod(csv.text().substr(2).c_str(), nullptr);
  RC_ASSERT(std::bit_cast<std::uint64_t>(back) == bits);
}

}  // namespace
}  // namespace sotto
