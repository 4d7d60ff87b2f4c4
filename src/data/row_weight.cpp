// What a row's weight means for the answer, in words.
#include "data/row_weight.h"

#include <fmt/format.h>

namespace sotto {

std::string weighting_in_words(const Schema& schema) {
  std::string words;
  if (schema.weighting == Weighting::kBounded) {
    words = fmt::format(
        "Weighted least squares: a row counts less, the farther its features are from the middle "
        "of "
        "their bounds, from {:.2f} down to {:.2f}. A truly linear relation has the same "
        "coefficients as with ordinary least squares; otherwise they fit the middle more closely.",
        row_weight(0), row_weight(2));
  } else if (schema.bounded_below) {
    words = "Ordinary least squares: every row counts alike.";
  }
  if (!schema.bounded_below) return words;
  return words +
         fmt::format(
             " Chosen for the {} rows that the study names: below about {:.2g}, noise would "
             "widen the intervals of ordinary least squares by more than 5 %.",
             schema.rows, *schema.bounded_below);
}

}  // namespace sotto
