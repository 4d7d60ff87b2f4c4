#include "session/links.h"

#include <gtest/gtest.h>

#include <array>

#include "base/random.h"
#include "session/wire.h"

namespace sotto {
namespace {

const std::string kStudy(kDigestBytes, 's');
constexpr std::array<PartyId, 1> kOther{1};
constexpr std::array<PartyId, 1> kSelf{0};

std::string nonce(char letter) {
  return std::string(kNonceBytes, letter);
}

// Two ends of one link; what is accepted is in the journal.
struct Pair {
  session::Links a{kStudy, nonce('a'), 1, kOther};
  session::Links b{kStudy, nonce('b'), 1, kSelf};
  std::vector<std::string> at_a;
  std::vector<std::string> at_b;
  Time now{};

  void connect() {
    a.connected(1, now);
    b.connected(0, now);
  }
  void take(session::Links& links, PartyId from, const std::string& frame,
            std::vector<std::string>& got) {
    auto body = links.receive(from, frame, now);
    ASSERT_TRUE(body.has_value()) << body.error().to_string();
    if (!*body) return;
    links.accept(from, **body);
    got.push_back(**body);
  }
  // Until nobody has anything to send.
  void settle() {
    for (bool more = true; more;) {
      more = false;
      for (const Outgoing& out : a.collect(now)) take(b, 0, out.frame, at_b), more = true;
      for (const Outgoing& out : b.collect(now)) take(a, 1, out.frame, at_a), more = true;
    }
  }
};

std::string frame(std::uint64_t have, std::uint64_t number, const std::string& body,
                  const std::string& study = kStudy, const std::string& of = nonce('b'),
                  std::uint32_t protocol = kProtocol) {
  wire::Frame result;
  result.set_protocol(protocol);
  result.set_study(study);
  result.set_nonce(of);
  result.set_start(1);
  result.set_knows(1);
  result.set_have(have);
  result.set_number(number);
  result.set_body(body);
  return result.SerializeAsString();
}

// What was said to an earlier start of ours, or to none, has numbers of its own.
TEST(Links, WordsToNoStartInParticularAreNoLieUnderNumbersThatAreTaken) {
  Pair pair;
  pair.connect();
  pair.take(pair.a, 1, frame(0, 1, "x"), pair.at_a);
  auto other = session::parse<wire::Frame>(frame(0, 1, "y"));
  other->set_knows(0);
  const auto taken = pair.a.receive(1, other->SerializeAsString(), pair.now);
  ASSERT_TRUE(taken.has_value()) << taken.error().to_string();
  EXPECT_FALSE(taken->has_value());
  other->set_knows(1);
  other->set_start(0);
  const auto of_none = pair.b.receive(0, other->SerializeAsString(), pair.now);
  ASSERT_FALSE(of_none.has_value());
  EXPECT_EQ(of_none.error().name, "E-frame") << "a start has a number";
}

TEST(Links, DeliverOnceAndInOrder) {
  Pair pair;
  for (const char* word : {"one", "two", "three"}) pair.a.post(1, word);
  pair.b.post(0, "eins");
  EXPECT_TRUE(pair.a.collect(pair.now).empty()) << "nobody is connected";
  pair.connect();
  pair.settle();
  EXPECT_EQ(pair.at_b, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(pair.at_a, (std::vector<std::string>{"eins"}));
  EXPECT_TRUE(pair.a.delivered(1));
  EXPECT_TRUE(pair.b.delivered(0));
}

TEST(Links, DeliverOnceAndInOrderOverALineThatLosesRepeatsReordersAndBreaks) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SeededRandom random(seed);
    Pair pair;
    std::vector<std::string> words;
    std::vector<std::pair<bool, std::string>> under_way;  // to b?
    for (int step = 0; step < 200; ++step) {
      pair.now += Time(500);
      if (random.below(10) == 0) pair.connect();
      if (random.below(30) == 0) pair.a.disconnected(1);
      if (random.below(30) == 0) pair.b.disconnected(0);
      if (random.below(6) == 0) {
        words.push_back(std::to_string(step));
        pair.a.post(1, words.back());
        pair.b.post(0, words.back());
      }
      pair.a.tick(pair.now);
      pair.b.tick(pair.now);
      for (const Outgoing& out : pair.a.collect(pair.now)) under_way.emplace_back(true, out.frame);
      for (const Outgoing& out : pair.b.collect(pair.now)) under_way.emplace_back(false, out.frame);
      for (std::uint64_t many = random.below(4); many > 0 && !under_way.empty(); --many) {
        const std::size_t k = random.below(under_way.size());
        const auto [to_b, bytes] = under_way[k];
        if (random.below(5) != 0) under_way.erase(under_way.begin() + static_cast<long>(k));
        if (random.below(5) == 0) continue;
        if (to_b) pair.take(pair.b, 0, bytes, pair.at_b);
        if (!to_b) pair.take(pair.a, 1, bytes, pair.at_a);
      }
    }
    for (int again = 0; again < 3; ++again) {
      pair.connect();
      pair.settle();
    }
    ASSERT_EQ(pair.at_a, words) << seed;
    ASSERT_EQ(pair.at_b, words) << seed;
  }
}

// One end heard the other's greeting, the other did not: somebody must speak again.
TEST(Links, ALostGreetingStopsNothing) {
  Pair pair;
  pair.connect();
  pair.a.post(1, "word");
  (void)pair.b.collect(pair.now);  // lost
  for (const Outgoing& out : pair.a.collect(pair.now)) pair.take(pair.b, 0, out.frame, pair.at_b);
  pair.settle();
  EXPECT_TRUE(pair.at_b.empty());
  for (int second = 0; second < 20; ++second) {
    pair.now += Time(1000);
    pair.a.tick(pair.now);
    pair.b.tick(pair.now);
    pair.settle();
  }
  EXPECT_EQ(pair.at_b, (std::vector<std::string>{"word"}));
}

// Over a connection nothing is lost: who takes long to answer is not told again.
TEST(Links, WhoTakesLongOverAConnectionHearsEverythingOnce) {
  for (const auto& [resend, times] : {std::pair{kResendOverConnections, 1}, {kResendFrames, 4}}) {
    session::Links links(kStudy, nonce('a'), 1, kOther, resend);
    links.connected(1, Time(0));
    (void)links.collect(Time(0));
    ASSERT_TRUE(links.receive(1, frame(0, 0, ""), Time(0)).has_value());
    links.post(1, "word");
    int sent = 0;
    for (Time now{0}; now < Time(59'000); now += Time(1000)) {
      links.tick(now);
      for (const Outgoing& out : links.collect(now)) {
        wire::Frame one;
        ASSERT_TRUE(one.ParseFromString(out.frame));
        if (one.number() > 0) ++sent;
      }
    }
    EXPECT_EQ(sent, times) << resend.count();
  }
}

// After a crash the same words have the same numbers; what was acknowledged is not sent again.
TEST(Links, GoOnAfterACrashWhereTheJournalsStand) {
  Pair pair;
  pair.connect();
  pair.a.post(1, "one");
  pair.a.post(1, "two");
  pair.settle();
  session::Links resumed(kStudy, nonce('a'), 1, kOther);
  for (const char* word : {"one", "two", "three"}) resumed.post(1, word);
  pair.a = std::move(resumed);
  pair.connect();
  pair.settle();
  EXPECT_EQ(pair.at_b, (std::vector<std::string>{"one", "two", "three"}));
}

TEST(Links, NothingIsAcknowledgedThatWasNotAccepted) {
  Pair pair;
  pair.connect();
  ASSERT_TRUE(pair.a.receive(1, frame(0, 1, "word"), pair.now).has_value());
  for (const Outgoing& out : pair.a.collect(pair.now))
    EXPECT_EQ(session::parse<wire::Frame>(out.frame)->have(), 0U);
}

TEST(Links, AGapIsNotTaken) {
  Pair pair;
  pair.connect();
  const auto body = pair.a.receive(1, frame(0, 2, "second"), pair.now);
  ASSERT_TRUE(body.has_value());
  EXPECT_FALSE(body->has_value());
}

// What somebody says who does not know yet which start of ours hears it: it will say it again,
// under other numbers perhaps.
TEST(Links, WordsToNoStartInParticularAreNotTakenButAnswered) {
  Pair pair;
  pair.connect();
  (void)pair.a.collect(pair.now);
  auto early = session::parse<wire::Frame>(frame(0, 1, "word"));
  early->set_knows(0);
  const auto body = pair.a.receive(1, early->SerializeAsString(), pair.now);
  ASSERT_TRUE(body.has_value());
  EXPECT_FALSE(body->has_value());
  const auto answers = pair.a.collect(pair.now);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(session::parse<wire::Frame>(answers[0].frame)->start(), 1U);
  const auto again = pair.a.receive(1, frame(0, 1, "another word"), pair.now);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(**again, "another word");
}

void expect_refused(session::Links& links, PartyId from, const std::string& bytes,
                    const std::string& name, const std::string& what) {
  const auto result = links.receive(from, bytes, Time{});
  ASSERT_FALSE(result.has_value()) << what;
  EXPECT_EQ(result.error().name, name);
  EXPECT_NE(result.error().what.find(what), std::string::npos) << result.error().what;
}

// Whoever could lower its number might begin anew below the one that the journal knows.
TEST(Links, AStartHasOneNumber) {
  session::Links links(kStudy, nonce('a'), 1, kOther);
  links.connected(1, Time{});
  ASSERT_TRUE(links.receive(1, frame(0, 1, "first"), Time{}).has_value());
  auto again = *session::parse<wire::Frame>(frame(0, 2, "second"));
  for (const std::uint64_t number : {2U, 7U}) {
    again.set_start(number);
    const auto refused = links.receive(1, again.SerializeAsString(), Time{});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().name, "E-frame");
  }
  EXPECT_EQ(links.start_of(1).number, 1U);
}

TEST(Links, RefuseWhatNoHonestNeighbourSends) {
  Pair pair;
  pair.connect();
  expect_refused(pair.a, 5, frame(0, 1, "x"), "E-frame", "no neighbour");
  expect_refused(pair.a, 1, "nonsense", "E-frame", "malformed");
  expect_refused(pair.a, 1, frame(0, 0, "x"), "E-frame", "malformed");
  expect_refused(pair.a, 1, frame(0, 1, ""), "E-frame", "malformed");
  expect_refused(pair.a, 1, frame(0, 1, "x", kStudy, "short"), "E-frame", "malformed");
  expect_refused(pair.a, 1, frame(0, 1, "x", std::string(32, 't')), "E-study-differs", "differs");
  expect_refused(pair.a, 1, frame(0, 1, "x", kStudy, nonce('b'), kProtocol - 1), "E-protocol",
                 "version " + std::to_string(kProtocol - 1));
  expect_refused(pair.a, 1, frame(1, 0, ""), "E-other-journal", "heard more");
  pair.take(pair.a, 1, frame(0, 1, "x"), pair.at_a);
  expect_refused(pair.a, 1, frame(0, 1, "y"), "E-equivocation", "under one number");
  expect_refused(pair.a, 1, frame(0, 2, "x", kStudy, nonce('c')), "E-begun-anew", "another run");
  EXPECT_EQ(pair.at_a, (std::vector<std::string>{"x"}));
}

}  // namespace
}  // namespace sotto
