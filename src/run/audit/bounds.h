#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

// From samples of two worlds to an ε that nobody can deny: what an audit concludes.
namespace sotto::audit {

// Each bound is wrong with at most this probability. An audit makes up to three tests at up to
// seven looks for an observer: all of them hold at once in 999 of 1000.
inline constexpr double kErrorRate = 4.5e-5;
inline constexpr double kErrorDeviations = 3.92;  // Φ(−3.92) < 4.5e-5

// Clopper and Pearson: a probability that is exceeded, or not reached, by the one behind `hits` of
// `all` independent tries, but for kErrorRate.
[[nodiscard]] double probability_at_least(std::uint64_t hits, std::uint64_t all);
[[nodiscard]] double probability_at_most(std::uint64_t hits, std::uint64_t all);

// Scores of runs in both worlds. Any score will do: the better it tells them apart, the more it
// proves.
struct Scores {
  std::vector<double> world_0;
  std::vector<double> world_1;
};

// The largest ε for which the runs show that (ε, δ) does not hold, by counting alone. A mechanism
// with (ε, δ) has P₁(S) ≤ e^ε P₀(S) + δ for every S, so
//
//     ε ≥ ln((P₁(S) − δ)/P₀(S)),
//
// with S = {score > c}, or {score < c} and the worlds exchanged. c is the best on the first half of
// the runs; the probabilities are bounded on the second, which c does not depend on. 0 if they
// prove nothing.
[[nodiscard]] double counted_epsilon(const Scores& scores, double delta);

// Of runs in a world where what exceeds ε is frequent: their likelihood ratios to world 1 (the
// weight) and of world 1 to world 0, as logarithms.
struct Tilted {
  std::vector<double> log_weight;
  std::vector<double> log_ratio;
};

struct Estimate {
  double value = 0;
  double error = 0;  // one standard deviation
};

// δ(ε) = E₁[(1 − e^{ε−L})₊], by importance sampling.
[[nodiscard]] Estimate tilted_delta(const Tilted& runs, double epsilon);

// The largest ε up to `most` at which `exceeds` holds, to a thousandth; 0 if there is none. Looks
// from above: far below, runs that were tilted for a larger ε say little.
[[nodiscard]] double last_epsilon(double most, const std::function<bool(double)>& exceeds);

// Points of the trade-off between both errors of the test on a score: how often world 0 is taken
// for world 1, and world 1 for world 0.
struct TradeOff {
  std::vector<double> false_alarm;
  std::vector<double> missed;
};
[[nodiscard]] TradeOff trade_off(const Scores& scores, std::size_t points);

// Fisher's discriminant, trained on the first half of the runs of each world: the direction in
// which what was seen differs most beside its scatter. No model of the noise. Returns the scores of
// all runs.
[[nodiscard]] Scores learned_scores(std::span<const std::vector<double>> world_0,
                                    std::span<const std::vector<double>> world_1);

}  // namespace sotto::audit
