#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "plan/comparison.h"

// What comparisons over ε and over graphs share.
namespace sotto::comparing {

[[nodiscard]] ComparedPlan planned(const Study& study, Epsilon epsilon, Solver solver,
                                   std::uint64_t rows);

// In the order in which they first appear.
[[nodiscard]] std::vector<std::string> observers(const PlanComparison& comparison);
// "1.03", "none" where no ε holds, "–" where nobody watches like that.
[[nodiscard]] std::string epsilon_against(const Plan& plan, const std::string& observer);

[[nodiscard]] Json plan_row_json(const ComparedPlan& each, double delta);

[[nodiscard]] std::string graphs_text(const PlanComparison& comparison);
[[nodiscard]] Json graphs_json(const PlanComparison& comparison);

}  // namespace sotto::comparing
