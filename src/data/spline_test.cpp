#include "data/spline.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace sotto {
namespace {

std::vector<double> at(const SplineBasis& basis, double value) {
  std::vector<double> found(basis.size());
  basis.evaluate(value, found.data(), 1);
  return found;
}

TEST(SplineBasis, OfDegreeOneIsAHatAtEachKnotAndAtTheUpperBound) {
  const SplineBasis basis({0, 100}, {20, 60}, 1);
  EXPECT_EQ(basis.size(), 3U);
  EXPECT_EQ(at(basis, 0), (std::vector<double>{0, 0, 0}));  // the base
  EXPECT_EQ(at(basis, 20), (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(at(basis, 30), (std::vector<double>{0.75, 0.25, 0}));
  EXPECT_EQ(at(basis, 60), (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(at(basis, 100), (std::vector<double>{0, 0, 1}));
}

// By hand: on [0, 25), B_3(v) = v³/(25·45·65).
TEST(SplineBasis, OfDegreeThreeIsACubicFromKnotToKnot) {
  const SplineBasis basis({0, 100}, {25, 45, 65}, 3);
  EXPECT_EQ(basis.size(), 6U);
  EXPECT_NEAR(at(basis, 5)[2], 125.0 / (25 * 45 * 65), 1e-15);
  EXPECT_EQ(at(basis, 100), (std::vector<double>{0, 0, 0, 0, 0, 1}));
}

// Cox and de Boor's recursion as it is written in books, all of it.
double textbook(const std::vector<double>& t, std::size_t k, std::size_t p, double v) {
  if (p == 0) {
    const bool last = t[k] < t[k + 1] && v == t[k + 1] && t[k + 1] == t.back();
    return (v >= t[k] && v < t[k + 1]) || last ? 1 : 0;
  }
  const double left = t[k + p] - t[k];
  const double right = t[k + p + 1] - t[k + 1];
  return (left > 0 ? (v - t[k]) / left * textbook(t, k, p - 1, v) : 0) +
         (right > 0 ? (t[k + p + 1] - v) / right * textbook(t, k + 1, p - 1, v) : 0);
}

RC_GTEST_PROP(SplineBasis, IsTheTextbooksAndNeverLongerThanOne, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-3, 11);
  std::vector<double> knots(random() % 6);
  std::generate(knots.begin(), knots.end(), [&] { return uniform(random); });
  std::sort(knots.begin(), knots.end());
  const std::size_t degree = 1 + random() % 3;
  const SplineBasis basis({-3, 11}, knots, degree);
  std::vector<double> t(degree + 1, -3);
  t.insert(t.end(), knots.begin(), knots.end());
  t.insert(t.end(), degree + 1, 11);
  for (const double v : {-3.0, 11.0, uniform(random), knots.empty() ? 0 : knots[0]}) {
    const auto found = at(basis, v);
    double sum = textbook(t, 0, degree, v);
    double square = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
      RC_ASSERT(std::abs(found[k] - textbook(t, k + 1, degree, v)) < 1e-12);
      RC_ASSERT(found[k] >= 0 && found[k] <= 1);
      sum += found[k];
      square += found[k] * found[k];
    }
    RC_ASSERT(std::abs(sum - 1) < 1e-12);
    RC_ASSERT(square <= 1 + 1e-12);
  }
}

}  // namespace
}  // namespace sotto
