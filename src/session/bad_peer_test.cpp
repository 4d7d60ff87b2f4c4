// Neighbours that lie. Each bad word is refused or blamed, its author is named, and nobody's
// value leaves before the barrier.
#include <gtest/gtest.h>

#include "support/sessions.h"

namespace sotto {
namespace {

using namespace session_test;

// Changes the first frame from `liar` to party 0 that the test is about; the rest goes on.
struct Lie {
  PartyId liar = 1;
  std::function<bool(const wire::Body&)> about;
  std::function<void(wire::Body&)> change;
};

Network::Hand telling(Lie lie, bool& told) {
  return [lie = std::move(lie), &told](Mail& mail) {
    wire::Body body = body_in(mail.frame);
    if (told || mail.from != lie.liar || mail.to != 0 || !lie.about(body)) return true;
    told = true;
    lie.change(body);
    mail.frame = with_body(mail.frame, body);
    return true;
  };
}

bool is_reply(const wire::Body& body) {
  return body.has_step() && body.step().has_shuffle_reply();
}
bool is_values(const wire::Body& body) {
  return body.has_step() && body.step().has_round_values();
}
bool is_releases(const wire::Body& body) {
  return body.has_step() && body.step().has_round_releases();
}

void tell(Network& network, Lie lie) {
  network.connect_all();
  bool told = false;
  network.run(telling(std::move(lie), told));
  ASSERT_TRUE(told);
}

TEST(BadPeer, OfAnotherStudyOrOfNoneIsRefused) {
  Network network = triangle();
  network.connect_all();
  network.run([](Mail& mail) {
    if (mail.from != 1 || mail.to != 0) return true;
    wire::Frame frame = *session::parse<wire::Frame>(mail.frame);
    frame.set_protocol(kProtocol);
    frame.set_study(std::string(kDigestBytes, 'x'));
    mail.frame = frame.SerializeAsString();
    return true;
  });
  expect_told(network, 0, "E-study-differs", "party-2");
  EXPECT_EQ(network.phase(0), Phase::kSealing) << "its Hello came by way of party 3, no more";
  EXPECT_TRUE(network.readable_left.empty());
  EXPECT_FALSE(network.sessions[0]->receive(7, "x", network.now).has_value());
}

TEST(BadPeer, WithCiphertextsThatAreNoneIsGivenUp) {
  const auto spoil = [](google::protobuf::RepeatedPtrField<std::string>& numbers) {
    *numbers.Mutable(0) = integer_bytes(Integer(-5));
  };
  for (const bool offer : {true, false}) {
    Network network = triangle();
    tell(network, {.about = offer ? is_offer : is_reply, .change = [&](wire::Body& body) {
                     wire::Step& step = *body.mutable_step();
                     offer ? spoil(*step.mutable_shuffle_offer()->mutable_negated())
                           : spoil(*step.mutable_shuffle_reply()->mutable_scaled());
                   }});
    expect_told(network, 0, "E-parties-lost", "party-2");
    EXPECT_TRUE(network.readable_left.empty());
    EXPECT_EQ(network.journals[0]->held(network.sessions[0]->run_id()), 0);
  }
}

TEST(BadPeer, WithTooManyOrTooFewNumbersIsGivenUp) {
  for (const int count : {0, 1, 300}) {
    Network network = triangle();
    // So many are not even looked at, and its silence is what it is given up for, later.
    const std::string what = count == 300 ? "longer than any of its kind" : "E-parties-lost";
    tell(network, {.about = is_reply, .change = [&](wire::Body& body) {
                     auto& scaled = *body.mutable_step()->mutable_shuffle_reply();
                     const std::string first = scaled.scaled(0);
                     scaled.clear_scaled();
                     for (int k = 0; k < count; ++k) scaled.add_scaled(first);
                   }});
    expect_told(network, 0, what, "party-2");
    EXPECT_TRUE(network.readable_left.empty());
  }
}

TEST(BadPeer, WithAStatementThatItsAuthorDidNotSignIsRefused) {
  Network network = triangle();
  tell(network,
       {.about = [](const wire::Body& body) { return body.has_statement(); },
        .change = [](wire::Body& body) { body.mutable_statement()->set_signature("no"); }});
  expect_told(network, 0, "party-2 did not sign", "in a message from party-2");
}

TEST(BadPeer, WhoSpeaksForAnotherIsRefused) {
  Network network = triangle();
  network.connect_all();
  network.run([](Mail& mail) { return !text_in(mail.frame).has_ready(); });
  wire::Text text;
  text.mutable_stopped()->set_why(wire::Stopped::GAVE_UP);
  wire::Statement statement = network.signed_by(2, text);
  statement.set_signature(network.signers[1]->sign(
      session::statement_text(network.study.terms(2).study_hash, statement)));
  wire::Body body;
  *body.mutable_statement() = statement;
  network.disconnect(0, 1);
  network.connect(0, 1);
  bool told = false;
  network.run([&](Mail& mail) {
    if (mail.from != 1 || mail.to != 0 || !text_in(mail.frame).has_ready() || told) return true;
    told = true;
    mail.frame = with_body(mail.frame, body);
    return true;
  });
  ASSERT_TRUE(told);
  expect_told(network, 0, "a statement that party-3 did not sign", "in a message from party-2");
}

// All is well but whose certificate it is: another party's, or one that was made for this.
TEST(BadPeer, WithACertificateThatNobodyPinnedIsRefused) {
  for (const PartyId impostor : {2U, 7U}) {
    Network network = triangle();
    const SimulatedSigner signer(impostor);
    tell(network, {.about = [](const wire::Body& body) { return body.has_statement(); },
                   .change =
                       [&](wire::Body& body) {
                         wire::Text text;
                         text.mutable_hello()->set_certificate(signer.certificate());
                         text.mutable_hello()->set_start(1);
                         wire::Statement statement = network.signed_by(1, text);
                         statement.set_signature(signer.sign(session::statement_text(
                             network.study.terms(1).study_hash, statement)));
                         *body.mutable_statement() = statement;
                       }});
    expect_told(network, 0, "a certificate for party-2 that the study does not name", "party-2");
  }
}

TEST(BadPeer, WithWordsOfAnOldRunIsNoted) {
  Network network = triangle();
  network.connect_all();
  network.run([](Mail& mail) { return !text_in(mail.frame).has_ready(); });
  wire::Text text;
  text.mutable_ready()->set_attempt(std::string(kDigestBytes, 'r'));
  text.mutable_ready()->set_commitment(std::string(kDigestBytes, 'c'));
  wire::Statement old = network.signed_by(2, text);
  old.set_nonce(std::string(kNonceBytes, 'o'));
  old.set_signature(
      network.signers[2]->sign(session::statement_text(network.study.terms(2).study_hash, old)));
  wire::Body body;
  *body.mutable_statement() = old;
  network.disconnect(0, 1);
  network.connect(0, 1);
  bool told = false;
  network.run([&](Mail& mail) {
    if (mail.from != 1 || mail.to != 0 || told || !text_in(mail.frame).has_ready()) return true;
    told = true;
    mail.frame = with_body(mail.frame, body);
    return true;
  });
  ASSERT_TRUE(told);
  expect_told(network, 0, "speaks for another run", "party-3");
}

TEST(BadPeer, WithValuesThatItDidNotSignIsRefused) {
  for (const bool exact : {true, false}) {
    Network network = triangle(SimulatedSolver::kLocal,
                               exact ? ConsensusMethod::kExact : ConsensusMethod::kPlain);
    tell(network, {.about = exact ? is_releases : is_values, .change = [&](wire::Body& body) {
                     wire::Step& step = *body.mutable_step();
                     if (exact) {
                       *step.mutable_round_releases()->mutable_news(0)->mutable_indices(0) =
                           integer_bytes(Integer(3));
                     } else {
                       step.mutable_round_values()->set_values(0, 3);
                     }
                   }});
    expect_told(network, 0, "did not sign", "in a message from party-2");
    EXPECT_NE(network.phase(0), Phase::kFinished);
  }
}

// Signs the changed values as party 1 would.
void resign(Network& network, wire::Body& body, PartyId liar) {
  wire::Step& step = *body.mutable_step();
  const SimulatedSigner& signer = *network.signers[liar];
  if (step.has_round_values()) {
    const auto values = std::get<RoundValues>(*payload_of(step));
    step.mutable_round_values()->set_signature(
        signer.sign(session::values_text(step.attempt(), liar, values)));
    return;
  }
  for (wire::AuthoredRelease& release : *step.mutable_round_releases()->mutable_news()) {
    if (release.author() != liar) continue;
    IntegerVector indices;
    for (const std::string& bytes : release.indices()) indices.push_back(unpadded(bytes));
    release.set_signature(signer.sign(
        session::release_text(step.attempt(), liar, digest_of_release(indices), release.nonce())));
  }
}

// A release that was chosen after the others' could be read.
TEST(BadPeer, WhoReleasesAnotherValueThanItCommittedItselfToIsNamed) {
  for (const PartyId parties : {3U, 4U}) {
    Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::cycle(parties),
                    parties);
    tell(network, {.about = is_releases, .change = [&](wire::Body& body) {
                     auto& news = *body.mutable_step()->mutable_round_releases()->mutable_news(0);
                     *news.mutable_indices(0) = integer_bytes(Integer(12345));
                     resign(network, body, 1);
                   }});
    EXPECT_EQ(network.error_name(0), "E-commitment");
    EXPECT_EQ(network.error_what(0),
              "party-2 released another value than it had committed itself to");
    for (PartyId p = 2; p < parties; ++p) EXPECT_NE(network.phase(p), Phase::kFinished);
    EXPECT_NE(network.error_what(parties - 1).find("it blames party-2 (E-commitment)"),
              std::string::npos)
        << network.error_what(parties - 1);
  }
  for (const auto solver : {SimulatedSolver::kLocal, SimulatedSolver::kTracking}) {
    Network network = triangle(solver, ConsensusMethod::kPlain);
    tell(network, {.about = is_values, .change = [&](wire::Body& body) {
                     auto& values = *body.mutable_step()->mutable_round_values();
                     values.set_values(0, values.values(0) + 1e-9);
                     resign(network, body, 1);
                   }});
    EXPECT_EQ(network.error_name(0), "E-commitment") << network.error_what(0);
  }
}

// Three hops away: who passes a release on is not blamed for it.
TEST(BadPeer, WhoDoesNotOpenItsCommitmentIsNamedByThoseFarAwayToo) {
  for (const bool without : {true, false}) {
    Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::path(4), 4);
    network.connect_all();
    network.run([&](Mail& mail) {
      wire::Body body = body_in(mail.frame);
      if (!is_releases(body)) return true;
      // Party 1's own release, wherever it is passed on.
      for (auto& news : *body.mutable_step()->mutable_round_releases()->mutable_news()) {
        if (news.author() != 0) continue;
        news.set_nonce(without ? std::string() : std::string(kDigestBytes, 'x'));
      }
      resign(network, body, 0);
      // Between the first two nothing is changed: only the far ones see it.
      if (mail.from != 0) mail.frame = with_body(mail.frame, body);
      return true;
    });
    EXPECT_EQ(network.error_name(2), "E-commitment") << network.error_what(2);
    EXPECT_NE(network.error_what(2).find("party-1 released another"), std::string::npos);
  }
}

