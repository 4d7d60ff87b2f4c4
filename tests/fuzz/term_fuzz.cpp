// Terms of a study: whatever the columns' values, inside their bounds, a term stays inside its own,
// on which its sensitivity rests.

#include <cmath>

#include "data/expression.h"
#include "fuzz/fuzz.h"

namespace sotto {

// Three numbers, then the text.
SOTTO_FUZZER(term) {
  fuzz::Choices choices(bytes);
  const auto number = [&] {
    const double mantissa = static_cast<double>(choices.below(1 << 16)) - (1 << 15);
    return std::ldexp(mantissa, static_cast<int>(choices.below(64)) - 40);
  };
  const double one = number();
  const double other = number();
  const Bounds bounds{std::min(one, other), std::max(one, other)};
  const auto term = Expression::parse(choices.rest());
  if (!fuzz::fine_or_error(term)) return;
  const auto again = Expression::parse(term->text());
  // The one text for all ways of writing it may be longer than anybody may write.
  fuzz::require(again ? again->text() == term->text() : term->text().size() > Expression::kMaxText,
                "a term's text is that term: " + term->text());
  const std::vector<Bounds> columns(term->columns().size(), bounds);
  const auto range = term->bounds(columns);
  if (!fuzz::fine_or_error(range)) return;
  fuzz::require(range->lo <= range->hi, "a term has bounds: " + term->text());
  constexpr std::size_t kRows = 9;
  std::vector<std::vector<double>> values(columns.size(), std::vector<double>(kRows));
  std::vector<const double*> pointers;
  for (std::size_t c = 0; c < values.size(); ++c) {
    for (std::size_t r = 0; r < kRows; ++r) {
      const double share = static_cast<double>((r * (c + 1)) % kRows) / (kRows - 1);
      values[c][r] = std::clamp(bounds.lo + share * (bounds.hi - bounds.lo), bounds.lo, bounds.hi);
    }
    pointers.push_back(values[c].data());
  }
  std::vector<double> scratch;
  std::vector<double> out(kRows);
  term->evaluate(pointers, kRows, scratch, out.data());
  for (const double value : out) {
    fuzz::require(
        range->lo <= value && value <= range->hi,
        fmt::format("{} stays in [{}, {}], and is {}", term->text(), range->lo, range->hi, value));
  }
}

}  // namespace sotto
