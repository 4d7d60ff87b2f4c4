#include "cli/demo/demo.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "base/json.h"
#include "cli/demo/child_process.h"
#include "store/store.h"
#include "study/study.h"
#include "support/command_line.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(ProgressTable, CutsTextsBetweenLetters) {
  EXPECT_EQ(shortened("süden", 5), "süden");
  EXPECT_EQ(shortened("süden", 4), "süd…");
  EXPECT_EQ(shortened("süden", 2), "s…");
}

TEST(ProgressTable, PrintsALineForEachChangeWhereItIsNoTerminal) {
  testing::internal::CaptureStderr();
  {
    ProgressTable table({"north", "south-west"}, ProgressTable::Style::kLines);
    table.tell(0, "sealing with neighbours", 2);
    table.tell(1, "finished", kRunSteps);
  }
  const std::string lines = testing::internal::GetCapturedStderr();
  EXPECT_THAT(lines, AllOf(HasSubstr("s  north       sealing with neighbours\n"),
                           HasSubstr("s  south-west  finished\n"), Not(HasSubstr("\x1b"))));
}

TEST(ProgressTable, DrawsItsTableInPlace) {
  testing::internal::CaptureStderr();
  {
    ProgressTable table({"north", "south"}, ProgressTable::Style::kTable);
    table.draw();
    table.tell(1, "released; averaging", 4);
    table.tell(1, "connected to north");
  }
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, AllOf(HasSubstr("\x1b[2A"), HasSubstr("south  ████░░")));
  EXPECT_EQ(std::ranges::count(text, '\n'), 4) << "two rows, drawn twice";
}

// Not a test of its own: what the next one starts, in a process of this program.
TEST(ChildProcess, DISABLED_WritesALineAndAHalf) {
  constexpr std::string_view kWords = "{\"event\":\"note\"}\n{\"event\":\"fini";
  EXPECT_EQ(::write(STDERR_FILENO, kWords.data(), kWords.size()), std::ssize(kWords));
  ::_exit(3);
}

