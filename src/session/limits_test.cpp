// Neighbours that say too much: refused unread or given up, and no journal grows with them.
#include "session/limits.h"

#include <gtest/gtest.h>

#include "support/sessions.h"

namespace sotto {
namespace {

using namespace session_test;

// Goes on in the name of `from`, under the numbers that `to` expects.
class Talker {
 public:
  Talker(Network& network, PartyId from, PartyId to) : network_(network), from_(from), to_(to) {
    const auto records = *network.journals[to]->records();
    for (const std::string& bytes : records) {
      wire::JournalEvent record;
      EXPECT_TRUE(record.ParseFromString(bytes));
      number_ += record.has_heard() && record.heard().from() == from ? 1U : 0U;
    }
  }
  // Whether it was taken.
  bool say(const wire::Body& body) {
    wire::Frame frame;
    frame.set_protocol(kProtocol);
    frame.set_study(network_.study.terms(0).study_hash);
    frame.set_nonce(network_.keys[from_].nonce());
    frame.set_start(1);
    frame.set_knows(1);
    frame.set_body(body.SerializeAsString());
    frame.set_number(number_ + 1);
    const auto taken =
        network_.sessions[to_]->receive(from_, frame.SerializeAsString(), network_.now);
    if (taken)
      ++number_;
    else
      refusals.insert(taken.error().name);
    return taken.has_value();
  }
  bool say(const wire::Text& text) {
    wire::Body body;
    *body.mutable_statement() = network_.signed_by(from_, text);
    return say(body);
  }
  std::set<std::string> refusals;

