#include "plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/json.h"
#include "support/studies.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Plan plan_of(const Study& study, Solver solver) {
  auto plan = make_plan(study, solver);
  EXPECT_TRUE(plan.has_value()) << plan.error().to_string();
  return std::move(*plan);
}

Error error_of(const StudyText& text, Solver solver) {
  const auto plan = make_plan(study_of(text), solver);
  EXPECT_FALSE(plan.has_value());
  return plan ? Error{} : plan.error();
}

std::vector<std::string> names_of(const Plan& plan) {
  std::vector<std::string> names;
  for (const Adversary& adversary : plan.adversaries) names.push_back(observer_name(adversary));
  return names;
}

// reference: 60-digit arithmetic; the paper's setting, ā = 1000.
struct ReferenceRow {
  std::size_t parties;
  double sigma_gamma;
  double sigma_eta;
  double sigma_edge;
  double lemma1_log10_sigma_eta;
};
constexpr ReferenceRow kReference[] = {
    {10, 0.24559808835689806, 49.1589723575951, 8.399440226387057, 13.879212567753215725},
    {50, 0.10983480414200474, 1369.766691754795, 43.17445123177083, 101.27391971753757758},
    {250, 0.04911961767137961, 34615.75866395828, 217.5257444727577, 676.37645741614178391}};
constexpr double kKappaBar = 3.9013745483174363128;  // κ̄_10(0.2)

TEST(PlanNumbers, AgreeWithTheReferenceOnThePapersCycles) {
  for (const ReferenceRow& row : kReference) {
    const Study study = study_of(shared_paper_text(row.parties));
    const Json dishuf = to_json(study, plan_of(study, Solver::kDishuf));
    EXPECT_NEAR(dishuf["privacy"]["kappa_bar"], kKappaBar, 1e-12);
    EXPECT_NEAR(dishuf["noise"]["sigma_gamma"], row.sigma_gamma, 1e-9 * row.sigma_gamma);
    EXPECT_NEAR(dishuf["noise"]["sigma_eta"], row.sigma_eta, 1e-9 * row.sigma_eta);
    EXPECT_EQ(dishuf["noise"]["inverse_zeta"], 2000001);
    const Json pairwise = to_json(study, plan_of(study, Solver::kPairwise));
    EXPECT_NEAR(pairwise["noise"]["sigma_gamma"], row.sigma_gamma, 1e-9 * row.sigma_gamma);
    EXPECT_NEAR(pairwise["noise"]["sigma_edge"], row.sigma_edge, 1e-9 * row.sigma_edge);
    const Json ac = to_json(study, plan_of(study, Solver::kAc));
    EXPECT_NEAR(ac["noise"]["sigma_gamma"], 3 / kKappaBar, 1e-9);
  }
}

TEST(PlanNumbers, AgreeWithTheReferenceForLemma1PastWhatADoubleHolds) {
  for (const ReferenceRow& row : kReference) {
    const Study study =
        study_of(paper_text(row.parties).set("dishuf", "calibration", "\"lemma1\""));
    const Json noise = to_json(study, plan_of(study, Solver::kDishuf))["noise"];
    EXPECT_NEAR(noise["log10_sigma_eta"], row.lemma1_log10_sigma_eta, 1e-9);
    EXPECT_NEAR(noise["sigma_gamma"], row.sigma_gamma, 1e-9 * row.sigma_gamma);
    EXPECT_EQ(noise.contains("sigma_eta"), row.parties < 250);  // 10^676 is no double
  }
}

TEST(PlanNumbers, NeverRoundTheNoiseDown) {
  for (const ReferenceRow& row : kReference) {
    const Study study = study_of(shared_paper_text(row.parties));
    const Json noise = to_json(study, plan_of(study, Solver::kDishuf))["noise"];
    EXPECT_GE(noise["sigma_gamma"].get<double>(), row.sigma_gamma);
    EXPECT_GE(noise["sigma_eta"].get<double>(), row.sigma_eta * (1 - 1e-15));
  }
}

