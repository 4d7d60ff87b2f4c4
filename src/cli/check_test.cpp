#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <utime.h>

#include <ctime>
#include <map>

#include "base/json.h"
#include "cli/demo/demo.h"
#include "network/transport.h"
#include "run/account.h"
#include "run/join/join.h"
#include "store/store.h"
#include "study/study.h"
#include "support/command_line.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Two parties on loopback, of whom the second dials the first.
class CheckVerb : public FolderTest {
 protected:
  void SetUp() override {
    auto stage = set_up_demo({.folder = path("stage"),
                              .parties = 2,
                              .rows = 200,
                              .solver = Solver::kPairwise,
                              .keep = false});
    ASSERT_TRUE(stage) << stage.error().to_string();
    stage_ = std::move(*stage);
  }

  [[nodiscard]] const DemoParty& party(std::size_t i) const { return stage_.parties.at(i); }
  [[nodiscard]] Study study() const { return read_study(stage_.study).value(); }

  // `more` changes or adds options.
  [[nodiscard]] CommandRun check(std::size_t i,
                                 std::map<std::string, std::string> more = {}) const {
    more.insert({{"--data", party(i).table}, {"--home", party(i).home}, {"--seconds", "0"}});
    std::vector<std::string> words{"check", stage_.study, "--as", party(i).name};
    for (const auto& [option, value] : more) words.push_back(fmt::format("{}={}", option, value));
    return run_sotto(std::move(words));
  }

  // The check fails, with `has` among the problems.
  void expect_problem(const CommandRun& run, const std::string& has) const {
    EXPECT_EQ(run.status, 1) << run.out;
    EXPECT_THAT(run.err, HasSubstr("error[E-check]"));
    EXPECT_THAT(run.out, AllOf(HasSubstr("  problem  "), HasSubstr(has)));
  }

  // The study once more, with one piece of its text replaced.
  void change_study(const std::string& from, const std::string& to) const {
    std::string text = read(stage_.study);
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    std::ofstream(stage_.study) << text.replace(at, from.size(), to);
  }

  // As the first party, or as somebody in its place, waiting for the second.
  [[nodiscard]] std::unique_ptr<Transport> listen(const Identity& identity) const {
    auto transport = Transport::open(identity, study().parties[0].address, peers_of(study(), 0));
    EXPECT_TRUE(transport) << transport.error().to_string();
    return transport ? std::move(*transport) : nullptr;
  }

  DemoSetup stage_;
};

TEST_F(CheckVerb, FindsNoProblemWithAPartyWhoseNeighboursAreNotThereYet) {
  const CommandRun first = check(0);
  EXPECT_EQ(first.status, 0) << first.out << first.err;
  EXPECT_THAT(first.out, AllOf(HasSubstr("ok       identity"), HasSubstr("for your eyes only"),
                               HasSubstr("can listen at 127.0.0.1:"),
                               HasSubstr("party-2 is to dial us, and has not yet"),
                               HasSubstr("0 problems"), Not(HasSubstr("  problem  "))));
  const CommandRun second = check(1, {{"--format", "json"}, {"--seconds", "1.5"}});
  EXPECT_EQ(second.status, 0) << second.out << second.err;
  const auto json = parse_json(second.out);
  EXPECT_EQ(json["problems"], 0);
  EXPECT_EQ(json["party"], "party-2");
  EXPECT_EQ(json["checks"].back()["verdict"], "warning");
  EXPECT_THAT(json["checks"].back()["what"].get<std::string>(),
              HasSubstr("party-1 does not answer at 127.0.0.1:"));
}

TEST_F(CheckVerb, SaysWhoIsConnectedOverMutualTls) {
  const auto identity = Identity::load(party(0).home);
  const auto other_end = listen(*identity);
  const CommandRun run = check(1, {{"--seconds", "20"}});
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_THAT(run.out, HasSubstr("ok       peers     party-1 is connected over mutual TLS"));
}

TEST_F(CheckVerb, NamesTheCertificateOfWhoeverAnswersInAPartysPlace) {
  const auto stranger = Identity::make("party-1", {"127.0.0.1"});
  const auto other_end = listen(*stranger);
  const CommandRun run = check(1, {{"--seconds", "20"}});
  expect_problem(run, "is not party-1: its certificate is " + stranger->fingerprint());
}

TEST_F(CheckVerb, WantsTheKeyThatTheStudyNames) {
  expect_problem(check(0, {{"--home", party(1).home}}), "the study names another for party-1");
  const CommandRun missing = check(0, {{"--home", path("nowhere")}});
  expect_problem(missing, "E-identity-missing");
  EXPECT_THAT(missing.out, HasSubstr("not looked at"));
  EXPECT_FALSE(std::filesystem::exists(path("nowhere")));
  ASSERT_EQ(::chmod((party(0).home + "/identity.key").c_str(), 0644), 0);
  expect_problem(check(0), "E-identity-mode");
}

