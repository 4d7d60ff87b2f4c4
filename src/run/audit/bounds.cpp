// Bounds from counts, and from weighted runs.
#include "run/audit/bounds.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/statistics.h"

namespace sotto::audit {
namespace {

// P(Bin(n, p) ≥ k), 1 ≤ k ≤ n: the incomplete beta function I_p(k, n − k + 1).
double at_least(std::uint64_t k, std::uint64_t n, double p) {
  const auto hits = static_cast<double>(k);
  const auto misses = static_cast<double>(n - k + 1);
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  return f_tail((1 - p) / p * hits / misses, 2 * misses, 2 * hits);
}

// Where a rising function passes a level, in [0, 1].
template <class Rising>
double crossing(const Rising& rising, double level) {
  double low = 0;
  double high = 1;
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    (rising(middle) < level ? low : high) = middle;
  }
  return low;
}

// Numbers above a threshold, of numbers in rising order.
std::uint64_t above(std::span<const double> sorted, double threshold) {
  return static_cast<std::uint64_t>(sorted.end() - std::ranges::upper_bound(sorted, threshold));
}

std::vector<double> sorted_part(std::span<const double> values, double sign) {
  std::vector<double> result;
  for (const double value : values) result.push_back(sign * value);
  std::ranges::sort(result);
  return result;
}

// What one run adds to δ(ε).
double excess_of(const Tilted& runs, std::size_t run, double epsilon) {
  const double ratio = runs.log_ratio[run];
  if (ratio <= epsilon) return 0;
  return std::exp(runs.log_weight[run]) * -std::expm1(epsilon - ratio);
}

double epsilon_of(double power, double false_alarm, double delta) {
  if (power <= delta || false_alarm <= 0) return 0;
  return std::max(0.0, std::log((power - delta) / false_alarm));
}

// {score > c}, with `alternative` the world in which that is frequent.
double counted_one_way(std::span<const double> null, std::span<const double> alternative,
                       double sign, double delta, double error) {
  const std::size_t half = null.size() / 2;
  const auto train_0 = sorted_part(null.first(half), sign);
  const auto train_1 = sorted_part(alternative.first(half), sign);
  const auto test_0 = sorted_part(null.subspan(half), sign);
  const auto test_1 = sorted_part(alternative.subspan(half), sign);
  const auto bound = [&](std::span<const double> zero, std::span<const double> one, double c) {
    return epsilon_of(probability_at_least(above(one, c), one.size(), error),
                      probability_at_most(above(zero, c), zero.size(), error), delta);
  };
  constexpr std::size_t kThresholds = 200;
  double best = 0;
  double threshold = train_1.back();
  for (std::size_t k = 1; k < kThresholds; ++k) {
    // Denser where few runs are left.
    const double share = std::pow(static_cast<double>(k) / kThresholds, 2);
    for (const auto& train : {train_0, train_1}) {
      const double c = train[static_cast<std::size_t>((1 - share) * static_cast<double>(half - 1))];
      const double found = bound(train_0, train_1, c);
      if (found > best) {
        best = found;
        threshold = c;
      }
    }
  }
  return bound(test_0, test_1, threshold);
}

}  // namespace

double probability_at_least(std::uint64_t hits, std::uint64_t all, double error) {
  if (hits == 0) return 0;
  return crossing([&](double p) { return at_least(hits, all, p); }, error);
}

double probability_at_most(std::uint64_t hits, std::uint64_t all, double error) {
  return 1 - probability_at_least(all - hits, all, error);
}

double normal_deviations(double error) {
  constexpr double kFarthest = 40;
  const auto passed = [](double z) { return 1 - std::erfc(kFarthest * z / std::sqrt(2.0)) / 2; };
  return kFarthest * crossing(passed, 1 - error);
}

double counted_epsilon(const Scores& scores, double delta, double error) {
  check(scores.world_0.size() == scores.world_1.size() && scores.world_0.size() >= 4,
        "as many runs in one world as in the other");
  constexpr double kProbabilities = 4;
  const double each = error / kProbabilities;
  return std::max(counted_one_way(scores.world_0, scores.world_1, 1, delta, each),
                  counted_one_way(scores.world_1, scores.world_0, -1, delta, each));
}

