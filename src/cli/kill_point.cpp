#include "cli/kill_point.h"

#include <fmt/format.h>

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fstream>
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
  const char* counter = std::getenv("SOTTO_TEST_COMMITS");
  if (kill == nullptr && counter == nullptr) return {};
  const std::string_view wanted = kill == nullptr ? "" : kill;
  const auto colon = wanted.find(':');
  std::uint64_t number = 0;
  if (colon != std::string_view::npos) {
    std::from_chars(wanted.data(), wanted.data() + colon, number);
  }
  const std::string word(colon == std::string_view::npos ? "" : wanted.substr(colon + 1));
  const std::string file = counter == nullptr ? "" : counter;
  auto commits = std::make_shared<std::uint64_t>(0);
  return [=](CommitPoint point) {
    if (point == CommitPoint::kBefore) ++*commits;
    if (point == CommitPoint::kSent && !file.empty()) std::ofstream(file) << *commits;
    if (*commits == number && word_for(point) == word) std::raise(SIGKILL);
  };
}

}  // namespace sotto
