#include "support/program.h"

// Graphs and weights that cannot carry a study.

namespace sotto {
namespace {

using BadGraph = ProgramTest;

StudyText with_edges(const std::string& edges, std::size_t parties = 4) {
  StudyText text = paper_text(parties);
  text.set("graph", "topology", "\"edges\"").set("graph", "edges", edges);
  return text.remove("graph", "weight");
}

StudyText with_topology(const std::string& topology, const std::string& parties) {
  StudyText text = paper_text();
  text.set("graph", "topology", fmt::format("\"{}\"", topology)).set("graph", "parties", parties);
  return text.remove("graph", "weight");
}

TEST_F(BadGraph, ADisconnectedGraphIsNamedByItsParts) {
  expect_refused(with_edges("[[1, 2], [3, 4]]"), 2, "E-graph-disconnected",
                 {"[graph] edges, line ", "an edge between party 1 and party 3"});
  expect_refused(with_edges("[[1, 2], [2, 3]]"), 2, "E-graph-disconnected");
  expect_refused(with_edges("[]"), 2, "E-graph-disconnected");
}

TEST_F(BadGraph, WeightsThatBreakTheDiagonalAreRefused) {
  expect_refused(paper_text().set("graph", "weight", "0.5"), 2, "E-graph-weight",
                 {"add up to 1, not below 1", "[graph] weight, line 12, column 10"});
  for (const char* value : {"0", "-0.1", "1.0", "2.0", "inf", "nan"}) {
    expect_refused(paper_text().set("graph", "weight", value), 2, "E-graph-weight");
  }
  expect_refused(paper_text(3).set("graph", "weight", "[0.3, 0.9, 0.3]"), 2, "E-graph-weight");
  expect_refused(paper_text(3).set("graph", "weight", "[0.3, 0.3]"), 2, "E-graph-weight",
                 {"2 weights for 3 edges"});
  expect_refused(paper_text(3).set("graph", "weight", "[0.3, \"x\", 0.3]"), 2, "E-study-value");
  expect_refused(paper_text().set("graph", "weight", "\"heaviest\""), 2, "E-study-value",
                 {"metropolis"});
}

TEST_F(BadGraph, EdgesJoinTwoDifferentPartiesOnce) {
  expect_refused(with_edges("[[1, 2], [2, 3], [3, 4], [4, 5]]"), 2, "E-graph-edge");
  expect_refused(with_edges("[[1, 2], [2, 3], [3, 4], [0, 1]]"), 2, "E-graph-edge",
                 {"edge number 4"});
  expect_refused(with_edges("[[1, 2], [2, 3], [3, 4], [-1, 1]]"), 2, "E-graph-edge");
  expect_refused(with_edges("[[1, 2], [2, 3], [3, 4], [4, 3]]"), 2, "E-graph-edge");
  expect_refused(with_edges("[[1, 2], [2, 3], [3, 4], [2, 2]]"), 2, "E-graph-edge");
  expect_refused(with_edges("[[1, 2, 3]]"), 2, "E-graph-edge");
  expect_refused(with_edges("[[1, \"north\"]]"), 2, "E-graph-edge");
  expect_refused(with_edges("[1, 2]"), 2, "E-graph-edge");
  expect_refused(with_edges("3"), 2, "E-study-missing");
  expect_refused(with_edges("[]").remove("graph", "edges"), 2, "E-study-missing");
}

TEST_F(BadGraph, OnePartyIsNoStudy) {
  for (const char* topology : {"cycle", "path", "star", "complete", "random-regular"}) {
    expect_refused(with_topology(topology, "1"), 2, "E-graph-parties");
  }
  expect_refused(with_edges("[]", 1), 2, "E-graph-parties");
  expect_refused(with_edges("[]", 1).set("study", "solver", "\"ac\""), 2, "E-graph-parties");
  expect_refused(with_topology("cycle", "2"), 2, "E-graph-parties");
  for (const char* number : {"0", "-3", "10000001", "2.5", "\"ten\""}) {
    expect_refused(with_topology("cycle", number), 2, "E-study-value");
  }
  expect_refused(with_topology("cycle", "3").remove("graph", "parties"), 2, "E-study-missing");
}

TEST_F(BadGraph, SomeTopologiesHaveSomeSizesOnly) {
  expect_refused(with_topology("petersen", "9"), 2, "E-study-value",
                 {"10 parties, not 9", "[graph] parties"});
  expect_refused(with_topology("grid", "13"), 2, "E-graph-grid");
  expect_refused(with_topology("random-regular", "5").set("graph", "degree", "3"), 2,
                 "E-graph-degree");
  expect_refused(with_topology("random-regular", "5").set("graph", "degree", "5"), 2,
                 "E-graph-degree");
  expect_refused(with_topology("random-regular", "10").set("graph", "degree", "0"), 2,
                 "E-study-value");
  expect_refused(with_topology("complete", "5000"), 2, "E-graph-parties");
  expect_refused(with_topology("cyle", "5"), 2, "E-study-value", {"did you mean \"cycle\"?"});
}

TEST_F(BadGraph, AFileOfEdgesSaysWhichLineIsWrong) {
  const auto with_file = [&](const std::string& lines) {
    write("edges.txt", lines);
    StudyText text = paper_text();
    text.set("graph", "topology", "\"file\"").set("graph", "file", "\"edges.txt\"");
    return text.remove("graph", "weight").remove("graph", "parties");
  };
  expect_refused(with_file("1 2\n2 3\n3 3\n"), 2, "E-graph-file", {"itself", "line 3 of "});
  expect_refused(with_file("1 2\n2 3\n2 1\n"), 2, "E-graph-file", {"already in line 1", "line 3"});
  expect_refused(with_file("1 2\n2 4\n"), 2, "E-graph-file", {"party 3 has no edge"});
  expect_refused(with_file("1 2\nx y\n"), 2, "E-graph-file", {"\"x y\"", "line 2"});
  expect_refused(with_file("1 2\n3 4\n"), 2, "E-graph-disconnected", {"[graph] file"});
  expect_refused(with_file("1 2\n2 3\n").set("graph", "parties", "4"), 2, "E-graph-file");
  expect_refused(with_file("1 2\n").set("graph", "file", "\"nowhere.txt\""), 2, "E-graph-file",
                 {"No such file"});
  expect_refused(with_file("1 2\n").remove("graph", "file"), 2, "E-study-missing");
  expect_refused(paper_text().set("graph", "file", "\"edges.txt\""), 2, "E-study-value",
                 {"file is for topology"});
}

TEST_F(BadGraph, PartiesAndGraphAgree) {
  const std::string two = "[[party]]\nname = \"a\"\n[[party]]\nname = \"b\"\n";
  expect_refused(
      paper_text(2).set("graph", "topology", "\"path\"").append(two + "[[party]]\nname = \"c\"\n"),
      2, "E-study-value", {"3 [[party]] entries", "parties = 3"});
  expect_refused(paper_text(3).append(two + "[[party]]\nname = \"a\"\n"), 2, "E-study-value",
                 {"two parties are called \"a\""});
  expect_refused(paper_text(3).append("[[party]]\naddress = \"a:1\"\n"), 2, "E-study-missing");
  expect_refused(paper_text(3).append("[party]\nname = \"a\"\n"), 2, "E-study-value",
                 {"two brackets"});
}

TEST_F(BadGraph, PlainConsensusThatWouldNeverEndIsRefused) {
  StudyText text = paper_text();
  text.set("consensus", "method", "\"plain\"").set("graph", "weight", "1e-12");
  expect_refused(text, 2, "E-consensus-rounds", {"[consensus]"});
  for (const char* value : {"0", "1", "2.0", "-1e-9", "nan", "inf"}) {
    expect_refused(paper_text().set("consensus", "tolerance", value), 2, "E-study-value");
  }
}

}  // namespace
}  // namespace sotto
