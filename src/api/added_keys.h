#pragma once

// What solvers, estimators and topologies from outside have in common: keys, and a name that is
// nobody else's.

#include <sotto/keys.h>

#include <span>
#include <string>
#include <vector>

#include "base/named_settings.h"
#include "base/result.h"

namespace sotto::v1 {

[[nodiscard]] std::vector<NamedKey> inside(std::span<const AddedKey> keys);

// A section is one thing's: E-…-name, as `error` says, where the study itself, a solver, an
// estimator or a topology has the name.
[[nodiscard]] sotto::Result<void> check_section_is_free(const char* error, const std::string& name);

}  // namespace sotto::v1
