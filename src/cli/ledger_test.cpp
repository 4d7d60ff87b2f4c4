#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <limits>

#include "base/json.h"
#include "run/home.h"
#include "run/made_up/household_study.h"
#include "store/store.h"
#include "support/command_line.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class LedgerOnTheCommandLine : public FolderTest {
 protected:
  [[nodiscard]] std::string home() const { return path("home"); }

  [[nodiscard]] CommandRun ledger(std::vector<std::string> words) const {
    words.insert(words.begin(), "ledger");
    words.insert(words.end(), {"--home", home()});
    return run_sotto(std::move(words));
  }
  [[nodiscard]] Json ledger_as_json() const { return parse_json(ledger({"--format", "json"}).out); }

  // A run that spends; one second in 2023.
  void spend(const std::string& run, const std::string& study, std::size_t colluders = 1) const {
    auto store = Store::open(home(), [] { return 1'700'000'000; });
    ASSERT_TRUE(store) << store.error().to_string();
    ASSERT_TRUE(store->begin_run(run, study, "beef"));
    auto journal = store->journal(run);
    ASSERT_TRUE(journal);
    Debit debit;
    debit.run = run;
    debit.attempt = "01";
    debit.study = study;
    debit.data = "people";
    debit.unit = "record";
    debit.epsilon = 1;
    debit.delta = 1e-6;
    const double squares = 0.2367043806634357 * 0.2367043806634357;  // κ̄₁(10⁻⁶)²
    debit.charges = {{"eavesdropper", squares, 0},
                     {"all-neighbours", std::numeric_limits<double>::infinity(), 0}};
    debit.guaranteed = "eavesdropper";
    debit.colluders = colluders;
    ASSERT_TRUE((*journal)->reserve(debit));
    (*journal)->spend(run, "01");
    ASSERT_TRUE((*journal)->commit());
  }
};

TEST_F(LedgerOnTheCommandLine, CallsARunWhatAllPartiesCallIt) {
  ASSERT_EQ(ledger({"new", "people", "--epsilon", "10", "--delta", "1e-5"}).status, 0);
  spend("aa11", "energy");
  ASSERT_TRUE(Store::open(home(), [] { return 1'700'000'000; })->share_name("aa11", "c0ffee01"));
  EXPECT_THAT(ledger({}).out, AllOf(HasSubstr("c0ffee01"), Not(HasSubstr("aa11"))));
  EXPECT_THAT(ledger({"c0ffee"}).out, AllOf(HasSubstr("c0ffee01"), Not(HasSubstr("aa11"))));
  const Json entry = ledger_as_json()["entries"].at(0);
  EXPECT_EQ(entry["run"], "c0ffee01");
  EXPECT_EQ(entry["own_run"], "aa11");
}

TEST_F(LedgerOnTheCommandLine, SaysThatNothingWasSpentAndMakesNothing) {
  std::filesystem::create_directories(home());
  const CommandRun ran = ledger({});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("There is no account"));
  const auto json = ledger_as_json();
  EXPECT_TRUE(json["accounts"].is_array() && json["accounts"].empty());
  EXPECT_TRUE(json["entries"].is_array() && json["entries"].empty());
  EXPECT_TRUE(std::filesystem::is_empty(home()));
}

TEST_F(LedgerOnTheCommandLine, TenRunsAtOneCostThreePointOneFourAndNotTen) {
  const CommandRun made = ledger({"new", "people", "--epsilon", "10", "--delta", "1e-5"});
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(made.out,
              AllOf(HasSubstr("spent  ε = 0 at δ = 1e-05"), HasSubstr("limit  ε = 10 at δ = 1e-05"),
                    HasSubstr("left   one more")));
  for (int k = 0; k < 10; ++k) spend(fmt::format("a{}", k), k == 3 ? "in\x1b[2Jcome" : "energy");
  const CommandRun shown = ledger({});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(
      shown.out,
      AllOf(HasSubstr("people, per record"),
            HasSubstr("spent  ε = 3.13976 at δ = 1e-05; basic composition: ε = 10, δ = 1e-05"),
            HasSubstr("coalitions of at most 1 of the parties of every study"),
            HasSubstr("limit  ε = 10 at δ = 1e-05"), HasSubstr("eavesdropper            3.13976"),
            HasSubstr("no bound"), HasSubstr("2023-11-14T22:13:20Z  spent"), HasSubstr("energy"),
            HasSubstr("a9"), Not(HasSubstr("\x1b"))));
  const auto json = ledger_as_json();
  ASSERT_EQ(json["accounts"].size(), 1U);
  const auto& account = json["accounts"][0];
  EXPECT_EQ(account["data"], "people");
  EXPECT_EQ(account["unit"], "record");
  EXPECT_NEAR(account["spent"]["epsilon"].get<double>(), 3.1397600033, 1e-9);
  EXPECT_EQ(account["spent"]["delta"], 1e-5);
  EXPECT_NEAR(account["basic"]["epsilon"].get<double>(), 10, 1e-9);
  EXPECT_EQ(account["colluders"], 1);
  EXPECT_EQ(account["limit"]["epsilon"], 10.0);
  EXPECT_EQ(account["limit_changes"], 0);
  EXPECT_NEAR(account["left"]["squares"].get<double>(), 61.4234639923 * 0.0560289638, 1e-7);
  EXPECT_EQ(account["observers"][0]["observer"], "eavesdropper");
  EXPECT_TRUE(account["observers"][1]["epsilon"].is_null()) << "nothing was hidden from it";
  ASSERT_EQ(json["entries"].size(), 10U);
  EXPECT_EQ(json["entries"][0]["run"], "a0");
  EXPECT_EQ(json["entries"][0]["time"], "2023-11-14T22:13:20Z");
  EXPECT_EQ(json["entries"][1]["state"], "spent");
  EXPECT_EQ(json["entries"][1]["guaranteed"], "eavesdropper");
  EXPECT_EQ(json["entries"][1]["charges"][0]["observer"], "eavesdropper");
}

TEST_F(LedgerOnTheCommandLine, AnAccountWithoutALimitIsSaidToHaveNone) {
  ASSERT_EQ(ledger({"new", "people", "--no-limit", "--delta", "1e-5"}).status, 0);
  spend("a1", "energy", 0);
  EXPECT_THAT(ledger({}).out,
              AllOf(HasSubstr("limit  none: what is shown was spent, and is no guarantee"),
                    HasSubstr("promised nothing against its own parties")));
  EXPECT_TRUE(ledger_as_json()["accounts"][0]["limit"].is_null());
  const CommandRun set = ledger({"limit", "--data", "people", "--epsilon", "2", "--delta", "1e-5"});
  EXPECT_EQ(set.status, 0) << set.err;
  EXPECT_THAT(set.out, AllOf(HasSubstr("limit  ε = 2 at δ = 1e-05"),
                             HasSubstr("changed once after something was released")));
}

TEST_F(LedgerOnTheCommandLine, GtHasAShareThatALaterLimitKeeps) {
  ASSERT_EQ(ledger({"new", "people", "--epsilon", "3", "--delta", "1e-5", "--gt-epsilon", "1",
                    "--gt-delta", "1e-6"})
                .status,
            0);
  EXPECT_THAT(ledger({}).out, HasSubstr("truncated Laplace noise may take ε = 1, δ = 1e-06"));
  ASSERT_EQ(ledger({"limit", "--data", "people", "--epsilon", "4", "--delta", "1e-5"}).status, 0);
  EXPECT_EQ(ledger_as_json()["accounts"][0]["limit"]["gt_epsilon"], 1.0);
  spend("a1", "energy");
  const CommandRun traded = ledger({"limit", "--data", "people", "--epsilon", "4", "--delta",
                                    "1e-5", "--gt-epsilon", "2", "--gt-delta", "1e-6"});
  EXPECT_EQ(traded.status, 3);
  EXPECT_THAT(traded.err, HasSubstr("error[E-ledger-share]"));
}

TEST_F(LedgerOnTheCommandLine, WhatIsNoLimitOrNoAccountIsBadInput) {
  for (const char* epsilon : {"0", "-1", "nan", "inf"}) {
    const CommandRun ran = ledger({"new", "x", "--epsilon", epsilon, "--delta", "1e-5"});
    EXPECT_EQ(ran.status, 2) << epsilon;
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr("error[E-ledger-amount]"));
  }
  EXPECT_THAT(ledger({"new", "x", "--epsilon", "1", "--delta", "0"}).err,
              HasSubstr("error[E-ledger-amount]"));
  EXPECT_THAT(ledger({"new", "x", "--delta", "1e-5"}).err, HasSubstr("error[E-ledger-limit]"));
  EXPECT_THAT(ledger({"new", "x", "--epsilon", "1", "--no-limit", "--delta", "1e-5"}).err,
              HasSubstr("error[E-ledger-limit]"));
  EXPECT_EQ(ledger({"new", "--epsilon", "1", "--delta", "1e-5"}).status, 2) << "no name";
  EXPECT_EQ(ledger({"new", "x", "--epsilon", "1"}).status, 2) << "no δ";
  EXPECT_EQ(ledger({"limit", "--epsilon", "1", "--delta", "0"}).status, 2) << "a limit on nothing";
  const CommandRun empty =
      ledger({"new", "", "--epsilon", "1", "--delta", "1e-5", "--format", "json"});
  EXPECT_EQ(empty.status, 2);
  EXPECT_EQ(parse_json(empty.err)["error"]["name"], "E-ledger-data");
  ASSERT_EQ(ledger({"new", "people", "--epsilon", "1", "--delta", "1e-5"}).status, 0);
  EXPECT_THAT(ledger({"new", "people", "--epsilon", "1", "--delta", "1e-5"}).err,
              HasSubstr("error[E-account-exists]"));
  const CommandRun unknown =
      ledger({"limit", "--data", "peopel", "--epsilon", "1", "--delta", "1e-5"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("error[E-account-unknown]"), HasSubstr("\"people\"")));
}

TEST_F(LedgerOnTheCommandLine, APlanSaysWhatARunWouldCostAnAccount) {
  const std::string study =
      write("study.toml",
            household_study_text({.folder = "", .parties = 5, .rows = 10, .solver = Solver::kAc}));
  const auto plan = [&](const char* account, const char* format) {
    return run_sotto({"plan", study, "--account", account, "--home", home(), "--format", format});
  };
  const CommandRun none = plan("people", "text");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("error[E-account-unknown]"));
  EXPECT_FALSE(std::filesystem::exists(home())) << "to look makes nothing";
  ASSERT_EQ(ledger({"new", "people", "--epsilon", "10", "--delta", "1e-5"}).status, 0);
  EXPECT_THAT(plan("peopel", "text").err,
              AllOf(HasSubstr("error[E-account-unknown]"), HasSubstr("\"people\"")));
  for (int k = 0; k < 10; ++k) spend(fmt::format("a{}", k), "energy");
  const CommandRun text = plan("people", "text");
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("ε = 3.13976 at δ = 1e-05; with this run ε = 3.3"),
                              HasSubstr("basic composition: ε = 11, δ = 1.1e-05"),
                              HasSubstr("ε = 10 at δ = 1e-05: 61 such runs fit")));
  const auto json = parse_json(plan("people", "json").out)["account"];
  EXPECT_EQ(json["runs_left"], 61);
  EXPECT_TRUE(json["refusal"].is_null());
  EXPECT_GT(json["with_this_run"]["spent"]["epsilon"], json["before"]["spent"]["epsilon"]);
  ASSERT_EQ(ledger({"limit", "--data", "people", "--epsilon", "3.2", "--delta", "1e-5"}).status, 0);
  EXPECT_THAT(plan("people", "text").out, HasSubstr("would be refused (E-ledger-overdrawn)"));
  EXPECT_EQ(parse_json(plan("people", "json").out)["account"]["refusal"], "E-ledger-overdrawn");
  EXPECT_EQ(ledger_as_json()["entries"].size(), 10U) << "a plan spends nothing";
}