 private:
  Network& network_;
  PartyId from_;
  PartyId to_;
  std::uint64_t number_ = 0;
};

wire::Text released(int number) {
  wire::Text text;
  text.mutable_released()->set_attempt(Digest("made up").add(std::uint64_t(number)).value());
  return text;
}

TEST(BadPeer, WhoRepeatsItselfWithoutEndIsRefusedAndFillsNoJournal) {
  Network network = triangle(SimulatedSolver::kLocal);
  network.connect_all();
  network.run();
  Talker talker(network, 1, 0);
  wire::Body body;
  body.mutable_farewell();
  std::size_t refused_words = 0;
  for (int again = 0; again < 1000; ++again) refused_words += talker.say(body) ? 0U : 1U;
  EXPECT_GT(refused_words, 800U);
  EXPECT_EQ(talker.refusals, (std::set<std::string>{"E-idle"}));
}

TEST(BadPeer, StatementsThatAreLongerThanAnyAreRefusedUnread) {
  Network network = triangle(SimulatedSolver::kLocal);
  network.connect_all();
  network.run([](Mail& mail) { return !text_in(mail.frame).has_ready(); });
  const std::size_t before = network.journals[0]->bytes();
  Talker talker(network, 1, 0);
  std::vector<wire::Text> texts(6);
  for (std::uint32_t k = 0; k < 5000; ++k) texts[0].mutable_without()->add_excluded(k);
  texts[1].mutable_stopped()->set_error("E-" + std::string(1000, 'x'));
  texts[2].mutable_ready()->set_attempt(std::string(100'000, 'x'));
  texts[3].mutable_outcome()->set_attempt(std::string(kDigestBytes, 'x'));
  for (int k = 0; k < 5000; ++k) texts[3].mutable_outcome()->add_values(k);
  texts[4].mutable_hello()->set_certificate(std::string(2 * kMaxCertificateBytes, 'x'));
  texts[5].mutable_stopped()->set_error("E-\x1b[2J");
  for (const wire::Text& text : texts) EXPECT_FALSE(talker.say(text)) << text.kind_case();
  for (const std::string& refused : talker.refusals) {
    EXPECT_TRUE(refused == "E-statement" || refused == "E-frame") << refused;
  }
  network.flush(0);
  EXPECT_EQ(network.journals[0]->bytes(), before);
}

// It signs whatever it says, and says it once.
TEST(BadPeer, WhoMakesStatementsWithoutEndIsGivenUpAndFillsNoJournal) {
  Network network = triangle(SimulatedSolver::kLocal);
  network.connect_all();
  network.run([](Mail& mail) { return !text_in(mail.frame).has_ready(); });
  const std::size_t before = network.journals[0]->bytes();
  Talker talker(network, 1, 0);
  std::size_t taken = 0;
  for (int k = 0; k < 2000; ++k) taken += talker.say(released(k)) ? 1U : 0U;
  network.flush(0);
  expect_told(network, 0, "party-2 says more than anybody has to say",
              "without party-2 there are 2 parties");
  EXPECT_LT(taken, session::most_statements(3) + session::most_idle_words(3) + 2);
  std::size_t kept = 0;
  const auto records = *network.journals[0]->records();
  for (const std::string& bytes : records) {
    wire::JournalEvent record;
    ASSERT_TRUE(record.ParseFromString(bytes));
    kept += record.heard().from() == 1 && !record.heard().body().empty() ? 1U : 0U;
  }
  EXPECT_LT(kept, session::most_statements(3) + 3) << "what is idle leaves its digest";
  const std::size_t most = session::most_statement_bytes(3, network.study.limits(3, 0)) +
                           (session::most_statements(3) + session::most_idle_words(3)) * 200;
  EXPECT_LT(network.journals[0]->bytes() - before, most);
}

TEST(BadPeer, MessagesThatAreLongerThanAnyOfTheirKindAreRefusedUnread) {
  for (const bool of_the_attempt : {true, false}) {
    Network network = triangle();
    network.connect_all();
    network.run([](Mail& mail) { return !body_in(mail.frame).step().has_shuffle_reply(); });
    const std::size_t before = network.journals[0]->bytes();
    const auto attempt = [&] {
      for (const Mail& mail : network.frames_left) {
        if (body_in(mail.frame).has_step()) return body_in(mail.frame).step().attempt();
      }
      return std::string();
    }();
    Talker talker(network, 1, 0);
    wire::Body reply;
    reply.mutable_step()->set_attempt(of_the_attempt ? attempt : std::string(kDigestBytes, 'x'));
    for (int k = 0; k < 100; ++k) {
      reply.mutable_step()->mutable_shuffle_reply()->add_scaled(integer_bytes(Integer(k + 1)));
    }
    EXPECT_FALSE(talker.say(reply));
    wire::Body rounds;
    rounds.mutable_step()->set_attempt(reply.step().attempt());
    for (int k = 0; k < 10'000; ++k) rounds.mutable_step()->mutable_round_values()->add_values(k);
    EXPECT_FALSE(talker.say(rounds));
    network.flush(0);
    EXPECT_EQ(network.journals[0]->bytes(), before);
    EXPECT_TRUE(talker.refusals.contains("E-step"));
  }
}

// Of attempts that nobody has begun, and of the one under way when it was given up already.
TEST(BadPeer, WhoSendsMessagesWithoutEndFillsNoJournal) {
  for (const bool of_the_attempt : {true, false}) {
    Network network(SimulatedSolver::kShuffle, ConsensusMethod::kExact, *Graph::complete(3), 2);
    network.connect_all();
    network.run([](Mail& mail) { return !body_in(mail.frame).step().has_shuffle_reply(); });
    const std::size_t before = network.journals[0]->bytes();
    wire::Body offer;
    for (const Mail& mail : network.frames_left) {
      const wire::Body body = body_in(mail.frame);
      if (mail.from == 1 && mail.to == 0 && is_offer(body)) offer = body;
    }
    ASSERT_TRUE(is_offer(offer));
    Talker talker(network, 1, 0);
    std::size_t taken = 0;
    for (int k = 0; k < 2000; ++k) {
      if (!of_the_attempt) {
        offer.mutable_step()->set_attempt(Digest("made up").add(std::uint64_t(k)).value());
      }
      taken += talker.say(offer) ? 1U : 0U;
    }
    network.flush(0);
    EXPECT_LT(taken, 500U);
    EXPECT_FALSE(talker.refusals.empty());
    const MessageLimits limits = network.study.limits(3, 1);
    const std::size_t most = session::most_early_steps(3) * limits.sealing + limits.steps +
                             session::most_idle_words(3) * 200;
    EXPECT_LT(network.journals[0]->bytes() - before, most);
    EXPECT_TRUE(network.sessions[0]->run().excluded().contains(1) ||
                network.phase(0) == Phase::kStopped);
  }
}

TEST(BadPeer, AFrameThatIsLargerThanAnyIsRefusedUnread) {
  Network network = triangle();
  const std::size_t limit = network.study.limits(3, 0).frame(3);
  const auto taken = network.sessions[0]->receive(1, std::string(limit + 1, 'x'), network.now);
  ASSERT_FALSE(taken.has_value());
  EXPECT_EQ(taken.error().name, "E-frame");
  EXPECT_NE(taken.error().what.find("longer than any"), std::string::npos);
}

}  // namespace
}  // namespace sotto
