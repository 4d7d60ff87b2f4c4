#pragma once

#include "privacy/calibrate/noise.h"

// The noise of `ac`: every party adds what protects it alone, σ = Δ/κ̄_ε(δ), whatever the others
// do and whoever watches. docs/proofs/local.md
namespace sotto {

[[nodiscard]] inline LocalNoise calibrate_ac(Sensitivity sensitivity, const Budget& budget) {
  return {.sigma = gaussian_sigma(sensitivity, budget)};
}

}  // namespace sotto