Estimate tilted_delta(const Tilted& runs, double epsilon) {
  double sum = 0;
  double squares = 0;
  for (std::size_t k = 0; k < runs.log_ratio.size(); ++k) {
    const double excess = excess_of(runs, k, epsilon);
    sum += excess;
    squares += excess * excess;
  }
  const auto count = static_cast<double>(runs.log_ratio.size());
  const double mean = sum / count;
  return {.value = mean, .error = std::sqrt(std::max(0.0, squares / count - mean * mean) / count)};
}

Tilted lesser(const Tilted& one, const Tilted& other, double epsilon) {
  Tilted result = one;
  for (std::size_t k = 0; k < one.log_ratio.size(); ++k) {
    if (excess_of(one, k, epsilon) <= excess_of(other, k, epsilon)) continue;
    result.log_weight[k] = other.log_weight[k];
    result.log_ratio[k] = other.log_ratio[k];
  }
  return result;
}

double tilted_delta_at_least(const Tilted& runs, double epsilon, double largest, double error) {
  const Estimate estimate = tilted_delta(runs, epsilon);
  const auto count = static_cast<double>(runs.log_ratio.size());
  // The estimate's error is √(V/n) with n in V's place of n − 1.
  const double scatter = estimate.error * std::sqrt(count / (count - 1));
  const double nats = std::log(2 / error);
  return estimate.value - std::sqrt(2 * nats) * scatter - 7 * largest * nats / (3 * (count - 1));
}

double proven_epsilon(double claimed, const std::function<bool(double)>& exceeds) {
  constexpr double kStep = 1.005;
  constexpr double kMost = 8;
  for (const double share : kProofStarts) {
    double epsilon = share * claimed;
    if (!exceeds(epsilon)) continue;
    while (epsilon * kStep < kMost * claimed && exceeds(epsilon * kStep)) epsilon *= kStep;
    return epsilon;
  }
  return 0;
}

TradeOff trade_off(const Scores& scores, std::size_t points) {
  const auto zero = sorted_part(scores.world_0, 1);
  const auto one = sorted_part(scores.world_1, 1);
  TradeOff result;
  for (std::size_t k = 0; k <= points; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(points);
    const double c = quantile(zero, 1 - share);
    result.false_alarm.push_back(share);
    result.missed.push_back(1 -
                            static_cast<double>(above(one, c)) / static_cast<double>(one.size()));
  }
  return result;
}

Scores learned_scores(std::span<const std::vector<double>> world_0,
                      std::span<const std::vector<double>> world_1) {
  using Eigen::Index;
  using Eigen::MatrixXd;
  using Eigen::VectorXd;
  using Seen = Eigen::Map<const VectorXd>;
  const auto numbers = static_cast<Index>(world_0.front().size());
  const std::size_t half = world_0.size() / 2;
  const auto seen = [&](const std::vector<double>& run) { return Seen(run.data(), numbers); };
  const auto mean_of = [&](std::span<const std::vector<double>> runs) {
    VectorXd mean = VectorXd::Zero(numbers);
    for (const auto& run : runs) mean += seen(run);
    return VectorXd(mean / static_cast<double>(runs.size()));
  };
  const VectorXd mean_0 = mean_of(world_0.first(half));
  const VectorXd mean_1 = mean_of(world_1.first(half));
  MatrixXd scatter = MatrixXd::Zero(numbers, numbers);
  for (std::size_t k = 0; k < half; ++k) {
    const VectorXd gap_0 = seen(world_0[k]) - mean_0;
    const VectorXd gap_1 = seen(world_1[k]) - mean_1;
    scatter.selfadjointView<Eigen::Lower>().rankUpdate(gap_0);
    scatter.selfadjointView<Eigen::Lower>().rankUpdate(gap_1);
  }
  const MatrixXd full = scatter.selfadjointView<Eigen::Lower>();
  const VectorXd direction = full.ldlt().solve(mean_1 - mean_0);
  Scores scores;
  for (const auto& run : world_0) scores.world_0.push_back(direction.dot(seen(run)));
  for (const auto& run : world_1) scores.world_1.push_back(direction.dot(seen(run)));
  return scores;
}

}  // namespace sotto::audit
