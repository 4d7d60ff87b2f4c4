// A liar that makes an honest party pass on what another honest party refuses would have that one
// blamed for it. Here nobody is: what is refused is refused where it comes from, and what may be
// passed on is taken.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/speaker.h"

namespace sotto {
namespace {

using namespace session_test;

constexpr PartyId kLiar = 1;

void expect_nobody_honest_is_named(Network& network) {
  for (const Error& refusal : network.refusals) ADD_FAILURE() << refusal.to_string();
  for (const PartyId p : {0U, 2U}) {
    const std::string told = told_to(network, p);
    for (const char* honest : {"party-1 says more", "party-3 says more", "E-idle"}) {
      EXPECT_EQ(told.find(honest), std::string::npos) << told;
    }
  }
}

TEST(Relay, OfManyWordsInManyStartsIsNotRefusedForThem) {
  Network network = triangle(SimulatedSolver::kLocal);
  Speaker liar(network);
  network.connect(0, 2);
  network.run();
  std::uint64_t number = 0;
  for (std::uint64_t start = 1; start <= 12; ++start) {
    for (const PartyId to : {0U, 2U}) (void)liar.say(to, liar.hello(start), start);
    // Different words to each of them: each passes its own on to the other.
    for (std::uint64_t k = 0; k + 2 < start * session::most_statements(3); ++k) {
      for (const PartyId to : {0U, 2U}) (void)liar.say(to, made_up(++number), start);
    }
    network.run();
  }
  expect_nobody_honest_is_named(network);
}

// Four of six lie, and say the same to two who each pass it on to the other.
TEST(Relay, OfWhatManyHaveSaidIsNotRefusedForSayingNothingNew) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::complete(6), 6);
  network.connect(0, 5);
  network.run();
  for (PartyId self = 1; self <= 4; ++self) {
    Speaker liar(network, self);
    for (const PartyId to : {0U, 5U}) EXPECT_TRUE(liar.say(to, liar.hello(1), 1));
    for (std::uint64_t k = 0; k + 4 < session::most_statements(6); ++k) {
      for (const PartyId to : {0U, 5U}) EXPECT_TRUE(liar.say(to, made_up(k), 1)) << liar.refusal;
    }
  }
  network.run();
  for (const Error& refusal : network.refusals) ADD_FAILURE() << refusal.to_string();
}

TEST(Relay, WhoBeginsAnewMaySayAsMuchAgainAndNoMore) {
  Network network = triangle(SimulatedSolver::kLocal);
  Speaker liar(network);
  const std::size_t most = session::most_statements(3);
  std::uint64_t number = 0;
  EXPECT_TRUE(liar.say(0, liar.hello(1), 1));
  while (number + 3 < most) EXPECT_TRUE(liar.say(0, made_up(++number), 1));
  EXPECT_TRUE(liar.say(0, liar.hello(2), 2));
  while (number + 3 < 2 * most) EXPECT_TRUE(liar.say(0, made_up(++number), 2));
  EXPECT_NE(network.phase(0), Phase::kStopped);
  for (int k = 0; k < 3; ++k) (void)liar.say(0, made_up(++number), 2);
  expect_told(network, 0, "party-2 says more than anybody has to say", "party-2");
}

TEST(Relay, WhoTookUpStartsThatAnotherDidNotMayHaveSaidSo) {
  Network network = triangle(SimulatedSolver::kLocal);
  Speaker liar(network);
  network.connect(0, 2);
  network.run();
  network.disconnect(0, 2);
  EXPECT_TRUE(liar.say(2, liar.hello(1000), 1000));
  for (std::uint64_t start = 1; start <= 60; ++start) {
    EXPECT_TRUE(liar.say(0, liar.hello(start), start));
  }
  network.connect(0, 2);
  network.run();
  EXPECT_GT(mets_of(network, 0, 2).size(), 2 * session::most_statements(3));
  EXPECT_TRUE(network.sessions[2]->run().excluded().empty());
  expect_nobody_honest_is_named(network);
  // And who begins anew hears all of it at once.
  network.crash(2);
  network.journals[2] = std::make_unique<MemoryJournal>();
  network.begin_anew(2, 2);
  network.connect(0, 2);
  network.run();
  EXPECT_TRUE(network.sessions[2]->run().excluded().empty());
  expect_nobody_honest_is_named(network);
}

