// Keys that are set from outside, and the grid of them.
#include "study/settings.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sotto {
namespace {

const StudySource kSource{.text = R"([study]
name = "x"
solver = "dishuf"
[privacy]
epsilon = 10.0
delta = 0.2
unit = "entry"
mu = 3.0
[graph]
topology = "cycle"
parties = 10
weight = 0.3
[problem]
family = "paper"
m = 3
seed = 1
)",
                          .name = "x.toml",
                          .folder = "somewhere"};

std::vector<SettingValues> keys(const std::vector<std::string>& words) {
  std::vector<SettingValues> result;
  for (const std::string& one : words) result.push_back(setting_from(one).value());
  return result;
}

TEST(AnotherGraph, KeepsTheKeysThatGoWithIt) {
  const Study torus = study_on(kSource, Topology::kTorus, 16).value();
  EXPECT_EQ(torus.graph().topology(), Topology::kTorus);
  EXPECT_EQ(torus.graph().size(), 16U);
  EXPECT_DOUBLE_EQ(torus.weights.per_edge()[0], 0.2) << "0.3 was for two neighbours";
  const Study cycle = study_on(kSource, Topology::kCycle, 30).value();
  EXPECT_EQ(cycle.weights.per_edge()[0], 0.3);
  StudySource drawn = kSource;
  const auto weight = drawn.text.find("weight = 0.3");
  drawn.text.replace(weight, 12, "degree = 6\nseed = 5");
  drawn.text.replace(drawn.text.find("\"cycle\""), 7, "\"random-regular\"");
  EXPECT_EQ(study_on(drawn, Topology::kRandomRegular, 20)->graph().max_degree(), 6U);
  EXPECT_EQ(study_on(drawn, Topology::kCycle, 20)->graph().max_degree(), 2U);
  EXPECT_EQ(study_on(kSource, Topology::kTorus, 14).error().name, "E-graph-grid");
}

TEST(Settings, AreAKeyAndTheValuesToTry) {
  const SettingValues epsilon = setting_from("privacy.epsilon=0.1,1,10").value();
  EXPECT_EQ(epsilon.key, "privacy.epsilon");
  EXPECT_EQ(epsilon.values, (std::vector<std::string>{"0.1", "1", "10"}));
  // Commas inside brackets and quotes belong to the value.
  EXPECT_EQ(setting_from("graph.weight=[0.1,0.2],0.3").value().values,
            (std::vector<std::string>{"[0.1,0.2]", "0.3"}));
  EXPECT_EQ(setting_from("study.name=\"a,b\"").value().values,
            (std::vector<std::string>{"\"a,b\""}));
}

TEST(Settings, ThatAreNoneAreRefused) {
  for (const char* words : {"", "privacy.epsilon", "=1", "epsilon=1", "privacy.=1", ".epsilon=1",
                            "a..b=1", "privacy.epsilon=", "privacy.epsilon=1,,2",
                            "privacy.epsilon=\"", "privacy.epsilon=1\nx=2"}) {
    const auto setting = setting_from(words);
    ASSERT_FALSE(setting.has_value()) << words;
    EXPECT_EQ(setting.error().name, "E-setting") << words;
  }
}

TEST(Settings, MakeAGridWhoseLastKeyChangesFastest) {
  const auto grid = grid_of(keys({"privacy.epsilon=0.1,1", "graph.parties=10,50,250"})).value();
  ASSERT_EQ(grid.size(), 6U);
  EXPECT_EQ(grid[0], (std::vector<Setting>{{"privacy.epsilon", "0.1"}, {"graph.parties", "10"}}));
  EXPECT_EQ(grid[1], (std::vector<Setting>{{"privacy.epsilon", "0.1"}, {"graph.parties", "50"}}));
  EXPECT_EQ(grid[5], (std::vector<Setting>{{"privacy.epsilon", "1"}, {"graph.parties", "250"}}));
  EXPECT_EQ(grid_of({}).value().size(), 1U);
  EXPECT_EQ(grid_of(keys({"a.b=1", "a.b=2"})).error().name, "E-setting");
}

TEST(Settings, ThatAreTooManyAreRefusedBeforeTheyFillTheMemory) {
  std::string many = "a.b=0";
  for (int k = 1; k < 1000; ++k) many += fmt::format(",{}", k);
  std::vector<SettingValues> three = keys({many, many, many});
  three[1].key = "a.c";
  three[2].key = "a.d";
  EXPECT_EQ(grid_of(three).error().name, "E-setting-many");
}

