// The attacks of examples/attacks/ that need no processes: their numbers are those of the theory,
// and an attack that gained more than its plan says would end with 1.
#include "support/attacks.h"

#include <cmath>

#include "privacy/budget.h"

namespace sotto {
namespace {

// A neighbour on a complete graph of six: with shared masks it undoes the shuffle, and one party's
// noise is left; with a mask for each neighbour five parties' is. σ_γ = 1.001·μ/(√6·κ̄).
TEST(Attacks, TheGcdUndoesSharedMasksAndNotThoseOfEachNeighbour) {
  const AttackExample attack("1_gcd.py");
  attack.expect_verdict("shared masks fall to one neighbour");
  attack.expect_on_its_page();
  for (const double found : attack.numbers("multipliers that the gcd")) EXPECT_GT(found, 99);
  const double kappa_bar = gaussian_shift(10, 0.2);
  const auto rows = attack.numbers("the plan's row for a neighbour");
  EXPECT_NEAR(rows[0], kappa_bar * std::sqrt(6.0) / 1.001, 0.01 * rows[0]);
  EXPECT_NEAR(rows[1], kappa_bar * std::sqrt(6.0 / 5) / 1.001, 0.01 * rows[1]);
  const auto reached = attack.numbers("so mu is that many");
  const auto deltas = attack.numbers("delta at epsilon = 10, of this attack");
  for (const std::size_t k : {0U, 1U}) {
    EXPECT_LE(reached[k], 1.09 * rows[k]);
    EXPECT_GE(reached[k], 0.9 * rows[k]);
    EXPECT_NEAR(deltas[k], gaussian_delta(10, reached[k]), 0.003);
  }
  const auto undone = attack.numbers("error of its guess, undoing");
  const auto added = attack.numbers("error of its guess, adding");
  EXPECT_LT(undone[0], 0.6 * added[0]);
  EXPECT_GT(undone[1], 5 * added[1]);
}

TEST(Attacks, WhoRushesChoosesTheResultUnlessEverybodyHasCommittedItself) {
  const AttackExample attack("4_rushing_party.py");
  attack.expect_verdict("who speaks last chooses the result");
  attack.expect_on_its_page();
  for (const double mean : attack.numbers("the mean of the first entry, all honest")) {
    EXPECT_GT(mean, 1);
  }
  for (const double mean : attack.numbers("the same where it speaks last")) EXPECT_EQ(mean, 0);
  for (const auto& who : attack.words("with sotto: honest parties who name it")) {
    EXPECT_EQ(who, "3 of 3");
  }
  for (const auto& who : attack.words("with sotto: parties who end with a result")) {
    EXPECT_EQ(who, "0 of 4");
  }
  // Of four, one neighbour: what 1_gcd.py says, and no more for having rushed.
  const double kappa_bar = gaussian_shift(10, 0.2);
  const auto deltas = attack.numbers("the same if it is curious too");
  EXPECT_NEAR(deltas[0], gaussian_delta(10, kappa_bar * std::sqrt(4.0)), 0.01);
  EXPECT_NEAR(deltas[1], gaussian_delta(10, kappa_bar * std::sqrt(4.0 / 3)), 0.02);
}

}  // namespace
}  // namespace sotto
