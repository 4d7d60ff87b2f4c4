// Every solver, three settings, every observer: no attack proves more than is claimed, and those of
// the eavesdropper and of the coalition that a study is calibrated for prove most of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "run/audit/audit.h"
#include "study/study.h"

namespace sotto {
namespace {

struct AuditedSetting {
  const char* name;
  Solver solver;
  const char* privacy;
  const char* graph;
  const char* rest;
};

const char* const kEntries = "[problem]\nfamily = \"paper\"\nm = 2\nseed = 1\n";
const char* const kSharedEntries =
    "[problem]\nfamily = \"paper\"\nm = 2\nseed = 1\n[dishuf]\nnoise = \"shared\"\n";
const char* const kRows =
    "[data]\ntarget = { column = \"y\", bounds = [0, 2] }\n"
    "[[data.feature]]\ncolumn = \"x\"\nbounds = [0, 1]\n"
    "[[data.feature]]\ncolumn = \"c\"\nlevels = [\"a\", \"b\"]\n";
const char* const kBoundedRows =
    "[data]\nweighting = \"bounded\"\ntarget = { column = \"y\", bounds = [0, 2] }\n"
    "[[data.feature]]\ncolumn = \"x\"\nbounds = [0, 1]\n";
const char* const kEntry1 = "epsilon = 1\ndelta = 0.05\nunit = \"entry\"\nmu = 3\n";
const char* const kEntry2 = "epsilon = 10\ndelta = 0.2\nunit = \"entry\"\nmu = 3\n";
const char* const kEntry3 = "epsilon = 2\ndelta = 1e-6\nunit = \"entry\"\nmu = 0.1\n";
const char* const kRecord =
    "epsilon = 1\ndelta = 1e-6\nunit = \"record\"\nneighbours = \"add-remove\"\n";
const char* const kReplace =
    "epsilon = 0.5\ndelta = 1e-5\nunit = \"record\"\nneighbours = \"replace\"\n";
const char* const kCycle = "topology = \"cycle\"\nparties = 5\n";
const char* const kPetersen = "topology = \"petersen\"\n";
const char* const kComplete = "topology = \"complete\"\nparties = 4\n";

class AuditOfEverySolver : public testing::TestWithParam<AuditedSetting> {};

TEST_P(AuditOfEverySolver, ProvesNoMoreThanIsClaimedAndMostOfIt) {
  const AuditedSetting& setting = GetParam();
  const std::string text = fmt::format(
      "[study]\nname = \"audited\"\nsolver = \"{}\"\n[privacy]\n{}colluders = 1\n[graph]\n{}"
      "weight = \"metropolis\"\n[gt]\nlambda_min = 200\n{}",
      to_string(setting.solver), setting.privacy, setting.graph, setting.rest);
  const auto study = parse_study(text, "audited.toml");
  ASSERT_TRUE(study.has_value()) << study.error().to_string();
  const auto planned = plan_study(*study, setting.solver);
  ASSERT_TRUE(planned.has_value()) << planned.error().to_string();
  const auto report = audit_study(*planned, {.seed = 1, .runs = 16'000});
  ASSERT_TRUE(report.has_value()) << report.error().to_string();
  fmt::print("{}", to_text(*study, *report));
  EXPECT_FALSE(report->disproved());
  for (const AuditedObserver& observer : report->observers) {
    const Observer who = observer.claimed.observer;
    const bool guaranteed = who == Observer::kEavesdropper || who == Observer::kColluders;
    if (!guaranteed) continue;
    EXPECT_GE(observer.provable(), 0.8 * observer.claimed.epsilon_at_delta * observer.moved)
        << observer_name(observer.claimed);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, AuditOfEverySolver,
    testing::Values(
        AuditedSetting{"AcEntry", Solver::kAc, kEntry1, kCycle, kEntries},
        AuditedSetting{"AcRow", Solver::kAc, kRecord, kPetersen, kRows},
        AuditedSetting{"AcReplace", Solver::kAc, kReplace, kComplete, kBoundedRows},
        AuditedSetting{"DishufEntry", Solver::kDishuf, kEntry2, kPetersen, kEntries},
        AuditedSetting{"DishufRow", Solver::kDishuf, kRecord, kCycle, kRows},
        AuditedSetting{"DishufReplace", Solver::kDishuf, kReplace, kComplete, kBoundedRows},
        AuditedSetting{"DishufShared", Solver::kDishuf, kEntry1, kComplete, kSharedEntries},
        AuditedSetting{"PairwiseEntry", Solver::kPairwise, kEntry2, kPetersen, kEntries},
        AuditedSetting{"PairwiseRow", Solver::kPairwise, kRecord, kCycle, kRows},
        AuditedSetting{"PairwiseReplace", Solver::kPairwise, kReplace, kComplete, kBoundedRows},
        AuditedSetting{"GtEntry", Solver::kGt, kEntry1, kCycle, kEntries},
        AuditedSetting{"GtPapersEpsilon", Solver::kGt, kEntry2, kCycle, kEntries},
        AuditedSetting{"GtTinyDelta", Solver::kGt, kEntry3, kComplete, kEntries}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace sotto
