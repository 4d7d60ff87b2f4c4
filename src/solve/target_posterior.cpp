#include "solve/target_posterior.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

// A posterior of three numbers on a fixed grid: the same bits wherever it is computed.
namespace sotto::solve {
namespace {

constexpr int kCounts = 16;
constexpr int kMeans = 24;
constexpr int kCells = 12;
constexpr double kSmallestShare = 1e-3;  // of 1 − μ², that v is at least
constexpr double kReach = 5;             // standard deviations to either side of a sum
constexpr double kSmallestSd = 1e-9;     // beside N: what keeps sums without noise finite
constexpr double kRatioFrom = 2;         // N̂/σ_N at which the ratio begins to count
constexpr double kRatioAlone = 4;
constexpr double kHiddenBelow = 1.25;  // N̂/σ_N: so little is known of N that t̂ alone decides
constexpr double kSeenFrom = 2;
constexpr double kNoiseBelow = 0.7;  // |t̂|/σ_t: there t̂ is taken for noise,
constexpr double kSignalFrom = 0.9;  // and here for the target's
constexpr double kLeastCount = 1.8;  // σ_N: fewer rows than that are not believed there
constexpr double kMostPull = 0.3;    // standard deviations of the ratio, towards the middle
constexpr double kFallbackShare = 0.1;
constexpr double kMiddleSd = 0.15;  // τ: how far from the middle of its bounds a target's mean lies
constexpr double kAnywhere = 0.5;   // the density of a mean that lies anywhere in [−1, 1]

double upper_tail(double z) {
  return std::erfc(z / std::numbers::sqrt2) / 2;
}

// The mass of N(0, 1) between a and b, by whichever tail is small.
double mass_between(double a, double b) {
  return a > 0 ? upper_tail(a) - upper_tail(b) : upper_tail(-b) - upper_tail(-a);
}

// From 0 at `from` to 1 at `to`.
double ramp(double x, double from, double to) {
  return std::clamp((x - from) / (to - from), 0.0, 1.0);
}

double normal_density(double x, double variance) {
  return std::exp(-x * x / (2 * variance)) / std::sqrt(2 * std::numbers::pi * variance);
}

// Twice π(μ) of the header: about the middle, or anywhere.
double prior_of_mean(double mu) {
  return normal_density(mu, kMiddleSd * kMiddleSd) + kAnywhere;
}

// What t̂/N̂ says of the mean under that prior, at most kMostPull from it.
double mean_by_ratio(double ratio, const NoisyNumber& count, const NoisyNumber& sum) {
  const double n = std::max(count.value, 1.0);
  const double variance = (sum.sd * sum.sd + ratio * ratio * count.sd * count.sd) / (n * n);
  const double about = variance + kMiddleSd * kMiddleSd;
  const double middle = normal_density(ratio, about);
  const double pull = std::abs(ratio) * middle / (middle + kAnywhere) * variance / about;
  return ratio - std::copysign(std::min(pull, kMostPull * std::sqrt(variance)), ratio);
}

// What t̂ says of the mean where next to nothing is known of N.
double mean_by_sum(const NoisyNumber& count, const NoisyNumber& sum) {
  const double mean = sum.value / std::max(count.value, kLeastCount * count.sd);
  return ramp(std::abs(sum.value) / sum.sd, kNoiseBelow, kSignalFrom) * std::clamp(mean, -1.0, 1.0);
}

// v ~ N(x, s²) on one cell: its density there on average, and its mean.
struct Cell {
  double weight = 0;
  double mean = 0;
};

Cell cell_of(double low, double high, double x, double s) {
  const double a = (low - x) / s;
  const double b = (high - x) / s;
  const double mass = mass_between(a, b);
  const double density =
      (std::exp(-a * a / 2) - std::exp(-b * b / 2)) / std::sqrt(2 * std::numbers::pi);
  const double mean = x + s * density / std::max(mass, std::numeric_limits<double>::min());
  return {.weight = mass / (high - low), .mean = std::clamp(mean, low, high)};
}

struct Ranges {
  double least_count = 1;
  double most_count = 1;
  double least_mean = -1;
  double most_mean = 1;
};

Ranges ranges_of(const NoisyNumber& count, const NoisyNumber& sum) {
  Ranges in;
  in.most_count = std::max(count.value, 0.0) + kReach * count.sd;
  in.least_count = std::max({1.0, count.value - kReach * count.sd, in.most_count * 1e-3});
  in.most_count = std::max(in.most_count, in.least_count * (1 + kSmallestSd));
  const auto over = [&](double t) { return std::minmax({t / in.least_count, t / in.most_count}); };
  in.least_mean = std::max(-1.0, over(sum.value - kReach * sum.sd).first);
  in.most_mean = std::min(1.0, over(sum.value + kReach * sum.sd).second);
  if (in.most_mean - in.least_mean < kSmallestSd) {
    in.least_mean = sum.value < 0 ? -1.0 : 0.9;
    in.most_mean = in.least_mean + 0.1;
  }
  return in;
}

// Sums of weight, N, N², μ and ln Nv.
struct Totals {
  double weight = 0;
  double count = 0;
  double count_square = 0;
  double mean = 0;
  double log_spread = 0;
};

Totals totals_on_grid(const NoisyNumber& count, const NoisyNumber& sum,
                      const std::optional<NoisyNumber>& squares, double floor_sd) {
  const Ranges in = ranges_of(count, sum);
  std::array<double, kCells + 1> share{};
  for (int k = 0; k <= kCells; ++k) {
    share[static_cast<std::size_t>(k)] =
        std::pow(kSmallestShare, 1 - static_cast<double>(k) / kCells);
  }
  const auto exponent = [&](double n, double mu) {
    return -0.5 * std::pow((count.value - n) / count.sd, 2) -
           0.5 * std::pow((sum.value - n * mu) / sum.sd, 2) + std::log(prior_of_mean(mu));
  };
  struct Point {
    double n;
    double mu;
    double exponent;
  };
  std::vector<Point> points;
  double highest = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < kCounts; ++i) {
    const double n = std::exp(std::log(in.least_count) +
                              i * std::log(in.most_count / in.least_count) / (kCounts - 1));
    for (int j = 0; j < kMeans; ++j) {
      const double mu = in.least_mean + (in.most_mean - in.least_mean) * (j + 0.5) / kMeans;
      points.push_back({n, mu, exponent(n, mu)});
      highest = std::max(highest, points.back().exponent);
    }
  }
  constexpr double kNegligible = -40;
  Totals totals;
  for (const auto& [n, mu, log_likelihood] : points) {
    if (log_likelihood - highest < kNegligible) continue;
    const double likelihood = std::exp(log_likelihood - highest);
    for (std::size_t k = 0; k < kCells; ++k) {
      const double low = (1 - mu * mu) * share[k];
      const double high = (1 - mu * mu) * share[k + 1];
      const Cell cell = squares ? cell_of(low, high, squares->value / n - mu * mu,
                                          std::max(squares->sd, floor_sd) / n)
                                : Cell{.weight = 1, .mean = (low + high) / 2};
      const double weight = likelihood * cell.weight;
      if (weight <= 0) continue;
      totals.weight += weight;
      totals.count += weight * n;
      totals.count_square += weight * n * n;
      totals.mean += weight * mu;
      totals.log_spread += weight * std::log(n * cell.mean);
    }
  }
  return totals;
}

}  // namespace

