// A grid of settings: planned side by side, drawn one after the other with all cores each, kept
// point by point so that a sweep that was ended goes on where it was.
#include "run/lab/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/digest.h"
#include "base/files.h"
#include "base/json.h"
#include "base/parallel.h"
#include "run/kept_json.h"
#include "simulate/row_memory.h"

namespace sotto {
namespace sweeping {

// What is known of a point before it is drawn.
struct Point {
  SweepPoint shown;
  std::string text;  // what its identity is made of
  std::uint64_t seed = 0;
  std::optional<PlannedStudy> planned;
  std::optional<Problem> problem;
  double work = 0;  // seconds of one core, about
};

// Rough costs, in nanoseconds of one core: they are for an estimate that people wait by.
constexpr double kDraw = 6;            // of one number
constexpr double kEntryOfRound = 0.5;  // one party's, one neighbour's share
constexpr double kSolve = 4000;

double work_of(const PlannedStudy& planned, std::size_t trials, bool watched) {
  const Plan& plan = planned.plan;
  const auto n = static_cast<double>(plan.parties);
  const auto m = static_cast<double>(plan.dimension);
  const auto entries = static_cast<double>(plan.entries);
  const auto degree = static_cast<double>(planned.study.graph().max_degree());
  const double rounds = plan.rounds.rounds.value_or(1000);
  double each = n * entries * (1 + degree) * kDraw;
  if (plan.tracks_gradient()) {
    each += rounds * n * (m * m + 2 * m * degree) * kEntryOfRound;
  } else if (plan.consensus.method != ConsensusMethod::kExact) {
    each += rounds * n * entries * (1 + degree) * kEntryOfRound + n * kSolve;
  }
  each += watched && !plan.tracks_gradient() ? rounds * n * kSolve : kSolve;
  return each * static_cast<double>(trials) * 1e-9;
}

// Slips of the hand, which no other setting mends.
bool is_slip(const Error& error) {
  return error.name == "E-setting" || error.name == "E-study-key" ||
         error.name == "E-study-syntax" || error.name == "E-study-missing";
}

std::uint64_t seed_of(const SweepOptions& options, const std::string& identity) {
  if (options.draws == PointDraws::kShared) return options.seed;
  const std::string digest = sha256(fmt::format("{} {}", options.seed, identity));
  std::uint64_t seed = 0;
  for (std::size_t k = 0; k < sizeof(seed); ++k) {
    seed = seed << 8 | static_cast<unsigned char>(digest[k]);
  }
  return seed;
}

Json error_of(const Error& error) {
  return {{"name", error.name}, {"what", error.what}, {"where", error.where}, {"fix", error.fix}};
}

Json settings_json(std::span<const Setting> settings) {
  Json json = Json::object();
  for (const Setting& setting : settings) json[setting.key] = setting.value;
  return json;
}

std::filesystem::path file_of(const SweepOptions& options, const Point& point) {
  return options.folder / "points" / (to_hex(sha256(point.text)).substr(0, 32) + ".json");
}

// What a point's result says before anything is drawn: it follows from the setting alone.
Json settled(const Point& point, const SweepOptions& options) {
  const Study& study = point.planned->study;
  return {{"identity", point.text},
          {"version", options.version},
          {"settings", settings_json(point.shown.settings)},
          {"solver", to_string(point.shown.solver)},
          {"seed", point.seed},
          {"trials", options.trials},
          {"plan", to_json(study, point.planned->plan)},
          {"graph", graph_json(study)},
          {"x_star", point.problem->solution}};
}

// So many numbers; null is one that is beyond all doubles.
bool are_numbers(const Json& json, std::size_t count) {
  return json.is_array() && json.size() == count && std::ranges::all_of(json, [](const Json& one) {
           return one.is_number() || one.is_null();
         });
}

bool are_summaries(const Json& json, std::size_t rounds, const SweepOptions& options) {
  const auto holds = [&](const char* name) {
    return are_numbers(json.value(name, Json()), rounds);
  };
  if (!json.is_object() || !holds("mean") || !holds("q25") || !holds("median") || !holds("q75")) {
    return false;
  }
  if (options.detail != TrajectoryDetail::kTrials) return true;
  const Json trials = json.value("trials", Json());
  return trials.is_array() && trials.size() == rounds &&
         std::ranges::all_of(trials,
                             [&](const Json& round) { return are_numbers(round, options.trials); });
}

// Whether what stands beside settled() is of the form that draw() gives it.
bool is_drawn(const Json& json, const Point& point, const SweepOptions& options) {
  const Json summary = json.value("summary", Json());
  const bool summarised =
      summary.is_object() &&
      std::ranges::all_of(std::array{"mean", "median", "q25", "q75"}, [&](const char* name) {
        return summary.contains(name) && (summary[name].is_number() || summary[name].is_null());
      });
  if (!summarised || !are_numbers(json.value("squared_errors", Json()), options.trials) ||
      json.value("faults", Json()).is_object() != point.planned->study.faults.has_value()) {
    return false;
  }
  if (!options.every) return true;
  const Json trajectory = json.value("trajectory", Json());
  if (!trajectory.is_object()) return false;
  const Json rounds = trajectory.value("rounds", Json());
  return rounds.is_array() && std::ranges::all_of(rounds, is_count) &&
         are_summaries(trajectory.value("squared_error", Json()), rounds.size(), options) &&
         are_summaries(trajectory.value("consensus_error", Json()), rounds.size(), options);
}

// What the folder has of a point; nothing if that is of another version, is not as it was written,
// or is nothing that could have been computed, whatever its digest says.
std::optional<Json> kept(const SweepOptions& options, const Point& point) {
  if (options.folder.empty()) return std::nullopt;
  std::ifstream file(file_of(options, point), std::ios::binary);
  if (!file) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Json json = parse_json(text);
  if (!json.is_object() || !check_digest(json, {})) return std::nullopt;
  json.erase("digest");
  if (json.value("identity", Json()) != point.text) return std::nullopt;
  const Json known = settled(point, options);
  for (const auto& [name, value] : known.items()) {
    if (json_line(json.value(name, Json())) != json_line(value)) return std::nullopt;
  }
  return is_drawn(json, point, options) ? std::optional(std::move(json)) : std::nullopt;
}

// One setting's points: the study, its problem and each solver's plan.
Result<std::vector<Point>> plan_setting(const StudySource& source,
                                        const std::vector<Setting>& setting,
                                        const SweepOptions& options) {
  const auto refusal = [&](Solver solver, const Error& error) {
    Point point;
    point.shown = {.settings = setting, .solver = solver, .result = Json::object()};
    point.shown.result = {{"settings", settings_json(setting)},
                          {"solver", to_string(solver)},
                          {"error", error_of(error)}};
    point.shown.refusal = error;
    return point;
  };
  std::vector<Point> points;
  auto study = study_with(source, setting);
  if (!study && (is_slip(study.error()) || setting.empty())) return study.error();
  if (!study) {
    for (const Solver solver : options.solvers) points.push_back(refusal(solver, study.error()));
    if (options.solvers.empty()) points.push_back(refusal(Solver::kDishuf, study.error()));
    return points;
  }
  if (study->data) {
    return bad_input("E-data-missing",
                     "a study over tables is not swept: every point would release",
                     "use a study with [problem]; 'sotto plan' takes any setting of a study")
        .at(source.name);
  }
  std::vector<Solver> solvers = options.solvers;
  if (solvers.empty()) solvers.push_back(study->solver);
  const auto fits = require_memory(*study, solvers, static_cast<double>(available_memory()));
  if (!fits) {
    if (setting.empty()) return fits.error();
    for (const Solver solver : solvers) points.push_back(refusal(solver, fits.error()));
    return points;
  }
  SOTTO_ASSIGN(const auto problem, load_problem(*study));
  study->problem->dimension = problem.dimension();
  for (const Solver solver : solvers) {
    auto planned = plan_study(*study, solver);
    if (!planned) {
      points.push_back(refusal(solver, planned.error()));
      continue;
    }
    warn_about_files(*planned, problem);
    Point point;
    point.shown = {.settings = setting, .solver = solver, .result = {}};
    const std::string drawn =
        fmt::format("{} {} {}", study->hash, to_string(solver), json_line(settings_json(setting)));
    point.seed = seed_of(options, drawn);
    point.text = fmt::format(
        "sotto {}, {}, seed {}, {} trials, {}", options.version, drawn, point.seed, options.trials,
        options.every ? fmt::format("{} of every {}. round", kTrajectoryDetails[options.detail],
                                    *options.every)
                      : "no rounds");
    point.work = work_of(*planned, options.trials, options.every.has_value());
    point.planned = std::move(*planned);
    point.problem = problem;
    points.push_back(std::move(point));
  }
  return points;
}

Result<Json> draw(const Point& point, const SweepOptions& options, const Progress& progress) {
  SOTTO_ASSIGN(const auto results, run_trials(*point.planned, *point.problem,
                                              {.seed = point.seed,
                                               .trials = options.trials,
                                               .progress = progress,
                                               .threads = options.threads,
                                               .every = options.every}));
  const SolverSummary summary = summarise(results.runs);
  const Study& study = point.planned->study;
  Json json = settled(point, options);
  json["summary"] = {{"mean", number_or_null(summary.mean)},
                     {"median", number_or_null(summary.median)},
                     {"q25", number_or_null(summary.q25)},
                     {"q75", number_or_null(summary.q75)}};
  json["squared_errors"] =
      json_list(results.runs.squared_errors, [](double error) { return number_or_null(error); });
  if (study.faults) {
    json["faults"] = to_json(*study.faults, simulate_faults(*point.planned, point.problem->costs));
  }
  if (results.trajectory) json["trajectory"] = to_json(*results.trajectory, options.detail);
  return json;
}

// Reports a point's trials as its share of all the work.
Progress share_of(const Progress& progress, double before, double own, double all) {
  if (!progress) return {};
  return [&progress, before, own, all](std::size_t done, std::size_t trials) {
    constexpr double kParts = 1000;
    const double share = (before + own * static_cast<double>(done) / static_cast<double>(trials)) /
                         std::max(all, 1e-9);
    progress(static_cast<std::size_t>(share * kParts), static_cast<std::size_t>(kParts));
  };
}

}  // namespace sweeping

Result<std::vector<SweepPoint>> sweep(const StudySource& source, const SweepOptions& options) {
  if (options.trials == 0 || options.trials > kMaxTrials) {
    return bad_input("E-trials", fmt::format("{} trials are out of range", options.trials),
                     fmt::format("choose from 1 to {}", kMaxTrials));
  }
  SOTTO_ASSIGN(const auto grid, grid_of(options.keys));
  std::vector<Result<std::vector<sweeping::Point>>> planned(grid.size());
  parallel_for(grid.size(), options.threads, [&](std::size_t k) {
    planned[k] = sweeping::plan_setting(source, grid[k], options);
  });
  std::vector<sweeping::Point> points;
  for (auto& setting : planned) {
    if (!setting) return setting.error();
    std::ranges::move(*setting, std::back_inserter(points));
  }
  SweepEstimate estimate{.points = points.size()};
  double work = 0;
  for (sweeping::Point& point : points) {
    if (!point.planned) continue;
    if (auto found = sweeping::kept(options, point)) {
      point.shown.result = std::move(*found);
      point.planned.reset();
      ++estimate.known;
    } else {
      work += point.work;
    }
  }
  const double cores = static_cast<double>(options.threads == 0 ? core_count() : options.threads);
  estimate.seconds = work / cores;
  if (options.on_estimate) options.on_estimate(estimate);
  double done = 0;
  std::vector<SweepPoint> shown;
  for (sweeping::Point& point : points) {
    if (point.planned) {
      SOTTO_ASSIGN(point.shown.result,
                   sweeping::draw(point, options,
                                  sweeping::share_of(options.progress, done, point.work, work)));
      if (!options.folder.empty()) {
        SOTTO_TRY(write_file(sweeping::file_of(options, point),
                             json_line(with_digest(point.shown.result))));
      }
      done += point.work;
    }
    shown.push_back(std::move(point.shown));
  }
  // If nothing could be done, the reason is the answer.
  if (std::ranges::all_of(shown, [](const SweepPoint& point) { return bool(point.refusal); })) {
    return *shown.front().refusal;
  }
  return shown;
}

Json to_json(std::span<const SweepPoint> points, const SweepOptions& options) {
  return {{"version", options.version},
          {"seed", options.seed},
          {"trials", options.trials},
          {"draws", kPointDraws[options.draws]},
          {"points", json_list(points, [](const SweepPoint& point) { return point.result; })}};
}

Json to_json(const Trajectory& trajectory, TrajectoryDetail detail) {
  const auto summaries = [&](const std::vector<std::vector<double>>& rounds) {
    Json json{{"mean", Json::array()},
              {"q25", Json::array()},
              {"median", Json::array()},
              {"q75", Json::array()}};
    for (const std::vector<double>& trials : rounds) {
      const Trajectory::Summary summary = Trajectory::summary(trials);
      json["mean"].push_back(number_or_null(summary.mean));
      json["q25"].push_back(number_or_null(summary.q25));
      json["median"].push_back(number_or_null(summary.median));
      json["q75"].push_back(number_or_null(summary.q75));
    }
    if (detail == TrajectoryDetail::kTrials) {
      json["trials"] = json_list(rounds, [](const std::vector<double>& trials) {
        return json_list(trials, [](double value) { return number_or_null(value); });
      });
    }
    return json;
  };
  return {{"rounds", trajectory.rounds},
          {"squared_error", summaries(trajectory.squared_error)},
          {"consensus_error", summaries(trajectory.consensus_error)}};
}

}  // namespace sotto
