#include "protocol/consensus.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "support/parties.h"

namespace sotto {
namespace {

using namespace protocol_test;
using Values = std::vector<std::vector<double>>;

constexpr auto kMethods = {ConsensusMethod::kPlain, ConsensusMethod::kChebyshev,
                           ConsensusMethod::kExact};

// Every party's sum after a whole run.
Values run(const ConsensusPlan& plan, const Weights& weights, const Values& initial,
           RandomSource* order = nullptr) {
  Parties parties;
  for (PartyId i = 0; i < initial.size(); ++i) {
    parties.push_back(make_consensus(plan, i, weights, released(initial[i])));
  }
  deliver_all(parties, order);
  Values sums;
  for (const auto& party : parties)
    sums.push_back(static_cast<Consensus&>(*party).average().values);
  return sums;
}

std::vector<double> total(const Values& values) {
  std::vector<double> result(values[0].size(), 0.0);
  for (const auto& party : values) {
    for (std::size_t k = 0; k < result.size(); ++k) result[k] += party[k];
  }
  return result;
}

// ‖y − mean‖ over the parties, for one entry.
double disagreement(const Values& values, std::size_t entry) {
  const double mean = total(values)[entry] / static_cast<double>(values.size());
  double squares = 0;
  for (const auto& party : values) squares += std::pow(party[entry] - mean, 2);
  return std::sqrt(squares);
}

RC_GTEST_PROP(Consensus, ReachesTheMeanWhateverTheDeliveryOrder, (std::uint64_t seed)) {
  SeededRandom random(seed);
  const std::size_t parties = 2 + random.below(9);
  const Graph graph = connected_graph(parties, random.below(60), random);
  const Weights weights = Weights::metropolis(graph);
  const Values initial = small_numbers(parties, 2, random);
  const std::vector<double> truth = total(initial);
  const auto n = static_cast<double>(parties);
  for (const auto method : kMethods) {
    const ConsensusPlan plan = *plan_consensus(method, 1e-6, weights);
    const Values in_order = run(plan, weights, initial);
    const Values shuffled = run(plan, weights, initial, &random);
    RC_ASSERT(in_order == shuffled);
    for (std::size_t k = 0; k < truth.size(); ++k) {
      const double allowed = 1e-6 * disagreement(initial, k) * n * (1 + 1e-6) + 1e-12;
      for (const auto& party : in_order) RC_ASSERT(std::abs(party[k] - truth[k]) <= allowed);
      // Not only near: the parties' mean is kept to rounding.
      RC_ASSERT(std::abs(total(in_order)[k] / n - truth[k]) <= 1e-11 * n);
    }
  }
}

TEST(Consensus, ExactGivesEverybodyTheSameBitsAndTheTrueSum) {
  SeededRandom random(1);
  for (const Graph& graph : {*Graph::cycle(9), *Graph::path(7), *Graph::star(6),
                             *Graph::complete(5), *Graph::grid(12), Graph::petersen()}) {
    const Weights weights = Weights::metropolis(graph);
    const ConsensusPlan plan = *plan_consensus(ConsensusMethod::kExact, 1e-9, weights);
    const Values initial = small_numbers(graph.size(), 3, random);
    // Multiples of 2⁻⁴⁰ below 2⁴: a double holds their sum.
    for (const auto& party : run(plan, weights, initial, &random)) {
      EXPECT_EQ(party, total(initial));
    }
  }
}

TEST(Consensus, ExactAddsIntegersThatNoDoubleHolds) {
  const Weights weights = Weights::metropolis(*Graph::path(3));
  const ConsensusPlan plan = *plan_consensus(ConsensusMethod::kExact, 1e-9, weights);
  Integer huge;
  mpz_ui_pow_ui(huge.get_mpz_t(), 10, 700);
  Parties parties;
  const IntegerVector indices = {huge + 3, -2 * huge + 4, huge - 1};
  for (PartyId i = 0; i < 3; ++i) {
    parties.push_back(make_consensus(plan, i, weights, {IntegerVector{indices[i]}, Grid{-1}, 4}));
  }
  deliver_all(parties);
  for (const auto& party : parties) {
    EXPECT_EQ(static_cast<Consensus&>(*party).average().values, std::vector<double>{6.0 / 2 / 4});
  }
}

TEST(Consensus, ChebyshevReachesItsToleranceOnACycleOf250) {
  const Weights weights = *Weights::uniform(*Graph::cycle(250), 0.3);
  const ConsensusPlan plan = *plan_consensus(ConsensusMethod::kChebyshev, 1e-9, weights);
  SeededRandom random(2);
  const Values initial = small_numbers(250, 1, random);
  Values sums = run(plan, weights, initial);
  for (auto& party : sums) party[0] /= 250;
  EXPECT_LE(disagreement(sums, 0), 1e-9 * disagreement(initial, 0));
  EXPECT_NEAR(total(sums)[0], total(initial)[0], 1e-9);
}

TEST(Consensus, SendsEachNeighbourOneMessageARound) {
  const Weights weights = Weights::metropolis(Graph::petersen());
  SeededRandom random(3);
  const Values initial = small_numbers(10, 1, random);
  for (const auto method : kMethods) {
    const ConsensusPlan plan = *plan_consensus(method, 1e-3, weights);
    Parties parties;
    for (PartyId i = 0; i < 10; ++i) {
      parties.push_back(make_consensus(plan, i, weights, released(initial[i])));
    }
    std::size_t messages = 0;
    deliver_all(parties, &random, [&](const Message&) { ++messages; });
    EXPECT_EQ(messages, 30U * plan.rounds) << to_string(method);
  }
}

}  // namespace
}  // namespace sotto
