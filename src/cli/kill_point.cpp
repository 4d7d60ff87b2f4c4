#include "cli/kill_point.h"

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace sotto {
namespace {

std::string_view word_for(CommitPoint point) {
  switch (point) {
    case CommitPoint::kBefore:
      return "before";
    case CommitPoint::kAfter:
      return "after";
    case CommitPoint::kSent:
      return "sent";
  }
  return {};
}

}  // namespace

std::function<void(CommitPoint)> kill_point() {
  const char* kill = std::getenv("SOTTO_TEST_KILL");
  if (kill == nullptr) return {};
  const std::string_view wanted = kill;
  const auto colon = wanted.find(':');
  std::uint64_t number = 0;
  if (colon != std::string_view::npos) {
    std::from_chars(wanted.data(), wanted.data() + colon, number);
  }
  const std::string word(colon == std::string_view::npos ? "" : wanted.substr(colon + 1));
  auto commits = std::make_shared<std::uint64_t>(0);
  return [=](CommitPoint point) {
    if (point == CommitPoint::kBefore) ++*commits;
    if (*commits == number && word_for(point) == word) std::raise(SIGKILL);
  };
}

}  // namespace sotto
