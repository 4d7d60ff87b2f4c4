// `sotto simulate` on the command line: settings, files, and options that would change nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/json.h"
#include "support/command_line.h"

namespace sotto {
namespace {

constexpr const char* kStudy = R"([study]
name = "small"
solver = "ac"
[privacy]
epsilon = 10.0
delta = 0.2
unit = "entry"
mu = 3.0
[graph]
topology = "cycle"
parties = 5
weight = 0.3
[gt]
lambda_min = 50.0
rounds = 30
[problem]
family = "paper"
m = 2
seed = 1
)";

class SimulateOnTheCommandLine : public FolderTest {
 protected:
  SimulateOnTheCommandLine() { write("study.toml", kStudy); }

  [[nodiscard]] CommandRun simulate(std::vector<std::string> more) const {
    more.insert(more.begin(), {"simulate", path("study.toml")});
    return run_sotto(more);
  }
  [[nodiscard]] std::vector<std::string> lines(const std::string& name) const {
    std::ifstream file(path(name));
    std::vector<std::string> result;
    for (std::string line; std::getline(file, line);) result.push_back(line);
    return result;
  }
};

TEST_F(SimulateOnTheCommandLine, WritesAGridAsCsvAndItsFolderTwiceTheSame) {
  const std::vector<std::string> words{"--set",    "privacy.epsilon=1,10",
                                       "--set",    "graph.parties=4,5",
                                       "--trials", "5",
                                       "--format", "csv",
                                       "--out",    path("out"),
                                       "--solver", "ac,gt"};
  const CommandRun first = simulate(words);
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_TRUE(first.out.starts_with("# sotto ")) << first.out;
  EXPECT_NE(first.out.find("privacy.epsilon,graph.parties,solver,status,reason"),
            std::string::npos);
  EXPECT_EQ(lines("out/points.csv").size(), 2U + 1U + 8U);
  EXPECT_GT(lines("out/errors.csv").size(), 2U + 1U + 5U);
  const CommandRun again = simulate(words);
  EXPECT_EQ(again.out, first.out);
  EXPECT_NE(again.err.find("known already"), std::string::npos) << again.err;
}

TEST_F(SimulateOnTheCommandLine, DrawsWhatTheNumbersOfOneKeyBringAndNoGrid) {
  CommandRun run = simulate({"--set", "graph.parties=4,40,400", "--trials", "3", "--out",
                             path("drawn"), "--solver", "ac,dishuf"});
  ASSERT_EQ(run.status, 0) << run.err;
  for (const char* name : {"drawn/error.svg", "drawn/noise.svg"}) {
    std::string svg;
    for (const std::string& line : lines(name)) svg += line;
    for (const char* solver : {"ac: 3 points, from ", "dishuf: 3 points, from "}) {
      EXPECT_NE(svg.find(solver), std::string::npos) << name;
    }
    EXPECT_NE(svg.find("against parties"), std::string::npos) << name;
  }
  run = simulate({"--set", "graph.parties=4,5", "--set", "privacy.epsilon=1,10", "--trials", "1",
                  "--out", path("grid")});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_FALSE(std::filesystem::exists(path("grid/error.svg")));
}

TEST_F(SimulateOnTheCommandLine, WritesTrajectoriesOfProblems) {
  const CommandRun run = simulate(
      {"--solver", "gt,ac", "--trials", "3", "--trajectory", path("t.csv"), "--every", "10"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto written = lines("t.csv");
  EXPECT_EQ(written[2].substr(0, 24), "solver,t,mean_square_err");
  EXPECT_EQ(written.size(), 3U + 4U + 2U);  // rounds 0, 10, 20, 30 of gt; 0 and 2 of exact
}

TEST_F(SimulateOnTheCommandLine, HasASolverThatCannotDoItAsARow) {
  const CommandRun run =
      simulate({"--solver", "gt,ac", "--set", "privacy.epsilon=0.1", "--format", "json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const Json points = parse_json(run.out)["points"];
  EXPECT_EQ(points[0]["error"]["name"], "E-gt-convexity");
  EXPECT_TRUE(points[1].contains("summary"));
}

TEST_F(SimulateOnTheCommandLine, WritesTranscriptsAndExportsProblems) {
  CommandRun run = simulate({"--transcript", path("seen.jsonl"), "--truth", path("drawn.jsonl"),
                             "--observer", "neighbour:2", "--trials", "4"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(lines("seen.jsonl").size(), 5U);
  EXPECT_EQ(lines("drawn.jsonl").size(), 5U);
  run = run_sotto({"problem", "export", path("study.toml"), "--out", path("costs.json")});
  ASSERT_EQ(run.status, 0) << run.err;
  // What was exported is the same problem.
  const CommandRun family = simulate({"--trials", "3", "--format", "json"});
  const CommandRun files = simulate(
      {"--trials", "3", "--format", "json", "--set", "problem={ files = [\"costs.json\"] }"});
  ASSERT_EQ(files.status, 0) << files.err;
  EXPECT_EQ(parse_json(files.out)["points"][0]["x_star"], parse_json(family.out)["x_star"]);
}

TEST_F(SimulateOnTheCommandLine, RefusesOptionsThatWouldChangeNothing) {
  const std::vector<std::vector<std::string>> unused{
      {"--split", "contiguous"},
      {"--every", "3"},
      {"--detail", "trials"},
      {"--independent"},
      {"--truth", "x"},
      {"--observer", "all"},
      {"--cipher", "paillier"},
      {"--cipher", "paillier", "--set", "privacy.epsilon=1"},
      {"--transcript", "x", "--out", "y"},
      {"--transcript", "x", "--trajectory", "y"},
      {"--data", "x.csv", "--set", "privacy.epsilon=1"},
      {"--data", "x.csv", "--format", "csv"},
      {"--data", "x.csv", "--transcript", "y"}};
  for (const auto& words : unused) {
    const CommandRun run = simulate(words);
    EXPECT_EQ(run.status, 2) << words[0];
    EXPECT_NE(run.err.find("E-option-unused"), std::string::npos) << words[0] << run.err;
  }
  EXPECT_NE(simulate({"--solver", "gt,gt"}).err.find("E-solver-twice"), std::string::npos);
  EXPECT_NE(simulate({"--transcript", "x", "--solver", "gt,ac"}).err.find("E-transcript-many"),
            std::string::npos);
  EXPECT_NE(simulate({"--set", "epsilon=1"}).err.find("E-setting"), std::string::npos);
}

}  // namespace
}  // namespace sotto
