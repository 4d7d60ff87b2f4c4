#include "solve/exact_answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "base/random.h"
#include "solve/estimators.h"

namespace sotto {
namespace {

TEST(ExactAnswer, HasTheBitsOfTheExactSolution) {
  SeededRandom random(1);
  for (std::size_t m = 1; m <= kMaxExactAnswer; ++m) {
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<double> sums(m * (m + 3) / 2);
      // Definite or not, as it comes; every fourth one is singular, every fifth nothing but zeros.
      for (double& entry : sums) {
        entry = static_cast<double>(static_cast<std::int64_t>(random.bits64())) * 0x1p-55;
      }
      if (repeat % 4 == 0) std::fill_n(sums.begin(), m, 0.0);
      if (repeat % 5 == 0) std::ranges::fill(sums, 0.0);
      const auto expected = exact_solution(from_quadratic(from_theta(sums, m), 0.5)).value();
      std::vector<double> x(m);
      ASSERT_TRUE(exact_answer(sums, m, x));
      EXPECT_TRUE(std::ranges::equal(x, expected.theta)) << m;
    }
  }
}

TEST(ExactAnswer, IsNoneWhereTheSumsAreNoNumbers) {
  std::vector<double> x{7};
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), 1e101}) {
    EXPECT_FALSE(exact_answer(std::vector{bad, 1.0}, 1, x));
    EXPECT_FALSE(exact_answer(std::vector{1.0, bad}, 1, x));
  }
  EXPECT_EQ(x[0], 7);
}

// Eight at a time, with some that elimination leaves to the spectrum and some that are no numbers.
TEST(ExactAnswer, HasTheSameBitsAmongManyAndAlone) {
  SeededRandom random(2);
  for (const std::size_t m : {1U, 3U, 7U, 16U}) {
    for (const std::size_t count : {1U, 7U, 8U, 19U}) {
      const std::size_t entries = m * (m + 3) / 2;
      std::vector<double> sums(count * entries);
      for (double& entry : sums) {
        entry = static_cast<double>(static_cast<std::int64_t>(random.bits64())) * 0x1p-55;
      }
      for (std::size_t t = 0; t < count; ++t) {
        if (t % 5 == 1) std::fill_n(&sums[t * entries], m, 0.0);
        if (t % 6 == 2) sums[t * entries] = std::numeric_limits<double>::infinity();
      }
      std::vector<double> x(count * m, 7);
      std::vector<char> solved(count);
      exact_answers(sums, m, x, solved);
      for (std::size_t t = 0; t < count; ++t) {
        std::vector<double> alone(m, 7);
        const bool found = exact_answer(std::span(sums).subspan(t * entries, entries), m, alone);
        EXPECT_EQ(found, t % 6 != 2);
        EXPECT_EQ(solved[t] != 0, found);
        EXPECT_TRUE(std::ranges::equal(std::span(x).subspan(t * m, m), alone)) << m << " " << t;
      }
    }
  }
}

}  // namespace
}  // namespace sotto