TEST(PlanNumbers, StateWhatTheSumCostsAgainstATrustedCentre) {
  const Study study = study_of(paper_text());
  // (1+g) for what is calibrated to the graph, √n for everybody on their own.
  EXPECT_NEAR(plan_of(study, Solver::kDishuf).central_ratio, 1.01, 1e-9);
  EXPECT_NEAR(plan_of(study, Solver::kPairwise).central_ratio, 1.01, 1e-9);
  EXPECT_NEAR(plan_of(study, Solver::kAc).central_ratio, std::sqrt(10.0), 1e-9);
  EXPECT_NEAR(plan_of(study, Solver::kDishuf).sum_noise_sd, std::sqrt(10.0) * 0.24559808835689806,
              1e-9);
}

TEST(PlanAdversaries, StandFromTheWeakestToTheStrongest) {
  const Study alone = study_of(paper_text());
  StudyText text = paper_text();
  text.set("privacy", "colluders", "2").set("graph", "topology", "\"petersen\"");
  const Study colluding = study_of(text);
  for (const Solver solver : {Solver::kGt, Solver::kAc, Solver::kDishuf, Solver::kPairwise}) {
    EXPECT_THAT(names_of(plan_of(alone, solver)),
                ElementsAre("eavesdropper", "neighbour", "all-neighbours"))
        << to_string(solver);
    const Plan plan = plan_of(colluding, solver);
    EXPECT_THAT(names_of(plan),
                ElementsAre("eavesdropper", "neighbour", "colluders-2", "all-neighbours"))
        << to_string(solver);
    for (std::size_t k = 1; k < plan.adversaries.size(); ++k) {
      EXPECT_GE(plan.adversaries[k].shift, plan.adversaries[k - 1].shift) << to_string(solver);
    }
    EXPECT_LE(plan.adversaries[2].delta_at_epsilon, 0.2 * (1 + 1e-9)) << to_string(solver);
  }
}

TEST(PlanAdversaries, AreWarnedAboutWhereTheGuaranteeDoesNotReach) {
  const Study study = study_of(shared_paper_text());
  const Plan plan = plan_of(study, Solver::kDishuf);
  EXPECT_LE(plan.adversaries[0].delta_at_epsilon, 0.2);
  // reference: 60-digit arithmetic, one curious neighbour on the cycle of 10 sees at
  // least 7.51 standard deviations.
  EXPECT_GE(plan.adversaries[1].shift, 7.5117);
  EXPECT_THAT(plan.warnings, testing::Contains(HasSubstr("against neighbour")));
  EXPECT_THAT(plan_of(study, Solver::kAc).warnings, testing::IsEmpty());
}

TEST(PlanRecord, TakesTheRowsSensitivityAndOneEntryMoreForTheTargetsSquares) {
  const Study study = study_of(record_text());
  for (const Solver solver : {Solver::kDishuf, Solver::kAc, Solver::kPairwise}) {
    const Plan plan = plan_of(study, solver);
    const std::size_t m = study.data->entries();
    EXPECT_EQ(plan.dimension, m);
    EXPECT_EQ(plan.entries, m * (m + 3) / 2 + 1);
    const Json json = to_json(study, plan);
    EXPECT_EQ(json["privacy"]["unit"], "record");
    EXPECT_EQ(json["privacy"]["sensitivity"], 1.5);  // √(1+w²+v²), w = 1, v = 1/2
  }
  // reference: 60-digit arithmetic, κ̄_1(1e-6)
  EXPECT_NEAR(plan_of(study, Solver::kAc).kappa_bar, 0.23670438066343570965, 1e-12);
}

TEST(PlanRecord, RefusesGtWhateverTheStudysOwnSolver) {
  const Error error = error_of(record_text(), Solver::kGt);
  EXPECT_EQ(error.name, "E-gt-record");
  EXPECT_EQ(error.status, Status::kRefused);
}

