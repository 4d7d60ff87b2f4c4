#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "protocol/consensus.h"
#include "support/parties.h"

namespace sotto {
namespace {

using namespace protocol_test;

ConsensusPlan plan(ConsensusMethod method, double tolerance, const Weights& weights) {
  return *plan_consensus(method, tolerance, weights);
}

TEST(ConsensusPlan, OnACycleOf250ChebyshevNeedsAFiftiethOfPlainAndExactTheDiameter) {
  const Weights weights = cycle(250);
  const ConsensusPlan plain = plan(ConsensusMethod::kPlain, 1e-9, weights);
  const ConsensusPlan chebyshev = plan(ConsensusMethod::kChebyshev, 1e-9, weights);
  const ConsensusPlan exact = plan(ConsensusMethod::kExact, 1e-9, weights);
  EXPECT_LE(50 * chebyshev.rounds, plain.rounds);
  EXPECT_EQ(exact.rounds, 125U);
  // reference: λ₂ = 2(1 − cos 2π/250)·0.3, rounds = ⌈ln 1e-9 / ln(1 − λ₂)⌉
  const double lambda_2 = 0.6 * (1 - std::cos(2 * std::numbers::pi / 250));
  EXPECT_NEAR(plain.rate, 1 - lambda_2, 1e-14);
  EXPECT_EQ(plain.rounds, std::ceil(std::log(1e-9) / std::log1p(-lambda_2)));
}

TEST(ConsensusPlan, ChebyshevPromisesItsToleranceAndNotARoundMore) {
  for (const std::size_t parties : {5U, 20U, 101U}) {
    for (const double tolerance : {0.5, 1e-3, 1e-9}) {
      const ConsensusPlan made = plan(ConsensusMethod::kChebyshev, tolerance, cycle(parties));
      const double x =
          (2 - made.spectrum_low - made.spectrum_high) / (made.spectrum_high - made.spectrum_low);
      // The largest |T_k(s)/T_k(x)| over [−1, 1] is 1/T_k(x).
      EXPECT_LE(1 / std::cosh(made.rounds * std::acosh(x)), tolerance * (1 + 1e-9));
      if (made.rounds > 1) {
        EXPECT_GT(1 / std::cosh((made.rounds - 1) * std::acosh(x)), tolerance);
      }
      EXPECT_NEAR(made.rate, x - std::sqrt(x * x - 1), 1e-9);
    }
  }
}

TEST(ConsensusPlan, EveryStepKeepsTheAverage) {
  for (const auto method : {ConsensusMethod::kPlain, ConsensusMethod::kChebyshev}) {
    MixingSchedule schedule(plan(method, 1e-9, cycle(250)));
    for (int round = 0; round < 1000; ++round) {
      const MixingStep step = schedule.next();
      ASSERT_NEAR(step.mixed + step.current + step.previous, 1, 1e-9) << round;
    }
  }
}

TEST(ConsensusPlan, ACompleteGraphTakesOneRoundWhateverTheMethod) {
  const Weights weights = *Weights::uniform(*Graph::complete(5), 0.2);  // W = 11ᵀ/5
  EXPECT_EQ(plan(ConsensusMethod::kExact, 1e-9, weights).rounds, 1U);
  EXPECT_EQ(plan(ConsensusMethod::kPlain, 1e-9, weights).rounds, 1U);
  EXPECT_LE(plan(ConsensusMethod::kChebyshev, 1e-9, weights).rounds, 2U);
}

TEST(ConsensusPlan, RefusesAToleranceThatIsNoFactor) {
  for (const double tolerance : {0.0, 1.0, -1.0, 2.0, std::nan("")}) {
    const auto made = plan_consensus(ConsensusMethod::kPlain, tolerance, cycle(5));
    ASSERT_FALSE(made.has_value()) << tolerance;
    EXPECT_EQ(made.error().name, "E-consensus-tolerance");
  }
}

TEST(ConsensusPlan, RefusesAGraphInPieces) {
  const Graph pieces = *Graph::make(4, {{0, 1}, {2, 3}});
  for (const auto method :
       {ConsensusMethod::kPlain, ConsensusMethod::kChebyshev, ConsensusMethod::kExact}) {
    EXPECT_FALSE(plan_consensus(method, 1e-9, Weights::metropolis(pieces)).has_value());
  }
}

TEST(ConsensusPlan, RefusesMoreRoundsThanAreAllowedAndNamesTheWayOut) {
  // On a cycle of 10 000, plain needs about 3·10⁸ rounds for 1e-15.
  const auto made = plan_consensus(ConsensusMethod::kPlain, 1e-15, cycle(10'000));
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().name, "E-consensus-rounds");
  EXPECT_NE(made.error().fix.find("exact"), std::string::npos);
}

TEST(ConsensusPlan, NamesItsMethods) {
  for (const auto method :
       {ConsensusMethod::kPlain, ConsensusMethod::kChebyshev, ConsensusMethod::kExact}) {
    EXPECT_EQ(consensus_method_from(to_string(method)), method);
  }
  EXPECT_FALSE(consensus_method_from("newton").has_value());
}

}  // namespace
}  // namespace sotto
