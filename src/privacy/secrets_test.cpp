// Many parties' secrets side by side are what each of them is alone.
#include "privacy/secrets.h"

#include <gtest/gtest.h>

namespace sotto {
namespace {

// Gives every draw its own σ: what was asked for can be read off the release.
class SigmaItself final : public NoiseSource {
 public:
  Integer gaussian(const Integer& sigma) override { return sigma; }
  Integer laplace(const Rational& scale) override { return ceiling(scale); }
  Integer truncated_laplace(const Rational& /*scale*/, const Integer& bound) override {
    return bound;
  }
  Integer uniform(const Integer& low, const Integer& /*high*/) override { return low; }
};

void expect_same(const Secrets& together, const std::vector<Secret>& alone) {
  ASSERT_EQ(together.size(), alone.size());
  SigmaItself noise;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(release_locally(together.of(i), 3, noise).indices,
              release_locally(alone[i], 3, noise).indices)
        << i;
  }
}

TEST(Secrets, OfManyPartiesAreThoseOfEachAlone) {
  const Sensitivity mu = *Sensitivity::make(3);
  const std::vector<Secret> alone{Secret::of_entries(std::vector<double>{1.5, -2.25}, mu),
                                  Secret::of_entries(std::vector<double>{0.0, 1e3}, mu)};
  expect_same(alone, alone);
  expect_same(Secrets::of_entries(std::vector<double>{1.5, -2.25, 0.0, 1e3}, 2, mu), alone);
}

TEST(Secrets, OfOtherWeightsOrGridsKeepTheirOwnNoise) {
  const IntegerVector sums{7, -9};
  expect_same(
      std::vector{Secret::of_sums(sums, Grid{-10}, {1, 0.5}),
                  Secret::of_sums(sums, Grid{-10}, {1, 0.25})},
      {Secret::of_sums(sums, Grid{-10}, {1, 0.5}), Secret::of_sums(sums, Grid{-10}, {1, 0.25})});
  expect_same(
      std::vector{Secret::of_sums(sums, Grid{-10}, {}), Secret::of_sums(sums, Grid{-12}, {})},
      {Secret::of_sums(sums, Grid{-10}, {}), Secret::of_sums(sums, Grid{-12}, {})});
}

TEST(Secrets, WiderThanAWordAreKeptWhole) {
  for (const int bits : {60, 61, 62, 63, 64, 100}) {
    const Integer wide = (Integer(1) << bits) + 1;
    const std::vector<Secret> alone{Secret::of_sums({wide}, Grid{0}, {}),
                                    Secret::of_sums({-wide}, Grid{0}, {})};
    expect_same(alone, alone);
  }
  const std::vector<double> thetas{1e30, -1e30};
  const Sensitivity mu = *Sensitivity::make(3);
  const Secrets many = Secrets::of_entries(thetas, 1, mu);
  expect_same(many, {Secret::of_entries(std::span(thetas).first(1), mu),
                     Secret::of_entries(std::span(thetas).last(1), mu)});
}

}  // namespace
}  // namespace sotto
