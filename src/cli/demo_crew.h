#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "cli/demo_stage.h"
#include "cli/party_board.h"

namespace sotto {

struct DemoRun {
  double seconds = 0;            // from the first process's start to the last one's end
  std::uint64_t sent_bytes = 0;  // of frames, all parties together
  std::uint64_t most_bytes = 0;  // sent by the busiest party
};

// Every party as a process of its own, each with one `sotto join`, until all have ended.
// E-demo-party with the last lines of the one that failed, E-interrupted, E-child; after
// any of them no process is left.
[[nodiscard]] Result<DemoRun> run_demo_parties(const DemoStage& stage, PartyBoard::Style style);

// "sent 28604 bytes, received 28182": the first number; none in any other line.
[[nodiscard]] std::optional<std::uint64_t> sent_bytes_in(const std::string& news);

}  // namespace sotto