TEST(BadPeer, ANonceThatItsAuthorDidNotSignIsRefused) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::path(3), 3);
  network.connect_all();
  network.run([&](Mail& mail) {
    wire::Body body = body_in(mail.frame);
    if (mail.from != 1 || mail.to != 2 || !is_releases(body)) return true;
    for (auto& news : *body.mutable_step()->mutable_round_releases()->mutable_news()) {
      if (news.author() == 0) news.set_nonce(std::string(kDigestBytes, 'x'));
    }
    mail.frame = with_body(mail.frame, body);
    return true;
  });
  expect_told(network, 2, "a release that party-1 did not sign", "in a message from party-2");
}

TEST(BadPeer, WhoCommitsItselfToTwoReleasesIsNamed) {
  Network network = triangle(SimulatedSolver::kLocal);
  network.connect_all();
  network.run([&](Mail& mail) {
    wire::Text text = text_in(mail.frame);
    wire::Body body = body_in(mail.frame);
    const bool of_1 = text.has_ready() && body.statement().author() == 1;
    if (!of_1 || mail.from != 1 || mail.to != 0) return true;
    text.mutable_ready()->set_commitment(std::string(kDigestBytes, 'c'));
    *body.mutable_statement() = network.signed_by(1, text);
    mail.frame = with_body(mail.frame, body);
    return true;
  });
  for (const PartyId p : {0U, 2U}) EXPECT_NE(network.phase(p), Phase::kFinished);
  std::string told;
  for (const PartyId p : {0U, 2U}) told += told_to(network, p);
  EXPECT_NE(told.find("party-2 committed itself to two different releases"), std::string::npos)
      << told;
}

