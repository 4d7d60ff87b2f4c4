#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "study/settings.h"

// Plans side by side: what several ε and solvers buy, how large the error and the intervals will be
// beside what each observer may learn; and what a study would be on other graphs with more parties.
// Touches no data.
namespace sotto {

struct ComparedPlan {
  double epsilon = 0;
  Solver solver = Solver::kDishuf;
  Topology topology = Topology::kEdges;
  std::size_t parties = 0;
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

// How a number of a plan grows with the number of parties n: like n^exponent, by least squares on
// logarithms, with the standard error of the slope.
struct GrowthLaw {
  Topology topology = Topology::kEdges;
  Solver solver = Solver::kDishuf;
  std::string of;          // "noise", "rounds", "bytes"
  std::size_t points = 0;  // it was fitted through, two or more of different n
  double exponent = 0;
  std::optional<double> error;  // none with two points
};

struct PlanComparison {
  std::string study;
  std::string target;  // empty: not over tables
  double delta = 0;
  std::uint64_t rows = 0;  // in all tables together
  std::vector<ComparedPlan> plans;
  bool over_graphs = false;  // and not over ε
  std::vector<GrowthLaw> laws;
};

inline constexpr std::uint64_t kComparedRows = 10'000;  // where nobody says how many there are
inline constexpr std::size_t kMostCompared = 200;

// One plan for every ε with every solver, in this order. A solver that cannot do it has its refusal
// in its place. E-epsilon for a number that is none, E-compare-many.
[[nodiscard]] Result<PlanComparison> compare_plans(const Study& study,
                                                   std::span<const double> epsilons,
                                                   std::span<const Solver> solvers,
                                                   std::uint64_t rows);

// One plan for every topology with every solver and number of parties, in this order: whatever a
// graph or a solver cannot do has its refusal in its place. E-compare-many.
[[nodiscard]] Result<PlanComparison> compare_graphs(const StudySource& source,
                                                    std::span<const Topology> topologies,
                                                    std::span<const Solver> solvers,
                                                    std::span<const std::size_t> parties);

// The law of some numbers at some n, all positive; nothing with fewer than two different n.
[[nodiscard]] std::optional<GrowthLaw> fitted_law(std::span<const double> n,
                                                  std::span<const double> values);

[[nodiscard]] std::string to_text(const PlanComparison& comparison);
// {study, delta, assumed_rows, rows[]}: each a plan's JSON with `expected{error, intervals[]}`, or
// {solver, privacy{epsilon, delta}, refusal{}}. Over graphs {study, delta, rows[], laws[]}, where
// rows say their topology and parties.
[[nodiscard]] nlohmann::ordered_json to_json(const PlanComparison& comparison);

}  // namespace sotto
