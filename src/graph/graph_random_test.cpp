#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/digest.h"
#include "base/parallel.h"
#include "graph/graph.h"
#include "graph/graph_draws.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string digest_of(const Graph& graph) {
  const auto edges = graph.edges();
  return to_hex(sha256({reinterpret_cast<const char*>(edges.data()), edges.size_bytes()}));
}

// As it would be on a machine with one core: inside of a loop that was given one thread.
template <class Make>
Graph on_one_thread(const Make& make) {
  std::optional<Graph> made;
  parallel_for(1, 1, [&](std::size_t) { made = *make(); });
  return *made;
}

TEST(DrawnGraphs, AreTheSameOnEveryNumberOfThreadsAndOnEveryMachine) {
  const auto regular = [] { return Graph::random_regular(40'000, 4, 7); };
  const auto odd = [] { return Graph::random_regular(20'000, 5, 7); };
  const auto erdos = [] { return Graph::erdos_renyi(40'000, 16, 7); };
  const auto small = [] { return Graph::small_world(40'000, 6, 0.2, 7); };
  EXPECT_EQ(digest_of(*regular()), digest_of(on_one_thread(regular)));
  EXPECT_EQ(digest_of(*odd()), digest_of(on_one_thread(odd)));
  EXPECT_EQ(digest_of(*erdos()), digest_of(on_one_thread(erdos)));
  EXPECT_EQ(digest_of(*small()), digest_of(on_one_thread(small)));
  EXPECT_NE(digest_of(*regular()), digest_of(*Graph::random_regular(40'000, 4, 8)));
  // Parties on different machines must draw the same graph from the same study.
  EXPECT_EQ(digest_of(*Graph::random_regular(1000, 4, 1)).substr(0, 16), "3191c143e697aba1");
  EXPECT_EQ(digest_of(*regular()).substr(0, 16), "8b10e3007fd4027a");
  EXPECT_EQ(digest_of(*erdos()).substr(0, 16), "02e4acf35fa1649f");
  EXPECT_EQ(digest_of(*small()).substr(0, 16), "8a55de46403d52f2");
}

TEST(DrawnGraphs, OfManyPartiesAreRegularAndInOnePiece) {
  for (const std::size_t degree : {2, 3, 4, 9}) {
    const Graph graph = *Graph::random_regular(20'000, degree, 3);
    EXPECT_TRUE(graph.connected());
    EXPECT_EQ(graph.edges().size(), 10'000 * degree);
    EXPECT_EQ(graph.max_degree(), degree);
  }
  EXPECT_EQ(Graph::random_regular(20'000, 1'001, 1).error().fix, "a degree of at most 1000");
}

TEST(ErdosRenyi, HasAsManyEdgesAsAskedForAndDegreesThatVary) {
  const Graph graph = *Graph::erdos_renyi(3000, 14, 1);
  EXPECT_EQ(graph.edges().size(), 21'000u);
  EXPECT_TRUE(graph.connected());
  // Degrees are nearly Poisson's: variance 14, known to 2·14/√6000.
  double variance = 0;
  for (PartyId i = 0; i < graph.size(); ++i) {
    variance += std::pow(static_cast<double>(graph.degree(i)) - 14, 2) / 3000;
  }
  EXPECT_NEAR(variance, 14, 5 * 14 * std::sqrt(2.0 / 3000));
}

TEST(ErdosRenyi, RefusesADegreeThatLeavesSomebodyAlone) {
  const auto graph = Graph::erdos_renyi(1000, 2, 1);
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().name, "E-graph-degree");
  EXPECT_THAT(graph.error().fix, HasSubstr("a degree of at least 10"));
  EXPECT_THAT(Graph::erdos_renyi(10, 8, 1).error().what, HasSubstr("more than half of all pairs"));
}

TEST(SmallWorld, IsARingUnlessEdgesAreDrawnAnew) {
  const Graph ring = *Graph::small_world(10, 4, 0, 1);
  EXPECT_THAT(ring.neighbours(0), ElementsAre(1, 2, 8, 9));
  EXPECT_EQ(ring.diameter(), 3u);
  const Graph graph = *Graph::small_world(2000, 6, 0.1, 1);
  EXPECT_EQ(graph.edges().size(), 6000u);
  std::size_t far = 0;
  for (const auto& [a, b] : graph.edges()) {
    const std::size_t apart = std::min<std::size_t>(b - a, 2000 + a - b);
    far += apart > 3 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(far), 600, 5 * std::sqrt(600.0));
  EXPECT_LT(graph.diameter(), 20u) << "a ring of them has 334";
}

TEST(SmallWorld, RefusesWhatNoRingHas) {
  EXPECT_EQ(Graph::small_world(10, 3, 0.1, 1).error().name, "E-graph-degree");
  EXPECT_EQ(Graph::small_world(10, 6, 0.1, 1).error().fix, "an even degree from 2 to 4");
  EXPECT_EQ(Graph::small_world(100, 4, 1.5, 1).error().name, "E-graph-rewire");
  EXPECT_EQ(Graph::small_world(100, 4, std::nan(""), 1).error().name, "E-graph-rewire");
}

TEST(Torus, JoinsTheEndsOfAGrid) {
  const Graph graph = *Graph::torus(12);  // 3 × 4
  EXPECT_THAT(graph.neighbours(0), ElementsAre(1, 3, 4, 8));
  EXPECT_EQ(graph.edges().size(), 24u);
  EXPECT_EQ(Graph::torus(14).error().fix, "12 or 15 parties, or another topology");
}

TEST(Base, JoinsWhoDiffersInOneDigit) {
  EXPECT_THAT(*base_digits(12, 3), ElementsAre(3, 2, 2));
  EXPECT_THAT(*base_digits(12, 4), ElementsAre(4, 3));
  EXPECT_THAT(*base_digits(64, 6), ElementsAre(4, 4, 4));
  EXPECT_FALSE(base_digits(14, 5));
  const Graph cube = *Graph::base(8, 2);
  EXPECT_THAT(cube.neighbours(0), ElementsAre(1, 2, 4));
  EXPECT_EQ(cube.diameter(), 3u);
  const Graph graph = *Graph::base(12, 4);  // 4 × 3
  EXPECT_THAT(graph.neighbours(0), ElementsAre(1, 2, 3, 4, 8));
}

// The sequence that it stands for ends with everybody at the mean, exactly: in round l whoever
// differs in digit l alone averages.
TEST(Base, SequenceReachesTheMeanInAsManyRoundsAsThereAreDigits) {
  const Graph graph = *Graph::base(60, 5);
  std::vector<double> values(60);
  for (std::size_t i = 0; i < 60; ++i) values[i] = static_cast<double>(i * i % 37);
  double mean = 0;
  for (const double value : values) mean += value / 60;
  std::size_t worth = 1;
  for (const std::uint32_t digit : graph.digits()) {
    std::vector<double> next(60);
    for (std::size_t i = 0; i < 60; ++i) {
      const std::size_t first = i - i / worth % digit * worth;
      for (std::size_t k = 0; k < digit; ++k) {
        const std::size_t other = first + k * worth;
        next[i] += values[other] / digit;
        const auto around = graph.neighbours(static_cast<PartyId>(i));
        EXPECT_TRUE(other == i || std::ranges::count(around, other) == 1);
      }
    }
    values = next;
    worth *= digit;
  }
  for (const double value : values) EXPECT_NEAR(value, mean, 1e-12);
}

TEST(Base, RefusesNumbersWithLargerPrimes) {
  const auto graph = Graph::base(22, 5);
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().to_string(),
            "error[E-graph-base]: 22 parties cannot be written with digits of up to 5 values: 11 "
            "is a prime factor; 24 parties, or a base of at least 11");
  EXPECT_EQ(Graph::base(8, 1).error().name, "E-graph-base");
}

TEST(RandomOrder, IsAnOrderAndKnowsItsWayBack) {
  for (const std::uint64_t size : {2, 3, 5, 64, 1000}) {
    const graphs::RandomOrder order(size, graphs::NumberedDraws(1, size));
    std::set<std::uint64_t> items;
    for (std::uint64_t place = 0; place < size; ++place) {
      items.insert(order.at(place));
      EXPECT_EQ(order.place_of(order.at(place)), place);
    }
    EXPECT_EQ(items.size(), size);
    EXPECT_EQ(*items.rbegin(), size - 1);
  }
}

// Formulas, and the bound of many parties, against searches from everybody.
TEST(Diameter, IsWhatSearchesFromEverybodySay) {
  const auto searched = [](const Graph& graph) {
    std::uint32_t longest = 0;
    for (PartyId i = 0; i < graph.size(); ++i) {
      longest = std::max(longest, std::ranges::max(distances(graph, i)));
    }
    return std::size_t{longest};
  };
  for (const Graph& graph :
       {*Graph::cycle(9), *Graph::cycle(10), *Graph::path(8), *Graph::grid(30), *Graph::torus(12),
        *Graph::torus(25), *Graph::torus(42), *Graph::base(36, 3), *Graph::base(16, 4),
        *Graph::star(6), *Graph::random_regular(60, 3, 1)}) {
    EXPECT_EQ(graph.diameter(), searched(graph)) << to_string(graph.topology());
    EXPECT_GE(steps_by_way_of_one(graph), graph.diameter());
    EXPECT_LE(steps_by_way_of_one(graph), 2 * graph.diameter());
  }
}

}  // namespace
}  // namespace sotto
