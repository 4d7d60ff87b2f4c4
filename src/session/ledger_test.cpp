// When the ledger is asked, what is booked when an attempt ends, and what nobody else hears of it.
#include <gtest/gtest.h>

#include "support/sessions.h"

namespace sotto {
namespace {

using namespace session_test;

// Of the shuffle the first offer depends on data.
TEST(Session, TheLedgerIsAskedBeforeTheFirstOfferLeaves) {
  Network network(SimulatedSolver::kShuffle, ConsensusMethod::kExact, *Graph::complete(3), 3);
  network.journals[0]->set_limit(0.99 * kSimulatedRelease);
  network.connect_all();
  network.run();
  EXPECT_EQ(network.error_name(0), "E-ledger-overdrawn");
  EXPECT_EQ(network.journals[0]->total(kSimulatedObserver), 0);
  EXPECT_EQ(network.sessions[0]->statement(),
            "nothing that depends on data has left this party, and nothing was spent");
  for (const Mail& mail : network.frames_left) {
    EXPECT_FALSE(mail.from == 0 && shows_data(mail.frame));
  }
}

// All stop before anybody is ready: what neighbours have seen is booked, and said.
TEST(Session, AnAttemptThatIsGivenUpBooksWhatItHasShown) {
  Network network(SimulatedSolver::kShuffle, ConsensusMethod::kExact, *Graph::complete(3), 3);
  network.connect_all();
  const Network::Hand only_0_answers = [](Mail& mail) {
    return mail.from == 0 || !body_in(mail.frame).step().has_shuffle_reply();
  };
  network.run(only_0_answers);
  network.sessions[0]->abort();
  network.run(only_0_answers);
  for (PartyId p = 0; p < 3; ++p) {
    EXPECT_EQ(network.phase(p), Phase::kStopped);
    EXPECT_EQ(network.moves(p).given_up, 1);
    EXPECT_EQ(network.journals[p]->held(network.sessions[p]->run_id()), 0);
    EXPECT_DOUBLE_EQ(network.journals[p]->total(kSimulatedObserver), kSimulatedLook);
    EXPECT_TRUE(
        network.journals[p]->booked(network.sessions[p]->run_id(), attempt_in(network, p)).empty())
        << "without its Ready nobody releases";
    EXPECT_NE(network.sessions[p]->statement().find("2 looks are booked"), std::string::npos)
        << network.sessions[p]->statement();
  }
  // A crash books nothing a second time.
  network.crash(0);
  network.start(0);
  EXPECT_DOUBLE_EQ(network.journals[0]->total(kSimulatedObserver), kSimulatedLook);
  EXPECT_NE(network.sessions[0]->statement().find("2 looks are booked"), std::string::npos);
}

TEST(Session, WhatShowsNothingIsFreeAgain) {
  for (const auto solver :
       {SimulatedSolver::kLocal, SimulatedSolver::kPairwise, SimulatedSolver::kTracking}) {
    Network network(solver, ConsensusMethod::kExact, *Graph::complete(3), 3);
    network.connect_all();
    network.run([](Mail& mail) { return !text_in(mail.frame).has_ready(); });
    EXPECT_EQ(network.journals[0]->held(network.sessions[0]->run_id()), 1);
    network.sessions[0]->abort();
    network.run();
    EXPECT_EQ(network.moves(0).restored, 1) << to_string(solver);
    EXPECT_EQ(network.journals[0]->total(kSimulatedObserver), 0);
    EXPECT_EQ(network.sessions[0]->statement(),
              "nothing that depends on data has left this party, and nothing was spent");
  }
}

// Party 4 hears that all are ready and releases; nobody hears of that, and it is given up.
TEST(Session, WhatALostNeighbourMayHaveReleasedIsBooked) {
  Network network(SimulatedSolver::kShuffle, ConsensusMethod::kExact, *Graph::cycle(4), 3);
  network.connect_all();
  network.run([](Mail& mail) {
    return mail.from != 3 || !(text_in(mail.frame).has_ready() || is_readable(mail.frame));
  });
  ASSERT_EQ(network.readable_left, std::set<PartyId>{3});
  const std::string first = attempt_in(network, 0);
  network.crash(3);
  network.wait(kPatience + 10 * kSecond);
  for (const PartyId p : {0U, 1U, 2U}) {
    ASSERT_EQ(network.phase(p), Phase::kFinished) << network.error_what(p);
    const auto tags = network.journals[p]->booked(network.sessions[p]->run_id(), first);
    const std::set<std::string> expected =
        p == 1 ? std::set<std::string>{} : std::set<std::string>{"released-by-4"};
    EXPECT_EQ(tags, expected) << "party 2 is no neighbour of it";
  }
  EXPECT_DOUBLE_EQ(network.journals[0]->total(kSimulatedObserver),
                   kSimulatedRelease + kSimulatedLook + kSimulatedNeighbourRelease);
}

// Who is ready and stops leaves behind neighbours who may release.
TEST(Session, WhoStopsWhenItIsReadyBooksWhatEveryNeighbourMayRelease) {
  Network network(SimulatedSolver::kShuffle, ConsensusMethod::kExact, *Graph::cycle(4), 4);
  network.connect_all();
  network.run(isolating_0(network));
  ASSERT_EQ(network.phase(0), Phase::kReady);
  network.sessions[0]->abort();
  network.flush(0);
  EXPECT_EQ(network.journals[0]->booked(network.sessions[0]->run_id(), attempt_in(network, 0)),
            (std::set<std::string>{"released-by-2", "released-by-4"}));
}

// Its machine dies in its place, and its run is ended without it: what nobody can say any more was
// written down with its Ready.
TEST(Session, WhoDiesWhenItIsReadyLeavesBehindWhatItWouldHaveBooked) {
  enum class How { kStops, kDies, kDiesTwice };
  for (const auto solver : {SimulatedSolver::kShuffle, SimulatedSolver::kLocal}) {
    for (const auto how : {How::kStops, How::kDies, How::kDiesTwice}) {
      Network network(solver, ConsensusMethod::kExact, *Graph::cycle(4), 4);
      network.connect_all();
      network.run(isolating_0(network));
      ASSERT_EQ(network.phase(0), Phase::kReady);
      const std::string run = network.sessions[0]->run_id();
      const std::string attempt = attempt_in(network, 0);
      MemoryJournal& kept = *network.journals[0];
      if (how == How::kStops) {
        network.sessions[0]->abort();
        network.flush(0);
      } else {
        network.crash(0);
        if (how == How::kDiesTwice) {
          network.start(0);
          network.crash(0);
        }
        kept.end_from_outside(run);
      }
      const bool shows = solver == SimulatedSolver::kShuffle;
      EXPECT_EQ(kept.booked(run, attempt),
                (shows ? std::set<std::string>{"released-by-2", "released-by-4"}
                       : std::set<std::string>{}));
      EXPECT_DOUBLE_EQ(kept.total(kSimulatedObserver),
                       shows ? kSimulatedLook + 2 * kSimulatedNeighbourRelease : 0);
      EXPECT_EQ(kept.held(run), 0);
    }
  }
}

// The room for a second attempt is asked for like that of the first, with what was booked before.
TEST(Session, NoAttemptBeginsThatCouldPassTheLimit) {
  Network network(SimulatedSolver::kShuffle, ConsensusMethod::kExact, *Graph::complete(4), 3);
  network.journals[0]->set_limit(kSimulatedRelease + 0.5 * kSimulatedLook);
  network.connect_all();
  network.run([](Mail& mail) { return mail.from != 3 || !body_in(mail.frame).has_step(); });
  network.crash(3);
  network.wait(kPatience + 10 * kSecond);
  EXPECT_EQ(network.error_name(0), "E-ledger-overdrawn");
  EXPECT_DOUBLE_EQ(network.journals[0]->total(kSimulatedObserver), kSimulatedLook);
  std::set<std::string> shown;
  for (const Mail& mail : network.frames_left) {
    if (mail.from == 0 && shows_data(mail.frame))
      shown.insert(body_in(mail.frame).step().attempt());
  }
  EXPECT_EQ(shown.size(), 1U);
  EXPECT_FALSE(network.readable_left.contains(0));
  network.crash(0);
  network.start(0);
  EXPECT_EQ(network.error_name(0), "E-ledger-overdrawn");
  EXPECT_DOUBLE_EQ(network.journals[0]->total(kSimulatedObserver), kSimulatedLook);
}

// What went wrong at a party, in its own words, against every byte that left it.
TEST(Session, AccountsPathsAndNumbersStayAtHome) {
  const auto trouble = [](Status status) {
    return Error{.name = "E-csv-open",
                 .what = "/home/alice/patients.csv has 4711 rows",
                 .where = "--data",
                 .fix = "look at /home/alice",
                 .status = status};
  };
  const std::vector<std::string> secrets{"alice",   "patients",  "4711",   "csv",
                                         "table 0", "overdrawn", "ledger", "--data"};
  const auto expect_heard = [&](Network& network, const std::string& sentence) {
    ASSERT_EQ(network.phase(0), Phase::kStopped);
    for (const PartyId p : {1U, 2U}) {
      EXPECT_NE(network.error_what(p).find(sentence), std::string::npos) << network.error_what(p);
    }
    for (const Mail& mail : network.frames_left) {
      for (const std::string& secret : secrets) {
        EXPECT_EQ(mail.frame.find(secret), std::string::npos) << secret;
      }
    }
  };
  {
    Network network(SimulatedSolver::kShuffle, ConsensusMethod::kExact, *Graph::complete(3), 3);
    network.journals[0]->refuse_reserves(true);
    network.connect_all();
    network.run();
    EXPECT_NE(network.error_what(0).find("the ledger of table 0"), std::string::npos);
    expect_heard(network, "going on would cost more privacy than it allows");
  }
  for (const auto& [status, sentence] :
       {std::pair{Status::kBadInput, "its study or its data cannot be used"},
        std::pair{Status::kRefused, "going on would cost more privacy than it allows"},
        std::pair{Status::kFailed, "something failed there"}}) {
    Network network(SimulatedSolver::kShuffle, ConsensusMethod::kExact, *Graph::complete(3), 3);
    network.troubles[0] = trouble(status);
    network.start(0);  // it finds out before anybody is heard
    network.connect_all();
    network.run();
    expect_heard(network, sentence);
  }
  {
    Network network(SimulatedSolver::kShuffle, ConsensusMethod::kExact, *Graph::complete(3), 3);
    network.connect_all();
    network.run([](Mail& mail) { return !text_in(mail.frame).has_ready(); });
    network.sessions[0]->stop(trouble(Status::kFailed));
    network.run([](Mail& mail) { return !text_in(mail.frame).has_ready(); });
    ASSERT_EQ(network.phase(0), Phase::kStopped);
    for (const Mail& mail : network.frames_left) {
      for (const std::string& secret : secrets) {
        EXPECT_EQ(mail.frame.find(secret), std::string::npos) << secret;
      }
    }
  }
  {
    Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::complete(3), 3);
    network.connect(0, 1);
    network.connect(0, 2);
    network.sessions[0]->abort();
    network.run();
    network.wait(network.study.terms(0).meeting + 2 * kSecond);  // it might have come back
    for (const PartyId p : {1U, 2U}) {
      EXPECT_NE(network.error_what(p).find("its operator gave the run up"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace sotto
