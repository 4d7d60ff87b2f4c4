#include "cli/demo_crew.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <deque>
#include <fstream>
#include <thread>

#include "cli/child_process.h"

namespace sotto {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kTick{100};
constexpr milliseconds kTimeToLeave{3'000};
constexpr std::size_t kLastLines = 4;

volatile std::sig_atomic_t stop_signal = 0;

// Ctrl-C ends the parties before it ends us; afterwards signals mean what they meant.
class SignalWatch {
 public:
  SignalWatch() {
    stop_signal = 0;
    struct sigaction action {};
    action.sa_handler = [](int number) { stop_signal = number; };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &interrupt_);
    sigaction(SIGTERM, &action, &terminate_);
  }
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
  }

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};

struct Member {
  ChildProcess process;
  std::ofstream log;
  std::deque<std::string> last;
  std::uint64_t sent_bytes = 0;
  bool ended = false;
};

class Crew {
 public:
  Crew(const DemoStage& stage, PartyBoard& board) : stage_(stage), board_(board) {}

  [[nodiscard]] Result<void> start() {
    for (const DemoParty& party : stage_.parties) {
      auto process = ChildProcess::start(
          {"join", stage_.study, "--as", party.name, "--data", party.table, "--home", party.home},
          party.home + ".out");
      if (!process) return tl::unexpected(process.error());
      members_.push_back({.process = std::move(*process),
                          .log = std::ofstream(party.log),
                          .last = {},
                          .sent_bytes = 0,
                          .ended = false});
    }
    return {};
  }

  [[nodiscard]] Result<void> watch() {
    while (!std::ranges::all_of(members_, &Member::ended)) {
      wait();
      if (stop_signal != 0) {
        end_all();
        return failed("E-interrupted", "interrupted; the parties were ended",
                      fmt::format("their files are in {}", stage_.folder));
      }
      for (std::size_t i = 0; i < members_.size(); ++i) {
        if (auto fine = look_at(i); !fine) {
          end_all();
          return fine;
        }
      }
      board_.draw();
    }
    return {};
  }

  [[nodiscard]] DemoRun sums() const {
    DemoRun run;
    for (const Member& member : members_) {
      run.sent_bytes += member.sent_bytes;
      run.most_bytes = std::max(run.most_bytes, member.sent_bytes);
    }
    return run;
  }

 private:
  void wait() {
    std::vector<pollfd> ends;
    for (const Member& member : members_) {
      if (member.process.lines() >= 0) {
        ends.push_back({.fd = member.process.lines(), .events = POLLIN, .revents = 0});
      }
    }
    ::poll(ends.data(), ends.size(), static_cast<int>(kTick.count()));
  }

  [[nodiscard]] Result<void> look_at(std::size_t i) {
    Member& member = members_[i];
    if (member.ended) return {};
    // In this order: what it wrote before it ended is in the pipe by then.
    const auto status = member.process.status();
    for (const std::string& line : member.process.take_lines()) hear(i, line);
    if (!status) return {};
    member.ended = true;
    if (*status == 0) return {};
    const std::string how = *status > 128 ? fmt::format("was ended by signal {}", *status - 128)
                                          : fmt::format("failed with exit status {}", *status);
    return failed("E-demo-party",
                  fmt::format("{} {}: {}", stage_.parties[i].name, how,
                              member.last.empty() ? "it said nothing"
                                                  : fmt::to_string(fmt::join(member.last, " | "))),
                  fmt::format("all that it said is in {}", stage_.parties[i].log));
  }

  void hear(std::size_t i, const std::string& line) {
    Member& member = members_[i];
    member.log << line << '\n' << std::flush;
    member.last.push_back(without_time(line));
    if (member.last.size() > kLastLines) member.last.pop_front();
    if (const auto bytes = sent_bytes_in(without_time(line))) member.sent_bytes = *bytes;
    board_.tell(i, line);
  }

  // Asks, waits a while, and the destructors do the rest.
  void end_all() {
    for (Member& member : members_) member.process.ask_to_end();
    const auto late = steady_clock::now() + kTimeToLeave;
    const auto gone = [](Member& member) { return member.process.status().has_value(); };
    while (steady_clock::now() < late && !std::ranges::all_of(members_, gone)) {
      for (Member& member : members_) {
        for (const std::string& line : member.process.take_lines()) member.log << line << '\n';
      }
      std::this_thread::sleep_for(kTick);
    }
  }

  const DemoStage& stage_;
  PartyBoard& board_;
  std::vector<Member> members_;
};

}  // namespace

std::optional<std::uint64_t> sent_bytes_in(const std::string& news) {
  constexpr std::string_view kBefore = "sent ";
  if (!news.starts_with(kBefore)) return std::nullopt;
  std::uint64_t bytes = 0;
  const char* end = news.data() + news.size();
  const auto [stop, fault] = std::from_chars(news.data() + kBefore.size(), end, bytes);
  if (fault != std::errc{} || !std::string_view(stop, end).starts_with(" bytes")) {
    return std::nullopt;
  }
  return bytes;
}

Result<DemoRun> run_demo_parties(const DemoStage& stage, PartyBoard::Style style) {
  std::vector<std::string> names;
  for (const DemoParty& party : stage.parties) names.push_back(party.name);
  const SignalWatch signals;
  PartyBoard board(std::move(names), style);
  Crew crew(stage, board);
  const auto begin = steady_clock::now();
  if (auto started = crew.start(); !started) return tl::unexpected(started.error());
  if (auto watched = crew.watch(); !watched) return tl::unexpected(watched.error());
  DemoRun run = crew.sums();
  run.seconds = std::chrono::duration<double>(steady_clock::now() - begin).count();
  return run;
}

}  // namespace sotto
