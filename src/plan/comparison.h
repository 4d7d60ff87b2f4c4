#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/plan.h"

// What several ε and solvers buy, side by side: how large the error and the intervals will be
// beside what each observer may learn. Touches no data.
namespace sotto {

struct ComparedPlan {
  double epsilon = 0;
  Solver solver = Solver::kDishuf;
  std::optional<Study> study;    // with this ε
  std::optional<Plan> plan;      // none: refused
  std::optional<Error> refusal;  // why there is no plan
  std::optional<double> error;   // over tables: expected_error() at the comparison's rows
  std::vector<ExpectedInterval> intervals;
  std::string no_intervals;  // why there are none

  // Over the coefficients but the intercept; none without intervals.
  [[nodiscard]] std::optional<double> median_share() const;
  [[nodiscard]] std::optional<double> largest_share() const;
};

struct PlanComparison {
  std::string study;
  std::string target;  // empty: not over tables
  double delta = 0;
  std::uint64_t rows = 0;  // in all tables together
  std::vector<ComparedPlan> plans;
};

inline constexpr std::uint64_t kComparedRows = 10'000;  // where nobody says how many there are
inline constexpr std::size_t kMostCompared = 200;

// One plan for every ε with every solver, in this order. A solver that cannot do it has its refusal
// in its place. E-epsilon for a number that is none, E-compare-many.
[[nodiscard]] Result<PlanComparison> compare_plans(const Study& study,
                                                   std::span<const double> epsilons,
                                                   std::span<const Solver> solvers,
                                                   std::uint64_t rows);

[[nodiscard]] std::string to_text(const PlanComparison& comparison);
// {study, delta, assumed_rows, rows[]}: each a plan's JSON with `expected{error, intervals[]}`, or
// {solver, privacy{epsilon, delta}, refusal{}}.
[[nodiscard]] nlohmann::ordered_json to_json(const PlanComparison& comparison);

}  // namespace sotto
