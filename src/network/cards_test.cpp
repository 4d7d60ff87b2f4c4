// What two ends show each other before any frame, and several studies at one port.

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <link.grpc.pb.h>

#include <map>

#include "base/digest.h"
#include "network/door.h"
#include "network/tls.h"
#include "support/transports.h"

namespace sotto {
namespace {

using testing::HasSubstr;

constexpr PartyId kPortNorth = 0;
constexpr PartyId kPortSouth = 1;

TEST(DoorSettings, LetNothingInThatIsLargerThanTheStudysOrUnpacks) {
  std::map<std::string, int> settings;
  for (const auto& [name, value] : network::common_settings({.frame_bytes = 1000})) {
    settings[name] = value;
  }
  EXPECT_LE(settings.at(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH), 1000 + (64 << 10));
  EXPECT_EQ(settings.at(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET),
            1 << GRPC_COMPRESS_NONE);
}

Greeting greeting(char study, const std::string& lines) {
  return {.study = std::string(32, study), .study_lines = lines, .protocol = 4, .looking = false};
}

PeerCard answer_of(Transport& transport) {
  const auto event = wait_until(transport, [](const TransportEvent& one) {
    return one.kind == Kind::kCard && one.card.answer;
  });
  EXPECT_TRUE(event.has_value());
  return event ? event->card : PeerCard{};
}

class Cards : public testing::Test {
 protected:
  void open(const Greeting& at_north, const Greeting& at_south) {
    auto north =
        Transport::open(north_, "127.0.0.1:0", {peer_of(kPortSouth, south_)}, {}, at_north);
    ASSERT_TRUE(north);
    one_ = std::move(*north);
    auto south =
        Transport::open(south_, "", {peer_of(kPortNorth, north_, one_->port())}, {}, at_south);
    ASSERT_TRUE(south);
    other_ = std::move(*south);
  }
  Identity north_ = identity_of("north");
  Identity south_ = identity_of("south");
  std::unique_ptr<Transport> one_;
  std::unique_ptr<Transport> other_;
};

TEST_F(Cards, SayThatStudiesAreTheSameAndKeepTheirLinesThen) {
  open(greeting('s', "epsilon = 1"), greeting('s', "epsilon = 1"));
  for (Transport* end : {one_.get(), other_.get()}) {
    const PeerCard card = answer_of(*end);
    EXPECT_TRUE(card.same_study);
    EXPECT_EQ(card.study_lines, "");
    EXPECT_EQ(card.protocol, 4U);
  }
}

TEST_F(Cards, ShowTheOtherStudysLinesWhereTheyDiffer) {
  open(greeting('s', "epsilon = 1"), greeting('t', "epsilon = 2"));
  const PeerCard card = answer_of(*one_);
  EXPECT_FALSE(card.same_study);
  EXPECT_EQ(card.study_lines, "epsilon = 2");
  EXPECT_EQ(answer_of(*other_).study_lines, "epsilon = 1");
}

TEST_F(Cards, LinesThatAreTooLongAreNotSent) {
  open(greeting('s', "x = 1"), greeting('t', std::string(kMaxStudyLinesBytes + 1, 'y')));
  EXPECT_EQ(answer_of(*one_).study_lines, "");
}

TEST_F(Cards, MeasureTheClockWithinItsUncertainty) {
  open(greeting('s', ""), greeting('s', ""));
  const PeerCard card = answer_of(*one_);
  EXPECT_LE(std::chrono::abs(card.clock_ahead), card.uncertainty) << "it is the same clock";
  EXPECT_GT(card.uncertainty.count(), 0);
}

TEST_F(Cards, ComeBeforeFramesWhichComeAllTheSame) {
  open(greeting('s', ""), greeting('t', ""));
  (void)answer_of(*other_);
  other_->send(kPortNorth, "a frame");
  const auto frame =
      wait_until(*one_, [](const TransportEvent& one) { return one.kind == Kind::kFrame; });
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->frame, "a frame");
}

TEST_F(Cards, AnEndThatShowsNothingIsAskedNothing) {
  open(greeting('s', ""), {});
  const auto connected =
      wait_until(*other_, [](const TransportEvent& one) { return one.kind == Kind::kConnected; });
  ASSERT_TRUE(connected);
  one_->send(kPortSouth, "word");
  const auto next = other_->wait(kLongEnough);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->kind, Kind::kFrame);
}

