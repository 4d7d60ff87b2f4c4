#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/json.h"
#include "support/command_line.h"
#include "support/temporary_folder.h"

// The road of a table through the program: generate, plan, simulate --data,
// predict; and what it says when something is wrong.

namespace sotto {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class TablesOnTheCommandLine : public testing::Test {
 protected:
  void SetUp() override {
    const CommandRun made =
        run_sotto({"generate", "1500", "--parties", "3", "--out", folder_.string()});
    ASSERT_EQ(made.status, 0) << made.err;
    for (int i = 1; i <= 3; ++i) {
      data_ += fmt::format("{}{}", i > 1 ? "," : "", path(fmt::format("party-{}.csv", i)));
    }
  }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  [[nodiscard]] CommandRun simulate(std::vector<std::string> more) const {
    more.insert(more.begin(), {"simulate", path("study.toml")});
    return run_sotto(more);
  }

  const TemporaryFolder own_;
  const fs::path folder_ = own_ / "generated";
  std::string data_;
};

TEST_F(TablesOnTheCommandLine, GoFromMadeUpRowsToPredictions) {
  const CommandRun plan = run_sotto({"plan", path("study.toml"), "--format", "json"});
  ASSERT_EQ(plan.status, 0) << plan.err;
  EXPECT_TRUE(parse_json(plan.out)["accuracy"]["rows_needed"].is_number());

  const CommandRun run = simulate({"--data", data_, "--out", path("run")});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("insulation=renovated"), std::string::npos);
  const auto model = parse_json(content(folder_ / "run" / "model.json"));
  EXPECT_EQ(model["coefficients"].size(), 11U);
  const auto record = parse_json(content(folder_ / "run" / "record.json"));
  EXPECT_EQ(record["own"].size(), 3U);

  const CommandRun predicted = run_sotto({"predict", path("run/model.json"), path("party-2.csv")});
  ASSERT_EQ(predicted.status, 0) << predicted.err;
  EXPECT_EQ(std::ranges::count(predicted.out, '\n'), 1501);
  EXPECT_TRUE(predicted.out.starts_with("record,prediction\n1,"));
  EXPECT_NE(predicted.err.find("predictions of kwh"), std::string::npos);

  const CommandRun written = run_sotto(
      {"predict", path("run/model.json"), path("party-2.csv"), "--out", path("predictions.csv")});
  ASSERT_EQ(written.status, 0);
  EXPECT_EQ(content(folder_ / "predictions.csv"), predicted.out);

  const CommandRun json =
      run_sotto({"predict", path("run/model.json"), path("party-2.csv"), "--format", "json"});
  EXPECT_EQ(parse_json(json.out)["predictions"].size(), 1500U);
}

