#include "network/transport.h"

#include <gmock/gmock.h>

#include <map>
#include <thread>

#include "support/transports.h"

namespace sotto {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr PartyId kNorth = 0;
constexpr PartyId kSouth = 1;

// North listens, south dials.
class Pair : public testing::Test {
 protected:
  void open(const TransportLimits& limits = {}) {
    north_ = open_transport(north_id_, "127.0.0.1:0", {peer_of(kSouth, south_id_)}, limits);
    south_ = open_transport(south_id_, "", {peer_of(kNorth, north_id_, north_->port())}, limits);
    ASSERT_TRUE(wait_for(*north_, Kind::kConnected));
    ASSERT_TRUE(wait_for(*south_, Kind::kConnected));
  }
  const Identity north_id_ = identity_of("north");
  const Identity south_id_ = identity_of("south");
  std::unique_ptr<Transport> north_;
  std::unique_ptr<Transport> south_;
};

TEST_F(Pair, FramesArriveOnceAndInOrderBothWays) {
  open();
  constexpr int kFrames = 500;
  for (int k = 0; k < kFrames; ++k) {
    north_->send(kSouth, fmt::format("to south {}", k));
    south_->send(kNorth, fmt::format("to north {}", k));
  }
  for (int k = 0; k < kFrames; ++k) {
    ASSERT_EQ(frame_of(*south_), fmt::format("to south {}", k));
    ASSERT_EQ(frame_of(*north_), fmt::format("to north {}", k));
  }
  EXPECT_EQ(north_->wait(milliseconds(20)), std::nullopt);
  EXPECT_EQ(south_->wait(milliseconds(20)), std::nullopt);
}

TEST_F(Pair, FramesMayBeEmptyOrBinary) {
  open();
  const std::string binary("\0\xff\n\x80", 4);
  south_->send(kNorth, "");
  south_->send(kNorth, binary);
  EXPECT_EQ(frame_of(*north_), "");
  EXPECT_EQ(frame_of(*north_), binary);
}

TEST_F(Pair, AFrameOfTheLargestSizeArrivesAndIsCounted) {
  open();
  std::string frame(kMaxFrameBytes, 'x');
  frame.back() = 'y';
  south_->send(kNorth, frame);
  north_->send(kSouth, "short");
  EXPECT_TRUE(frame_of(*north_) == frame);
  EXPECT_EQ(frame_of(*south_), "short");
  EXPECT_EQ(north_->bytes().received, kMaxFrameBytes);
  EXPECT_EQ(south_->bytes().received, 5U);
}

TEST_F(Pair, AFrameThatIsTooLargeIsNotSentAndTheConnectionLasts) {
  open();
  south_->send(kNorth, std::string(kMaxFrameBytes + 1, 'x'));
  south_->send(kNorth, "next");
  EXPECT_EQ(frame_of(*north_), "next");
  const auto trouble = south_->wait(kLongEnough);
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->kind, Kind::kTrouble);
  EXPECT_THAT(trouble->text, HasSubstr("was not sent"));
}

// South believes that larger frames are allowed than north takes.
class Disagreement : public Pair, public testing::WithParamInterface<std::size_t> {};

TEST_P(Disagreement, APeerThatSendsTooMuchInOneFrameIsHungUpOnAndBothAreTold) {
  north_ =
      open_transport(north_id_, "127.0.0.1:0", {peer_of(kSouth, south_id_)}, {.frame_bytes = 1000});
  south_ = open_transport(south_id_, "", {peer_of(kNorth, north_id_, north_->port())});
  ASSERT_TRUE(wait_for(*south_, Kind::kConnected));
  south_->send(kNorth, std::string(GetParam(), 'x'));
  ASSERT_TRUE(wait_for(*north_, Kind::kDisconnected));
  const auto lost = wait_for(*south_, Kind::kDisconnected);
  ASSERT_TRUE(lost);
  EXPECT_THAT(lost->text, HasSubstr("how large a frame"));
  EXPECT_TRUE(wait_for(*south_, Kind::kConnected)) << "it may try again";
  EXPECT_EQ(north_->bytes().received, 0U);
}
INSTANTIATE_TEST_SUITE_P(ALittleAndFarTooLarge, Disagreement, testing::Values(1001, 1'000'000));

