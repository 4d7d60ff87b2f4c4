#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/random.h"
#include "protocol/message.h"

namespace sotto {

// What a run cost in messages.
struct Traffic {
  std::uint64_t messages = 0;
};

// Drives parties message by message until all are done. With a `schedule`, the
// next message to arrive is drawn from it among all that are under way;
// without, messages arrive in the order in which they were sent. A party's error
// ends the run; so does a standstill, which would be a bug in a protocol.
[[nodiscard]] Result<Traffic> run_messages(std::span<const std::unique_ptr<Party>> parties,
                                           RandomSource* schedule = nullptr);

}  // namespace sotto
