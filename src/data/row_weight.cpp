// What a row's weight means for the answer, in words.
#include "data/row_weight.h"

#include <fmt/format.h>

#include <algorithm>

namespace sotto {
namespace {

// 1386001.9 as "1,386,002".
std::string with_commas(double count) {
  std::string digits = fmt::format("{:.0f}", count);
  for (std::size_t k = digits.size(); k > 3; k -= 3) digits.insert(k - 3, ",");
  return digits;
}

// Two digits are all that the rule's assumptions carry.
double two_digits(double count) {
  const double unit = std::pow(10, std::floor(std::log10(std::max(count, 1.0))) - 1);
  return std::round(count / unit) * unit;
}

}  // namespace

std::string weighting_in_words(const Schema& schema) {
  std::string words;
  if (schema.weighting == Weighting::kBounded) {
    words = fmt::format(
        "Weighted least squares: a row counts less, the farther its features are from the middle "
        "of "
        "their bounds ({:.2f} to {:.2f}). A truly linear relation has the same coefficients as "
        "with "
        "ordinary least squares; any other is fitted more closely in the middle.",
        row_weight(0), row_weight(2));
  } else if (schema.bounded_below) {
    words = "Ordinary least squares: every row counts alike.";
  }
  if (!schema.bounded_below) return words;
  return words + fmt::format(
                     " Chosen for the {} rows that the study names: below about {}, noise would "
                     "widen the intervals of ordinary least squares by more than 5 %.",
                     with_commas(static_cast<double>(schema.rows)),
                     with_commas(two_digits(*schema.bounded_below)));
}

}  // namespace sotto
