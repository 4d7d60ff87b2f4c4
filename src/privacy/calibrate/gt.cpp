#include "privacy/calibrate/gt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

// γ̄ has two masters: δ wants it large, and a problem that stays convex wants it small.
namespace sotto {
namespace {

// How far ‖Ω‖ can go, as a multiple of m·γ̄.
double reach(std::size_t parties, Convexity promise) {
  const auto n = static_cast<double>(parties);
  return promise == Convexity::kCertain ? n : std::sqrt(n);
}

}  // namespace

Result<GradientNoise> gradient_noise(Sensitivity mu, const Budget& budget,
                                     std::optional<double> truncation) {
  const double cut = truncation.value_or(truncation_needed(budget, mu));
  SOTTO_ASSIGN(auto laplace, TruncatedLaplace::make(budget.epsilon, mu, cut));
  return GradientNoise{.laplace = laplace,
                       .on_grid = GridLaplace::make(budget.epsilon, mu, cut),
                       .sigma_eta = gaussian_sigma(mu, budget)};
}

Result<GradientNoise> calibrate_gradient(Sensitivity mu, const Budget& budget,
                                         std::optional<double> truncation) {
  SOTTO_ASSIGN(auto noise, gradient_noise(mu, budget, truncation));
  const double delta = noise.laplace.delta();
  if (truncation && delta > budget.delta.value()) {
    return refused("E-gt-truncation",
                   fmt::format("a truncation of {} has δ = {:.6g}, and {} was asked for",
                               *truncation, delta, budget.delta.value()),
                   fmt::format("use truncation = {:.10g} or more, or δ = {:.6g}",
                               truncation_needed(budget, mu), delta));
  }
  return noise;
}

double convexity_margin(const GradientNoise& noise, std::size_t parties, std::size_t dimension,
                        double lambda_min, Convexity promise) {
  return reach(parties, promise) * static_cast<double>(dimension) * noise.on_grid.largest() /
         lambda_min;
}

double most_parties(const GradientNoise& noise, std::size_t dimension, double lambda_min,
                    Convexity promise) {
  const double ratio = lambda_min / (static_cast<double>(dimension) * noise.on_grid.largest());
  return std::ceil(promise == Convexity::kCertain ? ratio : ratio * ratio) - 1;
}

Result<void> require_convexity(const GradientNoise& noise, std::size_t parties,
                               std::size_t dimension, double lambda_min, Convexity promise) {
  const double margin = convexity_margin(noise, parties, dimension, lambda_min, promise);
  if (margin < 1) return {};
  const double largest = lambda_min / (reach(parties, promise) * static_cast<double>(dimension));
  const double most = most_parties(noise, dimension, lambda_min, promise);
  std::string fix = fmt::format("use a truncation below {:.6g}", largest);
  if (most >= 2) fix += fmt::format(", at most {:.0f} parties", most);
  if (promise == Convexity::kCertain) {
    fix += ", or guarantee = \"paper\", which states how likely a non-convex draw is";
  }
  return refused(
      "E-gt-convexity",
      fmt::format("noise up to {:.6g} from {} parties can reach {:.4g} times lambda_min = {:.6g}",
                  noise.on_grid.largest(), parties, margin, lambda_min),
      fix);
}

Result<void> require_some_truncation(Sensitivity mu, const Budget& budget, std::size_t parties,
                                     std::size_t dimension, double lambda_min, Convexity promise) {
  const double per_step = reach(parties, promise) * static_cast<double>(dimension);
  const double largest = lambda_min / per_step;
  const double needed = truncation_needed(budget, mu);
  if (needed < largest) return {};
  std::string fix = fmt::format("lambda_min above {:.4g}", per_step * needed);
  // γ̄ falls with ε towards μ, and δ = (e^ε − 1)/(2(e^{εγ̄/μ} − 1)) is what the largest one has.
  if (largest > mu.value()) {
    constexpr double kLargestEpsilon = 100;
    double low = budget.epsilon.value();
    double high = kLargestEpsilon;
    const auto fits = [&](double epsilon) {
      const auto tried = Budget::make(epsilon, budget.delta.value());
      return tried && truncation_needed(*tried, mu) < largest;
    };
    if (fits(high)) {
      for (int step = 0; step < 60; ++step) {
        const double middle = std::sqrt(low * high);
        (fits(middle) ? high : low) = middle;
      }
      fix += fmt::format(", ε = {:.3g} or more", high * 1.005);
    }
    const double epsilon = budget.epsilon.value();
    const double delta = std::expm1(epsilon) / (2 * std::expm1(epsilon * largest / mu.value()));
    if (delta < 1) fix += fmt::format(", δ = {:.3g} or more", delta * 1.005);
  }
  if (promise == Convexity::kCertain) {
    fix += ", or guarantee = \"paper\", which states how likely a non-convex draw is";
  }
  return refused("E-gt-convexity",
                 fmt::format("no truncation does: this ε and δ take {:.6g} or more, and {} parties "
                             "with lambda_min = {:.6g} stay convex below {:.6g} only",
                             needed, parties, lambda_min, largest),
                 fix);
}

double nonconvex_probability(const GradientNoise& noise, std::size_t parties, std::size_t dimension,
                             double lambda_min) {
  if (convexity_margin(noise, parties, dimension, lambda_min, Convexity::kCertain) < 1) return 0;
  const auto n = static_cast<double>(parties);
  const auto m = static_cast<double>(dimension);
  const double variance = n * m * noise.laplace.variance();
  const double range = m * noise.on_grid.largest();
  const double exponent = lambda_min * lambda_min / 2 / (variance + range * lambda_min / 3);
  return std::min(1.0, m * std::exp(-exponent));
}

double theorem1_bound(const GradientNoise& noise, std::size_t parties, std::size_t dimension,
                      double lambda_min, double solution_norm, Convexity promise) {
  const double d = convexity_margin(noise, parties, dimension, lambda_min, promise);
  if (!(d < 1)) return std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(parties);
  const auto m = static_cast<double>(dimension);
  const double from_a = 2 * n * m * m * noise.laplace.variance() * solution_norm * solution_norm;
  const double from_b = 2 * n * m * noise.sigma_eta * noise.sigma_eta;
  return (from_a + from_b) / std::pow((1 - d) * lambda_min, 2);
}

}  // namespace sotto
