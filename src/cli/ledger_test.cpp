#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/json.h"
#include "run/home.h"
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

  // A run that spends; one second in 2023.
  void spend(const std::string& run, double epsilon, double delta, const std::string& study) const {
    auto store = Store::open(home(), [] { return 1'700'000'000; });
    ASSERT_TRUE(store) << store.error().to_string();
    ASSERT_TRUE(store->begin_run(run, study, "beef"));
    auto journal = store->journal(run);
    ASSERT_TRUE(journal);
    Debit debit;
    debit.run = run;
    debit.attempt = "01";
    debit.study = study;
    debit.data = "all data";
    debit.unit = "record";
    debit.epsilon = epsilon;
    debit.delta = delta;
    ASSERT_TRUE((*journal)->reserve(debit));
    (*journal)->spend(run, "01");
    ASSERT_TRUE((*journal)->commit());
  }
};

TEST_F(LedgerOnTheCommandLine, SaysThatNothingWasSpentAndMakesNothing) {
  const CommandRun ran = run_sotto({"ledger", "--home", home()});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Nothing was spent"));
  const CommandRun scripted = run_sotto({"ledger", "--home", home(), "--format", "json"});
  const auto json = parse_json(scripted.out);
  EXPECT_TRUE(json["accounts"].is_array() && json["accounts"].empty());
  EXPECT_TRUE(json["entries"].is_array() && json["entries"].empty());
  EXPECT_FALSE(std::filesystem::exists(home()));
}

TEST_F(LedgerOnTheCommandLine, ShowsWhatWasSpentOnWhatWhenAndWhatIsLeft) {
  spend("a1b2", 0.25, 1e-6, "energy");
  spend("c3d4", 0.5, 2e-6, "in\x1b[2Jcome");
  const CommandRun before = run_sotto({"ledger", "--home", home()});
  EXPECT_THAT(before.out, HasSubstr("limit  none"));
  const CommandRun set = run_sotto({"ledger", "limit", "--data", "all data", "--epsilon", "2",
                                    "--delta", "1e-5", "--home", home()});
  EXPECT_EQ(set.status, 0) << set.err;
  EXPECT_THAT(set.out, HasSubstr("left   ε = 1.25, δ = 7e-06"));
  const CommandRun after = run_sotto({"ledger", "--home", home()});
  EXPECT_EQ(after.status, 0) << after.err;
  EXPECT_THAT(after.out,
              AllOf(HasSubstr("all data, per record"), HasSubstr("spent  ε = 0.75, δ = 3e-06"),
                    HasSubstr("limit  ε = 2, δ = 1e-05"), HasSubstr("2023-11-14T22:13:20Z  spent"),
                    HasSubstr("energy"), HasSubstr("a1b2"), Not(HasSubstr("\x1b"))));

  const auto json = parse_json(run_sotto({"ledger", "--home", home(), "--format", "json"}).out);
  ASSERT_EQ(json["accounts"].size(), 1U);
  const auto& account = json["accounts"][0];
  EXPECT_EQ(account["data"], "all data");
  EXPECT_EQ(account["unit"], "record");
  EXPECT_EQ(account["spent"]["epsilon"], 0.75);
  EXPECT_EQ(account["limit"]["epsilon"], 2.0);
  EXPECT_EQ(account["left"]["epsilon"], 1.25);
  EXPECT_DOUBLE_EQ(account["left"]["delta"].get<double>(), 7e-6);
  ASSERT_EQ(json["entries"].size(), 2U);
  EXPECT_EQ(json["entries"][0]["run"], "a1b2");
  EXPECT_EQ(json["entries"][0]["time"], "2023-11-14T22:13:20Z");
  EXPECT_EQ(json["entries"][1]["state"], "spent");
  EXPECT_EQ(json["entries"][1]["epsilon"], 0.5);
}

TEST_F(LedgerOnTheCommandLine, WhatIsNoLimitIsBadInput) {
  for (const char* epsilon : {"0", "-1", "nan", "inf"}) {
    const CommandRun ran = run_sotto(
        {"ledger", "limit", "--data", "x", "--epsilon", epsilon, "--delta", "0", "--home", home()});
    EXPECT_EQ(ran.status, 2) << epsilon;
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr("error[E-ledger-amount]"));
  }
  EXPECT_EQ(run_sotto({"ledger", "limit", "--epsilon", "1", "--delta", "0"}).status, 2)
      << "a limit on nothing";
  const CommandRun scripted = run_sotto({"ledger", "limit", "--data", "", "--epsilon", "1",
                                         "--delta", "0", "--home", home(), "--format", "json"});
  EXPECT_EQ(scripted.status, 2);
  EXPECT_EQ(parse_json(scripted.err)["error"]["name"], "E-ledger-data");
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
