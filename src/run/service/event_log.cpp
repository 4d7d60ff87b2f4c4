// Lines with date and zone, and a command after the end.
#include "run/service/event_log.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace sotto {
namespace {

constexpr mode_t kOwnerOnly = 0600;

// -1 and errno if it cannot be. A file that was there before may be open to others; a terminal or
// /dev/null is not ours to close.
int open_log(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, kOwnerOnly);
  struct stat about {};
  if (file < 0 || ::fstat(file, &about) != 0 || !S_ISREG(about.st_mode) ||
      (about.st_mode & (S_IRWXG | S_IRWXO)) == 0 || ::fchmod(file, kOwnerOnly) == 0) {
    return file;
  }
  const int error = errno;
  ::close(file);
  errno = error;
  return -1;
}

}  // namespace

std::string local_text(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S%z}", fmt::localtime(static_cast<std::time_t>(seconds)));
}

Result<std::shared_ptr<EventLog>> EventLog::open(const std::string& path) {
  const int file = open_log(path);
  if (file < 0) {
    return failed("E-log", fmt::format("cannot write the log {}: {}", path, std::strerror(errno)),
                  "name a file in a folder that is there and may be written to");
  }
  ::close(file);
  return std::shared_ptr<EventLog>(new EventLog(path));
}

void EventLog::write(const std::string& text, std::int64_t time) {
  std::string line = fmt::format("{} {}", local_text(time), text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  line += '\n';
  const std::lock_guard lock(mutex_);
  const int file = open_log(path_);
  if (file < 0) return;  // a full disk must not end a run
  (void)!::write(file, line.data(), line.size());
  ::close(file);
}

Result<void> run_on_finish(const std::string& command, const Ending& ending) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("SOTTO_")) variables.emplace_back(*variable);
  }
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, std::string>>{{"STATE", ending.state},
                                                                  {"STUDY", ending.study},
                                                                  {"PARTY", ending.party},
                                                                  {"RUN", ending.run},
                                                                  {"ERROR", ending.error},
                                                                  {"MODEL", ending.model},
                                                                  {"RECORD", ending.record},
                                                                  {"REPORT", ending.report}}) {
    variables.push_back(fmt::format("SOTTO_{}={}", name, value));
  }
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  std::string shell = "sh";
  std::string option = "-c";
  std::string words = command;
  std::array<char*, 4> arguments{shell.data(), option.data(), words.data(), nullptr};
  pid_t child = -1;
  const auto unhappy = [&](const std::string& how) {
    return failed("E-on-finish", fmt::format("the command after the end {}", how),
                  "the run is over all the same, and its files are where they were written");
  };
  if (const int error =
          ::posix_spawn(&child, "/bin/sh", nullptr, nullptr, arguments.data(), environment.data());
      error != 0) {
    return unhappy(fmt::format("could not be run: {}", std::strerror(error)));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return unhappy(WIFEXITED(status) ? fmt::format("ended with {}", WEXITSTATUS(status))
                                   : fmt::format("was ended by signal {}", WTERMSIG(status)));
}

}  // namespace sotto
