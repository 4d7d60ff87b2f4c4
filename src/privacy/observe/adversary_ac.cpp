#include "privacy/observe/adversary.h"

// Who sees how much of `ac`: every party protects itself, so whoever watches sees the same.
// docs/proofs/local.md
namespace sotto {

privacy::Rows privacy::rows_of(const LocalNoise& noise, const Watched& watched) {
  const double shift = watched.sensitivity.value() / noise.sigma;
  return alike_for_all(gaussian_row(Observer::kEavesdropper, shift, watched.budget),
                       watched.colluders);
}

}  // namespace sotto
