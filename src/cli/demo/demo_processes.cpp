// Starts the parties, listens to what they tell, and ends all of them when one fails.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <fstream>
#include <thread>

#include "base/files.h"
#include "cli/demo/child_process.h"
#include "cli/demo/demo.h"
#include "run/join/join_event.h"
#include "store/store.h"

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

// Which of the table's steps a phase is: they come in the same order. None for a run that stopped.
std::optional<std::size_t> step_of(Phase phase) {
  static_assert(static_cast<std::size_t>(Phase::kFinished) + 1 == kRunSteps);
  if (phase == Phase::kStopped) return std::nullopt;
  return static_cast<std::size_t>(phase) + 1;
}

// Into the party's log, as a person would have seen it. What is no event, such as the last words of
// a library, is told as it is.
JoinEvent write_down(Member& member, const std::string& line) {
  JoinEvent event = join_event_from(line).value_or(JoinEvent{.text = line});
  const std::string text = escape_for_terminal(event.text);
  member.log << fmt::format("{:%H:%M:%S} {}\n", fmt::localtime(unix_seconds()), text) << std::flush;
  member.last.push_back(text);
  if (member.last.size() > kLastLines) member.last.pop_front();
  return event;
}

class PartyProcesses {
 public:
  PartyProcesses(const DemoSetup& setup, ProgressTable& table) : setup_(setup), table_(table) {}

  [[nodiscard]] Result<void> start() {
    for (const DemoParty& party : setup_.parties) {
      SOTTO_ASSIGN(auto process,
                   ChildProcess::start({"join", setup_.study, "--as", party.name, "--data",
                                        party.table, "--home", party.home, "--progress", "json"},
                                       party.home + ".out"));
      // A party's log is the party's: it says what its account holds.
      SOTTO_TRY(write_file(party.log, "", Readers::kOwnerOnly));
      members_.push_back({.process = std::move(process),
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
                      fmt::format("their files are in {}", setup_.folder));
      }
      for (std::size_t i = 0; i < members_.size(); ++i) {
        if (auto fine = look_at(i); !fine) {
          end_all();
          return fine;
        }
      }
      table_.draw();
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
                  fmt::format("{} {}: {}", setup_.parties[i].name, how,
                              member.last.empty() ? "it said nothing"
                                                  : fmt::to_string(fmt::join(member.last, " | "))),
                  fmt::format("all that it said is in {}", setup_.parties[i].log));
  }

  void hear(std::size_t i, const std::string& line) {
    const JoinEvent event = write_down(members_[i], line);
    if (event.kind == JoinEvent::Kind::kBytes) members_[i].sent_bytes = event.bytes.sent;
    const bool moved = event.kind == JoinEvent::Kind::kPhase;
    table_.tell(i, escape_for_terminal(event.text),
                moved ? step_of(event.progress.phase) : std::nullopt);
  }

  // Asks, waits a while, and the destructors do the rest.
  void end_all() {
    for (Member& member : members_) member.process.ask_to_end();
    const auto late = steady_clock::now() + kTimeToLeave;
    const auto gone = [](Member& member) { return member.process.status().has_value(); };
    while (steady_clock::now() < late && !std::ranges::all_of(members_, gone)) {
      for (Member& member : members_) {
        for (const std::string& line : member.process.take_lines()) write_down(member, line);
      }
      std::this_thread::sleep_for(kTick);
    }
  }

  const DemoSetup& setup_;
  ProgressTable& table_;
  std::vector<Member> members_;
};

}  // namespace

Result<DemoRun> run_demo_parties(const DemoSetup& setup, ProgressTable::Style style) {
  std::vector<std::string> names;
  for (const DemoParty& party : setup.parties) names.push_back(party.name);
  const SignalWatch signals;
  ProgressTable table(std::move(names), style);
  PartyProcesses processes(setup, table);
  const auto begin = steady_clock::now();
  SOTTO_TRY(processes.start());
  SOTTO_TRY(processes.watch());
  DemoRun run = processes.sums();
  run.seconds = std::chrono::duration<double>(steady_clock::now() - begin).count();
  return run;
}

}  // namespace sotto
