// Parties that give up, correct something and begin anew before anything was released.

#include <gtest/gtest.h>

#include "support/sessions.h"

namespace sotto {
namespace {

using namespace session_test;

// A party's process ends, its run is over, and it begins another with a new key.
void begin_anew(Network& network, PartyId p, std::uint64_t start) {
  network.crash(p);
  network.journals[p] = std::make_unique<MemoryJournal>();
  network.begin_anew(p, start);
  for (const PartyId q : network.study.graph.neighbours(p)) {
    if (network.sessions[q] != nullptr) network.connect(p, q);
  }
}

bool none_of_ready(Mail& mail) {
  return !text_in(mail.frame).has_ready();
}

TEST(Meeting, APartyThatBeginsAnewBeforeAllAreThereIsTakenUp) {
  for (const auto solver :
       {SimulatedSolver::kLocal, SimulatedSolver::kShuffle, SimulatedSolver::kPairwise}) {
    Network network(solver, ConsensusMethod::kExact, *Graph::cycle(4), 4);
    network.connect(0, 1);
    network.run();
    begin_anew(network, 1, 2);
    begin_anew(network, 1, 3);
    network.connect_all();
    network.run();
    EXPECT_TRUE(network.all_finished()) << network.error_what(0);
    for (PartyId p = 0; p < 4; ++p) EXPECT_EQ(network.moves(p).spent, 1);
  }
}

TEST(Meeting, WhoStopsBeforeAllAreThereIsWaitedFor) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::cycle(4), 4);
  network.connect(0, 1);
  network.connect(1, 2);
  network.sessions[1]->abort();
  network.run();
  EXPECT_EQ(network.phase(0), Phase::kMeeting);
  EXPECT_EQ(network.sessions[0]->progress().waiting_for.size(), 2U);
  network.wait(100 * kSecond);
  begin_anew(network, 1, 2);
  network.connect_all();
  network.run();
  EXPECT_TRUE(network.all_finished()) << network.error_what(0);
}

TEST(Meeting, WhoStopsAndNeverComesBackIsNamedWithItsReason) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::cycle(4), 4);
  network.connect_all();
  network.disconnect(2, 3);
  network.disconnect(0, 3);
  network.sessions[1]->abort();
  network.run();
  network.disconnect(2, 3);
  network.wait(network.study.terms(0).meeting + 2 * kSecond);
  for (const PartyId p : {0U, 2U}) {
    EXPECT_EQ(network.error_name(p), "E-parties-lost");
    EXPECT_NE(network.error_what(p).find("its operator gave the run up"), std::string::npos)
        << network.error_what(p);
  }
}

// While sealing nothing is released; where nothing was shown either, it costs nothing to seal anew.
TEST(Meeting, APartyThatBeginsAnewWhileOthersSealIsTakenUpWhereNothingWasShown) {
  for (const auto solver : {SimulatedSolver::kPairwise, SimulatedSolver::kShuffle}) {
    Network network(solver, ConsensusMethod::kExact, *Graph::complete(4), 4);
    network.connect_all();
    // Party 1 seals with nobody, so nobody is ready.
    const auto silent_1 = [](Mail& mail) {
      return !(mail.from == 1 && body_in(mail.frame).has_step());
    };
    network.run(silent_1);
    ASSERT_EQ(network.phase(0), Phase::kSealing);
    begin_anew(network, 1, 2);
    network.run();
    if (solver == SimulatedSolver::kPairwise) {
      EXPECT_TRUE(network.all_finished()) << network.error_what(0);
      for (PartyId p = 0; p < 4; ++p) EXPECT_EQ(network.moves(p).spent, 1);
    } else {
      // The plan counts the looks of one attempt, and that one was seen.
      EXPECT_EQ(network.error_name(0), "E-parties-lost");
      EXPECT_NE(network.error_what(0).find("began anew"), std::string::npos);
      EXPECT_TRUE(network.readable_left.empty());
    }
  }
}