// Takes every call, shows a card, and leaves at once.
class Leaving final : public Link::CallbackService {
 public:
  grpc::ServerBidiReactor<Packet, Packet>* Open(grpc::CallbackServerContext*) override {
    struct Call final : grpc::ServerBidiReactor<Packet, Packet> {
      Call() {
        packet.set_card("no card");
        StartWriteAndFinish(&packet, {}, grpc::Status::OK);
      }
      void OnDone() override { delete this; }
      Packet packet;
    };
    return new Call;
  }
};

// Our own card cannot be sent then, and theirs is still to be read: gRPC says that a call is over
// only when it was. Who did not read it took a party that had left for connected, for ever.
TEST_F(Cards, OfOneWhoLeavesWhileTheyAreShownAreReadToTheEnd) {
  Leaving service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(
      "127.0.0.1:0",
      network::server_credentials(north_, {.allowed = [](const std::string&) { return true; },
                                           .seen = [](const network::Sighting&) {}}),
      &port);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  ASSERT_TRUE(server);
  const Peer north = peer_of(kPortNorth, north_, static_cast<std::uint16_t>(port));
  // Which comes first is chance, so it is tried often; each from the beginning, which takes no
  // pause.
  for (int times = 0; times < 50; ++times) {
    const auto south = Transport::open(south_, "", {north}, {}, greeting('s', ""));
    ASSERT_TRUE(south);
    ASSERT_TRUE(wait_for(**south, Kind::kConnected)) << times;
    const auto lost = wait_for(**south, Kind::kDisconnected);
    ASSERT_TRUE(lost) << times;
    EXPECT_EQ(lost->text, "north has left");
  }
}

TEST(SharedPortTest, BringsEveryCallToTheStudyThatItMeans) {
  const Identity north = identity_of("north");
  const Identity south = identity_of("south");
  const auto port = SharedPort::open(north, "127.0.0.1:0");
  ASSERT_TRUE(port) << port.error().to_string();
  std::vector<std::unique_ptr<Transport>> here;
  std::vector<std::unique_ptr<Transport>> there;
  for (const char study : {'a', 'b'}) {
    auto one = Transport::open(north, *port, {peer_of(kPortSouth, south)}, {}, greeting(study, ""));
    ASSERT_TRUE(one);
    here.push_back(std::move(*one));
    auto other = Transport::open(south, "", {peer_of(kPortNorth, north, port->port())}, {},
                                 greeting(study, ""));
    ASSERT_TRUE(other);
    there.push_back(std::move(*other));
  }
  for (std::size_t k = 0; k < 2; ++k) EXPECT_TRUE(answer_of(*here[k]).same_study);
  const auto twice =
      Transport::open(north, *port, {peer_of(kPortSouth, south)}, {}, greeting('a', ""));
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().name, "E-listen");
  // Who means a study that is not there finds out how it differs.
  there.clear();
  auto lost = Transport::open(south, "", {peer_of(kPortNorth, north, port->port())}, {},
                              greeting('c', "name = c"));
  ASSERT_TRUE(lost);
  EXPECT_FALSE(answer_of(**lost).same_study);
}

TEST(SharedPortTest, TellsThoseWhoAreExpectedToComeBack) {
  const Identity north = identity_of("north");
  const Identity south = identity_of("south");
  const auto port = SharedPort::open(north, "127.0.0.1:0");
  ASSERT_TRUE(port);
  // South is known to another study of north's; it must not end up there.
  auto other = Transport::open(north, *port, {peer_of(kPortSouth, south)}, {}, greeting('b', ""));
  ASSERT_TRUE(other);
  port->expect(to_hex(std::string(32, 'a')), {south.fingerprint()});
  auto early =
      Transport::open(south, "", {peer_of(kPortNorth, north, port->port())}, {}, greeting('a', ""));
  ASSERT_TRUE(early);
  const auto trouble =
      wait_until(**early, [](const TransportEvent& one) { return one.kind == Kind::kTrouble; });
  ASSERT_TRUE(trouble);
  EXPECT_FALSE(trouble->mistaken) << trouble->text;
  EXPECT_THAT(trouble->text, HasSubstr("come back later"));
  auto one = Transport::open(north, *port, {peer_of(kPortSouth, south)}, {}, greeting('a', ""));
  ASSERT_TRUE(one);
  EXPECT_TRUE(answer_of(**early).same_study);
}

}  // namespace
}  // namespace sotto
