// What averaging does with a bad peer: an error that names it, and the run goes on as if the
// message had never come.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <limits>

#include "protocol/consensus.h"
#include "support/names.h"
#include "support/parties.h"

namespace sotto {
namespace {

using namespace protocol_test;

constexpr std::size_t kConsensus = 6;
constexpr PartyId kOnTheCycle = 2;  // on a cycle: neighbours 1 and 3

struct ConsensusNetwork {
  Weights weights = *Weights::uniform(*Graph::cycle(kConsensus), 0.3);
  ConsensusPlan plan;
  Parties parties;

  explicit ConsensusNetwork(ConsensusMethod method) : plan(*plan_consensus(method, 1e-3, weights)) {
    SeededRandom random(5);
    const auto initial = small_numbers(kConsensus, 2, random);
    for (PartyId i = 0; i < kConsensus; ++i) {
      parties.push_back(make_consensus(plan, i, weights, released(initial[i])));
    }
  }
  [[nodiscard]] Party& victim() const { return *parties[kOnTheCycle]; }
  [[nodiscard]] std::vector<double> sum(PartyId party) const {
    return static_cast<Consensus&>(*parties[party]).average().values;
  }
};

// Runs with `attack` before every message to the victim; the outcome must be an honest run's.
template <class Attack>
void expect_unharmed(ConsensusMethod method, Attack attack) {
  const ConsensusNetwork honest(method);
  deliver_all(honest.parties);
  const ConsensusNetwork attacked(method);
  deliver_all(attacked.parties, nullptr, [&](const Message& next) {
    if (next.to == kOnTheCycle) attack(attacked, next);
  });
  for (PartyId i = 0; i < kConsensus; ++i) EXPECT_EQ(attacked.sum(i), honest.sum(i));
}

Message values(PartyId from, Round round, std::vector<double> numbers) {
  return {from, kOnTheCycle, RoundValues{round, std::move(numbers)}};
}

Message releases(PartyId from, Round round, std::vector<AuthoredRelease> news) {
  return {from, kOnTheCycle, RoundReleases{round, std::move(news)}};
}

std::shared_ptr<const IntegerVector> numbers(std::size_t count, long value = 7) {
  return std::make_shared<const IntegerVector>(count, Integer(value));
}

class LinearConsensusPeer : public testing::TestWithParam<ConsensusMethod> {};
INSTANTIATE_TEST_SUITE_P(Methods, LinearConsensusPeer,
                         testing::Values(ConsensusMethod::kPlain, ConsensusMethod::kChebyshev),
                         [](const auto& test) { return to_string(test.param); });

TEST_P(LinearConsensusPeer, IsNamedAndHarmlessWhateverItSends) {
  const double inf = std::numeric_limits<double>::infinity();
  expect_unharmed(GetParam(), [&](const ConsensusNetwork& run, const Message& next) {
    const Round now = std::get<RoundValues>(next.payload).round;
    expect_refused(run.victim(), values(5, now, {1, 2}), "not a neighbour");
    expect_refused(run.victim(), values(kOnTheCycle, now, {1, 2}), "not a neighbour");
    expect_refused(run.victim(), values(77, now, {1, 2}), "not a neighbour");
    expect_refused(run.victim(), values(next.from, now, {1}), "another length");
    expect_refused(run.victim(), values(next.from, now, {}), "another length");
    expect_refused(run.victim(), values(next.from, now, {1, 2, 3}), "another length");
    expect_refused(run.victim(), values(next.from, now, {1, std::nan("")}), "not finite");
    expect_refused(run.victim(), values(next.from, now, {inf, 1}), "not finite");
    expect_refused(run.victim(), values(next.from, now, {1, -inf}), "not finite");
    expect_refused(run.victim(), values(next.from, run.plan.rounds, {1, 2}), "after the last");
    expect_refused(run.victim(), values(next.from, ~Round{0}, {1, 2}), "after the last");
    if (now >= 2) expect_refused(run.victim(), values(next.from, now - 2, {1, 2}), "out of phase");
    if (now + 3 < run.plan.rounds) {
      expect_refused(run.victim(), values(next.from, now + 3, {1, 2}), "out of phase");
    }
    expect_refused(run.victim(), releases(next.from, now, {}), "no average");
    expect_refused(run.victim(), {next.from, kOnTheCycle, PairwiseOffer{}}, "no average");
    expect_refused(run.victim(), {next.from, kOnTheCycle, ShuffleOffer{}}, "no average");
  });
}

TEST_P(LinearConsensusPeer, CannotSendARoundTwiceNorAfterTheEnd) {
  const ConsensusNetwork run(GetParam());
  ASSERT_TRUE(run.victim().receive(values(1, 0, {1, 2})).has_value());
  expect_refused(run.victim(), values(1, 0, {1, 2}), "twice");
  expect_refused(run.victim(), values(1, 0, {3, 4}), "twice");

  const ConsensusNetwork over(GetParam());
  deliver_all(over.parties);
  const auto sum = over.sum(kOnTheCycle);
  expect_refused(over.victim(), values(1, over.plan.rounds, {1, 2}), "after the last");
  expect_refused(over.victim(), values(1, over.plan.rounds - 1, {1, 2}), "out of phase");
  EXPECT_EQ(over.sum(kOnTheCycle), sum);
}

TEST(ExactConsensusPeer, IsNamedAndHarmlessWhateverItSends) {
  expect_unharmed(ConsensusMethod::kExact, [&](const ConsensusNetwork& run, const Message& next) {
    const auto& honest = std::get<RoundReleases>(next.payload);
    const Round now = honest.round;
    Party& victim = run.victim();
    expect_refused(victim, releases(5, now, honest.news), "not a neighbour");
    expect_refused(victim, releases(kOnTheCycle, now, honest.news), "not a neighbour");
    expect_refused(victim, values(next.from, now, {1, 2}), "no releases");
    expect_refused(victim, {next.from, kOnTheCycle, ShuffleReply{}}, "no releases");
    expect_refused(victim, releases(next.from, run.plan.rounds, {}), "after the last");

    // What it withholds, adds, repeats or makes up.
    const char* other = "other releases than are news";
    expect_refused(victim, releases(next.from, now, {}), other);
    for (const PartyId author : {PartyId{0}, PartyId{4}, PartyId{77}}) {
      auto news = honest.news;
      news.push_back({author, numbers(2)});
      expect_refused(victim, releases(next.from, now, news), other);
      news = honest.news;
      news.back().author = 77;
      expect_refused(victim, releases(next.from, now, news), other);
    }
    auto twice = honest.news;
    twice.push_back(twice.back());
    expect_refused(victim, releases(next.from, now, twice), other);

    for (const auto& bad : {std::shared_ptr<const IntegerVector>{}, numbers(1), numbers(3)}) {
      auto news = honest.news;
      news.back().indices = bad;
      expect_refused(victim, releases(next.from, now, news), "another length");
    }
  });
}

TEST(ExactConsensusPeer, CannotTellTwoStoriesAboutOneAuthor) {
  // Round 1 on the cycle: 1 passes on 0 and 2, and 3 passes on 2 and 4. The victim is 2 itself.
  const ConsensusNetwork run(ConsensusMethod::kExact);
  ASSERT_TRUE(run.victim().receive(releases(1, 0, {{1, numbers(2)}})).has_value());
  expect_refused(run.victim(), releases(1, 1, {{0, numbers(2)}, {kOnTheCycle, numbers(2, 8)}}),
                 "release of party 3 that differs");
}

TEST(ExactConsensusPeer, CannotTellTwoNeighboursTwoStoriesWithinOneRound) {
  // PartyId 5 is at distance 3 from the victim, both ways round. It tells 4 one thing and
  // 0 another: in round 2 both arrive, and neither was known before the round.
  const ConsensusNetwork run(ConsensusMethod::kExact);
  bool victim_noticed = false;
  std::deque<Message> under_way;
  for (const auto& party : run.parties) post(party->start(), under_way);
  while (!under_way.empty()) {
    Message message = under_way.front();
    under_way.pop_front();
    if (message.from == 5 && message.to == 0) {
      auto& round = std::get<RoundReleases>(message.payload);
      for (auto& release : round.news) {
        if (release.author == 5) release.indices = numbers(2, 99);
      }
    }
    const auto more = run.parties[message.to]->receive(message);
    if (!more) {
      victim_noticed = victim_noticed || message.to == kOnTheCycle;
      EXPECT_NE(more.error().what.find("release of party 6 that differs"), std::string::npos);
      continue;
    }
    post(more, under_way);
  }
  // On a cycle, and on every path between two who heard different stories, somebody hears both.
  EXPECT_TRUE(victim_noticed);
  EXPECT_FALSE(run.victim().done());
}

TEST(ExactConsensusPeer, CannotSendARoundTwiceNorOutOfPhase) {
  const ConsensusNetwork run(ConsensusMethod::kExact);
  ASSERT_TRUE(run.victim().receive(releases(1, 0, {{1, numbers(2)}})).has_value());
  expect_refused(run.victim(), releases(1, 0, {{1, numbers(2)}}), "twice");
  expect_refused(run.victim(), releases(1, 2, {{3, numbers(2)}, {5, numbers(2)}}), "out of phase");
}

}  // namespace
}  // namespace sotto
