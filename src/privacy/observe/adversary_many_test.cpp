// Rows where there are more parties, or coalitions, than anybody looks at one by one.

#include <gmock/gmock.h>

#include <vector>

#include "privacy/budget.h"
#include "privacy/calibrate/dishuf.h"
#include "privacy/calibrate/pairwise.h"
#include "privacy/observe/adversary.h"
#include "support/reference_rows.h"

namespace sotto {
namespace {

using reference::kOne;
using reference::kUsual;
using reference::row_of;
using reference::shared_noise;

TEST(Adversaries, OfALargeNetworkAreBoundedInsteadOfSearched) {
  const Graph ring = *Graph::cycle(3000);
  const auto shuffle = shared_noise(ring, kOne, kUsual, {}, 0);
  const auto shuffled = adversary_table(ring, *shuffle, kOne, kUsual, 0);
  ASSERT_TRUE(shuffled);
  // On a cycle by Claim 3, at any number of parties, and below 2.36 times what was asked for.
  EXPECT_EQ(row_of(*shuffled, Observer::kNeighbour).method, RowMethod::kProof);
  EXPECT_LT(row_of(*shuffled, Observer::kNeighbour).shift, 2.5 * gaussian_shift(kUsual));
  const auto pairwise = calibrate_pairwise(ring, kOne, kUsual, 0.001, 0);
  const auto paired = *adversary_table(ring, *pairwise, kOne, kUsual, 0);
  EXPECT_LT(row_of(paired, Observer::kNeighbour).shift, 2 * gaussian_shift(kUsual));
}

TEST(Adversaries, SayHowEachRowWasObtained) {
  const auto methods = [](const Graph& graph) {
    const auto noise = shared_noise(graph, kOne, kUsual, {}, 0);
    const auto table = adversary_table(graph, *noise, kOne, kUsual, 0).value();
    std::vector<RowMethod> result;
    for (const Adversary& row : table) result.push_back(row.method);
    return result;
  };
  using enum RowMethod;
  EXPECT_EQ(methods(*Graph::cycle(10)), (std::vector{kProof, kProof, kProof}));
  EXPECT_EQ(methods(Graph::petersen()), (std::vector{kProof, kSearch, kProof}));
  EXPECT_EQ(methods(*Graph::grid(2025)), (std::vector{kProof, kCeiling, kProof}));
}

// From one size to the next nothing jumps: it did, where the search became the ceiling.
TEST(Adversaries, OfACycleDoNotJumpWhereThePartiesBecomeMany) {
  const auto neighbour = [](std::size_t parties) {
    const Graph ring = *Graph::cycle(parties);
    const Sensitivity three = *Sensitivity::make(3);
    const Budget paper = *Budget::make(10, 0.2);
    const auto noise = shared_noise(ring, three, paper, {.g = 0.01}, 0);
    const auto table = adversary_table(ring, *noise, three, paper, 0).value();
    return row_of(table, Observer::kNeighbour).shift;
  };
  EXPECT_NEAR(neighbour(1001), neighbour(1000), 0.01 * neighbour(1000));
}

TEST(Adversaries, TooManyCoalitionsAreAnErrorThatSaysHowMany) {
  const Graph graph = *Graph::random_regular(100, 4, 3);
  const auto noise = shared_noise(graph, kOne, kUsual, {}, 0);
  const auto table = adversary_table(graph, *noise, kOne, kUsual, 5);
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().name, "E-colluders-many");
  EXPECT_EQ(adversary_table(graph, *noise, kOne, kUsual, 100).error().name, "E-colluders-count");
}

// More parties than anybody looks at one by one: what is proven of the graph's λ₂ is what holds.
TEST(Adversaries, OfManyPartiesAreBoundedByWhatIsProvenOfTheGraph) {
  const Graph graph = *Graph::random_regular(12'000, 20, 1);
  const auto shuffle = calibrate_shuffle(graph, kOne, kUsual, {}, 2);
  ASSERT_TRUE(shuffle) << shuffle.error().to_string();
  const auto pairwise = calibrate_pairwise(graph, kOne, kUsual, 0.001, 2);
  ASSERT_TRUE(pairwise) << pairwise.error().to_string();
  for (const auto& table : {*adversary_table(graph, *shuffle, kOne, kUsual, 2),
                            *adversary_table(graph, *pairwise, kOne, kUsual, 2)}) {
    const Adversary& colluders = row_of(table, Observer::kColluders);
    EXPECT_EQ(colluders.method, RowMethod::kProof);
    EXPECT_LE(colluders.shift, gaussian_shift(kUsual));
  }
  // Two of four neighbours: λ₂ − 2 says nothing, and nobody guesses. Of one more is known.
  const Graph sparse = *Graph::random_regular(12'000, 4, 1);
  const auto two = calibrate_pairwise(sparse, kOne, kUsual, 0.001, 2);
  EXPECT_EQ(two.error().name, "E-colluders-many");
  EXPECT_THAT(two.error().fix, testing::HasSubstr("random-regular with degree 8"));
  const auto one_shuffle = calibrate_shuffle(sparse, kOne, kUsual, {}, 1);
  ASSERT_TRUE(one_shuffle) << one_shuffle.error().to_string();
  const auto one_pairwise = calibrate_pairwise(sparse, kOne, kUsual, 0.001, 1);
  ASSERT_TRUE(one_pairwise) << one_pairwise.error().to_string();
  for (const auto& table : {*adversary_table(sparse, *one_shuffle, kOne, kUsual, 1),
                            *adversary_table(sparse, *one_pairwise, kOne, kUsual, 1)}) {
    const Adversary& colluder = row_of(table, Observer::kColluders);
    EXPECT_EQ(colluder.method, RowMethod::kProof);
    EXPECT_LE(colluder.shift, gaussian_shift(kUsual));
  }
  const auto alone = calibrate_pairwise(sparse, kOne, kUsual, 0.001, 0);
  const auto rows = *adversary_table(sparse, *alone, kOne, kUsual, 0);
  EXPECT_EQ(row_of(rows, Observer::kEavesdropper).method, RowMethod::kProof);
  EXPECT_EQ(row_of(rows, Observer::kNeighbour).method, RowMethod::kProof);
  EXPECT_LT(row_of(rows, Observer::kNeighbour).shift,
            0.1 * row_of(rows, Observer::kAllNeighbours).shift);
}

}  // namespace
}  // namespace sotto
