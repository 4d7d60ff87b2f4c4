#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "plan/plan.h"
#include "privacy/budget.h"
#include "run/join/join.h"
#include "run/party_run.h"
#include "study/study.h"
#include "support/studies.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string fingerprint(char digit) {
  return "sha256:" + std::string(64, digit);
}

// A cycle of four; the second has no address and dials.
Study four_parties(const std::string& more = {}) {
  std::string list;
  for (const char digit : {'1', '2', '3', '4'}) {
    list +=
        fmt::format("[[party]]\nname = \"p{}\"\nfingerprint = \"{}\"\n", digit, fingerprint(digit));
    if (digit != '2') list += fmt::format("address = \"host{}:710{}\"\n", digit, digit);
  }
  auto study = paper_text(4).append(more + list).parse();
  if (!study) throw std::runtime_error(study.error().to_string());
  return *study;
}

TEST(NetworkStudy, OneEndOfEveryEdgeDials) {
  const Study study = four_parties();
  ASSERT_TRUE(check_network(study).has_value());
  for (const Edge& edge : study.graph().edges()) {
    const auto dials = [&](PartyId from, PartyId to) {
      for (const Peer& peer : peers_of(study, from)) {
        if (peer.id == to) return peer.dial;
      }
      return false;
    };
    EXPECT_NE(dials(edge.a, edge.b), dials(edge.b, edge.a)) << edge.a << ' ' << edge.b;
    EXPECT_FALSE(dials(edge.a, 1) || dials(edge.b, 1)) << "nobody can reach the second";
  }
  EXPECT_EQ(listen_address(study, 1), "");
  EXPECT_EQ(listen_address(study, 0), "0.0.0.0:7101");
}

// A release of 131,840 numbers has 4 MB.
TEST(NetworkStudy, OfMessagesThatAreNeverSentIsRefusedBeforeAnythingIs) {
  const auto sizes = [](const std::string& topology, const std::string& more, const char* method) {
    const auto study = paper_text(24)
                           .set("graph", "topology", fmt::format("\"{}\"", topology))
                           .set("graph", "weight", "\"metropolis\"")
                           .set("problem", "m", "512")
                           .append(fmt::format("[consensus]\nmethod = \"{}\"\n{}", method, more))
                           .parse();
    if (!study) return study.error().name;
    const auto planned = plan_study(*study, Solver::kAc);
    if (!planned) return planned.error().name;
    const auto fit = check_message_sizes(*planned);
    return fit ? std::string("fits") : fit.error().name;
  };
  EXPECT_EQ(sizes("star", "", "exact"), "E-message-size") << "the middle passes on 23 at once";
  EXPECT_EQ(sizes("cycle", "", "exact"), "fits") << "two at once";
  EXPECT_EQ(sizes("complete", "", "exact"), "fits") << "one";
  EXPECT_EQ(sizes("complete", "[network]\nmin_parties = 23\n", "exact"), "E-message-size")
      << "who is left may be any graph";
  EXPECT_EQ(sizes("star", "", "chebyshev"), "fits") << "no release is passed on";
}

TEST(NetworkStudy, NeedsAFingerprintForEverybodyAndAnAddressForEveryEdge) {
  Study study = four_parties();
  study.parties[2].address.clear();
  EXPECT_EQ(check_network(study).error().name, "E-network-edge");
  study = four_parties();
  study.parties[3].fingerprint = study.parties[0].fingerprint;
  EXPECT_THAT(check_network(study).error().what, HasSubstr("p1 and p4"));
  study.parties[3].fingerprint = "sha256:12";
  EXPECT_EQ(check_network(study).error().name, "E-network-fingerprint");
  EXPECT_THAT(party_named(study, "p9").error().fix, HasSubstr("p1, p2, p3, p4"));
}

TEST(NetworkStudy, ARunIsOfTheNoiseThatItsPlanHas) {
  const Study study = four_parties();
  const Plan plan = make_plan(study, Solver::kDishuf).value();
  ASSERT_NE(plan.draws, "");
  EXPECT_EQ(session_terms(study, plan, 0, {}).draws_digest, plan.draws);
}

TEST(NetworkStudy, MoreThanHalfMustStay) {
  EXPECT_EQ(four_parties("[network]\nmin_parties = 3\n").network.attempts, 2U);
  const auto half = paper_text(4).append("[network]\nmin_parties = 2\n").parse();
  ASSERT_FALSE(half.has_value());
  EXPECT_EQ(half.error().name, "E-study-value");
  for (const char* line : {"patience_seconds = 0", "meeting_seconds = 1e9", "patience = 3"}) {
    EXPECT_FALSE(paper_text(4).append(fmt::format("[network]\n{}\n", line)).parse().has_value())
        << line;
  }
}

TEST(NetworkStudy, NeedsEverybodyUnlessItSaysOtherwise) {
  EXPECT_EQ(session_terms(four_parties(), {}, 0, {}).min_parties, 4U);
  EXPECT_EQ(session_terms(four_parties("[network]\nmin_parties = 3\n"), {}, 0, {}).min_parties, 3U);
}

TEST(NetworkStudy, WhoIsLeftKeepsItsEdgesWithTheirWeights) {
  const Study study = four_parties();
  const std::vector<PartyId> members{0, 1, 3};
  const auto rest = study.restricted_to(members);
  ASSERT_TRUE(rest.has_value());
  EXPECT_THAT(rest->graph().edges(), ElementsAre(Edge{0, 1}, Edge{0, 2}));
  EXPECT_THAT(rest->weights.per_edge(), ElementsAre(0.3, 0.3));
  EXPECT_EQ(rest->parties[2].name, "p4");
  const std::vector<PartyId> apart{0, 2};
  EXPECT_FALSE(study.restricted_to(apart).has_value());
}

