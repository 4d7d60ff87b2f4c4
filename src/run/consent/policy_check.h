#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "privacy/observe/adversary.h"
#include "study/policy.h"

// A party's own policy against what it is asked to take part in. Every rule that is not kept is a
// refusal that names the key, both values, and who could change which.
namespace sotto {

// What the study alone shows, in the order of the policy's keys. `observers` are the rows of its
// plan; without a plan, empty. E-policy-epsilon, -delta, -colluders, -solver, -parties, -columns;
// and E-policy-rows where a rule about rows or columns cannot be held against a study over costs.
[[nodiscard]] std::vector<Error> policy_against_study(const Policy& policy, const Study& study,
                                                      Solver solver,
                                                      std::span<const Adversary> observers);

// E-policy-rows: the party's own table has fewer.
[[nodiscard]] std::optional<Error> policy_against_rows(const Policy& policy, std::uint64_t rows);

// E-policy-limit.
[[nodiscard]] std::optional<Error> policy_against_account(const Policy& policy,
                                                          const std::string& account,
                                                          bool has_limit);

}  // namespace sotto
