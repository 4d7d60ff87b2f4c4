// Honest parties under targeted schedules: what docs/proofs/session.md promises them.
#include "session/session.h"

#include <gtest/gtest.h>

#include <utility>

#include "support/sessions.h"

namespace sotto {
namespace {

using namespace session_test;

// Whether a frame holds a statement of this kind by this author.
bool says(const Mail& mail, PartyId author, wire::Text::KindCase kind) {
  const wire::Body body = body_in(mail.frame);
  return body.has_statement() && body.statement().author() == author &&
         text_in(mail.frame).kind_case() == kind;
}

TEST(Session, AllFinishWithTheSameResultAndOneDebitEach) {
  for (const auto solver : {SimulatedSolver::kLocal, SimulatedSolver::kShuffle,
                            SimulatedSolver::kPairwise, SimulatedSolver::kTracking}) {
    Network network(solver, ConsensusMethod::kExact, *Graph::cycle(4), 4);
    network.connect_all();
    network.run();
    ASSERT_TRUE(network.all_finished()) << to_string(solver);
    for (PartyId p = 0; p < 4; ++p) {
      EXPECT_EQ(network.sessions[p]->run().transcript_hash(),
                network.sessions[0]->run().transcript_hash());
      EXPECT_EQ(network.moves(p).spent, 1);
      EXPECT_EQ(network.moves(p).reserved, 1);
      EXPECT_TRUE(network.sessions[p]->may_leave(network.now));
    }
    EXPECT_TRUE(network.refusals.empty());
  }
}

TEST(Session, WaitsForThoseWhoHaveNotComeAndSaysWhoTheyAre) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::path(3), 3);
  network.connect(0, 1);
  network.run();
  EXPECT_EQ(network.sessions[0]->describe(), "waiting for party-3");
  network.connect(1, 2);
  network.run();
  EXPECT_TRUE(network.all_finished());
}

// A crash after every single frame, at every party in turn.
TEST(Session, ACrashAfterAnyFrameEndsInTheSameBits) {
  Network calm(SimulatedSolver::kPairwise, ConsensusMethod::kExact, *Graph::path(3), 3);
  calm.connect_all();
  std::size_t frames = 0;
  calm.run([&](Mail&) { return ++frames, true; });
  ASSERT_TRUE(calm.all_finished());
  ASSERT_GT(frames, 30U);
  for (PartyId victim = 0; victim < 3; ++victim) {
    for (std::size_t at = 1; at <= frames; ++at) {
      Network network(SimulatedSolver::kPairwise, ConsensusMethod::kExact, *Graph::path(3), 3);
      network.connect_all();
      std::size_t seen = 0;
      bool crash_due = false;
      network.run([&](Mail& mail) {
        crash_due = ++seen == at;
        if (!crash_due) return true;
        network.deliver(mail);  // received, and not committed
        network.crash(victim);
        // Whoever opens a run has drawn a key by then, and must not use it where there is one.
        const RunKey begun_with = std::exchange(network.keys[victim], calm.keys[(victim + 1) % 3]);
        network.start(victim);
        network.keys[victim] = begun_with;
        for (const PartyId q : network.study.graph.neighbours(victim)) network.connect(victim, q);
        return false;
      });
      network.wait(10 * kSecond);
      ASSERT_TRUE(network.all_finished()) << victim << " at " << at;
      for (PartyId p = 0; p < 3; ++p) {
        ASSERT_EQ(network.sessions[p]->run().result(), calm.sessions[p]->run().result());
        ASSERT_EQ(network.moves(p).spent, 1);
      }
      ASSERT_TRUE(network.refusals.empty());
    }
  }
}

