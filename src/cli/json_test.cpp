#include "base/json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <regex>
#include <set>

#include "cli/demo/demo.h"
#include "store/store.h"
#include "support/command_line.h"

// docs/JSON.md is what scripts rely on: it has every key that is printed.
namespace sotto {
namespace {

using testing::IsEmpty;

// What stands under these is named by solver, or by what was set or refused.
const std::set<std::string> kNamed{"plans", "settings", "refused"};
const std::set<std::string> kSolvers{"ac", "gt", "dishuf", "pairwise"};

void collect(const Json& json, std::set<std::string>& keys) {
  if (json.is_array()) {
    for (const Json& each : json) collect(each, keys);
  }
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    if (!kSolvers.contains(key)) keys.insert(key);
    if (kNamed.contains(key) && value.is_object()) {
      for (const Json& each : value) collect(each, keys);
    } else {
      collect(value, keys);
    }
  }
}

// Every word in `code` on the page.
std::set<std::string> words_of(const std::string& page) {
  std::set<std::string> words;
  const std::regex code("`[^`]*`");
  const std::regex word("[A-Za-z0-9_]+");
  for (std::sregex_iterator at(page.begin(), page.end(), code), end; at != end; ++at) {
    const std::string text = at->str();
    for (std::sregex_iterator in(text.begin(), text.end(), word); in != end; ++in) {
      words.insert(in->str());
    }
  }
  return words;
}

class JsonPage : public FolderTest {
 protected:
  // The keys of what is printed that the page does not have.
  [[nodiscard]] std::set<std::string> unknown(std::vector<std::string> words) const {
    words.insert(words.end(), {"--format", "json"});
    const CommandRun run = run_sotto(words);
    EXPECT_EQ(run.status, 0) << run.err;
    std::set<std::string> keys;
    collect(parse_json(run.out), keys);
    EXPECT_FALSE(keys.empty()) << words.front();
    std::set<std::string> missing;
    for (const std::string& key : keys) {
      if (!words_.contains(key)) missing.insert(key);
    }
    return missing;
  }
  [[nodiscard]] static std::string example(const std::string& name) {
    return SOTTO_SOURCE_DIR "/examples/" + name;
  }

