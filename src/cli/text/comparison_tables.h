#pragma once

#include <string>

#include "plan/comparison.h"
#include "report/chart.h"

// A comparison of plans as a picture and as a table for other programs.
namespace sotto {

// Over ε, one line for each solver; over graphs the noise against the number of parties, one line
// for each solver and topology.
[[nodiscard]] LineChart comparison_chart(const PlanComparison& comparison);

// One row per plan: topology, parties, solver, ε, noise, rounds, bytes, ε against each observer,
// and why there is none.
[[nodiscard]] std::string comparison_csv(const PlanComparison& comparison);

}  // namespace sotto