TEST(Relay, WhoseFramesTellOfEverLaterStartsIsToldAllAgainSoOftenAndNoMore) {
  Network network = triangle(SimulatedSolver::kLocal);
  Speaker liar(network);
  for (liar.link = 1; liar.link < session::kMostStarts + 50; ++liar.link) {
    (void)liar.say(0, liar.hello(1), 1);
  }
  network.flush(0);
  std::size_t renewed = 0;
  const auto records = *network.journals[0]->records();
  for (const std::string& bytes : records) {
    wire::JournalEvent event;
    ASSERT_TRUE(event.ParseFromString(bytes));
    renewed += event.has_renewed() ? 1U : 0U;
  }
  EXPECT_EQ(renewed, session::kMostStarts);
}

// A name of an attempt would come back, and what was said about it.
TEST(Relay, AStartThatWasOverDoesNotComeBackUnderALargerNumber) {
  Network network = triangle(SimulatedSolver::kPairwise);
  Speaker liar(network);
  network.connect(0, 2);
  EXPECT_TRUE(liar.say(0, liar.hello(1), 1));
  EXPECT_TRUE(liar.say(0, liar.hello(2), 2));
  network.run();
  const std::size_t before = mets_of(network, 0, 2).size();
  EXPECT_TRUE(liar.say(0, liar.hello(3), 1));
  network.run();
  EXPECT_EQ(mets_of(network, 0, 2).size(), before);
  EXPECT_TRUE(liar.say(0, liar.hello(4), 4));
  network.run();
  EXPECT_EQ(mets_of(network, 0, 2).size(), before + 1);
}

TEST(Relay, WhoIntroducesItselfTwiceInOneStartIsNamed) {
  Network network = triangle(SimulatedSolver::kLocal);
  Speaker liar(network);
  network.connect(0, 2);
  EXPECT_TRUE(liar.say(0, liar.hello(5), 5));
  EXPECT_TRUE(liar.say(2, liar.hello(9), 5));
  network.run();
  for (const PartyId p : {0U, 2U}) {
    expect_told(network, p, "party-2 introduced itself in one start in two ways", "party-2");
  }
}

// Its author's neighbour would pass it on beside others', and be refused for the length of it all.
TEST(Relay, AReleaseWithANumberThatIsLongerThanAnyIsRefusedWhereItComesFrom) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::path(4), 4);
  const IntegerVector large{Integer(1) << (8 * 600), Integer(3)};
  const std::string nonce(kDigestBytes, 'n');
  network.connect_all();
  bool told = false;
  network.run([&](Mail& mail) {
    if (mail.from != 0) return true;
    wire::Body body = body_in(mail.frame);
    wire::Text text = text_in(mail.frame);
    if (text.has_ready() && body.statement().author() == 0) {
      text.mutable_ready()->set_commitment(
          commitment_to(digest_of_release(large), text.ready().attempt(), 0, nonce));
      *body.mutable_statement() = network.signed_by(0, text);
    }
    if (body.step().has_round_releases() && body.step().round_releases().round() == 0) {
      auto& news = *body.mutable_step()->mutable_round_releases()->mutable_news(0);
      news.clear_indices();
      for (const Integer& index : large) news.add_indices(integer_bytes(index));
      news.set_nonce(nonce);
      news.set_signature(network.signers[0]->sign(
          session::release_text(body.step().attempt(), 0, digest_of_release(large), nonce)));
      EXPECT_LE(body.step().ByteSizeLong(), network.study.limits(4, 3).round);
      told = true;
    }
    mail.frame = with_body(mail.frame, body);
    return true;
  });
  ASSERT_TRUE(told);
  ASSERT_FALSE(network.refusals.empty());
  for (const Error& refusal : network.refusals) {
    EXPECT_NE(refusal.to_string().find("in a message from party-1"), std::string::npos)
        << refusal.to_string();
  }
  EXPECT_NE(network.refusals.front().what.find("a number that is longer than any"),
            std::string::npos);
}

