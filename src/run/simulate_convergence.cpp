// How a simulated run's averages came together, computed again from its releases for a chart.

#include <algorithm>
#include <cmath>

#include "run/simulate.h"
#include "simulate/engine.h"

namespace sotto {
namespace {

// Beyond this many additions a chart is not worth the wait.
constexpr double kMaxWork = 2e9;

using PartyValues = std::vector<std::vector<double>>;  // [party][entry]

PartyValues after_rounds(const Weights& weights, const ConsensusPlan& plan,
                         const PartyValues& start) {
  TrialValues trial(1, start.size(), start[0].size());
  for (std::size_t i = 0; i < start.size(); ++i) {
    std::ranges::copy(start[i], trial.at(0, i).begin());
  }
  run_linear_consensus(weights, plan, trial);
  PartyValues after;
  for (std::size_t i = 0; i < start.size(); ++i) {
    after.emplace_back(trial.at(0, i).begin(), trial.at(0, i).end());
  }
  return after;
}

// max_i ‖y_i − mean‖
double disagreement(const PartyValues& values, const std::vector<double>& mean) {
  double largest = 0;
  for (const auto& party : values) {
    double square = 0;
    for (std::size_t k = 0; k < mean.size(); ++k) {
      square += (party[k] - mean[k]) * (party[k] - mean[k]);
    }
    largest = std::max(largest, square);
  }
  return std::sqrt(largest);
}

std::vector<double> mean_of(const PartyValues& values) {
  std::vector<double> mean(values[0].size(), 0.0);
  for (const auto& party : values) {
    for (std::size_t k = 0; k < mean.size(); ++k) {
      mean[k] += party[k] / static_cast<double>(values.size());
    }
  }
  return mean;
}

// What each party would take for the mean after `rounds` rounds of forwarding.
PartyValues heard_by(const Graph& graph, const PartyValues& start, Round rounds) {
  PartyValues heard;
  for (PartyId i = 0; i < graph.size(); ++i) {
    const auto hops = distances(graph, i);
    PartyValues arrived;
    for (PartyId j = 0; j < graph.size(); ++j) {
      if (hops[j] <= rounds) arrived.push_back(start[j]);
    }
    heard.push_back(mean_of(arrived));
  }
  return heard;
}

// 0, every round while there are few, then evenly spaced, the last one always.
std::vector<Round> sampled_rounds(Round rounds) {
  std::vector<Round> chosen;
  const auto points = std::min<std::size_t>(rounds, kConvergencePoints - 1);
  for (std::size_t k = 0; k <= points; ++k) {
    chosen.push_back(points == 0 ? 0 : static_cast<Round>(k * rounds / points));
  }
  return chosen;
}

}  // namespace

std::vector<RunRecord::RoundPoint> convergence(const Weights& weights, const ConsensusPlan& plan,
                                               std::span<const Released> releases) {
  PartyValues start;
  for (const Released& release : releases) start.push_back(release.values());
  const auto mean = mean_of(start);
  const double at_start = disagreement(start, mean);
  if (!std::isfinite(at_start) || at_start == 0) return {};
  const auto parties = static_cast<double>(start.size());
  const auto entries = static_cast<double>(mean.size());
  const bool exact = plan.method == ConsensusMethod::kExact;
  const auto rounds = sampled_rounds(plan.rounds);
  const double per_point = exact ? parties * parties : parties * plan.rounds;
  if (per_point * entries * static_cast<double>(rounds.size()) > kMaxWork) return {};

  std::vector<RunRecord::RoundPoint> points;
  for (const Round round : rounds) {
    double left = 1;
    if (exact) {
      left = disagreement(heard_by(weights.graph(), start, round), mean) / at_start;
    } else if (round > 0) {
      ConsensusPlan shorter = plan;
      shorter.rounds = round;
      left = disagreement(after_rounds(weights, shorter, start), mean) / at_start;
    }
    points.push_back({.round = round, .disagreement = left});
  }
  return points;
}

}  // namespace sotto