TEST(ChildProcess, HandsOverTheHalfLineThatAnEndLeaves) {
  auto child = ChildProcess::start({"--gtest_also_run_disabled_tests",
                                    "--gtest_filter=ChildProcess.DISABLED_WritesALineAndAHalf"},
                                   "/dev/null");
  ASSERT_TRUE(child) << child.error().to_string();
  std::vector<std::string> lines;
  while (child->lines() >= 0) {
    for (std::string& line : child->take_lines()) lines.push_back(std::move(line));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_THAT(lines, testing::ElementsAre("{\"event\":\"note\"}", "{\"event\":\"fini"));
  while (!child->status()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(child->status(), 3);
}

class DemoVerb : public FolderTest {
 protected:
  struct Started {
    pid_t id = -1;
    std::string out;
    std::string err;
  };

  // The program itself, in the background.
  [[nodiscard]] Started start(std::vector<std::string> words) const {
    const Started started{.id = -1, .out = path("out.txt"), .err = path("err.txt")};
    words.insert(words.begin(), SOTTO_PROGRAM);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      const int out = ::open(started.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      const int err = ::open(started.err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      ::dup2(out, STDOUT_FILENO);
      ::dup2(err, STDERR_FILENO);
      ::execv(SOTTO_PROGRAM, argv.data());
      ::_exit(127);
    }
    return {.id = child, .out = started.out, .err = started.err};
  }

  [[nodiscard]] static CommandRun finish(const Started& started) {
    int state = 0;
    ::waitpid(started.id, &state, 0);
    return {.status = WIFEXITED(state) ? WEXITSTATUS(state) : -1,
            .out = read(started.out),
            .err = read(started.err)};
  }

  [[nodiscard]] CommandRun demo(std::vector<std::string> more) const {
    std::vector<std::string> words{"demo", "--out", path("demo")};
    words.insert(words.end(), more.begin(), more.end());
    return finish(start(std::move(words)));
  }

  // Whether each party's process is gone: it has the lock of its study as long as it lives.
  [[nodiscard]] bool everybody_has_left(std::size_t parties) const {
    const auto study = read_study(path("demo/study.toml"));
    if (!study) return false;
    for (std::size_t i = 1; i <= parties; ++i) {
      const auto store = Store::open(path("demo/party-" + std::to_string(i)), [] { return 1; });
      if (!store || !store->lock(study->hash)) return false;
    }
    return true;
  }

  template <class Condition>
  [[nodiscard]] static bool comes_true(const Condition& condition) {
    for (int k = 0; k < 600; ++k) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }
};

TEST_F(DemoVerb, FitsOneModelOverPartiesThatAreProcessesOfTheirOwn) {
  const CommandRun run =
      demo({"--parties", "3", "--rows", "4000", "--solver", "pairwise", "--format", "json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  const auto json = parse_json(run.out);
  EXPECT_EQ(json["same_bits"], true);
  EXPECT_EQ(json["made_up_data"], true);
  EXPECT_EQ(json["solver"], "pairwise");
  EXPECT_GT(json["bytes"]["sent"].get<int>(), 3 * json["bytes"]["busiest_party"].get<int>() / 2);
  EXPECT_THAT(json["privacy"]["adversaries"][0]["name"].get<std::string>(), "eavesdropper");
  std::size_t inside = 0;
  for (const auto& c : json["coefficients"]) {
    ASSERT_TRUE(c["interval"].is_array()) << "no interval for " << c["name"];
    const double truth = c["without_noise"];
    if (c["interval"][0] <= truth && truth <= c["interval"][1]) ++inside;
  }
  EXPECT_GE(inside, json["coefficients"].size() / 2) << "the fit without noise is another model";
  ASSERT_EQ(json["files"]["parties"].size(), 3U);
  for (const auto& party : json["files"]["parties"]) {
    for (const char* file : {"model", "report", "log", "table"}) {
      EXPECT_TRUE(std::filesystem::exists(party[file].get<std::string>())) << party[file];
    }
    EXPECT_THAT(read(party["log"]), AllOf(HasSubstr(" finished\n"), HasSubstr(" bytes, received "),
                                          Not(HasSubstr("\"event\""))));
    const auto store = Store::open(party["home"].get<std::string>(), [] { return 1; });
    ASSERT_TRUE(store);
    ASSERT_EQ(store->ledger()->size(), 1U);
    EXPECT_EQ(store->ledger()->front().state, EntryState::kSpent);
    EXPECT_EQ(store->runs()->front().state, RunState::kFinished);
  }
  EXPECT_TRUE(everybody_has_left(3));
}

TEST_F(DemoVerb, TellsAPersonWhatItDidAndReplacesWhatAnEarlierOneLeft) {
  for (int times = 0; times < 2; ++times) {
    const CommandRun run = demo({"--parties", "2", "--rows", "50", "--solver", "ac"});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.err,
                AllOf(HasSubstr("listening at 127.0.0.1:"), HasSubstr("party-2  finished")));
    EXPECT_THAT(run.out,
                AllOf(HasSubstr("without noise*"), HasSubstr("the data are made up"),
                      HasSubstr("eavesdropper"), HasSubstr("all 2 parties hold the same model"),
                      HasSubstr("report.html"), HasSubstr("--again")));
  }
  const CommandRun beside = demo({"--parties", "2", "--rows", "50", "--solver", "ac", "--keep"});
  EXPECT_EQ(beside.status, 0) << beside.err;
  EXPECT_TRUE(std::filesystem::exists(path("demo/study.toml")));
  EXPECT_TRUE(std::filesystem::exists(path("demo-2/study.toml")));
}

TEST_F(DemoVerb, TouchesNoFolderThatItHasNotMade) {
  std::filesystem::create_directories(path("demo"));
  write("demo/precious.txt", "keep me");
  const CommandRun run = demo({"--parties", "2"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("error[E-demo-folder]"));
  EXPECT_EQ(read(path("demo/precious.txt")), "keep me");
  EXPECT_FALSE(std::filesystem::exists(path("demo/study.toml")));
}

TEST_F(DemoVerb, RefusesWhatItCannotShow) {
  EXPECT_EQ(demo({"--parties", "1"}).status, 2);
  EXPECT_EQ(demo({"--parties", "1001"}).status, 2);
  EXPECT_EQ(demo({"--rows", "-4"}).status, 2);
  EXPECT_EQ(demo({"--solver", "gt"}).status, 2) << "gt is not for tables";
  EXPECT_FALSE(std::filesystem::exists(path("demo")));
}

TEST_F(DemoVerb, ReportsAPartyThatFailsWithItsLastWordsAndEndsTheOthers) {
  ASSERT_EQ(::setenv("SOTTO_TEST_KILL", "2:after", 1), 0);
  const CommandRun run = demo({"--parties", "3", "--rows", "50", "--solver", "ac"});
  ::unsetenv("SOTTO_TEST_KILL");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("error[E-demo-party]: party-"), HasSubstr("was ended by signal 9: "),
                    HasSubstr("listening"), HasSubstr(".log")));
  EXPECT_TRUE(everybody_has_left(3));
}

TEST_F(DemoVerb, LeavesNoProcessBehindHoweverItEnds) {
  for (const int signal : {SIGINT, SIGKILL}) {
    SCOPED_TRACE(signal);
    // Keys of 3072 bits: it is not over before the signal comes.
    const Started started = start({"demo", "--parties", "4", "--out", path("demo")});
    ASSERT_TRUE(comes_true([&] {
      return read(started.err).find("listening") != std::string::npos;
    })) << read(started.err);
    ASSERT_EQ(::kill(started.id, signal), 0);
    const CommandRun run = finish(started);
    EXPECT_EQ(run.status, signal == SIGINT ? 1 : -1);
    if (signal == SIGINT) {
      EXPECT_THAT(run.err, HasSubstr("error[E-interrupted]"));
    }
    EXPECT_TRUE(comes_true([&] { return everybody_has_left(4); }));
  }
}

}  // namespace
}  // namespace sotto
