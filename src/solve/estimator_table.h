#pragma once

#include <span>
#include <string_view>

#include "solve/estimators.h"

// The estimators, each in one line: its name, what computes it, and its words.
namespace sotto {

struct EstimatorEntry {
  Estimator estimator;
  std::string_view name;                               // as studies write it
  Result<Estimate> (*compute)(const NoisySums& sums);  // none: of refits alone, with more than sums
  std::string_view words;                              // a sentence, for reports
};

// In the order in which people are told of them.
[[nodiscard]] std::span<const EstimatorEntry> estimator_table();
[[nodiscard]] const EstimatorEntry& estimator_entry(Estimator estimator);

}  // namespace sotto