// min_parties = 3 of 4: the plan counts two attempts.
TEST(Meeting, AnAttemptThatWasSeenIsReplacedAsOftenAsThePlanCounts) {
  Network network(SimulatedSolver::kShuffle, ConsensusMethod::kExact, *Graph::complete(4), 3);
  const auto silent_1 = [](Mail& mail) {
    return !(mail.from == 1 && body_in(mail.frame).has_step());
  };
  network.connect_all();
  network.run(silent_1);
  ASSERT_EQ(network.phase(0), Phase::kSealing);
  begin_anew(network, 1, 2);
  network.run(silent_1);
  ASSERT_EQ(network.phase(0), Phase::kSealing);
  EXPECT_EQ(network.attempts[0].size(), 2U);
  EXPECT_NE(network.attempts[0][0].draws, network.attempts[0][1].draws);
  EXPECT_NE(network.attempts[0][0].cipher, network.attempts[0][1].cipher);
  begin_anew(network, 1, 3);
  network.run();
  for (const PartyId p : {0U, 2U, 3U}) {
    EXPECT_EQ(network.attempts[p].size(), 2U) << "a third one would be seen too";
    EXPECT_EQ(network.phase(p), Phase::kStopped);
    EXPECT_EQ(network.error_name(p), "E-attempts");
    EXPECT_EQ(network.moves(p).spent, 0);
    EXPECT_EQ(network.moves(p).given_up, 2);
  }
  EXPECT_TRUE(network.readable_left.empty());
}

// Others may have released by then: it is lost, as if it had gone.
TEST(Meeting, WhoBeginsAnewAfterReadyIsNotTakenUp) {
  Network network = triangle(SimulatedSolver::kPairwise);
  network.connect_all();
  network.run(none_of_ready);
  ASSERT_EQ(network.phase(0), Phase::kReady);
  begin_anew(network, 1, 2);
  network.run();
  for (const PartyId p : {0U, 2U}) {
    EXPECT_EQ(network.phase(p), Phase::kStopped);
    EXPECT_EQ(network.moves(p).spent, 0);
  }
  EXPECT_TRUE(network.readable_left.empty());
}

TEST(Meeting, ACrashAfterALaterStartWasTakenUpChangesNothing) {
  Network network(SimulatedSolver::kPairwise, ConsensusMethod::kExact, *Graph::complete(4), 4);
  network.connect_all();
  network.run([](Mail& mail) { return mail.from != 1 || !body_in(mail.frame).has_step(); });
  begin_anew(network, 1, 2);
  network.run([](Mail& mail) { return mail.from != 1 || !body_in(mail.frame).has_step(); });
  for (const PartyId p : {0U, 2U}) {
    network.crash(p);
    network.start(p);
  }
  network.connect_all();
  network.run();
  EXPECT_TRUE(network.all_finished()) << network.error_what(0);
}

// A later start is heard of by way of others, and all are past the barrier before its neighbour
// meets it: what that one had sent it is sent again.
TEST(Meeting, ANeighbourMayMeetALaterStartWhenTheRunIsUnderWay) {
  for (const auto solver :
       {SimulatedSolver::kLocal, SimulatedSolver::kShuffle, SimulatedSolver::kPairwise}) {
    Network network(solver, ConsensusMethod::kExact, *Graph::cycle(4), 4);
    network.connect(1, 2);
    network.run();
    begin_anew(network, 1, 2);
    network.disconnect(1, 2);
    network.connect(0, 3);
    network.connect(2, 3);
    network.run();
    EXPECT_GT(network.phase(2), Phase::kMeeting) << "it knows the later start from party 4";
    network.connect(1, 2);
    network.run();
    EXPECT_TRUE(network.all_finished()) << network.error_what(2);
    for (const Error& refusal : network.refusals) ADD_FAILURE() << refusal.to_string();
  }
}

