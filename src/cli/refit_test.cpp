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
    ASSERT_EQ(run_sotto({"generate", "12000", "--parties", "2", "--out", path("tables")}).status,
              0);
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

TEST_F(RefitVerb, TakesAnotherBaseAndLeavesOutTheIntercept) {
  const CommandRun base =
      refit({"--base", "heating=electric", "--out", path("base.json"), "--format", "json"});
  ASSERT_EQ(base.status, 0) << base.err;
  EXPECT_THAT(base.out, HasSubstr("heating=gas"));
  EXPECT_EQ(parse_json(base.out)["encoding"]["features"][5]["levels"][0], "electric");
  const CommandRun same = run_sotto({"predict", path("base.json"), path("tables/party-1.csv")});
  ASSERT_EQ(same.status, 0) << same.err;
  EXPECT_EQ(refit({"--base", "heating=coal"}).status, 2);
  EXPECT_THAT(refit({"--base", "heating"}).err, HasSubstr("E-refit-base"));
  const CommandRun origin = refit({"--without", "intercept"});
  ASSERT_EQ(origin.status, 0) << origin.err;
  EXPECT_EQ(origin.out.find("  intercept"), std::string::npos) << origin.out;
  const CommandRun wrong = refit({"--without", "intercept", "--ridge", "1"});
  EXPECT_THAT(wrong.err, HasSubstr("E-refit-features"));
}

TEST_F(RefitVerb, PredictsWithIntervalsFromTheFileAlone) {
  const std::string model = path("run/model.json");
  const std::string table = path("tables/party-1.csv");
  const CommandRun csv = run_sotto({"predict", model, table, "--intervals"});
  ASSERT_EQ(csv.status, 0) << csv.err;
  EXPECT_THAT(csv.out, testing::StartsWith("record,prediction,unshrunk,mean_low,mean_high,row_low,"
                                           "row_high\n1,"));
  EXPECT_THAT(csv.err, HasSubstr("95 % intervals"));
  const Json json = parse_json(
      run_sotto({"predict", model, table, "--intervals", "--level", "0.5", "--format", "json"})
          .out);
  EXPECT_EQ(json["intervals"]["level"], 0.5);
  EXPECT_EQ(json["intervals"]["row"].size(), json["predictions"].size());
  EXPECT_THAT(run_sotto({"predict", model, table, "--level", "0.5"}).err, HasSubstr("E-usage"));
  EXPECT_THAT(run_sotto({"predict", model, table, "--intervals", "--level", "95"}).err,
              HasSubstr("E-predict-level"));
  // Two stages have a covariance too; what the noise hides has none.
  ASSERT_EQ(
      refit({"--features", "people", "--instruments", "area_m2", "--out", path("two.json")}).status,
      0);
  EXPECT_EQ(run_sotto({"predict", path("two.json"), table, "--intervals"}).status, 0);
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

TEST_F(RefitVerb, ChoosesFeaturesAndShowsWhatItTried) {
  const CommandRun text = refit({"--select", "forward"});
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("criterion"), HasSubstr("sets tried")));
  const CommandRun json = refit({"--select", "all", "--format", "json", "--out", path("s.json")});
  ASSERT_EQ(json.status, 0) << json.err;
  EXPECT_EQ(parse_json(json.out)["selection"]["subsets"], 128);
  EXPECT_EQ(run_sotto({"predict", path("s.json"), path("tables/party-1.csv")}).status, 0);
}

TEST_F(RefitVerb, TellsHowColumnsHangTogether) {
  const Json r =
      parse_json(refit({"--correlations", "--features", "people,area_m2", "--format", "json"}).out);
  EXPECT_EQ(r["columns"], Json({"area_m2", "people", "kwh"}));
  EXPECT_GT(r["correlations"][0][1].get<double>(), 0.3);
  EXPECT_GT(r["standard_errors"][0][1].get<double>(), 0);
  const Json axes = parse_json(refit({"--components", "--format", "json"}).out);
  EXPECT_EQ(axes["components"].size(), 11U);
  EXPECT_EQ(axes["components"][0]["above_noise"], true);
  EXPECT_THAT(refit({"--correlations"}).out, HasSubstr("kwh"));
  EXPECT_THAT(refit({"--components"}).out, HasSubstr("mostly"));
}

TEST_F(RefitVerb, ComparesModelsByFeaturesAndByFile) {
  ASSERT_EQ(refit({"--features", "people", "--out", path("small.json")}).status, 0);
  const std::string models = path("small.json") + ",people+outdoor_c";
  const CommandRun test = refit({"--compare", models, "--format", "json"});
  ASSERT_EQ(test.status, 0) << test.err;
  EXPECT_LT(parse_json(test.out)["p"].get<double>(), 0.05);
  EXPECT_THAT(refit({"--compare", "people,people+solar"}).out, HasSubstr("degrees of freedom"));
  EXPECT_THAT(refit({"--compare", "people"}).err, HasSubstr("E-refit-compare"));
  EXPECT_THAT(refit({"--compare", "people,built"}).err, HasSubstr("E-refit-compare"));
}

TEST_F(RefitVerb, UsesInstruments) {
  const CommandRun two =
      refit({"--features", "people,outdoor_c", "--instruments", "area_m2,outdoor_c"});
  ASSERT_EQ(two.status, 0) << two.err;
  EXPECT_THAT(two.out, HasSubstr("two-stage"));
  EXPECT_THAT(refit({"--features", "people,built", "--instruments", "area_m2"}).err,
              HasSubstr("E-refit-instruments"));
  EXPECT_THAT(refit({"--instruments", "area_m2", "--ridge", "1"}).err, HasSubstr("E-usage"));
  EXPECT_THAT(refit({"--components", "--correlations"}).err, HasSubstr("E-usage"));
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
