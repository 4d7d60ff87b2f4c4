#include "base/json.h"
#include "support/program.h"

// What plan and simulate print when all is well.

namespace sotto {
namespace {

using testing::HasSubstr;
using Output = ProgramTest;

TEST_F(Output, PlansThePapersSetting) {
  const std::string study = write("study.toml", paper_text().text());
  const Finished text = sotto({"plan", study});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_EQ(text.err, "");
  EXPECT_THAT(text.out, HasSubstr("eavesdropper"));
  const Finished scripted = sotto({"plan", study, "--format", "json"});
  EXPECT_EQ(scripted.status, 0);
  const Json json = parse_json(scripted.out);
  for (const char* key : {"solver", "parties", "entries", "privacy", "noise", "adversaries",
                          "consensus", "accuracy", "warnings"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  // reference: 60-digit arithmetic
  EXPECT_NEAR(json["noise"]["sigma_eta"], 21.4832586657056843, 1e-9 * 21.48);
}

TEST_F(Output, PlansTheSolverThatTheOptionNames) {
  const std::string study = write("study.toml", paper_text().text());
  for (const char* solver : {"gt", "ac", "dishuf", "pairwise"}) {
    const Finished run = sotto({"plan", study, "--solver", solver, "--format", "json"});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(parse_json(run.out)["solver"], solver);
  }
}

TEST_F(Output, SimulatesTheSameBitsFromTheSameSeed) {
  const std::string study = write("study.toml", paper_text().text());
  const auto simulate = [&](const std::string& seed) {
    return sotto({"simulate", study, "--solver", "gt,ac,dishuf,pairwise", "--trials", "3", "--seed",
                  seed, "--format", "json"});
  };
  const Finished once = simulate("7");
  ASSERT_EQ(once.status, 0) << once.err;
  EXPECT_EQ(once.err, "");  // no progress bar where nobody looks
  EXPECT_EQ(simulate("7").out, once.out);
  const Json json = parse_json(once.out);
  const Json other = parse_json(simulate("8").out);
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["x_star"], other["x_star"]);
  ASSERT_EQ(json["runs"].size(), 12U);
  for (std::size_t k = 0; k < 12; ++k) EXPECT_NE(json["runs"][k]["x"], other["runs"][k]["x"]);
  EXPECT_EQ(json["summary"].size(), 4U);
  EXPECT_EQ(json["privacy"].size(), 4U);
}

TEST_F(Output, ShowsTheExampleThatTheHelpNames) {
  const std::string example = SOTTO_SOURCE_DIR "/examples/paper.toml";
  EXPECT_EQ(sotto({"plan", example}).status, 0);
  const Finished run = sotto({"simulate", example, "--solver", "gt,ac,dishuf,pairwise"});
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST_F(Output, LeavesNamesInAnyLanguageAsTheyAre) {
  StudyText text = paper_text(3);
  text.set("study", "name", "\"Энергия 能源 ⚡\"").remove("graph", "parties");
  text.append(
      "[[party]]\nname = \"Süd\"\n[[party]]\nname = \"北\"\n[[party]]\nname = \"o'neil\"\n");
  const std::string study = write("изучение.toml", text.text());
  const Finished run = sotto({"plan", study, "--format", "json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(parse_json(run.out)["study"], "Энергия 能源 ⚡");
  EXPECT_THAT(sotto({"plan", study}).out, HasSubstr("Энергия 能源 ⚡"));
}

TEST_F(Output, PlansAStudyOverTablesWithoutTables) {
  const std::string study = write("study.toml", record_text().text());
  const Finished run = sotto({"plan", study, "--format", "json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(parse_json(run.out)["privacy"]["unit"], "record");
}

TEST_F(Output, SolvesAProblemFromFiles) {
  write("a.json", R"({"A": [[2, 0], [0, 4]], "B": [-2, 0]})");
  write("b.json", R"({"A": [[2, 0], [0, 4]], "B": [-2, -8]})");
  write("c.json", R"({"A": [[4, 0], [0, 8]], "B": [-4, 8]})");
  StudyText text = paper_text(3);
  text.remove("problem").set("problem", "files", "[\"a.json\", \"b.json\", \"c.json\"]");
  text.set("study", "solver", "\"ac\"");
  const Finished run = sotto({"simulate", write("study.toml", text.text()), "--format", "json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const Json x = parse_json(run.out)["x_star"];
  EXPECT_NEAR(x[0], 1, 1e-12);  // 8x = 8 and 16y = 0
  EXPECT_NEAR(x[1], 0, 1e-12);
}

}  // namespace
}  // namespace sotto
