#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/study.h"

// HOME/policy.toml: what a party takes part in at all, whatever a study asks for. It is the party's
// own: it is held against studies here (run/consent/policy_check.h), and nothing of it goes to
// anybody else.
namespace sotto {

// What stands in none of its lines is not restricted.
struct Policy {
  std::string file;  // for what is said about it

  std::optional<double> epsilon_max;
  std::optional<double> delta_max;
  std::size_t colluders_min = 0;
  bool require_limit = false;  // the account in the ledger must have one

  std::vector<Solver> solvers;  // empty: any
  std::optional<std::uint64_t> rows_min;
  std::optional<std::size_t> parties_min;
  std::vector<std::string> columns_forbidden;  // names, or patterns with * and ?
};

inline constexpr const char* kPolicyFile = "policy.toml";

// The policy in a party's home; none if there is no such file. What cannot be read or understood is
// an error, never no policy: E-policy-file, E-policy-syntax, E-policy-key, E-policy-value.
[[nodiscard]] Result<std::optional<Policy>> read_policy(const std::string& home);

// The same from text; `name` stands for the file in errors.
[[nodiscard]] Result<Policy> parse_policy(std::string_view text, const std::string& name);

// Whether a pattern stands for this column: * for any letters, ? for one. The case of A to Z does
// not count, so that "salary" forbids "Salary" too.
[[nodiscard]] bool stands_for(std::string_view pattern, std::string_view column);

}  // namespace sotto