TargetPosterior target_posterior(const TargetSums& sums) {
  const double floor_sd = kSmallestSd * std::max(sums.count.value, 1.0);
  const NoisyNumber count{sums.count.value, std::max(sums.count.sd, floor_sd)};
  const NoisyNumber sum{sums.sum.value, std::max(sums.sum.sd, floor_sd)};
  const double ratio = std::clamp(sum.value / std::max(count.value, 1.0), -1.0, 1.0);
  const Totals totals = totals_on_grid(count, sum, sums.squares, floor_sd);
  constexpr double kNothing = 1e-250;  // sums that no target could have: ĉ far above N̂, say
  if (!(totals.weight > kNothing)) {
    const double n = std::max(count.value, 1.0);
    return {.count = n,
            .count_sd = count.sd,
            .mean = ratio,
            .spread = n * std::max(1 - ratio * ratio, kSmallestShare) * kFallbackShare,
            .known = 0};
  }
  const double n = totals.count / totals.weight;
  const double distance = count.value / count.sd;
  const double known = ramp(distance, kRatioFrom, kRatioAlone);
  const double seen = ramp(distance, kHiddenBelow, kSeenFrom);
  const double on_grid = totals.mean / totals.weight;
  const double where_seen =
      known * mean_by_ratio(ratio, sums.count, sums.sum) + (1 - known) * on_grid;
  return {.count = n,
          .count_sd = std::sqrt(std::max(totals.count_square / totals.weight - n * n, 0.0)),
          .mean = seen * where_seen + (1 - seen) * mean_by_sum(count, sum),
          .spread = std::exp(totals.log_spread / totals.weight),
          .known = known};
}

}  // namespace sotto::solve