// Their rows would be above what the study promises, on the wire too.
TEST(NetworkStudy, SharedMasksAreNotForAShuffleThatMayBeGivenUp) {
  for (const std::size_t colluders : {0U, 1U}) {
    Study study = four_parties("[network]\nmin_parties = 3\n");
    study.privacy.colluders = colluders;
    study.dishuf.parameters.masks = ShuffleMasks::kShared;
    const auto plan = make_plan(study, Solver::kDishuf);
    ASSERT_FALSE(plan.has_value());
    EXPECT_EQ(plan.error().name, "E-dropout-shared");
    EXPECT_EQ(plan.error().status, Status::kRefused);
  }
}

TEST(PartyRunOfAStudy, DrawsTheSameFromTheSameKeyAndOtherwiseNot) {
  Study study = four_parties();
  study.solver = Solver::kAc;
  auto run = PartyRun::make(study, 0, "");
  ASSERT_TRUE(run.has_value()) << run.error().to_string();
  const std::vector<PartyId> all{0, 1, 2, 3};
  const auto release = [&](unsigned char key) {
    KeyedRandom::Key bytes{};
    bytes.fill(static_cast<std::byte>(key));
    const auto [party, charges, more, limits] =
        *run->take_part(all, {.draws = bytes, .cipher = {}});
    EXPECT_EQ(charges.size(), 3U) << "one for each row of the plan";
    EXPECT_EQ(charges.front().observer, "eavesdropper");
    EXPECT_GT(charges.front().released, 0);
    EXPECT_TRUE(party->start()->empty()) << "nothing leaves before the barrier";
    const auto first = *party->release();
    return *std::get<RoundReleases>(first.at(0).payload).news.at(0).indices;
  };
  EXPECT_EQ(release(1), release(1));
  EXPECT_NE(release(1), release(2));
  const auto other = PartyRun::make(study, 1, "");
  EXPECT_NE(run->data_digest(), other->data_digest());
}

// The first party of a shuffle of four: its neighbours are the second and the fourth.
class ShufflingParty : public testing::Test {
 protected:
  static KeyedRandom::Key key(unsigned char number) {
    KeyedRandom::Key bytes{};
    bytes.fill(static_cast<std::byte>(number));
    return bytes;
  }
  static PartyRun begun() {
    Study study = four_parties("[network]\nmin_parties = 3\n");
    study.solver = Solver::kDishuf;
    study.dishuf.key_bits = 2048;
    auto run = PartyRun::make(study, 0, "");
    if (!run) throw std::runtime_error(run.error().to_string());
    return *std::move(run);
  }
  static std::vector<ShuffleOffer> offers(PartyRun& run, const AttemptKeys& keys,
                                          const std::vector<PartyId>& members = {0, 1, 2, 3}) {
    const auto attempt = *run.take_part(members, keys);
    std::vector<ShuffleOffer> made;
    const auto first = attempt.party->start().value();
    for (const Message& message : first) made.push_back(std::get<ShuffleOffer>(message.payload));
    return made;
  }
  static void expect_same(const ShuffleOffer& one, const ShuffleOffer& other) {
    EXPECT_EQ(one.public_key, other.public_key);
    EXPECT_EQ(one.negated, other.negated);
  }
};

TEST_F(ShufflingParty, OffersTheSameWhetherItsKeysWereMadeBeforeOrNot) {
  PartyRun run = begun();
  const auto at_once = offers(run, {key(1), key(2)});
  ASSERT_EQ(at_once.size(), 2U);
  while (run.prepare(key(2))) {
  }
  EXPECT_FALSE(run.prepare(key(2))) << "there is nothing left to make";
  const auto prepared = offers(run, {key(1), key(2)});
  for (std::size_t k = 0; k < 2; ++k) expect_same(prepared[k], at_once[k]);
}

TEST_F(ShufflingParty, GivesEveryNeighbourAndEveryAttemptAKeyOfItsOwn) {
  PartyRun run = begun();
  (void)run.prepare(key(2));  // what is made for one attempt is not used for another
  std::set<std::string> keys;
  for (const unsigned char attempt : {std::uint8_t{3}, std::uint8_t{2}}) {
    for (const ShuffleOffer& offer : offers(run, {key(1), key(attempt)})) {
      keys.insert(offer.public_key);
    }
  }
  EXPECT_EQ(keys.size(), 4U);
}

TEST_F(ShufflingParty, OffersTheSameAfterACrash) {
  PartyRun run = begun();
  (void)run.prepare(key(2));
  const auto before = offers(run, {key(1), key(2)});
  PartyRun resumed = begun();
  const auto after = offers(resumed, {key(1), key(2)});
  ASSERT_EQ(after.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) expect_same(before[k], after[k]);
  EXPECT_NE(after[0].public_key, after[1].public_key);
}

TEST_F(ShufflingParty, HasTheSameKeyForANeighbourWhoeverElseIsThere) {
  PartyRun run = begun();
  const auto with_all = offers(run, {key(1), key(2)});
  while (run.prepare(key(2))) {
  }
  const auto without_the_second = offers(run, {key(1), key(2)}, {0, 2, 3});
  ASSERT_EQ(without_the_second.size(), 1U);
  EXPECT_EQ(without_the_second[0].public_key, with_all[1].public_key);
}

TEST(PartyRunOfAStudy, RefusesGtOnFilesWithoutStepAndRounds) {
  Study study = four_parties();
  study.solver = Solver::kGt;
  study.gt.step.reset();
  study.gt.rounds.reset();
  EXPECT_TRUE(PartyRun::make(study, 0, "").has_value()) << "a family is public";
  study.problem.reset();
  EXPECT_FALSE(PartyRun::make(study, 0, "").has_value());
}

}  // namespace
}  // namespace sotto
