#include "study/tables.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "study/tables_for_tests.h"

namespace sotto {
namespace {

class TablesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() /
        (std::string("sotto_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    schema_.target = {"y", {0, 10}};
    schema_.features = {NumericFeature{"x", {0, 1}}, CategoricalFeature{"kind", {"a", "b"}}};
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) const {
    const auto path = folder_ / name;
    std::ofstream(path) << text;
    return path.string();
  }
  [[nodiscard]] Study study() const { return study_for(schema_, 3, 1, 1e-6); }

  std::filesystem::path folder_;
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
  const auto moments = split_moments_from_csv(path, schema_, {.parties = 3}).value();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& sides = tables[i].own.clipped;
    EXPECT_EQ(sides[0].below + sides[0].above, moments[i].clips.features[0]);
    EXPECT_EQ(sides[2].below + sides[2].above, moments[i].clips.target);
    EXPECT_EQ(tables[i].moments, moments[i].moments);
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

}  // namespace
}  // namespace sotto
