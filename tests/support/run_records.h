#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "run/kept_json.h"
#include "run/run_record.h"

// Made-up records with numbers as real runs have them, for tests that look at
// whole pages. Only the seed decides.
namespace sotto::sample {

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

inline Edges cycle_edges(std::size_t n) {
  Edges edges;
  for (std::size_t i = 0; i < n; ++i) edges.emplace_back(i, (i + 1) % n);
  return edges;
}

// A cycle and a few chords: not a shape that has a name.
inline Edges chordal_edges(std::size_t n) {
  Edges edges = cycle_edges(n);
  for (std::size_t i = 0; i + n / 3 < n; i += 3) edges.emplace_back(i, i + n / 3);
  return edges;
}

inline RunRecord::Coefficient coefficient(std::string name, double unshrunk, double error,
                                          double kept) {
  RunRecord::Coefficient c;
  c.name = std::move(name);
  c.value = kept * unshrunk;
  c.standard_error = error;
  c.interval = {unshrunk - 1.96 * error, unshrunk + 1.96 * error};
  c.unshrunk = unshrunk;
  c.degrees_of_freedom = 48204;
  c.t = unshrunk / error;
  c.p = std::erfc(std::abs(*c.t) / std::sqrt(2.0));
  c.noise_share = 0.75;
  return c;
}

// What a model of these coefficients would state of itself.
inline void add_summary(RunRecord& r) {
  const auto d = static_cast<Eigen::Index>(r.coefficients.size());
  ModelSummary summary;
  if (r.errors_refused.empty()) {
    summary.residual_sd = 3.1416;
    summary.degrees_of_freedom = 48204.4;
    summary.r_squared = {.value = 0.61, .interval = {0.59, 0.63}};
    summary.adjusted_r_squared = {.value = 0.6, .interval = {0.58, 0.62}};
    summary.f = NestedTest{.f = 153.2, .left_out = 6, .residual = 48204.4, .p = 3e-190};
    summary.covariance = Eigen::MatrixXd::Zero(d, d);
    for (Eigen::Index k = 0; k < d; ++k) {
      summary.covariance(k, k) =
          std::pow(*r.coefficients[static_cast<std::size_t>(k)].standard_error, 2);
    }
  } else {
    summary.r_squared_refused = summary.f_refused = r.errors_refused;
  }
  if (d == 7) summary.bases = {{.column = "heating", .levels = {"oil"}}};
  r.summary = summary;
  r.summary->words = summary_words(r);
}

// ε = 1, δ = 10⁻⁶: κ̄ = 0.2429…; the shifts are those of a cycle of five.
inline RunRecord energy() {
  RunRecord r;
  r.study = "energy";
  r.study_hash = "9f2c1be07a5d44c8e1b03c7d2f6a90415bd8e3f7c6a1d2904e5f60718293a4b5";
  r.solver = Solver::kDishuf;
  r.estimator = Estimator::kNoiseAware;
  r.simulated = false;
  r.epsilon = 1;
  r.delta = 1e-6;
  r.unit = Unit::kRecord;
  r.neighbours = Neighbours::kAddRemove;
  r.sensitivity = 1.7320508075688772;
  r.kappa_bar = 0.24288;
  r.adversaries = {{Observer::kEavesdropper, 0.24264, 9.98e-7, 0.99895},
                   {Observer::kNeighbour, 0.3132, 2.17e-5, 1.3328},
                   {Observer::kAllNeighbours, 0.54253, 3.06e-3, 2.4701}};
  r.parties = {"north", "east", "south", "west", "harbour"};
  r.edges = cycle_edges(5);
  r.sum_noise_sd = 7.1385;
  r.central_ratio = 1.001;
  r.consensus = ConsensusMethod::kPlain;
  r.rounds = 58;
  r.rate = 0.7854;
  for (std::uint64_t t = 0; t <= r.rounds; ++t) {
    const double x = static_cast<double>(t);
    r.convergence.push_back({t, std::pow(r.rate, x) * (0.72 + 0.28 * std::exp(-x / 3))});
  }
  r.target = "load_kwh";
  r.coefficients = {coefficient("intercept", 18.214, 0.412, 0.992),
                    coefficient("temperature", -1.873, 0.0962, 0.983),
                    coefficient("floor_area", 0.9127, 0.171, 0.93),
                    coefficient("occupants", 2.456, 0.302, 0.951),
                    coefficient("heating=gas", -3.118, 0.523, 0.942),
                    coefficient("heating=district", -0.482, 0.611, 0.71),
                    coefficient("year_built", 0.2184, 0.1407, 0.64)};
  r.noisy_rows = 48211.4;
  Schema schema;
  schema.target = {"load_kwh", {0, 60}};
  schema.features = {NumericFeature{"temperature", {-20, 40}},
                     NumericFeature{"floor_area", {10, 300}}, NumericFeature{"occupants", {0, 12}},
                     CategoricalFeature{"heating", {"oil", "gas", "district"}},
                     NumericFeature{"year_built", {1900, 2030}}};
  r.encoding = schema_json(schema);
  r.explained = Explained{.share = 0.6, .low = 0.58, .high = 0.62};
  r.finished = "2026-01-31T09:00:00Z";
  r.version = "0.2.0";
  r.own = {
      {"south", 9731, 42, {{"temperature", 12, 3}, {"floor_area", 0, 118}, {"occupants", 0, 0}}}};
  r.transcript_hash = "41d0e9b76c2f8a35";
  add_summary(r);
  return r;
}

// So much noise that nothing can be said about the errors.
inline RunRecord refused_errors() {
  RunRecord r = energy();
  r.study = "energy at ε = 0.05";
  r.epsilon = 0.05;
  r.kappa_bar = 0.0146;
  r.adversaries = {{Observer::kEavesdropper, 0.0146, 9.9e-7, 0.0499},
                   {Observer::kColluders, 0.0187, 4.1e-6, 0.0672, 2},
                   {Observer::kAllNeighbours, 0.0326, 1.3e-4, 0.1301}};
  r.errors_refused =
      "the noise is not small beside the data: the smallest eigenvalue of the released sums is "
      "212, "
      "and 2σ√d is 641. Fewer columns, more rows or a larger ε would help.";
  for (RunRecord::Coefficient& c : r.coefficients) {
    c.standard_error.reset();
    c.interval.reset();
    c.unshrunk.reset();
    c.degrees_of_freedom.reset();
    c.t.reset();
    c.p.reset();
    c.noise_share.reset();
    c.value *= 0.31;
  }
  r.explained.reset();
  add_summary(r);
  r.consensus = ConsensusMethod::kExact;
  r.rounds = 2;
  r.rate = 0;
  r.convergence.clear();
  r.warnings = {"The model predicts no better than the mean of load_kwh would: do not use it.",
                "against all-neighbours the guarantee at ε = 0.05 is δ = 0.00013, not 1e-06"};
  return r;
}

// The paper's own unit, a simulation, no tables.
inline RunRecord entries_by_gt() {
  RunRecord r;
  r.study = "paper";
  r.study_hash = std::string(64, 'c');
  r.solver = Solver::kGt;
  r.estimator = Estimator::kExact;
  r.simulated = true;
  r.seed = 20240717;
  r.epsilon = 10;
  r.delta = 0.2;
  r.unit = Unit::kEntry;
  r.sensitivity = 3;
  r.kappa_bar = 4.2986;
  r.adversaries = {{Observer::kEavesdropper, 4.2986, 0.2, 10},
                   {Observer::kNeighbour, 4.2986, 0.2, 10},
                   {Observer::kAllNeighbours, std::numeric_limits<double>::infinity(), 1,
                    std::numeric_limits<double>::infinity()}};
  for (int i = 1; i <= 10; ++i) r.parties.push_back("party " + std::to_string(i));
  r.edges = cycle_edges(10);
  for (std::size_t i = 0; i < 5; ++i) r.edges.emplace_back(i, i + 5);
  r.sum_noise_sd = 2.21;
  r.central_ratio = 3.16;
  r.consensus = std::nullopt;
  r.rounds = 2000;
  r.rate = 0.9917;
  for (std::uint64_t t = 0; t <= r.rounds; t += 10) {
    r.convergence.push_back({t, std::pow(r.rate, static_cast<double>(t)) + 1e-7});
  }
  r.coefficients = {
      {"x1", 0.5123, {}, {}, {}}, {"x2", -0.6021, {}, {}, {}}, {"x3", 0.617, {}, {}, {}}};
  r.errors_refused = "standard errors need tables, and this study brings sums.";
  return r;
}

inline RunRecord one_coefficient() {
  RunRecord r = energy();
  r.study = "one number";
  r.solver = Solver::kPairwise;
  r.coefficients = {coefficient("intercept", 12.07, 0.31, 1)};
  r.parties = {"left", "right"};
  r.edges = {{0, 1}};
  r.own.clear();
  add_summary(r);
  return r;
}

// 40 coefficients over five orders of magnitude, and names that do not fit.
inline RunRecord forty_coefficients() {
  RunRecord r = energy();
  r.study = "a study with a name that is much longer than anybody would like it to be";
  r.neighbours = Neighbours::kReplace;
  std::mt19937_64 random(20240717);
  std::normal_distribution<double> normal;
  r.coefficients.clear();
  for (int i = 0; i < 40; ++i) {
    const double scale = i == 0 ? 41250 : i % 9 == 4 ? 0.02 : 12;
    std::string name = i == 0 ? "intercept" : "column_" + std::to_string(i);
    if (i % 7 == 3) name = "average_monthly_household_income_before_taxes_" + std::to_string(i);
    if (i % 11 == 5) name = "region=Süd-Südost & <Übersee> №" + std::to_string(i);
    r.coefficients.push_back(coefficient(name, scale * (i == 0 ? 1 : normal(random)),
                                         scale * (i == 0 ? 0.04 : 0.4), 0.85));
  }
  r.parties.clear();
  for (int i = 1; i <= 60; ++i) r.parties.push_back("hospital of town " + std::to_string(i));
  r.edges = cycle_edges(60);
  r.own = {{"hospital of town 7", 812, 0, {}}};
  add_summary(r);
  return r;
}

inline RunRecord many_parties() {
  RunRecord r = energy();
  r.study = "250 parties";
  r.simulated = true;
  r.seed = 7;
  r.parties.clear();
  r.own.clear();
  for (int i = 1; i <= 250; ++i) {
    r.parties.push_back("party " + std::to_string(i));
    const auto rows = static_cast<std::uint64_t>(100 + 7 * i % 83);
    r.own.push_back({r.parties.back(), rows, rows % 5, {{"temperature", rows % 11, rows % 3}}});
  }
  r.edges = chordal_edges(250);
  return r;
}

inline std::vector<RunRecord> all_records() {
  return {energy(),          refused_errors(),     entries_by_gt(),
          one_coefficient(), forty_coefficients(), many_parties()};
}

}  // namespace sotto::sample
