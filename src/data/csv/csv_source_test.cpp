#include "data/csv/csv_source.h"

#include <mutex>
#include <random>

#include "support/csv_files.h"

namespace sotto {
namespace {

using namespace csv_files;
using ::testing::HasSubstr;
using namespace std::string_literals;

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

TEST(Csv, EstimatesHowManyRecordsAPlainFileHas) {
  // Lines that grow, as where they are numbered, with what varies from one to the next.
  std::mt19937 random(7);
  std::string content = "y,c,a\n";
  constexpr std::uint64_t kRecords = 100'000;
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    content += std::to_string(i) + (random() % 3 == 0 ? ",light blue," : ",red,") +
               std::to_string(random() % 1000) + "\n";
  }
  const TempFile file(content);
  const RecordEstimate estimate = CsvSource({file.path()}).estimate_records();
  EXPECT_LE(estimate.least, kRecords);
  EXPECT_GE(estimate.most, kRecords);
  EXPECT_LT(estimate.most - estimate.least, kRecords / 20);
  const RecordEstimate twice = CsvSource({file.path(), file.path()}).estimate_records();
  EXPECT_EQ(twice.least, 2 * estimate.least);
  EXPECT_EQ(twice.most, 2 * estimate.most);
  // Nobody knows of what must be unpacked, of a few lines, or of lines without end.
  const TempFile packed(content, true);
  const TempFile small("y,c,a\n1,red,2\n");
  const TempFile line("y,c,a\n" + std::string(1 << 20, '1'));
  for (const std::string& path : {packed.path(), small.path(), line.path(), "/nonexistent"s}) {
    EXPECT_EQ(CsvSource({path}).estimate_records().least, 0U) << path;
    EXPECT_EQ(CsvSource({file.path(), path}).estimate_records().least, 0U) << path;
  }
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
