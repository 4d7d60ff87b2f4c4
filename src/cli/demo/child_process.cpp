// fork and exec by hand: the child must die with us, and must not hear our Ctrl-C.
#include "cli/demo/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace sotto {
namespace {

// A child that writes no line ends is no child of ours; its memory is.
constexpr std::size_t kMaxLineBytes = 16'384;

Error cannot_start(int reason) {
  return failed("E-child",
                fmt::format("another process cannot be started: {}", std::strerror(reason)),
                "end some processes, or free memory; see ulimit -u");
}

// Between fork and exec only what is async-signal-safe may be called.
[[noreturn]] void become(pid_t parent, int nothing, int out, int lines, char* const* argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it ended before we could ask
  ::setpgid(0, 0);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(lines, STDERR_FILENO);
  ::execv("/proc/self/exe", argv);
  ::_exit(127);
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& words,
                                         const std::string& out) {
  std::vector<std::string> copies{"sotto"};
  copies.insert(copies.end(), words.begin(), words.end());
  std::vector<char*> argv(copies.size() + 1);  // nullptr ends it
  for (std::size_t i = 0; i < copies.size(); ++i) argv[i] = copies[i].data();

  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  std::array<int, 2> pipe{-1, -1};
  pid_t child = -1;
  if (nothing >= 0 && file >= 0 && ::pipe2(pipe.data(), O_CLOEXEC) == 0) {
    const pid_t self = ::getpid();
    child = ::fork();
    if (child == 0) become(self, nothing, file, pipe[1], argv.data());
  }
  const int reason = errno;
  for (const int end : {nothing, file, pipe[1]}) {
    if (end >= 0) ::close(end);
  }
  if (child < 0) {
    if (pipe[0] >= 0) ::close(pipe[0]);
    return cannot_start(reason);
  }
  ::fcntl(pipe[0], F_SETFL, O_NONBLOCK);
  return ChildProcess(child, pipe[0]);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      lines_(std::exchange(other.lines_, -1)),
      begun_(std::move(other.begun_)),
      status_(other.status_) {}

ChildProcess::~ChildProcess() {
  if (lines_ >= 0) ::close(lines_);
  if (id_ < 0 || status_) return;
  ::kill(id_, SIGKILL);
  while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::vector<std::string> ChildProcess::take_lines() {
  std::vector<std::string> whole;
  std::array<char, 4096> buffer{};
  while (lines_ >= 0) {
    const ssize_t size = ::read(lines_, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) break;
    if (size <= 0) {
      ::close(std::exchange(lines_, -1));
      if (!begun_.empty()) whole.push_back(std::exchange(begun_, {}));
      break;
    }
    for (const char letter : std::string_view(buffer.data(), static_cast<std::size_t>(size))) {
      if (letter == '\n' || begun_.size() == kMaxLineBytes) {
        whole.push_back(std::exchange(begun_, {}));
      }
      if (letter != '\n') begun_ += letter;
    }
  }
  return whole;
}

std::optional<int> ChildProcess::status() {
  if (status_ || id_ < 0) return status_;
  int state = 0;
  if (::waitpid(id_, &state, WNOHANG) != id_) return std::nullopt;
  status_ = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  return status_;
}

void ChildProcess::ask_to_end() {
  if (id_ >= 0 && !status_) ::kill(id_, SIGTERM);
}

}  // namespace sotto
