#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/study.h"
#include "study/study_draft.h"

namespace sotto {

// Tables of made-up households (data/generator.h) and the study that fits them.
struct HouseholdStudy {
  std::string folder;
  std::size_t parties = 5;
  std::uint64_t rows = 1000;  // per party
  std::uint64_t seed = 1;
  double missing = 0.01;
  double epsilon = 1;
  double delta = 1e-6;
  Solver solver = Solver::kDishuf;
  std::size_t degree =
      0;  // 0: parties on a cycle; otherwise on a random graph in which all have it
  std::vector<PartyTerms> members = {};  // for a network: one [[party]] each; or none
};

struct HouseholdFiles {
  std::string study;                // study.toml
  std::vector<std::string> tables;  // party-1.csv, …
};

// The study's text: parties on a cycle (two of them: a path) or as `degree` says, all columns with
// bounds and levels from household_schema().
[[nodiscard]] std::string household_study_text(const HouseholdStudy& study);

// Writes them. E-generate-…, E-graph-… for a number of parties that no study
// has, E-file-write.
[[nodiscard]] Result<HouseholdFiles> write_household_study(const HouseholdStudy& study);

}  // namespace sotto