TEST(PlanGt, NamesTheDeltaOfATruncationAndTheOneThatWouldDo) {
  const Error error = error_of(paper_text().set("gt", "truncation", "3.1"), Solver::kGt);
  EXPECT_EQ(error.name, "E-gt-truncation");
  EXPECT_EQ(error.status, Status::kRefused);
  // reference: 60-digit arithmetic, 0.35826104… and 3.27487904…
  EXPECT_THAT(error.what, HasSubstr("δ = 0.358261"));
  EXPECT_THAT(error.fix, HasSubstr("3.27487904"));
}

TEST(PlanGt, NeedsAPublicBoundOnTheEigenvalues) {
  EXPECT_EQ(error_of(paper_text().remove("gt", "lambda_min"), Solver::kGt).name, "E-gt-lambda");
  EXPECT_EQ(error_of(paper_text().set("gt", "lambda_min", "1.0"), Solver::kGt).status,
            Status::kRefused);
}

// λ_min = 200 and γ̄ = 3.275 at m = 3: 200/(3·3.275) = 20.4 parties.
TEST(PlanOfGt, SaysWithHowManyPartiesItsGuaranteeEnds) {
  const auto with = [](const std::string& parties, const std::string& lambda_min,
                       const std::string& sum) {
    return paper_text()
        .set("graph", "parties", parties)
        .set("gt", "lambda_min", lambda_min)
        .set("gt", "step", "\"auto\"")
        .set("problem", "sum", sum);
  };
  const Plan ten = plan_of(study_of(with("10", "200.0", "\"fixed\"")), Solver::kGt);
  EXPECT_EQ(ten.convexity->most_parties, 20);
  EXPECT_NEAR(ten.convexity->margin, 10 * 3 * 3.274879 / 200, 1e-5);
  // At the end it holds, and beyond it is refused.
  EXPECT_LT(plan_of(study_of(with("20", "200.0", "\"fixed\"")), Solver::kGt).convexity->margin, 1);
  EXPECT_EQ(error_of(with("21", "200.0", "\"fixed\""), Solver::kGt).name, "E-gt-convexity");
  // Costs that grow bring λ_min = 20·n along: the margin stays, and there is no end.
  for (const auto& [parties, lambda_min] : std::vector<std::pair<std::string, std::string>>{
           {"10", "200.0"}, {"60", "1200.0"}, {"60", "\"family\""}}) {
    const Plan plan = plan_of(study_of(with(parties, lambda_min, "\"grows\"")), Solver::kGt);
    EXPECT_EQ(plan.convexity->most_parties, std::nullopt);
    EXPECT_NEAR(plan.convexity->margin, ten.convexity->margin, 1e-12);
    EXPECT_THAT(plan.warnings, testing::IsEmpty());
  }
}

TEST(PlanGt, TakesAFamilysEigenvalueOnlyWhereThereIsAFamily) {
  StudyText text = paper_text().set("gt", "lambda_min", "\"family\"");
  EXPECT_EQ(study_of(text).gt.lambda_min, 200);
  text.remove("problem", "family").remove("problem", "seed");
  const auto files = text.set("problem", "files", "[\"costs.json\"]").parse();
  ASSERT_FALSE(files);
  EXPECT_THAT(files.error().what, HasSubstr("not of a family"));
}

TEST(PlanGt, RefusesAnUnstableStepAndNamesTheLargestStableOne) {
  const Error error = error_of(paper_text().set("gt", "step", "1.0"), Solver::kGt);
  EXPECT_EQ(error.name, "E-gt-step");
  EXPECT_EQ(error.status, Status::kBadInput);
  const std::size_t at = error.fix.find("below ");
  ASSERT_NE(at, std::string::npos) << error.fix;
  const double largest = std::stod(error.fix.substr(at + 6));
  // The step it names is where stability ends: a little below goes, a little above does not.
  const auto with_step = [](double step) {
    return make_plan(study_of(paper_text().set("gt", "step", fmt::format("{}", step))),
                     Solver::kGt);
  };
  EXPECT_TRUE(with_step(0.99 * largest).has_value());
  EXPECT_FALSE(with_step(1.01 * largest).has_value());
}

