#include "run/tables.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "base/digest.h"
#include "support/tables.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

class TablesTest : public testing::Test {
 protected:
  void SetUp() override {
    schema_.target = {"y", {0, 10}};
    schema_.features = {NumericFeature{"x", {0, 1}}, CategoricalFeature{"kind", {"a", "b"}}};
  }

  std::string file(const std::string& name, const std::string& text) const {
    const auto path = folder_ / name;
    std::ofstream(path) << text;
    return path.string();
  }
  [[nodiscard]] Study study() const { return study_for(schema_, 3, 1, 1e-6); }

  const TemporaryFolder folder_;
  Schema schema_;
};

constexpr const char* kRows =
    "y,kind,x\n1,a,0.1\n2,b,0.2\n3,a,1.5\n4,b,-2\n50,a,0.5\n6,a,NA\n7,b,0.7\n";

TEST_F(TablesTest, GiveEveryPartyItsOwnFile) {
  const TableFiles files{.files = {file("a.csv", "y,kind,x\n1,a,0.1\n2,b,0.2\n"),
                                   file("b.csv", "x,y,kind\n1.5,3,a\n-2,4,b\n-3,11,b\n"),
                                   file("c.csv", "kind,x,y\na,0.5,5\na,,6\n")}};
  const auto tables = read_tables(study(), files).value();
  ASSERT_EQ(tables.size(), 3U);
  EXPECT_EQ(tables[0].own.party, "party-1");
  EXPECT_EQ(tables[0].own.rows, 2U);
  EXPECT_EQ(tables[1].own.rows, 3U);
  EXPECT_EQ(tables[2].own.dropped, 1U);
  const auto& clipped = tables[1].own.clipped;
  ASSERT_EQ(clipped.size(), 3U);
  EXPECT_EQ(clipped[0].column, "x");
  EXPECT_EQ(clipped[0].below, 2U);
  EXPECT_EQ(clipped[0].above, 1U);
  EXPECT_EQ(clipped[2].column, "y");
  EXPECT_EQ(clipped[2].above, 1U);
  EXPECT_EQ(tables[0].own.clipped[0].below + tables[0].own.clipped[0].above, 0U);
}

TEST_F(TablesTest, DealOutOneFileEitherWay) {
  const std::string path = file("all.csv", kRows);
  const auto interleaved = read_tables(study(), {.files = {path}}).value();
  EXPECT_EQ(interleaved[0].own.rows, 3U);  // records 0, 3, 6
  EXPECT_EQ(interleaved[2].own.dropped, 1U);
  EXPECT_EQ(interleaved[0].own.clipped[0].below, 1U);
  EXPECT_EQ(interleaved[1].own.clipped[2].above, 1U);
  EXPECT_EQ(interleaved[2].own.clipped[0].above, 1U);
  const auto contiguous =
      read_tables(study(), {.files = {path}, .split = TableSplit::Kind::kContiguous}).value();
  EXPECT_EQ(contiguous[0].own.rows, 3U);  // records 0, 1, 2
  EXPECT_EQ(contiguous[0].own.clipped[0].above, 1U);
  EXPECT_EQ(contiguous[1].own.clipped[0].below, 1U);
  EXPECT_EQ(true_sums(interleaved), true_sums(contiguous)) << "the sum does not depend on the deal";
}

TEST_F(TablesTest, CountTheClippedAsTheSumsDo) {
  const std::string path = file("all.csv", kRows);
  const auto tables = read_tables(study(), {.files = {path}}).value();
  CsvOptions in_order;
  in_order.threads = 1;
  const auto moments =
      read_split_moments(CsvSource({path}, in_order), schema_, {.parties = 3}).value();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& sides = tables[i].own.clipped;
    EXPECT_EQ(sides[0].below, moments[i].clips.columns[0].below);
    EXPECT_EQ(sides[0].above, moments[i].clips.columns[0].above);
    EXPECT_EQ(sides[2].above, moments[i].clips.columns[2].above);
    EXPECT_EQ(tables[i].moments, moments[i].moments);
  }
}

