#include "cli/text/consent.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdio>
#include <map>

#include "base/json.h"
#include "cli/demo/demo.h"
#include "network/transport.h"
#include "run/account.h"
#include "run/join/join.h"
#include "store/store.h"
#include "study/policy.h"
#include "support/command_line.h"
#include "support/source_tree.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(ExamplePolicy, IsReadAsItIsWritten) {
  const auto text = read_text(std::filesystem::path(SOTTO_SOURCE_DIR) / "examples/policy.toml");
  const auto policy = parse_policy(text, "examples/policy.toml");
  ASSERT_TRUE(policy.has_value()) << policy.error().to_string();
  EXPECT_EQ(policy->epsilon_max, 1.0);
  EXPECT_EQ(policy->delta_max, 1e-5);
  EXPECT_EQ(policy->colluders_min, 1U);
  EXPECT_TRUE(policy->require_limit);
  EXPECT_THAT(policy->solvers, ElementsAre(Solver::kDishuf, Solver::kPairwise, Solver::kAc));
  EXPECT_EQ(policy->rows_min, 100U);
  EXPECT_EQ(policy->parties_min, 3U);
  EXPECT_THAT(policy->columns_forbidden, ElementsAre("name", "*_id", "diagnosis*"));
}

// Two parties on loopback, of whom the second dials the first. Every join here ends before it would
// wait for anybody: by a problem, or because nobody is there to answer --ask.
class Consenting : public FolderTest {
 protected:
  void SetUp() override {
    auto stage = set_up_demo({.folder = path("stage"),
                              .parties = 2,
                              .rows = 200,
                              .solver = Solver::kPairwise,
                              .keep = false});
    ASSERT_TRUE(stage) << stage.error().to_string();
    stage_ = std::move(*stage);
    ASSERT_NE(std::freopen("/dev/null", "r", stdin), nullptr);
  }

  [[nodiscard]] const DemoParty& party(std::size_t i) const { return stage_.parties.at(i); }

  [[nodiscard]] CommandRun run(const std::string& verb, std::size_t i,
                               std::map<std::string, std::string> more = {}) const {
    more.insert({{"--data", party(i).table}, {"--home", party(i).home}});
    std::vector<std::string> words{verb, stage_.study, "--as", party(i).name};
    for (const auto& [option, value] : more) words.push_back(fmt::format("{}={}", option, value));
    if (verb == "join") words.emplace_back("--ask");
    if (verb == "check") words.emplace_back("--seconds=0");
    return run_sotto(std::move(words));
  }
  [[nodiscard]] CommandRun join(const std::map<std::string, std::string>& more = {}) const {
    return run("join", 0, more);
  }

  void set_policy(const std::string& text, std::size_t i = 0) const {
    std::ofstream(party(i).home + "/policy.toml") << text;
  }

  void change_study(const std::string& from, const std::string& to) const {
    std::string text = read(stage_.study);
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    std::ofstream(stage_.study) << text.replace(at, from.size(), to);
  }

  // join and check refuse for the same reason; join began no run.
  void expect_stopped(int status, const std::string& name, const std::string& words,
                      const std::map<std::string, std::string>& more = {}) const {
    SCOPED_TRACE(name);
    const CommandRun joined = run("join", 0, more);
    EXPECT_EQ(joined.status, status) << joined.err;
    EXPECT_THAT(joined.err, AllOf(HasSubstr(fmt::format("error[{}]: ", name)), HasSubstr(words),
                                  Not(HasSubstr("take part?"))));
    EXPECT_EQ(joined.out, "");
    const CommandRun checked = run("check", 0, more);
    EXPECT_EQ(checked.status, 1);
    EXPECT_THAT(checked.out,
                AllOf(HasSubstr("  problem  "), HasSubstr("[" + name + "]"), HasSubstr(words)));
    const auto store = Store::open(party(0).home, unix_seconds);
    ASSERT_TRUE(store);
    EXPECT_TRUE(store->runs().value().empty());
  }

  DemoSetup stage_;
};

