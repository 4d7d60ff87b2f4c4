#include <gtest/gtest.h>

#include <tuple>

#include "base/random.h"
#include "paillier/kernels/crt_power.h"
#include "support/kernels.h"
#include "support/lanes.h"

namespace sotto::paillier {
namespace {

using namespace kernel_test;

constexpr std::size_t kModuli = 10;
constexpr std::size_t kBatches = 128;  // of eight: 10,240 cases for each key size
constexpr std::size_t kShortBits = 16;
constexpr std::size_t kTableBits = 24;

class LaneLongTest : public ::testing::TestWithParam<std::tuple<std::size_t, LaneKind>> {
 protected:
  std::size_t bits() const { return std::get<0>(GetParam()); }
  const LaneArithmetic& lanes() const { return std::get<1>(GetParam()).arithmetic; }
};

INSTANTIATE_TEST_SUITE_P(KeyBits, LaneLongTest,
                         ::testing::Combine(::testing::Values(1024U, 1536U, 2048U, 3072U, 4096U),
                                            ::testing::ValuesIn(lane_kinds())),
                         [](const auto& test) {
                           return std::to_string(std::get<0>(test.param)) + "_" +
                                  std::get<1>(test.param).name;
                         });

// One batch: products, short powers, powers of one base and the way in and out.
void compare_batch(const Kernel& kernel, const FixedBase& table, const Integer& base,
                   const Integer& n, RandomSource& random) {
  const Integer square = n * n;
  IntegerVector x;
  IntegerVector y;
  IntegerVector exponents;
  for (std::size_t i = 0; i < kLanes; ++i) {
    x.push_back(random.below(square));
    y.push_back(random.below(square));
    exponents.push_back(random.below(Integer(1) << kTableBits));
  }
  const Integer e = random.below(Integer(1) << kShortBits);
  const Residues left = kernel.load(x);
  const IntegerVector products = kernel.store(kernel.multiply(left, kernel.load(y)));
  const IntegerVector powers = kernel.store(kernel.power(left, e, kShortBits));
  const IntegerVector fixed = kernel.store(table.power(exponents));
  for (std::size_t i = 0; i < kLanes; ++i) {
    ASSERT_EQ(products[i], Integer(x[i] * y[i] % square)) << "modulo " << n;
    ASSERT_EQ(powers[i], power_mod(x[i], e, square)) << "modulo " << n;
    ASSERT_EQ(fixed[i], power_mod(base, exponents[i], square)) << "modulo " << n;
  }
}

TEST_P(LaneLongTest, AgreesWithThePlainDefinitionTenThousandTimes) {
  SeededRandom random(bits());
  for (std::size_t m = 0; m < kModuli; ++m) {
    Integer n = random_odd(bits(), random);
    if (m == 0) n = (Integer(1) << bits()) - 1;
    if (m == 1) n = (Integer(1) << (bits() - 1)) + 1;
    const auto kernel = make_lane_kernel(n, lanes());
    const Integer base = random.below(n * n);
    const auto table = kernel->fixed_base(base, kTableBits);
    for (std::size_t batch = 0; batch < kBatches; ++batch) {
      compare_batch(*kernel, *table, base, n, random);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(LaneLongTest, AgreesWithThePlainDefinitionForExponentsAsLongAsTheKey) {
  compare_with_definition({"lanes", [&](const Integer& n) { return make_lane_kernel(n, lanes()); }},
                          bits(), 4, bits() + 1, bits());
}

// What decryption does: x^(p−1) modulo p² and x^(q−1) modulo q², of full length.
TEST_P(LaneLongTest, BothPrimesAgreeWithThePlainDefinitionForExponentsAsLongAsThePrimes) {
  const std::size_t half = bits() / 2;
  SeededRandom random(half + 2);
  const Integer p = random_odd(half, random);
  const Integer q = random_odd(half, random);
  const CrtLanes both(p, q, lanes());
  IntegerVector x;
  for (int i = 0; i < 9; ++i) x.push_back(random.below(p * p * q * q));
  const auto powers = both.power(x, p - 1, q - 1, half);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(Integer(powers[i].p.low + powers[i].p.high * p), power_mod(x[i], p - 1, p * p));
    EXPECT_EQ(Integer(powers[i].q.low + powers[i].q.high * q), power_mod(x[i], q - 1, q * q));
  }
}

}  // namespace
}  // namespace sotto::paillier