// Whoever's Ready is missing, nobody has released; and when it is lost the rest seal anew.
TEST(Session, NothingReadableLeavesBeforeEveryReady) {
  Network network(SimulatedSolver::kShuffle, ConsensusMethod::kPlain, *Graph::complete(4), 3);
  network.connect_all();
  // 3 is ready, which nobody hears; nor does 3 hear it of the others.
  network.run([](Mail& mail) {
    return !text_in(mail.frame).has_ready() || (mail.from != 3 && mail.to != 3);
  });
  for (PartyId p = 0; p < 4; ++p) EXPECT_EQ(network.phase(p), Phase::kReady);
  EXPECT_TRUE(network.readable_left.empty());
  network.crash(3);
  network.wait(kPatience + 2 * kSecond);
  for (PartyId p = 0; p < 3; ++p) {
    EXPECT_EQ(network.phase(p), Phase::kFinished);
    EXPECT_EQ(network.sessions[p]->run().members(), (std::vector<PartyId>{0, 1, 2}));
    EXPECT_EQ(network.moves(p).reserved, 2);
    EXPECT_EQ(network.moves(p).given_up, 1) << "masked values were shown";
    EXPECT_EQ(network.moves(p).restored, 0);
    EXPECT_EQ(network.moves(p).spent, 1);
  }
}

// Two ciphertexts with the same randomness show the difference of what is in them.
TEST(Session, EveryAttemptHasACipherKeyOfItsOwnAndTheFirstIsKnownBefore) {
  Network network(SimulatedSolver::kShuffle, ConsensusMethod::kPlain, *Graph::complete(4), 3);
  const auto known = network.sessions[0]->idle_key();
  ASSERT_TRUE(known.has_value());
  network.connect_all();
  network.run([](const Mail& mail) {  // the last party's shuffle never arrives
    return mail.from != 3 || !body_in(mail.frame).has_step();
  });
  EXPECT_FALSE(network.sessions[0]->idle_key().has_value()) << "the first attempt has begun";
  network.crash(3);
  network.wait(kPatience + 10 * kSecond);
  ASSERT_EQ(network.phase(0), Phase::kFinished);
  const auto drawn = network.attempts[0];
  ASSERT_EQ(drawn.size(), 2U);
  EXPECT_EQ(drawn[0].cipher, *known);
  EXPECT_NE(drawn[1].cipher, drawn[0].cipher);
  EXPECT_NE(drawn[1].draws, drawn[0].draws);
  // A crash changes nothing of that.
  network.crash(0);
  network.start(0);
  EXPECT_EQ(network.attempts[0].size(), 4U);
  EXPECT_EQ(network.attempts[0][2], drawn[0]);
  EXPECT_EQ(network.attempts[0][3], drawn[1]);
}

TEST(Session, TooFewPartiesStopAndSpendNothing) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::complete(3), 3);
  network.connect(0, 1);
  network.wait(181 * kSecond);
  for (const PartyId p : {0U, 1U}) {
    EXPECT_EQ(network.error_name(p), "E-parties-lost");
    EXPECT_NE(network.error_what(p).find("party-3"), std::string::npos);
    EXPECT_EQ(network.sessions[p]->run().error()->to_string().find("spent"), std::string::npos)
        << "what was spent is the statement's to say";
    EXPECT_EQ(network.moves(p).spent, 0);
    EXPECT_EQ(network.journals[p]->held(network.sessions[p]->run_id()), 0);
  }
}

TEST(Session, ALossThatWouldSplitTheGraphStopsTheRun) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::path(3), 2);
  network.connect_all();
  network.run([](Mail& mail) { return !text_in(mail.frame).has_ready(); });
  network.crash(1);
  network.wait(kPatience + 2 * kSecond);
  EXPECT_EQ(network.error_name(0), "E-parties-lost");
  EXPECT_NE(network.error_what(0).find("falls apart"), std::string::npos);
}

void reconnect_all(Network& network) {
  for (const Edge& edge : network.study.graph.edges()) {
    network.disconnect(edge.a, edge.b);
    network.connect(edge.a, edge.b);
  }
}

// What was held back reaches party 0 until it releases; of that nobody hears.
void let_0_release(Network& network) {
  for (const PartyId p : {1U, 2U, 3U}) {
    network.disconnect(0, p);
    network.connect(0, p);
  }
  network.run([&](Mail& mail) {
    const bool greeting = body_in(mail.frame).kind_case() == wire::Body::KIND_NOT_SET;
    const bool released = network.phase(0) >= Phase::kReleasing;
    return mail.to == 0 ? !released : mail.from != 0 || greeting;
  });
  ASSERT_EQ(network.phase(0), Phase::kReleasing);
  ASSERT_EQ(network.readable_left, (std::set<PartyId>{0}));
}