TEST_F(Consenting, ShowsWhatIsPromisedAgainstWhomAndWhatItCostsBeforeItBegins) {
  const CommandRun declined = join();
  EXPECT_EQ(declined.status, 1);
  EXPECT_THAT(declined.err,
              AllOf(HasSubstr("before party-1 takes part in energy:"),
                    HasSubstr("promises ε = 1, δ = 1e-06 for one row added or removed"),
                    HasSubstr("someone who reads all traffic: ε = "),
                    HasSubstr("all neighbours together: "),
                    HasSubstr("costs    ε = 1, δ = 1e-06 for this run of \"party-1/"),
                    HasSubstr("limit ε = 10, δ = 1e-05, 71 such runs fit"), HasSubstr("rows, ")));
  EXPECT_THAT(declined.err,
              AllOf(HasSubstr("clipped (for your eyes only)"), HasSubstr("take part? [y/N]"),
                    HasSubstr("error[E-declined]"), Not(HasSubstr("listening at"))));
  const auto store = Store::open(party(0).home, unix_seconds);
  EXPECT_TRUE(store->runs().value().empty()) << "who declines has begun nothing";
}

TEST_F(Consenting, TellsProgramsTheSame) {
  const CommandRun declined = join({{"--progress", "json"}});
  const auto line = declined.err.substr(0, declined.err.find('\n'));
  const auto json = parse_json(line);
  ASSERT_TRUE(json.is_object()) << declined.err;
  EXPECT_EQ(json["event"], "consent");
  EXPECT_EQ(json["party"], "party-1");
  EXPECT_THAT(json["cost"]["account"].get<std::string>(), testing::StartsWith("party-1/"));
  EXPECT_EQ(json["cost"]["runs_left"], 71);
  EXPECT_GE(json["checks"].size(), 5U);
}

TEST_F(Consenting, SaysWhatIsLeftOfALimitAndStopsWhereItIsNotEnough) {
  const std::string account = default_account(read_study(stage_.study).value(), 0);
  const auto limit = [&](const char* epsilon) {
    return run_sotto({"ledger", "limit", "--data", account, "--epsilon", epsilon, "--delta", "1e-6",
                      "--home", party(0).home});
  };
  ASSERT_EQ(limit("2").status, 0);
  EXPECT_THAT(join().err, AllOf(HasSubstr("limit ε = 2, δ = 1e-06, 3 such runs fit"),
                                HasSubstr("error[E-declined]")));
  ASSERT_EQ(limit("0.5").status, 0);
  expect_stopped(3, "E-ledger-overdrawn", account);
}

TEST_F(Consenting, SaysThatAnAccountHasNoLimitAndStopsAtOneThatIsNotThere) {
  ASSERT_EQ(
      run_sotto({"ledger", "new", "open", "--no-limit", "--delta", "1e-6", "--home", party(0).home})
          .status,
      0);
  EXPECT_THAT(join({{"--account", "open"}}).err,
              AllOf(HasSubstr("warning  budget"), HasSubstr("no limit is set"),
                    HasSubstr("what was spent, not what may come")));
  expect_stopped(2, "E-account-unknown", "opne", {{"--account", "opne"}});
  set_policy("[privacy]\nrequire_limit = true\n");
  expect_stopped(3, "E-policy-limit", "no limit is set on \"open\"", {{"--account", "open"}});
}

TEST_F(Consenting, StopsForATableThatTellsNothing) {
  const std::string table = read(party(0).table);
  const std::string header = table.substr(0, table.find('\n') + 1);
  expect_stopped(2, "E-data-rows", "no row that counts", {{"--data", write("none.csv", header)}});
  expect_stopped(2, "E-csv-open", "", {{"--data", path("nowhere.csv")}});
  change_study("[0, 1000]", "[100000, 200000]");
  change_study("[20, 220]", "[100000, 200000]");
  change_study("[1, 6]", "[100000, 200000]");
  change_study("[-10, 25]", "[100000, 200000]");
  change_study("[1950, 2025]", "[100000, 200000]");
  expect_stopped(2, "E-data-clipped", "every number in the table is outside");
}

