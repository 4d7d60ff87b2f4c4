#include "support/accuracy.h"

namespace sotto {
namespace {

using namespace simulate_test;

// 90 000 numbers from 10 000 runs: g = 0.01 itself is 4 standard errors.
TEST(SumNoise, OfDishufIsWithinGOfTheCentralMechanismsOverTenThousandDraws) {
  expect_dishuf_within_g(10'000);
}

}  // namespace
}  // namespace sotto
