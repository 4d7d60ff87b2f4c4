#include <gmock/gmock.h>
#include <sys/stat.h>

#include "base/json.h"
#include "support/command_line.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SumsVerb : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    ASSERT_EQ(run_sotto({"generate", "300", "--parties", "3", "--out", path("g")}).status, 0);
  }
  [[nodiscard]] std::string study() const { return path("g/study.toml"); }
  [[nodiscard]] std::string table(int k) const {
    return path("g/party-" + std::to_string(k) + ".csv");
  }
};

TEST_F(SumsVerb, MakesAndMergesFilesThatStandForTheTable) {
  for (int k = 1; k <= 3; ++k) {
    const CommandRun run =
        run_sotto({"sums", study(), table(k), "--out", path(std::to_string(k) + ".sums")});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, AllOf(HasSubstr("private"), HasSubstr("0600"), HasSubstr("1 part")));
  }
  const CommandRun merged =
      run_sotto({"sums", "--merge", path("*.sums"), "--out", path("all.sums"), "--format", "json"});
  ASSERT_EQ(merged.status, 0) << merged.err;
  const Json json = parse_json(merged.out);
  EXPECT_EQ(json["parts"], 3);
  EXPECT_EQ(json["rows"].get<int>() + json["dropped"].get<int>(), 900);
  EXPECT_FALSE(json.contains("sums")) << "sums are shown to nobody";
  struct stat facts {};
  ASSERT_EQ(::stat(path("all.sums").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  const CommandRun model =
      run_sotto({"simulate", study(), "--data",
                 path("1.sums") + "," + path("2.sums") + "," + path("3.sums")});
  EXPECT_EQ(model.status, 0) << model.err;
  EXPECT_EQ(
      run_sotto({"sums", "--merge", path("1.sums"), path("all.sums"), "--out", path("x")}).status,
      2);
  EXPECT_THAT(run_sotto({"sums", study(), path("1.sums"), "--out", path("x")}).err,
              HasSubstr("--merge"));
  EXPECT_THAT(run_sotto({"sums", "--merge", "--as", "a", "x", "--out", path("x")}).err,
              HasSubstr("E-usage"));
  EXPECT_THAT(run_sotto({"sums", "--help"}).out, HasSubstr("raw and private"));
}

TEST_F(SumsVerb, AQueryIsWrittenForEachDatabase) {
  for (const char* dialect : {"postgres", "duckdb", "spark"}) {
    const CommandRun run =
        run_sotto({"sql", study(), "--query", "households", "--dialect", dialect});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, AllOf(HasSubstr("select * from households"), HasSubstr("sotto-sums-1:"),
                               HasSubstr(";\n")));
  }
  EXPECT_THAT(run_sotto({"sql", study(), "--query", ";"}).err, HasSubstr("E-sql-query"));
  EXPECT_EQ(run_sotto({"sql", study(), "--query", "t", "--dialect", "mysql"}).status, 2);
  EXPECT_THAT(run_sotto({"simulate", study(), "--data", path("none.sums")}).err,
              Not(HasSubstr("E-unexp")));
}

}  // namespace
}  // namespace sotto
