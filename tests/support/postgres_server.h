#pragma once

// A PostgreSQL server of a test's own: in a folder that goes away with it, reached by a socket
// there and by nothing else.

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/temporary_folder.h"

namespace sotto {

class PostgresServer {
 public:
  // Nothing where no server is installed, or none can be started: the test should say so and skip.
  [[nodiscard]] static std::unique_ptr<PostgresServer> start() {
    const std::filesystem::path programs = find_programs();
    if (programs.empty()) return nullptr;
    std::unique_ptr<PostgresServer> server(new PostgresServer(programs));
    return server->begin() ? std::move(server) : nullptr;
  }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer() {
    if (child_ > 0) {
      ::kill(child_, SIGINT);  // "fast": ends what runs, and leaves in order
      ::waitpid(child_, nullptr, 0);
    }
  }

  // The superuser needs no password; everybody else does.
  [[nodiscard]] std::string address(const std::string& user = "sotto",
                                    const std::string& database = "postgres") const {
    return fmt::format("postgresql://{}@/{}?host={}", user, database, folder().string());
  }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

  [[nodiscard]] bool run(const std::string& sql) const {
    return wait(psql({"-q", "-v", "ON_ERROR_STOP=1", "-c", sql}, "/dev/null")) == 0;
  }
  // What psql writes to a file, in a process of its own.
  [[nodiscard]] pid_t psql(std::vector<std::string> words, const std::string& out) const {
    words.insert(words.begin(), {(programs_ / "psql").string(), "-X", "-h", folder().string(), "-U",
                                 "sotto", "-d", "postgres"});
    return spawn(words, out, As::kOneself);
  }
  [[nodiscard]] static int wait(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  explicit PostgresServer(std::filesystem::path programs) : programs_(std::move(programs)) {}

  [[nodiscard]] static std::filesystem::path find_programs() {
    std::vector<std::filesystem::path> found;
    std::error_code none;
    for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", none)) {
      if (std::filesystem::exists(version.path() / "bin/initdb")) {
        found.push_back(version.path() / "bin");
      }
    }
    return found.empty() ? std::filesystem::path() : *std::ranges::max_element(found);
  }

  enum class As { kOneself, kServer };

  // A server refuses to run as root: then it is somebody who may do nothing.
  [[nodiscard]] static pid_t spawn(const std::vector<std::string>& words, const std::string& out,
                                   As who) {
    std::vector<std::string> copies = words;
    std::vector<char*> pointers;
    for (std::string& word : copies) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const bool change = ::geteuid() == 0 && who == As::kServer;
    const passwd* nobody = change ? ::getpwnam("nobody") : nullptr;
    const uid_t user = nobody == nullptr ? 0 : nobody->pw_uid;
    const gid_t group = nobody == nullptr ? 0 : nobody->pw_gid;
    const int to = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const pid_t child = ::fork();
    if (child != 0) {
      ::close(to);
      return child;
    }
    if (nobody != nullptr &&
        (::setgroups(0, nullptr) != 0 || ::setgid(group) != 0 || ::setuid(user) != 0)) {
      ::_exit(126);
    }
    ::prctl(PR_SET_PDEATHSIG, SIGINT);
    ::dup2(to, STDOUT_FILENO);
    ::dup2(to, STDERR_FILENO);
    if (::chdir("/") != 0) ::_exit(126);
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }

  [[nodiscard]] bool begin() {
    if (::geteuid() == 0) {
      const passwd* nobody = ::getpwnam("nobody");
      if (nobody == nullptr || ::chown(folder().c_str(), nobody->pw_uid, nobody->pw_gid) != 0) {
        return false;
      }
    }
    const std::string data = (folder_ / "data").string();
    const std::string log = (folder_ / "log").string();
    if (wait(spawn({(programs_ / "initdb").string(), "-D", data, "-U", "sotto", "-A", "trust", "-N",
                    "-E", "UTF8", "--locale=C", "--no-instructions"},
                   log, As::kServer)) != 0) {
      return false;
    }
    std::ofstream(data + "/pg_hba.conf") << "local all sotto trust\nlocal all all scram-sha-256\n";
    child_ = spawn({(programs_ / "postgres").string(), "-D", data, "-k", folder().string(), "-c",
                    "listen_addresses=", "-c", "fsync=off", "-c", "autovacuum=off"},
                   log, As::kServer);
    for (int tries = 0; tries < 600; ++tries) {
      if (wait(spawn({(programs_ / "pg_isready").string(), "-q", "-h", folder().string()},
                     "/dev/null", As::kOneself)) == 0) {
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

  std::filesystem::path programs_;
  const TemporaryFolder folder_;
  pid_t child_ = -1;
};

}  // namespace sotto
