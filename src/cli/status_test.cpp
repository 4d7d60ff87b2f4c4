#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "base/json.h"
#include "store/store.h"
#include "support/command_line.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kRun = "0123456789abcdef0123456789abcdef";
constexpr const char* kOther = "99aa456789abcdef0123456789abcdef";

class RunsOnTheCommandLine : public FolderTest {
 protected:
  [[nodiscard]] std::string home() const { return path("home"); }
  [[nodiscard]] Store open() const {
    auto store = Store::open(home(), [] { return 1'700'000'000; });
    if (!store) throw std::runtime_error(store.error().to_string());
    return std::move(*store);
  }

  static void begin(Store& store, const std::string& run, const std::string& study,
                    const std::string& hash) {
    ASSERT_TRUE(store.begin_run(run, study, hash));
    ASSERT_TRUE(store.set_phase(run, "waiting for south"));
  }

  // Holds back what a release costs, or spends it.
  static void debit(Store& store, const std::string& run, bool spend, double looks = 0) {
    auto journal = store.journal(run);
    ASSERT_TRUE(journal);
    Debit debit;
    debit.run = run;
    debit.attempt = "01";
    debit.study = "energy";
    debit.data = "all data";
    debit.unit = "record";
    debit.epsilon = 0.5;
    debit.delta = 1e-6;
    debit.charges = {{"eavesdropper", 0.01, 0}, {"neighbour", 0.02, looks}};
    debit.guaranteed = "eavesdropper";
    if (!store.account("all data")) {
      ASSERT_TRUE(store.new_account_without_limit("all data", 1e-6));
    }
    ASSERT_TRUE((*journal)->reserve(debit));
    if (spend) (*journal)->spend(run, "01");
    ASSERT_TRUE((*journal)->commit());
  }

  [[nodiscard]] CommandRun status() const { return run_sotto({"status", "--home", home()}); }
  [[nodiscard]] CommandRun abort(std::vector<std::string> words = {}) const {
    words.insert(words.begin(), "abort");
    words.insert(words.end(), {"--home", home()});
    return run_sotto(std::move(words));
  }
};

using StatusVerb = RunsOnTheCommandLine;
using AbortVerb = RunsOnTheCommandLine;

TEST_F(StatusVerb, SaysThatThereIsNoHomeToLookInto) {
  const auto expect_missing = [](const std::string& where, const std::string& why) {
    for (const char* verb : {"status", "ledger"}) {
      const CommandRun run = run_sotto({verb, "--home", where});
      EXPECT_EQ(run.status, 2);
      EXPECT_EQ(run.out, "");
      EXPECT_THAT(run.err, AllOf(HasSubstr("E-home-missing"), HasSubstr(why), HasSubstr(where)));
    }
  };
  expect_missing(home() + "/none", "there is no such home");
  const std::string file = home() + ".txt";
  std::ofstream(file) << "x";
  expect_missing(file, "the home is a file");
  std::filesystem::remove(file);
  EXPECT_FALSE(std::filesystem::exists(home()));
}

TEST_F(StatusVerb, FindsARunByItsDigitsItsStudyOrAsTheLast) {
  {
    Store store = open();
    begin(store, kRun, "energy", "beef");
    debit(store, kRun, true);
    ASSERT_TRUE(store.finish(kRun, {"relative/model.json"}));
    begin(store, kOther, "income", "cafe");
  }
  const auto found = [&](const std::string& which) {
    const CommandRun run = run_sotto({"status", which, "--home", home(), "--format", "json"});
    if (run.status != 0) return run.err;
    const auto json = parse_json(run.out);
    return json["runs"].size() == 1 ? json["runs"][0]["run"].get<std::string>() : run.out;
  };
  EXPECT_EQ(found("last"), kOther);
  EXPECT_EQ(found("energy"), kRun);
  EXPECT_EQ(found(std::string(kRun).substr(0, 4)), kRun);
  EXPECT_THAT(found("wages"), AllOf(HasSubstr("E-run-unknown"), HasSubstr("energy")));
  const auto json =
      parse_json(run_sotto({"status", "energy", "--home", home(), "--format", "json"}).out);
  EXPECT_EQ(json["runs"][0]["state"], "finished");
  EXPECT_EQ(json["runs"][0]["phase"], "finished") << "not what it last waited for";
  EXPECT_EQ(json["runs"][0]["files"][0],
            (std::filesystem::current_path() / "relative/model.json").string());
  EXPECT_THAT(run_sotto({"ledger", "energy", "--home", home()}).out, HasSubstr("spent"));
  EXPECT_THAT(run_sotto({"ledger", "last", "--home", home()}).out, HasSubstr("spent nothing"));
}

TEST_F(StatusVerb, SaysThatThereWasNoRunAndMakesNothing) {
  std::filesystem::create_directories(home());
  const CommandRun text = status();
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("No run was ever begun"));
  const CommandRun json = run_sotto({"status", "--home", home(), "--format", "json"});
  EXPECT_TRUE(parse_json(json.out)["runs"].empty());
  EXPECT_TRUE(std::filesystem::is_empty(home()));
}

TEST_F(StatusVerb, ShowsEachRunWithItsStateItsCostAndItsFiles) {
  {
    Store store = open();
    begin(store, kRun, "en\x1b[2Jergy", "beef");
    debit(store, kRun, true);
    ASSERT_TRUE(store.finish(kRun, {"/r/model.json", "/r/report.html"}));
    begin(store, kOther, "income", "cafe");
    debit(store, kOther, false);
  }
  const CommandRun text = status();
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("run 0123456789ab: finished"),
                    HasSubstr("ε = 0.5, δ = 1e-06 per record spent"), HasSubstr("/r/report.html"),
                    HasSubstr("2023-11-14T22:13:20Z"),
                    HasSubstr("income, run 99aa456789ab: running; no process is in it"),
                    HasSubstr("waiting for south"), HasSubstr("reserved"), Not(HasSubstr("\x1b"))));
  const auto json = parse_json(run_sotto({"status", "--home", home(), "--format", "json"}).out);
  ASSERT_EQ(json["runs"].size(), 2U);
  EXPECT_EQ(json["runs"][0]["state"], "finished");
  EXPECT_EQ(json["runs"][0]["files"][0], "/r/model.json");
  EXPECT_EQ(json["runs"][0]["ledger"][0]["state"], "spent");
  EXPECT_EQ(json["runs"][1]["run"], kOther);
  EXPECT_EQ(json["runs"][1]["phase"], "waiting for south");
  EXPECT_TRUE(json["runs"][1]["ended"].is_null());
  EXPECT_TRUE(json["runs"][1]["process"].is_null());
}

