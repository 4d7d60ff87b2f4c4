#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <numeric>

#include "support/party_processes.h"

// As many parties as one machine holds, each a process.

namespace sotto {
namespace {

constexpr seconds kVeryLongRun{900};

NetworkOptions many_parties(std::size_t count) {
  return {.solver = "ac",
          .parties = count,
          .topology = "random-regular",
          .degree = 6,
          .tables = false,
          .network = "meeting_seconds = 900\npatience_seconds = 600\n"};
}

std::vector<std::size_t> everybody_of(const Parties& parties) {
  std::vector<std::size_t> everybody(parties.size());
  std::iota(everybody.begin(), everybody.end(), std::size_t{0});
  return everybody;
}

struct Sent {
  double parties = 0;
  double bytes = 0;  // of frames, by one party
};

// The slope of the least-squares line through the logarithms.
double log_log_slope(const std::vector<Sent>& sent) {
  const auto count = static_cast<double>(sent.size());
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  for (const Sent& at : sent) {
    const double n = std::log(at.parties);
    const double bytes = std::log(at.bytes);
    x += n;
    y += bytes;
    xx += n * n;
    xy += n * bytes;
  }
  return (count * xy - x * y) / (count * xx - x * x);
}

// Everybody hears of everybody, so at a fixed degree it can't be less than linear. What is flooded
// is not repeated inside of other statements, nor sent again to who is merely busy: it is not more.
TEST(NetworkScale, WhatAPartySendsGrowsNoFasterThanTheirNumber) {
  std::vector<Sent> mean;
  std::vector<Sent> most;
  for (const std::size_t count : {25UL, 50UL, 100UL, 200UL}) {
    Parties parties(many_parties(count));
    parties.start_all();
    parties.expect_all_end(0, kVeryLongRun);
    const auto everybody = everybody_of(parties);
    parties.expect_same_models(everybody);
    const auto n = static_cast<double>(count);
    mean.push_back({.parties = n});
    most.push_back({.parties = n});
    double cpu_seconds = 0;
    for (const std::size_t p : everybody) {
      const auto bytes = static_cast<double>(parties.bytes_sent(p));
      mean.back().bytes += bytes / n;
      most.back().bytes = std::max(most.back().bytes, bytes);
      cpu_seconds += parties.process(p).cpu_seconds();
    }
    fmt::print("{} parties: {:.0f} bytes sent by a party, {:.0f} at most; {:.1f} s of processors\n",
               count, mean.back().bytes, most.back().bytes, cpu_seconds);
  }
  fmt::print("slope of the logarithms: {:.3f}, of the most {:.3f}\n", log_log_slope(mean),
             log_log_slope(most));
  EXPECT_LE(log_log_slope(mean), 1.1);
  EXPECT_LE(log_log_slope(most), 1.1);
}

// Ten of them are killed on their way: five by a signal from outside, five at a commit of theirs.
TEST(NetworkScale, AHundredPartiesOfWhichTenAreKilledFinishWithOneModel) {
  constexpr std::size_t kManyParties = 100;
  Parties parties(many_parties(kManyParties));
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
  const auto everybody = everybody_of(parties);
  for (const std::size_t p : everybody) EXPECT_TRUE(parties.spent_once(p)) << p;
  parties.expect_same_models(everybody);
  fmt::print("{} of {} parties were killed with signal 9 and came back\n", killed, kManyParties);
  EXPECT_EQ(killed, 10U);
}

}  // namespace
}  // namespace sotto