// Party 0 alone hears that all are ready, releases, and is cut off before anybody hears of it.
TEST(Session, OneWhoReleasedAloneIsLeftBehindAndTheRestFinish) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::complete(4), 3);
  network.connect_all();
  network.run(isolating_0(network));
  let_0_release(network);
  for (const PartyId p : {1U, 2U, 3U}) {
    ASSERT_LE(network.phase(p), Phase::kReady);
    network.disconnect(0, p);
  }
  network.wait(kPatience + 2 * kSecond);
  for (const PartyId p : {1U, 2U, 3U}) {
    EXPECT_EQ(network.phase(p), Phase::kFinished) << network.error_what(p);
    EXPECT_EQ(network.sessions[p]->run().members(), (std::vector<PartyId>{1, 2, 3}));
  }
  EXPECT_EQ(network.phase(0), Phase::kStopped);
  EXPECT_NE(network.sessions[0]->statement().find("released once"), std::string::npos);
  EXPECT_EQ(network.moves(0).spent, 1);
}

// The same, and party 1 hears of the release when it has given 0 up and does not know yet whether
// the others have: they may go on without 0, and count on it.
TEST(Session, AReleaseOfSomebodyWhoWasGivenUpBringsNobodyBack) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::complete(4), 3);
  network.connect_all();
  network.run(isolating_0(network));
  let_0_release(network);
  for (const PartyId p : {1U, 2U, 3U}) network.disconnect(0, p);
  network.wait(kPatience + 2 * kSecond, [](Mail&) { return false; });
  network.connect(0, 1);
  network.run([](Mail& mail) { return mail.from + mail.to == 1; });
  EXPECT_TRUE(network.sessions[1]->run().excluded().contains(0));
  EXPECT_FALSE(network.sessions[1]->run().released());
  reconnect_all(network);
  network.wait(20 * kSecond);
  for (const PartyId p : {1U, 2U, 3U}) {
    EXPECT_EQ(network.phase(p), Phase::kFinished) << network.error_what(p);
    EXPECT_EQ(network.sessions[p]->run().members(), (std::vector<PartyId>{1, 2, 3}));
  }
}

// 1 and 2 gave party 3 up, but 0 had released before it heard so: all four go on.
TEST(Session, ALossThatCameAfterSomebodyReleasedIsTakenBack) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::complete(4), 3);
  network.connect_all();
  network.run(isolating_0(network));
  network.disconnect(1, 3);
  network.disconnect(2, 3);
  network.wait(kPatience - kSecond, isolating_0(network));
  let_0_release(network);
  network.wait(3 * kSecond, isolating_0(network));
  for (const PartyId p : {1U, 2U}) {
    EXPECT_TRUE(network.sessions[p]->run().excluded().contains(3));
    EXPECT_FALSE(network.sessions[p]->run().released());
  }
  reconnect_all(network);
  network.wait(20 * kSecond);
  for (PartyId p = 0; p < 4; ++p) {
    EXPECT_EQ(network.phase(p), Phase::kFinished) << network.error_what(p);
    EXPECT_EQ(network.sessions[p]->run().members(), (std::vector<PartyId>{0, 1, 2, 3}));
    EXPECT_EQ(network.moves(p).spent, 1);
    EXPECT_EQ(network.moves(p).restored, 0);
  }
}

// The same, and party 3 hears that it was given up before it hears of the release.
TEST(Session, AReadyPartyThatWasGivenUpWaitsUntilNobodyNeedsIt) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::complete(4), 3);
  network.connect_all();
  network.run(isolating_0(network));
  network.disconnect(1, 3);
  network.wait(kPatience - kSecond, isolating_0(network));
  let_0_release(network);
  network.wait(3 * kSecond, isolating_0(network));
  EXPECT_EQ(network.phase(3), Phase::kMeeting) << "neither stopped nor going on";
  EXPECT_TRUE(network.sessions[3]->run().excluded().contains(3));
  EXPECT_EQ(network.journals[3]->held(network.sessions[3]->run_id()), 1);
  reconnect_all(network);
  network.wait(20 * kSecond);
  EXPECT_TRUE(network.all_finished());
  EXPECT_EQ(network.sessions[3]->run().members(), (std::vector<PartyId>{0, 1, 2, 3}));
}

