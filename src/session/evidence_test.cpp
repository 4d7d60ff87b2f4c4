// Results that differ, and who is named for it.
#include <gtest/gtest.h>

#include "support/sessions.h"

namespace sotto {
namespace {

using namespace session_test;

bool is_farewell(const std::string& frame) {
  return body_in(frame).has_farewell();
}

// What party `from` has heard, as it would show it; `change` lies about it.
wire::Text evidence_of(const Network& network, const std::function<void(wire::Witness&)>& change) {
  wire::Text text;
  wire::Evidence& evidence = *text.mutable_evidence();
  std::set<PartyId> known;
  for (const Mail& mail : network.frames_left) {
    const wire::Step step = body_in(mail.frame).step();
    for (const wire::AuthoredRelease& release : step.round_releases().news()) {
      if (!known.insert(release.author()).second) continue;
      IntegerVector indices;
      for (const std::string& bytes : release.indices()) indices.push_back(unpadded(bytes));
      evidence.set_attempt(step.attempt());
      auto& witness = *evidence.add_witness();
      witness.set_author(release.author());
      witness.set_digest(digest_of_release(indices));
      witness.set_signature(release.signature());
      witness.set_nonce(release.nonce());
      if (change) change(witness);
    }
  }
  return text;
}

// Party 2 ends as the others do, says that it has another result, and, if `evidence` is there,
// shows that in place of its farewell.
void claim_another_result(Network& network,
                          const std::function<std::optional<wire::Text>()>& evidence) {
  network.connect_all();
  network.run([&](Mail& mail) {
    if (mail.from != 1) return true;
    wire::Body body = body_in(mail.frame);
    wire::Text text = text_in(mail.frame);
    if (text.has_outcome() && body.statement().author() == 1) {
      text.mutable_outcome()->set_digest(std::string(kDigestBytes, 'd'));
      *body.mutable_statement() = network.signed_by(1, text);
    } else if (is_farewell(mail.frame)) {
      const auto shown = evidence();
      if (!shown) return false;
      *body.mutable_statement() = network.signed_by(1, *shown);
    } else {
      return true;
    }
    mail.frame = with_body(mail.frame, body);
    return true;
  });
}

TEST(BadPeer, WhoClaimsAnotherResultIsNamed) {
  Network network = triangle(SimulatedSolver::kLocal);
  claim_another_result(network, [&] { return evidence_of(network, {}); });
  for (const PartyId p : {0U, 2U}) {
    EXPECT_EQ(network.phase(p), Phase::kStopped);
    EXPECT_NE(network.error_what(p).find("party-2"), std::string::npos) << network.error_what(p);
  }
  EXPECT_EQ(network.error_name(0), "E-outcome-differs");
  EXPECT_EQ(network.error_what(0), "party-2 ended with another result");
}

TEST(BadPeer, WhoShowsAReleaseThatItsAuthorDidNotSignIsNamed) {
  Network network = triangle(SimulatedSolver::kLocal);
  claim_another_result(network, [&] {
    return evidence_of(network, [](wire::Witness& witness) {
      if (witness.author() == 2) witness.set_digest(std::string(kDigestBytes, 'x'));
    });
  });
  EXPECT_EQ(network.error_name(0), "E-equivocation");
  EXPECT_EQ(network.error_what(0), "party-2 claims a release that party-3 did not sign");
}

// Nobody else is named in its place, and nobody waits for ever.
TEST(BadPeer, WhoClaimsAnotherResultAndShowsNothingIsWaitedForAndNamed) {
  Network network = triangle(SimulatedSolver::kLocal);
  claim_another_result(network, [] { return std::nullopt; });
  EXPECT_EQ(network.phase(0), Phase::kComparing);
  EXPECT_EQ(network.sessions[0]->progress().waiting_for, std::vector<std::string>{"party-2"});
  network.wait(kPatience + 2 * kSecond, [](Mail& mail) { return mail.from != 1; });
  for (const PartyId p : {0U, 2U}) EXPECT_EQ(network.phase(p), Phase::kStopped);
  EXPECT_NE(network.error_what(0).find("party-2"), std::string::npos) << network.error_what(0);
}

// In the middle of a path nobody else can tell the two ends that they were told different things:
// their results do, and what they show each other.
TEST(BadPeer, WhoSignsTwoReleasesIsNamedByTheEvidence) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::path(3), 3);
  network.connect_all();
  const std::string nonce(kDigestBytes, 'n');
  const IntegerVector other{Integer(5), Integer(6)};
  std::optional<wire::AuthoredRelease> own;
  network.run([&](Mail& mail) {
    wire::Body body = body_in(mail.frame);
    wire::Text text = text_in(mail.frame);
    const bool to_2 = mail.from == 1 && mail.to == 2;
    // What comes back to it is none of its honest half's business.
    if (!to_2 && !(mail.from == 2 && mail.to == 1)) return true;
    if (to_2 && text.has_ready() && body.statement().author() == 1) {
      text.mutable_ready()->set_commitment(
          commitment_to(digest_of_release(other), text.ready().attempt(), 1, nonce));
      *body.mutable_statement() = network.signed_by(1, text);
    }
    if (body.has_step()) {
      for (auto& news : *body.mutable_step()->mutable_round_releases()->mutable_news()) {
        if (news.author() != 1) continue;
        if (!to_2) {
          news = *own;
          continue;
        }
        own = news;
        news.clear_indices();
        for (const Integer& index : other) news.add_indices(integer_bytes(index));
        news.set_nonce(nonce);
        news.set_signature(network.signers[1]->sign(
            session::release_text(body.step().attempt(), 1, digest_of_release(other), nonce)));
      }
    }
    mail.frame = with_body(mail.frame, body);
    return true;
  });
  for (const PartyId p : {0U, 2U}) {
    EXPECT_EQ(network.error_name(p), "E-equivocation") << network.error_what(p);
    EXPECT_EQ(network.error_what(p), "party-2 signed two different releases");
  }
}

TEST(BadPeer, WhoTellsDifferentPartiesDifferentLossesIsNamed) {
  Network network(SimulatedSolver::kLocal, ConsensusMethod::kExact, *Graph::complete(4), 3);
  network.connect_all();
  network.run([&](Mail& mail) {
    wire::Body body = body_in(mail.frame);
    if (!text_in(mail.frame).has_ready() || body.statement().author() != 1) return true;
    wire::Text text;
    text.mutable_without()->add_excluded(mail.to == 0 ? 2 : 0);
    *body.mutable_statement() = network.signed_by(1, text);
    mail.frame = with_body(mail.frame, body);
    return true;
  });
  std::string told;
  for (const PartyId p : {0U, 2U, 3U}) told += told_to(network, p);
  EXPECT_NE(told.find("party-2 told different parties that it lost different ones"),
            std::string::npos)
      << told;
}

// Honest runs say nothing that they need not.
TEST(Evidence, IsGivenOnlyWhereOutcomesDiffer) {
  Network network = triangle(SimulatedSolver::kShuffle);
  network.connect_all();
  network.run();
  ASSERT_TRUE(network.all_finished());
  for (const Mail& mail : network.frames_left) EXPECT_FALSE(text_in(mail.frame).has_evidence());
}

}  // namespace
}  // namespace sotto
