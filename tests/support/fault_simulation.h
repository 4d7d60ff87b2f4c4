#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "session/session.h"

namespace sotto {

// All parties of a study in one process, each a Session with a journal of its own, over a
// network that a schedule disturbs: connections come and go, frames are late, repeated, out of
// order or lost, processes crash at any instant and come back or do not, journals refuse. One
// seed is one schedule: study, keys, faults, and the clock. The code under it is the code that
// runs on a real network.

enum class FaultKind {
  kNone,       // frames are late and out of order; nothing breaks
  kBenign,     // everything breaks, for less than the study's patience: all must finish
  kLostEarly,  // one party dies before it is ready; the rest may go on, and must finish
  kLostLate,   // one party dies after the barrier: the rest finish without it, or all stop
  kBegunAnew,  // parties begin anew before they have met all: all must finish
  kAny,        // anything, for any time: never a wrong result, a second draw or a hang
  kLiars,      // the same, and one or two members lie: the others keep all that a run promises
};
[[nodiscard]] std::string to_string(FaultKind kind);
// "liars:17": a kind, by its first word, and a seed, as violations are printed.
struct NamedSchedule {
  FaultKind kind = FaultKind::kNone;
  std::uint64_t seed = 0;
};
[[nodiscard]] std::string name_of(const NamedSchedule& schedule);
[[nodiscard]] std::optional<NamedSchedule> schedule_named(const std::string& name);

struct FaultCounts {
  std::uint64_t crashes = 0;
  std::uint64_t restarts = 0;
  std::uint64_t deaths = 0;
  std::uint64_t cuts = 0;  // of a connection
  std::uint64_t frames = 0;
  std::uint64_t lost = 0;
  std::uint64_t repeated = 0;
  std::uint64_t failed_commits = 0;
  std::uint64_t refused_debits = 0;
  std::uint64_t aborts = 0;
  std::uint64_t begun_anew = 0;
  std::uint64_t lies = 0;
  FaultCounts& operator+=(const FaultCounts& other);
};

// How a party left its run.
struct PartyEnd {
  bool dead = false;  // it never came back; the rest says nothing
  bool liar = false;  // the same
  Phase phase = Phase::kMeeting;
  bool released = false;
  std::string error;  // its name; empty if finished
  std::string statement;
  std::vector<PartyId> members;
  std::vector<double> result;
  std::string transcript;
};

struct FaultOutcome {
  std::uint64_t seed = 0;
  std::string study;  // for a person
  FaultCounts counts;
  Time ended{};
  std::vector<PartyEnd> ends;           // by party
  std::vector<std::string> violations;  // promises that were broken; none, if all is well
};

[[nodiscard]] FaultOutcome run_faults(std::uint64_t seed, FaultKind kind);

// `count` schedules from `first` on, on all cores: what they came to together. Only outcomes with
// violations are kept. If the process dies, the names of the schedules under way are its last
// words.
struct FaultSummary {
  FaultCounts counts;
  std::map<std::string, std::size_t> ends;  // "finished", "dead", "liar", or an error's name
  std::vector<FaultOutcome> violated;
};
[[nodiscard]] FaultSummary run_many_faults(std::uint64_t first, std::uint64_t count,
                                           FaultKind kind);

}  // namespace sotto