TEST(PlanGt, CallsAStepThatGetsNowhereShortAndNotUnstable) {
  const Error error = error_of(paper_text().set("gt", "step", "1e-90"), Solver::kGt);
  EXPECT_EQ(error.name, "E-gt-step");
  EXPECT_THAT(error.what, HasSubstr("too short"));
}

TEST(PlanGt, ChoosesStepAndRoundsByItself) {
  const Plan plan = plan_of(study_of(paper_text()), Solver::kGt);
  ASSERT_TRUE(plan.rounds.rounds && plan.rounds.rate);
  EXPECT_EQ(rounds_name(plan.rounds.method), "gradient-tracking");
  EXPECT_GT(*plan.rounds.rate, 0);
  EXPECT_LT(*plan.rounds.rate, 1);
  EXPECT_LE(std::pow(*plan.rounds.rate, *plan.rounds.rounds), 1e-9);
  const Plan hurried = plan_of(study_of(paper_text().set("gt", "rounds", "3")), Solver::kGt);
  EXPECT_THAT(hurried.warnings, testing::Contains(HasSubstr("after 3 rounds")));
}

TEST(PlanDishuf, RefusesWhatLemma1CannotDo) {
  StudyText text = paper_text();
  text.set("dishuf", "calibration", "\"lemma1\"").set("study", "solver", "\"ac\"");
  EXPECT_EQ(error_of(StudyText(text).set("privacy", "colluders", "1"), Solver::kDishuf).name,
            "E-lemma1-colluders");
  EXPECT_EQ(error_of(StudyText(text).set("consensus", "method", "\"plain\""), Solver::kDishuf).name,
            "E-lemma1-consensus");
}

TEST(PlanDishuf, RefusesAGraphThatTheColludersCanCut) {
  for (const Solver solver : {Solver::kDishuf, Solver::kPairwise}) {
    const Error error = error_of(paper_text().set("privacy", "colluders", "2"), solver);
    EXPECT_EQ(error.name, "E-colluders-cut");
    EXPECT_EQ(error.status, Status::kRefused);
  }
}

// DESIGN's contract with scripts: names and types.
void expect_contract(const Json& plan) {
  EXPECT_TRUE(plan["solver"].is_string());
  EXPECT_TRUE(plan["parties"].is_number_unsigned());
  EXPECT_TRUE(plan["entries"].is_number_unsigned());
  for (const char* key : {"epsilon", "delta", "sensitivity", "kappa_bar"}) {
    EXPECT_TRUE(plan["privacy"][key].is_number_float()) << key;
  }
  EXPECT_TRUE(plan["privacy"]["unit"].is_string());
  ASSERT_TRUE(plan["noise"].is_object());
  for (const auto& [key, value] : plan["noise"].items()) EXPECT_TRUE(value.is_number()) << key;
  ASSERT_TRUE(plan["adversaries"].is_array());
  for (const Json& adversary : plan["adversaries"]) {
    EXPECT_TRUE(adversary["name"].is_string());
    EXPECT_TRUE(adversary["delta_at_epsilon"].is_number());
    for (const char* key : {"shift", "epsilon_at_delta"}) {
      EXPECT_TRUE(adversary[key].is_number() || adversary[key].is_null()) << key;
    }
  }
  EXPECT_TRUE(plan["consensus"]["method"].is_string());
  for (const char* key : {"rounds", "rate"}) {
    ASSERT_TRUE(plan["consensus"].contains(key));
    EXPECT_TRUE(plan["consensus"][key].is_number() || plan["consensus"][key].is_null()) << key;
  }
  EXPECT_TRUE(plan["accuracy"]["sum_noise_sd"].is_number());
  EXPECT_TRUE(plan["accuracy"]["central_ratio"].is_number());
  EXPECT_TRUE(plan["warnings"].is_array());
}

