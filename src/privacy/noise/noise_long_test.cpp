#include <gtest/gtest.h>

#include <string>

#include "privacy/noise/noise.h"
#include "support/noise_statistics.h"

// The checks of noise_test.cpp over more laws and more draws, and the tails.
namespace sotto {
namespace {

using namespace noise_test;

constexpr std::uint64_t kSeed = 77;

class NoiseLong : public testing::TestWithParam<std::string> {
 protected:
  Integer gaussian(const Integer& sigma) { return noise_->gaussian(sigma); }
  Integer laplace(const Rational& scale, const Integer& bound) {
    return noise_->truncated_laplace(scale, bound);
  }

 private:
  SeededRandom random_{kSeed, 2};
  std::unique_ptr<NoiseSource> noise_ =
      GetParam() == "exact" ? exact_noise(random_) : fast_noise(kSeed, 2);
};

INSTANTIATE_TEST_SUITE_P(Sampler, NoiseLong, testing::Values("exact", "fast"),
                         [](const auto& sampler) { return sampler.param; });

TEST_P(NoiseLong, SmallGaussiansHaveTheirLawToHalfAPercent) {
  for (const long sigma : {1, 2, 3, 4, 5, 7, 11, 50, 333}) {
    const auto values = draws(2'000'000, [&] { return gaussian(sigma); });
    const auto claimed = static_cast<double>(sigma);
    EXPECT_TRUE(is_small_gaussian(values, claimed)) << sigma;
    EXPECT_FALSE(is_small_gaussian(values, 1.005 * claimed)) << sigma;
    EXPECT_FALSE(is_small_gaussian(values, 0.995 * claimed)) << sigma;
  }
}

TEST_P(NoiseLong, LargeGaussiansHaveTheirLawOnBothSidesOfEveryBranch) {
  // fast: 2³⁰ and 2⁵⁸; exact: 63 bits, a limb, two limbs.
  for (const unsigned bits : {29U, 30U, 57U, 58U, 62U, 63U, 64U, 127U, 128U}) {
    for (const int beside : {-1, 0, 1}) {
      const Integer sigma = power(2, bits) + beside;
      const auto values = draws(400'000, [&] { return gaussian(sigma); });
      EXPECT_TRUE(is_large_gaussian(values, sigma)) << sigma;
      EXPECT_FALSE(is_large_gaussian(values, sigma, 1.01)) << sigma;
      EXPECT_FALSE(is_large_gaussian(values, sigma, 0.99)) << sigma;
    }
  }
}

TEST_P(NoiseLong, HugeGaussiansHaveTheirLaw) {
  for (const unsigned digits : {100U, 308U, 309U, 676U, 750U}) {
    const Integer sigma = power(10, digits);
    const auto values = draws(400'000, [&] { return gaussian(sigma); });
    EXPECT_TRUE(is_large_gaussian(values, sigma)) << digits;
    EXPECT_FALSE(is_large_gaussian(values, sigma, 1.01)) << digits;
    EXPECT_FALSE(is_large_gaussian(values, sigma, 0.99)) << digits;
  }
}

TEST_P(NoiseLong, TheTailIsTheNormalTail) {
  // Beyond 3σ, with the ziggurat's tail (3.65σ) and exact draws of V ≥ 3 among them.
  const Integer sigma = power(2, 45);
  constexpr double kFrom = 3;
  constexpr double kCount = 10'000'000;
  std::vector<double> beyond;
  for (int i = 0; i < static_cast<int>(kCount); ++i) {
    const double z = std::abs(in_units(gaussian(sigma), sigma));
    if (z > kFrom) beyond.push_back(z);
  }
  const double mass = 2 * normal_cdf(-kFrom);
  EXPECT_NEAR(static_cast<double>(beyond.size()), kCount * mass,
              kDeviations * std::sqrt(kCount * mass));
  const auto tail_cdf = [&](double width) {
    return [=](double z) { return 1 - normal_cdf(-z * width) / normal_cdf(-kFrom * width); };
  };
  EXPECT_TRUE(distribution_fits(beyond, tail_cdf(1)));
  EXPECT_FALSE(distribution_fits(beyond, tail_cdf(1.05)));
}

TEST_P(NoiseLong, DrawsDoNotDependOnTheOneBefore) {
  for (const Integer& sigma : {Integer(3), power(2, 45), power(10, 100)}) {
    const auto z = in_units(draws(1'000'000, [&] { return gaussian(sigma); }), sigma);
    double products = 0;
    double square_products = 0;
    for (std::size_t i = 1; i < z.size(); ++i) {
      products += z[i] * z[i - 1];
      square_products += (z[i] * z[i] - 1) * (z[i - 1] * z[i - 1] - 1);
    }
    const double spread = std::sqrt(static_cast<double>(z.size()));
    EXPECT_LT(std::abs(products), kDeviations * spread) << sigma;
    EXPECT_LT(std::abs(square_products), 2 * kDeviations * spread) << sigma;
  }
}

TEST_P(NoiseLong, TruncatedLaplaceHasItsLawWhereverItIsCut) {
  struct Case {
    Rational scale;
    long bound;
  };
  for (const auto& [scale, bound] :
       {Case{Rational(1), 8}, Case{Rational(7, 3), 30}, Case{Rational(50), 400},
        Case{Rational(20), 20}, Case{Rational(1, 2), 5}, Case{Rational(2, 7), 5},
        Case{Rational(31, 10), 3}, Case{Rational(100), 99}, Case{Rational(1000), 10}}) {
    const auto values =
        draws(2'000'000, [&, &scale = scale, bound = bound] { return laplace(scale, bound); });
    EXPECT_TRUE(is_truncated_laplace(values, scale.get_d(), bound)) << scale << " " << bound;
    // A law cut off below its scale hardly depends on it, so there a coarser error is asked for.
    if (bound * 20 < scale) continue;
    const double wrong = bound > scale ? 1.01 : 1.05;
    EXPECT_FALSE(is_truncated_laplace(values, wrong * scale.get_d(), bound)) << scale << bound;
    EXPECT_FALSE(is_truncated_laplace(values, scale.get_d() / wrong, bound)) << scale << bound;
  }
}

}  // namespace
}  // namespace sotto
