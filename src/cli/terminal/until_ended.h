#pragma once

#include <csignal>
#include <functional>

namespace sotto {

// As long as this is there, Ctrl-C and SIGTERM are heard, and end nothing by themselves; afterwards
// they mean what they meant. One at a time.
class EndHeard {
 public:
  EndHeard();
  EndHeard(const EndHeard&) = delete;
  EndHeard& operator=(const EndHeard&) = delete;
  ~EndHeard();

  // Waits for one of them, or until `over` says so: asked a few times a second. True if it was a
  // signal.
  [[nodiscard]] static bool wait(const std::function<bool()>& over);

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};

}  // namespace sotto
