#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "study/study.h"
#include "support/studies.h"
#include "support/temporary_folder.h"

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
  EXPECT_EQ(edges_of("torus", "12"), 24U);
  EXPECT_EQ(edges_of("base", "8"), 12U);  // digits of two values
  EXPECT_EQ(edges_of("erdos-renyi", "9"), 18U);
  EXPECT_EQ(edges_of("small-world", "10"), 20U);
  EXPECT_EQ(edges_of("random-regular", "20000"), 40'000U);
}

TEST(StudyFile, OfManyPartiesNamesNobodyAndIsForNoNetwork) {
  StudyText text = paper_text().set("graph", "parties", "10000");
  EXPECT_EQ(text.parse()->parties.size(), 10'000U);
  const auto many = text.set("graph", "parties", "10001").parse();
  ASSERT_TRUE(many.has_value()) << many.error().to_string();
  EXPECT_TRUE(many->parties.empty());
  EXPECT_EQ(check_network(*many).error().name, "E-network-graph");
}

TEST(StudyFile, TakesOnlyTheKeysThatItsTopologyHas) {
  const auto refused = [](const char* topology, const char* key, const char* value) {
    StudyText text = paper_text().remove("graph", "weight");
    text.set("graph", "topology", fmt::format("\"{}\"", topology)).set("graph", key, value);
    const auto study = text.parse();
    return study ? "none" : study.error().name;
  };
  EXPECT_EQ(refused("small-world", "rewire", "0.5"), "none");
  EXPECT_EQ(refused("small-world", "rewire", "1.5"), "E-graph-rewire");
  EXPECT_EQ(refused("cycle", "rewire", "0.5"), "E-study-value");
  EXPECT_EQ(refused("base", "base", "5"), "none");
  EXPECT_EQ(refused("base", "base", "3"), "E-graph-base");  // 10 = 2·5
  EXPECT_EQ(refused("torus", "base", "5"), "E-study-value");
  EXPECT_EQ(refused("cycle", "file", "\"edges.txt\""), "E-study-value");
  EXPECT_EQ(refused("erdos-renyi", "degree", "4"), "none");
  EXPECT_EQ(refused("grid", "seed", "4"), "E-study-value");
}

TEST(StudyFile, TakesEdgesByNumberOrByName) {
  StudyText text = paper_text(3);
  text.set("graph", "topology", "\"edges\"").set("graph", "edges", "[[1, 2], [\"Süd\", \"日本\"]]");
  text.remove("graph", "parties");
  text.append("[[party]]\nname = \"north\"\naddress = \"north.example:7101\"\n");
  const std::string fingerprint = "sha256:" + std::string(64, '0');
  text.append(fmt::format("fingerprint = \"{}\"\n", fingerprint));
  text.append("[[party]]\nname = \"Süd\"\n[[party]]\nname = \"日本\"\n");
  const auto study = text.parse();
  ASSERT_TRUE(study.has_value()) << study.error().to_string();
  EXPECT_EQ(std::vector<Edge>(study->graph().edges().begin(), study->graph().edges().end()),
            (std::vector<Edge>{{0, 1}, {1, 2}}));
  EXPECT_EQ(study->parties[0].address, "north.example:7101");
  EXPECT_EQ(study->parties[0].fingerprint, fingerprint);
  EXPECT_EQ(study->parties[2].name, "日本");
}

TEST(StudyFile, APartyHasOneFingerprintOrTwo) {
  const auto with = [](const std::string& fingerprints) {
    StudyText text = paper_text(2);
    text.set("graph", "topology", "\"path\"").remove("graph", "parties");
    text.append("[[party]]\nname = \"north\"\naddress = \"north.example:7101\"\nfingerprint = " +
                fingerprints + "\n[[party]]\nname = \"south\"\nfingerprint = \"sha256:" +
                std::string(64, '3') + "\"\n");
    return text.parse();
  };
  const std::string one = "\"sha256:" + std::string(64, '1') + "\"";
  const std::string two = "\"sha256:" + std::string(64, '2') + "\"";
  const std::string three = "\"sha256:" + std::string(64, '3') + "\"";
  const auto both = with("[" + one + ", " + two + "]");
  ASSERT_TRUE(both) << both.error().to_string();
  EXPECT_TRUE(check_network(*both));
  EXPECT_EQ(both->parties[0].other_fingerprint, "sha256:" + std::string(64, '2'));
  EXPECT_TRUE(with(one)->parties[0].other_fingerprint.empty());
  EXPECT_FALSE(with("[]"));
  EXPECT_FALSE(with("[" + one + ", " + two + ", " + three + "]"));
  EXPECT_FALSE(with("[1, 2]"));
  EXPECT_FALSE(check_network(*with("[" + one + ", " + three + "]"))) << "it is south's";
  EXPECT_FALSE(check_network(*with("[" + one + ", " + one + "]")));
  EXPECT_FALSE(check_network(*with("[" + one + ", \"sha256:2\"]")));
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
  StudyText crowded = paper_text(3);
  for (const char* name : {"a", "b", "c", "d"}) {
    crowded.append(fmt::format("[[party]]\nname = \"{}\"\n", name));
  }
  EXPECT_EQ(error_of(crowded).name, "E-study-value");
  EXPECT_TRUE(paper_text(3).append("[[party]]\nname = \"first\"\n").parse().has_value())
      << "the others are still to come";
}

TEST(StudyFile, RefusesTwoPartiesOfOneName) {
  StudyText text = paper_text(3);
  text.append("[[party]]\nname = \"a\"\n[[party]]\nname = \"b\"\n[[party]]\nname = \"a\"\n");
  const Error error = error_of(text);
  EXPECT_THAT(error.what, HasSubstr("two parties are called \"a\""));
  EXPECT_THAT(error.where, HasSubstr("line"));
}

// Found by the fuzzer of parties' files.
TEST(StudyFile, WhoseGraphStandsInAFileIsForNoNetwork) {
  const TemporaryFolder folder;
  std::ofstream(folder / "edges.txt") << "1 2\n2 3\n";
  StudyText text =
      paper_text(3).set("graph", "topology", "\"file\"").set("graph", "file", "\"edges.txt\"");
  text.remove("graph", "parties").remove("graph", "weight");
  const auto study = parse_study(text.text(), "study.toml", folder.path());
  ASSERT_TRUE(study.has_value()) << study.error().to_string();
  EXPECT_EQ(check_network(*study).error().name, "E-network-graph");
}

TEST(StudyFile, BreaksDeltaForMadeUpCostsAlone) {
  const StudyText text =
      paper_text().set("gt", "truncation", "3.1").set("gt", "keep_delta", "false");
  EXPECT_TRUE(text.parse().has_value());
  EXPECT_EQ(error_of(StudyText(text).remove("problem")).name, "E-gt-delta");
  const Error files = error_of(StudyText(text)
                                   .remove("problem")
                                   .set("problem", "files", "[\"a.json\"]")
                                   .set("problem", "m", "3"));
  EXPECT_EQ(files.name, "E-gt-delta");
  EXPECT_EQ(files.status, Status::kRefused);
}

TEST(StudyFile, RefusesAPartyWhoseNameIsEmpty) {
  const Error error = error_of(paper_text(3).append("[[party]]\nname = \"\"\n"));
  EXPECT_EQ(error.name, "E-study-value");
  EXPECT_THAT(error.what, HasSubstr("a party's name is empty"));
  EXPECT_THAT(error.where, HasSubstr("line"));
  const Error missing = error_of(paper_text(3).append("[[party]]\naddress = \"a:1\"\n"));
  EXPECT_THAT(missing.what, testing::Not(HasSubstr("empty"))) << "said once";
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

TEST(StudyFile, TakesLevelsThatAreNumbersAndALevelForAllOthers) {
  const auto last = [](const std::string& lines) {
    const auto study = record_text().append("[[data.feature]]\ncolumn = \"z\"\n" + lines).parse();
    EXPECT_TRUE(study) << lines << study.error().to_string();
    return std::get<CategoricalFeature>(study->data->features.back());
  };
  const auto numbers = last("levels = [0, 1, 2.5]\n");
  EXPECT_TRUE(numbers.numbers);
  EXPECT_EQ(numbers.levels, (std::vector<std::string>{"0", "1", "2.5"}));
  const auto texts = last("levels = [\"0\", \"1\"]\n");
  EXPECT_FALSE(texts.numbers || texts.other);
  const auto more = last("levels = [\"a\"]\nother = true\n");
  EXPECT_TRUE(more.other);
  EXPECT_EQ(more.levels, (std::vector<std::string>{"a", "other"}));
  const auto first = last("levels = [\"other\", \"a\"]\nother = true\n");
  EXPECT_EQ(first.levels, (std::vector<std::string>{"other", "a"}));
  const auto both = last("levels = [1, 2]\nother = true\n");
  EXPECT_EQ(both.levels, (std::vector<std::string>{"1", "2", "other"}));

  const auto refused = [](const std::string& lines) {
    return error_of(record_text().append("[[data.feature]]\ncolumn = \"z\"\n" + lines)).name;
  };
  EXPECT_EQ(refused("levels = [1, \"a\"]\n"), "E-study-value");
  EXPECT_EQ(refused("levels = [\"a\", 1]\n"), "E-study-value");
  EXPECT_EQ(refused("levels = [1, 1.0]\n"), "E-schema-levels");
  EXPECT_EQ(refused("bounds = [0, 1]\nother = true\n"), "E-study-value");
  EXPECT_EQ(refused("levels = [\"a\", \"b\"]\nother = \"yes\"\n"), "E-study-value");
}

TEST(StudyFile, SaysWhatStandsForAMissingValue) {
  const auto usual = record_text().parse();
  EXPECT_EQ(usual->data->missing_values, (std::vector<std::string>{"", "NA", "NaN", "NULL", "."}));
  const auto own = record_text().set("data", "missing_values", "[\"-9\"]").parse();
  ASSERT_TRUE(own) << own.error().to_string();
  EXPECT_EQ(own->data->missing_values, (std::vector<std::string>{"-9"}));
  EXPECT_EQ(error_of(record_text().set("data", "missing_values", "[-9]")).name, "E-study-value");
  EXPECT_EQ(error_of(record_text().set("data", "missing_values", "[\"yes\"]")).name,
            "E-schema-levels");
}

TEST(StudyFile, ReadsWhenTheMeetingBegins) {
  const auto with = [](const std::string& start) {
    return paper_text().set("network", "start", "\"" + start + "\"");
  };
  const auto study = with("2026-01-31T09:00:05Z").parse();
  ASSERT_TRUE(study.has_value()) << study.error().to_string();
  EXPECT_EQ(study->network.start, 1'769'850'005);
  EXPECT_FALSE(paper_text().parse()->network.start.has_value());
  for (const char* bad : {"", "tomorrow", "2026-02-30T09:00:00Z", "2026-01-31T09:00:00",
                          "2026-01-31T25:00:00Z", "2026-01-31T09:60:00Z", "2026-1-31T09:00:00ZZ",
                          "2026-01-31 09:00:00Z", "+026-01-31T09:00:00Z", "1926-01-31T09:00:00Z"}) {
    const Error error = error_of(with(bad));
    EXPECT_EQ(error.name, "E-study-value") << bad;
    EXPECT_THAT(error.to_string(), HasSubstr("is not a time")) << bad;
  }
  EXPECT_TRUE(with("2261-12-31T23:59:59Z").parse());
  for (const char* late :
       {"2262-01-01T00:00:00Z", "2262-04-12T00:00:00Z", "9999-12-31T23:59:59Z"}) {
    const Error error = error_of(with(late));
    EXPECT_EQ(error.name, "E-study-value") << late;
    EXPECT_THAT(error.to_string(), HasSubstr("give a time before the end of 2261")) << late;
  }
}

TEST(StudyFile, FindsProblemFilesBesideTheStudy) {
  const TemporaryFolder folder;
  const auto path = folder / "study.toml";
  StudyText text = paper_text();
  text.remove("problem").set("problem", "files", "[\"a.json\", \"/b.json\"]");
  std::ofstream(path) << text.text();
  const auto study = read_study(path.string());
  ASSERT_TRUE(study.has_value()) << study.error().to_string();
  EXPECT_EQ(study->problem->files,
            (std::vector<std::string>{(folder / "a.json").string(), "/b.json"}));
}

}  // namespace
}  // namespace sotto
