#pragma once

#include <span>
#include <string>

#include "run/lab/sweep.h"

// A sweep as tables: CSV that begins with comments (#) saying version, seed, draws and study, so
// that a file can be repeated from what stands in it.
namespace sotto {

// One row per point: settings, solver, status and reason, summary, noise, rounds, every observer.
[[nodiscard]] std::string points_csv(std::span<const SweepPoint> points,
                                     const SweepOptions& options);

// One row per trial: settings, solver, trial, squared_error. The medians above are of these.
[[nodiscard]] std::string errors_csv(std::span<const SweepPoint> points,
                                     const SweepOptions& options);

// One row per round, or per round and trial.
[[nodiscard]] std::string trajectories_csv(std::span<const SweepPoint> points,
                                           const SweepOptions& options);

// Of one run over tables: errors are counted from where the rounds lead.
[[nodiscard]] std::string trajectory_csv(const Trajectory& trajectory, const std::string& study,
                                         const std::string& version);

// For people.
[[nodiscard]] std::string to_text(std::span<const SweepPoint> points, const SweepOptions& options);

}  // namespace sotto