TEST_F(Pair, AreConnectedAgainAfterEitherHasRestarted) {
  open();
  const std::uint16_t port = north_->port();
  const auto reopen_north = [&] {
    return open_transport(north_id_, fmt::format("127.0.0.1:{}", port),
                          {peer_of(kSouth, south_id_)});
  };
  north_.reset();
  const auto lost = wait_for(*south_, Kind::kDisconnected);
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->peer, kNorth);
  EXPECT_EQ(lost->text, "north has left");
  north_ = reopen_north();
  ASSERT_TRUE(wait_for(*south_, Kind::kConnected));
  south_->send(kNorth, "again");
  EXPECT_EQ(frame_of(*north_), "again");

  south_.reset();
  ASSERT_TRUE(wait_for(*north_, Kind::kDisconnected));
  south_ = open_transport(south_id_, "", {peer_of(kNorth, north_id_, port)});
  ASSERT_TRUE(wait_for(*north_, Kind::kConnected));
  north_->send(kSouth, "once more");
  EXPECT_EQ(frame_of(*south_), "once more");
}

TEST_F(Pair, WhatWasSentBeforeClosingStillArrives) {
  open();
  for (int k = 0; k < 100; ++k) {
    north_->send(kSouth, fmt::format("{}", k));
    south_->send(kNorth, fmt::format("{}", k));
  }
  std::thread closing([&] { south_.reset(); });
  for (int k = 0; k < 100; ++k) EXPECT_EQ(frame_of(*north_), fmt::format("{}", k));
  closing.join();
  EXPECT_TRUE(wait_for(*north_, Kind::kDisconnected));

  south_ = open_transport(south_id_, "", {peer_of(kNorth, north_id_, north_->port())});
  ASSERT_TRUE(wait_for(*north_, Kind::kConnected));
  ASSERT_TRUE(wait_for(*south_, Kind::kConnected));
  for (int k = 0; k < 100; ++k) north_->send(kSouth, fmt::format("{}", k));
  north_.reset();
  for (int k = 0; k < 100; ++k) EXPECT_EQ(frame_of(*south_), fmt::format("{}", k));
}

TEST_F(Pair, ANewStreamOfAPeerReplacesTheOldOne) {
  open();
  const auto twin = open_transport(south_id_, "", {peer_of(kNorth, north_id_, north_->port())});
  ASSERT_TRUE(wait_for(*twin, Kind::kConnected));
  const auto first = wait_for(*north_, Kind::kDisconnected);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->text, "south dialled again");
  ASSERT_TRUE(wait_for(*north_, Kind::kConnected));
  const auto replaced = wait_for(*south_, Kind::kDisconnected);
  ASSERT_TRUE(replaced);
  EXPECT_THAT(replaced->text, HasSubstr("dialled again"));
  south_.reset();
}

TEST_F(Pair, AfterHangingUpNothingOfThePeerIsHeardAndItMayComeBack) {
  open();
  south_->send(kNorth, "good");
  EXPECT_EQ(frame_of(*north_), "good");
  south_->send(kNorth, "bad");
  south_->send(kNorth, "worse");
  while (north_->bytes().received < 12) std::this_thread::sleep_for(milliseconds(5));
  north_->hang_up(kSouth);
  north_->send(kSouth, "nobody hears this");
  const auto next = north_->wait(kLongEnough);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->kind, Kind::kDisconnected);
  const auto told = wait_for(*south_, Kind::kDisconnected);
  ASSERT_TRUE(told);
  EXPECT_THAT(told->text, HasSubstr("north hung up"));
  const auto later = wait_for(*south_, Kind::kTrouble);
  ASSERT_TRUE(later);
  EXPECT_THAT(later->text, HasSubstr("come back later"));
}

