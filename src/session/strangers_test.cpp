// Words about parties, attempts and losses that are not there, or are no longer.
#include <gtest/gtest.h>

#include "support/speaker.h"

namespace sotto {
namespace {

using namespace session_test;

TEST(BadPeer, WhoLosesSomebodyWhoIsNotThereChangesNothing) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::complete(4), 2);
  Speaker liar(network);
  EXPECT_TRUE(liar.say(0, liar.hello(1), 1));
  for (const std::uint32_t stranger : {4U, 17U}) {
    wire::Text text;
    text.mutable_without()->add_excluded(stranger);
    EXPECT_TRUE(liar.say(0, text, 1));
    EXPECT_TRUE(network.sessions[0]->run().excluded().empty()) << stranger;
  }
}

TEST(BadPeer, WhoBlamesSomebodyWhoIsNotThereIsRefused) {
  Network network = triangle(SimulatedSolver::kLocal);
  Speaker liar(network);
  EXPECT_TRUE(liar.say(0, liar.hello(1), 1));
  wire::Text text;
  text.mutable_stopped()->set_why(wire::Stopped::LOST_PARTY);
  text.mutable_stopped()->set_party(4);  // numbered from 1
  EXPECT_FALSE(liar.say(0, text, 1));
  EXPECT_NE(liar.refusal.find("a malformed statement of party-2"), std::string::npos)
      << liar.refusal;
  text.mutable_stopped()->set_party(3);
  EXPECT_TRUE(liar.say(0, text, 1)) << liar.refusal;
}

TEST(BadPeer, WhoShowsAReleaseOfNobodyIsRefused) {
  Network network = triangle(SimulatedSolver::kLocal);
  network.connect_all();
  bool told = false;
  network.run([&](Mail& mail) {
    wire::Body body = body_in(mail.frame);
    if (told || mail.from != 1 || mail.to != 0 || !body.step().has_round_releases()) return true;
    body.mutable_step()->mutable_round_releases()->mutable_news(0)->set_author(3);
    mail.frame = with_body(mail.frame, body);
    return told = true;
  });
  ASSERT_TRUE(told);
  expect_told(network, 0, "a release of nobody", "in a message from party-2");
}

// Before it began anew it had lost others, who are back.
TEST(Session, WhoBeginsAnewMayLoseOthersThanBefore) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::complete(4), 2);
  Speaker party(network);
  const auto without = [](std::uint32_t lost) {
    wire::Text text;
    text.mutable_without()->add_excluded(lost);
    return text;
  };
  EXPECT_TRUE(party.say(0, party.hello(1), 1));
  EXPECT_TRUE(party.say(0, without(3), 1));
  EXPECT_TRUE(party.say(0, party.hello(2), 2));
  EXPECT_TRUE(party.say(0, without(2), 2));
  const std::string told = told_to(network, 0);
  EXPECT_EQ(told.find("told different parties"), std::string::npos) << told;
}

TEST(Session, OneThatSomebodyGaveUpIsNoFailureAndStaysOneAfterACrash) {
  Network network = triangle(SimulatedSolver::kLocal);
  network.sessions[0]->abort();
  network.flush(0);
  EXPECT_EQ(network.sessions[0]->state(), RunState::kAborted);
  network.crash(0);
  network.start(0);
  EXPECT_EQ(network.sessions[0]->state(), RunState::kAborted);
  network.sessions[1]->stop(failed("E-other", "something else", "nothing"));
  EXPECT_EQ(network.sessions[1]->state(), RunState::kFailed);
}

// Two attempts may begin in one event, and the ledger has refused one of them.
TEST(Session, OnReplayTheLedgersNoIsForTheAttemptThatItWasSaidTo) {
  MemoryJournal journal;
  session::RunLedger ledger(journal, {});
  ledger.replaying = true;
  ledger.refusal = {refused("E-ledger-overdrawn", "no", "wait"), "b"};
  EXPECT_TRUE(ledger.reserve("a", {}).has_value());
  EXPECT_FALSE(ledger.reserve("b", {}).has_value());
}

}  // namespace
}  // namespace sotto
