// policy.toml: a policy or an error, never none; and what its patterns stand for.

#include "fuzz/fuzz.h"
#include "study/policy.h"

namespace sotto {

SOTTO_FUZZER(policy) {
  const auto policy = parse_policy(bytes, "policy.toml");
  if (!fuzz::fine_or_error(policy)) return;
  // The worst there is for whoever tries every way in which stars may stand for letters.
  const std::string column = std::string(200, 'a') + "b";
  for (const std::string& pattern : policy->columns_forbidden) {
    fuzz::require(stands_for("*", pattern), "* stands for everything");
    fuzz::require(
        stands_for("*" + pattern + "*", pattern) || pattern.find_first_of("*?") < pattern.size(),
        "a name stands for itself: " + pattern);
    (void)stands_for(pattern, column);
  }
}

}  // namespace sotto