// A pipe gives its text once: whoever opens it again finds it empty.
class OncePipe {
 public:
  OncePipe(const std::filesystem::path& path, std::string text) : path_(path.string()) {
    EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    writer_ = std::jthread([this, text = std::move(text)](const std::stop_token& stop) {
      std::ofstream(path_) << text;
      while (!stop.stop_requested()) {
        if (const int again = ::open(path_.c_str(), O_WRONLY | O_NONBLOCK); again >= 0) {
          ::close(again);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
    });
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::jthread writer_;
};

TEST_F(TablesTest, AreReadOnce) {
  const std::string path = file("all.csv", kRows);
  for (const auto split : {TableSplit::Kind::kInterleaved, TableSplit::Kind::kContiguous}) {
    const OncePipe pipe(folder_ / (split == TableSplit::Kind::kInterleaved ? "i" : "c"), kRows);
    const auto piped = read_tables(study(), {.files = {pipe.path()}, .split = split});
    ASSERT_TRUE(piped) << piped.error().to_string();
    const auto tables = read_tables(study(), {.files = {path}, .split = split}).value();
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ((*piped)[i].moments, tables[i].moments);
      EXPECT_EQ((*piped)[i].own.clipped[0].above, tables[i].own.clipped[0].above);
    }
  }
  const OncePipe own(folder_ / "own", kRows);
  const auto table = read_own_table(study(), 1, own.path());
  ASSERT_TRUE(table) << table.error().to_string();
  EXPECT_EQ(table->own.rows, 6U);
  EXPECT_EQ(table->own.clipped[0].below, 1U);
  EXPECT_EQ(table->own.clipped[0].above, 1U);
}

TEST_F(TablesTest, HaveADigestUnlessNobodyWritesItDown) {
  const std::string path = file("all.csv", kRows);
  for (const bool digest : {true, false}) {
    const auto tables = read_tables(study(), {.files = {path}, .digest = digest}).value();
    for (const PartyTable& table : tables) {
      ASSERT_EQ(table.own.sources.size(), 1U);
      EXPECT_EQ(table.own.sources[0].place, path);
      EXPECT_EQ(table.own.sources[0].sha256, digest ? to_hex(sha256(kRows)) : "");
    }
  }
}

TEST_F(TablesTest, RefuseAnyOtherNumberOfFiles) {
  const std::string path = file("all.csv", kRows);
  EXPECT_EQ(read_tables(study(), {.files = {path, path}}).error().name, "E-data-files");
  EXPECT_EQ(read_tables(study(), {.files = {}}).error().name, "E-data-files");
}

TEST_F(TablesTest, RefuseAStudyThatIsNotOverTables) {
  Study entries = study();
  entries.data.reset();
  EXPECT_EQ(read_tables(entries, {.files = {"a.csv"}}).error().name, "E-data-unit");
}

TEST_F(TablesTest, NameFileLineAndColumnOfWhatDoesNotFit) {
  const auto unknown = read_tables(study(), {.files = {file("l.csv", "y,kind,x\n1,a,1\n1,c,1\n")}});
  EXPECT_EQ(unknown.error().name, "E-csv-level");
  EXPECT_NE(unknown.error().where.find("l.csv, line 3, column \"kind\""), std::string::npos);
  EXPECT_EQ(read_tables(study(), {.files = {file("h.csv", "y,x\n1,1\n")}}).error().name,
            "E-csv-header");
  EXPECT_EQ(read_tables(study(), {.files = {file("n.csv", "y,kind,x\nlots,a,1\n")}}).error().name,
            "E-csv-number");
  EXPECT_EQ(read_tables(study(), {.files = {(folder_ / "none.csv").string()}}).error().name,
            "E-csv-open");
}

TEST_F(TablesTest, KnowWhichColumnsHoldOneValueOnly) {
  const auto constant = [&](const std::string& rows) {
    return read_own_table(study(), 0, file("own.csv", "y,kind,x\n" + rows))
        .value()
        .constant_columns;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(constant("1,a,0.1\n2,b,0.2\n"), Names{});
  EXPECT_EQ(constant("1,b,0.3\n2,b,0.3\n3,b,0.3\n"), (Names{"x", "kind"}));
  EXPECT_EQ(constant("3,a,0.1\n3,b,0.2\n"), Names{"y"});
  EXPECT_EQ(constant("1,a,7\n2,b,9\n"), Names{"x"}) << "clipped to one bound";
  EXPECT_EQ(constant("1,a,0.1\n"), Names{}) << "one row shows nothing";
  EXPECT_EQ(constant(""), Names{});
  schema_.intercept = false;
  EXPECT_EQ(constant("3,a,0.1\n3,a,0.1\n"), Names{}) << "the sums do not tell";
}

}  // namespace
}  // namespace sotto
