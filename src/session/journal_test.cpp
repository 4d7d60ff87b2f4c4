// What a session takes from its journal, and what it does not believe of it.
#include "session/journal.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "support/sessions.h"

namespace sotto {
namespace {

using namespace session_test;

// Party 0 of a run, opened again with a journal that somebody has changed: where it stands.
Result<std::string> reopened(const Network& network, std::span<const std::string> records) {
  MemoryJournal journal;
  for (const std::string& record : records) journal.append(record);
  SOTTO_TRY(journal.commit());
  SOTTO_ASSIGN(const auto session,
               Session::open(network.study.terms(0), *network.signers[0], journal,
                             network.study.factory(0), network.keys[0], network.now));
  return session->describe();
}

void expect_damaged(const Network& network, std::span<const std::string> records,
                    const std::string& how) {
  const auto session = reopened(network, records);
  ASSERT_FALSE(session.has_value()) << how;
  EXPECT_EQ(session.error().name, "E-journal") << how;
}

TEST(SessionJournal, OfNonsenseIsAnErrorAndNotACrash) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::path(2), 2);
  network.connect_all();
  network.run();
  const auto records = *network.journals[0]->records();
  for (std::size_t k = 0; k < records.size(); ++k) {
    auto damaged = records;
    damaged[k] = "nonsense";
    expect_damaged(network, damaged, std::to_string(k));
  }
}

// The first body of a kind that was heard, changed. Whether there was one.
bool change_heard(std::vector<std::string>& records,
                  const std::function<bool(wire::Body&)>& change) {
  for (std::string& record : records) {
    wire::JournalEvent event;
    wire::Body body;
    if (!event.ParseFromString(record) || !event.has_heard() ||
        !body.ParseFromString(event.heard().body()) || !change(body)) {
      continue;
    }
    event.mutable_heard()->set_body(body.SerializeAsString());
    record = event.SerializeAsString();
    return true;
  }
  return false;
}

// What a neighbour said is inspected when it comes, and again when it comes from the journal: the
// file is believed no more than the one who spoke. Found by the fuzzer of journals: an author that
// is not there was looked up among the names.
TEST(SessionJournal, IsBelievedNoMoreThanThoseWhoSpoke) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::path(2), 2);
  network.connect_all();
  network.run();
  ASSERT_TRUE(network.all_finished());
  const auto records = *network.journals[0]->records();
  ASSERT_TRUE(reopened(network, records).has_value());

  const auto in_statement = [](const std::function<void(wire::Statement&)>& change) {
    return [change](wire::Body& body) {
      if (body.has_statement()) change(*body.mutable_statement());
      return body.has_statement();
    };
  };
  // As its author would have said it: signed, and not what an honest one says.
  const auto in_outcome = [&](const std::function<void(wire::Outcome&)>& change) {
    return [&network, change](wire::Body& body) {
      const auto text = session::parse<wire::Text>(body.statement().text());
      if (!text || !text->has_outcome()) return false;
      wire::Text changed = *text;
      change(*changed.mutable_outcome());
      *body.mutable_statement() = network.signed_by(1, changed);
      return true;
    };
  };
  const auto in_step = [](const std::function<void(wire::Step&)>& change) {
    return [change](wire::Body& body) {
      if (body.has_step()) change(*body.mutable_step());
      return body.has_step();
    };
  };
  const std::vector<std::pair<std::string, std::function<bool(wire::Body&)>>> changes{
      {"an author that is not there", in_statement([](auto& said) { said.set_author(17); })},
      {"another author", in_statement([](auto& said) { said.set_author(0); })},
      {"a signature of nobody",
       in_statement([](auto& said) { said.set_signature(std::string(64, 's')); })},
      {"a nonce that is none", in_statement([](auto& said) { said.set_nonce("short"); })},
      {"a text that is none", in_statement([](auto& said) { said.set_text("\xff"); })},
      {"an outcome of no attempt", in_outcome([](auto& said) { said.set_attempt("none"); })},
      {"a longer outcome than any",
       in_outcome([](auto& said) { said.set_digest(std::string(1 << 20, 'd')); })},
      {"a step of no attempt", in_step([](auto& step) { step.set_attempt("none"); })},
      {"a step without a payload", in_step([](auto& step) { step.clear_payload(); })},
      {"a release that its author did not sign", in_step([](auto& step) {
         step.mutable_round_releases()->mutable_news(0)->set_signature("nobody's");
       })},
      {"a body of no kind", [](wire::Body& body) { return body.clear_kind(), true; }}};
  for (const auto& [how, change] : changes) {
    auto damaged = records;
    ASSERT_TRUE(change_heard(damaged, change)) << how;
    expect_damaged(network, damaged, how);
  }
}