// Its frames tell of a later start than its words did: what was sent to it in vain is sent again,
// and after a crash under the same numbers.
TEST(Relay, AWordThatTellsNothingNewChangesNothingThatIsSaidLater) {
  Network network = triangle();
  Speaker liar(network);
  network.connect(0, 2);
  EXPECT_FALSE(liar.say(0, made_up(1), 1)) << "it has not said who it is";
  EXPECT_TRUE(liar.say(2, liar.hello(5), 5));
  network.run();
  const auto attempts = mets_of(network, 0, 2);
  ASSERT_EQ(attempts.size(), 1U);
  wire::Text met;
  met.mutable_met()->set_attempt(attempts.front());
  EXPECT_TRUE(liar.say(2, met, 5));
  network.run();
  ASSERT_EQ(network.phase(0), Phase::kSealing);
  // Over the link of another start it repeats what party 3 has passed on.
  EXPECT_TRUE(liar.say(0, liar.hello(5), 5));
  liar.link = 5;
  EXPECT_TRUE(liar.say(0, liar.hello(5), 5));
  std::map<std::uint64_t, std::string> bodies;
  const auto collect = [&] {
    network.sessions[0]->connected(kLiar, network.now);
    EXPECT_TRUE(liar.say(0, met, 5));  // so that it sends what it has
    const auto sent = network.sessions[0]->flush(network.now);
    ASSERT_TRUE(sent.has_value());
    for (const Outgoing& outgoing : *sent) {
      const auto frame = session::parse<wire::Frame>(outgoing.frame);
      if (outgoing.to != kLiar || frame->number() == 0) continue;
      const auto [known, fresh] = bodies.emplace(frame->number(), frame->body());
      EXPECT_EQ(known->second, frame->body()) << frame->number();
    }
  };
  collect();
  const std::size_t before = bodies.size();
  EXPECT_GT(before, 3U);
  EXPECT_TRUE(std::ranges::any_of(bodies, [](const auto& one) {
    return is_offer(*session::parse<wire::Body>(one.second));
  })) << "its later start has not had it";
  network.crash(0);
  network.start(0);
  collect();
  EXPECT_GE(bodies.size(), before);
}

// Suspended, or given up: an attempt that has begun stays begun after a crash, and nobody's word
// for a later start makes a party throw its run away.
TEST(Relay, WhoHasBegunAnAttemptIsBoundAfterACrashToo) {
  Network network(SimulatedSolver::kShuffle, ConsensusMethod::kExact, *Graph::complete(4), 3);
  EXPECT_TRUE(network.sessions[0]->unbound());
  EXPECT_TRUE(network.sessions[0]->idle_key().has_value());
  network.connect_all();
  network.run(isolating_0(network));
  network.disconnect(0, 3);
  network.wait(kPatience + 2 * kSecond, [](Mail&) { return false; });
  for (const bool crashed : {false, true}) {
    ASSERT_EQ(network.phase(0), Phase::kMeeting) << "it has said Without";
    EXPECT_FALSE(network.sessions[0]->unbound()) << crashed;
    EXPECT_FALSE(network.sessions[0]->idle_key().has_value()) << crashed;
    network.crash(0);
    network.start(0);
  }
}

TEST(Relay, WhoseAttemptWasPutAwayIsBoundAfterACrashToo) {
  Network network(SimulatedSolver::kPairwise, ConsensusMethod::kExact, *Graph::complete(4), 4);
  network.connect_all();
  network.run([](Mail& mail) { return mail.from != 1 || !body_in(mail.frame).has_step(); });
  ASSERT_EQ(network.phase(0), Phase::kSealing);
  network.crash(1);
  network.journals[1] = std::make_unique<MemoryJournal>();
  network.begin_anew(1, 2);
  network.connect_all();
  network.run([](Mail& mail) { return !text_in(mail.frame).has_met(); });
  for (const bool crashed : {false, true}) {
    ASSERT_EQ(network.phase(0), Phase::kMeeting) << "the later start has not said Met";
    EXPECT_FALSE(network.sessions[0]->unbound()) << crashed;
    network.crash(0);
    network.start(0);
  }
}

