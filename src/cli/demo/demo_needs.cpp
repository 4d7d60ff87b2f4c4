// Whether this machine holds so many parties: each is a process with a transport, a store and its
// cryptography.
#include <fmt/format.h>
#include <sys/resource.h>

#include <fstream>
#include <limits>
#include <string>

#include "cli/demo/demo.h"

namespace sotto {
namespace {

// Measured with twenty parties: 5 MB of its own (32 with the libraries that all share) and 12
// threads, gRPC's beside ours, most of which sleep. What is heard of more parties comes on top.
constexpr double kMegabytes = 16;
constexpr std::size_t kThreads = 16;
// A demo of a few needs no words.
constexpr std::size_t kUnremarkable = 20;

// Memory that can be had without taking it from anybody; none where nobody says so.
double available_megabytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  double kilobytes = 0;
  for (std::string rest; file >> key >> kilobytes; std::getline(file, rest)) {
    if (key == "MemAvailable:") return kilobytes / 1024;
  }
  return std::numeric_limits<double>::infinity();
}

double allowed_threads() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NPROC, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<double>::infinity();
  }
  return static_cast<double>(limit.rlim_cur);
}

}  // namespace

Result<std::string> demo_needs(std::size_t parties) {
  const auto count = static_cast<double>(parties);
  const double memory = count * kMegabytes;
  const double threads = count * static_cast<double>(kThreads);
  const double available = available_megabytes();
  const auto refuse = [&](const std::string& what, double most) {
    return failed("E-demo-machine", fmt::format("{} parties take about {}", parties, what),
                  fmt::format("ask for at most {:.0f}, or for a larger machine", most));
  };
  if (memory > available) {
    return refuse(fmt::format("{:.0f} MB of memory, and {:.0f} are free", memory, available),
                  available / kMegabytes);
  }
  if (threads > allowed_threads()) {
    return refuse(fmt::format("{:.0f} threads, and {:.0f} are allowed", threads, allowed_threads()),
                  allowed_threads() / static_cast<double>(kThreads));
  }
  if (parties <= kUnremarkable) return std::string();
  return fmt::format("{} parties: about {:.1f} GB of memory and {:.0f} threads", parties,
                     memory / 1024, threads);
}

}  // namespace sotto
