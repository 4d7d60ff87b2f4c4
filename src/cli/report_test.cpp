#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/files.h"
#include "base/json.h"
#include "run/run_record.h"
#include "store/store.h"
#include "support/command_line.h"

namespace sotto {
namespace {

using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

class ReportVerb : public FolderTest {
 protected:
  void SetUp() override {
    RunRecord record;
    record.study = "energy";
    record.unit = Unit::kRecord;
    record.neighbours = Neighbours::kReplace;
    record.own = {{"north", 1234, 0, {}}};
    ASSERT_TRUE(write_record(folder_ / kRecordFile, record));
  }
  const fs::path folder_ = path("run");
};

TEST_F(ReportVerb, WritesThePageBesideTheRecord) {
  for (const fs::path& run : {folder_, folder_ / kRecordFile}) {
    fs::remove(folder_ / "report.html");
    const CommandRun outcome = run_sotto({"report", run.string()});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr((folder_ / "report.html").string()));
    EXPECT_THAT(outcome.out, HasSubstr("stay with you"));
    EXPECT_THAT(FolderTest::read(folder_ / "report.html"), HasSubstr("1,234 rows"));
  }
}

TEST_F(ReportVerb, LetsOnlyTheOwnerReadTheOwnCountsWhereverThePageGoes) {
  const fs::path out = path("page.html");
  { std::ofstream(out) << "old"; }
  fs::permissions(out, fs::perms{0666});
  for (const mode_t mask : {mode_t{022}, mode_t{000}}) {
    const mode_t before = ::umask(mask);
    const CommandRun own = run_sotto({"report", folder_.string(), "--out", out.string()});
    const auto mode = fs::status(out).permissions();
    const CommandRun shared =
        run_sotto({"report", folder_.string(), "--share", "--out", out.string()});
    ::umask(before);
    EXPECT_EQ(own.status + shared.status, 0) << own.err << shared.err;
    EXPECT_EQ(mode, fs::perms{0600});
    EXPECT_EQ(fs::status(out).permissions(), fs::perms{0666U & ~mask});
  }
}

TEST_F(ReportVerb, LeavesOutTheOwnCountsWhenAskedTo) {
  const fs::path out = folder_ / "new" / "page.html";
  const CommandRun outcome =
      run_sotto({"report", folder_.string(), "--share", "--out", out.string(), "--format", "json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto json = parse_json(outcome.out);
  EXPECT_EQ(json["report"], out.string());
  EXPECT_EQ(json["private"], false);
  EXPECT_THAT(FolderTest::read(out), Not(HasSubstr("1,234")));
}

TEST_F(ReportVerb, SaysWhatIsWrongWithARecord) {
  const CommandRun missing = run_sotto({"report", (folder_ / "none").string()});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("error[E-record-file]"));
  ASSERT_TRUE(write_file(folder_ / kRecordFile, "{\"format\": \"sotto-run-1\"}"));
  const CommandRun wrong = run_sotto({"report", folder_.string()});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("error[E-record-json]: study is missing"));
}

// From whatever folder one stands in.
TEST_F(ReportVerb, FindsAFinishedRunOfTheHomeByItsName) {
  const std::string home = path("home");
  const std::string run = "0123456789abcdef";
  {
    auto store = Store::open(home, unix_seconds);
    ASSERT_TRUE(store.has_value());
    ASSERT_TRUE(store->begin_run(run, "energy", "beef"));
    ASSERT_TRUE(
        store->finish(run, {(folder_ / "model.json").string(), (folder_ / kRecordFile).string()}));
    ASSERT_TRUE(store->begin_run("0177", "energy", "cafe"));
  }
  for (const char* which : {"last", "energy", "0123", "01"}) {
    fs::remove(folder_ / "report.html");
    const CommandRun outcome = run_sotto({"report", which, "--home", home});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(fs::exists(folder_ / "report.html")) << which;
  }
  const CommandRun unknown = run_sotto({"report", "wages", "--home", home});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, testing::AllOf(HasSubstr("E-run-unknown"), HasSubstr("of energy")));
  // Its model was never written here.
  const CommandRun moved = run_sotto({"predict", "last", path("t.csv"), "--home", home});
  EXPECT_THAT(moved.err, HasSubstr("E-run-files"));
  // Without a home, or with a path, it is about a file.
  EXPECT_THAT(run_sotto({"report", "wages", "--home", path("none")}).err,
              HasSubstr("E-record-file"));
  EXPECT_THAT(run_sotto({"report", "./last", "--home", home}).err, HasSubstr("E-record-file"));
  EXPECT_THAT(run_sotto({"refit", "wages", "--home", home}).err, HasSubstr("E-run-unknown"));
}

}  // namespace
}  // namespace sotto
