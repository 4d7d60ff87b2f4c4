#include "paillier/kernels/kernel.h"

#include <gtest/gtest.h>

#include "paillier/kernels/lanes.h"
#include "paillier/primes.h"
#include "support/kernels.h"

namespace sotto::paillier {
namespace {

using namespace kernel_test;

class KernelTest : public ::testing::TestWithParam<KernelMaker> {};

INSTANTIATE_TEST_SUITE_P(Available, KernelTest, ::testing::ValuesIn(kernel_makers()),
                         [](const auto& made) { return made.param.name; });

TEST_P(KernelTest, AgreesWithThePlainDefinition) {
  for (const std::size_t bits : {64U, 512U, 1024U, 1536U, 2048U, 3072U}) {
    SCOPED_TRACE(bits);
    compare_with_definition(GetParam(), bits, bits <= 1024 ? 8 : 2, bits, bits <= 512 ? bits : 300);
  }
}

TEST_P(KernelTest, HandlesModuliThatFillNoWordExactly) {
  for (const std::size_t bits : {2U, 3U, 33U, 63U, 65U, 107U, 521U, 1030U}) {
    SCOPED_TRACE(bits);
    compare_with_definition(GetParam(), bits, 3, bits, bits);
  }
}

TEST_P(KernelTest, TakesBatchesOfEverySize) {
  SeededRandom random(5);
  const Integer n = random_odd(512, random);
  const Integer square = n * n;
  const auto kernel = GetParam().make(n);
  for (std::size_t count = 0; count <= 17; ++count) {
    IntegerVector numbers;
    for (std::size_t k = 0; k < count; ++k) numbers.push_back(random.below(square));
    const Residues loaded = kernel->load(numbers);
    EXPECT_EQ(loaded.count, count);
    EXPECT_EQ(kernel->store(loaded), numbers);
    const IntegerVector cubes = kernel->store(kernel->power(loaded, 3, 2));
    ASSERT_EQ(cubes.size(), count);
    for (std::size_t k = 0; k < count; ++k) {
      EXPECT_EQ(cubes[k], power_mod(numbers[k], 3, square));
    }
  }
}

TEST_P(KernelTest, KnowsTheExtremes) {
  SeededRandom random(6);
  for (const std::size_t bits : {64U, 512U, 1024U}) {
    const Integer n = random_odd(bits, random);
    const Integer square = n * n;
    const auto kernel = GetParam().make(n);
    const IntegerVector extremes{
        0, 1, 2, n - 1, n, n + 1, 2 * n, square - n, square - 1, square - 2, n * (n - 1) + 1};
    const Residues loaded = kernel->load(extremes);
    EXPECT_EQ(kernel->store(loaded), extremes);
    const std::vector<LimbPair> pairs = kernel->store_pairs(loaded);
    const IntegerVector squares = kernel->store(kernel->multiply(loaded, loaded));
    for (const auto& [exponent, exponent_bits] :
         std::vector<std::pair<Integer, std::size_t>>{{0, 1},
                                                      {0, 40},
                                                      {1, 1},
                                                      {1, 300},
                                                      {(Integer(1) << 40) - 1, 40},
                                                      {Integer(1) << 39, 40},
                                                      {(Integer(1) << 300) - 1, 300},
                                                      {n, bits},
                                                      {n - 1, bits}}) {
      const IntegerVector powers = kernel->store(kernel->power(loaded, exponent, exponent_bits));
      for (std::size_t k = 0; k < extremes.size(); ++k) {
        EXPECT_EQ(powers[k], power_mod(extremes[k], exponent, square)) << k << " " << exponent;
      }
    }
    for (std::size_t k = 0; k < extremes.size(); ++k) {
      EXPECT_EQ(integer_of(pairs[k].low), Integer(extremes[k] % n));
      EXPECT_EQ(integer_of(pairs[k].high), Integer(extremes[k] / n));
      EXPECT_EQ(squares[k], Integer(extremes[k] * extremes[k] % square));
    }
  }
}

TEST_P(KernelTest, RaisesOneBaseToManyExponents) {
  SeededRandom random(7);
  const Integer n = random_odd(512, random);
  const Integer square = n * n;
  const auto kernel = GetParam().make(n);
  for (const std::size_t bits : {1U, 5U, 47U, 48U, 49U, 256U, 1000U}) {
    const Integer base = random.below(square);
    const auto table = kernel->fixed_base(base, bits);
    IntegerVector exponents{0, 1, (Integer(1) << bits) - 1, Integer(1) << (bits - 1)};
    for (int k = 0; k < 9; ++k) exponents.push_back(random_bits(bits, random));
    const IntegerVector powers = kernel->store(table->power(exponents));
    ASSERT_EQ(powers.size(), exponents.size());
    for (std::size_t k = 0; k < exponents.size(); ++k) {
      EXPECT_EQ(powers[k], power_mod(base, exponents[k], square)) << bits << " " << exponents[k];
    }
  }
}

TEST(KernelChoice, IsThePortableOneWhenToldSo) {
  const ForcedKernel forced("portable");
  EXPECT_EQ(selected_kernel().value(), "portable");
  EXPECT_EQ(make_kernel(Integer(15))->name(), "portable");
}

TEST(KernelChoice, RefusesAKernelThatDoesNotExist) {
  const ForcedKernel forced("abacus");
  ASSERT_FALSE(selected_kernel().has_value());
  EXPECT_EQ(selected_kernel().error().name, "E-kernel");
}

TEST(KernelChoice, TakesLanesIfTheProcessorHasThemAndRefusesElsewhere) {
  for (const char* name : {"ifma", "fma"}) {
    const ForcedKernel forced(name);
    if (lane_arithmetic(name) != nullptr) {
      EXPECT_EQ(selected_kernel().value(), name);
      EXPECT_EQ(make_kernel(Integer(15))->name(), name);
    } else {
      ASSERT_FALSE(selected_kernel().has_value());
      EXPECT_EQ(selected_kernel().error().name, "E-kernel");
      EXPECT_EQ(selected_kernel().error().status, Status::kBadInput);
    }
  }
}

TEST(KernelChoice, IsTheFastestOneThatRunsHere) {
  const ForcedKernel unforced("");
  const bool ifma = lane_arithmetic("ifma") != nullptr;
  const bool fma = lane_arithmetic("fma") != nullptr;
  EXPECT_EQ(selected_kernel().value(), ifma ? "ifma" : fma ? "fma" : "portable");
  EXPECT_EQ(available_kernels().back(), "portable");
}

}  // namespace
}  // namespace sotto::paillier