TEST_F(LedgerOnTheCommandLine, AnErrorOfTheStoreIsTold) {
  std::filesystem::create_directories(home() + "/party.db");
  const CommandRun ran = run_sotto({"ledger", "--home", home()});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("error[E-store-foreign]"));
}

TEST(HomeFolder, IsTheOptionElseTheVariableElseUnderHome) {
  const auto restore = [](const char* name, const std::optional<std::string>& value) {
    value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
  };
  const auto now = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
  };
  const auto sotto_home = now("SOTTO_HOME");
  const auto user_home = now("HOME");
  ::setenv("SOTTO_HOME", "/s", 1);
  ::setenv("HOME", "/u", 1);
  EXPECT_EQ(home_folder("/o").value(), "/o");
  EXPECT_EQ(home_folder("").value(), "/s");
  ::setenv("SOTTO_HOME", "", 1);
  EXPECT_EQ(home_folder("").value(), "/u/.sotto");
  ::unsetenv("SOTTO_HOME");
  ::unsetenv("HOME");
  const auto none = home_folder("");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().name, "E-home");
  EXPECT_EQ(home_folder("/o").value(), "/o");
  restore("SOTTO_HOME", sotto_home);
  restore("HOME", user_home);
}

}  // namespace
}  // namespace sotto
