#include <fmt/chrono.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <fstream>
#include <regex>

#include "run/join/join.h"
#include "study/study.h"
#include "support/party_processes.h"
#include "support/source_tree.h"

// A party whose machine's clock is set while it waits.

namespace {

// So many seconds the wall clock of this process is ahead.
std::atomic<std::time_t> ahead = 0;

}  // namespace

// Stands before the library's, for all of this program.
extern "C" int clock_gettime(clockid_t which, timespec* time) noexcept {
  const int failed = static_cast<int>(::syscall(SYS_clock_gettime, which, time));
  if (failed == 0 && which == CLOCK_REALTIME) time->tv_sec += ahead;
  return failed;
}

namespace sotto {
namespace {

// Party 1 joins in this process, the other in one of its own. Returns what went wrong.
std::string join_with_a_clock_set_back() {
  Parties parties({.solver = "ac",
                   .parties = 2,
                   .topology = "path",
                   .network = "start = \"later\"\nmeeting_seconds = 8\n"});
  constexpr std::time_t kAhead = 10;
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const std::string start = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now + kAhead + 8));
  const std::string text =
      std::regex_replace(read_text(parties.study()), std::regex("\"later\""), "\"" + start + "\"");
  std::ofstream(parties.study()) << text;
  parties.start(1);
  ahead = kAhead;
  const auto study = read_study(parties.study());
  JoinRequest request;
  request.study_file = parties.study();
  request.data = parties.table(0);
  request.home = parties.home(0);
  request.account = kAccount;
  JoinHooks hooks;
  hooks.report = [](const RunRecord&) { return std::string(); };
  bool set_back = false;
  hooks.on_event = [&](const JoinEvent& event) {
    if (event.text.find("the study's meeting begins at") == std::string::npos) return;
    ahead = 0;
    set_back = true;
  };
  const auto joined = study ? join_study(*study, request, hooks) : Result<Joined>(study.error());
  if (!joined) return joined.error().to_string();
  if (!set_back) return "nobody waited for the start";
  return parties.wait(1) == 0 ? std::string() : "party-2 failed: " + parties.said(1);
}

// By a clock that was ahead the meeting would have begun, and been over, before the others came.
// In a program of its own: a fork of one whose earlier tests used gRPC would hold locks and waiters
// of threads that it does not have.
TEST(NetworkClock, SetBackWhileAPartyWaitsForTheStartTakesNothingFromTheMeeting) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const std::string wrong = join_with_a_clock_set_back();
        fmt::print(stderr, "{}", wrong);
        ::_exit(wrong.empty() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace sotto
