#include "run/join/live_notes.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>
#include <iterator>

#include "base/json.h"
#include "run/made_up/household_study.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using Kind = JoinEvent::Kind;

class LiveNotesOfARun : public testing::Test {
 protected:
  static Study study() {
    HouseholdStudy households{.folder = "", .parties = 3};
    for (const char* name : {"north", "south", "west"}) {
      households.members.push_back({.name = name, .address = "", .fingerprint = ""});
    }
    return parse_study(household_study_text(households), "x").value();
  }
  static JoinEvent at(Phase phase, std::vector<std::string> waiting = {}) {
    JoinEvent event{.kind = Kind::kPhase, .text = "on its way"};
    event.progress.phase = phase;
    event.progress.waiting_for = std::move(waiting);
    return event;
  }

  const TemporaryFolder folder_;
  const std::string home_ = folder_.path();
};

TEST_F(LiveNotesOfARun, TellAnotherProcessWhereItStands) {
  LiveNotes notes(home_, "beef", study(), 1, 1000);
  notes.hear(at(Phase::kMeeting, {"west"}), 2000);
  notes.hear({.kind = Kind::kConnected, .text = "connected to north", .peer = "north"}, 2500);
  notes.hear(at(Phase::kSealing), 3000);
  notes.count({.sent = 10, .received = 20}, 4000);
  const auto live = read_live_run(home_, "beef");
  ASSERT_TRUE(live.has_value());
  EXPECT_EQ(live->party, "south");
  EXPECT_THAT(live->parties, ElementsAre("north", "south", "west"));
  EXPECT_EQ(live->edges.size(), 3U);
  EXPECT_EQ(live->progress.phase, Phase::kSealing);
  EXPECT_THAT(live->connected, ElementsAre("north"));
  EXPECT_EQ(live->bytes.sent, 10U);
  ASSERT_EQ(live->phases.size(), 2U);
  EXPECT_EQ(live->phases[1].at - live->phases[0].at, 1000);
  EXPECT_EQ(live->updated, 4000);
}

TEST_F(LiveNotesOfARun, AreForTheirOwnerAlone) {
  const LiveNotes notes(home_, "beef", study(), 0, 1000);
  struct stat about {};
  ASSERT_EQ(::stat((home_ + "/live/beef.json").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600U);
  ASSERT_EQ(::stat((home_ + "/live").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700U);
}

TEST_F(LiveNotesOfARun, KeepTheirPhasesWhenARunIsResumed) {
  {
    LiveNotes notes(home_, "beef", study(), 0, 1000);
    notes.hear(at(Phase::kMeeting), 1000);
  }
  LiveNotes notes(home_, "beef", study(), 0, 9000);
  notes.hear(at(Phase::kSealing), 9000);
  EXPECT_EQ(read_live_run(home_, "beef")->phases.size(), 2U);
}

TEST_F(LiveNotesOfARun, AreNotWrittenForEveryByte) {
  LiveNotes notes(home_, "beef", study(), 0, 1000);
  notes.count({.sent = 10, .received = 0}, 1010);
  EXPECT_EQ(read_live_run(home_, "beef")->bytes.sent, 0U);
  notes.count({.sent = 11, .received = 0}, 2000);
  EXPECT_EQ(read_live_run(home_, "beef")->bytes.sent, 11U);
}

TEST_F(LiveNotesOfARun, CostNothingWhereTheyCannotBeWritten) {
  std::ofstream(home_ + "/live") << "a file";
  LiveNotes notes(home_, "beef", study(), 0, 1000);
  notes.hear(at(Phase::kMeeting), 1000);
  EXPECT_FALSE(read_live_run(home_, "beef").has_value());
}

TEST_F(LiveNotesOfARun, AreNoneWhereTheyAreNonsense) {
  LiveNotes notes(home_, "beef", study(), 0, 1000);
  for (const char* text : {"", "{}", "[]", "{\"party\": 3}", "nonsense"}) {
    std::ofstream(home_ + "/live/beef.json") << text;
    EXPECT_FALSE(read_live_run(home_, "beef").has_value()) << text;
  }
}

TEST_F(LiveNotesOfARun, AreNoneOfAStrangerOrOfATimeThatNeverWas) {
  LiveNotes notes(home_, "beef", study(), 0, 1000);
  notes.hear(at(Phase::kMeeting), 1000);
  std::ifstream file(home_ + "/live/beef.json");
  const Json fine = parse_json(std::string{std::istreambuf_iterator<char>(file), {}});
  const auto reads = [&](const std::function<void(Json&)>& change) {
    Json json = fine;
    change(json);
    std::ofstream(home_ + "/live/beef.json") << json_line(json);
    return read_live_run(home_, "beef").has_value();
  };
  const std::uint64_t never = std::uint64_t{1} << 62;
  EXPECT_TRUE(reads([](Json&) {}));
  EXPECT_FALSE(reads([](Json& json) { json["party"] = "a stranger"; }));
  EXPECT_FALSE(reads([&](Json& json) { json["updated"] = never; }));
  EXPECT_FALSE(reads([&](Json& json) { json["phases"][0]["at"] = never; }));
}

}  // namespace
}  // namespace sotto
