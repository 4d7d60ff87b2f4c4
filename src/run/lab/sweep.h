#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run/simulate.h"
#include "study/settings.h"

// One study in many settings, each with several solvers: what figures are drawn from.
namespace sotto {

// Whether all points draw from the same seed, so that they differ by their settings and not by
// luck (common random numbers), or each from a seed of its own.
enum class PointDraws { kShared, kIndependent };
inline constexpr EnumNames<PointDraws, 2> kPointDraws{{"shared", "independent"}};

enum class TrajectoryDetail { kQuantiles, kTrials };
inline constexpr EnumNames<TrajectoryDetail, 2> kTrajectoryDetails{{"quantiles", "trials"}};

struct SweepEstimate {
  std::size_t points = 0;  // settings times solvers
  std::size_t known = 0;   // of them, found in the folder
  double seconds = 0;      // about, for the others
};

struct SweepOptions {
  std::vector<SettingValues> keys;
  std::vector<Solver> solvers;  // none: each study's own
  std::uint64_t seed = 1;
  std::size_t trials = 1;
  PointDraws draws = PointDraws::kShared;
  std::optional<Round> every = {};  // trajectories too, of every k-th round
  TrajectoryDetail detail = TrajectoryDetail::kQuantiles;
  std::string version;                // of the program: results of another are computed again
  std::filesystem::path folder = {};  // where points are kept and found again; none: nowhere
  std::function<void(const SweepEstimate&)> on_estimate = {};  // before the first draw
  Progress progress = {};
  std::size_t threads = 0;  // 0: one per core
};

// One setting with one solver, and everything needed to plot and to repeat it: version, settings,
// seed, the study's hash and plan, the graph's weights, every trial's squared error and their
// summary, the trajectory; or, where the solver cannot do it, the reason. Kept as JSON, so that
// what was found in the folder is what was computed.
struct SweepPoint {
  std::vector<Setting> settings;
  Solver solver = Solver::kDishuf;
  nlohmann::ordered_json result;
  std::optional<Error> refusal = {};
};

// Over studies that bring their own [problem]: no data is touched. A mistake in the settings ends
// the call; a point whose study or plan is refused is a point with an `error`.
[[nodiscard]] Result<std::vector<SweepPoint>> sweep(const StudySource& source,
                                                    const SweepOptions& options);

// All points under one head.
[[nodiscard]] nlohmann::ordered_json to_json(std::span<const SweepPoint> points,
                                             const SweepOptions& options);

// rounds[], squared_error{mean[], q25[], median[], q75[]}, consensus_error{…}; with all trials,
// also each one's, [round][trial].
[[nodiscard]] nlohmann::ordered_json to_json(const Trajectory& trajectory, TrajectoryDetail detail);

}  // namespace sotto
