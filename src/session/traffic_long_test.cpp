#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/session_traffic.h"

namespace sotto {
namespace {

TEST(TrafficLong, OfAPartyGrowsNoFasterThanTheNumberOfParties) {
  std::vector<std::pair<std::size_t, double>> measured;
  for (const std::size_t parties : {25U, 50U, 100U, 200U}) {
    measured.emplace_back(parties, bytes_per_party(parties));
    fmt::print("{} parties, random 6-regular: {:.0f} bytes sent by each\n", parties,
               measured.back().second);
  }
  fmt::print("slope on a log-log line: {:.3f}\n", growth(measured));
  EXPECT_LT(growth(measured), 1.1);
}

}  // namespace
}  // namespace sotto
