#include "view/runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sotto::view {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// North's part in a run of four on a path, which is sealing and waits for east.
WatchedRun north() {
  WatchedRun part;
  part.home = {.folder = "/home/north/.sotto", .name = ".sotto"};
  part.view.run.run = "beef0000beef0000";
  part.view.run.study = "stay";
  part.view.run.study_hash = "abcd";
  part.view.run.started = 1'700'000'000;
  part.view.run.phase = "sealing; waiting for east";
  part.view.holder = "process 42";
  part.live = LiveRun{};
  part.live->party = "north";
  part.live->parties = {"north", "east", "south", "west"};
  part.live->edges = {{0, 1}, {1, 2}, {2, 3}};
  part.live->progress.phase = Phase::kSealing;
  part.live->progress.waiting_for = {"east"};
  part.live->bytes = {.sent = 31'600, .received = 1'234'567};
  part.live->phases = {{Phase::kMeeting, 1'700'000'000'000}, {Phase::kSealing, 1'700'000'065'000}};
  return part;
}

std::string card(const std::vector<WatchedRun>& runs) {
  const Json json = runs_json({.runs = runs, .problems = {}});
  return json.at("cards").empty() ? "" : json.at("cards")[0].at("html").get<std::string>();
}

TEST(ViewRuns, SayPhaseWaitingBytesAndSeconds) {
  const std::string html = card({north()});
  EXPECT_THAT(html, HasSubstr("<dt>Waiting for</dt><dd>east</dd>"));
  EXPECT_THAT(html, AllOf(HasSubstr("31.6 kB"), HasSubstr("1.2 MB")));
  EXPECT_THAT(html, HasSubstr("<li class=\"done\"><b>meeting</b><span>1 min 05 s</span>"));
  EXPECT_THAT(html, HasSubstr("<li class=\"now\" aria-current=\"step\"><b>sealing</b><span><time "
                              "data-since=\"1700000065000\">"));
  EXPECT_THAT(html, HasSubstr("nothing of its data"));
}

TEST(ViewRuns, DrawHowEachPartyStandsAsFarAsItIsSeenFromHere) {
  WatchedRun part = north();
  EXPECT_THAT(card({part}), AllOf(HasSubstr("north: 1 neighbour (east), taking part"),
                                  HasSubstr("east: 2 neighbours (north, south), waited for"),
                                  HasSubstr("west: 1 neighbour (south), taking part")));
  part.live->progress.waiting_for = {};
  part.live->progress.without = {"west"};
  EXPECT_THAT(card({part}), AllOf(HasSubstr("west: 1 neighbour (south), lost"),
                                  HasSubstr("<dt>Went on without</dt><dd>west</dd>")));
  part.live->progress = {};
  EXPECT_THAT(card({part}), HasSubstr("south: 2 neighbours (east, west), not a neighbour"))
      << "in the meeting nobody knows yet who has come beyond the neighbours";
}

TEST(ViewRuns, SayWhenNoProcessIsInARun) {
  WatchedRun part = north();
  part.view.holder.reset();
  const Json json = runs_json({.runs = {part}, .problems = {}});
  EXPECT_EQ(json.at("cards")[0].at("state"), "interrupted");
  EXPECT_THAT(card({part}), AllOf(HasSubstr("resumes it"), Not(HasSubstr("data-since"))))
      << "nothing goes on, so nothing is counted";
}

TEST(ViewRuns, PutPartiesOfOneRunTogetherBeforeItHasAName) {
  WatchedRun east = north();
  east.view.run.run = "feed";
  east.live->party = "east";
  EXPECT_EQ(runs_json({.runs = {north(), east}, .problems = {}}).at("cards").size(), 1U);
  east.view.run.shared = "5555";
  EXPECT_EQ(runs_json({.runs = {north(), east}, .problems = {}}).at("cards").size(), 1U);
  east.view.run.state = RunState::kFinished;
  WatchedRun named = north();
  named.view.run.shared = "5555";
  EXPECT_EQ(runs_json({.runs = {named, east}, .problems = {}}).at("cards").size(), 1U);
  EXPECT_EQ(runs_json({.runs = {north(), named}, .problems = {}}).at("running"), 1);
}

TEST(ViewRuns, SayWhatHasLeftAndWhatItCost) {
  WatchedRun part = north();
  LedgerEntry entry;
  entry.debit.data = "north/patients";
  entry.debit.epsilon = 1;
  entry.debit.delta = 1e-6;
  entry.debit.charges = {{"eavesdropper", 0.1, 0}};
  part.view.entries = {entry};
  EXPECT_THAT(card({part}), AllOf(HasSubstr("held back"), HasSubstr("north/patients"),
                                  HasSubstr("without its mask")));
  part.view.entries.front().state = EntryState::kSpent;
  EXPECT_THAT(card({part}), AllOf(HasSubstr("spent"), HasSubstr("its noisy sums")));
}

// Names come from studies and from other parties.
TEST(ViewRuns, AreMarkupOfTheirOwnAlone) {
  const std::string evil = "<img src=x onerror=alert(1)>";
  WatchedRun part = north();
  part.view.run.study = part.view.run.note = part.view.run.phase = evil;
  part.live->party = part.live->parties[0] = part.live->parties[1] = evil;
  part.live->progress.waiting_for = part.live->progress.without = {evil};
  part.home.name = evil;
  const Json json =
      runs_json({.runs = {part, part}, .problems = {failed("E-x", evil, evil).at(evil)}});
  EXPECT_THAT(json.dump(), Not(HasSubstr("<img")));
  EXPECT_THAT(json.dump(), HasSubstr("&lt;img"));
}

}  // namespace
}  // namespace sotto::view