// Events that no session writes, behind those of a run that waits.
TEST(SessionJournal, HoldsNothingThatCannotHaveHappened) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::path(3), 3);
  network.connect(0, 1);
  network.run();
  const auto records = *network.journals[0]->records();
  ASSERT_EQ(records.size(), 2U) << "a beginning, and a hello";
  ASSERT_EQ(reopened(network, records).value(), "waiting for party-3");

  const auto event = [](const auto& make) {
    wire::JournalEvent made;
    make(made);
    return made.SerializeAsString();
  };
  const auto heard = [&](const auto& make) {
    return event([&](auto& e) {
      e.mutable_heard()->set_from(1);
      make(*e.mutable_heard());
    });
  };
  const auto renewed = [&](std::uint32_t from, std::size_t nonce, std::uint64_t start) {
    return event([&](auto& e) {
      e.mutable_renewed()->set_from(from);
      e.mutable_renewed()->set_nonce(std::string(nonce, 'n'));
      e.mutable_renewed()->set_start(start);
    });
  };
  const auto ended = [&](int status, int why) {
    return event([&](auto& e) {
      e.mutable_ended()->set_name("E-aborted");
      e.mutable_ended()->set_status(status);
      e.mutable_ended()->set_why(static_cast<wire::Stopped::Why>(why));
    });
  };
  const auto lost = [&](std::uint32_t party) {
    return event([&](auto& e) { e.mutable_lost()->set_party(party); });
  };
  wire::JournalEvent again;
  ASSERT_TRUE(again.ParseFromString(records.back()));
  again.mutable_heard()->clear_nonce();
  again.mutable_heard()->clear_start();
  const auto of_start = [&](std::size_t nonce, std::uint64_t start) {
    return heard([&](auto& h) {
      h.set_nonce(std::string(nonce, 'n'));
      h.set_start(start);
      h.set_idle_digest(std::string(kDigestBytes, 'd'));
    });
  };
  const std::vector<std::pair<std::string, std::string>> impossible{
      {"the last word again", again.SerializeAsString()},
      {"a start that is named in the middle of a conversation", of_start(kNonceBytes, 1)},
      {"the beginning again", records.front()},
      {"a word of somebody who is no neighbour", heard([](auto& h) { h.set_from(2); })},
      {"a word of somebody who is not there", heard([](auto& h) { h.set_from(17); })},
      {"a digest that is none", heard([](auto& h) { h.set_idle_digest("short"); })},
      {"the loss of oneself", lost(0)},
      {"the loss of somebody who is not there", lost(3)},
      {"a later start of somebody who is no neighbour", renewed(2, kNonceBytes, 9)},
      {"a later start without a nonce", renewed(1, 3, 9)},
      {"a later start that is no later", renewed(1, kNonceBytes, 1)},
      {"an end without a status", ended(0, 1)},
      {"an end with a status that there is not", ended(4, 1)},
      {"an end for no reason that there is", ended(1, 77)}};
  for (const auto& [how, what] : impossible) {
    auto damaged = records;
    damaged.push_back(what);
    expect_damaged(network, damaged, how);
  }
  // The first word of a conversation says which start it is of.
  for (const std::string& first :
       {again.SerializeAsString(), of_start(3, 1), of_start(kNonceBytes, 0)}) {
    expect_damaged(network, std::vector{records.front(), first}, "a start that is none");
  }
  EXPECT_TRUE(
      reopened(network, std::vector{records.front(), of_start(kNonceBytes, 1)}).has_value());
  for (const std::string& possible : {lost(1), lost(2), renewed(1, kNonceBytes, 2), ended(1, 1)}) {
    auto longer = records;
    longer.push_back(possible);
    EXPECT_TRUE(reopened(network, longer).has_value());
  }
}

// Signs with either of two keys, as while a key is exchanged.
class TwoKeys final : public Signer {
 public:
  explicit TwoKeys(std::string key) : key_(std::move(key)) {}
  [[nodiscard]] std::string certificate() const override { return key_; }
  [[nodiscard]] std::string sign(std::string_view text) const override {
    return Digest("signature").add(key_).add(text).value();
  }
  [[nodiscard]] bool pinned(PartyId, std::string_view certificate) const override {
    return certificate == "old" || certificate == "new";
  }
  [[nodiscard]] bool verify(std::string_view certificate, std::string_view text,
                            std::string_view signature) const override {
    return TwoKeys(std::string(certificate)).sign(text) == signature;
  }

 private:
  std::string key_;
};