 private:
  std::set<std::string> words_ = words_of(read(SOTTO_SOURCE_DIR "/docs/JSON.md"));
};

TEST_F(JsonPage, HasEveryKeyOfPlansAndSimulations) {
  const std::string paper = example("paper.toml");
  for (const char* solver : {"gt", "dishuf", "pairwise"}) {
    EXPECT_THAT(unknown({"plan", paper, "--solver", solver}), IsEmpty()) << solver;
  }
  EXPECT_THAT(unknown({"plan", example("energy.toml"), "--epsilon", "0.5,1", "--rows", "5000"}),
              IsEmpty());
  EXPECT_THAT(unknown({"plan", paper, "--compare", "--topology", "cycle", "--parties", "8,16"}),
              IsEmpty());
  EXPECT_THAT(unknown({"study", "show", paper}), IsEmpty());
  EXPECT_THAT(unknown({"study", "keys"}), IsEmpty());
  EXPECT_THAT(unknown({"simulate", paper, "--solver", "ac,gt", "--trials", "2"}), IsEmpty());
  EXPECT_THAT(unknown({"simulate", paper, "--trials", "2", "--set", "graph.parties=5,10",
                       "--trajectory", path("t.csv")}),
              IsEmpty());
  EXPECT_THAT(unknown({"problem", "export", paper}), IsEmpty());
  EXPECT_THAT(unknown({"audit", paper, "--solver", "ac", "--runs", "1000"}), IsEmpty());
}

// Of a run that has released, and one that holds back; and of a party that is ready to join.
TEST_F(JsonPage, HasEveryKeyOfRunsOfTheLedgerAndOfChecks) {
  const auto demo = set_up_demo({.folder = path("stage"),
                                 .parties = 2,
                                 .rows = 200,
                                 .solver = Solver::kPairwise,
                                 .keep = false});
  ASSERT_TRUE(demo) << demo.error().to_string();
  const DemoParty& party = demo->parties.at(0);
  EXPECT_THAT(unknown({"check", demo->study, "--as", party.name, "--data", party.table, "--home",
                       party.home, "--seconds", "0"}),
              IsEmpty());
  EXPECT_THAT(unknown({"keys", "show", "--home", party.home}), IsEmpty());
  {
    auto store = Store::open(party.home, [] { return 1'700'000'000; });
    ASSERT_TRUE(store) << store.error().to_string();
    ASSERT_TRUE(store->new_account("people", {.epsilon = 10, .delta = 1e-5}));
    for (const char* run : {"0123", "4567"}) {
      ASSERT_TRUE(store->begin_run(run, "energy", "beef"));
      auto journal = store->journal(run);
      ASSERT_TRUE(journal);
      Debit debit;
      debit.run = run;
      debit.attempt = "01";
      debit.study = "energy";
      debit.data = "people";
      debit.unit = "record";
      debit.epsilon = 0.5;
      debit.delta = 1e-6;
      debit.charges = {{"eavesdropper", 0.01, 0}, {"neighbour", 0.02, 1}};
      debit.guaranteed = "eavesdropper";
      ASSERT_TRUE((*journal)->reserve(debit));
      if (run[0] == '0') (*journal)->spend(run, "01");
      ASSERT_TRUE((*journal)->commit());
    }
    ASSERT_TRUE(store->finish("0123", {"/r/model.json"}));
  }
  EXPECT_THAT(unknown({"status", "--home", party.home}), IsEmpty());
  EXPECT_THAT(unknown({"ledger", "--home", party.home}), IsEmpty());
  EXPECT_THAT(unknown({"abort", "4567", "--home", party.home}), IsEmpty());
  for (const char* change : {"rotate", "retire"}) {
    EXPECT_THAT(unknown({"keys", change, "--home", party.home}), IsEmpty());
  }
}

TEST_F(JsonPage, HasEveryKeyOfStudiesAndOfHelp) {
  EXPECT_THAT(unknown({"new", path("t.toml"), "--target", "y=0:1", "--number", "x=0:1", "--parties",
                       "3", "--epsilon", "1", "--delta", "1e-6"}),
              IsEmpty());
  EXPECT_THAT(unknown({"study", "fmt", path("t.toml")}), IsEmpty());
  EXPECT_THAT(unknown({"help"}), IsEmpty());
}

TEST_F(JsonPage, HasEveryKeyOfModelsAndOfAPartysOwn) {
  EXPECT_THAT(unknown({"generate", "6000", "--parties", "2", "--out", path("g")}), IsEmpty());
  const std::string study = path("g/study.toml");
  const std::string table = path("g/party-1.csv");
  EXPECT_THAT(unknown({"simulate", study, "--data", table + "," + path("g/party-2.csv"), "--out",
                       path("run")}),
              IsEmpty());
  EXPECT_THAT(unknown({"refit", path("run"), "--select", "bic"}), IsEmpty());
  EXPECT_THAT(unknown({"refit", path("run"), "--correlations"}), IsEmpty());
  EXPECT_THAT(unknown({"refit", path("run"), "--components"}), IsEmpty());
  EXPECT_THAT(unknown({"refit", path("run"), "--compare", "people,people+area_m2"}), IsEmpty());
  EXPECT_THAT(unknown({"predict", path("run/model.json"), table, "--intervals"}), IsEmpty());
  EXPECT_THAT(unknown({"report", path("run"), "--out", path("r.html")}), IsEmpty());
  EXPECT_THAT(unknown({"sums", study, table, "--out", path("one.sums")}), IsEmpty());
  EXPECT_THAT(unknown({"sql", study, "--query", "households", "--dialect", "duckdb"}), IsEmpty());
  EXPECT_THAT(unknown({"keys", "new", "--name", "north", "--host", "north.example", "--home",
                       path("home")}),
              IsEmpty());
  EXPECT_THAT(unknown({"ledger", "new", "people", "--epsilon", "10", "--delta", "1e-5", "--home",
                       path("home")}),
              IsEmpty());
  EXPECT_THAT(unknown({"ledger", "--home", path("home")}), IsEmpty());
}

}  // namespace
}  // namespace sotto
