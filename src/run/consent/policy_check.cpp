// One comparison for each of the policy's keys.
#include "run/consent/policy_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/words.h"
namespace sotto {
namespace {

// "[privacy] epsilon_max = 1 in the policy, and the study asks for ε = 2"
Error not_kept(const Policy& policy, const char* name, const std::string& rule,
               const std::string& asked, const std::string& in_the_study,
               const std::string& in_the_policy) {
  return refused(name, fmt::format("{} in the policy, and {}", rule, asked),
                 fmt::format("with all other parties you can change {}; alone you can {} in the "
                             "policy",
                             in_the_study, in_the_policy))
      .at(policy.file);
}

// The promise holds against t of the others together: the study is calibrated for them, or even
// everything that surrounds a party learns no more than was asked for, as with ac and gt.
bool withstands(std::size_t t, const Study& study, std::span<const Adversary> observers) {
  if (t <= study.privacy.colluders) return true;
  const double asked = study.privacy.budget.delta.value() * (1 + 1e-9);
  return std::ranges::any_of(observers, [&](const Adversary& observer) {
    return observer.observer == Observer::kAllNeighbours && observer.delta_at_epsilon <= asked;
  });
}

// As few as may be left when values are released.
std::size_t fewest_parties(const Study& study) {
  return study.network.min_parties > 0 ? study.network.min_parties : study.graph().size();
}

std::optional<Error> against_columns(const Policy& policy, const Study& study) {
  if (policy.columns_forbidden.empty()) return std::nullopt;
  std::vector<std::string> columns;
  for (TableColumn& column : study.data->table_columns()) columns.push_back(std::move(column.name));
  for (const std::string& column : columns) {
    for (const std::string& pattern : policy.columns_forbidden) {
      if (!stands_for(pattern, column)) continue;
      return not_kept(policy, "E-policy-columns",
                      fmt::format("[study] columns_forbidden has \"{}\"", pattern),
                      fmt::format("the study uses the column \"{}\"", column), "[data]",
                      "take the column out of columns_forbidden");
    }
  }
  return std::nullopt;
}

std::optional<Error> against_costs(const Policy& policy) {
  if (!policy.rows_min && policy.columns_forbidden.empty()) return std::nullopt;
  return not_kept(policy, "E-policy-rows",
                  policy.rows_min ? fmt::format("[study] rows_min = {}", *policy.rows_min)
                                  : std::string("[study] columns_forbidden is set"),
                  "the study is over costs, whose rows and columns nobody can count",
                  "[privacy] unit to \"record\"", "remove the rule");
}

}  // namespace

std::vector<Error> policy_against_study(const Policy& policy, const Study& study, Solver solver,
                                        std::span<const Adversary> observers) {
  std::vector<Error> errors;
  const PrivacyTerms& terms = study.privacy;
  const double epsilon = terms.budget.epsilon.value();
  const double delta = terms.budget.delta.value();
  if (policy.epsilon_max && epsilon > *policy.epsilon_max) {
    errors.push_back(not_kept(policy, "E-policy-epsilon",
                              fmt::format("[privacy] epsilon_max = {}", *policy.epsilon_max),
                              fmt::format("the study asks for ε = {}", epsilon),
                              "[privacy] epsilon", "raise epsilon_max"));
  }
  if (policy.delta_max && delta > *policy.delta_max) {
    errors.push_back(not_kept(
        policy, "E-policy-delta", fmt::format("[privacy] delta_max = {}", *policy.delta_max),
        fmt::format("the study asks for δ = {}", delta), "[privacy] delta", "raise delta_max"));
  }
  if (!withstands(policy.colluders_min, study, observers)) {
    errors.push_back(not_kept(
        policy, "E-policy-colluders",
        fmt::format("[privacy] colluders_min = {}", policy.colluders_min),
        fmt::format("the study has colluders = {}, and does not hold against more of the others",
                    terms.colluders),
        "[privacy] colluders", "lower colluders_min"));
  }
  if (!policy.solvers.empty() &&
      std::ranges::find(policy.solvers, solver) == policy.solvers.end()) {
    std::vector<std::string> allowed;
    for (const Solver one : policy.solvers) allowed.push_back(to_string(one));
    errors.push_back(not_kept(
        policy, "E-policy-solver", fmt::format("[study] solvers has {}", fmt::join(allowed, ", ")),
        fmt::format("the solver is {}", to_string(solver)), "[study] solver", "add it to solvers"));
  }
  if (policy.parties_min && fewest_parties(study) < *policy.parties_min) {
    errors.push_back(not_kept(
        policy, "E-policy-parties", fmt::format("[study] parties_min = {}", *policy.parties_min),
        fmt::format("the study goes on with as few as {} parties", fewest_parties(study)),
        "its parties and [network] min_parties", "lower parties_min"));
  }
  if (auto error = study.data ? against_columns(policy, study) : against_costs(policy)) {
    errors.push_back(std::move(*error));
  }
  return errors;
}

std::optional<Error> policy_against_rows(const Policy& policy, std::uint64_t rows) {
  if (!policy.rows_min || rows >= *policy.rows_min) return std::nullopt;
  return refused("E-policy-rows",
                 fmt::format("[study] rows_min = {} in the policy, and your table has {} that "
                             "{}",
                             *policy.rows_min, counted(rows, "row", "rows"),
                             rows == 1 ? "counts" : "count"),
                 "bring a table with more rows; alone you can lower rows_min in the policy")
      .at(policy.file);
}

std::optional<Error> policy_against_account(const Policy& policy, const std::string& account,
                                            bool has_limit) {
  if (!policy.require_limit || has_limit) return std::nullopt;
  return refused("E-policy-limit",
                 fmt::format("[privacy] require_limit = true in the policy, and no limit is set on "
                             "\"{}\"",
                             account),
                 "set one with 'sotto ledger limit'; alone you can remove require_limit from the "
                 "policy")
      .at(policy.file);
}

}  // namespace sotto