TEST_F(Pair, APeerThatTakesNothingIsHungUpOnWhenTooMuchIsWaiting) {
  open({.frame_bytes = 100'000, .queued_bytes = 2'000'000});
  // North does not wait(), so it takes about a frame's worth and what gRPC holds.
  std::optional<TransportEvent> event;
  for (int k = 0; k < 1000 && !event; ++k) {
    south_->send(kNorth, std::string(100'000, 'x'));
    event = south_->wait(milliseconds(0));
  }
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, Kind::kDisconnected);
  EXPECT_THAT(event->text, HasSubstr("does not take"));
  EXPECT_LT(north_->bytes().received, 1'000'000U) << "memory at the other end is bounded too";
  EXPECT_TRUE(wait_for(*south_, Kind::kConnected));
}

TEST_F(Pair, ASlowReaderGetsEverything) {
  open({.frame_bytes = 10'000});
  for (int k = 0; k < 300; ++k) south_->send(kNorth, std::string(10'000, static_cast<char>(k)));
  for (int k = 0; k < 300; ++k) {
    if (k % 100 == 0) std::this_thread::sleep_for(milliseconds(20));
    ASSERT_EQ(frame_of(*north_), std::string(10'000, static_cast<char>(k)));
  }
}

TEST_F(Pair, FramesKeepTheirOrderWhileTheyAreBeingTaken) {
  open({.frame_bytes = 2000});
  constexpr int kFrames = 20'000;
  std::thread sending([&] {
    for (int k = 0; k < kFrames; ++k) south_->send(kNorth, fmt::format("{}", k));
  });
  int wrong = 0;
  for (int k = 0; k < kFrames; ++k) wrong += frame_of(*north_) == fmt::format("{}", k) ? 0 : 1;
  sending.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Pair, BothNoticeThatTheWireIsCutThoughNoSocketIsClosed) {
  const TransportLimits limits{.silence = milliseconds(200), .patience = milliseconds(400)};
  north_ = open_transport(north_id_, "127.0.0.1:0", {peer_of(kSouth, south_id_)}, limits);
  Wire wire(north_->port());
  south_ = open_transport(south_id_, "", {peer_of(kNorth, north_id_, wire.port())}, limits);
  ASSERT_TRUE(wait_for(*north_, Kind::kConnected));
  ASSERT_TRUE(wait_for(*south_, Kind::kConnected));
  EXPECT_EQ(south_->wait(milliseconds(700)), std::nullopt) << "silence alone breaks nothing";
  wire.cut();
  const auto south_lost = wait_for(*south_, Kind::kDisconnected);
  ASSERT_TRUE(south_lost);
  EXPECT_EQ(south_lost->text, "the connection to north broke");
  const auto north_lost = wait_for(*north_, Kind::kDisconnected);
  ASSERT_TRUE(north_lost);
  EXPECT_EQ(north_lost->text, "the connection to south broke");
}

TEST_F(Pair, SaysOnceThatNobodyAnswersAndConnectsWhenSomebodyDoes) {
  const std::uint16_t port = unused_port();
  south_ = open_transport(south_id_, "", {peer_of(kNorth, north_id_, port)});
  const auto trouble = south_->wait(kLongEnough);
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->kind, Kind::kTrouble);
  EXPECT_EQ(trouble->text,
            fmt::format("north does not answer at 127.0.0.1:{} (connection refused)", port));
  EXPECT_EQ(south_->wait(milliseconds(500)), std::nullopt) << "every attempt fails the same way";
  north_ =
      open_transport(north_id_, fmt::format("127.0.0.1:{}", port), {peer_of(kSouth, south_id_)});
  const auto connected = south_->wait(kLongEnough);
  ASSERT_TRUE(connected);
  EXPECT_EQ(connected->kind, Kind::kConnected);
}

TEST_F(Pair, APartyThatIsNotInTheOthersStudyIsToldSo) {
  const Identity stranger_id = identity_of("west");
  north_ = open_transport(north_id_, "127.0.0.1:0", {peer_of(kSouth, south_id_)});
  const auto west = open_transport(stranger_id, "", {peer_of(kNorth, north_id_, north_->port())});
  const auto trouble = west->wait(kLongEnough);
  ASSERT_TRUE(trouble);
  EXPECT_THAT(trouble->text, HasSubstr("hangs up when it sees our certificate"));
  EXPECT_THAT(trouble->text, HasSubstr(stranger_id.fingerprint()));
  const auto seen = north_->wait(kLongEnough);
  ASSERT_TRUE(seen);
  EXPECT_THAT(seen->text, HasSubstr("\"west\""));
  EXPECT_THAT(seen->text, HasSubstr(stranger_id.fingerprint()));
}

TEST_F(Pair, TwoThatDialEachOtherAreBothTold) {
  const std::uint16_t port = unused_port();
  north_ = open_transport(north_id_, "127.0.0.1:0", {peer_of(kSouth, south_id_, port)});
  south_ = open_transport(south_id_, fmt::format("127.0.0.1:{}", port),
                          {peer_of(kNorth, north_id_, north_->port())});
  const auto says = [](const std::string& word) {
    return [word](const TransportEvent& event) {
      return event.kind == Kind::kTrouble && event.text.find(word) != std::string::npos;
    };
  };
  EXPECT_TRUE(wait_until(*north_, says("south dials us")));
  EXPECT_TRUE(wait_until(*south_, says("north does not take our call")));
}

TEST(Transport, FivePartiesEachWithEachByNameAndByAddress) {
  constexpr PartyId kParties = 5;
  std::vector<Identity> identities;
  for (PartyId i = 0; i < kParties; ++i) identities.push_back(identity_of(fmt::format("p{}", i)));
  std::vector<std::unique_ptr<Transport>> parties;
  for (PartyId i = 0; i < kParties; ++i) {
    std::vector<Peer> peers;
    for (PartyId j = 0; j < kParties; ++j) {
      if (j > i) peers.push_back(peer_of(j, identities[j]));
      if (j < i) peers.push_back(peer_of(j, identities[j], parties[j]->port()));
      if (j < i && i % 2 == 0)
        peers.back().address = fmt::format("localhost:{}", parties[j]->port());
    }
    parties.push_back(open_transport(identities[i], i + 1 == kParties ? "" : "127.0.0.1:0", peers));
  }
  for (const auto& party : parties) {
    for (PartyId k = 0; k + 1 < kParties; ++k) ASSERT_TRUE(wait_for(*party, Kind::kConnected));
  }
  for (PartyId i = 0; i < kParties; ++i) {
    for (PartyId j = 0; j < kParties; ++j) {
      if (i != j) parties[i]->send(j, fmt::format("{} to {}", i, j));
    }
  }
  for (PartyId j = 0; j < kParties; ++j) {
    std::map<PartyId, std::string> heard;
    for (PartyId k = 0; k + 1 < kParties; ++k) {
      const auto event = wait_for(*parties[j], Kind::kFrame);
      ASSERT_TRUE(event);
      heard[*event->peer] = event->frame;
    }
    for (PartyId i = 0; i < kParties; ++i) {
      if (i != j) {
        EXPECT_EQ(heard[i], fmt::format("{} to {}", i, j));
      }
    }
  }
}

TEST(Transport, OpensOverIpv6) {
  const Identity north = identity_of("north");
  const Identity south = identity_of("south");
  auto listening = Transport::open(north, "[::1]:0", {peer_of(kSouth, south)});
  if (!listening) GTEST_SKIP() << "no IPv6 here: " << listening.error().to_string();
  Peer peer = peer_of(kNorth, north, 1);
  peer.address = fmt::format("[::1]:{}", (*listening)->port());
  const auto dialling = open_transport(south, "", {peer});
  EXPECT_TRUE(wait_for(*dialling, Kind::kConnected));
}

TEST(Transport, ATakenPortIsAnError) {
  const Identity north = identity_of("north");
  const Identity south = identity_of("south");
  const auto first = open_transport(north, "127.0.0.1:0", {peer_of(kSouth, south)});
  const auto second =
      Transport::open(north, fmt::format("127.0.0.1:{}", first->port()), {peer_of(kSouth, south)});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().name, "E-listen");
  EXPECT_THAT(second.error().what, HasSubstr("Address already in use"));
  for (const char* place :
       {"nowhere", "unix:/tmp/x", "127.0.0.1:70000", "127.0.0.1", ":7101", "192.0.2.1:0"}) {
    const auto third = Transport::open(north, place, {peer_of(kSouth, south)});
    ASSERT_FALSE(third) << place;
    EXPECT_EQ(third.error().name, "E-listen");
  }
}

TEST(Transport, RefusesPeersThatCannotBeToldOrReached) {
  const Identity north = identity_of("north");
  const Identity south = identity_of("south");
  const auto refusal = [&](const std::string& listen, const std::vector<Peer>& peers) {
    const auto transport = Transport::open(south, listen, peers);
    return transport ? std::string("opened") : transport.error().name;
  };
  Peer vague = peer_of(kNorth, north, 7101);
  vague.fingerprint.pop_back();
  EXPECT_EQ(refusal("", {vague}), "E-network-peer");
  Peer elsewhere = peer_of(kNorth, north, 7101);
  for (const char* address : {"", "north", "north:0", "unix:/tmp/x:1", "dns:///a:1", "[::1:2"}) {
    elsewhere.address = address;
    EXPECT_EQ(refusal("", {elsewhere}), "E-network-peer") << address;
  }
  EXPECT_EQ(refusal("", {peer_of(kNorth, north)}), "E-network-peer") << "who would dial?";
  EXPECT_EQ(refusal("", {peer_of(kNorth, north, 1), peer_of(2, north, 1)}), "E-network-peer");
  EXPECT_EQ(refusal("", {peer_of(kNorth, south, 1)}), "E-network-peer") << "our own certificate";
}

TEST(Transport, ClosesWhileNobodyAnswersAndWhileSomebodyIsSilent) {
  const Identity north = identity_of("north");
  const Identity south = identity_of("south");
  const Listener silent;  // takes the connection and says nothing
  const auto one = open_transport(south, "", {peer_of(kNorth, north, unused_port())});
  const auto other = open_transport(south, "", {peer_of(kNorth, north, silent.port())});
  EXPECT_TRUE(one->wait(kLongEnough));
}

}  // namespace
}  // namespace sotto
