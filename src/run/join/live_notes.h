#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "network/driver.h"
#include "study/study.h"

// What a process that takes part notes down for those who watch its run from another one
// (`sotto view`): where it stands, who is waited for, bytes. For people alone: nothing is ever
// resumed from it, and a note that cannot be written, or is lost, costs no run anything. It holds
// nothing of the data, the noise or the sums, and no count of rows.
namespace sotto {

// Milliseconds since 1970.
[[nodiscard]] std::int64_t unix_milliseconds();

struct LiveRun {
  struct Begun {
    Phase phase = Phase::kMeeting;
    std::int64_t at = 0;  // milliseconds since 1970
  };
  std::string party;
  std::vector<std::string> parties;
  std::vector<std::pair<std::size_t, std::size_t>> edges;  // of `parties`
  SessionProgress progress;
  std::vector<std::string> connected;  // neighbours
  Transport::Bytes bytes;              // of the process that is in it, or was last
  std::vector<Begun> phases;           // in the order they began
  std::int64_t updated = 0;            // milliseconds since 1970
};

// HOME/live/RUN.json, which only its owner may read.
class LiveNotes {
 public:
  // `run` is the party's own name for it, hexadecimal. What an earlier process noted of its phases
  // stays.
  LiveNotes(const std::string& home, const std::string& run, const Study& study, PartyId self,
            std::int64_t now);

  void hear(const JoinEvent& event, std::int64_t now);
  // Written down now and then: nobody reads as fast as bytes come.
  void count(const Transport::Bytes& bytes, std::int64_t now);

 private:
  void write(std::int64_t now);
  std::string file_;
  LiveRun run_;
};

// None where there is none, or it is none.
[[nodiscard]] std::optional<LiveRun> read_live_run(const std::string& home, const std::string& run);

}  // namespace sotto
