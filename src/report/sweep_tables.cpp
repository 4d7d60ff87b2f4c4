// Sweeps as CSV and as a table for people. Cells come from the points' JSON, so that what was kept
// in a folder and what was just computed are written the same way.
#include "report/sweep_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "report/csv.h"

namespace sotto {
namespace sweep_tables {

// What a number or a text in JSON is in a table: empty where there is none.
std::string cell(const Json& json) {
  if (json.is_null()) return "";
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_float()) return fmt::format("{}", json.get<double>());
  return json.dump();
}

// Follows a path; an empty cell where it leads nowhere.
std::string cell_at(const Json& json, std::initializer_list<const char*> path) {
  const Json* at = &json;
  for (const char* name : path) {
    if (!at->is_object() || !at->contains(name)) return "";
    at = &(*at)[name];
  }
  return cell(*at);
}

// JSON has no infinity; a table has.
std::string limit_at(const Json& row, const char* name) {
  return row.contains(name) && row[name].is_null() ? "inf" : cell_at(row, {name});
}

std::string comments(std::span<const SweepPoint> points, const SweepOptions& options) {
  std::string study;
  for (const SweepPoint& point : points) {
    if (!point.refusal) study = cell_at(point.result, {"plan", "study"});
  }
  return fmt::format(
      "# sotto {}; study {}; seed {}; {} trials a point; draws {}\n"
      "# the same draws at every point unless independent: points differ by their settings only\n",
      options.version, study, options.seed, options.trials, kPointDraws[options.draws]);
}

std::vector<std::string> keys_of(std::span<const SweepPoint> points) {
  std::vector<std::string> keys;
  for (const Setting& setting : points.front().settings) keys.push_back(setting.key);
  return keys;
}

std::vector<std::string> values_of(const SweepPoint& point) {
  std::vector<std::string> values;
  for (const Setting& setting : point.settings) values.push_back(setting.value);
  return values;
}

// The observers' names in the order of the table, over all points.
std::vector<std::string> observers_of(std::span<const SweepPoint> points) {
  std::vector<std::string> names;
  for (const SweepPoint& point : points) {
    if (point.refusal) continue;
    for (const Json& row : point.result["plan"]["adversaries"]) {
      const auto name = row["name"].get<std::string>();
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

void append(std::vector<std::string>& row, const std::vector<std::string>& more) {
  row.insert(row.end(), more.begin(), more.end());
}

}  // namespace sweep_tables

std::string points_csv(std::span<const SweepPoint> points, const SweepOptions& options) {
  using sweep_tables::cell_at;
  std::vector<std::string> header = sweep_tables::keys_of(points);
  sweep_tables::append(
      header, {"solver",     "status",     "reason",       "parties",      "trials",
               "seed",       "mean",       "median",       "q25",          "q75",
               "epsilon",    "delta",      "sigma_gamma",  "sigma_eta",    "log10_sigma_eta",
               "sigma_edge", "truncation", "inverse_zeta", "sum_noise_sd", "rounds_method",
               "rounds",     "rate",       "topology",     "weight",       "study_hash",
               "version"});
  const std::vector<std::string> observers = sweep_tables::observers_of(points);
  for (const std::string& name : observers) {
    sweep_tables::append(header, {name + "_delta", name + "_epsilon", name + "_method"});
  }
  // Of [faults], where there is one.
  const std::vector<std::string> of_faults{"finished", "as_undisturbed",     "attempts", "frames",
                                           "resent",   "lost_frames",        "crashes",  "bytes",
                                           "seconds",  "undisturbed_seconds"};
  const bool faults = std::ranges::any_of(
      points, [](const SweepPoint& point) { return point.result.contains("faults"); });
  if (faults) {
    for (const std::string& name : of_faults) header.push_back("faults_" + name);
  }
  CsvWriter csv(header);
  for (const SweepPoint& point : points) {
    const Json& r = point.result;
    std::vector<std::string> row = sweep_tables::values_of(point);
    row.push_back(to_string(point.solver));
    row.push_back(point.refusal ? "refused" : "done");
    row.push_back(point.refusal ? fmt::format("{}: {}", point.refusal->name, point.refusal->what)
                                : "");
    sweep_tables::append(row, {cell_at(r, {"plan", "parties"}),
                               cell_at(r, {"trials"}),
                               cell_at(r, {"seed"}),
                               cell_at(r, {"summary", "mean"}),
                               cell_at(r, {"summary", "median"}),
                               cell_at(r, {"summary", "q25"}),
                               cell_at(r, {"summary", "q75"}),
                               cell_at(r, {"plan", "privacy", "epsilon"}),
                               cell_at(r, {"plan", "privacy", "delta"}),
                               cell_at(r, {"plan", "noise", "sigma_gamma"}),
                               cell_at(r, {"plan", "noise", "sigma_eta"}),
                               cell_at(r, {"plan", "noise", "log10_sigma_eta"}),
                               cell_at(r, {"plan", "noise", "sigma_edge"}),
                               cell_at(r, {"plan", "noise", "truncation"}),
                               cell_at(r, {"plan", "noise", "inverse_zeta"}),
                               cell_at(r, {"plan", "accuracy", "sum_noise_sd"}),
                               cell_at(r, {"plan", "consensus", "method"}),
                               cell_at(r, {"plan", "consensus", "rounds"}),
                               cell_at(r, {"plan", "consensus", "rate"}),
                               cell_at(r, {"graph", "topology"}),
                               cell_at(r, {"graph", "weight"}),
                               cell_at(r, {"plan", "study_hash"}),
                               cell_at(r, {"version"})});
    for (const std::string& name : observers) {
      const Json* found = nullptr;
      if (!point.refusal) {
        for (const Json& adversary : r["plan"]["adversaries"]) {
          if (adversary["name"] == name) found = &adversary;
        }
      }
      if (found == nullptr) {
        sweep_tables::append(row, {"", "", ""});
      } else {
        sweep_tables::append(
            row, {cell_at(*found, {"delta_at_epsilon"}),
                  sweep_tables::limit_at(*found, "epsilon_at_delta"), cell_at(*found, {"method"})});
      }
    }
    for (std::size_t k = 0; faults && k < of_faults.size(); ++k) {
      row.push_back(cell_at(r, {"faults", of_faults[k].c_str()}));
    }
    csv.row_of(row);
  }
  return sweep_tables::comments(points, options) + csv.text();
}

std::string errors_csv(std::span<const SweepPoint> points, const SweepOptions& options) {
  std::vector<std::string> header = sweep_tables::keys_of(points);
  sweep_tables::append(header, {"solver", "trial", "squared_error"});
  CsvWriter csv(header);
  for (const SweepPoint& point : points) {
    if (point.refusal) continue;
    const Json& errors = point.result["squared_errors"];
    for (std::size_t trial = 0; trial < errors.size(); ++trial) {
      std::vector<std::string> row = sweep_tables::values_of(point);
      sweep_tables::append(row, {to_string(point.solver), fmt::format("{}", trial),
                                 sweep_tables::cell(errors[trial])});
      csv.row_of(row);
    }
  }
  return sweep_tables::comments(points, options) + csv.text();
}

std::string trajectories_csv(std::span<const SweepPoint> points, const SweepOptions& options) {
  using sweep_tables::cell;
  const bool all = options.detail == TrajectoryDetail::kTrials;
  std::vector<std::string> header = sweep_tables::keys_of(points);
  sweep_tables::append(header, {"solver", "t"});
  if (all) {
    sweep_tables::append(header, {"trial", "squared_error", "consensus_error"});
  } else {
    sweep_tables::append(header, {"mean_square_error", "q25", "median", "q75", "consensus_error",
                                  "consensus_q25", "consensus_median", "consensus_q75"});
  }
  CsvWriter csv(header);
  for (const SweepPoint& point : points) {
    if (point.refusal) continue;
    const Json& trajectory = point.result["trajectory"];
    const Json& error = trajectory["squared_error"];
    const Json& apart = trajectory["consensus_error"];
    for (std::size_t k = 0; k < trajectory["rounds"].size(); ++k) {
      std::vector<std::string> row = sweep_tables::values_of(point);
      sweep_tables::append(row, {to_string(point.solver), cell(trajectory["rounds"][k])});
      if (!all) {
        for (const Json* of : {&error, &apart}) {
          for (const char* name : {"mean", "q25", "median", "q75"}) {
            row.push_back(cell((*of)[name][k]));
          }
        }
        csv.row_of(row);
        continue;
      }
      for (std::size_t trial = 0; trial < error["trials"][k].size(); ++trial) {
        std::vector<std::string> one = row;
        sweep_tables::append(one, {fmt::format("{}", trial), cell(error["trials"][k][trial]),
                                   cell(apart["trials"][k][trial])});
        csv.row_of(one);
      }
    }
  }
  return sweep_tables::comments(points, options) + csv.text();
}

std::string trajectory_csv(const Trajectory& trajectory, const std::string& study,
                           const std::string& version) {
  CsvWriter csv({"t", "squared_distance", "consensus_error"});
  for (std::size_t k = 0; k < trajectory.rounds.size(); ++k) {
    csv.row(trajectory.rounds[k], trajectory.squared_error[k][0], trajectory.consensus_error[k][0]);
  }
  return fmt::format(
             "# sotto {}; study {}; one release, noise from the operating system\n"
             "# squared_distance: (1/n)·Σ‖x_i − x‖², x the model of all releases' sum\n",
             version, study) +
         csv.text();
}

std::string to_text(std::span<const SweepPoint> points, const SweepOptions& options) {
  using sweep_tables::cell_at;
  std::string text;
  const std::vector<std::string> keys = sweep_tables::keys_of(points);
  for (const std::string& key : keys) text += fmt::format("  {:>18}", key);
  text += fmt::format("  {:<9} {:>12} {:>12} {:>12} {:>12}  {}\n", "solver", "median", "mean",
                      "q25", "q75", "eavesdropper: ε");
  for (const SweepPoint& point : points) {
    for (const std::string& value : sweep_tables::values_of(point)) {
      text += fmt::format("  {:>18}", value);
    }
    text += fmt::format("  {:<9}", to_string(point.solver));
    if (point.refusal) {
      text += fmt::format(" refused: {} ({})\n", point.refusal->what, point.refusal->fix);
      continue;
    }
    const Json& summary = point.result["summary"];
    for (const char* name : {"median", "mean", "q25", "q75"}) {
      text += fmt::format(" {:>12}", summary[name].is_null()
                                         ? "–"
                                         : fmt::format("{:.4g}", summary[name].get<double>()));
    }
    const Json& first = point.result["plan"]["adversaries"][0]["epsilon_at_delta"];
    text += fmt::format("  {}\n", first.is_null() ? std::string("no limit")
                                                  : fmt::format("{:.4g}", first.get<double>()));
  }
  return text + fmt::format("\n  squared error of {} trials a point, seed {}, draws {}\n",
                            options.trials, options.seed, kPointDraws[options.draws]);
}

}  // namespace sotto
