#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "base/parallel.h"
#include "moments/costs.h"

namespace sotto {
namespace {

Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& a) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a, Eigen::EigenvaluesOnly).eigenvalues();
}

TEST(PaperFamily, HasTheSameSumForEveryNumberOfParties) {
  for (const std::size_t m : {1U, 3U, 8U}) {
    const Quadratic reference = sum(*paper_family(1, m, 5));
    for (const std::size_t parties : {10U, 50U, 250U}) {
      const Quadratic total = sum(*paper_family(parties, m, 5));
      EXPECT_LT((total.a - reference.a).norm(), 1e-12 * reference.a.norm()) << parties << ' ' << m;
      EXPECT_LT((total.b - reference.b).norm(), 1e-12 * reference.b.norm()) << parties << ' ' << m;
    }
  }
}

TEST(PaperFamily, SpreadsTheSumsEigenvaluesEvenlyOver200To600) {
  for (const std::size_t m : {2U, 3U, 10U}) {
    const Eigen::VectorXd found = eigenvalues(sum(*paper_family(10, m, 3)).a);
    const Eigen::VectorXd expected =
        Eigen::VectorXd::LinSpaced(static_cast<Eigen::Index>(m), 200, 600);
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-9) << m;
  }
  EXPECT_NEAR(sum(*paper_family(10, 1, 3)).a(0, 0), 400, 1e-9);
}

TEST(PaperFamily, HasAMinimiserOfLengthOne) {
  for (const std::uint64_t seed : {0U, 1U, 99U}) {
    for (const std::size_t parties : {1U, 10U, 250U}) {
      EXPECT_NEAR(minimiser(*paper_family(parties, 3, seed))->norm(), 1, 1e-12);
    }
  }
}

TEST(PaperFamily, GivesEveryPartyAPositiveDefiniteSymmetricA) {
  for (const std::size_t m : {1U, 3U, 12U}) {
    const auto family = *paper_family(50, m, 7);
    for (std::size_t i = 0; i < family.size(); ++i) {
      const Quadratic party = family[i];
      EXPECT_EQ(party.a, party.a.transpose());
      EXPECT_GT(eigenvalues(party.a).minCoeff(), 0);
    }
  }
}

TEST(PaperFamily, ScattersTheBsByAboutTheirMeanLength) {
  const std::size_t parties = 250;
  const auto family = *paper_family(parties, 3, 11);
  const Eigen::VectorXd mean = sum(family).b / static_cast<double>(parties);
  double scatter = 0;
  for (std::size_t i = 0; i < parties; ++i) scatter += (family[i].b - mean).squaredNorm();
  const double ratio = scatter / static_cast<double>(parties) / mean.squaredNorm();
  EXPECT_GT(ratio, 0.7);
  EXPECT_LT(ratio, 1.4);
}

TEST(PaperFamily, IsSetByItsSeedAlone) {
  const auto one = *paper_family(10, 3, 1);
  const auto again = *paper_family(10, 3, 1);
  const auto other = *paper_family(10, 3, 2);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].a, again[i].a);
    EXPECT_EQ(one[i].b, again[i].b);
    EXPECT_GT((one[i].a - other[i].a).norm(), 1e-3);
  }
  EXPECT_GT((*minimiser(one) - *minimiser(other)).norm(), 1e-3);
}

TEST(PaperFamily, GivesDifferentPartiesDifferentProblems) {
  const auto family = *paper_family(4, 2, 1);
  EXPECT_GT((family[0].a - family[1].a).norm(), 1);
  EXPECT_GT((family[2].b - family[3].b).norm(), 1);
}

// A party's costs are then of one size, however many there are, and the solution stays.
TEST(PaperFamily, ThatGrowsIsThePapersAmongTenAndTwiceThatAmongTwenty) {
  const auto ten = *paper_family(10, 3, 4);
  const auto grown = *paper_family(10, 3, 4, FamilySum::kGrows);
  EXPECT_TRUE(std::ranges::equal(ten.thetas(), grown.thetas()));
  for (const std::size_t parties : {2U, 20U, 3000U}) {
    const auto family = *paper_family(parties, 3, 4, FamilySum::kGrows);
    const double times = static_cast<double>(parties) / 10;
    const Quadratic expected = sum(ten);
    const Quadratic total = sum(family);
    EXPECT_LT((total.a - times * expected.a).norm(), 1e-11 * total.a.norm());
    EXPECT_LT((total.b - times * expected.b).norm(), 1e-11 * total.b.norm());
    EXPECT_LT((*minimiser(family) - *minimiser(ten)).norm(), 1e-10);
    EXPECT_GT(eigenvalues(family[parties - 1].a).minCoeff(), 1);
  }
}

// Drawn by several threads: 3000 parties are more than one of them takes at a time.
TEST(PaperFamily, GivesAPartyTheSameDrawsHoweverManyCoresThereAre) {
  const auto all = *paper_family(3000, 2, 9);
  Costs alone;
  parallel_for(1, 1, [&](std::size_t) { alone = *paper_family(3000, 2, 9); });
  EXPECT_TRUE(std::ranges::equal(all.thetas(), alone.thetas()));
}

TEST(PaperFamily, NamesItsLimits) {
  for (const auto& [parties, m] : std::vector<std::pair<std::size_t, std::size_t>>{
           {0, 3}, {3, 0}, {kMaxFamilyParties + 1, 1}, {3, kMaxFamilySize + 1}}) {
    const auto family = paper_family(parties, m, 1);
    ASSERT_FALSE(family.has_value());
    EXPECT_EQ(family.error().name, "E-family-size");
  }
}

}  // namespace
}  // namespace sotto
