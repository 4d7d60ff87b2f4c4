// What a model over tables will be worth: the estimator on an assumed table, under the plan's
// noise.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/statistics.h"
#include "data/encoding.h"
#include "data/row_weight.h"
#include "moments/moments.h"
#include "moments/quadratic.h"
#include "plan/plan.h"
#include "solve/estimators.h"

namespace sotto {
namespace {

constexpr std::uint64_t kNoiseSeed = 5;
constexpr double kMinExpectedRows = 10;

// Σxxᵀ, Σxy, Σy² of the assumed table, per row and unweighted; and a row's weight. That of the row
// of mean length: no more than the mean weight, since w is convex.
struct RowMoments {
  double weight = 1;
  Eigen::MatrixXd a;
  Eigen::VectorXd b;
  double c = 0;
  double variance = 0;  // of y
};

RowMoments assumed_moments(const Schema& schema, const AssumedTable& assumed) {
  const Encoding encoding = Encoding::make(schema).value();
  const auto d = static_cast<Eigen::Index>(encoding.dimension());
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(d);
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(d, d);
  Eigen::VectorXd effect = Eigen::VectorXd::Zero(d);  // each feature adds a variance of 1
  Eigen::Index entry = 0;
  if (schema.intercept) mean(entry++) = 1;
  for (std::size_t k = 0; k < schema.features.size(); ++k) {
    const double sign = k % 2 == 0 ? 1 : -1;
    if (!std::holds_alternative<NumericFeature>(schema.features[k])) {
      const auto others = static_cast<Eigen::Index>(entries_of(schema.features[k]));
      const double share = 1 / static_cast<double>(others + 1);
      // The first of the levels matters, the rest do not.
      effect(entry) = sign / std::sqrt(share * (1 - share));
      covariance.block(entry, entry, others, others).setConstant(-share * share);
      covariance.diagonal().segment(entry, others).array() += share;
      mean.segment(entry, others).setConstant(share);
      entry += others;
      continue;
    }
    const ColumnScale& scale = encoding.feature_scale(k);
    const double half = (scale.bounds.hi - scale.bounds.lo) / 2;
    const double sd = assumed.feature_sd * half / scale.half;
    mean(entry) = (scale.bounds.lo + half - scale.middle) / scale.half;
    covariance(entry, entry) = sd * sd;
    effect(entry++) = sign / sd;
  }
  const ColumnScale& target = encoding.target_scale();
  const double half = (target.bounds.hi - target.bounds.lo) / 2;
  const double target_sd = assumed.target_sd * half / target.half;
  const double target_mean =
      (target.bounds.lo + (1 + assumed.target_mean) * half - target.middle) / target.half;
  const auto features = static_cast<double>(std::max<std::size_t>(schema.features.size(), 1));
  effect *= target_sd * std::sqrt(assumed.explained / features);

  const Eigen::MatrixXd second = covariance + mean * mean.transpose();
  // Rows that are longer than the radius on average are shortened to it.
  const double shortening = std::min(1.0, encoding.radius() / std::sqrt(second.trace()));
  const double to_ball = encoding.grid_scale() / kGridOne * shortening;
  double weight = 1;
  if (schema.weighting == Weighting::kBounded) {
    const double length = second.trace() - (schema.intercept ? 1 : 0);
    weight = row_weight(length / weighting_radius_square(schema.feature_columns()));
  }
  return {.weight = weight,
          .a = to_ball * to_ball * second,
          .b = to_ball * (covariance * effect + target_mean * mean),
          .c = target_sd * target_sd + target_mean * target_mean,
          .variance = target_sd * target_sd};
}

// Noise on the sums without Σy², a standard normal for every entry. The same draws at every number
// of rows, so that errors at different numbers compare.
std::vector<std::vector<double>> draw_noise(std::size_t d) {
  const auto draws = static_cast<std::size_t>(std::clamp(1e4 / static_cast<double>(d), 4.0, 64.0));
  StandardNormal normal(kNoiseSeed);
  std::vector<std::vector<double>> noise(draws, std::vector<double>(theta_size(d)));
  for (auto& draw : noise) std::ranges::generate(draw, [&] { return normal(); });
  return noise;
}

class ExpectedError {
 public:
  ExpectedError(const Study& study, double sigma, const AssumedTable& assumed)
      : terms_(fit_terms(study, sigma)),
        row_(assumed_moments(*study.data, assumed)),
        noise_(draw_noise(study.data->entries())),
        weights_(entry_weights(study.data->entries(), study.data->intercept, terms_.shares)) {}

