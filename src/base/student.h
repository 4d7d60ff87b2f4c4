#pragma once

// Student's t: how surprising a coefficient is, and how wide its interval.
namespace sotto {

// P(|T| > |t|) for T with `freedom` degrees of freedom, positive; infinitely many stand for N(0,
// 1).
[[nodiscard]] double t_tail(double t, double freedom);

// The q ≥ 0 with P(|T| ≤ q) = level, 0 ≤ level < 1, to twelve digits: half the width of an interval
// of that level, in standard errors.
[[nodiscard]] double t_reach(double level, double freedom);

}  // namespace sotto