TEST_F(StatusVerb, NamesTheProcessThatIsInARun) {
  Store store = open();
  begin(store, kRun, "energy", "beef");
  const auto lock = store.lock("beef");
  ASSERT_TRUE(lock);
  EXPECT_THAT(status().out,
              HasSubstr("running; process " + std::to_string(getpid()) + " is in it"));
  ASSERT_TRUE(store.request_abort(kRun));
  EXPECT_THAT(status().out, HasSubstr("was asked to give it up"));
}

TEST_F(AbortVerb, EndsARunThatNoProcessIsInAndFreesWhatWasHeldBack) {
  {
    Store store = open();
    begin(store, kRun, "energy", "beef");
    debit(store, kRun, false);
  }
  const CommandRun run = abort();
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("run 0123456789ab of energy is given up"),
                             HasSubstr("nothing was spent"), HasSubstr("free again"),
                             HasSubstr("the others were not told")));
  Store store = open();
  EXPECT_EQ(store.run(kRun)->state, RunState::kAborted);
  EXPECT_EQ(store.ledger()->front().state, EntryState::kRestored);
}

TEST_F(AbortVerb, SaysThatLooksWhichMayHaveBeenSeenAreBooked) {
  {
    Store store = open();
    begin(store, kRun, "energy", "beef");
    debit(store, kRun, false, 0.005);
  }
  const CommandRun run = abort();
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("was not released"), HasSubstr("masked looks"),
                    HasSubstr("The rest of ε = 0.5"), Not(HasSubstr("nothing was spent"))));
  EXPECT_EQ(open().ledger()->front().state, EntryState::kGivenUp);
}