TEST_F(Consenting, NamesColumnsThatAreClippedOrConstantAndGoesOn) {
  change_study("[1950, 2025]", "[1, 2]");
  EXPECT_THAT(join().err,
              AllOf(HasSubstr("warning  data      many values of built (100 %) are outside"),
                    HasSubstr("warning  data      every row has the same value of built"),
                    HasSubstr("error[E-declined]")));
}

TEST_F(Consenting, WarnsOfSettingsThatProtectNobody) {
  change_study("epsilon    = 1", "epsilon    = 21");
  change_study("delta      = 1e-06", "delta      = 0.02");
  ASSERT_EQ(
      run_sotto({"ledger", "new", "open", "--no-limit", "--delta", "1e-6", "--home", party(0).home})
          .status,
      0);
  EXPECT_THAT(join({{"--account", "open"}}).err,
              AllOf(HasSubstr("ε = 21 protects nobody"), HasSubstr("δ = 0.02 is above 1/rows"),
                    HasSubstr("error[E-declined]")));
}

TEST_F(Consenting, NeedsAYesInWords) {
  const auto answered = [&](const std::string& text) {
    EXPECT_NE(std::freopen(write("answer", text).c_str(), "r", stdin), nullptr);
    testing::internal::CaptureStderr();
    const bool yes = ask_whether_to_take_part();
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("take part? [y/N]"));
    return yes;
  };
  EXPECT_TRUE(answered("y\n"));
  EXPECT_TRUE(answered("yes\n"));
  EXPECT_TRUE(answered("yes"));
  for (const char* no : {"", "\n", "n\n", "no\n", "maybe\n", "yesterday\n", "y y\n"}) {
    EXPECT_FALSE(answered(no)) << no;
  }
}

TEST_F(Consenting, HoldsTheStudyAgainstThePartysOwnPolicy) {
  set_policy("[privacy]\nepsilon_max = 1\n[study]\nrows_min = 50\nsolvers = [\"pairwise\"]\n");
  EXPECT_THAT(join().err, AllOf(HasSubstr("ok       policy    every rule of "),
                                HasSubstr("error[E-declined]")));
  EXPECT_THAT(run("check", 0).out, HasSubstr("ok       policy    every rule of "));
  set_policy("[privacy]\nepsilon_max = 0.5\n");
  expect_stopped(3, "E-policy-epsilon",
                 "epsilon_max = 0.5 in the policy, and the study asks for ε = 1");
  set_policy("[privacy]\ndelta_max = 1e-7\n");
  expect_stopped(3, "E-policy-delta", "delta_max");
  set_policy("[privacy]\ncolluders_min = 1\n");
  expect_stopped(3, "E-policy-colluders", "colluders_min = 1");
  set_policy("[study]\nsolvers = [\"ac\"]\n");
  expect_stopped(3, "E-policy-solver", "the solver is pairwise");
  set_policy("[study]\nrows_min = 1000\n");
  expect_stopped(3, "E-policy-rows", "rows_min = 1000");
  set_policy("[study]\nparties_min = 3\n");
  expect_stopped(3, "E-policy-parties", "as few as 2 parties");
  set_policy("[study]\ncolumns_forbidden = [\"*heat*\"]\n");
  expect_stopped(3, "E-policy-columns", "the column \"heating\"");
}

TEST_F(Consenting, TakesNoPolicyThatItDoesNotUnderstand) {
  set_policy("[privacy]\nepsilon_max = -1\n");
  expect_stopped(2, "E-policy-value", "epsilon_max = -1");
  set_policy("[privacy]\nepsilon = 1\n");
  expect_stopped(2, "E-policy-key", "knows no key \"epsilon\"");
  set_policy("[privacy\n");
  expect_stopped(2, "E-policy-syntax", "line 1");
  ASSERT_TRUE(std::filesystem::remove(party(0).home + "/policy.toml"));
  ASSERT_EQ(::mkdir((party(0).home + "/policy.toml").c_str(), 0700), 0);
  expect_stopped(2, "E-policy-file", "not a regular file");
}