TEST_F(CheckVerb, ReadsTheTableAgainstTheSchema) {
  expect_problem(check(0, {{"--data", path("none.csv")}}), "problem  data");
  std::string table = read(party(0).table);
  expect_problem(check(0, {{"--data", write("no_header.csv", table.substr(table.find('\n') + 1))}}),
                 "E-csv");
  // Every mistake of a table, not the first alone.
  const auto first_line = table.substr(0, table.find('\n') + 1);
  const CommandRun several =
      check(0, {{"--data", write("wrong.csv", first_line + "x\n" + first_line + "y\n")}});
  expect_problem(several, "line 2");
  expect_problem(several, "line 3");
  expect_problem(several, "line 4");
  const CommandRun none = run_sotto(
      {"check", stage_.study, "--as", "party-1", "--home", party(0).home, "--seconds", "0"});
  EXPECT_THAT(none.out, HasSubstr("no table was named"));
  const auto bounds = table.find("built");
  ASSERT_NE(bounds, std::string::npos);
  change_study("[1950, 2025]", "[1950, 1951]");
  EXPECT_THAT(check(0).out, HasSubstr("many values of built ("));
}

TEST_F(CheckVerb, FindsAPortThatIsTakenAndLooksAtTheOthersAllTheSame) {
  const auto first = Identity::load(party(0).home);
  const auto taken = listen(*first);
  expect_problem(check(0), "E-listen");
  const CommandRun second =
      check(1, {{"--listen", study().parties[0].address}, {"--seconds", "20"}});
  expect_problem(second, "E-listen");
  EXPECT_THAT(second.out, HasSubstr("party-1 is connected over mutual TLS"));
}

TEST_F(CheckVerb, FindsABudgetThatIsTooSmall) {
  EXPECT_THAT(check(0).out, AllOf(HasSubstr("for this run of \"party-1/"),
                                  HasSubstr("limit ε = 10, δ = 1e-05, 71 such runs fit")));
  const auto account = default_account(study(), 0);
  const auto limit = [&](const char* epsilon) {
    return run_sotto({"ledger", "limit", "--data", account, "--epsilon", epsilon, "--delta", "1e-6",
                      "--home", party(0).home});
  };
  ASSERT_EQ(limit("0.5").status, 0);
  expect_problem(check(0), "E-ledger-overdrawn");
  ASSERT_EQ(limit("1").status, 0);
  EXPECT_THAT(check(0).out, HasSubstr("limit ε = 1, δ = 1e-06, 1 such runs fit"));
}

TEST_F(CheckVerb, FindsAnAccountThatIsNotThere) {
  const CommandRun mistyped = check(0, {{"--account", "peopel"}});
  expect_problem(mistyped, "E-account-unknown");
  EXPECT_THAT(mistyped.out, AllOf(HasSubstr("party-1/"), HasSubstr("sotto ledger new \"peopel\"")));
  ASSERT_EQ(run_sotto({"ledger", "new", "peopel", "--no-limit", "--delta", "1e-6", "--home",
                       party(0).home})
                .status,
            0);
  EXPECT_THAT(check(0, {{"--account", "peopel"}}).out,
              HasSubstr("no limit is set: that says what was spent, not what may come"));
}

TEST_F(CheckVerb, JoinStopsAtAnAccountThatIsNotThereBeforeItReadsAnything) {
  const CommandRun run =
      run_sotto({"join", stage_.study, "--as", "party-1", "--home", party(0).home, "--data",
                 path("none.csv"), "--account", "peopel"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("error[E-account-unknown]"), HasSubstr("party-1/")));
}

TEST_F(CheckVerb, SaysWhatIsMissingInAStudyForANetwork) {
  change_study(study().parties[1].fingerprint, "");
  const CommandRun run = check(0);
  expect_problem(run, "E-network-fingerprint");
  EXPECT_THAT(run.out, HasSubstr("not looked at"));
}

TEST_F(CheckVerb, WarnsOfACertificateForAnotherHostAndOfAClockThatIsBehind) {
  change_study(study().parties[0].address, "localhost" + study().parties[0].address.substr(9));
  const utimbuf future{.actime = std::time(nullptr), .modtime = std::time(nullptr) + 86'400};
  ASSERT_EQ(::utime(stage_.study.c_str(), &future), 0);
  const CommandRun run = check(0);
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_THAT(run.out, AllOf(HasSubstr("warning  identity  the certificate is for 127.0.0.1"),
                             HasSubstr("warning  clock")));
}

TEST_F(CheckVerb, LeavesAPartyAloneThatIsInTheRunAndSaysWhatWasRunBefore) {
  auto store = Store::open(party(0).home, [] { return 1'700'000'000; });
  ASSERT_TRUE(store);
  ASSERT_TRUE(store->begin_run("a1b2", "energy", study().hash));
  {
    const auto lock = store->lock(study().hash);
    EXPECT_THAT(check(0).out, HasSubstr("this party is in a run of the study now"));
  }
  EXPECT_THAT(check(0).out, HasSubstr("run a1b2 is unfinished"));
  ASSERT_TRUE(store->finish("a1b2", {}));
  EXPECT_THAT(check(0).out, HasSubstr("this study was run to its end already"));
}

TEST_F(CheckVerb, RefusesWhatItCannotLookAt) {
  EXPECT_EQ(run_sotto({"check", stage_.study}).status, 2);
  EXPECT_EQ(check(0, {{"--seconds", "-1"}}).status, 2);
  const CommandRun unknown = run_sotto({"check", stage_.study, "--as", "party-9"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("error[E-party-unknown]"));
  EXPECT_EQ(run_sotto({"check", path("none.toml"), "--as", "party-1"}).status, 2);
}

}  // namespace
}  // namespace sotto
