#include "solve/subsets.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/decompositions.h"
#include "base/statistics.h"

namespace sotto {
namespace {

using testing::ElementsAre;

// θ̃ of d coefficients with a covariance that is not diagonal.
PlugInErrors drawn_errors(Eigen::Index d, std::uint64_t seed) {
  StandardNormal normal(seed);
  Eigen::MatrixXd root(d, d + 3);
  for (double& entry : root.reshaped()) entry = normal();
  PlugInErrors errors;
  errors.covariance = root * root.transpose();
  errors.theta = Eigen::VectorXd(d);
  for (double& entry : errors.theta) entry = 4 * normal();
  return errors;
}

std::vector<FeatureGroup> singles(Eigen::Index d) {
  std::vector<FeatureGroup> groups;
  for (Eigen::Index k = 1; k < d; ++k) groups.push_back({k});
  return groups;
}

double wald_of(const PlugInErrors& errors, const std::vector<Eigen::Index>& left_out) {
  if (left_out.empty()) return 0;
  const Eigen::VectorXd theta = errors.theta(left_out);
  return theta.dot(inverse(errors.covariance(left_out, left_out)) * theta);
}

TEST(SearchFeatures, JudgesEachSetByWhatItLeavesOut) {
  const PlugInErrors errors = drawn_errors(6, 1);
  const std::vector<FeatureGroup> groups{{1}, {2, 3}, {4}, {5}};
  const SearchResult found = search_features(errors, 1e6, groups, Search::kAll).value();
  EXPECT_EQ(found.subsets, 16U);
  ASSERT_EQ(found.tried.size(), 5U);
  for (const Candidate& candidate : found.tried) {
    std::vector<Eigen::Index> left_out;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      if (std::ranges::find(candidate.groups, k) == candidate.groups.end()) {
        left_out.insert(left_out.end(), groups[k].begin(), groups[k].end());
      }
    }
    EXPECT_EQ(candidate.coefficients, 6 - static_cast<Eigen::Index>(left_out.size()));
    EXPECT_NEAR(candidate.wald, wald_of(errors, left_out), 1e-9 * (1 + candidate.wald));
    EXPECT_NEAR(candidate.criterion - candidate.wald,
                std::log(found.effective_rows) * static_cast<double>(candidate.coefficients), 1e-9);
  }
}

TEST(SearchFeatures, FindsTheBestOfAllSubsets) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const PlugInErrors errors = drawn_errors(8, seed);
    const auto groups = singles(8);
    const SearchResult all = search_features(errors, 1000, groups, Search::kAll).value();
    double best = std::numeric_limits<double>::infinity();
    for (unsigned subset = 0; subset < 128; ++subset) {
      std::vector<Eigen::Index> left_out;
      for (Eigen::Index k = 0; k < 7; ++k) {
        if ((subset >> k & 1U) == 0) left_out.push_back(k + 1);
      }
      best = std::min(
          best, wald_of(errors, left_out) + std::log(std::max(all.effective_rows, std::exp(1.0))) *
                                                static_cast<double>(8 - left_out.size()));
    }
    EXPECT_NEAR(all.best.criterion, best, 1e-8 * best);
    for (const Search search : {Search::kBest, Search::kForward, Search::kBackward}) {
      EXPECT_GE(search_features(errors, 1000, groups, search)->best.criterion, best * (1 - 1e-9));
    }
  }
}

TEST(SearchFeatures, GoesOneFeatureAtATimeForwardAndBackward) {
  PlugInErrors errors;
  errors.covariance = Eigen::MatrixXd::Identity(4, 4);
  errors.theta = Eigen::Vector4d(9, 5, 0.1, 7);
  const auto forward = search_features(errors, 1000, singles(4), Search::kForward).value();
  ASSERT_EQ(forward.tried.size(), 4U);
  EXPECT_THAT(forward.tried[1].groups, ElementsAre(2));
  EXPECT_THAT(forward.tried[2].groups, ElementsAre(0, 2));
  EXPECT_THAT(forward.best.groups, ElementsAre(0, 2));
  const auto backward = search_features(errors, 1000, singles(4), Search::kBackward).value();
  EXPECT_THAT(backward.tried[1].groups, ElementsAre(0, 2));
  EXPECT_THAT(backward.best.groups, ElementsAre(0, 2));
}

