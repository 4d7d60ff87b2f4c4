#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "moments/quadratic.h"

namespace sotto {
namespace {

TEST(Theta, ListsTheUpperTriangleRowByRowAndThenB) {
  Quadratic q{.a = Eigen::MatrixXd(3, 3), .b = Eigen::VectorXd(3)};
  q.a << 1, 2, 3, 2, 4, 5, 3, 5, 6;
  q.b << 7, 8, 9;
  EXPECT_EQ(to_theta(q), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(Theta, HasHalfOfMTimesMPlusThreeEntries) {
  EXPECT_EQ(theta_size(1), 2U);
  EXPECT_EQ(theta_size(3), 9U);
  EXPECT_EQ(theta_size(10), 65U);
}

RC_GTEST_PROP(Theta, PlacesEntriesWhereThePapersFormulaSays, ()) {
  const auto m = *rc::gen::inRange<std::size_t>(1, 60);
  const auto r = *rc::gen::inRange<std::size_t>(1, m + 1);
  const auto c = *rc::gen::inRange<std::size_t>(r, m + 1);
  const std::size_t from_one = (2 * m - r + 2) * (r - 1) / 2 + c - (r - 1);
  RC_ASSERT(theta_index(m, r - 1, c - 1) == from_one - 1);
  RC_ASSERT(theta_index(m, c - 1, r - 1) == from_one - 1);
}

TEST(Theta, IndexIsABijectionOntoTheTrianglesPlaces) {
  for (std::size_t m = 1; m <= 40; ++m) {
    std::vector<int> hits(m * (m + 1) / 2, 0);
    for (std::size_t r = 0; r < m; ++r) {
      for (std::size_t c = r; c < m; ++c) ++hits.at(theta_index(m, r, c));
    }
    for (const int hit : hits) ASSERT_EQ(hit, 1) << "m = " << m;
  }
}

RC_GTEST_PROP(Theta, IndexAgreesWithTheListing, ()) {
  const auto m = *rc::gen::inRange<std::size_t>(1, 20);
  std::vector<double> theta(theta_size(m));
  std::iota(theta.begin(), theta.end(), 0.0);
  const Quadratic q = from_theta(theta, m);
  for (std::size_t r = 0; r < m; ++r) {
    for (std::size_t c = 0; c < m; ++c) {
      RC_ASSERT(q.a(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) ==
                static_cast<double>(theta_index(m, r, c)));
    }
    const std::size_t index = m * (m + 1) / 2 + r;
    RC_ASSERT(q.b(static_cast<Eigen::Index>(r)) == static_cast<double>(index));
  }
}

RC_GTEST_PROP(Theta, ComesBackUnchangedBitForBit, ()) {
  const auto m = *rc::gen::inRange<std::size_t>(1, 12);
  const auto theta =
      *rc::gen::container<std::vector<double>>(theta_size(m), rc::gen::arbitrary<double>());
  RC_ASSERT(to_theta(from_theta(theta, m)) == theta);
}

TEST(ThetaDeathTest, RefusesAThetaOfTheWrongLength) {
  EXPECT_DEATH((void)from_theta(std::vector<double>(8), 3), "entries");
  EXPECT_DEATH((void)theta_index(3, 0, 3), "inside A");
}

}  // namespace
}  // namespace sotto
