#include "base/parallel.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <barrier>
#include <stdexcept>
#include <thread>
#include <vector>

namespace sotto {
namespace {

TEST(CoreCount, IsOfThoseThatTheProcessMayUse) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  EXPECT_EQ(core_count(), static_cast<std::size_t>(CPU_COUNT(&before)));
  cpu_set_t one;
  CPU_ZERO(&one);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(core_count(), 1U);
  sched_setaffinity(0, sizeof(before), &before);
}

TEST(ParallelFor, CallsEveryNumberOnce) {
  for (const std::size_t threads : {0U, 1U, 2U, 3U, 50U}) {
    for (const std::size_t count : {0U, 1U, 2U, 7U, 1000U}) {
      std::vector<std::atomic<int>> calls(count);
      parallel_for(count, threads, [&](std::size_t k) { ++calls[k]; });
      for (const auto& number : calls) EXPECT_EQ(number, 1);
    }
  }
}

// Each waits for the others: on fewer threads this would hang.
TEST(ParallelFor, HasAsManyThreadsAsAskedFor) {
  std::barrier<> together(3);
  parallel_for(3, 3, [&](std::size_t) { together.arrive_and_wait(); });
}

TEST(ParallelFor, StaysOnItsThreadInsideOfAnother) {
  std::atomic<bool> moved = false;
  parallel_for(2, 2, [&](std::size_t) {
    const auto here = std::this_thread::get_id();
    parallel_for(4, 2, [&](std::size_t) { moved = moved || std::this_thread::get_id() != here; });
  });
  EXPECT_FALSE(moved);
}

TEST(ParallelFor, IsAloneWithOneThreadAndNotWithOneNumber) {
  const auto here = std::this_thread::get_id();
  std::atomic<bool> moved = false;
  parallel_for(3, 1, [&](std::size_t) {
    parallel_for(4, 2, [&](std::size_t) { moved = moved || std::this_thread::get_id() != here; });
  });
  EXPECT_FALSE(moved);
  parallel_for(1, 0, [&](std::size_t) {
    std::barrier<> together(2);
    parallel_for(2, 2, [&](std::size_t) { together.arrive_and_wait(); });
  });
}

TEST(ParallelFor, GivesExceptionsToTheCallerAndWorksAgainAfterwards) {
  for (const std::size_t threads : {1U, 2U}) {
    std::atomic<int> calls = 0;
    const auto fail = [&](std::size_t k) {
      ++calls;
      if (k == 3) throw std::runtime_error("three");
    };
    EXPECT_THROW(parallel_for(1'000'000, threads, fail), std::runtime_error);
    EXPECT_LT(calls, 1'000'000);
  }
  std::barrier<> together(2);
  parallel_for(2, 2, [&](std::size_t) { together.arrive_and_wait(); });
}

}  // namespace
}  // namespace sotto