TEST(SearchFeatures, TakesAllSubsetsOnlyOfFewFeatures) {
  const PlugInErrors errors = drawn_errors(25, 3);
  EXPECT_EQ(search_features(errors, 1000, singles(25), Search::kAll).error().name,
            "E-refit-select");
  EXPECT_TRUE(search_features(errors, 1000, singles(25), Search::kBest).has_value());
}

// Without noise: Cov = s²A⁻¹, and C(S) − C(T) is BIC(S) − BIC(T) but for W²/2N.
TEST(SearchFeatures, IsBicWhereThereIsNoNoise) {
  constexpr Eigen::Index kRows = 200000;
  StandardNormal normal(9);
  Eigen::MatrixXd x(kRows, 4);
  Eigen::VectorXd y(kRows);
  for (Eigen::Index i = 0; i < kRows; ++i) {
    x.row(i) << 0.5, 0.3 * normal(), 0.3 * normal(), 0.3 * normal();
    y(i) = 0.1 + 0.02 * x(i, 1) + 0.004 * x(i, 2) + 0.3 * normal();
  }
  const NoisySums sums{.a = x.transpose() * x, .b = x.transpose() * y};
  const auto errors = plug_in_errors(sums, {.value = y.squaredNorm(), .sigma = 0}, kRows).value();
  const auto found = search_features(errors, kRows, singles(4), Search::kAll).value();
  EXPECT_NEAR(found.effective_rows, kRows, 1e-3);
  const auto bic = [&](const std::vector<std::size_t>& groups) {
    std::vector<Eigen::Index> columns{0};
    for (const std::size_t k : groups) columns.push_back(static_cast<Eigen::Index>(k) + 1);
    const Eigen::MatrixXd chosen = x(Eigen::all, columns);
    const Eigen::VectorXd theta =
        solve_symmetric(chosen.transpose() * chosen, chosen.transpose() * y);
    return kRows * std::log((y - chosen * theta).squaredNorm() / kRows) +
           static_cast<double>(columns.size()) * std::log(kRows);
  };
  const double offset = bic(found.tried.back().groups) - found.tried.back().criterion;
  for (const Candidate& candidate : found.tried) {
    EXPECT_NEAR(bic(candidate.groups) - offset, candidate.criterion,
                1e-3 + candidate.wald * candidate.wald / kRows);
  }
}

TEST(NestedTest, IsTheTextbooksWhereThereIsNoNoise) {
  PlugInErrors errors = drawn_errors(5, 4);
  errors.sampling_covariance = errors.covariance;
  errors.residual_variance = 0.3;
  errors.residual_variance_sd = 0.3 * std::sqrt(2.0 / 100);
  const NestedTest test = nested_test(errors, {2, 4});
  EXPECT_NEAR(test.f, wald_of(errors, {2, 4}) / 2, 1e-9);
  EXPECT_EQ(test.left_out, 2);
  EXPECT_NEAR(test.residual, 100, 1e-9);
  EXPECT_NEAR(test.p, f_tail(test.f, 2, 100), 1e-12);
}

// Half of the covariance is noise of a known size: the other half's uncertainty counts a quarter.
TEST(NestedTest, HasMoreDegreesOfFreedomWhereNoiseOfAKnownSizeIsMostOfTheError) {
  PlugInErrors errors = drawn_errors(5, 4);
  errors.residual_variance = 1;
  errors.residual_variance_sd = std::sqrt(2.0 / 100);
  errors.sampling_covariance = errors.covariance / 2;
  EXPECT_NEAR(nested_test(errors, {2, 4}).residual, 400, 1e-9);
  errors.sampling_covariance = 1e-6 * errors.covariance;
  const NestedTest normal = nested_test(errors, {3});
  EXPECT_TRUE(std::isinf(normal.residual));
  EXPECT_NEAR(normal.p, std::erfc(std::sqrt(normal.f / 2)), 1e-6);
}

}  // namespace
}  // namespace sotto
