#include <gmock/gmock.h>

#include <csignal>
#include <sstream>

#include "base/json.h"
#include "support/party_processes.h"

// What `sotto join --progress json` tells other programs.

namespace sotto {
namespace {

using testing::HasSubstr;

const Start kInJson{.words = {"--progress", "json"}};

// Every line of what a party has said is one object.
std::vector<Json> events_of(const Parties& parties, std::size_t party) {
  std::vector<Json> events;
  std::istringstream lines(parties.said(party));
  for (std::string line; std::getline(lines, line);) {
    events.push_back(parse_json(line));
    EXPECT_TRUE(events.back().is_object()) << line;
    for (const char* field : {"time", "event", "text"}) {
      EXPECT_TRUE(events.back().contains(field)) << line;
    }
  }
  return events;
}

std::vector<std::string> names_of(const std::vector<Json>& events, const char* field) {
  std::vector<std::string> names;
  for (const auto& event : events) {
    if (event.contains(field)) names.push_back(event[field].get<std::string>());
  }
  return names;
}

TEST(ProgressLines, TellARunFromItsBeginningToItsFiles) {
  Parties parties({.parties = 3});
  parties.start_all(kInJson);
  parties.expect_all_end(0);
  for (std::size_t p = 0; p < 3; ++p) {
    const auto events = events_of(parties, p);
    const auto names = names_of(events, "event");
    ASSERT_FALSE(names.empty());
    EXPECT_EQ(names.front(), "consent") << "what it agrees to comes before everything else";
    EXPECT_EQ(names.at(1), "begun");
    EXPECT_EQ(events[0]["cost"]["account"], "all data");
    EXPECT_TRUE(events[0]["cost"]["limit"].is_null());
    EXPECT_EQ(events[0]["promises"]["adversaries"][0]["name"], "eavesdropper");
    EXPECT_EQ(std::ranges::count(names, "connected"), 2);
    const auto phases = names_of(events, "phase");
    // One that is over when somebody looks is not told of: two messages may come together.
    ASSERT_FALSE(phases.empty());
    EXPECT_EQ(phases.front(), "meeting");
    EXPECT_EQ(phases.back(), "finished");
    // Neighbours that leave when all is over are no trouble.
    bool over = false;
    for (const auto& event : events) {
      over = over || (event["event"] == "phase" && event["phase"] == "finished");
      EXPECT_FALSE(over && (event["event"] == "lost" || event["event"] == "trouble")) << event;
    }
    const auto& finished = events.back();
    EXPECT_EQ(finished["event"], "finished");
    EXPECT_EQ(finished["files"].size(), 3U);
    EXPECT_THAT(finished["files"][0].get<std::string>(), HasSubstr("model.json"));
    const auto bytes = std::ranges::find(names, "bytes") - names.begin();
    EXPECT_GT(events.at(static_cast<std::size_t>(bytes))["sent"].get<int>(), 100);
  }
}

TEST(ProgressLines, NameThePartiesThatAreWaitedFor) {
  Parties parties({.parties = 3});
  parties.start(0, kInJson);
  ASSERT_TRUE(parties.says(0, "\"meeting\"")) << parties.said(0);
  const auto events = events_of(parties, 0);
  const auto meeting =
      std::ranges::find_if(events, [](const auto& event) { return event["event"] == "phase"; });
  ASSERT_NE(meeting, events.end());
  EXPECT_EQ((*meeting)["waiting_for"], Json({"party-2", "party-3"}));
  EXPECT_EQ((*meeting)["released"], false);
  parties.process(0).signal(SIGTERM);
  EXPECT_EQ(parties.wait(0), 1);
  const auto last = events_of(parties, 0).back();
  EXPECT_EQ(last["event"], "failed");
  EXPECT_EQ(last["error"]["name"], "E-interrupted");
  EXPECT_EQ(last["error"]["status"], 1);
  EXPECT_THAT(last["text"].get<std::string>(), HasSubstr("error[E-interrupted]: "));
}

TEST(ProgressLines, AreAllThatABadCommandLineLeadsTo) {
  Parties parties({.parties = 2});
  parties.start(0, {.words = {"--progress", "json", "--sing"}});
  EXPECT_EQ(parties.wait(0), 2);
  const auto events = events_of(parties, 0);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0]["error"]["name"], "E-usage");
}

}  // namespace
}  // namespace sotto
