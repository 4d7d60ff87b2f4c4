#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/rogue_party.h"

// Bad peers against the real program: each is refused and named, nobody crashes, and
// nothing readable is heard by somebody who was not ready.

namespace sotto {
namespace {

using testing::HasSubstr;

TEST(BadPeer, NobodyWithoutAPinnedCertificateGetsPastTheHandshake) {
  Parties parties(star_of(3));
  parties.start(0);
  ASSERT_TRUE(parties.says(0, "listening at")) << parties.said(0);
  const std::string& address = parties.address(0);
  const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.find(':') + 1)));

  // A name that the study knows, a key that it does not; and a name that nobody knows.
  for (const char* name : {"party-2", "mallory"}) {
    Rogue stranger(parties, 1, {0}, identity_of(name));
    EXPECT_TRUE(stranger.listen_until([&] { return !stranger.troubles().empty(); })) << name;
    EXPECT_FALSE(stranger.ever_connected());
    EXPECT_TRUE(parties.says(0, fmt::format("says to be \"{}\"", name))) << parties.said(0);
  }
  // party-2's certificate, and not its key.
  const auto party_2 = Identity::load(parties.home(1));
  RawTls thief(false);
  thief.show_without_key(*party_2, identity_of("mallory"));
  EXPECT_EQ(thief.first_words(port), "");
  // Its certificate and its key, and yesterday's TLS.
  RawTls old(false, TLS1_2_VERSION);
  old.show(*party_2);
  EXPECT_EQ(old.first_words(port), "");
  // The same with TLS 1.3 is let in: this is what the others lacked.
  RawTls right(false);
  right.show(*party_2);
  EXPECT_NE(right.first_words(port), "");
  // No certificate at all, and no TLS at all.
  EXPECT_EQ(RawTls(false).first_words(port), "");
  ::close(RawTls::connect_to(port));

  parties.start(1);
  parties.start(2);
  parties.expect_all_end(0);
}

// A neighbour says that it knows a later start of this party, which would be one whose clock was
// set back: it begins anew beyond that, as long as a clock can have been set so far. Then it ends,
// and what it had begun goes on with whoever says no such thing.
TEST(BadPeer, ALaterStartIsBelievedTwiceAndForTwentyYears) {
  constexpr std::uint64_t kDay = 24ULL * 3600 * 1000;
  Parties parties(star_of(2));
  parties.start(0);
  {
    Rogue rogue(parties, 1, {0});
    const std::uint64_t first = rogue.start_of(0);
    ASSERT_GT(first, 0U) << parties.said(0);
    rogue.claim_to_know(0, first + 9 * kDay);
    ASSERT_TRUE(rogue.listen_until([&] { return rogue.start_of(0) > first; })) << parties.said(0);
    EXPECT_EQ(rogue.start_of(0), first + 9 * kDay + 1);
    rogue.claim_to_know(0, first + 21 * (365 * kDay));
    EXPECT_EQ(rogue.status_of(parties, 0), 1) << parties.said(0);
    EXPECT_THAT(parties.said(0), HasSubstr("error[E-outrun]"));
  }
  parties.start_all();
  parties.expect_all_end(0);
  parties.expect_same_models({0, 1});
  EXPECT_TRUE(parties.spent_once(0));
}

// Pinned, and let in: party-3 says hello as it should, and then something else. The other
// two go on without it.
class BadMember : public testing::Test {
 protected:
  void meet(const std::string& solver) {
    NetworkOptions options;
    options.solver = solver;
    options.tables = false;
    options.sections = solver == "dishuf" ? "[dishuf]\nkey_bits = 2048\n" : "";
    options.network = "min_parties = 2\nmeeting_seconds = 60\npatience_seconds = 2\n";
    parties_ = std::make_unique<Parties>(options);
    parties_->start(0);
    parties_->start(1);
    rogue_ = std::make_unique<Rogue>(*parties_, 2, std::vector<std::size_t>{0, 1});
    ASSERT_TRUE(rogue_->meets(3, {0, 1})) << parties_->said_by_all();
  }