TEST_F(AbortVerb, SaysThatWhatWasSpentStaysSpent) {
  {
    Store store = open();
    begin(store, kRun, "energy", "beef");
    debit(store, kRun, true);
  }
  const CommandRun run = abort({"--format", "json"});
  EXPECT_EQ(run.status, 0) << run.err;
  const auto json = parse_json(run.out);
  EXPECT_EQ(json["released"], true);
  EXPECT_EQ(json["state"], "aborted");
  EXPECT_EQ(json["ended_by"], "abort");
  EXPECT_THAT(json["statement"].get<std::string>(), HasSubstr("ε = 0.5, δ = 1e-06 per record"));
  EXPECT_EQ(open().ledger()->front().state, EntryState::kSpent);
}

TEST_F(AbortVerb, AsksTheProcessThatIsInTheRunAndWaitsForIt) {
  Store store = open();
  begin(store, kRun, "energy", "beef");
  auto lock = store.lock("beef");
  ASSERT_TRUE(lock);
  const CommandRun impatient = abort({"--seconds", "0.2"});
  EXPECT_EQ(impatient.status, 1);
  EXPECT_THAT(impatient.err, AllOf(HasSubstr("error[E-abort-waiting]: process"),
                                   HasSubstr("has not given the run up yet")));
  EXPECT_EQ(store.run(kRun)->state, RunState::kRunning);
  EXPECT_TRUE(*store.abort_requested(kRun));

  // As a process that obeys: it looks from time to time, with a connection of its own.
  std::jthread process([this] {
    Store own = open();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    if (own.abort_requested(kRun).value_or(false)) static_cast<void>(own.abort(kRun, "obeyed"));
  });
  const CommandRun patient = abort({"--seconds", "20"});
  EXPECT_EQ(patient.status, 0) << patient.err;
  EXPECT_THAT(patient.out, AllOf(HasSubstr("is given up"), HasSubstr("Its process told")));
  EXPECT_EQ(store.run(kRun)->note, "obeyed");
}

TEST_F(AbortVerb, TakesARunByItsDigitsOrItsStudyAndListsThemWhereThereIsAChoice) {
  {
    Store store = open();
    begin(store, kRun, "energy", "beef");
    begin(store, kOther, "income", "cafe");
  }
  const CommandRun which = abort();
  EXPECT_EQ(which.status, 2);
  EXPECT_THAT(which.err, AllOf(HasSubstr("error[E-abort-choose]"),
                               HasSubstr("0123456789ab of energy, 99aa456789ab of income")));
  const CommandRun none = abort({"weather"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, AllOf(HasSubstr("error[E-abort-none]"), HasSubstr("99aa456789ab")));
  EXPECT_EQ(abort({"income"}).status, 0);
  EXPECT_EQ(open().run(kOther)->state, RunState::kAborted);
  EXPECT_EQ(abort({"0123"}).status, 0);
  EXPECT_EQ(open().run(kRun)->state, RunState::kAborted);
}

TEST_F(AbortVerb, HasNothingToGiveUpWhereNothingRuns) {
  EXPECT_THAT(abort().err, HasSubstr("error[E-abort-none]"));
  EXPECT_FALSE(std::filesystem::exists(home()));
  {
    Store store = open();
    begin(store, kRun, "energy", "beef");
    ASSERT_TRUE(store.fail(kRun, "a peer broke its word"));
  }
  EXPECT_THAT(abort().err, HasSubstr("error[E-abort-none]"));
  EXPECT_THAT(status().out, HasSubstr("a peer broke its word"));
  EXPECT_EQ(abort({"--seconds", "-1"}).status, 2);
}

}  // namespace
}  // namespace sotto
