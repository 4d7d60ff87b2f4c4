#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/statistics.h"
#include "solve/inference.h"
#include "support/releases.h"

// Whether tests hold their size: tables in which some features do nothing, with rows and noise of
// their own, and what is said of those features.

namespace sotto {
namespace {

struct NullSetting {
  const char* name;
  Eigen::Index rows;
  double sigma;  // of the noise on an entry of share 1: 1/κ̄, times 1.5 where all count alike
  double residual_sd;
};

Schema null_schema(Weighting weighting) {
  Schema schema;
  schema.weighting = weighting;
  schema.target = {"y", {-40, 60}};
  schema.features = {NumericFeature{"a", {0, 10}}, NumericFeature{"b", {0, 10}},
                     CategoricalFeature{"kind", {"x", "y", "z"}}};
  return schema;
}

// y hangs on a alone.
Eigen::MatrixXd null_rows(const NullSetting& setting, std::uint64_t seed) {
  SeededRandom random(seed);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  Eigen::MatrixXd rows(setting.rows, 6);
  for (Eigen::Index i = 0; i < setting.rows; ++i) {
    const double common = 3 * uniform(random);
    const double a = common + 7 * uniform(random);
    const double b = common + 7 * uniform(random);
    const double kind = 3 * uniform(random);
    rows.row(i) << 1, a, b, kind > 2, kind > 1 && kind <= 2,
        4 + 1.2 * a + setting.residual_sd * normal(random);
  }
  return rows;
}

// √n·D of Kolmogorov and Smirnov against the uniform distribution.
double ks_distance(std::vector<double> p) {
  std::ranges::sort(p);
  const auto n = static_cast<double>(p.size());
  double distance = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const auto rank = static_cast<double>(k);
    distance = std::max({distance, (rank + 1) / n - p[k], p[k] - rank / n});
  }
  return std::sqrt(n) * distance;
}

struct Sizes {
  std::vector<double> b;       // p of a number that does nothing
  std::vector<double> level;   // p of a level that does nothing
  std::vector<double> nested;  // p of b and both levels together
  std::size_t refused = 0;     // tables
  std::size_t refused_f = 0;   // F-tests of the others
};

Sizes sizes(const NullSetting& setting, Weighting weighting, std::size_t tables) {
  std::vector<std::array<double, 3>> p(tables, {-1, -1, -1});
  parallel_for(tables, 0, [&](std::size_t k) {
    const Schema schema = null_schema(weighting);
    const Release release = release_of_rows(
        schema, null_rows(setting, 11 + k),
        weighting == Weighting::kBounded ? setting.sigma : 1.5 * setting.sigma, 1'000'000 + k);
    const auto found = infer(release, own_selection(release));
    if (!found) return;
    const auto nested = nested_test(release, own_selection(release), {2, 3, 4});
    p[k] = {found->coefficients[2].p, found->coefficients[3].p, nested ? nested->p : -1};
  });
  Sizes found;
  for (const auto& each : p) {
    if (each[0] < 0) {
      ++found.refused;
      continue;
    }
    found.b.push_back(each[0]);
    found.level.push_back(each[1]);
    if (each[2] < 0) {
      ++found.refused_f;
    } else {
      found.nested.push_back(each[2]);
    }
  }
  return found;
}

double below(const std::vector<double>& p, double level) {
  return static_cast<double>(std::ranges::count_if(p, [&](double each) { return each < level; })) /
         static_cast<double>(p.size());
}

// √n·D is above 1.95 once in a thousand times where p is uniform.
TEST(Infer, HasUniformPValuesAndTestsOfTheirSizeUnderTheNull) {
  for (const NullSetting& setting :
       {NullSetting{"plenty of rows, ε = 3", 4000, 1.55, 4},
        NullSetting{"mostly privacy noise, ε = 1", 6000, 4.23, 4},
        NullSetting{"sampling noise alone counts, ε = 10", 2000, 0.55, 4}}) {
    for (const Weighting weighting : {Weighting::kNone, Weighting::kBounded}) {
      const Sizes found = sizes(setting, weighting, 5000);
      fmt::print(
          "{}, {}: √n·D {:.2f} number, {:.2f} level, {:.2f} F; size of F at 0.05 {:.4f}, at "
          "0.01 {:.4f}; refused {}\n",
          setting.name, weighting == Weighting::kBounded ? "weighted" : "all alike",
          ks_distance(found.b), ks_distance(found.level), ks_distance(found.nested),
          below(found.nested, 0.05), below(found.nested, 0.01), found.refused);
      EXPECT_EQ(found.refused + found.refused_f, 0U);
      for (const auto& p : {found.b, found.level, found.nested}) EXPECT_LT(ks_distance(p), 1.95);
      for (const auto& p : {found.b, found.level, found.nested}) {
        EXPECT_GE(below(p, 0.05), 0.04);
        EXPECT_LE(below(p, 0.05), 0.06);
      }
      EXPECT_LE(below(found.nested, 0.01), 0.015);
    }
  }
}

// Where the noise on Σy² drowns the residuals, their variance is taken for too large rather than
// too small: tests reject less often than they say.
TEST(Infer, IsCarefulWhereTheResidualsAreDrowned) {
  const Sizes found = sizes({"drowned, ε = 10", 150, 0.55, 1}, Weighting::kBounded, 2000);
  fmt::print("drowned: size of F at 0.05 {:.4f}, of b {:.4f}; refused {}, F of {}\n",
             below(found.nested, 0.05), below(found.b, 0.05), found.refused, found.refused_f);
  ASSERT_GT(found.nested.size(), 500U);
  EXPECT_LE(below(found.nested, 0.05), 0.06);
  EXPECT_LE(below(found.b, 0.05), 0.06);
}

}  // namespace
}  // namespace sotto
