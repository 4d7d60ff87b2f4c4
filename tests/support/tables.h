#pragma once

#include <Eigen/Dense>
#include <span>
#include <string>
#include <vector>

#include "run/simulate.h"
#include "solve/fit.h"
#include "study/study.h"
#include "support/memory_source.h"

namespace sotto {

// A table in memory and the exact sums of its rows: what measurements compare with.
struct MeasuredTable {
  std::string name;
  Schema schema;
  std::vector<std::vector<double>> rows;  // features, then the target
};

// Bounds of every number from the rows themselves: stands in for public bounds
// where a benchmark has none. A study must never do this.
inline void take_bounds_from_rows(MeasuredTable& table) {
  for (std::size_t c = 0; c < table.rows[0].size(); ++c) {
    Bounds bounds{table.rows[0][c], table.rows[0][c]};
    for (const auto& row : table.rows) {
      bounds.lo = std::min(bounds.lo, row[c]);
      bounds.hi = std::max(bounds.hi, row[c]);
    }
    if (bounds.lo == bounds.hi) bounds.hi = bounds.lo + 1;
    if (c == table.schema.features.size()) {
      table.schema.target.bounds = bounds;
    } else {
      std::get<NumericFeature>(table.schema.features[c]).bounds = bounds;
    }
  }
}

// A study over tables of this schema: parties on a cycle, w = 0.3.
inline Study study_for(const Schema& schema, std::size_t parties, double epsilon, double delta,
                       const std::string& solver = "dishuf") {
  const std::string text = "[study]\nname = \"measured\"\nsolver = \"" + solver +
                           "\"\n[privacy]\nepsilon = " + std::to_string(epsilon) +
                           "\ndelta = 0.5\nunit = \"record\"\nneighbours = \"add-remove\"\n"
                           "[graph]\ntopology = \"cycle\"\nparties = " +
                           std::to_string(parties) +
                           "\nweight = 0.3\n[data]\ntarget = { column = \"y\", bounds = [0, 1] }\n"
                           "[[data.feature]]\ncolumn = \"x\"\nbounds = [0, 1]\n";
  Study study = parse_study(text, "study").value();
  study.privacy.budget.delta = Delta::make(delta).value();
  study.data = schema;
  study.privacy.sensitivity = row_sensitivity(schema, study.privacy.neighbours, study.solve);
  return study;
}

// Row i goes to party i mod n.
inline std::vector<PartyTable> deal_out(const Study& study,
                                        std::span<const std::vector<double>> rows) {
  const std::size_t parties = study.graph().size();
  std::vector<std::vector<std::vector<double>>> dealt(parties);
  for (std::size_t i = 0; i < rows.size(); ++i) dealt[i % parties].push_back(rows[i]);
  std::vector<TableMoments> moments;
  for (const auto& share : dealt) moments.push_back(moments_from_rows(share, *study.data).value());
  return tables_of(study, std::move(moments));
}

// The sums without noise, as doubles.
inline std::vector<double> true_sums(std::span<const PartyTable> tables) {
  Moments total(tables[0].moments.dimension);
  for (const PartyTable& table : tables) total += table.moments;
  std::vector<double> sums;
  for (const Integer& sum : total.sums) sums.push_back(moments_grid().value(sum));
  return sums;
}

// The noisy sums that every party ends with.
inline Result<std::vector<double>> release_sums(const Study& study, const Plan& plan,
                                                std::span<const PartyTable> tables,
                                                TableOptions options) {
  const PlannedStudy planned{study, plan};
  std::vector<Input> inputs;
  for (const PartyTable& table : tables) inputs.push_back(input_of(planned, table));
  options.watched = false;
  SOTTO_ASSIGN(auto outcome, run_tables(planned, inputs, options));
  return std::move(outcome.result);
}

// The study's own model, and its sums.
inline TableSums table_sums(const FitTerms& terms, std::span<const double> sums) {
  const Release release = release_of(terms, sums);
  return table_sums(release, own_selection(release));
}
inline Result<Fit> fit_sums(const FitTerms& terms, std::span<const double> sums) {
  const Release release = release_of(terms, sums);
  return fit_release(release, own_selection(release), {.estimator = terms.estimator});
}

// Σ(y − θᵀx)² from the true sums.
inline double squared_error(const TableSums& truth, const Eigen::VectorXd& theta) {
  return truth.sum_of_squares - 2 * theta.dot(truth.sums.b) + theta.dot(truth.sums.a * theta);
}

// Σ(y − ȳ)².
inline double error_of_the_mean(const TableSums& truth) {
  return truth.sum_of_squares - truth.sums.b(0) * truth.sums.b(0) / truth.sums.a(0, 0);
}

}  // namespace sotto