  // The honest ones finish without it, and it has heard nothing that it could read.
  void expect_left_out(const std::string& because) {
    for (const std::size_t p : {0U, 1U}) {
      EXPECT_EQ(rogue_->status_of(*parties_, p), 0) << parties_->said(p);
    }
    parties_->expect_same_models({0, 1});
    EXPECT_THAT(parties_->said_by_all(), HasSubstr(because));
    for (const std::size_t p : {0U, 1U}) {
      EXPECT_THAT(parties_->said(p), HasSubstr("going on without party-3"));
      EXPECT_TRUE(parties_->spent_once(p));
    }
    EXPECT_EQ(rogue_->readable_heard(), 0U);
    EXPECT_FALSE(rogue_->heard().empty());
  }

  std::unique_ptr<Parties> parties_;
  std::unique_ptr<Rogue> rogue_;
};

TEST_F(BadMember, ReleasesBeforeAllAreReadyAreOutOfPhase) {
  meet("ac");
  const wire::Body release = rogue_->release(rogue_->attempt(3));
  for (const std::size_t victim : {0U, 1U}) rogue_->send(victim, 3, release);
  expect_left_out("party-3 sent values before all were ready");
}

TEST_F(BadMember, AKeyThatIsNoneIsRefused) {
  meet("dishuf");
  wire::Body offer;
  offer.mutable_step()->set_attempt(rogue_->attempt(3));
  offer.mutable_step()->mutable_shuffle_offer()->set_public_key(std::string(256, '\x02'));
  offer.mutable_step()->mutable_shuffle_offer()->add_negated(integer_bytes(Integer(7)));
  for (const std::size_t victim : {0U, 1U}) rogue_->send(victim, 3, offer);
  expect_left_out("party-3 sent a public key that is refused");
}

TEST_F(BadMember, ForgedAndContradictoryWordsAreRefused) {
  meet("ac");
  // Repeated words are no news; other words under an old number are a lie.
  rogue_->send(0, 1, rogue_->hello());
  wire::Text stopped;
  stopped.mutable_stopped()->set_why(wire::Stopped::GAVE_UP);
  rogue_->send(0, 1, rogue_->statement(2, stopped));
  // In party-1's name, to party-2, which knows party-1 by now.
  EXPECT_TRUE(parties_->says(1, "sealed; waiting")) << parties_->said(1);
  rogue_->send(1, 3, rogue_->statement(0, stopped));
  EXPECT_TRUE(rogue_->is_hung_up_on_by(0));
  EXPECT_TRUE(rogue_->is_hung_up_on_by(1));
  EXPECT_THAT(parties_->said(0), HasSubstr("refused from party-3: [E-equivocation]"));
  EXPECT_THAT(parties_->said(1), HasSubstr("refused from party-3: [E-statement]"));
  EXPECT_THAT(parties_->said(1), HasSubstr("that party-1 did not sign"));
  expect_left_out("no connection to party-3");
}

// A run that has promised something is not begun anew because a neighbour says so.
TEST_F(BadMember, ALaterStartIsNotBelievedOnceTheRunIsBound) {
  meet("ac");
  for (const std::size_t victim : {0U, 1U}) {
    EXPECT_TRUE(parties_->says(victim, "sealed; waiting")) << parties_->said(victim);
    // The first may be a mistake of the victim's own; who says it twice is hung up on.
    const std::uint64_t later = rogue_->start_of(static_cast<PartyId>(victim)) + 1000;
    rogue_->claim_to_know(victim, later);
    rogue_->claim_to_know(victim, later);
    EXPECT_TRUE(rogue_->is_hung_up_on_by(victim));
  }
  expect_left_out("refused from party-3: [E-outrun]");
}

TEST_F(BadMember, WordsOfAnEarlierRunAreRefused) {
  meet("ac");
  wire::Frame old = rogue_->header(3, rogue_->hello().SerializeAsString());
  old.set_nonce(std::string(kNonceBytes, 'o'));
  for (const std::size_t victim : {0U, 1U}) rogue_->send(victim, old.SerializeAsString());
  EXPECT_TRUE(rogue_->is_hung_up_on_by(0));
  EXPECT_TRUE(rogue_->is_hung_up_on_by(1));
  expect_left_out("refused from party-3: [E-begun-anew]");
}

}  // namespace
}  // namespace sotto