// Party 0 of a path of two, and a liar in party 1's place that has two keys.
class OfTwoKeys : public testing::Test {
 protected:
  void SetUp() override {
    open();
    session_->connected(1, Time{});
    liar_.connected(0, Time{});
    exchange();
  }
  void open() {
    auto session =
        Session::open(terms_, own_, *journal_, network_.study.factory(0), network_.keys[0], Time{});
    ASSERT_TRUE(session.has_value()) << session.error().to_string();
    session_ = std::move(*session);
  }
  void exchange() {
    for (int k = 0; k < 3; ++k) {
      const auto words = session_->flush(Time{});
      ASSERT_TRUE(words.has_value());
      for (const Outgoing& out : *words) {
        if (text_in(out.frame).has_met()) met_ = text_in(out.frame).met().attempt();
        (void)liar_.receive(0, out.frame, Time{});
      }
      for (const Outgoing& out : liar_.collect(Time{})) {
        const auto taken = session_->receive(1, out.frame, Time{});
        if (!taken) refusals_.push_back(taken.error().what);
      }
    }
  }
  void say(const std::string& key, char nonce, const wire::Text& text) {
    wire::Body body;
    wire::Statement& statement = *body.mutable_statement();
    statement.set_author(1);
    statement.set_nonce(std::string(kNonceBytes, nonce));
    statement.set_text(text.SerializeAsString());
    statement.set_signature(
        TwoKeys(key).sign(session::statement_text(terms_.study_hash, statement)));
    liar_.post(0, body.SerializeAsString());
    exchange();
  }
  static wire::Text hello(const std::string& key, std::uint64_t start) {
    wire::Text text;
    text.mutable_hello()->set_certificate(key);
    text.mutable_hello()->set_start(start);
    return text;
  }
  static wire::Text met(char attempt) {
    wire::Text text;
    text.mutable_met()->set_attempt(std::string(kDigestBytes, attempt));
    return text;
  }

  Network network_{SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::path(2), 2};
  SessionTerms terms_ = network_.study.terms(0);
  TwoKeys own_{"old"};
  std::unique_ptr<MemoryJournal> journal_ = std::make_unique<MemoryJournal>();
  std::unique_ptr<Session> session_;
  std::vector<PartyId> neighbours_{0};
  session::Links liar_{terms_.study_hash, std::string(kNonceBytes, 'l'), 1, neighbours_};
  std::vector<std::string> refusals_;
  std::string met_;  // the attempt that party 0 said Met of last
};
using SessionJournalOfTwoKeys = OfTwoKeys;
using WordsOfTwoKeys = OfTwoKeys;

// A liar says under one nonce, with the old key, that it began long ago, and with the new one that
// it begins anew. Whose words its next ones are must be the same before a crash and after it, or
// its lie would spoil the journal.
TEST_F(SessionJournalOfTwoKeys, IsInspectedWithTheKeysThatItsWordsWereHeardWith) {
  say("new", 'a', hello("new", 5));
  say("old", 'b', hello("old", 3));
  say("new", 'b', hello("new", 7));
  say("new", 'b', met('m'));
  EXPECT_TRUE(refusals_.empty()) << refusals_[0];
  session_.reset();
  open();
}

// Whoever passes them on has heard another Hello, and does not lie.
TEST_F(WordsOfTwoKeys, OfOneStartAreTakenFromThoseWhoHeardTheOther) {
  say("new", 'a', hello("new", 5));
  say("old", 'a', hello("old", 5));
  say("old", 'a', met('m'));
  EXPECT_TRUE(refusals_.empty()) << refusals_[0];
  EXPECT_NE(session_->run().error()->what.find("party-2"), std::string::npos);
}

// An attempt is of keys too: two who were told different ones of somebody begin nothing together,
// and neither can be shown a signature that it has to take for the other's lie.
TEST_F(WordsOfTwoKeys, AreOfAnotherAttemptForEachKey) {
  say("new", 'a', hello("new", 5));
  const std::string with_new = met_;
  ASSERT_FALSE(with_new.empty());
  session_.reset();
  journal_ = std::make_unique<MemoryJournal>();
  liar_ = session::Links(terms_.study_hash, std::string(kNonceBytes, 'l'), 1, neighbours_);
  SetUp();
  say("old", 'a', hello("old", 5));
  EXPECT_NE(met_, with_new);
}

TEST_F(SessionJournalOfTwoKeys, IsGoneOnFromWithTheKeyThatItBeganWith) {
  session_.reset();
  const TwoKeys other("new");
  const auto session =
      Session::open(terms_, other, *journal_, network_.study.factory(0), network_.keys[0], Time{});
  ASSERT_FALSE(session.has_value());
  EXPECT_EQ(session.error().name, "E-run-differs");
}

// Words that tell nothing new are counted, and not kept.
TEST(SessionJournal, KeepsEveryStatementOnce) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::complete(5), 5);
  network.connect_all();
  network.run();
  ASSERT_TRUE(network.all_finished());
  std::set<std::string> kept;
  std::size_t idle = 0;
  const auto records = *network.journals[0]->records();
  for (const std::string& bytes : records) {
    wire::JournalEvent event;
    ASSERT_TRUE(event.ParseFromString(bytes));
    if (!event.has_heard()) continue;
    const wire::Heard& heard = event.heard();
    EXPECT_NE(heard.body().empty(), heard.idle_digest().empty());
    idle += heard.body().empty() ? 1U : 0U;
    const auto body = session::parse<wire::Body>(heard.body());
    if (!heard.body().empty() && body->has_statement()) {
      EXPECT_TRUE(kept.insert(heard.body()).second);
    }
  }
  EXPECT_EQ(kept.size(), 4U * 5U) << "hello, met, ready, released and outcome of everybody else";
  EXPECT_GT(idle, 10U);
  network.crash(0);
  network.start(0);
  EXPECT_EQ(network.phase(0), Phase::kFinished);
}

}  // namespace
}  // namespace sotto
