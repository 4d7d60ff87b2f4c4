#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

// From samples of two worlds to an ε that nobody can deny: what an audit concludes.
namespace sotto::audit {

// Every statement here is told how often it may be wrong, and is wrong no more often than that. Who
// makes several divides what it allows itself among them.

// Clopper and Pearson: a probability that is exceeded, or not reached, by the one behind `hits` of
// `all` independent tries.
[[nodiscard]] double probability_at_least(std::uint64_t hits, std::uint64_t all, double error);
[[nodiscard]] double probability_at_most(std::uint64_t hits, std::uint64_t all, double error);

// How many standard deviations a normal number passes with this probability.
[[nodiscard]] double normal_deviations(double error);

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
// with S = {score > c}, or {score < c} and the worlds exchanged: two sets with two probabilities
// each. c is the best on the first half of the runs; the probabilities are bounded on the second,
// which c does not depend on. 0 if they prove nothing.
[[nodiscard]] double counted_epsilon(const Scores& scores, double delta, double error);

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

// The same runs as two models weigh them: of each run what adds less to δ(ε).
[[nodiscard]] Tilted lesser(const Tilted& one, const Tilted& other, double epsilon);

// What δ(ε) is at least, with `largest` the most that a single run can add: with V the sample
// variance,
//
//     mean − √(2V ln(2/error)/n) − 7·largest·ln(2/error)/(3(n−1)).      [MP09]
[[nodiscard]] double tilted_delta_at_least(const Tilted& runs, double epsilon, double largest,
                                           double error);

// From a test that says of any one ε whether it is exceeded: how far one comes from one of these
// shares of `claimed`, the first that is exceeded, upwards without a gap. 0 if none is. If the test
// is wrong about an ε with probability p, this is above the true ε with at most kProofTests·p: each
// start has one ε that decides, itself if it is above the true one, else its first step past that.
inline constexpr std::array kProofStarts{1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7,
                                         0.6, 0.5,  0.4, 0.3,  0.2, 0.1};
inline constexpr double kProofTests = kProofStarts.size();
[[nodiscard]] double proven_epsilon(double claimed, const std::function<bool(double)>& exceeds);

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
