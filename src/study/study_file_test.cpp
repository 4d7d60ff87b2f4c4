#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "study/study.h"
#include "support/studies.h"

namespace sotto {
namespace {

using testing::HasSubstr;

Error error_of(const StudyText& text) {
  const auto study = text.parse();
  EXPECT_FALSE(study.has_value()) << text.text();
  return study ? Error{} : study.error();
}

TEST(StudyFile, FillsInEveryDefaultThatIsNotPrivacy) {
  StudyText text = paper_text();
  text.remove("gt").remove("dishuf").remove("pairwise").remove("problem").remove("graph", "weight");
  const auto study = text.parse();
  ASSERT_TRUE(study.has_value()) << study.error().to_string();
  EXPECT_EQ(study->name, "paper");
  EXPECT_EQ(study->solver, Solver::kDishuf);
  EXPECT_EQ(study->privacy.budget.epsilon.value(), 10);
  EXPECT_EQ(study->privacy.budget.delta.value(), 0.2);
  EXPECT_EQ(study->privacy.unit, Unit::kEntry);
  EXPECT_EQ(study->privacy.sensitivity.value(), 3);
  EXPECT_EQ(study->privacy.colluders, 0U);
  EXPECT_EQ(study->graph().topology(), Topology::kCycle);
  EXPECT_EQ(study->graph().size(), 10U);
  EXPECT_DOUBLE_EQ(study->weights.per_edge()[0], 1.0 / 3);  // metropolis
  EXPECT_FALSE(study->gt.truncation || study->gt.lambda_min || study->gt.step || study->gt.rounds);
  EXPECT_EQ(study->gt.guarantee, Convexity::kCertain);
  EXPECT_EQ(study->dishuf.parameters.g, 0.001);
  EXPECT_EQ(study->dishuf.parameters.multiplier_max, 1000U);
  EXPECT_EQ(study->dishuf.calibration, Calibration::kGraph);
  EXPECT_EQ(study->dishuf.key_bits, 3072U);
  EXPECT_FALSE(study->dishuf.full_randomness);
  EXPECT_EQ(study->pairwise_g, 0.001);
  EXPECT_EQ(study->consensus.method, ConsensusMethod::kExact);
  EXPECT_EQ(study->consensus.tolerance, 1e-9);
  EXPECT_EQ(study->solve.estimator, Estimator::kExact);
  EXPECT_FALSE(study->data || study->problem);
  ASSERT_EQ(study->parties.size(), 10U);
  EXPECT_EQ(study->parties[9].name, "party-10");
}

TEST(StudyFile, ReadsEveryKey) {
  StudyText text = paper_text();
  text.set("study", "solver", "\"gt\"").set("privacy", "colluders", "1");
  text.set("gt", "truncation", "3.5").set("gt", "guarantee", "\"paper\"");
  text.set("gt", "lambda_min", "30").set("gt", "step", "0.005").set("gt", "rounds", "2000");
  text.set("dishuf", "a_bar", "500").set("dishuf", "calibration", "\"lemma1\"");
  text.set("dishuf", "key_bits", "4096").set("dishuf", "randomness", "\"full\"");
  text.set("pairwise", "g", "0.5");
  text.set("consensus", "method", "\"chebyshev\"").set("consensus", "tolerance", "1e-6");
  text.set("solve", "estimator", "\"psd-ridge\"");
  text.set("problem", "m", "5").set("problem", "seed", "7");
  const auto study = text.parse();
  ASSERT_TRUE(study.has_value()) << study.error().to_string();
  EXPECT_EQ(study->solver, Solver::kGt);
  EXPECT_EQ(study->privacy.colluders, 1U);
  EXPECT_EQ(study->gt.truncation, 3.5);
  EXPECT_EQ(study->gt.guarantee, Convexity::kPaper);
  EXPECT_EQ(study->gt.lambda_min, 30);
  EXPECT_EQ(study->gt.step, 0.005);
  EXPECT_EQ(study->gt.rounds, 2000U);
  EXPECT_EQ(study->dishuf.parameters.multiplier_max, 500U);
  EXPECT_EQ(study->dishuf.calibration, Calibration::kLemma1);
  EXPECT_EQ(study->dishuf.key_bits, 4096U);
  EXPECT_TRUE(study->dishuf.full_randomness);
  EXPECT_EQ(study->pairwise_g, 0.5);
  EXPECT_EQ(study->consensus.method, ConsensusMethod::kChebyshev);
  EXPECT_EQ(study->consensus.tolerance, 1e-6);
  EXPECT_EQ(study->solve.estimator, Estimator::kPsdRidge);
  EXPECT_EQ(study->problem->dimension, 5U);
  EXPECT_EQ(study->problem->seed, 7U);
}

TEST(StudyFile, TakesAutoForTheStepAndMetropolisForTheWeights) {
  StudyText text = paper_text();
  text.set("gt", "step", "\"auto\"").set("graph", "weight", "\"metropolis\"");
  const auto study = text.parse();
  ASSERT_TRUE(study.has_value()) << study.error().to_string();
  EXPECT_EQ(study->gt.step, std::nullopt);
  EXPECT_DOUBLE_EQ(study->weights.per_edge()[0], 1.0 / 3);
}

TEST(StudyFile, KnowsEveryTopology) {
  const auto edges_of = [](const std::string& topology, const std::string& parties) {
    const auto study = paper_text()
                           .set("graph", "topology", fmt::format("\"{}\"", topology))
                           .set("graph", "parties", parties)
                           .remove("graph", "weight")
                           .parse();
    EXPECT_TRUE(study.has_value()) << (study ? "" : study.error().to_string());
    return study ? study->graph().edges().size() : 0;
  };
  EXPECT_EQ(edges_of("cycle", "7"), 7U);
  EXPECT_EQ(edges_of("path", "7"), 6U);
  EXPECT_EQ(edges_of("star", "7"), 6U);
  EXPECT_EQ(edges_of("complete", "7"), 21U);
  EXPECT_EQ(edges_of("grid", "6"), 7U);
  EXPECT_EQ(edges_of("petersen", "10"), 15U);
  EXPECT_EQ(edges_of("random-regular", "10"), 20U);  // degree 4
}

TEST(StudyFile, TakesEdgesByNumberOrByName) {
  StudyText text = paper_text(3);
  text.set("graph", "topology", "\"edges\"").set("graph", "edges", "[[1, 2], [\"Süd\", \"日本\"]]");
  text.remove("graph", "parties");
  text.append("[[party]]\nname = \"north\"\naddress = \"north.example:7101\"\n");
  text.append(
      "fingerprint = \"sha256:00\"\n[[party]]\nname = \"Süd\"\n[[party]]\nname = \"日本\"\n");
  const auto study = text.parse();
  ASSERT_TRUE(study.has_value()) << study.error().to_string();
  EXPECT_EQ(std::vector<Edge>(study->graph().edges().begin(), study->graph().edges().end()),
            (std::vector<Edge>{{0, 1}, {1, 2}}));
  EXPECT_EQ(study->parties[0].address, "north.example:7101");
  EXPECT_EQ(study->parties[0].fingerprint, "sha256:00");
  EXPECT_EQ(study->parties[2].name, "日本");
}

TEST(StudyFile, GivesEachEdgeTheWeightThatStandsBesideIt) {
  StudyText text = paper_text(3);
  text.set("graph", "topology", "\"edges\"").set("graph", "edges", "[[3, 2], [2, 1]]");
  text.set("graph", "weight", "[0.1, 0.4]");
  const auto study = text.parse();
  ASSERT_TRUE(study.has_value()) << study.error().to_string();
  EXPECT_EQ(study->weights.of(0), std::vector{0.4});  // edge 2–1
  EXPECT_EQ(study->weights.of(2), std::vector{0.1});  // edge 3–2
}

TEST(StudyFile, ReadsTheSchemaOfATable) {
  const auto study = record_text()
                         .set("data", "missing", "\"error\"")
                         .set("data", "intercept", "false")
                         .set("privacy", "neighbours", "\"replace\"")
                         .parse();
  ASSERT_TRUE(study.has_value()) << study.error().to_string();
  ASSERT_TRUE(study->data.has_value());
  EXPECT_EQ(study->data->target.column, "y");
  EXPECT_EQ(study->data->target.bounds.hi, 50);
  EXPECT_EQ(study->data->missing, MissingRule::kError);
  EXPECT_FALSE(study->data->intercept);
  ASSERT_EQ(study->data->features.size(), 2U);
  EXPECT_EQ(std::get<NumericFeature>(study->data->features[0]).bounds.lo, 0.5);
  EXPECT_EQ(std::get<CategoricalFeature>(study->data->features[1]).levels.size(), 2U);
  EXPECT_EQ(study->privacy.neighbours, Neighbours::kReplace);
  EXPECT_NEAR(study->privacy.sensitivity.value(), 2.1213203435596424, 1e-12);  // (2+w²)/√2
  EXPECT_EQ(study->solve.estimator, Estimator::kNoiseAware);
}

TEST(StudyFile, HashesTheBytesSoThatOneSpaceMoreIsAnotherStudy) {
  const auto once = paper_text().parse();
  const auto again = paper_text().parse();
  const auto spaced = paper_text().append("\n").parse();
  ASSERT_TRUE(once && again && spaced);
  EXPECT_EQ(once->hash.size(), 64U);
  EXPECT_EQ(once->hash, again->hash);
  EXPECT_NE(once->hash, spaced->hash);
}

TEST(StudyFile, HasNoDefaultForAnythingThatChoosesSomebodysPrivacy) {
  for (const char* key : {"epsilon", "delta", "unit", "mu"}) {
    const Error error = error_of(paper_text().remove("privacy", key));
    EXPECT_EQ(error.name, "E-study-missing") << key;
    EXPECT_THAT(error.what, HasSubstr(key));
    EXPECT_THAT(error.where, HasSubstr("study.toml"));
  }
  EXPECT_EQ(error_of(record_text().remove("privacy", "neighbours")).name, "E-study-missing");
  EXPECT_EQ(error_of(paper_text().remove("privacy")).name, "E-study-missing");
}

TEST(StudyFile, SaysLineAndColumnOfMalformedToml) {
  const auto study = parse_study("[study]\nname = \"x\nsolver = 1\n", "bad.toml");
  ASSERT_FALSE(study.has_value());
  EXPECT_EQ(study.error().name, "E-study-syntax");
  EXPECT_THAT(study.error().where, testing::MatchesRegex("line 2, column [0-9]+ of bad.toml"));
}

TEST(StudyFile, RefusesUnknownKeysInEverySectionAndSuggestsTheRightOne) {
  const std::vector<std::pair<std::string, std::string>> slips{
      {"study", "nmae"},    {"privacy", "epsilno"},     {"graph", "wieght"},
      {"gt", "trunctaion"}, {"dishuf", "a_bra"},        {"pairwise", "gg"},
      {"problem", "sead"},  {"consensus", "tolerence"}, {"solve", "estimater"}};
  for (const auto& [section, key] : slips) {
    const Error error = error_of(paper_text().set(section, key, "1"));
    EXPECT_EQ(error.name, "E-study-key") << key;
    EXPECT_THAT(error.what, HasSubstr(key));
    EXPECT_THAT(error.fix, HasSubstr("did you mean")) << key;
    EXPECT_THAT(error.where, testing::MatchesRegex("line [0-9]+, column 1 of study.toml"));
  }
  EXPECT_EQ(error_of(record_text().set("data", "intercpet", "true")).name, "E-study-key");
  EXPECT_THAT(error_of(paper_text().append("[privcay]\n")).fix, HasSubstr("privacy"));
  EXPECT_EQ(error_of(paper_text().append("[[party]]\nname = \"a\"\nport = 1\n")).name,
            "E-study-key");
}

TEST(StudyFile, RefusesSectionsThatDoNotGoTogether) {
  EXPECT_EQ(error_of(record_text().set("study", "solver", "\"gt\"")).status, Status::kRefused);
  EXPECT_EQ(error_of(record_text().set("privacy", "mu", "1.0")).name, "E-study-value");
  EXPECT_EQ(error_of(record_text().set("problem", "family", "\"paper\"")).name, "E-study-value");
  EXPECT_EQ(error_of(paper_text()
                         .set("privacy", "unit", "\"record\"")
                         .set("privacy", "neighbours", "\"replace\"")
                         .remove("privacy", "mu")
                         .remove("problem"))
                .name,
            "E-study-missing");
  EXPECT_EQ(error_of(paper_text().set("privacy", "neighbours", "\"replace\"")).name,
            "E-study-value");
  EXPECT_EQ(error_of(paper_text()
                         .set("dishuf", "calibration", "\"lemma1\"")
                         .set("consensus", "method", "\"plain\""))
                .name,
            "E-lemma1-consensus");
  EXPECT_EQ(error_of(paper_text().set("graph", "degree", "4")).name, "E-study-value");
  EXPECT_EQ(error_of(paper_text().set("graph", "edges", "[[1, 2]]")).name, "E-study-value");
  EXPECT_EQ(error_of(paper_text().set("problem", "file", "\"costs.json\"")).name, "E-study-value");
  EXPECT_EQ(error_of(paper_text(3).append("[[party]]\nname = \"alone\"\n")).name, "E-study-value");
}

TEST(StudyFile, RefusesTwoPartiesOfOneName) {
  StudyText text = paper_text(3);
  text.append("[[party]]\nname = \"a\"\n[[party]]\nname = \"b\"\n[[party]]\nname = \"a\"\n");
  const Error error = error_of(text);
  EXPECT_THAT(error.what, HasSubstr("two parties are called \"a\""));
  EXPECT_THAT(error.where, HasSubstr("line"));
}

TEST(StudyFile, RefusesFeaturesWithoutPublicBoundsOrLevels) {
  EXPECT_EQ(error_of(record_text().append("[[data.feature]]\ncolumn = \"z\"\n")).name,
            "E-study-value");
  EXPECT_EQ(error_of(record_text().append("[[data.feature]]\ncolumn = \"z\"\nbounds = [1]\n")).name,
            "E-study-value");
  EXPECT_EQ(error_of(record_text().set("data", "target", "{ column = \"y\" }")).name,
            "E-study-missing");
  EXPECT_EQ(error_of(record_text().set("data", "target", "\"y\"")).name, "E-study-missing");
  EXPECT_EQ(
      error_of(record_text().set("data", "target", "{ column = \"y\", bounds = [5, 0] }")).name,
      "E-schema-bounds");
}

TEST(StudyFile, FindsProblemFilesBesideTheStudy) {
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("sotto_study_file_test_{}", ::getpid());
  std::filesystem::create_directory(folder);
  const auto path = folder / "study.toml";
  StudyText text = paper_text();
  text.remove("problem").set("problem", "files", "[\"a.json\", \"/b.json\"]");
  std::ofstream(path) << text.text();
  const auto study = read_study(path.string());
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(study.has_value()) << study.error().to_string();
  EXPECT_EQ(study->problem->files,
            (std::vector<std::string>{(folder / "a.json").string(), "/b.json"}));
}

TEST(StudyFile, ARowsSensitivityDependsOnWhetherErrorBarsAreAskedFor) {
  StudyText text = record_text();
  EXPECT_EQ(parse_study(text.text(), "s")->privacy.sensitivity.value(), 1.5);
  text.set("solve", "error_bars", "false");
  const auto lean = parse_study(text.text(), "s");
  ASSERT_TRUE(lean.has_value()) << lean.error().to_string();
  EXPECT_FALSE(lean->solve.error_bars);
  EXPECT_NEAR(lean->privacy.sensitivity.value(), std::sqrt(2.0), 1e-12);

  StudyText entry = paper_text();
  entry.set("solve", "error_bars", "false");
  const auto refused_there = parse_study(entry.text(), "s");
  ASSERT_FALSE(refused_there.has_value());
  EXPECT_EQ(refused_there.error().name, "E-study-value");
}

}  // namespace
}  // namespace sotto
