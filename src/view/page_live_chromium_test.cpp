// `sotto demo --view`: five processes, and a page that shows them while they run.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "support/devtools.h"
#include "support/temporary_folder.h"

namespace sotto::view {
namespace {

using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

class LiveDemo : public testing::Test {
 protected:
  void SetUp() override {
    browser_ = devtools::installed_browser();
    if (browser_.empty()) GTEST_SKIP() << "chromium is not installed";
    int lines[2];
    ASSERT_EQ(::pipe2(lines, O_CLOEXEC), 0);
    const std::string out = folder_ / "demo";
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(lines[1], STDERR_FILENO);
      ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
      ::execl(SOTTO_PROGRAM, SOTTO_PROGRAM, "demo", "--view", "--solver", "pairwise", "--rows",
              "500", "--out", out.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(lines[1]);
    for (char c = 0; address_.find('\n') == std::string::npos && ::read(lines[0], &c, 1) == 1;) {
      address_ += c;
    }
    lines_ = lines[0];
    ASSERT_FALSE(address_.empty());
    address_.pop_back();
  }
  void TearDown() override {
    if (child_ > 0) ::kill(child_, SIGKILL);
    if (child_ > 0) ::waitpid(child_, nullptr, 0);
    if (lines_ >= 0) ::close(lines_);
  }

  const TemporaryFolder folder_;
  std::string browser_;
  std::string address_;
  pid_t child_ = -1;
  int lines_ = -1;
};

TEST_F(LiveDemo, ShowsFivePartiesFromTheirMeetingToTheirModel) {
  ASSERT_THAT(address_, testing::StartsWith("http://127.0.0.1:"));
  EXPECT_FALSE(fs::exists(folder_ / "demo/party-1/runs")) << "the parties wait for a reader";
  devtools::Chromium page(browser_);
  page.show_on({});
  page.go("about:blank");
  page.call("Page.addScriptToEvaluateOnNewDocument",
            {{"source",
              "window.seen = []; new MutationObserver(() => { for (const e of "
              "document.querySelectorAll('.run .badge, .run .steps .now b')) if "
              "(!seen.includes(e.innerText)) seen.push(e.innerText); }).observe(document, "
              "{subtree: true, childList: true});"}});
  page.go(address_);
  ASSERT_TRUE(page.until("document.querySelector('.run .badge.finished')")) << page.text("#runs");
  EXPECT_THAT(page.evaluate("seen.join()").get<std::string>(),
              AllOf(HasSubstr("running"), HasSubstr("finished")));
  EXPECT_EQ(page.evaluate("document.querySelectorAll('.run').length"), 1);
  EXPECT_EQ(page.evaluate("document.querySelectorAll('.run tbody tr').length"), 5);
  // Its models are one click away.
  page.click(".run a");
  ASSERT_TRUE(page.until("document.querySelector('#model-answer table')"));
  std::string said;
  for (char c = 0; said.find("until Ctrl-C") == std::string::npos && ::read(lines_, &c, 1) == 1;) {
    said += c;
  }
  ::kill(child_, SIGINT);
  int status = -1;
  ASSERT_EQ(::waitpid(child_, &status, 0), child_);
  child_ = -1;
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace sotto::view