// What comes after the first round is compared in the end.
TEST(BadPeer, WhoSignsDifferentValuesForDifferentNeighboursIsNamed) {
  for (const auto solver : {SimulatedSolver::kLocal, SimulatedSolver::kTracking}) {
    Network network(solver, ConsensusMethod::kPlain, *Graph::cycle(4), 4);
    const auto later = [](const wire::Body& body) {
      return is_values(body) && body.step().round_values().round() == 1;
    };
    tell(network, {.about = later, .change = [&](wire::Body& body) {
                     auto& values = *body.mutable_step()->mutable_round_values();
                     values.set_values(0, values.values(0) + 1e-9);
                     resign(network, body, 1);
                   }});
    EXPECT_EQ(network.error_name(0), "E-equivocation");
    EXPECT_NE(network.error_what(0).find("party-2 did not send the same values"),
              std::string::npos);
  }
}

// On a cycle, where it takes several rounds: on a triangle one is enough.
TEST(BadPeer, WhoSendsARoundTwiceOrOutOfTurnIsNamed) {
  for (const Round round : {0U, 1U, 60U}) {
    SCOPED_TRACE(round);
    Network network(SimulatedSolver::kLocal, ConsensusMethod::kPlain, *Graph::cycle(4), 4);
    network.connect_all();
    bool first = true;
    bool told = false;
    network.run([&](Mail& mail) {
      wire::Body body = body_in(mail.frame);
      if (mail.from != 1 || mail.to != 0 || !is_values(body) || told) return true;
      if (std::exchange(first, false)) return true;
      told = true;
      body.mutable_step()->mutable_round_values()->set_round(round == 1 ? 2 : round);
      resign(network, body, 1);
      mail.frame = with_body(mail.frame, body);
      return true;
    });
    ASSERT_TRUE(told);
    EXPECT_EQ(network.phase(0), Phase::kStopped);
    EXPECT_NE(network.error_what(0).find("party-2"), std::string::npos) << network.error_what(0);
  }
}