TEST(Settings, GoIntoTheStudyAsIfTheyStoodInTheFile) {
  const Study study = study_with(kSource, std::vector<Setting>{{"privacy.epsilon", "0.5"},
                                                               {"graph.parties", "20"},
                                                               {"consensus.method", "plain"},
                                                               {"dishuf.noise", "\"shared\""}})
                          .value();
  EXPECT_EQ(study.privacy.budget.epsilon.value(), 0.5);
  EXPECT_EQ(study.graph().size(), 20U);
  EXPECT_EQ(study.consensus.method, ConsensusMethod::kPlain);
  EXPECT_EQ(study.dishuf.parameters.masks, ShuffleMasks::kShared);
  EXPECT_EQ(study.privacy.sensitivity.value(), 3);  // what is not set stays
  EXPECT_NE(study.hash, study_with(kSource, {}).value().hash);
}

TEST(Settings, OfAWholeSectionReplaceIt) {
  const std::vector<Setting> files{{"problem", "{ files = [\"a.json\"], m = 3 }"}};
  const Study study = study_with(kSource, files).value();
  EXPECT_TRUE(study.problem->family.empty());
  EXPECT_EQ(study.problem->files, std::vector<std::string>{"somewhere/a.json"});
}

TEST(Settings, WithoutAnyTheStudyIsTheFile) {
  EXPECT_EQ(study_with(kSource, {}).value().hash, parse_study(kSource.text, "x").value().hash);
}

TEST(Settings, ChangeAFileWhereTheyStandAndLeaveItsCommentsAlone) {
  StudySource commented = kSource;
  commented.text += "# Süden – “ends” here\n[consensus]\nmethod = 'exact' # for all\n";
  const std::vector<Setting> settings{{"privacy.epsilon", "0.25"},
                                      {"consensus.method", "plain"},
                                      {"consensus.rounds", "7"},
                                      {"network.patience_seconds", "60"}};
  const std::string text = study_text_with(commented, settings).value();
  EXPECT_NE(text.find("# Süden – “ends” here\n[consensus]\nrounds = 7\nmethod = "
                      "\"plain\" # for all\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("[network]\npatience_seconds = 60\n"), std::string::npos) << text;
  const Study kept = parse_study(text, "x").value();
  const Study meant = study_with(commented, settings).value();
  EXPECT_EQ(kept.lines, meant.lines) << "the same study, whatever it looks like";
  EXPECT_EQ(study_text_with(commented, {}).value(), commented.text);
}

TEST(Settings, ThatMakeNoStudyMakeNoFile) {
  EXPECT_FALSE(
      study_text_with(kSource, std::vector<Setting>{{"privacy.epsilon", "-1"}}).has_value());
}

TEST(Settings, AreSaidAsTheFileHasThem) {
  EXPECT_EQ(setting_in(kSource, "privacy.nothing"), std::nullopt);
  EXPECT_EQ(setting_in({.text = "[graph]\ntopology = \"star\"\n", .name = "x", .folder = {}},
                       "graph.topology"),
            "\"star\"");
  EXPECT_EQ(setting_in({.text = "no toml", .name = "x", .folder = {}}, "a.b"), std::nullopt);
}

TEST(Settings, ThatTheStudyDoesNotKnowAreSaidWithTheirNames) {
  const auto study = study_with(kSource, std::vector<Setting>{{"privacy.epsilom", "1"}});
  ASSERT_FALSE(study.has_value());
  EXPECT_EQ(study.error().name, "E-study-key");
  EXPECT_NE(study.error().where.find("privacy.epsilom = 1"), std::string::npos);
  EXPECT_EQ(study_with(kSource, std::vector<Setting>{{"study.name.x", "1"}}).error().name,
            "E-setting");
}

// A key that nothing reads explains one that is missing.
TEST(StudyFile, SaysAnUnknownKeyBeforeAMissingOne) {
  std::string text = kSource.text;
  text.replace(text.find("epsilon"), 7, "epsilom");
  const auto study = parse_study(text, "x.toml");
  ASSERT_FALSE(study.has_value());
  EXPECT_EQ(study.error().name, "E-study-key");
  EXPECT_NE(study.error().fix.find("epsilon"), std::string::npos);
}

TEST(StudyFile, TakesANumberOfRoundsForAllMethodsButExact) {
  const auto with = [](const char* consensus) {
    return parse_study(kSource.text + std::string("[consensus]\n") + consensus, "x.toml");
  };
  EXPECT_EQ(with("method = \"plain\"\nrounds = 7\n").value().consensus.rounds, Round{7});
  EXPECT_EQ(with("method = \"chebyshev\"\nrounds = 0\n").error().name, "E-study-value");
  EXPECT_EQ(with("rounds = 7\n").error().name, "E-study-value");
}

}  // namespace
}  // namespace sotto
