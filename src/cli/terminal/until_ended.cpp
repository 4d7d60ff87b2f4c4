#include "cli/terminal/until_ended.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace sotto {
namespace {

constexpr std::chrono::milliseconds kBetweenQuestions{100};

std::atomic<bool> signal_came{false};

}  // namespace

EndHeard::EndHeard() {
  signal_came = false;
  struct sigaction action {};
  action.sa_handler = [](int) { signal_came = true; };
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
}

EndHeard::~EndHeard() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

bool EndHeard::wait(const std::function<bool()>& over) {
  while (!signal_came && !over()) std::this_thread::sleep_for(kBetweenQuestions);
  return signal_came;
}

}  // namespace sotto
