#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "support/party_processes.h"
#include "support/source_tree.h"

// Whole runs, each party a process: who comes when, and how often.

namespace sotto {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

TEST(NetworkRun, PartiesStartInAnyOrderAndWaitForEachOther) {
  NetworkOptions options;
  options.solver = "pairwise";
  options.addresses[1] = "";  // dials out only
  Parties parties(options);
  for (const std::size_t p : {2U, 0U, 1U}) {
    parties.start(p);
    ASSERT_TRUE(parties.says(p, "waiting for")) << parties.said(p);
    std::this_thread::sleep_for(milliseconds(300));
  }
  parties.expect_all_end(0);
  parties.expect_same_models({0, 1, 2});
  EXPECT_THAT(parties.said(1), HasSubstr("dialling out only"));
  EXPECT_THAT(parties.said(2), HasSubstr("party-1 does not answer at"));
  for (std::size_t p = 0; p < 3; ++p) EXPECT_TRUE(parties.spent_once(p));
}

unsigned mode_of(const std::filesystem::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777U;
}

TEST(NetworkRun, LetsOnlyItsOwnerReadWhatCountsItsRows) {
  for (const mode_t mask : {mode_t{022}, mode_t{000}}) {
    Parties parties({.solver = "ac", .parties = 2, .topology = "path"});
    // The first party's folder is there, and so is a report that everybody may read.
    const auto there = parties.folder() / "result-1";
    std::filesystem::create_directory(there);
    std::ofstream(there / "report.html") << "old";
    ASSERT_EQ(::chmod((there / "report.html").c_str(), 0666), 0);
    ASSERT_EQ(::chmod(there.c_str(), 0755), 0);
    const mode_t before = ::umask(mask);
    parties.start_all();
    parties.expect_all_end(0);
    ::umask(before);
    for (const char* folder : {"result-1", "result-2"}) {
      for (const char* file : {"report.html", "record.json"}) {
        EXPECT_EQ(mode_of(parties.folder() / folder / file), 0600U) << folder << file;
      }
      // The same for all parties, and for whoever may see it: no count of anybody's rows is in it.
      const std::string model = read_text(parties.folder() / folder / "model.json");
      EXPECT_THAT(model, Not(AnyOf(HasSubstr("\"own\""), HasSubstr("clipped"))));
    }
    EXPECT_EQ(mode_of(there), 0755U) << "a folder that is there is its owner's business";
    EXPECT_EQ(mode_of(parties.folder() / "result-2"), 0700U);
  }
}

TEST(NetworkRun, AStudyWithASplineEndsWithItsReport) {
  Parties parties({.solver = "ac", .parties = 2, .topology = "path"});
  std::string text = read_text(parties.study());
  const std::string bounds = "bounds = [20, 220]";
  const auto at = text.find(bounds);
  ASSERT_NE(at, std::string::npos) << text;
  text.insert(at + bounds.size(), "\nknots = [80, 140]");
  std::ofstream(parties.study()) << text;
  parties.start_all();
  parties.expect_all_end(0);
  parties.expect_same_models({0, 1});
  EXPECT_THAT(read_text(parties.folder() / "result-1" / "report.html"),
              HasSubstr("a spline of degree 3 with knots at 80, 140"));
}

// Nothing is lost by it, and why it is not there is said with the file's name.
TEST(NetworkRun, AResultThatCannotBeKeptIsKeptByTheNextTry) {
  Parties parties({.parties = 2, .topology = "path"});
  const auto file = parties.folder() / "result-1";  // where its folder would be
  std::ofstream(file) << "no folder";
  parties.start(0);
  parties.start(1);
  EXPECT_EQ(parties.wait(0), 1);
  EXPECT_THAT(parties.said(0), testing::HasSubstr("error[E-file-write]"));
  EXPECT_THAT(parties.said(0), testing::HasSubstr(file.string()));
  std::filesystem::remove(file);
  parties.start(0);
  parties.expect_all_end(0);
  parties.expect_same_models({0, 1});
  EXPECT_TRUE(parties.spent_once(0));
}

TEST(NetworkRun, WhoAsksIsAskedAndNobodyElse) {
  Parties parties({.solver = "ac", .parties = 2, .topology = "path", .tables = false});
  parties.start(0, {.words = {"--ask"}});  // its standard input is at its end
  EXPECT_EQ(parties.wait(0), 1);
  EXPECT_THAT(parties.said(0), HasSubstr("error[E-declined]"));
  parties.start_all();
  parties.expect_all_end(0);
  EXPECT_THAT(parties.said(0), Not(HasSubstr("take part?")));
  EXPECT_THAT(parties.said(0), HasSubstr("before party-1 takes part in paper:"));
}

TEST(NetworkRun, APartyTakesPartOnceAtATime) {
  Parties parties({.solver = "ac", .parties = 3, .tables = false});
  parties.start(0);
  ASSERT_TRUE(parties.says(0, "waiting for")) << parties.said(0);
  Child second(
      {SOTTO_PROGRAM, "join", parties.study(), "--as", "party-1", "--home", parties.home(0)},
      parties.folder() / "second.out", parties.folder() / "second.err");
  EXPECT_EQ(second.wait(kLongRun), 1);
  std::ifstream file(parties.folder() / "second.err");
  const std::string said{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(said, HasSubstr("error[E-store-busy]"));
  // The first one is none the worse for it.
  parties.start(1);
  parties.start(2);
  parties.expect_all_end(0);
}

TEST(NetworkRun, AnAccountThatARunWouldOverdrawRefusesItAndNothingIsSpent) {
  Parties parties({.solver = "ac", .parties = 3, .tables = false});
  (void)parties.sotto({"ledger", "limit", "--data", kAccount, "--epsilon", "0.01", "--delta",
                       "1e-9", "--home", parties.home(0)});
  parties.start_all();
  EXPECT_EQ(parties.wait(0), 3) << parties.said(0);
  EXPECT_THAT(parties.said(0), HasSubstr("E-ledger-overdrawn"));
  // It was refused before its first word: the others have not met it, and would wait for long.
  for (const std::size_t p : {1U, 2U}) parties.process(p).signal(SIGTERM);
  for (std::size_t p = 0; p < 3; ++p) {
    EXPECT_TRUE(parties.wait(p).has_value()) << parties.said(p);
    EXPECT_THAT(parties.said(p), Not(HasSubstr("sealing")));
    for (const LedgerEntry& entry : parties.ledger(p)) EXPECT_NE(entry.state, EntryState::kSpent);
  }
}

TEST(NetworkRun, AFinishedStudyIsNotRunTwice) {
  Parties parties({.solver = "ac", .parties = 3, .tables = false});
  parties.start_all();
  parties.expect_all_end(0);
  parties.start(0);
  EXPECT_EQ(parties.wait(0), 0);
  EXPECT_TRUE(parties.spent_once(0));
}

}  // namespace
}  // namespace sotto
