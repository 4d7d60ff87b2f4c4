#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace sotto {

// This program once more, with other words. It ends when this process does, however
// that ends; and a Ctrl-C at the terminal reaches only this one.
class ChildProcess {
 public:
  // Standard output goes to the file `out`; standard error is read here, line by line.
  // Call from a thread that lives as long as the child should. E-child.
  [[nodiscard]] static Result<ChildProcess> start(const std::vector<std::string>& words,
                                                  const std::string& out);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  // A child that still runs is ended at once: what it keeps must survive that anyway.
  ~ChildProcess();

  // To wait on with poll(); −1 once there is nothing more to come.
  [[nodiscard]] int lines() const { return lines_; }
  // What has come since, in whole lines. Does not wait.
  [[nodiscard]] std::vector<std::string> take_lines();

  // How it ended: its exit status, or 128 plus the signal; none while it runs.
  [[nodiscard]] std::optional<int> status();
  [[nodiscard]] pid_t id() const { return id_; }
  // SIGTERM: it may put things in order.
  void ask_to_end();

 private:
  ChildProcess(pid_t id, int lines) : id_(id), lines_(lines) {}
  pid_t id_ = -1;
  int lines_ = -1;
  std::string begun_;  // a line that is not whole yet
  std::optional<int> status_;
};

}  // namespace sotto