  [[nodiscard]] double at(double rows) const {
    double sum = 0;
    for (const std::vector<double>& draw : noise_) {
      std::vector<double> sums = sums_of(rows);
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += terms_.sigma / weights_[k] * draw[k];
      const Release release = release_of(terms_, sums);
      const auto found =
          estimate_table({.estimator = terms_.estimator, .settings = terms_.settings},
                         table_sums(release, own_selection(release)));
      // One that was added may find nothing, and then its model is worth nothing.
      if (!found) return std::numeric_limits<double>::infinity();
      const Eigen::VectorXd& theta = found->theta;
      sum += row_.c - 2 * theta.dot(row_.b) + theta.dot(row_.a * theta);
    }
    return sum / static_cast<double>(noise_.size()) / row_.variance;
  }

  // What so many rows would leave, as if the noise had been 0; its size is known all the same.
  [[nodiscard]] Release release_of_rows(double rows) const {
    std::vector<double> sums = sums_of(rows);
    sums.push_back(rows * row_.weight * row_.c);
    return release_of(terms_, sums);
  }

 private:
  // In the order of Moments, but for Σy².
  [[nodiscard]] std::vector<double> sums_of(double rows) const {
    std::vector<double> sums;
    const Eigen::Index d = row_.b.size();
    const double weight = rows * row_.weight;
    for (Eigen::Index r = 0; r < d; ++r) {
      for (Eigen::Index c = r; c < d; ++c) sums.push_back(weight * row_.a(r, c));
    }
    for (Eigen::Index r = 0; r < d; ++r) sums.push_back(weight * row_.b(r));
    return sums;
  }

  FitTerms terms_;
  RowMoments row_;
  std::vector<std::vector<double>> noise_;
  std::vector<double> weights_;
};

}  // namespace

double expected_error(const Study& study, double sum_noise_sd, double rows,
                      const AssumedTable& assumed) {
  check(study.data.has_value(), "a study over tables has a schema");
  return ExpectedError(study, sum_noise_sd, assumed).at(rows);
}

std::optional<ExpectedAccuracy> expected_accuracy(const Study& study, double sum_noise_sd) {
  if (!study.data || study.data->entries() > kMaxExpectedEntries) return std::nullopt;
  const ExpectedError expected(study, sum_noise_sd, {});
  const auto error = [&](double rows) { return expected.at(rows); };
  ExpectedAccuracy accuracy;
  for (const std::uint64_t rows : {1'000U, 10'000U, 100'000U, 1'000'000U}) {
    accuracy.errors.push_back({.rows = rows, .error = error(static_cast<double>(rows))});
  }
  double low = kMinExpectedRows;
  double high = kMaxExpectedRows;
  if (!study.data->features.empty() && error(high) < 1) {
    // To 2 %: more digits would claim more than the assumptions hold.
    while (high / low > 1.02) {
      const double middle = std::sqrt(low * high);
      (error(middle) < 1 ? high : low) = middle;
    }
    accuracy.rows_needed = static_cast<std::uint64_t>(std::ceil(high));
  }
  return accuracy;
}

Result<std::vector<ExpectedInterval>> expected_intervals(const Study& study, double sum_noise_sd,
                                                         double rows, const AssumedTable& assumed) {
  check(study.data.has_value(), "a study over tables has a schema");
  if (!study.solve.error_bars) {
    return bad_input("E-errors-squares", "the study keeps Σy² at home, and intervals need it",
                     "[solve] error_bars = true");
  }
  const Schema& schema = *study.data;
  const Encoding encoding = Encoding::make(schema).value();
  const Release release = ExpectedError(study, sum_noise_sd, assumed).release_of_rows(rows);
  const Selection own = own_selection(release);
  SOTTO_ASSIGN(const PlugInErrors errors, model_errors(release, own));
  const Fit fit = solve::in_own_units(release, own, errors.theta, errors);
  const double target_width = schema.target.bounds.hi - schema.target.bounds.lo;
  std::vector<ExpectedInterval> intervals;
  const auto add = [&](std::optional<double> feature_width) {
    const std::size_t k = intervals.size();
    const double half = kInterval95 * fit.coefficients[k].standard_error.value();
    intervals.push_back({.coefficient = encoding.names()[k], .half_width = half, .share = {}});
    if (feature_width) intervals[k].share = half * *feature_width / target_width;
  };
  if (schema.intercept) add(std::nullopt);
  for (const Feature& feature : schema.features) {
    if (const auto* number = std::get_if<NumericFeature>(&feature)) {
      add(number->bounds.hi - number->bounds.lo);
    } else {
      for (std::size_t k = entries_of(feature); k > 0; --k) add(1);
    }
  }
  return intervals;
}

}  // namespace sotto
