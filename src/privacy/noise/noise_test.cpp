#include "privacy/noise/noise.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <memory>
#include <stdexcept>
#include <string>

#include "support/noise_statistics.h"

namespace sotto {
namespace {

using namespace noise_test;

constexpr std::uint64_t kSeed = 20240607;

// Every promise of NoiseSource, for both ways to keep it.
class Noise : public testing::TestWithParam<std::string> {
 protected:
  std::vector<Integer> gaussian(const Integer& sigma, std::size_t count) {
    return draws(count, [&] { return noise().gaussian(sigma); });
  }
  std::vector<Integer> laplace(const Rational& scale, const Integer& bound, std::size_t count) {
    return draws(count, [&] { return noise().truncated_laplace(scale, bound); });
  }
  NoiseSource& noise() { return *noise_; }

 private:
  SeededRandom random_{kSeed, 1};
  std::unique_ptr<NoiseSource> noise_ =
      GetParam() == "exact" ? exact_noise(random_) : fast_noise(kSeed, 1);
};

INSTANTIATE_TEST_SUITE_P(Sampler, Noise, testing::Values("exact", "fast"),
                         [](const auto& sampler) { return sampler.param; });

TEST_P(Noise, SmallGaussiansHaveTheirLawAndNoneThatIsOnePercentWider) {
  for (const long sigma : {1, 2, 3, 7, 50}) {
    const std::vector<Integer> values = gaussian(sigma, 400'000);
    const auto claimed = static_cast<double>(sigma);
    EXPECT_TRUE(is_small_gaussian(values, claimed)) << sigma;
    EXPECT_FALSE(is_small_gaussian(values, 1.01 * claimed)) << sigma;
    EXPECT_FALSE(is_small_gaussian(values, 0.99 * claimed)) << sigma;
  }
}

TEST_P(Noise, LargeGaussiansHaveTheirLawAndNoneThatIsOnePercentWider) {
  for (const Integer& sigma : {power(10, 6), power(3, 28), power(10, 30)}) {
    const std::vector<Integer> values = gaussian(sigma, 400'000);
    EXPECT_TRUE(is_large_gaussian(values, sigma)) << sigma;
    EXPECT_FALSE(is_large_gaussian(values, sigma, 1.01)) << sigma;
    EXPECT_FALSE(is_large_gaussian(values, sigma, 0.99)) << sigma;
  }
}

TEST_P(Noise, GaussiansBeyondADoublesRangeHaveTheirLaw) {
  const Integer sigma = power(10, 700);
  const std::vector<Integer> values = gaussian(sigma, 200'000);
  EXPECT_TRUE(is_large_gaussian(values, sigma));
  EXPECT_FALSE(is_large_gaussian(values, sigma, 1.015));
  EXPECT_FALSE(is_large_gaussian(values, sigma, 0.985));
}

// Beyond 3.7 σ, where no test of the whole law looks: 2Φ(−3.7) = 2.156·10⁻⁴.
TEST_P(Noise, GaussiansHaveTails) {
  constexpr double kExpected = 400'000 * 2.156e-4;
  const Integer sigma = power(10, 11);
  std::size_t beyond = 0;
  for (const Integer& value : gaussian(sigma, 400'000)) beyond += 10 * abs(value) > 37 * sigma;
  EXPECT_NEAR(static_cast<double>(beyond), kExpected, 5 * std::sqrt(kExpected));
}

TEST_P(Noise, NoStandardDeviationIsNoNoise) {
  EXPECT_EQ(noise().gaussian(0), 0);
  EXPECT_EQ(noise().truncated_laplace(Rational(5), 0), 0);
}

TEST_P(Noise, TruncatedLaplaceHasItsLawAndNoneThatIsOnePercentWider) {
  struct Case {
    Rational scale;
    long bound;
  };
  // A bound above and one below the scale: the two ways to sample it.
  for (const auto& [scale, bound] : {Case{Rational(7, 3), 30}, Case{Rational(31, 10), 3}}) {
    const std::vector<Integer> values = laplace(scale, bound, 600'000);
    EXPECT_TRUE(is_truncated_laplace(values, scale.get_d(), bound)) << scale << " " << bound;
    // A law cut off below its scale hardly depends on it: there the bound is what is seen.
    const double wrong = bound > scale ? 1.01 : 1.05;
    EXPECT_FALSE(is_truncated_laplace(values, wrong * scale.get_d(), bound)) << scale << bound;
    EXPECT_FALSE(is_truncated_laplace(values, scale.get_d() / wrong, bound)) << scale << bound;
  }
}

TEST_P(Noise, LaplaceHasItsLaw) {
  // P(0) = (1−q)/(1+q) and E|k| = 2q/(1−q²), q = e^{−1/scale}; nothing is cut off.
  constexpr int kDraws = 200'000;
  const Rational scale(7, 3);
  const double q = std::exp(-1 / scale.get_d());
  double zeros = 0;
  double length = 0;
  double signs = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Integer value = noise().laplace(scale);
    zeros += sgn(value) == 0 ? 1 : 0;
    signs += sgn(value);
    length += std::abs(value.get_d());
  }
  const double sd = std::sqrt(1.0 / kDraws);
  EXPECT_NEAR(zeros / kDraws, (1 - q) / (1 + q), 2.5 * sd);  // 5 of its own
  EXPECT_NEAR(length / kDraws, 2 * q / (1 - q * q), 5 * sd * std::sqrt(2.0) * scale.get_d());
  EXPECT_NEAR(signs / kDraws, 0, 5 * sd);
  EXPECT_GT(std::abs(length / kDraws * 1.02 - 2 * q / (1 - q * q)),
            3 * sd * scale.get_d());  // and none that is 2 % wider
}

TEST_P(Noise, TruncatedLaplaceTakesScalesOfManyBits) {
  // 2⁴⁰/ε with ε = 0.1 as the double it is: numerator and denominator of 40 to 110 bits.
  for (const Rational& factor : {Rational(1), Rational(power(3, 40), power(2, 63))}) {
    const Rational scale = factor * power(2, 40) / Rational(0.1);
    const Integer unit = floor(scale);
    const Integer bound = 3 * unit;
    std::vector<Integer> values = laplace(scale, bound, 300'000);
    EXPECT_LE(*std::max_element(values.begin(), values.end()), bound);
    EXPECT_GE(*std::min_element(values.begin(), values.end()), -bound);
    const auto cdf_with = [](double width) {
      return [width](double x) {
        const double half = std::expm1(-std::abs(x) / width) / std::expm1(-3 / width) / 2;
        return x < 0 ? 0.5 - half : 0.5 + half;
      };
    };
    EXPECT_TRUE(distribution_fits(in_units(values, unit), cdf_with(1)));
    EXPECT_FALSE(distribution_fits(in_units(values, unit), cdf_with(1.05)));
  }
}

// Bounds so near that each end is drawn many times, cut from a uniform law and from one without
// end.
TEST_P(Noise, TruncatedLaplaceReachesItsBoundAndNothingBeyond) {
  for (const Rational& scale : {Rational(1, 2), Rational(1), Rational(5, 2), Rational(9)}) {
    for (const long bound : {1, 2, 3}) {
      const std::vector<Integer> values = laplace(scale, bound, 20'000);
      EXPECT_EQ(*std::ranges::max_element(values), bound) << scale;
      EXPECT_EQ(*std::ranges::min_element(values), -bound) << scale;
    }
  }
}

TEST_P(Noise, ALaplaceFarWiderThanItsBoundIsUniform) {
  const std::vector<Integer> values = laplace(Rational(power(10, 700)), 10, 400'000);
  EXPECT_TRUE(chi_square_fits(values, -10, 10, [](long) { return 1.0; }));
  EXPECT_FALSE(chi_square_fits(values, -10, 10, laplace_weight(200)));
}

TEST_P(Noise, UniformReachesBothEndsAndNothingElse) {
  const std::vector<Integer> values = draws(400'000, [&] { return noise().uniform(-3, 9); });
  EXPECT_TRUE(chi_square_fits(values, -3, 9, [](long) { return 1.0; }));
  EXPECT_FALSE(chi_square_fits(values, -3, 9, [](long k) { return k == 9 ? 0.95 : 1.0; }));
  EXPECT_EQ(noise().uniform(power(10, 40), power(10, 40)), power(10, 40));
}

TEST_P(Noise, NothingLeavesItsRange) {
  rc::check("for any scale and bound", [&] {
    const Rational scale(*rc::gen::inRange(1, 1000), *rc::gen::inRange(1, 1000));
    const Integer bound = Integer(*rc::gen::inRange(0, 100)) << *rc::gen::inRange(0U, 90U);
    RC_ASSERT(abs(noise().truncated_laplace(scale, bound)) <= bound);
    RC_ASSERT(abs(noise().truncated_laplace(scale * bound + 1, bound)) <= bound);
    const Integer drawn = noise().uniform(-bound, 2 * bound);
    RC_ASSERT(drawn >= -bound && drawn <= 2 * bound);
  });
}

TEST(FastNoise, TheSameSeedAndStreamGiveTheSameDraws) {
  const auto first = fast_noise(kSeed, 3);
  const auto again = fast_noise(kSeed, 3);
  const auto other = fast_noise(kSeed, 4);
  int differences = 0;
  for (int i = 0; i < 100; ++i) {
    const Integer value = first->gaussian(power(10, 20));
    EXPECT_EQ(value, again->gaussian(power(10, 20)));
    if (value != other->gaussian(power(10, 20))) ++differences;
  }
  EXPECT_EQ(differences, 100);
}

TEST(ExactNoise, EveryBitOfALargeDrawIsRandom) {
  // The leading 63 bits and the rest are drawn apart. Four bits that repeat every σ/4 or
  // faster are uniform to e^{−32π²}; the places lie below, across and above the joints.
  SeededRandom random(kSeed, 5);
  const auto noise = exact_noise(random);
  for (const unsigned sigma_bits : {65U, 100U, 127U, 128U, 191U}) {
    const Integer sigma = power(2, sigma_bits) + 12345;
    const std::vector<Integer> values = draws(100'000, [&] { return noise->gaussian(sigma); });
    for (const unsigned place : {0U, sigma_bits - 64, sigma_bits - 62, 59U, sigma_bits - 8}) {
      std::vector<Integer> nibbles;
      for (const Integer& value : values) {
        const Integer shifted = value >> place;
        nibbles.emplace_back(mpz_fdiv_ui(shifted.get_mpz_t(), 16));
      }
      EXPECT_TRUE(chi_square_fits(nibbles, 0, 15, [](long) { return 1.0; }))
          << sigma_bits << " " << place;
    }
  }
}

TEST(ExactNoise, DrawsFromTheOperatingSystem) {
  // No seed: with six standard deviations it fails by chance once in 10⁸ runs.
  OsRandom random;
  const auto noise = exact_noise(random);
  double squares = 0;
  constexpr int kCount = 100'000;
  for (int i = 0; i < kCount; ++i) {
    const double z = in_units(noise->gaussian(power(10, 12)), power(10, 12));
    squares += z * z;
  }
  EXPECT_NEAR(squares / kCount, 1, 6 * std::sqrt(2.0 / kCount));
}

// A source that says what it is told, to reach what happens once in 2⁶⁰ draws.
class ScriptedRandom final : public RandomSource {
 public:
  explicit ScriptedRandom(std::deque<std::uint64_t> words) : words_(std::move(words)) {}
  void fill(std::span<std::byte>) override { FAIL() << "the samplers draw words"; }
  std::uint64_t bits64() override {
    if (words_.empty()) throw std::out_of_range("more words drawn than the script has");
    const std::uint64_t word = words_.front();
    words_.pop_front();
    return word;
  }
  [[nodiscard]] bool spent() const { return words_.empty(); }

 private:
  std::deque<std::uint64_t> words_;
};

constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};
// The 63-bit digit d as the word it is taken from.
constexpr std::uint64_t digit(std::uint64_t d) {
  return d << 1;
}

TEST(ExactNoise, ATiedDigitIsDecidedByTheNextOne) {
  // scale 3, bound 1: word 2 proposes k = +1, to be kept with probability e^{−1/3}.
  // The first coin is 1/3 = 0.(d₁d₂)(d₁d₂)… in base 2⁶³; when it fails, k is kept.
  constexpr std::uint64_t kFirst = (std::uint64_t{1} << 63) / 3;
  constexpr std::uint64_t kSecond = kAllOnes / 3;
  {
    ScriptedRandom random({2, digit(kFirst), digit(kSecond + 1)});
    EXPECT_EQ(exact_noise(random)->truncated_laplace(Rational(3), 1), 1);
    EXPECT_TRUE(random.spent());
  }
  {
    ScriptedRandom random({2, digit(kFirst), digit(kSecond), digit(kFirst + 1)});
    EXPECT_EQ(exact_noise(random)->truncated_laplace(Rational(3), 1), 1);
    EXPECT_TRUE(random.spent());
  }
  {
    // The first coin succeeds, the second (1/6) fails: k is dropped, and the next is k = 0.
    ScriptedRandom random({2, digit(kFirst), digit(kSecond - 1), kAllOnes, 1, kAllOnes});
    EXPECT_EQ(exact_noise(random)->truncated_laplace(Rational(3), 1), 0);
    EXPECT_TRUE(random.spent());
  }
}

TEST(ExactNoise, LeadingBitsThatEqualTheBoundsAreCompletedBeforeTheyCount) {
  // σ = 2⁶⁴ + 5: its 63 leading bits, and two bits that are 01.
  const Integer sigma = power(2, 64) + 5;
  constexpr std::uint64_t kLead = (std::uint64_t{1} << 62) + 1;
  constexpr std::uint64_t kTop = (std::uint64_t{1} << 63) - 1;
  ScriptedRandom random({
      kLead, std::uint64_t{1} << 62,  // U = σ: not below σ, drawn again
      kLead, 0,                       // U = σ − 1
      digit(kTop), kAllOnes,  // coin U/σ = 1 − 2⁻⁶⁴: tied, then lost; so e^{−U/σ} is won
      kAllOnes,               // coin 1/2: lost; V = 0
      kAllOnes,               // coin (1 − U/σ)²/2: lost; kept
      0,                      // positive
  });
  EXPECT_EQ(exact_noise(random)->gaussian(sigma), sigma - 1);
  EXPECT_TRUE(random.spent());
}

TEST(NoiseDeathTest, NonsenseIsABug) {
  SeededRandom random(kSeed);
  const auto noise = exact_noise(random);
  EXPECT_DEATH((void)noise->gaussian(-1), "not negative");
  EXPECT_DEATH((void)noise->truncated_laplace(Rational(0), 1), "positive");
  EXPECT_DEATH((void)noise->uniform(1, 0), "at least one outcome");
}

}  // namespace
}  // namespace sotto
