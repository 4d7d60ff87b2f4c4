#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "run/run_record.h"
#include "solve/fit.h"

namespace sotto {

// The last steps of every run, the same for all parties that hold the same sums:
//
//     Average → Fit → Model.

// What the parties' state machines leave behind.
struct Outcome {
  std::vector<double> result;  // noisy sums, or gt's x
  std::string transcript_hash;
  std::vector<RunRecord::RoundPoint> convergence;
};

// The end of the house: the fit, and everything that may be kept of the run.
struct Model {
  RunRecord record;
  Fit fit;
};

// What a party that holds these noisy sums of θ takes for x: the study's estimator.
[[nodiscard]] Result<std::vector<double>> solve_sums(const PlannedStudy& planned,
                                                     std::span<const double> sums);

// `own` are the counts of the tables that this process has read: a party's own, or all of them in
// a simulation.
[[nodiscard]] Result<Model> conclude(const PlannedStudy& planned, const Outcome& outcome,
                                     std::vector<RunRecord::Own> own = {});

// The record of a run, or of nothing but its release, with this fit in it.
[[nodiscard]] Model model_of(RunRecord record, Fit fit);

// The model file: everything that may leave the party, and nothing else.
//
//     format, coefficients[{name, value, standard_error|null, unshrunk|null, interval|null}],
//     privacy{…, adversaries[]}, rows?, explained?, encoding, study_hash, transcript_hash,
//     simulated?, refit_of?, release{}?, digest
[[nodiscard]] nlohmann::ordered_json to_json(const Model& model);

// "12.345", and "12 … 34", or "–" where there is no interval.
[[nodiscard]] std::string short_number(double value);
[[nodiscard]] std::string interval_text(const RunRecord::Coefficient& coefficient);

// For a person: coefficients with their errors, what is promised, what to beware of.
[[nodiscard]] std::string to_text(const Model& model);

}  // namespace sotto
