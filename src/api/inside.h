#pragma once

// How the library's public types (include/sotto/) and those inside stand for each other. Nothing
// is computed in this room.

#include <sotto/study.h>

#include "privacy/calibrate/noise.h"

namespace sotto::v1 {

static_assert(static_cast<int>(Solver::kGt) == static_cast<int>(sotto::Solver::kGt));
static_assert(static_cast<int>(Solver::kDishuf) == static_cast<int>(sotto::Solver::kDishuf));
static_assert(static_cast<int>(Solver::kAc) == static_cast<int>(sotto::Solver::kAc));
static_assert(static_cast<int>(Solver::kPairwise) == static_cast<int>(sotto::Solver::kPairwise));

[[nodiscard]] inline sotto::Solver inside(Solver solver) {
  return static_cast<sotto::Solver>(solver);
}
[[nodiscard]] inline Solver outside(sotto::Solver solver) {
  return static_cast<Solver>(solver);
}

}  // namespace sotto::v1
