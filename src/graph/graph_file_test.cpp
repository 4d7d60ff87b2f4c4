#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "graph/graph.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(std::string_view text, std::optional<std::size_t> stated = std::nullopt) {
  const auto graph = Graph::from_list(text, "edges.txt", stated);
  return graph ? "none" : graph.error().to_string();
}

TEST(GraphFile, HasTwoNumbersFromOneOnALine) {
  const Graph graph = *Graph::from_list("# a comment\n\n1 2\r\n 3,2 # another\n\t1\t4", "f", {});
  EXPECT_THAT(graph.edges(), ElementsAre(Edge{0, 1}, Edge{0, 3}, Edge{1, 2}));
  EXPECT_EQ(graph.topology(), Topology::kFile);
  EXPECT_TRUE(Graph::from_list("1 2\n", "f", 2));
}

TEST(GraphFile, SaysInWhichLineSomethingIsWrong) {
  EXPECT_EQ(error_of("1 2\n# 3 3\n3 3\n"),
            "error[E-graph-file]: party 3 is joined to itself; line 3 of edges.txt; an edge joins "
            "two different parties");
  EXPECT_EQ(error_of("1 2\n2 3\n\n2 1\n"),
            "error[E-graph-file]: party 1 and party 2 are joined already in line 1; line 4 of "
            "edges.txt; name each pair of neighbours once, in either order");
  for (const char* line : {"1", "1 2 3", "a b", "1 -2", "0 1", "1.5 2", "1 2x", "99999999999 1"}) {
    EXPECT_THAT(error_of(std::string("1 2\n") + line),
                HasSubstr(fmt::format("\"{}\" does not name two parties; line 2", line)));
  }
  EXPECT_THAT(error_of("1 10000001\n"), HasSubstr("there is a party 10000001; line 1"));
  EXPECT_THAT(error_of("1 2\n2 4\n", 3),
              HasSubstr("there is a party 4, and the study has 3; line 2 of edges.txt"));
}

TEST(GraphFile, NamesThePartiesThatAreMissing) {
  EXPECT_THAT(error_of("1 2\n2 6\n"),
              HasSubstr("party 3 (and 2 more) has no edge, and there is a party 6"));
  EXPECT_THAT(error_of("1 2\n", 3), HasSubstr("party 3 has no edge, and there must be 3 parties"));
  EXPECT_THAT(error_of("# nobody\n"), HasSubstr("there is no edge in it"));
  EXPECT_THAT(error_of(""), HasSubstr("there is no edge in it"));
}

TEST(GraphFile, MayBeInPiecesWhichWhoeverReadsItRefuses) {
  const Graph graph = *Graph::from_list("1 2\n3 4\n", "f", {});
  EXPECT_EQ(require_connected(graph).error().name, "E-graph-disconnected");
}

TEST(GraphFile, ThatCannotBeReadIsAnErrorAndNeverAWait) {
  EXPECT_THAT(Graph::from_file("/nowhere/edges.txt", {}).error().to_string(),
              HasSubstr("cannot be read: No such file"));
  EXPECT_EQ(Graph::from_file("/", {}).error().name, "E-graph-file");
  EXPECT_EQ(Graph::from_file("/dev/zero", {}).error().name, "E-graph-file");
  const TemporaryFolder folder;
  const auto path = folder / "edges.txt";
  std::ofstream(path) << "1 2\n2 3\n";
  EXPECT_EQ(Graph::from_file(path.string(), {})->size(), 3u);
}

}  // namespace
}  // namespace sotto
