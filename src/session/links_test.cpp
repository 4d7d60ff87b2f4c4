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

// Words, one after another was acknowledged, to who takes `seconds` over each: how often each goes
// out.
std::vector<int> times_sent(int seconds, int words) {
  Pair pair;
  pair.connect();
  pair.settle();
  std::vector<int> times;
  for (int word = 0; word < words; ++word) {
    times.push_back(0);
    pair.a.post(1, std::to_string(word));
    std::vector<std::string> waiting;
    for (int second = 0; second < seconds; ++second, pair.now += Time(1000)) {
      pair.a.tick(pair.now);
      for (const Outgoing& out : pair.a.collect(pair.now)) {
        waiting.push_back(out.frame);
        wire::Frame sent;
        EXPECT_TRUE(sent.ParseFromString(out.frame));
        if (sent.number() > 0) ++times.back();
      }
    }
    for (const std::string& frame : waiting) pair.take(pair.b, 0, frame, pair.at_b);
    pair.settle();
    EXPECT_TRUE(pair.a.delivered(1));
  }
  return times;
}

// A connection that lasts loses nothing: who has much to do is told once it is known to be slow.
TEST(Links, WhoIsMerelyBusyDoesNotHearEverythingTwice) {
  EXPECT_EQ(times_sent(3, 3), (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(times_sent(7, 4), (std::vector<int>{2, 1, 1, 1}));
  EXPECT_EQ(times_sent(25, 4), (std::vector<int>{3, 2, 1, 1}));
}

// Busy once is not busy for ever: an answer that comes soon lets the next silence count again.
TEST(Links, AQuickAnswerShortensTheWaitAgain) {
  Pair pair;
  pair.connect();
  pair.settle();
  const auto seconds_until_sent_again = [&](const std::string& word) {
    pair.a.post(1, word);
    EXPECT_FALSE(pair.a.collect(pair.now).empty());  // lost
    for (int second = 1; second <= 200; ++second) {
      pair.now += Time(1000);
      pair.a.tick(pair.now);
      const auto out = pair.a.collect(pair.now);
      if (out.empty()) continue;
      for (const Outgoing& one : out) pair.take(pair.b, 0, one.frame, pair.at_b);
      pair.settle();
      return second;
    }
    return 0;
  };
  EXPECT_EQ(seconds_until_sent_again("one"), 4);
  EXPECT_EQ(seconds_until_sent_again("two"), 8) << "it was not heard yet how long an answer takes";
  pair.a.post(1, "three");
  pair.settle();
  EXPECT_EQ(seconds_until_sent_again("four"), 4);
  EXPECT_EQ(pair.at_b, (std::vector<std::string>{"one", "two", "three", "four"}));
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
                 "version 4");
  expect_refused(pair.a, 1, frame(1, 0, ""), "E-other-journal", "heard more");
  pair.take(pair.a, 1, frame(0, 1, "x"), pair.at_a);
  expect_refused(pair.a, 1, frame(0, 1, "y"), "E-equivocation", "under one number");
  expect_refused(pair.a, 1, frame(0, 2, "x", kStudy, nonce('c')), "E-begun-anew", "another run");
  EXPECT_EQ(pair.at_a, (std::vector<std::string>{"x"}));
}

}  // namespace
}  // namespace sotto
