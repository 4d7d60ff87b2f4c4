#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "run/run_record.h"
#include "solve/inferred_fit.h"

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

// Whether exact_answer() is what finds x.
[[nodiscard]] bool solves_exactly(const PlannedStudy& planned);
// What a party that holds these noisy sums of θ takes for x: the study's estimator.
[[nodiscard]] Result<std::vector<double>> solve_sums(const PlannedStudy& planned,
                                                     std::span<const double> sums);

// `own` are the counts of the tables that this process has read: a party's own, or all of them in
// a simulation.
[[nodiscard]] Result<Model> conclude(const PlannedStudy& planned, const Outcome& outcome,
                                     std::vector<RunRecord::Own> own = {});

// The record of a run, or of nothing but its release, with this fit in it; of a table with its
// summary.
[[nodiscard]] Model model_of(RunRecord record, Fit fit);
[[nodiscard]] Model model_of(RunRecord record, InferredFit fit);

// The model file: everything that may leave the party, and nothing else.
//
//     format, coefficients[{name, value, standard_error|null, unshrunk|null, interval|null,
//     degrees_of_freedom|null, t|null, p|null, noise_share|null}], privacy{…, adversaries[]},
//     rows?, explained?, summary{}?, encoding, study_hash, transcript_hash, simulated?, refit_of?,
//     release{}?, digest
[[nodiscard]] nlohmann::ordered_json to_json(const Model& model);

// `value` with the digits that its error leaves a meaning: two of the error's. Five digits without
// one (0).
[[nodiscard]] std::string rounded_to(double value, double error);

// "none: …", but a reason that already stands above is not said again.
[[nodiscard]] std::string why_none(const RunRecord& record, const std::string& why);

// A share's upper end, as it is shown: the noise can put it above what can be.
[[nodiscard]] double at_most_one(double share);

// How far off a summary's residual standard deviation is, about: s/√(2ν).
[[nodiscard]] double residual_sd_error(const ModelSummary& summary);

// "0.031", "= 0.031" with something before it, "< 0.0001".
[[nodiscard]] std::string p_text(double p, std::string_view equals = "");

// "194", " on 194 degrees of freedom"; ∞ where nothing depends on their number.
[[nodiscard]] std::string count_of_freedom(double degrees);
[[nodiscard]] std::string freedom_text(double degrees);

// "heating=gas" for each column of levels; "kwh 0 … 1000" for the target and each number.
[[nodiscard]] std::vector<std::string> base_texts(const RunRecord& record);
[[nodiscard]] std::vector<std::string> bounds_texts(const RunRecord& record);

// "none, all rows count alike"
[[nodiscard]] std::string weighting_text(const Release& release);

// "12 … 34", or "–" where there is no interval.
[[nodiscard]] std::string interval_text(const RunRecord::Coefficient& coefficient);

// For a person: coefficients with their errors, what is promised, what to beware of.
[[nodiscard]] std::string to_text(const Model& model);

}  // namespace sotto
