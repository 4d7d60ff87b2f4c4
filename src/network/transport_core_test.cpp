// What the transport keeps of neighbours that come and go, without gRPC.

#include "network/transport_core.h"

#include <gtest/gtest.h>
#include <link.pb.h>

#include <functional>
#include <thread>

#include "base/digest.h"

namespace sotto::network {
namespace {

using std::chrono::milliseconds;
using Kind = TransportEvent::Kind;

constexpr PartyId kNeighbour = 1;
const std::string kPin = "sha256:" + std::string(64, 'a');

struct StillStream final : Stream {
  StillStream() : Stream(kNeighbour) {}
  bool send(std::string) override { return true; }
  void show(std::string) override {
    if (when_shown) when_shown();
  }
  void resume() override {}
  void finish() override {}
  void cancel(const grpc::Status&) override {}
  std::function<void()> when_shown;
};

// Of a party that dials nobody.
class Listening : public testing::Test {
 protected:
  std::shared_ptr<Stream> comes() {
    auto stream = std::make_shared<StillStream>();
    EXPECT_TRUE(core_.attach(stream, true));
    return stream;
  }
  void leaves(std::shared_ptr<Stream> stream) {
    core_.stream_ended(std::move(stream), grpc::Status::OK);
  }
  [[nodiscard]] bool is_let_in(const std::string& study) {
    return core_.admit(kPin, to_hex(study)).refusal.ok();
  }
  const std::string study_ = std::string(32, 's');
  TransportCore core_{{{.id = kNeighbour, .name = "south", .address = "", .fingerprint = kPin}},
                      {},
                      {.study = study_, .study_lines = "", .protocol = 4, .looking = false},
                      "sha256:own"};
};

TEST_F(Listening, KeepsNothingOfStreamsThatHaveEnded) {
  std::vector<std::weak_ptr<Stream>> all;
  for (int times = 0; times < 10; ++times) {
    auto stream = comes();
    all.push_back(stream);
    leaves(std::move(stream));
  }
  while (core_.wait(milliseconds(0))) {
  }
  for (const auto& stream : all) EXPECT_TRUE(stream.expired());
}

TEST_F(Listening, KeepsTheNewestCardOfOneThatShowsMany) {
  Card card;
  card.set_study(study_);
  for (std::uint64_t times = 1; times <= 100; ++times) {
    const auto stream = comes();
    card.set_waiting_ms(times);
    core_.stream_card(*stream, card.SerializeAsString());
    leaves(stream);
  }
  std::size_t cards = 0;
  while (const auto event = core_.wait(milliseconds(0))) {
    if (event->kind != Kind::kCard) continue;
    ++cards;
    EXPECT_EQ(event->card.waiting, milliseconds(100));
  }
  EXPECT_EQ(cards, 1U);
}

// What the other end hears first is a card: whoever hears of the connection sends at once.
TEST_F(Listening, ShowsItsCardBeforeAnybodyHearsOfTheConnection) {
  for (const bool dialled : {false, true}) {
    auto stream = std::make_shared<StillStream>();
    int shown = 0;
    stream->when_shown = [&] {
      ++shown;
      EXPECT_FALSE(core_.wait(milliseconds(0)).has_value()) << (dialled ? "dialled" : "accepted");
    };
    EXPECT_TRUE(core_.attach(stream, !dialled));
    if (dialled) core_.stream_open(*stream);
    EXPECT_EQ(shown, 1);
    const auto event = core_.wait(milliseconds(0));
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(event->kind, Kind::kConnected);
    leaves(std::move(stream));
    while (core_.wait(milliseconds(0))) {
    }
  }
}

TEST_F(Listening, LetsOneWhoComesAndGoesInEverMoreSeldom) {
  const auto end = std::chrono::steady_clock::now() + milliseconds(2000);
  int times = 0;
  while (std::chrono::steady_clock::now() < end) {
    if (!is_let_in(study_)) {
      std::this_thread::sleep_for(milliseconds(5));
      continue;
    }
    ++times;
    leaves(comes());
  }
  EXPECT_GE(times, 3);
  EXPECT_LE(times, 8) << "with a twentieth of a second between them it would be forty";
}

TEST_F(Listening, AnotherStudyOfAPartyTakesNoPlaceOfThisOne) {
  const std::string another(32, 't');
  EXPECT_TRUE(is_let_in(another)) << "it is told what differs";
  const auto stream = comes();
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_FALSE(is_let_in(another));
  EXPECT_TRUE(is_let_in(study_)) << "whoever has lost a connection without our hearing of it";
}

}  // namespace
}  // namespace sotto::network