TEST(Session, APartyThatEverybodyGaveUpStopsWithoutADebit) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::complete(4), 3);
  network.connect_all();
  network.run(isolating_0(network));
  network.disconnect(1, 3);
  network.disconnect(0, 3);
  network.wait(kPatience + 2 * kSecond, isolating_0(network));
  EXPECT_EQ(network.phase(3), Phase::kMeeting) << "0 may have released";
  for (const PartyId p : {1U, 2U}) {
    network.disconnect(0, p);
    network.connect(0, p);
  }
  network.wait(20 * kSecond);
  EXPECT_EQ(network.error_name(3), "E-excluded");
  EXPECT_EQ(network.journals[3]->held(network.sessions[3]->run_id()), 0);
  EXPECT_EQ(network.moves(3).spent, 0);
  for (const PartyId p : {0U, 1U, 2U}) {
    EXPECT_EQ(network.phase(p), Phase::kFinished) << network.error_what(p);
  }
}

// After the barrier the patience counts from the barrier, and then the run stops with a statement.
TEST(Session, APartyLostAfterTheBarrierIsWaitedForAndThenNamed) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kPlain, *Graph::cycle(4), 2);
  network.connect_all();
  std::size_t rounds = 0;
  network.run([&](Mail& mail) {
    if (mail.from == 2 && is_readable(mail.frame)) ++rounds;
    return !(mail.from == 2 && rounds > 2);
  });
  network.crash(2);
  network.wait(kPatience - 2 * kSecond);
  for (const PartyId p : {0U, 1U, 3U}) ASSERT_EQ(network.phase(p), Phase::kReleasing);
  network.wait(4 * kSecond);
  for (const PartyId p : {0U, 1U, 3U}) {
    EXPECT_EQ(network.phase(p), Phase::kStopped);
    EXPECT_NE(network.sessions[p]->statement().find("released once"), std::string::npos);
    EXPECT_EQ(network.moves(p).spent, 1);
  }
  EXPECT_EQ(network.error_name(1), "E-lost");
  EXPECT_NE(network.error_what(1).find("party-3"), std::string::npos) << network.error_what(1);
}

TEST(Session, APartyWithAResultStaysForANeighbourThatIsAway) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::path(2), 2);
  network.connect_all();
  // Party 1 crashes when its outcome has left and 0's has not arrived.
  network.run([&](Mail& mail) { return !(mail.to == 1 && says(mail, 0, wire::Text::kOutcome)); });
  ASSERT_EQ(network.phase(0), Phase::kFinished);
  network.crash(1);
  network.wait(kPatience - 5 * kSecond);
  EXPECT_FALSE(network.sessions[0]->may_leave(network.now));
  network.start(1);
  network.connect(0, 1);
  network.run();
  EXPECT_TRUE(network.all_finished());
  EXPECT_TRUE(network.sessions[0]->may_leave(network.now));
}

// The journal remembers that the ledger said no, even when it would say yes now.
TEST(Session, AnEmptyLedgerEndsTheRunAndStaysTheReasonAfterACrash) {
  Network network(SimulatedSolver::kPairwise, ConsensusMethod::kExact, *Graph::complete(3), 2);
  network.journals[2]->refuse_reserves(true);
  network.connect_all();
  // Nobody hears of it before the crash.
  network.run([&](Mail& mail) { return mail.from != 2 || network.phase(2) != Phase::kStopped; });
  EXPECT_EQ(network.error_name(2), "E-ledger-overdrawn");
  network.journals[2]->refuse_reserves(false);
  network.crash(2);
  network.start(2);
  EXPECT_EQ(network.error_name(2), "E-ledger-overdrawn");
  network.connect(0, 2);
  network.connect(1, 2);
  network.run([](Mail& mail) {
    EXPECT_FALSE(says(mail, 2, wire::Text::kReady));
    return true;
  });
  EXPECT_EQ(network.phase(2), Phase::kStopped);
  for (const PartyId p : {0U, 1U}) EXPECT_EQ(network.phase(p), Phase::kFinished);
  EXPECT_EQ(network.moves(2).reserved, 0);
  EXPECT_TRUE(network.refusals.empty()) << network.refusals[0].to_string();
  for (const Mail& mail : network.frames_left) {
    EXPECT_FALSE(mail.from == 2 && body_in(mail.frame).has_step()) << "it was asked first";
  }
}

