#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>

#include "support/party_processes.h"

// As many parties as one machine holds, each a process.

namespace sotto {
namespace {

constexpr seconds kVeryLongRun{900};

// Ten of them are killed on their way: five by a signal from outside, five at a commit of theirs.
TEST(NetworkScale, AHundredPartiesOfWhichTenAreKilledFinishWithOneModel) {
  constexpr std::size_t kManyParties = 100;
  Parties parties({.solver = "ac",
                   .parties = kManyParties,
                   .topology = "random-regular",
                   .degree = 6,
                   .tables = false,
                   .network = "meeting_seconds = 900\npatience_seconds = 600\n"});
  const auto at_commit = [](std::size_t p) { return p % 20 == 7; };
  const auto by_signal = [](std::size_t p) { return p % 20 == 16; };
  for (std::size_t p = 0; p < kManyParties; ++p) {
    Start how;
    if (at_commit(p)) how.variables = {fmt::format("SOTTO_TEST_KILL={}:after", 2 + p / 5)};
    parties.start(p, how);
  }
  std::size_t killed = 0;
  for (std::size_t p = 0; p < kManyParties; ++p) {
    if (!by_signal(p) && !at_commit(p)) continue;
    if (by_signal(p)) {
      EXPECT_TRUE(parties.says(p, "connected to", kVeryLongRun)) << parties.said(p);
      parties.process(p).signal(SIGKILL);
    }
    killed += parties.wait(p, kVeryLongRun) == -SIGKILL ? 1U : 0U;
    parties.start(p);
  }
  parties.expect_all_end(0, kVeryLongRun);
  std::vector<std::size_t> everybody;
  for (std::size_t p = 0; p < kManyParties; ++p) {
    everybody.push_back(p);
    EXPECT_TRUE(parties.spent_once(p)) << p;
  }
  parties.expect_same_models(everybody);
  fmt::print("{} of {} parties were killed with signal 9 and came back\n", killed, kManyParties);
  EXPECT_EQ(killed, 10U);
}

}  // namespace
}  // namespace sotto
