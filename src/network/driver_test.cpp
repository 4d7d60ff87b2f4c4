#include "network/driver.h"

#include <gtest/gtest.h>

#include <deque>
#include <thread>

#include "support/sessions.h"

namespace sotto {
namespace {

using std::chrono::milliseconds;
using Kind = TransportEvent::Kind;

constexpr PartyId kSelf = 0;
constexpr PartyId kOther = 1;

// Says what it is told to say, each when its time has come, and sends nothing.
class Script final : public Transport {
 public:
  struct Line {
    Time at;
    TransportEvent event;
  };
  explicit Script(std::deque<Line> lines) : lines_(std::move(lines)) {}
  void send(PartyId, std::string) override {}
  void hang_up(PartyId) override {}
  std::optional<TransportEvent> wait(milliseconds at_most) override {
    if (lines_.empty() || lines_.front().at > clock_.now()) {
      std::this_thread::sleep_for(std::min(at_most, milliseconds(10)));
      return std::nullopt;
    }
    TransportEvent event = std::move(lines_.front().event);
    lines_.pop_front();
    return event;
  }
  [[nodiscard]] Bytes bytes() const override { return {}; }

 private:
  std::deque<Line> lines_;
  const SteadyClock clock_;
};

TransportEvent connected() {
  return {.kind = Kind::kConnected, .peer = kOther};
}

TransportEvent card_of(bool same_study) {
  TransportEvent event{.kind = Kind::kCard, .peer = kOther};
  event.card = {.same_study = same_study, .answer = true};
  return event;
}

// How a party ends that hears this, and is interrupted after four seconds.
std::string end_after(std::deque<Script::Line> lines) {
  session_test::Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::path(2),
                                2);
  Script script(std::move(lines));
  const SteadyClock clock;
  DriverHooks hooks;
  hooks.on_card = [](PartyId, const PeerCard& card) {
    return card.same_study ? std::nullopt : std::optional(bad_input("E-study-differs", "", ""));
  };
  hooks.interrupted = [&] { return clock.now() > Time(4000); };
  const auto driven = drive(*network.sessions[kSelf], script, {"north", "south"}, clock, hooks);
  return driven ? "" : driven.error().name;
}

TEST(Driver, EndsForAnotherStudyThatStaysOne) {
  EXPECT_EQ(end_after({{Time(0), connected()}, {Time(10), card_of(false)}}), "E-study-differs");
}

// A neighbour that takes part in several studies may come with another of them first.
TEST(Driver, DoesNotEndForAnotherStudyThatOursFollows) {
  EXPECT_EQ(end_after({{Time(0), connected()},
                       {Time(10), card_of(false)},
                       {Time(1000), connected()},
                       {Time(1010), card_of(true)}}),
            "E-interrupted");
}

}  // namespace
}  // namespace sotto