// The same noise on other data would show the difference.
// Other noise on the same would be a second look.
TEST(Session, ARunIsNotResumedWithOtherDataOrNoiseOrAnotherStudy) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::path(2), 2);
  network.connect_all();
  network.run([](Mail& mail) { return !is_readable(mail.frame); });
  network.crash(0);
  const auto reopen = [&](const SessionTerms& terms) {
    return Session::open(terms, *network.signers[0], *network.journals[0], network.study.factory(0),
                         network.keys[0], network.now);
  };
  const auto changed = [&](const auto& change) {
    SessionTerms terms = network.study.terms(0);
    change(terms);
    return terms;
  };
  const std::vector<SessionTerms> others{
      changed([](SessionTerms& terms) { terms.data_digest = "of another table"; }),
      changed([](SessionTerms& terms) { terms.draws_digest = "of larger noise"; }),
      changed([](SessionTerms& terms) {
        terms.debit.charges = {{"eavesdropper", 0.5, 0}};
      }),
      changed([](SessionTerms& terms) { terms.debit.guaranteed = "colluders-1"; }),
      changed([](SessionTerms& terms) { terms.debit.laplace_epsilon = 1; }),
      changed([](SessionTerms& terms) { terms.debit.data = "another account"; }),
      changed([](SessionTerms& terms) { terms.debit.unit = "another unit"; }),
      changed([](SessionTerms& terms) { terms.debit.epsilon *= 2; }),
      changed([](SessionTerms& terms) { terms.debit.delta *= 2; }),
      changed([](SessionTerms& terms) { ++terms.study_hash[0]; })};
  for (std::size_t k = 0; k < others.size(); ++k) {
    const auto refused_session = reopen(others[k]);
    ASSERT_FALSE(refused_session.has_value()) << k;
    EXPECT_EQ(refused_session.error().name, "E-run-differs");
    EXPECT_EQ(refused_session.error().status, Status::kRefused);
  }
  EXPECT_TRUE(reopen(network.study.terms(0)).has_value());
}

TEST(Session, TheKeyIsKeptBeforeAnythingIsDrawnFromIt) {
  Network network = triangle(SimulatedSolver::kShuffle);
  MemoryJournal journal;
  std::vector<std::size_t> kept_when_drawn;
  const auto session = Session::open(
      network.study.terms(0), *network.signers[0], journal,
      [&, inner = network.study.factory(0)](std::span<const PartyId> members,
                                            const AttemptKeys& drawn) {
        kept_when_drawn.push_back(journal.records()->size());
        return inner(members, drawn);
      },
      network.keys[0], network.now);
  ASSERT_TRUE(session);
  EXPECT_EQ(kept_when_drawn, std::vector<std::size_t>{1});
}

// How long a draw took shows in no message: it was over before anybody was connected.
TEST(Session, NoiseIsDrawnBeforeAnybodyIsHeard) {
  Network network = triangle(SimulatedSolver::kShuffle);
  for (PartyId p = 0; p < 3; ++p) EXPECT_EQ(network.attempts[p].size(), 1U);
  network.connect_all();
  network.run();
  ASSERT_TRUE(network.all_finished());
  for (PartyId p = 0; p < 3; ++p)
    EXPECT_EQ(network.attempts[p].size(), 1U) << "none was drawn later";
}

// What was drawn for everybody is for everybody: without one of them it is drawn anew, from another
// key.
TEST(Session, NoiseThatWasDrawnForAllIsNotUsedWithoutOneOfThem) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::complete(3), 2);
  network.crash(2);
  network.connect_all();
  network.wait(Time(200'000));
  for (const PartyId p : {0U, 1U}) {
    EXPECT_EQ(network.phase(p), Phase::kFinished) << network.error_what(p);
    ASSERT_EQ(network.attempts[p].size(), 2U);
    EXPECT_NE(network.attempts[p][0].draws, network.attempts[p][1].draws);
  }
}

}  // namespace
}  // namespace sotto