TEST(BadPeer, WhoSendsValuesBeforeAllAreReadyIsGivenUp) {
  Network network = triangle(SimulatedSolver::kShuffle, ConsensusMethod::kPlain);
  tell(network, {.about = is_reply, .change = [&](wire::Body& body) {
                   wire::Step step;
                   step.set_attempt(body.step().attempt());
                   step.mutable_round_values()->add_values(1);
                   step.mutable_round_values()->add_values(2);
                   *body.mutable_step() = step;
                   resign(network, body, 1);
                 }});
  expect_told(network, 0, "sent values before all were ready", "party-2");
  EXPECT_TRUE(network.readable_left.empty());
}

// By numbers: it has sent everybody the same, and claims that it ended elsewhere.
TEST(BadPeer, WhoClaimsThatItsNumbersEndedElsewhereIsNamed) {
  Network network = triangle(SimulatedSolver::kLocal, ConsensusMethod::kPlain);
  network.connect_all();
  bool told = false;
  network.run([&](Mail& mail) {
    wire::Text text = text_in(mail.frame);
    if (mail.from != 1 || !text.has_outcome()) return true;
    if (body_in(mail.frame).statement().author() != 1) return true;
    text.mutable_outcome()->set_values(0, 1e6 * (1 + text.outcome().scale()));
    wire::Body body;
    *body.mutable_statement() = network.signed_by(1, text);
    mail.frame = with_body(mail.frame, body);
    told = true;
    return true;
  });
  ASSERT_TRUE(told);
  EXPECT_EQ(network.error_name(0), "E-outcome-differs");
  expect_told(network, 0, "ended with another result", "party-2");
}

