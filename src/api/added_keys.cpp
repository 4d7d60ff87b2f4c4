// Keys from outside, as the study knows them.

#include "api/added_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/topologies.h"
#include "privacy/calibrate/noise.h"
#include "solve/estimator_table.h"
#include "study/study_keys.h"

namespace sotto::v1 {

std::vector<NamedKey> inside(std::span<const AddedKey> keys) {
  std::vector<NamedKey> kept;
  for (const AddedKey& key : keys) {
    kept.push_back({.name = key.name,
                    .about = key.about,
                    .fallback = key.fallback,
                    .least = key.least,
                    .most = key.most,
                    .choices = key.choices});
  }
  return kept;
}

sotto::Result<void> check_section_is_free(const char* error, const std::string& name) {
  const std::vector<std::string> solvers = solver_names();
  const bool taken = is_study_section(name) || std::ranges::find(solvers, name) != solvers.end() ||
                     is_estimator(name) || is_topology(name);
  if (!taken) return {};
  return bad_input(error,
                   fmt::format("nothing can be added under the name \"{}\": its section would be "
                               "another's",
                               name),
                   "choose a name of its own, of a-z, 0-9 and -");
}

}  // namespace sotto::v1
