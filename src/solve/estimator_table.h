#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/named_settings.h"
#include "solve/estimators.h"

// The estimators: of each its name, what computes it, its words and its keys. Those that come along
// are the table's first entries, and whoever links sotto may add others
// (include/sotto/estimator.h). What an estimator sees is what a run has released: nothing that it
// does can cost privacy.
namespace sotto {

struct EstimatorEntry {
  Estimator estimator;
  std::string name;   // as studies write it
  std::string words;  // a sentence, for reports
  // None: of refits alone, with more than sums.
  std::function<Result<Estimate>(const NoisySums& sums, const NamedSettings& settings)> compute;
  std::vector<NamedKey> keys = {};  // of the section of its name
};

// In the order in which people are told of them. From the first call on none can be added.
[[nodiscard]] std::span<const EstimatorEntry> estimator_table();
[[nodiscard]] const EstimatorEntry& estimator_entry(Estimator estimator);

// Adds what make(its number) makes. E-estimator-name, E-estimator-late.
[[nodiscard]] Result<Estimator> add_estimator(const std::string& name,
                                              const std::function<EstimatorEntry(Estimator)>& make);
// Whether there is one of this name, while others may still be added.
[[nodiscard]] bool is_estimator(std::string_view name);

}  // namespace sotto
