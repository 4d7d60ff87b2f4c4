#include <gtest/gtest.h>

#include <cmath>

#include "solve/fit.h"
#include "support/releases.h"

// NIST's certified regressions (Statistical Reference Datasets, linear least squares), by way of a
// release without noise.

namespace sotto {
namespace {

struct Certified {
  Eigen::MatrixXd columns;  // features, then the target
  std::vector<double> coefficients;
  std::vector<double> standard_errors = {};  // none where they are below what |y| ≤ 1 resolves
};

// A table whose bounds are those of its columns.
Fit fit_table(const Certified& table, bool intercept) {
  const Eigen::Index p = table.columns.cols() - 1;
  Schema schema;
  schema.intercept = intercept;
  const auto bounds = [&](Eigen::Index k) {
    return Bounds{table.columns.col(k).minCoeff(), table.columns.col(k).maxCoeff()};
  };
  for (Eigen::Index k = 0; k < p; ++k) {
    schema.features.emplace_back(NumericFeature{"x" + std::to_string(k + 1), bounds(k)});
  }
  schema.target = {"y", bounds(p)};
  Eigen::MatrixXd rows = table.columns;
  if (intercept) {
    rows.resize(table.columns.rows(), p + 2);
    rows << Eigen::VectorXd::Ones(table.columns.rows()), table.columns;
  }
  const Release release = release_of_rows(schema, rows, 0, 1);
  return fit_release(release, own_selection(release), {.estimator = Estimator::kExact}).value();
}

void expect_certified(const Certified& table, bool intercept, double tolerance) {
  const Fit fit = fit_table(table, intercept);
  ASSERT_EQ(fit.coefficients.size(), table.coefficients.size());
  for (std::size_t k = 0; k < table.coefficients.size(); ++k) {
    EXPECT_NEAR(fit.coefficients[k].value / table.coefficients[k], 1, tolerance) << k;
    if (table.standard_errors.empty()) continue;
    EXPECT_NEAR(*fit.coefficients[k].standard_error / table.standard_errors[k], 1, tolerance) << k;
  }
}

TEST(Certified, Longley) {
  Eigen::MatrixXd rows(16, 7);
  rows << 83.0, 234289, 2356, 1590, 107608, 1947, 60323,  //
      88.5, 259426, 2325, 1456, 108632, 1948, 61122,      //
      88.2, 258054, 3682, 1616, 109773, 1949, 60171,      //
      89.5, 284599, 3351, 1650, 110929, 1950, 61187,      //
      96.2, 328975, 2099, 3099, 112075, 1951, 63221,      //
      98.1, 346999, 1932, 3594, 113270, 1952, 63639,      //
      99.0, 365385, 1870, 3547, 115094, 1953, 64989,      //
      100.0, 363112, 3578, 3350, 116219, 1954, 63761,     //
      101.2, 397469, 2904, 3048, 117388, 1955, 66019,     //
      104.6, 419180, 2822, 2857, 118734, 1956, 67857,     //
      108.4, 442769, 2936, 2798, 120445, 1957, 68169,     //
      110.8, 444546, 4681, 2637, 121950, 1958, 66513,     //
      112.6, 482704, 3813, 2552, 123366, 1959, 68655,     //
      114.2, 502601, 3931, 2514, 125368, 1960, 69564,     //
      115.7, 518173, 4806, 2572, 127852, 1961, 69331,     //
      116.9, 554894, 4007, 2827, 130081, 1962, 70551;
  expect_certified({.columns = rows,
                    .coefficients = {-3482258.63459582, 15.0618722713733, -0.358191792925910e-01,
                                     -2.02022980381683, -1.03322686717359, -0.511041056535807e-01,
                                     1829.15146461355},
                    .standard_errors = {890420.383607373, 84.9149257747669, 0.334910077722432e-01,
                                        0.488399681651699, 0.214274163161675, 0.226073200069370,
                                        455.478499142212}},
                   true, 1e-9);
}

TEST(Certified, Norris) {
  const std::vector<double> y{0.1,   338.8, 118.1, 888.0, 9.2,   228.1, 668.5, 998.5, 449.1,
                              778.9, 559.2, 0.3,   0.1,   778.1, 668.8, 339.3, 448.9, 10.8,
                              557.7, 228.3, 998.0, 888.8, 119.6, 0.3,   0.6,   557.6, 339.3,
                              888.0, 998.5, 778.9, 10.2,  117.6, 228.9, 668.4, 449.2, 0.2};
  const std::vector<double> x{0.2,   337.4, 118.2, 884.6, 10.1,  226.5, 666.3, 996.3, 448.6,
                              777.0, 558.2, 0.4,   0.6,   775.5, 666.9, 338.0, 447.5, 11.6,
                              556.0, 228.1, 995.8, 887.6, 120.2, 0.3,   0.3,   556.8, 339.1,
                              887.2, 999.0, 779.0, 11.1,  118.3, 229.2, 669.1, 448.9, 0.5};
  Eigen::MatrixXd rows(36, 2);
  rows << Eigen::Map<const Eigen::VectorXd>(x.data(), 36),
      Eigen::Map<const Eigen::VectorXd>(y.data(), 36);
  expect_certified({.columns = rows,
                    .coefficients = {-0.262323073774029, 1.00211681802045},
                    .standard_errors = {0.232818234301152, 0.429796848199937e-03}},
                   true, 1e-8);
}

TEST(Certified, ModelsWithoutAnIntercept) {
  Eigen::MatrixXd first(11, 2);
  first << Eigen::VectorXd::LinSpaced(11, 60, 70), Eigen::VectorXd::LinSpaced(11, 130, 140);
  expect_certified({.columns = first, .coefficients = {2.07438016528926}}, false, 1e-12);
  Eigen::MatrixXd second(3, 2);
  second << 4, 3, 5, 4, 6, 4;
  expect_certified({.columns = second, .coefficients = {0.727272727272727}}, false, 1e-12);
}

}  // namespace
}  // namespace sotto
