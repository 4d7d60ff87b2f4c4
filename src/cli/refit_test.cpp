#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/json.h"
#include "support/command_line.h"

// One run over made-up tables, and the models that follow from its release.
namespace sotto {
namespace {

using testing::HasSubstr;

class RefitVerb : public FolderTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(run_sotto({"generate", "3000", "--parties", "2", "--out", path("tables")}).status, 0);
    const std::string data =
        fmt::format("{},{}", path("tables/party-1.csv"), path("tables/party-2.csv"));
    const CommandRun run =
        run_sotto({"simulate", path("tables/study.toml"), "--data", data, "--out", path("run")});
    ASSERT_EQ(run.status, 0) << run.err;
  }
  [[nodiscard]] CommandRun refit(std::vector<std::string> more) const {
    more.insert(more.begin(), {"refit", path("run")});
    return run_sotto(more);
  }
};

TEST_F(RefitVerb, GivesTheModelItselfFromRecordAndModelFile) {
  const Json model = parse_json(read(path("run/model.json")));
  for (const char* source : {"run", "run/record.json", "run/model.json"}) {
    const CommandRun same = run_sotto({"refit", path(source), "--format", "json"});
    ASSERT_EQ(same.status, 0) << same.err;
    EXPECT_EQ(parse_json(same.out)["coefficients"], model["coefficients"]) << source;
  }
}

TEST_F(RefitVerb, WritesAModelThatPredictAndReportTake) {
  const CommandRun people =
      refit({"--target", "people", "--features", "area*,heating", "--out", path("people.json")});
  ASSERT_EQ(people.status, 0) << people.err;
  EXPECT_THAT(people.out, HasSubstr("heating=heat-pump"));
  const CommandRun predicted =
      run_sotto({"predict", path("people.json"), path("tables/party-1.csv")});
  EXPECT_EQ(predicted.status, 0) << predicted.err;
  EXPECT_THAT(predicted.err, HasSubstr("predictions of people"));
  const CommandRun report = run_sotto({"report", path("people.json"), "--out", path("p.html")});
  EXPECT_EQ(report.status, 0) << report.err;
  EXPECT_THAT(read(path("p.html")), HasSubstr("This is a refit"));
}

TEST_F(RefitVerb, TakesAnotherEstimatorAndARidge) {
  const CommandRun exact = refit({"--estimator", "exact", "--format", "json"});
  ASSERT_EQ(exact.status, 0) << exact.err;
  EXPECT_EQ(parse_json(exact.out)["estimator"], "exact");
  const CommandRun ridge = refit({"--ridge", "1e9", "--format", "json"});
  ASSERT_EQ(ridge.status, 0) << ridge.err;
  EXPECT_EQ(parse_json(ridge.out)["ridge"], 1e9);
  EXPECT_NEAR(parse_json(ridge.out)["coefficients"][1]["value"].get<double>(), 0, 1e-3);
  EXPECT_THAT(refit({"--ridge", "-1"}).err, HasSubstr("E-refit-ridge"));
  EXPECT_THAT(refit({"--estimator", "ridge"}).err, HasSubstr("E-refit-ridge"));
  EXPECT_THAT(refit({"--estimator", "magic"}).err, HasSubstr("E-solve-estimator"));
}

TEST_F(RefitVerb, RefusesFilesThatWereCutShortOrEdited) {
  const std::string text = read(path("run/model.json"));
  const std::string cut = write("cut.json", text.substr(0, text.size() / 2));
  EXPECT_THAT(run_sotto({"refit", cut}).err, HasSubstr("cut short"));
  Json edited = parse_json(text);
  edited["release"]["sums"][0] = 1;
  EXPECT_THAT(run_sotto({"refit", write("edited.json", json_text(edited))}).err,
              HasSubstr("E-model-digest"));
  EXPECT_EQ(refit({"--features", "aera_m2"}).status, 2);
}

}  // namespace
}  // namespace sotto