TEST(PlanJson, KeepsTheContractForEverySolver) {
  const Study study = study_of(paper_text());
  const std::map<Solver, std::vector<std::string>> noise{
      {Solver::kGt, {"truncation"}},
      {Solver::kAc, {"sigma_gamma"}},
      {Solver::kDishuf, {"sigma_gamma", "sigma_eta", "inverse_zeta"}},
      {Solver::kPairwise, {"sigma_gamma", "sigma_edge"}}};
  for (const auto& [solver, keys] : noise) {
    const Json json = to_json(study, plan_of(study, solver));
    expect_contract(json);
    EXPECT_EQ(json["solver"], to_string(solver));
    EXPECT_EQ(json["entries"], 9);
    for (const std::string& key : keys) EXPECT_TRUE(json["noise"].contains(key)) << key;
    EXPECT_EQ(parse_json(json.dump()), json);
  }
  const Study table = study_of(record_text());
  expect_contract(to_json(table, plan_of(table, Solver::kDishuf)));
}

TEST(PlanJson, WritesInfinityAsNull) {
  const Study study = study_of(paper_text());
  Plan plan = plan_of(study, Solver::kDishuf);
  plan.adversaries.back().epsilon_at_delta = std::numeric_limits<double>::infinity();
  plan.adversaries.back().shift = std::numeric_limits<double>::infinity();
  const Json json = parse_json(to_json(study, plan).dump());
  EXPECT_TRUE(json["adversaries"].back()["epsilon_at_delta"].is_null());
  EXPECT_TRUE(json["adversaries"].back()["shift"].is_null());
}

TEST(Plan, OpensNoFileOfCosts) {
  StudyText text = paper_text(4);
  text.remove("problem").set("problem", "file", "\"nowhere.json\"");
  const auto blind = make_plan(study_of(text), Solver::kAc);
  ASSERT_FALSE(blind.has_value());
  EXPECT_EQ(blind.error().name, "E-problem-dimension");
  text.set("problem", "m", "3");
  EXPECT_EQ(plan_of(study_of(text), Solver::kAc).dimension, 3U);
}

TEST(PlanJson, KeepsAnInverseZetaPastSixtyFourBits) {
  StudyText text = paper_text(8);
  text.set("graph", "topology", "\"complete\"").remove("graph", "weight");
  text.set("dishuf", "a_bar", "2147483648");
  const Study study = study_of(text);
  const Json noise = to_json(study, plan_of(study, Solver::kDishuf))["noise"];
  EXPECT_NEAR(noise["inverse_zeta"].get<double>(), 7 * 0x1p62, 0x1p10);  // d_max·ā² + 1
}

TEST(PlanText, TellsAPersonTheSame) {
  const Study study = study_of(shared_paper_text());
  const std::string text = to_text(study, plan_of(study, Solver::kDishuf));
  for (const char* word : {"dishuf with 10 parties", "ε = 10, δ = 0.2", "49.159", "eavesdropper",
                           "all-neighbours", "exact, 5 rounds"}) {
    EXPECT_THAT(text, HasSubstr(word));
  }
}

TEST(WeakSettings, AreSaidToProtectNobody) {
  const auto budget = [](double epsilon, double delta) { return *Budget::make(epsilon, delta); };
  EXPECT_FALSE(weak_epsilon(budget(20, 1e-6)).has_value());
  EXPECT_THAT(weak_epsilon(budget(20.5, 1e-6)).value_or(""), HasSubstr("ε = 20.5 protects nobody"));
  EXPECT_FALSE(weak_delta(budget(1, 1e-3), 1000).has_value());
  EXPECT_THAT(weak_delta(budget(1, 1e-3), 1001).value_or(""),
              HasSubstr("δ = 0.001 is above 1/rows"));
  const Study study = study_of(record_text().set("privacy", "epsilon", "25"));
  EXPECT_THAT(make_plan(study, study.solver)->warnings,
              testing::Contains(HasSubstr("protects nobody")));
}

}  // namespace
}  // namespace sotto
