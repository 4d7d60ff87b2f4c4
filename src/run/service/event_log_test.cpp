#include "run/service/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/temporary_folder.h"

namespace sotto {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class EventLogTest : public testing::Test {
 protected:
  [[nodiscard]] std::string text(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  const TemporaryFolder folder_;
};

TEST_F(EventLogTest, HasDateAndZoneInEveryLineAndOnlyItsOwnerReadsIt) {
  const std::string path = (folder_ / "log").string();
  const auto log = EventLog::open(path);
  ASSERT_TRUE(log);
  (*log)->write("waiting for south", 1'700'000'000);
  (*log)->write("a name\nwith a line\x1b[31m of its own", 1'700'000'001);
  EXPECT_THAT(text("log"),
              MatchesRegex("2023-11-1[45]T[0-9:]+[+-][0-9]+ waiting for south\n"
                           "2023-11-1[45]T[0-9:]+[+-][0-9]+ a name.with a line.+31m of its own\n"));
  struct stat about {};
  ASSERT_EQ(::stat(path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
}

TEST_F(EventLogTest, ThatWasThereBeforeIsForItsOwnerAloneFromNowOn) {
  const std::string path = (folder_ / "log").string();
  const auto mode = [&] {
    struct stat about {};
    EXPECT_EQ(::stat(path.c_str(), &about), 0);
    return about.st_mode & 0777U;
  };
  { std::ofstream(path) << "before\n"; }
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  const auto log = EventLog::open(path);
  ASSERT_TRUE(log);
  EXPECT_EQ(mode(), 0600U);
  ASSERT_EQ(::chmod(path.c_str(), 0660), 0) << "as a rotation of logs may make it anew";
  (*log)->write("one", 0);
  EXPECT_EQ(mode(), 0600U);
  EXPECT_THAT(text("log"), testing::StartsWith("before\n"));
  EXPECT_TRUE(EventLog::open("/dev/null"));
  struct stat about {};
  ASSERT_EQ(::stat("/dev/null", &about), 0);
  EXPECT_NE(about.st_mode & 0777U, 0600U) << "what is no file is left as it is";
}

TEST_F(EventLogTest, IsMadeAnewWhenItWasMovedAway) {
  const auto log = EventLog::open((folder_ / "log").string());
  ASSERT_TRUE(log);
  (*log)->write("one", 0);
  std::filesystem::rename(folder_ / "log", folder_ / "log.1");
  (*log)->write("two", 0);
  EXPECT_THAT(text("log.1"), HasSubstr("one"));
  EXPECT_THAT(text("log"), HasSubstr("two"));
}

TEST_F(EventLogTest, SaysWhereItCannotBeWritten) {
  const auto log = EventLog::open((folder_ / "none" / "log").string());
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().name, "E-log");
}

TEST_F(EventLogTest, TheCommandAfterTheEndHearsHowItEnded) {
  const std::string out = (folder_ / "out").string();
  const Ending ending{.state = "finished",
                      .study = "energy; rm x",
                      .party = "north",
                      .run = "beef",
                      .model = "/m/model.json"};
  ASSERT_TRUE(run_on_finish(
      "echo \"$SOTTO_STATE|$SOTTO_STUDY|$SOTTO_RUN|$SOTTO_MODEL|$SOTTO_ERROR\" > " + out, ending));
  EXPECT_EQ(text("out"), "finished|energy; rm x|beef|/m/model.json|\n");
}

TEST_F(EventLogTest, ACommandThatFailsIsReported) {
  const auto ended = run_on_finish("exit 7", {.state = "failed", .study = "s", .party = "p"});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().name, "E-on-finish");
  EXPECT_THAT(ended.error().what, HasSubstr("ended with 7"));
  EXPECT_THAT(run_on_finish("kill -9 $$", {.state = "", .study = "", .party = ""}).error().what,
              HasSubstr("signal 9"));
}

}  // namespace
}  // namespace sotto
