// What ranks compare before they begin; what they compute is in simulate/ranks/ and mpi/.
#include "run/ranks/simulate_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/thread_ranks.h"

namespace sotto {
namespace {

using testing::HasSubstr;

// What both ranks end with, if rank 0 has the first facts and rank 1 the second.
std::string compared(const Json& first, const Json& second) {
  std::vector<std::string> words(2);
  ThreadRanks(2).run([&](Ranks& ranks) {
    const auto same = require_same(ranks, ranks.rank() == 0 ? first : second);
    words[ranks.rank()] = same ? "" : same.error().to_string();
  });
  EXPECT_EQ(words[0], words[1]);
  return words[0];
}

TEST(RanksCompare, WhatOneOfThemHasAloneAsWellAsWhatDiffers) {
  const Json some{{"seed", 1}};
  const Json more{{"seed", 1}, {"solver", {"ac"}}};
  EXPECT_EQ(compared(more, more), "");
  EXPECT_THAT(compared({{"seed", 1}}, {{"seed", 2}}), HasSubstr("seed is 2 on rank 1 and 1 on"));
  EXPECT_THAT(compared(some, more),
              HasSubstr("solver is [\"ac\"] on rank 1 and nothing on rank 0"));
  EXPECT_THAT(compared(more, some),
              HasSubstr("solver is nothing on rank 1 and [\"ac\"] on rank 0"));
}

}  // namespace
}  // namespace sotto