TEST(BadPeer, WhoSignsTwoOutcomesIsNamed) {
  Network network = triangle(SimulatedSolver::kLocal, ConsensusMethod::kPlain);
  network.connect_all();
  std::optional<wire::Body> other;
  network.run([&](Mail& mail) {
    const wire::Body body = body_in(mail.frame);
    const wire::Text text = text_in(mail.frame);
    const bool of_2 = text.has_outcome() && body.statement().author() == 2;
    if (mail.to == 0 && of_2) return false;  // 0 must wait
    if (mail.from != 1 || mail.to != 0 || !text.has_outcome() || other) return true;
    wire::Text changed = text;
    changed.mutable_outcome()->set_scale(text.outcome().scale() + 1);
    other.emplace();
    *other->mutable_statement() = network.signed_by(1, changed);
    return true;
  });
  ASSERT_TRUE(other.has_value());
  ASSERT_EQ(network.phase(0), Phase::kComparing);
  network.disconnect(0, 2);
  network.connect(0, 2);
  bool told = false;
  network.run([&](Mail& mail) {
    if (mail.from != 2 || mail.to != 0 || body_in(mail.frame).ByteSizeLong() == 0 || told)
      return true;
    told = true;
    mail.frame = with_body(mail.frame, *other);
    return true;
  });
  ASSERT_TRUE(told);
  EXPECT_EQ(network.error_name(0), "E-equivocation");
  EXPECT_EQ(network.error_what(0), "party-2 signed two different outcomes");
}

// Every frame of a whole run, changed at random: never a crash, and nothing of an honest party
// leaves before its barrier.
TEST(BadPeer, NoChangedFrameBreaksAnything) {
  SeededRandom random(31);
  for (int trial = 0; trial < 400; ++trial) {
    const auto solver = static_cast<SimulatedSolver>(random.below(4));
    const auto method = random.below(2) == 0 ? ConsensusMethod::kExact : ConsensusMethod::kPlain;
    Network network = triangle(solver, method);
    network.connect_all();
    const std::uint64_t target = random.below(60);
    std::uint64_t seen = 0;
    network.run([&](Mail& mail) {
      if (mail.from != 1 || seen++ != target) return true;
      const std::size_t place = random.below(mail.frame.size());
      switch (random.below(3)) {
        case 0:
          mail.frame[place] = static_cast<char>(mail.frame[place] ^ (1 << random.below(7)));
          break;
        case 1:
          mail.frame.resize(place);
          break;
        default:
          mail.frame.insert(place, 1 + random.below(3), static_cast<char>(random.below(256)));
      }
      return true;
    });
    for (const Error& error : network.refusals) {
      EXPECT_NE(error.to_string().find("party-2"), std::string::npos) << error.to_string();
    }
    for (const PartyId p : network.readable_left) EXPECT_EQ(network.moves(p).spent, 1);
  }
}

}  // namespace
}  // namespace sotto
