#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/json.h"
#include "plan/plan.h"
#include "run/account.h"
#include "run/home.h"
#include "store/store.h"
#include "support/party_processes.h"
#include "support/source_tree.h"

// What people do wrong on the first day, corrected while the others wait: nobody but the one who
// was wrong does anything. The time from the correction to the result is printed.

namespace sotto {
namespace {

using testing::HasSubstr;
using testing::Not;
using Clock = std::chrono::steady_clock;

NetworkOptions four(const std::string& solver = "ac") {
  NetworkOptions options;
  options.solver = solver;
  options.parties = 4;
  return options;
}

void expect_quick_end(Parties& parties, const std::string& mistake, Clock::time_point corrected) {
  parties.expect_all_end(0);
  const double seconds = std::chrono::duration<double>(Clock::now() - corrected).count();
  fmt::print("{}: {:.1f} s from the correction until all had ended\n", mistake, seconds);
  parties.expect_same_models({0, 1, 2, 3});
  for (std::size_t p = 0; p < 4; ++p) EXPECT_TRUE(parties.spent_once(p));
}

void start_but(Parties& parties, std::size_t missing) {
  for (std::size_t p = 0; p < parties.size(); ++p) {
    if (p == missing) continue;
    parties.start(p);
    ASSERT_TRUE(parties.says(p, "waiting for")) << parties.said(p);
  }
}

void replace_in(const std::filesystem::path& file, const std::string& from, const std::string& to) {
  std::string text = read_text(file);
  const auto place = text.find(from);
  ASSERT_NE(place, std::string::npos) << from;
  text.replace(place, from.size(), to);
  std::ofstream(file) << text;
}

TEST(NetworkMistakes, AFileThatIsCorrectedAfterAnInterruptionIsTakenUp) {
  for (const char* solver : {"ac", "pairwise"}) {
    Parties parties(four(solver));
    const auto table = parties.folder() / "tables" / "party-2.csv";
    std::string text = read_text(table);
    std::ofstream(table) << text.substr(0, text.rfind('\n', text.size() - 2) + 1);
    for (const std::size_t p : {0U, 1U, 2U}) parties.start(p);
    ASSERT_TRUE(parties.says(1, "connected to party-1")) << parties.said_by_all();
    parties.process(1).signal(SIGINT);
    EXPECT_EQ(parties.wait(1), 1);
    std::ofstream(table) << text;
    parties.start(3);
    const auto corrected = Clock::now();
    parties.start(1);
    expect_quick_end(parties, fmt::format("corrected file, {}", solver), corrected);
    EXPECT_THAT(parties.said(1), HasSubstr("begun with other data"));
  }
}

TEST(NetworkMistakes, ARunThatHasReachedTheLedgerIsNotBegunAnewWithOtherData) {
  Parties parties({.solver = "ac", .parties = 2, .topology = "path"});
  parties.begin_runs_and_kill();
  const Study study = read_study(parties.study()).value();
  {
    auto store = Store::open(parties.home(0), unix_seconds);
    ASSERT_TRUE(store);
    Debit debit = debit_of(study, make_plan(study, study.solver).value(), kAccount);
    debit.run = store->runs_of_study(study.hash).value().unfinished->run;
    debit.attempt = "01";
    const auto journal = store->journal(debit.run).value();
    ASSERT_TRUE(journal->reserve(debit));
    ASSERT_TRUE(journal->commit());
  }
  const std::string text = read_text(parties.table(0));
  std::ofstream(parties.table(0)) << text.substr(0, text.rfind('\n', text.size() - 2) + 1);
  parties.start(0);
  EXPECT_EQ(parties.wait(0), 3) << parties.said(0);
  EXPECT_THAT(parties.said(0), HasSubstr("E-run-differs"));
}

TEST(NetworkMistakes, APartyThatRestartsTwiceIsTakenUp) {
  Parties parties(four("pairwise"));
  start_but(parties, 3);
  for (int times = 0; times < 2; ++times) {
    parties.process(1).signal(SIGTERM);
    EXPECT_EQ(parties.wait(1), 1);
    (void)parties.sotto({"abort", "--home", parties.home(1)});
    parties.start(1);
    ASSERT_TRUE(parties.says(1, "connected to")) << parties.said_by_all();
  }
  const auto corrected = Clock::now();
  parties.start(3);
  expect_quick_end(parties, "late party, after another had begun anew twice", corrected);
}

TEST(NetworkMistakes, WhoeverComesWithAnotherStudyIsToldWhatDiffersAndEnds) {
  Parties parties(four());
  start_but(parties, 1);
  const std::string right = read_text(parties.study());
  replace_in(parties.study(), "epsilon", "# a comment\nepsilon");
  replace_in(parties.study(), "meeting_seconds = 60", "meeting_seconds = 61");
  const auto begun = Clock::now();
  parties.start(1);
  EXPECT_EQ(parties.wait(1), 1) << parties.said_by_all();
  const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  fmt::print("other study: told after {:.1f} s\n", seconds);
  EXPECT_THAT(parties.said(1), HasSubstr("E-study-differs"));
  EXPECT_THAT(parties.said(1), HasSubstr("network.meeting_seconds: 61 here, 60 there"));
  EXPECT_THAT(parties.said(1), Not(HasSubstr("a comment")));
  EXPECT_TRUE(parties.says(0, "party-2's study differs from ours: network.meeting_seconds"))
      << parties.said(0);
  std::ofstream(parties.study()) << right;
  const auto corrected = Clock::now();
  parties.start(1);
  expect_quick_end(parties, "other study", corrected);
}

TEST(NetworkMistakes, CheckComparesStudiesAndClocks) {
  Parties parties(four());
  start_but(parties, 3);
  replace_in(parties.study(), "patience_seconds = 60", "patience_seconds = 59");
  const auto check = [&](std::size_t party) {
    Child child({SOTTO_PROGRAM, "check", parties.study(), "--as", Parties::name(party), "--home",
                 parties.home(party), "--account", kAccount, "--format", "json"},
                parties.folder() / ".check", parties.folder() / ".check-err");
    (void)child.wait(kLongRun);
    return read_text(parties.folder() / ".check");
  };
  const std::string differs = check(3);
  EXPECT_THAT(differs, HasSubstr("network.patience_seconds: 59 here, 60 there"));
  replace_in(parties.study(), "patience_seconds = 59", "patience_seconds = 60");
  const std::string same = check(3);
  EXPECT_THAT(same, HasSubstr("with the same study; its clock is "));
  EXPECT_THAT(same, HasSubstr("\"problems\": 0"));
  const auto corrected = Clock::now();
  parties.start(3);
  expect_quick_end(parties, "late party, after its check", corrected);
}

TEST(NetworkMistakes, WhoeverHasAnotherFingerprintThanTheOthersKnowEndsWithTheCause) {
  Parties parties(four());
  start_but(parties, 3);
  const std::string right = read_text(parties.study());
  // The last party has made a new key, and only its own copy of the study names it.
  const std::string home = parties.home(3);
  std::filesystem::copy(home, home + ".right", std::filesystem::copy_options::recursive);
  const auto shown = [&] {
    return parse_json(parties.sotto({"keys", "show", "--home", home, "--format", "json"}))
        .value("fingerprint", "");
  };
  const std::string old = shown();
  (void)parties.sotto({"keys", "rotate", "--home", home});
  replace_in(parties.study(), old, shown());
  parties.start(3);
  EXPECT_EQ(parties.wait(3), 2) << parties.said_by_all();
  EXPECT_THAT(parties.said(3), HasSubstr("E-mistaken"));
  EXPECT_THAT(parties.said(3), HasSubstr("hangs up when it sees our certificate"));
  std::ofstream(parties.study()) << right;
  const auto corrected = Clock::now();
  parties.start(3);  // the study names its former key, which it has kept
  expect_quick_end(parties, "wrong fingerprint", corrected);
  EXPECT_THAT(parties.said(3), HasSubstr("former key"));
}

TEST(NetworkMistakes, AStudyMayNameTwoKeysOfAPartyWhileOneIsExchanged) {
  Parties parties(four());
  const std::string home = parties.home(2);
  const auto fingerprint = [&] {
    return parse_json(parties.sotto({"keys", "show", "--home", home, "--format", "json"}))
        .value("fingerprint", "");
  };
  const std::string old = fingerprint();
  std::filesystem::copy(home, home + ".old", std::filesystem::copy_options::recursive);
  (void)parties.sotto({"keys", "rotate", "--home", home});
  replace_in(parties.study(), "\"" + old + "\"",
             fmt::format("[\"{}\", \"{}\"]", old, fingerprint()));
  parties.start_all();
  parties.expect_all_end(0);
  parties.expect_same_models({0, 1, 2, 3});
  EXPECT_THAT(parties.said(2), Not(HasSubstr("former key")));
}

TEST(NetworkMistakes, EveryPartyCallsTheRunTheSame) {
  Parties parties(four());
  parties.start_all();
  parties.expect_all_end(0);
  std::set<std::string> names;
  for (std::size_t p = 0; p < 4; ++p) {
    const auto status =
        parse_json(parties.sotto({"status", "--home", parties.home(p), "--format", "json"}));
    names.insert(status["runs"][0].value("run", ""));
  }
  EXPECT_EQ(names.size(), 1U);
}

TEST(NetworkMistakes, TheLogHasDatesAndTheCommandAfterTheEndHasTheFiles) {
  Parties parties({.solver = "ac", .parties = 2, .topology = "path"});
  const std::string log = (parties.folder() / "log").string();
  const std::string done = (parties.folder() / "done").string();
  parties.start(0, {.words = {"--log", log, "--on-finish",
                              "echo \"$SOTTO_STATE $SOTTO_MODEL\" > " + done + "; exit 3"}});
  parties.start(1);
  parties.expect_all_end(0);
  EXPECT_THAT(read_text(log), testing::ContainsRegex("20[0-9-]+T[0-9:]+[+-][0-9]+ connected to"));
  EXPECT_THAT(read_text(done), HasSubstr("finished " + (parties.folder() / "result-1").string()));
  EXPECT_THAT(parties.said(0), HasSubstr("E-on-finish"));
  for (const std::size_t p : {0U, 1U}) EXPECT_THAT(parties.said(p), Not(HasSubstr("lost the")));
}

}  // namespace
}  // namespace sotto
