// The attacks of examples/attacks/ on real processes: their numbers are those of the theory and of
// the ledger, and an attack that gained more than its plan says would end with 1.
#include <cmath>

#include "privacy/budget.h"
#include "support/attacks.h"

namespace sotto {
namespace {

TEST(AttacksLong, LooksOfAbortedRunsAddUpAndTheLimitEndsThem) {
  const AttackExample attack("2_aborted_run.py");
  attack.expect_verdict("looks add up as squares under both");
  attack.expect_on_its_page();
  const double kappa_bar = gaussian_shift(1, 0.01);
  const auto sigma = attack.numbers("sigma_eta over the root", 1);
  const auto enough = attack.numbers("attempts until looks alone");
  for (const std::size_t k : {0U, 1U}) {
    EXPECT_NEAR(enough[k], std::pow(kappa_bar * sigma[k] / 3, 2), 0.01 * enough[k]);
    int row = 0;
    for (const double aborted : {1.0, 20.0, 400.0}) {
      ++row;
      const double error = attack.numbers(fmt::format("{} aborted attempts", aborted))[k];
      EXPECT_NEAR(error, sigma[k] / std::sqrt(aborted), 0.3 * error) << aborted;
      const double delta = attack.numbers("delta at epsilon = 1", row)[k];
      // σ_η is printed with four digits, and one look's δ is e^−260.
      EXPECT_NEAR(delta, gaussian_delta(1, 3 * std::sqrt(aborted) / sigma[k]), 0.2 * delta);
    }
    EXPECT_EQ(attack.words("sotto join: squared shift")[k], attack.words("(sensitivity")[k]);
    EXPECT_EQ(attack.words("the next run")[k], "refused");
  }
  // The floor: all looks of both neighbours in one attempt are a hundredth of what may be shown.
  EXPECT_GE(enough[1], 2 * 100 - 1);
}

TEST(AttacksLong, SeveralStudiesShowTheRootOfTheirNumberUntilALimitEndsThem) {
  const AttackExample attack("3_two_studies.py");
  attack.expect_verdict("k studies are worth the root of k");
  attack.expect_on_its_page();
  const auto noise = attack.numbers("the plan's noise", 1);
  int row = 0;
  for (const double studies : {1.0, 4.0, 16.0}) {
    const auto error = attack.numbers(fmt::format("{} studies", studies));
    for (const std::size_t k : {0U, 1U}) {
      EXPECT_NEAR(error[k], noise[k] / std::sqrt(studies), 0.25 * error[k]) << studies;
    }
    // κ̄√5 of one party among five, κ̄√(5/4) of four among five, each over the root of k.
    const auto delta = attack.numbers("delta at epsilon = 1, of a neighbour", ++row);
    const double kappa_bar = gaussian_shift(1, 0.01);
    EXPECT_NEAR(delta[0], gaussian_delta(1, kappa_bar * std::sqrt(5 * studies)), 0.02);
    EXPECT_NEAR(delta[1], gaussian_delta(1, kappa_bar * std::sqrt(1.25 * studies)), 0.02);
  }
  attack.expect_says("3 studies at 1 each, then E-ledger-overdrawn");
  attack.expect_says(fmt::format("spent: epsilon = {:.3g}",
                                 gaussian_epsilon(std::sqrt(3.0) * gaussian_shift(1, 1e-6), 1e-6)));
}

TEST(AttacksLong, AForcedLossShowsNoMoreThanThePlanAndSharedMasksAreRefused) {
  const AttackExample attack("5_forced_loss.py");
  attack.expect_verdict("a loss that nobody planned for breaks the promise");
  // Not word for word on its page: whether party 1 was ready when the other was gone differs, and
  // with it whether half a look is booked besides.
  const double kappa_bar = gaussian_shift(1, 1e-6) / 1.0003;
  for (const double delta : attack.numbers("when one forces a loss and nobody planned")) {
    EXPECT_NEAR(delta, gaussian_delta(1, kappa_bar * std::sqrt(4.0 / 3)), 0.02 * delta);
  }
  EXPECT_EQ(attack.words("releases paid for")[0], "refused");
  EXPECT_EQ(attack.words("releases paid for")[1], "1");
  const auto after = [&](int nth) {
    return std::stod(attack.words("after the forced loss, by the ledger", nth)[1]);
  };
  const double wire = std::stod(attack.words("squared shift on the wire")[1]);
  const double neighbour = std::stod(attack.words("squared shift of a neighbour")[1]);
  EXPECT_LE(wire, std::pow(gaussian_shift(1, 1e-6), 2) * 1.0005);  // four digits are printed
  EXPECT_LE(after(1), wire);
  EXPECT_LE(after(2), neighbour);
  EXPECT_GT(std::stod(attack.words("of it the look")[1]), 0);
}

}  // namespace
}  // namespace sotto