TEST_F(TablesOnTheCommandLine, PrintTheModelAsJson) {
  const CommandRun run = simulate({"--data", data_, "--format", "json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto model = parse_json(run.out);
  EXPECT_EQ(model["study"], "energy");
  EXPECT_FALSE(model.contains("own"));
}

TEST_F(TablesOnTheCommandLine, SplitOneFileAmongTheParties) {
  for (const char* how : {"interleaved", "contiguous"}) {
    const CommandRun run = simulate({"--data", path("party-1.csv"), "--split", how});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_NE(run.out.find("party-3"), std::string::npos);
  }
  EXPECT_EQ(simulate({"--data", path("party-1.csv"), "--split", "anyhow"}).status, 2);
}

TEST_F(TablesOnTheCommandLine, AreAllFilesWhoseNameFits) {
  const CommandRun run = simulate({"--data", path("party-*.csv")});
  EXPECT_EQ(run.status, 0) << run.err;
  const CommandRun two = simulate({"--data", path("party-[12].csv")});
  EXPECT_EQ(two.status, 2);
  EXPECT_NE(two.err.find("2 files for 3 parties"), std::string::npos) << two.err;
}

TEST_F(TablesOnTheCommandLine, ComeFromStandardInputOrAnAnswerDoes) {
  const CommandRun run =
      run_sotto({"join", path("study.toml"), "--as", "party-1", "--data", "-", "--ask"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("both read standard input"), std::string::npos) << run.err;
}

TEST_F(TablesOnTheCommandLine, SayHowAFileIsWritten) {
  std::string table = content(path("party-1.csv"));
  std::ranges::replace(table, ',', ';');
  std::ranges::replace(table, '.', ',');
  std::ofstream(path("other.csv")) << table;
  const CommandRun found = simulate({"--data", path("other.csv")});
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_NE(found.err.find("fields separated by \";\", decimal comma"), std::string::npos);
  const CommandRun told =
      simulate({"--data", path("other.csv"), "--separator", "semicolon", "--decimal", "comma"});
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_EQ(simulate({"--data", path("other.csv"), "--separator", "tab"}).status, 2);
  EXPECT_EQ(simulate({"--data", path("other.csv"), "--decimal", "point"}).status, 2);
}

TEST_F(TablesOnTheCommandLine, SayEverythingThatIsWrongAtOnce) {
  std::istringstream lines(content(path("party-1.csv")));
  std::string header;
  std::getline(lines, header);
  std::string table = header + "\n";
  std::string line;
  for (int k = 0; k < 25; ++k) {
    std::getline(lines, line);
    table += line + "much\n";
  }
  std::ofstream(path("wrong.csv")) << table;
  const CommandRun run = simulate({"--data", path("wrong.csv")});
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(std::ranges::count(run.err, '\n'), 21) << run.err;
  EXPECT_NE(run.err.find("wrong.csv, line 2, column"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("wrong.csv, line 21, column"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("… and 5 more"), std::string::npos) << run.err;
  const CommandRun scripted = simulate({"--data", path("wrong.csv"), "--format", "json"});
  const auto json = parse_json(scripted.err);
  EXPECT_EQ(json["error"]["others"].size(), 19U);
  EXPECT_EQ(json["error"]["unlisted"], 5);
}

TEST_F(TablesOnTheCommandLine, TravelInRealCiphertextsWhenAskedTo) {
  const CommandRun run = simulate({"--data", data_, "--solver", "dishuf", "--cipher", "paillier"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("noise-aware"), std::string::npos) << run.out;
}

TEST_F(TablesOnTheCommandLine, RefuseASeedAndSeveralReleasesForPrivacy) {
  const CommandRun seeded = simulate({"--data", data_, "--seed", "1"});
  EXPECT_EQ(seeded.status, 3);
  EXPECT_NE(seeded.err.find("E-seed-data"), std::string::npos);
  EXPECT_EQ(simulate({"--data", data_, "--trials", "2"}).status, 3);
  EXPECT_EQ(simulate({"--data", data_, "--solver", "ac,dishuf"}).status, 3);
  EXPECT_EQ(simulate({"--data", data_, "--solver", "gt"}).status, 3);
  EXPECT_EQ(simulate({"--data", data_, "--solver", "pairwise"}).status, 0);
}

TEST_F(TablesOnTheCommandLine, DrawNewNoiseEveryTime) {
  const auto hash = [&] {
    return parse_json(simulate({"--data", data_, "--format", "json"}).out)["transcript_hash"]
        .get<std::string>();
  };
  EXPECT_NE(hash(), hash());
}

TEST_F(TablesOnTheCommandLine, ExitWithTwoForWhatCannotBeDone) {
  EXPECT_EQ(simulate({}).status, 2) << "a study over tables needs tables";
  EXPECT_EQ(simulate({"--data", path("none.csv")}).status, 2);
  EXPECT_EQ(simulate({"--data", path("party-1.csv") + "," + path("party-2.csv")}).status, 2);
  std::ofstream(folder_ / "bad.csv") << "kwh,area_m2\n1,2\n";
  const CommandRun header = simulate({"--data", path("bad.csv")});
  EXPECT_EQ(header.status, 2);
  EXPECT_NE(header.err.find("bad.csv, line 1"), std::string::npos);
  const std::string paper = std::string(SOTTO_SOURCE_DIR) + "/examples/paper.toml";
  const CommandRun entries = run_sotto({"simulate", paper, "--data", data_});
  EXPECT_EQ(entries.status, 2);
  EXPECT_NE(entries.err.find("E-data-unit"), std::string::npos);
  EXPECT_EQ(run_sotto({"predict", path("none.json"), path("party-1.csv")}).status, 2);
  EXPECT_EQ(run_sotto({"predict", path("study.toml"), path("party-1.csv")}).status, 2);
  EXPECT_EQ(run_sotto({"generate", "0", "--out", path("x")}).status, 2);
  EXPECT_EQ(run_sotto({"generate", "10", "--parties", "0", "--out", path("x")}).status, 2);
  EXPECT_EQ(run_sotto({"generate", "10", "--missing", "0.9", "--out", path("x")}).status, 2);
  EXPECT_EQ(run_sotto({"generate", "10"}).status, 2);
}

TEST_F(TablesOnTheCommandLine, WarnWhereThereAreTooFewRows) {
  ASSERT_EQ(run_sotto({"generate", "20", "--parties", "3", "--out", path("few")}).status, 0);
  const CommandRun run =
      simulate({"--data", path("few/party-1.csv") + "," + path("few/party-2.csv") + "," +
                              path("few/party-3.csv")});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("the mean of kwh; take it that it is not"), std::string::npos) << run.out;
}

TEST_F(TablesOnTheCommandLine, FitTheExampleOfTheFolder) {
  const std::string example = std::string(SOTTO_SOURCE_DIR) + "/examples/energy.toml";
  const CommandRun run = run_sotto({"simulate", example, "--data", path("party-1.csv")});
  EXPECT_EQ(run.status, 0) << run.err;
}

}  // namespace
}  // namespace sotto
