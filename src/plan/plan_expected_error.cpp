// What a model over tables will be worth: the estimator on an assumed table, under the plan's
// noise.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/statistics.h"
#include "data/encoding.h"
#include "plan/plan.h"
#include "solve/estimators.h"

namespace sotto {
namespace {

constexpr std::uint64_t kNoiseSeed = 5;
constexpr double kMinExpectedRows = 10;

// Σxxᵀ, Σxy, Σy² of the assumed table, per row.
struct RowMoments {
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
    if (const auto* levels = std::get_if<CategoricalFeature>(&schema.features[k])) {
      const auto others = static_cast<Eigen::Index>(levels->levels.size()) - 1;
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
  return {.a = to_ball * to_ball * second,
          .b = to_ball * (covariance * effect + target_mean * mean),
          .c = target_sd * target_sd + target_mean * target_mean,
          .variance = target_sd * target_sd};
}

// How noise looks on sums, in units of σ. The same draws at every number of rows,
// so that errors at different numbers compare.
struct UnitNoise {
  Eigen::MatrixXd a;
  Eigen::VectorXd b;
};

std::vector<UnitNoise> draw_noise(Eigen::Index d) {
  const auto size = static_cast<double>(d);
  const auto draws = static_cast<std::size_t>(std::clamp(1e4 / size, 4.0, 64.0));
  StandardNormal normal(kNoiseSeed);
  std::vector<UnitNoise> noise(draws, {Eigen::MatrixXd(d, d), Eigen::VectorXd(d)});
  for (UnitNoise& draw : noise) {
    for (Eigen::Index r = 0; r < d; ++r) {
      draw.a(r, r) = normal();
      for (Eigen::Index c = r + 1; c < d; ++c) {
        draw.a(r, c) = draw.a(c, r) = normal() / std::sqrt(2.0);
      }
      draw.b(r) = normal();
    }
  }
  return noise;
}

double mean_error(const Study& study, const RowMoments& row, const std::vector<UnitNoise>& noise,
                  double sigma, double rows) {
  const double sigma_b =
      sigma / std::sqrt(released_weights(study.privacy.neighbours, study.solve).w2);
  double sum = 0;
  for (const UnitNoise& draw : noise) {
    const NoisySums sums{.a = rows * row.a + sigma * draw.a,
                         .b = rows * row.b + sigma_b * draw.b,
                         .sigma_a = sigma,
                         .sigma_b = sigma_b,
                         .shape = NoiseShape::kSvec};
    const auto found = estimate(study.solve.estimator, sums);
    check(found.has_value(), "finite sums have an estimate");
    const Eigen::VectorXd& theta = found->theta;
    sum += row.c - 2 * theta.dot(row.b) + theta.dot(row.a * theta);
  }
  return sum / static_cast<double>(noise.size()) / row.variance;
}

}  // namespace

double expected_error(const Study& study, double sum_noise_sd, double rows,
                      const AssumedTable& assumed) {
  check(study.data.has_value(), "a study over tables has a schema");
  const RowMoments row = assumed_moments(*study.data, assumed);
  return mean_error(study, row, draw_noise(row.b.size()), sum_noise_sd, rows);
}

std::optional<ExpectedAccuracy> expected_accuracy(const Study& study, double sum_noise_sd) {
  if (!study.data || study.data->entries() > kMaxExpectedEntries) return std::nullopt;
  const RowMoments row = assumed_moments(*study.data, {});
  const auto noise = draw_noise(row.b.size());
  const auto error = [&](double rows) { return mean_error(study, row, noise, sum_noise_sd, rows); };
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
  const RowMoments row = assumed_moments(schema, assumed);
  const RecordWeights weights = released_weights(study.privacy.neighbours, study.solve);
  SOTTO_ASSIGN(
      const auto errors,
      plug_in_errors({.a = rows * row.a,
                      .b = rows * row.b,
                      .sigma_a = sum_noise_sd,
                      .sigma_b = sum_noise_sd / std::sqrt(weights.w2),
                      .shape = NoiseShape::kSvec},
                     {.value = rows * row.c, .sigma = sum_noise_sd / std::sqrt(weights.v2)}, rows));
  const OwnUnits own = encoding.to_own_units(errors.theta, errors.covariance);
  const double target_width = schema.target.bounds.hi - schema.target.bounds.lo;
  std::vector<ExpectedInterval> intervals;
  const auto add = [&](std::optional<double> feature_width) {
    const std::size_t k = intervals.size();
    const auto entry = static_cast<Eigen::Index>(k);
    const double half = kInterval95 * std::sqrt(own.covariance(entry, entry));
    intervals.push_back({.coefficient = encoding.names()[k], .half_width = half, .share = {}});
    if (feature_width) intervals[k].share = half * *feature_width / target_width;
  };
  if (schema.intercept) add(std::nullopt);
  for (const Feature& feature : schema.features) {
    if (const auto* number = std::get_if<NumericFeature>(&feature)) {
      add(number->bounds.hi - number->bounds.lo);
    } else {
      const auto& levels = std::get<CategoricalFeature>(feature).levels;
      for (std::size_t k = 1; k < levels.size(); ++k) add(1);
    }
  }
  return intervals;
}

}  // namespace sotto
