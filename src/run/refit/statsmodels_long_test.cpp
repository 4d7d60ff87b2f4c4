#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "base/json.h"
#include "run/refit/refit.h"
#include "support/releases.h"
#include "support/temporary_folder.h"

// Refits of sums without noise against statsmodels' OLS on the rows themselves: coefficients,
// standard errors, t, p, residual standard deviation, R², F. Skipped where Debian's
// python3-statsmodels is not installed.

namespace sotto {
namespace {

// Fits the columns of rows.csv (target first) and prints what it finds, as JSON.
constexpr const char* kScript = R"py(
import json, sys
import numpy as np
import statsmodels.api as sm
rows = np.loadtxt(sys.argv[1], delimiter=",")
fit = sm.OLS(rows[:, 0], rows[:, 1:], hasconst=sys.argv[2] == "1").fit(method="qr")
print(json.dumps({
    "values": list(fit.params), "errors": list(fit.bse), "t": list(fit.tvalues),
    "p": list(fit.pvalues), "sd": float(np.sqrt(fit.scale)), "r2": fit.rsquared,
    "adjusted": fit.rsquared_adj, "f": float(fit.fvalue), "f_p": float(fit.f_pvalue),
    "df": fit.df_resid, "covariance": np.asarray(fit.cov_params()).tolist()}))
)py";

class Statsmodels : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("/usr/bin/python3 -c 'import statsmodels.api' 2>/dev/null") != 0) {
      GTEST_SKIP() << "python3-statsmodels is not installed: nothing was compared";
    }
    std::ofstream(folder_ / "ols.py") << kScript;
  }

  // Of the target by these columns, numbers to the last bit.
  [[nodiscard]] Json ols(const Eigen::VectorXd& y, const Eigen::MatrixXd& x, bool constant) const {
    std::ofstream csv(folder_ / "rows.csv");
    csv.precision(17);
    for (Eigen::Index r = 0; r < x.rows(); ++r) {
      csv << y(r);
      for (Eigen::Index c = 0; c < x.cols(); ++c) csv << ',' << x(r, c);
      csv << '\n';
    }
    csv.close();
    const std::string command = "/usr/bin/python3 " + (folder_ / "ols.py").string() + " " +
                                (folder_ / "rows.csv").string() + (constant ? " 1" : " 0");
    std::string out;
    FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> buffer{};
    while (const std::size_t got = fread(buffer.data(), 1, buffer.size(), pipe)) {
      out.append(buffer.data(), got);
    }
    EXPECT_EQ(pclose(pipe), 0) << out;
    return parse_json(out);
  }

  const TemporaryFolder folder_;
};

constexpr double kTolerance = 1e-9;

void expect_close(double found, const Json& expected, const std::string& what) {
  const auto value = expected.get<double>();
  EXPECT_NEAR(found, value, kTolerance * std::max(std::abs(value), 1.0)) << what;
  // Relative too, where p is not so small that the libraries' own tails differ.
  if (std::abs(value) > 1e-12) {
    EXPECT_NEAR(found / value, 1, kTolerance) << what;
  }
}

void expect_same(const Model& model, const Json& other) {
  const auto& coefficients = model.record.coefficients;
  ASSERT_EQ(coefficients.size(), other["values"].size());
  for (std::size_t k = 0; k < coefficients.size(); ++k) {
    const RunRecord::Coefficient& c = coefficients[k];
    ASSERT_TRUE(c.p.has_value()) << model.record.errors_refused;
    expect_close(*c.unshrunk, other["values"][k], c.name);
    expect_close(*c.standard_error, other["errors"][k], c.name + " error");
    expect_close(*c.t, other["t"][k], c.name + " t");
    expect_close(*c.p, other["p"][k], c.name + " p");
    for (std::size_t j = 0; j < coefficients.size(); ++j) {
      const double scale = *c.standard_error * *coefficients[j].standard_error;
      EXPECT_NEAR(model.record.summary->covariance(static_cast<Eigen::Index>(k),
                                                   static_cast<Eigen::Index>(j)) /
                      scale,
                  other["covariance"][k][j].get<double>() / scale, kTolerance);
    }
  }
  const ModelSummary& summary = *model.record.summary;
  expect_close(*summary.residual_sd, other["sd"], "residual sd");
  expect_close(*summary.degrees_of_freedom, other["df"], "degrees of freedom");
  ASSERT_TRUE(summary.r_squared && summary.f);
  expect_close(summary.r_squared->value, other["r2"], "R²");
  expect_close(summary.adjusted_r_squared->value, other["adjusted"], "adjusted R²");
  expect_close(summary.f->f, other["f"], "F");
  expect_close(summary.f->p, other["f_p"], "p of F");
}

