#include "data/csv/csv_block.h"

#include <cmath>
#include <string>

#include "base/digest.h"
#include "support/csv_files.h"

namespace sotto {
namespace {

using namespace csv_files;
using testing::HasSubstr;

TEST(CsvBlock, MarksAsMissingWhatTheStudyLists) {
  Schema schema = schema_abc();
  schema.missing_values = {"-9", "unknown"};
  const TempFile file("y,c,a\n1,red,-9\n1,unknown,1\n1,red,\n1,red,9\n");
  const Table rows = table_of(file.path(), schema).value();
  for (std::size_t r = 0; r < 3; ++r) {
    EXPECT_TRUE(std::isnan(rows[r][0]) || std::isnan(rows[r][1])) << r;
  }
  EXPECT_EQ(rows[3], (std::vector<double>{9, 0, 1}));
  EXPECT_EQ(error_of("y,c,a\n1,red,NA\n", schema).name, "E-csv-number");
  // A number is what it is, however it is written; also among levels.
  schema.features[1] = CategoricalFeature{"c", {"0", "1"}, true};
  const TempFile numbers("y,c,a\n1,1,-9.00\n1,-9.0,1\n1,1,-9e0\n-9,1,1\n");
  const Table all_missing = table_of(numbers.path(), schema).value();
  EXPECT_EQ(all_missing.size(), 4U);
  for (const auto& row : all_missing) {
    EXPECT_TRUE(std::isnan(row[0] + row[1] + row[2]));
  }
  schema.missing = MissingRule::kError;
  const Error error = error_of("y,c,a\n1,1,1\n1,0,-9\n", schema);
  EXPECT_EQ(error.name, "E-csv-missing");
  EXPECT_THAT(error.where, HasSubstr("line 3, column \"a\""));
}

TEST(CsvBlock, TakesOneNumberForOneLevelHoweverItIsWritten) {
  Schema schema = schema_abc();
  schema.features[1] = CategoricalFeature{"c", {"0", "1", "2.5"}, true};
  const TempFile file("y,c,a\n1,0,1\n1,0.0,1\n1,-0,1\n1, 1.00,1\n1,1e0,1\n1,\"2.50\",1\n");
  const Table rows = table_of(file.path(), schema).value();
  std::vector<double> levels;
  for (const auto& row : rows) levels.push_back(row[1]);
  EXPECT_EQ(levels, (std::vector<double>{0, 0, 0, 1, 1, 2}));
  EXPECT_EQ(error_of("y,c,a\n1,3,2\n", schema).name, "E-csv-level");
  schema.features[1] = CategoricalFeature{"c", {"0", "1"}};
  EXPECT_EQ(error_of("y,c,a\n1,0.0,2\n", schema).name, "E-csv-level") << "a text is what it says";
}

TEST(CsvBlock, CountsUnknownLevelsAsOtherWhereTheStudySaysSo) {
  for (const bool numbers : {false, true}) {
    Schema schema = schema_abc();
    schema.features[1] = CategoricalFeature{"c", {"1", "2", "other"}, numbers, true};
    const TempFile file("y,c,a\n1,2,1\n1,green,1\n1,other,1\n1,3,1\n1,NA,1\n1, 1 ,1\n");
    const Table rows = table_of(file.path(), schema).value();
    std::vector<double> levels;
    for (const auto& row : rows) levels.push_back(std::isnan(row[1]) ? -1 : row[1]);
    EXPECT_EQ(levels, (std::vector<double>{1, 2, 2, 2, -1, 0})) << numbers;
  }
}

TEST(CsvBlock, MarksAsMissingWhatOtherProgramsWriteForIt) {
  const TempFile file(
      "y,c,a\n,red,1\n1,,1\n1,NA,1\n1,red,\"\"\n1,red, NA \n1,red,.\n1,NULL,1\nNaN,red,1\n"
      "1,red,5\n");
  const Table rows = table_of(file.path()).value();
  ASSERT_EQ(rows.size(), 9U);
  for (std::size_t r = 0; r < 8; ++r) {
    int missing = 0;
    for (const double v : rows[r]) missing += std::isnan(v) ? 1 : 0;
    EXPECT_EQ(missing, 1) << r;
  }
  EXPECT_EQ(rows[8], (std::vector<double>{5, 0, 1}));
}

TEST(CsvBlock, KnowsManyLevels) {
  Schema schema = schema_abc();
  std::vector<std::string> levels;
  std::string content = "y,a,c\n";
  for (int k = 0; k < 50; ++k) {
    levels.push_back("level" + std::to_string(k));
    content += "1,1,level" + std::to_string(49 - k) + "\n";
  }
  schema.features[1] = CategoricalFeature{"c", levels};
  const TempFile file(content);
  const Table rows = table_of(file.path(), schema).value();
  for (std::size_t k = 0; k < 50; ++k) EXPECT_EQ(rows[k][1], 49 - static_cast<double>(k));
}

}  // namespace
}  // namespace sotto
