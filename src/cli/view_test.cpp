#include <fcntl.h>
#include <signal.h>

#include "support/program.h"

namespace sotto {
namespace {

using testing::StartsWith;

class ViewOnTheCommandLine : public ProgramTest {};

TEST_F(ViewOnTheCommandLine, SaysWhatIsMissing) {
  expect_error(sotto({"view", "nowhere", "--home", folder().string()}), 2, "E-view-folder");
  expect_error(sotto({"view", "--home", "nobody"}), 2, "E-home-missing");
  expect_error(sotto({"view", "--port", "65536"}), 2, "E-usage");
}

// The address is the first line, at once, for whoever reads it from a pipe; a signal is its end.
TEST_F(ViewOnTheCommandLine, PrintsItsAddressAndEndsWhenAsked) {
  for (const bool json : {false, true}) {
    int lines[2];
    ASSERT_EQ(::pipe2(lines, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(lines[1], STDOUT_FILENO);
      if (::chdir(folder().c_str()) != 0) ::_exit(126);
      ::execl(SOTTO_PROGRAM, SOTTO_PROGRAM, "view", "--home", ".", "--format",
              json ? "json" : "text", nullptr);
      ::_exit(127);
    }
    ::close(lines[1]);
    std::string line;
    for (char c = 0; ::read(lines[0], &c, 1) == 1 && c != '\n';) line += c;
    const std::string address = json ? parse_json(line).value("address", "") : line;
    EXPECT_THAT(address, StartsWith("http://127.0.0.1:"));
    EXPECT_EQ(address.size() - address.find('/', 7), 66U) << "a token of 256 bits";
    ::kill(child, SIGTERM);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ::close(lines[0]);
  }
}

}  // namespace
}  // namespace sotto
