#include "run/join/join_event.h"

#include <gmock/gmock.h>

#include "base/json.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using Kind = JoinEvent::Kind;

constexpr std::int64_t kTime = 1'700'000'000;

Json line_of(const JoinEvent& event) {
  const std::string line = to_json_line(event, kTime);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  return parse_json(line);
}

TEST(JoinEvents, AreLinesOfJsonWithATimeANameAndATextForAPerson) {
  const auto json =
      line_of({.kind = Kind::kConnected, .text = "connected to north", .peer = "north"});
  EXPECT_EQ(json["time"], "2023-11-14T22:13:20Z");
  EXPECT_EQ(json["event"], "connected");
  EXPECT_EQ(json["peer"], "north");
  EXPECT_EQ(json["text"], "connected to north");
  EXPECT_EQ(json.size(), 4U);
}

TEST(JoinEvents, SayWhereARunStandsWithoutASentence) {
  const auto json = line_of({.kind = Kind::kPhase,
                             .text = "sealed",
                             .progress = {.phase = Phase::kReady,
                                          .state = RunState::kRunning,
                                          .waiting_for = {"north", "south"},
                                          .without = {"west"},
                                          .released = false}});
  EXPECT_EQ(json["phase"], "ready");
  EXPECT_EQ(json["waiting_for"], Json({"north", "south"}));
  EXPECT_EQ(json["without"], Json({"west"}));
  EXPECT_EQ(json["released"], false);
}

TEST(JoinEvents, NameNobodyWhereAStrangerCame) {
  EXPECT_TRUE(line_of({.kind = Kind::kTrouble, .text = "somebody came"})["peer"].is_null());
}

TEST(JoinEvents, CarryAnErrorAsEveryVerbDoes) {
  const auto json =
      line_of({.kind = Kind::kFailed, .text = "error[E-x]: a", .error = failed("E-x", "a", "b")});
  EXPECT_EQ(json["error"]["name"], "E-x");
  EXPECT_EQ(json["error"]["fix"], "b");
  EXPECT_EQ(json["error"]["status"], 1);
  EXPECT_FALSE(json["error"].contains("others"));
}

TEST(JoinEvents, CarryAllErrorsOfATable) {
  Error error = bad_input("E-x", "a", "b");
  error.others = {bad_input("E-y", "c", "d").at("line 4")};
  error.unlisted = 3;
  const auto json = line_of({.kind = Kind::kFailed, .text = "", .error = error})["error"];
  EXPECT_EQ(json["others"][0]["name"], "E-y");
  EXPECT_EQ(json["others"][0]["where"], "line 4");
  EXPECT_EQ(json["unlisted"], 3);
}

TEST(JoinEvents, AreJsonWhateverTheWordsOfOthersAre) {
  const auto json = line_of({.kind = Kind::kNote, .text = "\x1b[2J\n\xff\xfe"});
  EXPECT_EQ(json["event"], "note");
}

TEST(JoinEvents, ComeBackAsTheyWere) {
  for (int k = 0; k <= static_cast<int>(Kind::kFailed); ++k) {
    JoinEvent event{.kind = static_cast<Kind>(k),
                    .text = "words",
                    .progress = {.phase = Phase::kComparing,
                                 .state = RunState::kRunning,
                                 .waiting_for = {"south"},
                                 .without = {"west"},
                                 .released = true},
                    .peer = "north",
                    .bytes = {.sent = 1ULL << 40, .received = 2},
                    .run = "a1b2",
                    .files = {"model.json", "record.json"},
                    .error = failed("E-x", "a", "b")};
    const auto back = join_event_from(to_json_line(event, kTime));
    ASSERT_TRUE(back) << k;
    EXPECT_EQ(back->kind, event.kind);
    EXPECT_EQ(back->text, "words");
    switch (event.kind) {
      case Kind::kPhase:
      case Kind::kWaiting:
        EXPECT_EQ(back->progress, event.progress);
        break;
      case Kind::kBytes:
        EXPECT_EQ(back->bytes.sent, event.bytes.sent);
        EXPECT_EQ(back->bytes.received, event.bytes.received);
        break;
      case Kind::kConnected:
      case Kind::kLost:
      case Kind::kTrouble:
        EXPECT_EQ(back->peer, "north");
        break;
      case Kind::kFinished:
        EXPECT_EQ(back->run, "a1b2");
        EXPECT_THAT(back->files, ElementsAre("model.json", "record.json"));
        break;
      case Kind::kRefused:
      case Kind::kFailed:
        EXPECT_EQ(back->error.name, "E-x");
        break;
      default:
        break;
    }
  }
}

TEST(JoinEvents, AreNotFoundInOtherLines) {
  for (const char* line :
       {"", "finished", "E1116 08:00:00 ssl_transport_security.cc:1455] Handshake failed", "{",
        R"({"time":"2023-11-14T22:13:20Z","event":"pha)", R"(["event"])", R"({"event":7})",
        R"({"text":"finished"})", R"({"error":{"name":"E-usage"}})", "null", "\xff"}) {
    EXPECT_FALSE(join_event_from(line)) << line;
  }
}

TEST(JoinEvents, OfALaterVersionAreNotes) {
  const auto event = join_event_from(R"({"event":"sang","text":"la","tune":[1,2]})");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, Kind::kNote);
  EXPECT_EQ(event->text, "la");
  const auto phase = join_event_from(R"({"event":"phase","phase":"dreaming","text":"z"})");
  ASSERT_TRUE(phase);
  EXPECT_EQ(phase->kind, Kind::kNote);
}

TEST(JoinEvents, LeaveAwayFieldsOfAnotherKind) {
  const auto bytes = join_event_from(R"({"event":"bytes","sent":"many","received":-1,"text":3})");
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->kind, Kind::kBytes);
  EXPECT_EQ(bytes->bytes.sent, 0U);
  EXPECT_EQ(bytes->bytes.received, 0U);
  EXPECT_EQ(bytes->text, "");
  const auto phase = join_event_from(
      R"({"event":"phase","phase":"ready","waiting_for":["a",1],"released":"yes"})");
  ASSERT_TRUE(phase);
  EXPECT_THAT(phase->progress.waiting_for, ElementsAre("a"));
  EXPECT_FALSE(phase->progress.released);
}

}  // namespace
}  // namespace sotto
