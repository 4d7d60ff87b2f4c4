#include "data/csv/csv_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <random>
#include <thread>

#include "base/digest.h"
#include "data/csv/csv_block.h"

namespace sotto {
namespace {

using ::testing::HasSubstr;
using namespace std::string_literals;

class TempFile {
 public:
  explicit TempFile(const std::string& content, bool gzip = false) {
    path_ = (std::filesystem::temp_directory_path() / "sotto-csv-XXXXXX").string();
    const int fd = ::mkstemp(path_.data());
    EXPECT_GE(fd, 0);
    if (gzip) {
      gzFile file = gzdopen(fd, "wb");
      gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
      gzclose(file);
    } else {
      std::FILE* file = ::fdopen(fd, "w");
      std::fwrite(content.data(), 1, content.size(), file);
      std::fclose(file);
    }
  }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  ~TempFile() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Schema schema_abc() {
  Schema schema;
  schema.target = {"y", {0, 10}};
  schema.features = {NumericFeature{"a", {0, 10}},
                     CategoricalFeature{"c", {"red", "light, \"sky\" blue", "two\nlines"}}};
  return schema;
}

using Table = std::vector<std::vector<double>>;

// In the file's order: one thread.
Result<Table> table_of(const std::string& path, const Schema& schema = schema_abc(),
                       std::size_t block_bytes = RecordBlocks::kDefaultBlockBytes) {
  CsvOptions options;
  options.threads = 1;
  options.block_bytes = block_bytes;
  Table rows;
  const auto sink = [&](std::size_t, const RawRows& raw) {
    EXPECT_EQ(raw.first_record, rows.size());
    for (std::size_t r = 0; r < raw.rows; ++r) {
      rows.emplace_back();
      for (std::size_t c = 0; c < raw.columns(); ++c) rows.back().push_back(raw.column(c)[r]);
    }
  };
  if (auto read = CsvSource({path}, options).read(schema, sink); !read) {
    return read.error();
  }
  return rows;
}

// An error and those that follow it, a line each.
std::string all_of(const Error& error) {
  std::string text = error.to_string() + "\n";
  for (const Error& other : error.others) text += other.to_string() + "\n";
  return text + std::to_string(error.unlisted);
}

// The error of a file, which must not depend on blocks, threads or kernels.
Error error_of(const std::string& content, const Schema& schema = schema_abc()) {
  const TempFile file(content);
  std::optional<Error> first;
  for (const std::size_t block_bytes : {16UL, 100UL, RecordBlocks::kDefaultBlockBytes}) {
    for (const int threads : {1, 3}) {
      for (const CsvKernel kernel : {CsvKernel::kPortable, best_csv_kernel()}) {
        CsvOptions options;
        options.threads = threads;
        options.block_bytes = block_bytes;
        options.kernel = kernel;
        const auto read =
            CsvSource({file.path()}, options).read(schema, [](std::size_t, const RawRows&) {});
        EXPECT_FALSE(read) << content;
        if (read) return {};
        if (!first) first = read.error();
        EXPECT_EQ(all_of(read.error()), all_of(*first));
      }
    }
  }
  EXPECT_THAT(first->where, HasSubstr(file.path()));
  return *first;
}

const Table kTwoRows = {{1.5, 1, 2}, {3, 0, 4}};

TEST(Csv, ReadsColumnsInAnyOrderAndIgnoresTheOthers) {
  const TempFile file("note,y,c,a\nx,2,\"light, \"\"sky\"\" blue\",1.5\n,4,red,3\n");
  EXPECT_EQ(table_of(file.path()).value(), kTwoRows);
}

TEST(Csv, ReadsEveryUsualWayToWriteTheSameFile) {
  const std::string lf = "y,c,a\n2,\"light, \"\"sky\"\" blue\",1.5\n4,red,3\n";
  std::string crlf;
  for (const char c : lf) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const std::vector<std::string> files = {
      lf,
      crlf,
      "\xef\xbb\xbf" + lf,
      lf.substr(0, lf.size() - 1),
      crlf.substr(0, crlf.size() - 2),
      crlf.substr(0, crlf.size() - 1),
      lf + "\n",
      lf + "\r\n\n",
      "\"y\",\"c\",\"a\"\n\"2\",\"light, \"\"sky\"\" blue\",\"1.5\"\n\n\"4\",\"red\",\"3\"\n",
      "y , c,a\n 2,\"light, \"\"sky\"\" blue\",1.5\n4 ,red,\t3\n"};
  for (const std::string& content : files) {
    for (const bool gzip : {false, true}) {
      const TempFile file(content, gzip);
      for (const std::size_t block_bytes : {16UL, 64UL, 1UL << 18}) {
        const auto rows = table_of(file.path(), schema_abc(), block_bytes);
        ASSERT_TRUE(rows) << rows.error().to_string() << "\n" << content;
        EXPECT_EQ(*rows, kTwoRows) << content;
      }
    }
  }
}

TEST(Csv, ReadsNewlinesInsideQuotes) {
  const TempFile file("y,c,a\n1,\"two\nlines\",2\n3,red,4\n");
  EXPECT_EQ(table_of(file.path(), schema_abc(), 16).value(), (Table{{2, 2, 1}, {4, 0, 3}}));
}

TEST(Csv, MarksAsMissingWhatOtherProgramsWriteForIt) {
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

TEST(Csv, KnowsManyLevels) {
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

TEST(Csv, ReadsAFileWithoutRecords) {
  for (const char* content : {"y,c,a", "y,c,a\n", "y,c,a\r\n\r\n"}) {
    const TempFile file(content);
    EXPECT_TRUE(table_of(file.path()).value().empty()) << content;
  }
}

TEST(Csv, SaysWhichFileCannotBeOpened) {
  const auto missing = table_of("/nonexistent/table.csv");
  EXPECT_EQ(missing.error().name, "E-csv-open");
  EXPECT_THAT(missing.error().what, HasSubstr("/nonexistent/table.csv"));
  EXPECT_EQ(table_of(std::filesystem::temp_directory_path().string()).error().name, "E-csv-open");
}

TEST(Csv, SaysWhichColumnIsMissingAndWhichAreThere) {
  const Error error = error_of("y,colour,a\n");
  EXPECT_EQ(error.name, "E-csv-header");
  EXPECT_THAT(error.what, HasSubstr("\"c\""));
  EXPECT_THAT(error.what, HasSubstr("\"colour\""));
  EXPECT_EQ(error_of("").name, "E-csv-header");
  EXPECT_EQ(error_of("\xff\xfey\n").name, "E-csv-header");
  const Error several = error_of("u;v\n");
  EXPECT_THAT(several.what, HasSubstr("columns \"a\", \"c\", \"y\" of the study are not"));
  EXPECT_THAT(several.fix, HasSubstr("--separator"));
}

TEST(Csv, RefusesAUsedColumnThatStandsTwiceInTheHeader) {
  EXPECT_EQ(error_of("y,c,a,a\n").name, "E-csv-header");
  const TempFile file("y,c,a,,\n1,red,2,,\n");
  EXPECT_TRUE(table_of(file.path())) << "columns that are not used may";
}

TEST(Csv, SaysWhereARecordHasTheWrongNumberOfFields) {
  const Error few = error_of("y,c,a\n1,red,2\n1,red\n1,red,2\n");
  EXPECT_EQ(few.name, "E-csv-fields");
  EXPECT_THAT(few.where, HasSubstr("line 3"));
  EXPECT_EQ(error_of("y,c,a\n1,red,2\n1,red,2,3\n1,red\n").name, "E-csv-fields");
  EXPECT_THAT(error_of("y,c,a\n\n1,red,2\n\n1,red,2,3\n").where, HasSubstr("line 5"));
}

TEST(Csv, SaysWhereANumberIsNone) {
  for (const char* text : {"x", "nan", "inf", "1.5.2", "0x1", "1e999", "\"1,5\""}) {
    const Error error = error_of("y,c,a\n1,red,2\n1,red," + std::string(text) + "\n");
    EXPECT_EQ(error.name, "E-csv-number") << text;
    EXPECT_THAT(error.where, HasSubstr("line 3, column \"a\""));
  }
}

TEST(Csv, SaysWhichLevelItDoesNotKnowAndWhichItDoes) {
  const Error error = error_of("y,c,a\n1,green,2\n");
  EXPECT_EQ(error.name, "E-csv-level");
  EXPECT_THAT(error.what, HasSubstr("green"));
  EXPECT_THAT(error.fix, HasSubstr("red"));
  EXPECT_THAT(error.where, HasSubstr("line 2, column \"c\""));
}

TEST(Csv, SaysWhereAQuoteIsWrong) {
  const Error open = error_of("y,c,a\n1,red,2\n1,\"red,2\n1,red,2\n");
  EXPECT_EQ(open.name, "E-csv-quote");
  EXPECT_THAT(open.where, HasSubstr("line 3"));
  for (const char* record : {"1,red,5\" pipe", "1,\"red\"x,2", "1,re\"d,2", "\"1\"\r2,red,2"}) {
    const Error error = error_of("y,c,a\n1,red,2\n" + std::string(record) + "\n1,red,2\n");
    EXPECT_EQ(error.name, "E-csv-quote") << record;
    EXPECT_THAT(error.where, HasSubstr("line 3")) << record;
  }
}

TEST(Csv, RefusesAMissingValueWhereTheStudySaysError) {
  Schema schema = schema_abc();
  schema.missing = MissingRule::kError;
  const Error error = error_of("y,c,a\n1,red,2\n1,red,\n", schema);
  EXPECT_EQ(error.name, "E-csv-missing");
  EXPECT_THAT(error.where, HasSubstr("line 3, column \"a\""));
}

TEST(Csv, ReportsAllErrorsOfAFileInItsOrderWhateverTheColumn) {
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

TEST(Csv, ListsTwentyErrorsAndCountsTheRest) {
  std::string content = "a,c,y\n";
  for (int i = 0; i < 1000; ++i) content += "1,green,2\n3,red,x\n1,red,2\n";
  const Error error = error_of(content);
  ASSERT_EQ(error.others.size(), BlockFaults::kListed - 1);
  EXPECT_EQ(error.unlisted, 2000 - BlockFaults::kListed);
  EXPECT_THAT(error.others.back().where, HasSubstr("line 30, column \"y\""));
}

TEST(Csv, SaysNothingOfWhatFollowsAWrongQuote) {
  const Error error = error_of("a,c,y\nx,red,1\n1,\"re\"d,1\nx,green,1\nx,red\n");
  EXPECT_EQ(error.name, "E-csv-number");
  ASSERT_EQ(error.others.size(), 1U);
  EXPECT_EQ(error.others[0].name, "E-csv-quote");
  EXPECT_THAT(error.others[0].where, HasSubstr("line 3"));
}

// The same table with another separator, and commas in its numbers.
TEST(Csv, FindsOutWhatSeparatesFieldsAndWhatNumbersHave) {
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

TEST(Csv, NeverReadsAPointForACommaOrTheOtherWayRound) {
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

TEST(Csv, TakesWhatItIsTold) {
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

TEST(Csv, ReadsOneSampleWhateverTheBlocks) {
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

TEST(Csv, MarksAsMissingWhatTheStudyLists) {
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

TEST(Csv, TakesOneNumberForOneLevelHoweverItIsWritten) {
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

TEST(Csv, CountsUnknownLevelsAsOtherWhereTheStudySaysSo) {
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

TEST(Csv, NamesEveryFileThatWasReadWithItsDigest) {
  const std::string content = "y,c,a\n1,red,2\n";
  const TempFile plain(content);
  const TempFile packed(content, true);
  std::ifstream stream(packed.path(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  std::vector<SourceFacts> facts;
  CsvOptions options;
  options.on_facts = [&](const SourceFacts& each) { facts.push_back(each); };
  ASSERT_TRUE(CsvSource({plain.path(), packed.path()}, options)
                  .read(schema_abc(), [](std::size_t, const RawRows&) {}));
  EXPECT_EQ(facts,
            (std::vector<SourceFacts>{{"csv", plain.path(), "", "", to_hex(sha256(content))},
                                      {"csv", packed.path(), "", "", to_hex(sha256(bytes))}}));
}

TEST(Csv, ReadsGzipFilesThatWerePutTogether) {
  const TempFile first("y,c,a\n1,red,2\n", true);
  const TempFile second("3,red,4\n", true);
  std::string bytes;
  for (const TempFile* file : {&first, &second}) {
    std::ifstream stream(file->path(), std::ios::binary);
    bytes.append((std::istreambuf_iterator<char>(stream)), {});
  }
  const TempFile both(bytes);
  EXPECT_EQ(table_of(both.path()).value(), (Table{{2, 0, 1}, {4, 0, 3}}));
  const TempFile padded(bytes + std::string(512, '\0'));
  EXPECT_EQ(table_of(padded.path()).value(), (Table{{2, 0, 1}, {4, 0, 3}}));
}

TEST(Csv, ReadsAPipeOnceGzipOrNot) {
  for (const bool gzip : {false, true}) {
    const TempFile file("y,c,a\n1,red,2\n", gzip);
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    // A byte at a time: what a file is must not depend on how it comes.
    std::thread writer([&] {
      for (const char byte : bytes) ASSERT_EQ(::write(ends[1], &byte, 1), 1);
      ::close(ends[1]);
    });
    const auto rows = table_of("/dev/fd/" + std::to_string(ends[0]));
    writer.join();
    ::close(ends[0]);
    ASSERT_TRUE(rows) << rows.error().to_string();
    EXPECT_EQ(*rows, (Table{{2, 0, 1}}));
  }
}

TEST(Csv, RefusesADamagedGzipFile) {
  std::string content = "y,c,a\n";
  std::mt19937 random(5);
  for (int i = 0; i < 20000; ++i) content += std::to_string(random() % 10) + ",red,1\n";
  const TempFile whole(content, true);
  std::ifstream stream(whole.path(), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  const TempFile cut(bytes.substr(0, bytes.size() / 2));
  EXPECT_EQ(table_of(cut.path()).error().name, "E-csv-read");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  const TempFile flipped(bytes);
  EXPECT_FALSE(table_of(flipped.path()));
}

TEST(Csv, StopsAtARecordWithoutEndInBoundedMemory) {
  const TempFile file("y,c,a\n1,\"" + std::string(2 * RecordBlocks::kMaxRecordBytes, 'x') + "\n");
  const auto rows = table_of(file.path());
  EXPECT_EQ(rows.error().name, "E-csv-quote");
}

TEST(Csv, TellsHowFarItIs) {
  std::string content = "y,c,a\n";
  for (int i = 0; i < 1000; ++i) content += "1,red,1\n";
  const TempFile file(content);
  CsvOptions options;
  options.threads = 2;
  options.block_bytes = 256;
  std::uint64_t last = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_GE(done, last);
    EXPECT_EQ(total, content.size());
    last = done;
  };
  ASSERT_TRUE(
      CsvSource({file.path()}, options).read(schema_abc(), [](std::size_t, const RawRows&) {}));
  EXPECT_EQ(last, content.size());
}

TEST(Csv, GivesEveryRecordOnceToSomeWorker) {
  std::string content = "y,c,a\n";
  for (int i = 0; i < 5000; ++i) content += std::to_string(i) + ",red,1\n";
  const TempFile file(content);
  CsvOptions options;
  options.threads = 4;
  options.block_bytes = 512;
  std::mutex mutex;
  std::vector<int> seen(5000);
  ASSERT_TRUE(CsvSource({file.path()}, options)
                  .read(schema_abc(), [&](std::size_t worker, const RawRows& raw) {
                    const std::lock_guard lock(mutex);
                    EXPECT_LT(worker, 4U);
                    for (std::size_t r = 0; r < raw.rows; ++r)
                      ++seen[static_cast<std::size_t>(raw.column(2)[r])];
                  }));
  EXPECT_EQ(seen, std::vector<int>(5000, 1));
}

// Nothing a file may contain crashes the reader, and both kernels say the same.
TEST(Csv, SurvivesAnyBytes) {
  std::mt19937 random(20240607);  // fixed: a failure can be repeated
  const std::string alphabet = "019.-e,,,\n\n\r\"\"a \xff\0red"s;
  for (int trial = 0; trial < 2000; ++trial) {
    std::string content = trial % 3 == 0 ? "" : "y,c,a\n";
    const std::size_t size = random() % 200;
    for (std::size_t i = 0; i < size; ++i) {
      content += random() % 5 == 0 ? std::string("1,red,2\n")
                                   : std::string(1, alphabet[random() % alphabet.size()]);
    }
    const TempFile file(content);
    std::optional<std::string> first;
    for (const CsvKernel kernel : {CsvKernel::kPortable, best_csv_kernel()}) {
      for (const std::size_t block_bytes : {16UL, 64UL, 4096UL}) {
        CsvOptions options;
        options.threads = 1;
        options.kernel = kernel;
        options.block_bytes = block_bytes;
        std::string outcome;
        const auto read = CsvSource({file.path()}, options)
                              .read(schema_abc(), [&](std::size_t, const RawRows& raw) {
                                for (std::size_t r = 0; r < raw.rows; ++r) {
                                  for (std::size_t c = 0; c < 3; ++c)
                                    outcome += std::to_string(raw.column(c)[r]) + " ";
                                }
                              });
        if (!read) outcome = all_of(read.error());
        if (!first) first = outcome;
        ASSERT_EQ(outcome, *first) << "trial " << trial << "\n" << content;
      }
    }
  }
}

}  // namespace
}  // namespace sotto