TEST(Meeting, AnEarlierStartIsToldThatItWasOutrun) {
  Network network = triangle(SimulatedSolver::kLocal);
  network.connect(0, 2);
  network.run();
  for (const std::uint64_t start : {9U, 5U}) {  // its clock was set back
    begin_anew(network, 2, start);
    network.disconnect(1, 2);
    network.run();
  }
  const auto outrun = std::ranges::find(network.refusals, std::string("E-outrun"), &Error::name);
  ASSERT_NE(outrun, network.refusals.end());
  EXPECT_EQ(network.later_start, 9U);
  EXPECT_EQ(network.phase(0), Phase::kMeeting);
  begin_anew(network, 2, network.later_start + 1);
  network.connect_all();
  network.run();
  EXPECT_TRUE(network.all_finished());
}

TEST(Meeting, OldWordsOfAPartyDoNotKeepItOut) {
  Network network = triangle(SimulatedSolver::kLocal);
  network.connect(1, 2);
  network.run();
  network.crash(2);
  // Party 0 hears of party 2 what party 1 knows of it, and nothing else.
  network.connect(0, 1);
  network.run();
  EXPECT_NE(network.phase(0), Phase::kSealing);
  network.journals[2] = std::make_unique<MemoryJournal>();
  network.begin_anew(2, 2);
  network.connect_all();
  network.run();
  EXPECT_TRUE(network.all_finished());
}

TEST(Meeting, BeginningAnewWithoutEndIsNotTakenUp) {
  Network network = triangle(SimulatedSolver::kLocal);
  network.connect(0, 1);
  for (std::uint64_t start = 2; start < 120; ++start) {
    begin_anew(network, 1, start);
    network.disconnect(1, 2);
    network.run();
  }
  network.connect_all();
  network.run();
  EXPECT_EQ(network.phase(0), Phase::kMeeting);
  EXPECT_LE(network.attempts[0].size(), session::kMostStarts);
}

TEST(Meeting, TheStudysMeetingSecondsAreKept) {
  Network network = triangle(SimulatedSolver::kLocal);
  network.connect(0, 1);
  const Time meeting = network.study.terms(0).meeting;
  network.wait(meeting - kSecond);
  EXPECT_EQ(network.phase(0), Phase::kMeeting);
  network.wait(2 * kSecond);
  EXPECT_EQ(network.phase(0), Phase::kStopped);
  EXPECT_NE(network.error_what(0).find("party-3 has not come within the meeting"),
            std::string::npos)
      << network.error_what(0);
}

TEST(Meeting, EveryPartyHasTheSameNameForTheRun) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::cycle(4), 4);
  EXPECT_EQ(network.sessions[0]->run().shared_id(), "");
  network.connect_all();
  network.run();
  ASSERT_TRUE(network.all_finished());
  const std::string id = network.sessions[0]->run().shared_id();
  EXPECT_EQ(id.size(), 32U);
  for (PartyId p = 1; p < 4; ++p) {
    EXPECT_EQ(network.sessions[p]->run().shared_id(), id);
    EXPECT_NE(network.sessions[p]->run_id(), network.sessions[0]->run_id());
  }
}

// Its own word for who it is tells nothing new by then, and is not kept; that it was its word is.
TEST(Meeting, ANeighbourThatWasKnownByAnotherWayIsNotTakenForItsLaterStartAfterACrash) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::complete(3), 3);
  const auto nobody_has_met = [](Mail& mail) { return !text_in(mail.frame).has_met(); };
  network.connect(0, 2);
  network.connect(1, 2);
  network.run(nobody_has_met);
  network.connect(0, 1);
  network.run(nobody_has_met);
  network.crash(0);
  network.start(0);
  network.crash(1);
  network.journals[1] = std::make_unique<MemoryJournal>();
  network.begin_anew(1, 2);
  network.disconnect(0, 2);
  network.connect_all();
  network.run();
  network.wait(10 * kSecond);
  EXPECT_TRUE(network.refusals.empty()) << network.refusals.front().to_string();
  EXPECT_TRUE(network.all_finished());
}

}  // namespace
}  // namespace sotto
