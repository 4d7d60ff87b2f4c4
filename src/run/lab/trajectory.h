#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "plan/plan.h"
#include "simulate/engine.h"

// How far the parties are from the solution, and from each other, round after round.
namespace sotto {

struct Trajectory {
  std::vector<Round> rounds;  // 0, every k-th, and the last
  std::size_t trials = 0;
  // [round][trial]
  std::vector<std::vector<double>> squared_error;    // (1/n)·Σ_i ‖x_i − x‖²
  std::vector<std::vector<double>> consensus_error;  // (1/n)·Σ_i ‖v_i − v̄‖²

  // Of one round: of the numbers at all trials.
  struct Summary {
    double mean = 0;
    double q25 = 0;
    double median = 0;
    double q75 = 0;
  };
  [[nodiscard]] static Summary summary(std::vector<double> at_trials);
};

// (1/n)·Σ_i ‖x_i − goal‖² of one trial.
[[nodiscard]] double mean_squared_distance(const RoundView& view, std::size_t parties,
                                           std::size_t trial, std::span<const double> goal);

// Beyond this many numbers a trajectory is refused: E-trajectory-size.
inline constexpr double kMaxTrajectoryNumbers = 1e8;

// Writes down what observers of the engine's rounds see. For gt, x_i = v_i is what party i holds;
// for the others v_i is its estimate of the sum, n times its average, and x_i what it would solve
// it to.
class TrajectoryRecorder {
 public:
  // From a party's estimate of the sum to its x.
  using Solve = std::function<Result<std::vector<double>>(std::span<const double> sums)>;

  // `goal` is what the error is counted from: x*. Without one it is where the rounds lead, the x of
  // all releases' sum: over tables there is nothing else that may be known.
  [[nodiscard]] static Result<TrajectoryRecorder> make(const PlannedStudy& planned, Round rounds,
                                                       Round every, std::size_t trials,
                                                       std::optional<std::vector<double>> goal,
                                                       Solve solve);

  // For the batch that begins with this trial. May be used by several threads, one batch each.
  [[nodiscard]] RoundObserver observer(std::size_t first_trial);

  // All of it, or the first error of a solve.
  [[nodiscard]] Result<Trajectory> take();

 private:
  struct State {
    Trajectory trajectory;
    Round every = 1;
    Round last = 0;
    std::size_t parties = 0;
    bool tracking = false;
    std::optional<std::vector<double>> goal;
    Solve solve;
    std::mutex mutex;
    std::optional<Error> error;
  };
  explicit TrajectoryRecorder(std::shared_ptr<State> state) : state_(std::move(state)) {}
  static void record(State& state, std::size_t place, std::size_t first_trial,
                     const RoundView& view);

  std::shared_ptr<State> state_;  // observers share it
};

}  // namespace sotto
