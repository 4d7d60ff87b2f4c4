#include "data/csv/csv_format.h"

#include <string>

#include "base/digest.h"
#include "support/csv_files.h"

namespace sotto {
namespace {

using namespace csv_files;
using testing::HasSubstr;

// The same table with another separator, and commas in its numbers.
TEST(CsvFormat, FindsOutWhatSeparatesFieldsAndWhatNumbersHave) {
  struct Case {
    std::string content;
    std::string format;
  };
  const std::vector<Case> cases = {
      {"y;c;a\n2;\"light, \"\"sky\"\" blue\";1,5\n4;red;3\n",
       "fields separated by \";\", decimal comma"},
      {"y;c;a\r\n2;\"light, \"\"sky\"\" blue\";\"1,5\"\r\n4;red;3\r\n",
       "fields separated by \";\", decimal comma"},
      {"y;c;a\n2;\"light, \"\"sky\"\" blue\";1.5\n4;red;3\n", "fields separated by \";\""},
      {"y\tc\ta\n2\t\"light, \"\"sky\"\" blue\"\t1.5\n4\tred\t3\n", "fields separated by tabs"},
      {"\xef\xbb\xbfy|c|a\n2|\"light, \"\"sky\"\" blue\"|1.5\n4|red|3\n",
       "fields separated by \"|\""},
      {"y,c,a\n2,\"light, \"\"sky\"\" blue\",1.5\n4,red,3\n", ""}};
  for (const auto& [content, format] : cases) {
    const TempFile file(content);
    for (const CsvKernel kernel : {CsvKernel::kPortable, best_csv_kernel()}) {
      std::vector<SourceFacts> facts;
      CsvOptions options;
      options.kernel = kernel;
      options.threads = 1;
      options.on_facts = [&](const SourceFacts& each) { facts.push_back(each); };
      Table rows;
      const auto read =
          CsvSource({file.path()}, options)
              .read(schema_abc(), [&](std::size_t, const RawRows& raw) {
                for (std::size_t r = 0; r < raw.rows; ++r) {
                  rows.push_back({raw.column(0)[r], raw.column(1)[r], raw.column(2)[r]});
                }
              });
      ASSERT_TRUE(read) << read.error().to_string() << content;
      EXPECT_EQ(rows, kTwoRows) << content;
      ASSERT_EQ(facts.size(), 1U);
      EXPECT_EQ(facts[0].format, format);
      EXPECT_EQ(facts[0].sha256, to_hex(sha256(content)));
    }
  }
}

TEST(CsvFormat, NeverReadsAPointForACommaOrTheOtherWayRound) {
  // Both in one file: whoever is in the minority is an error, and says how to settle it.
  const Error mixed = error_of("y;c;a\n1,5;red;2.5\n");
  EXPECT_EQ(mixed.name, "E-csv-number");
  EXPECT_THAT(mixed.what, HasSubstr("1,5"));
  EXPECT_THAT(mixed.fix, HasSubstr("--decimal comma"));
  const Error thousands = error_of("y;c;a\n1,5;red;1.234,5\n");
  EXPECT_THAT(thousands.what, HasSubstr("1.234,5"));
  const TempFile file("y;c;a\n1,5;red;2.5\n");
  CsvOptions told;
  told.dialect.decimal = ',';
  const auto read =
      CsvSource({file.path()}, told).read(schema_abc(), [](std::size_t, const RawRows&) {});
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().what, HasSubstr("2.5"));
  EXPECT_THAT(read.error().fix, HasSubstr("--decimal point"));
}

TEST(CsvFormat, TakesWhatItIsTold) {
  const auto read = [](const std::string& content, CsvDialect dialect) {
    const TempFile file(content);
    CsvOptions options;
    options.threads = 1;
    options.dialect = dialect;
    Schema schema;
    schema.target = {"y", {0, 10}};
    schema.features = {NumericFeature{"a", {0, 10}}};
    std::vector<double> values;
    const auto done =
        CsvSource({file.path()}, options).read(schema, [&](std::size_t, const RawRows& raw) {
          for (std::size_t r = 0; r < raw.rows; ++r) {
            values.push_back(raw.column(0)[r]);
          }
        });
    return done ? testing::PrintToString(values) : done.error().name;
  };
  // The first comma separates, unless commas are said to be in numbers.
  EXPECT_EQ(read("y,a;y;a\n1;2;3,5\n", {.separator = ';', .decimal = {}}), "{ 3.5 }");
  EXPECT_EQ(read("y,a|y|a\n1|2|3\n", {.separator = {}, .decimal = ','}), "{ 3 }");
  EXPECT_EQ(read("y;a\n1;2,5\n", {.separator = {}, .decimal = ','}), "{ 2.5 }");
  EXPECT_EQ(read("y;a\n1;2,5\n", {.separator = ',', .decimal = {}}), "E-csv-header");
  EXPECT_EQ(read("y;a\n1;2,5\n", {.separator = {}, .decimal = '.'}), "E-csv-number");
}

TEST(CsvFormat, ReadsOneSampleWhateverTheBlocks) {
  // The decimal comma shows only after many records without one.
  std::string content = "y;c;a\n";
  for (int i = 0; i < 300; ++i) content += "4;red;3\n";
  content += "4;red;3,5\n";
  const TempFile file(content);
  for (const std::size_t block_bytes : {16UL, 64UL, 1UL << 18}) {
    const auto rows = table_of(file.path(), schema_abc(), block_bytes);
    ASSERT_TRUE(rows) << rows.error().to_string();
    EXPECT_EQ(rows->back(), (std::vector<double>{3.5, 0, 4}));
  }
}

}  // namespace
}  // namespace sotto