TEST(Relay, WhoComesAndGoesIsWaitedForNoLongerThanTheMeetingTwice) {
  Network network = triangle(SimulatedSolver::kLocal);
  Speaker liar(network);
  network.connect(0, 2);
  network.run();
  const Time meeting = network.study.terms(0).meeting;
  wire::Text stopped;
  stopped.mutable_stopped()->set_why(wire::Stopped::GAVE_UP);
  std::uint64_t start = 0;
  while (network.phase(0) == Phase::kMeeting && start < 50) {
    ++start;
    for (const PartyId to : {0U, 2U}) {
      (void)liar.say(to, liar.hello(start), start);
      (void)liar.say(to, stopped, start);
    }
    network.wait(meeting / 4);
  }
  EXPECT_EQ(network.error_name(0), "E-parties-lost");
  EXPECT_LE(network.now, 2 * meeting + meeting / 4);
  EXPECT_GE(network.now, meeting);
}

TEST(Relay, WordsAboutNothingThatIsUnderWayAreNoProgress) {
  Network network = triangle();
  Speaker liar(network);
  network.connect(0, 2);
  EXPECT_TRUE(liar.say(0, liar.hello(1), 1));
  network.run();
  wire::Text met;
  met.mutable_met()->set_attempt(mets_of(network, 0, 2).back());
  EXPECT_TRUE(liar.say(0, met, 1));
  network.run();
  ASSERT_EQ(network.phase(0), Phase::kSealing);
  for (const PartyId p : {0U, 2U}) network.sessions[p]->connected(kLiar, network.now);
  const Time since = network.now;
  for (std::uint64_t k = 0; k < 20 && network.phase(0) == Phase::kSealing; ++k) {
    EXPECT_TRUE(liar.say(0, made_up(k), 1));
    network.wait(kPatience / 2);
  }
  EXPECT_EQ(network.phase(0), Phase::kStopped);
  EXPECT_LE(network.now - since, 4 * kPatience);
}

// The tolerance grows with what parties begin with, and what that was only neighbours know.
TEST(Relay, NobodySetsTheToleranceOfThoseWhoAreFarAway) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kPlain, *Graph::path(5), 5);
  network.connect_all();
  network.run([&](Mail& mail) {
    if (mail.from != 0) return true;
    wire::Body body = body_in(mail.frame);
    wire::Text text = text_in(mail.frame);
    if (text.has_outcome() && body.statement().author() == 0) {
      text.mutable_outcome()->set_scale(1e300);
      text.mutable_outcome()->set_heard_scale(1e300);
      *body.mutable_statement() = network.signed_by(0, text);
    }
    if (body.step().has_round_values() && body.step().round_values().round() > 0) {
      auto& values = *body.mutable_step()->mutable_round_values();
      values.set_values(0, values.values(0) + 1e4);
      values.set_signature(network.signers[0]->sign(session::values_text(
          body.step().attempt(), 0, std::get<RoundValues>(*payload_of(body.step())))));
    }
    mail.frame = with_body(mail.frame, body);
    return true;
  });
  for (const PartyId p : {3U, 4U}) {
    EXPECT_EQ(network.phase(p), Phase::kStopped) << fmt::format("party {}", p + 1);
  }
}

TEST(Relay, AnOutcomeWithoutAFiniteScaleIsRefused) {
  Network network = triangle(SimulatedSolver::kLocal, ConsensusMethod::kPlain);
  Speaker liar(network);
  EXPECT_TRUE(liar.say(0, liar.hello(1), 1));
  wire::Text text;
  text.mutable_outcome()->set_attempt(std::string(kDigestBytes, 'a'));
  EXPECT_TRUE(liar.say(0, text, 1));
  text.mutable_outcome()->set_scale(std::numeric_limits<double>::infinity());
  EXPECT_FALSE(liar.say(0, text, 1));
  text.mutable_outcome()->set_scale(0);
  text.mutable_outcome()->set_heard_scale(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(liar.say(0, text, 1));
}

}  // namespace
}  // namespace sotto