TEST_F(Consenting, SendsNothingWhileAPolicyIsBroken) {
  const auto identity = Identity::load(party(0).home);
  const Study study = read_study(stage_.study).value();
  auto other_end = Transport::open(*identity, study.parties[0].address, peers_of(study, 0));
  ASSERT_TRUE(other_end) << other_end.error().to_string();
  set_policy("[privacy]\nepsilon_max = 0.5\n", 1);
  EXPECT_EQ(run("join", 1).status, 3);
  EXPECT_FALSE((*other_end)->wait(std::chrono::milliseconds(300)).has_value())
      << "the second party dials the first, and must not have";
}

TEST_F(Consenting, LetsARunGoOnWhoseCostIsHeldBackAlready) {
  const Study study = read_study(stage_.study).value();
  {
    auto store = Store::open(party(0).home, unix_seconds);
    const std::string account = default_account(study, 0);
    ASSERT_TRUE(store->set_limit(account, {.epsilon = 1, .delta = 1e-6}));
    ASSERT_TRUE(store->begin_run("a1b2", study.name, study.hash));
    const auto journal = store->journal("a1b2").value();
    Debit debit = debit_of(study, make_plan(study, study.solver).value(), account);
    debit.run = "a1b2";
    debit.attempt = "01";
    ASSERT_TRUE(journal->reserve(debit));
    ASSERT_TRUE(journal->commit());
  }
  EXPECT_THAT(join().err, AllOf(HasSubstr("which the ledger holds already"),
                                HasSubstr("error[E-declined]"), Not(HasSubstr("overdrawn"))));
  EXPECT_THAT(run("check", 0).out, HasSubstr("which the ledger holds already"));
}

TEST_F(Consenting, IsNotAskedOfAFinishedStudy) {
  set_policy("[privacy]\nepsilon_max = 0.5\n");
  auto store = Store::open(party(0).home, unix_seconds);
  const Study study = read_study(stage_.study).value();
  ASSERT_TRUE(store->begin_run("a1b2", study.name, study.hash));
  ASSERT_TRUE(store->finish("a1b2", {}));
  const CommandRun again = join();
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.err, "");
  EXPECT_THAT(again.out, HasSubstr("run to its end already"));
}

TEST_F(Consenting, PlanHoldsTheStudyAgainstThePolicyOfAHome) {
  const auto plan = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"plan", stage_.study});
    return run_sotto(std::move(more));
  };
  const std::string home = "--home=" + party(0).home;
  EXPECT_THAT(plan({home}).out, Not(HasSubstr("policy")));
  set_policy("[privacy]\nepsilon_max = 1\n");
  EXPECT_THAT(plan({home}).out, HasSubstr("policy       keeps "));
  EXPECT_EQ(parse_json(plan({home, "--format=json"}).out)["policy"],
            party(0).home + "/policy.toml");
  set_policy("[study]\nsolvers = [\"pairwise\"]\n");
  const CommandRun other = plan({home, "--solver=ac"});
  EXPECT_EQ(other.status, 3);
  EXPECT_EQ(other.out, "");
  EXPECT_THAT(other.err, HasSubstr("error[E-policy-solver]"));
  ASSERT_EQ(::setenv("SOTTO_HOME", party(0).home.c_str(), 1), 0);
  const CommandRun by_default = plan({"--solver=ac"});
  ::unsetenv("SOTTO_HOME");
  EXPECT_EQ(by_default.status, 3) << "the default home's policy counts too";
  set_policy("[study]\nsolver = \"ac\"\n");
  EXPECT_THAT(plan({home}).err, HasSubstr("error[E-policy-key]"));
}

TEST_F(Consenting, PlanWarnsOfADeltaAboveOneOverRows) {
  const auto warns = [&](const char* rows) {
    return run_sotto({"plan", stage_.study, "--rows", rows, "--home", path("nobody")})
               .out.find("is above 1/rows") != std::string::npos;
  };
  EXPECT_FALSE(warns("1000000"));
  EXPECT_TRUE(warns("1000001"));
  EXPECT_EQ(run_sotto({"plan", stage_.study, "--rows", "0"}).status, 2);
}

}  // namespace
}  // namespace sotto