Schema cars() {
  Schema schema;
  schema.target = {"price", {0, 90}};
  schema.features = {NumericFeature{"age", {0, 30}}, NumericFeature{"power", {20, 400}},
                     CategoricalFeature{"fuel", {"petrol", "diesel", "electric"}},
                     NumericFeature{"year", {1990, 2030}}};
  return schema;
}

// intercept, age, power, fuel=diesel, fuel=electric, year, price
Eigen::MatrixXd drawn_cars(int rows, std::uint64_t seed) {
  StandardNormal normal(seed);
  const auto within = [&] { return std::clamp(normal(), -2.5, 2.5); };
  Eigen::MatrixXd cars = Eigen::MatrixXd::Zero(rows, 7);
  for (Eigen::Index r = 0; r < rows; ++r) {
    cars(r, 0) = 1;
    cars(r, 1) = 14 + 5 * within();
    cars(r, 2) = 150 + 40 * within();
    if (r % 3 > 0) cars(r, 2 + r % 3) = 1;
    cars(r, 5) = 2010 + 6 * within();
    cars(r, 6) = 30 - 0.4 * cars(r, 1) + 0.06 * cars(r, 2) + 2 * cars(r, 4) + 4 * within();
  }
  return cars;
}

RunRecord record_of(const Release& release) {
  RunRecord record;
  record.estimator = Estimator::kExact;
  record.target = release.schema.target.column;
  record.release = release;
  return record;
}

TEST_F(Statsmodels, AgreesOnDrawnTablesWhateverTheTargetAndTheFeatures) {
  for (const int rows : {40, 700}) {
    const Eigen::MatrixXd cars_ = drawn_cars(rows, 7);
    const RunRecord source = record_of(release_of_rows(cars(), cars_, 0, 1));
    const auto columns = [&](const std::vector<int>& chosen) -> Eigen::MatrixXd {
      return cars_(Eigen::all, chosen);
    };
    expect_same(refit(source, RefitWords{}).value(),
                ols(cars_.col(6), columns({0, 1, 2, 3, 4, 5}), true));
    expect_same(refit(source, {.model = {.features = {"age", "fuel"}}}).value(),
                ols(cars_.col(6), columns({0, 1, 3, 4}), true));
    expect_same(
        refit(source, {.model = {.target = "power", .features = {"price", "year"}}}).value(),
        ols(cars_.col(2), columns({0, 5, 6}), true));
    expect_same(
        refit(source, {.model = {.target = "fuel=electric", .features = {"age", "price"}}}).value(),
        ols(cars_.col(4), columns({0, 1, 6}), true));
    // Without a constant, and with another base level.
    expect_same(refit(source, {.model = {.without = {"intercept", "year"}}}).value(),
                ols(cars_.col(6), columns({1, 2, 3, 4}), false));
    Eigen::MatrixXd other = columns({0, 1, 2, 3, 4, 5});
    other.col(3) = cars_.col(0) - cars_.col(3) - cars_.col(4);
    other.col(4) = cars_.col(3);
    expect_same(refit(source, {.bases = {"fuel=electric"}}).value(),
                ols(cars_.col(6), other, true));
  }
}

}  // namespace
}  // namespace sotto
