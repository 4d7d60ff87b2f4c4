// A trajectory as the engine shows its rounds: each batch writes its own trials' places.
#include "run/lab/trajectory.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/statistics.h"

namespace sotto {
namespace trajectory {

using Vectors = std::vector<std::vector<double>>;  // [party][entry]

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

std::vector<double> mean_of(const Vectors& all) {
  std::vector<double> mean(all[0].size(), 0.0);
  for (const auto& one : all) {
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += one[k];
  }
  for (double& value : mean) value /= static_cast<double>(all.size());
  return mean;
}

}  // namespace trajectory

Trajectory::Summary Trajectory::summary(std::vector<double> at_trials) {
  std::ranges::sort(at_trials);
  const double sum = std::accumulate(at_trials.begin(), at_trials.end(), 0.0);
  return {.mean = sum / static_cast<double>(at_trials.size()),
          .q25 = quantile(at_trials, 0.25),
          .median = quantile(at_trials, 0.5),
          .q75 = quantile(at_trials, 0.75)};
}

double mean_squared_distance(const RoundView& view, std::size_t parties, std::size_t trial,
                             std::span<const double> goal) {
  double sum = 0;
  for (PartyId i = 0; i < parties; ++i) {
    for (std::size_t k = 0; k < view.entries(); ++k) {
      const double difference = view.at(i, k, trial) - goal[k];
      sum += difference * difference;
    }
  }
  return sum / static_cast<double>(parties);
}

Result<TrajectoryRecorder> TrajectoryRecorder::make(const PlannedStudy& planned, Round rounds,
                                                    Round every, std::size_t trials,
                                                    std::optional<std::vector<double>> goal,
                                                    Solve solve) {
  check(every > 0, "every k-th round");
  const double points = static_cast<double>(rounds) / every + 2;
  if (2 * points * static_cast<double>(trials) > kMaxTrajectoryNumbers) {
    return bad_input("E-trajectory-size",
                     fmt::format("{} trials of {} rounds are too many numbers for a trajectory",
                                 trials, rounds),
                     "keep every k-th round only (--every), or draw fewer trials")
        .at("--trajectory");
  }
  auto state = std::make_shared<State>();
  Trajectory& trajectory = state->trajectory;
  for (Round round = 0; round < rounds; round += every) trajectory.rounds.push_back(round);
  trajectory.rounds.push_back(rounds);
  trajectory.trials = trials;
  trajectory.squared_error.assign(trajectory.rounds.size(), std::vector<double>(trials));
  trajectory.consensus_error = trajectory.squared_error;
  state->every = every;
  state->last = rounds;
  state->parties = planned.plan.parties;
  state->tracking = planned.plan.tracks_gradient();
  state->goal = std::move(goal);
  state->solve = std::move(solve);
  return TrajectoryRecorder(std::move(state));
}

RoundObserver TrajectoryRecorder::observer(std::size_t first_trial) {
  return [state = state_, first_trial](Round round, const RoundView& view) {
    if (round != state->last && round % state->every != 0) return;
    const std::size_t place =
        round == state->last ? state->trajectory.rounds.size() - 1 : round / state->every;
    record(*state, place, first_trial, view);
  };
}

void TrajectoryRecorder::record(State& state, std::size_t place, std::size_t first_trial,
                                const RoundView& view) {
  const auto parties = static_cast<double>(state.parties);
  for (std::size_t t = 0; t < view.trials(); ++t) {
    trajectory::Vectors held(state.parties, std::vector<double>(view.entries()));
    for (PartyId i = 0; i < state.parties; ++i) {
      for (std::size_t k = 0; k < view.entries(); ++k) {
        held[i][k] = view.at(i, k, t) * (state.tracking ? 1 : parties);
      }
    }
    const std::vector<double> mean = trajectory::mean_of(held);
    double apart = 0;
    for (const auto& one : held) apart += trajectory::squared_distance(one, mean);
    state.trajectory.consensus_error[place][first_trial + t] = apart / parties;

    double& error = state.trajectory.squared_error[place][first_trial + t];
    if (state.tracking) {
      error = mean_squared_distance(view, state.parties, t, *state.goal);
      continue;
    }
    const auto solved = [&](std::span<const double> sums) -> std::optional<std::vector<double>> {
      auto x = state.solve(sums);
      if (x) return std::move(*x);
      const std::scoped_lock lock(state.mutex);
      if (!state.error) state.error = x.error();
      return std::nullopt;
    };
    // The average of all does not change from round to round: it is where they lead.
    const auto goal = state.goal ? state.goal : solved(mean);
    double sum = 0;
    double distance = 0;
    for (std::size_t i = 0; goal && i < held.size(); ++i) {
      // Who holds the same bits as the one before has the same solution.
      if (i == 0 || held[i] != held[i - 1]) {
        const auto x = solved(held[i]);
        if (!x) break;
        distance = trajectory::squared_distance(*x, *goal);
      }
      sum += distance;
    }
    error = sum / parties;
  }
}

Result<Trajectory> TrajectoryRecorder::take() {
  const std::scoped_lock lock(state_->mutex);
  if (state_->error) return *state_->error;
  return std::move(state_->trajectory);
}

}  // namespace sotto
