#include "session/wire.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"

namespace sotto {
namespace {

IntegerVector some_integers() {
  return {Integer(0),
          Integer(1),
          Integer(-1),
          Integer(255),
          Integer(256),
          Integer(-65536),
          Integer("123456789012345678901234567890"),
          -Integer("340282366920938463463374607431768")};
}

constexpr IntegerWidths kWidths{.ciphertext = 9, .release = 4};

std::string bytes_of(const Payload& payload) {
  return step_of(payload, kWidths).SerializeAsString();
}

std::vector<Payload> some_payloads() {
  PairwiseOffer pairwise;
  for (std::size_t k = 0; k < 32; ++k) pairwise.public_key[k] = static_cast<std::byte>(k);
  const auto indices = std::make_shared<const IntegerVector>(some_integers());
  const auto none = std::make_shared<const IntegerVector>();
  const std::vector<double> values{0.0, -0.0, 1.5, 1e-310, std::numeric_limits<double>::max()};
  return {ShuffleOffer{std::string("\0key", 4), some_integers()},
          ShuffleOffer{},
          ShuffleReply{some_integers()},
          pairwise,
          RoundValues{7, values, "signature", std::string(kDigestBytes, 'n')},
          RoundValues{},
          RoundReleases{3, {{1, indices, "a", std::string(kDigestBytes, 'm')}, {0, none, ""}}},
          RoundReleases{}};
}

TEST(Wire, EveryPayloadComesBackWithTheSameBytes) {
  for (const Payload& payload : some_payloads()) {
    wire::Step step = step_of(payload, kWidths);
    const auto back = payload_of(step);
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(back->index(), payload.index());
    EXPECT_EQ(bytes_of(*back), bytes_of(payload));
  }
  const auto values = std::get<RoundValues>(*payload_of(step_of(some_payloads()[4], kWidths)));
  EXPECT_EQ(values.round, 7U);
  EXPECT_TRUE(std::signbit(values.values[1]));
  EXPECT_EQ(values.values[3], 1e-310);
  const auto offer = std::get<ShuffleOffer>(*payload_of(step_of(some_payloads()[0], kWidths)));
  EXPECT_EQ(offer.negated, some_integers());
  EXPECT_EQ(offer.public_key, std::string("\0key", 4));
  const auto releases = std::get<RoundReleases>(*payload_of(step_of(some_payloads()[6], kWidths)));
  EXPECT_EQ(*releases.news[0].indices, some_integers());
  EXPECT_EQ(releases.news[0].signature, "a");
  EXPECT_EQ(releases.news[0].nonce, std::string(kDigestBytes, 'm'));
}

RC_GTEST_PROP(Wire, AnIntegerHasOneFormOnly, ()) {
  const auto digits = *rc::gen::container<std::string>(rc::gen::inRange('0', '9'));
  const bool negative = *rc::gen::arbitrary<bool>();
  const Integer integer(((negative ? "-" : "") + ("0" + digits)), 10);
  RC_ASSERT(*integer_from(integer_bytes(integer)) == integer);
  // Any bytes that are taken for an integer are the bytes of that integer.
  const auto any =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("\0\1\2\xff", 4)));
  if (const auto taken = integer_from(any)) RC_ASSERT(integer_bytes(*taken) == any);
}

TEST(Wire, RefusesIntegersInAnyOtherForm) {
  for (const std::string& bad :
       {std::string(1, '\0'), std::string("\1", 1), std::string("\0\0", 2),
        std::string("\1\0\1", 3), std::string("\2\1", 2), std::string("\xff\1", 2)}) {
    EXPECT_FALSE(integer_from(bad).has_value());
  }
  // On the wire zeros may stand before them, as many as the attempt's width asks for.
  for (const std::string& bad : {std::string(), std::string("\1", 1), std::string("\1\0", 2),
                                 std::string("\2\1", 2), std::string("\xff\1", 2)}) {
    wire::Step step;
    step.mutable_shuffle_reply()->add_scaled(bad);
    EXPECT_FALSE(payload_of(step).has_value());
  }
}

TEST(Wire, IntegersOfAnyValueHaveTheSameLength) {
  const ShuffleReply small{{Integer(0), Integer(-1), Integer(255)}};
  const ShuffleReply large{{Integer("-70368744177664"), Integer("281474976710655"), Integer(7)}};
  const IntegerWidths widths{.ciphertext = 6, .release = 6};
  const auto of = [&](const IntegerVector& indices) {
    return RoundReleases{1, {{2, std::make_shared<const IntegerVector>(indices), "s"}}};
  };
  EXPECT_EQ(step_of(small, widths).ByteSizeLong(), step_of(large, widths).ByteSizeLong());
  EXPECT_EQ(step_of(of(small.scaled), widths).ByteSizeLong(),
            step_of(of(large.scaled), widths).ByteSizeLong());
  // What is longer than foreseen is written all the same, and comes back.
  const Integer longest = Integer(1) << 100;
  const auto back = payload_of(step_of(ShuffleReply{{longest}}, widths));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(std::get<ShuffleReply>(*back).scaled, IntegerVector{longest});
}

TEST(Wire, RefusesWhatIsTooLongOrMissing) {
  EXPECT_FALSE(payload_of(wire::Step{}).has_value());
  for (const std::size_t size : {0U, 31U, 33U}) {
    wire::Step step;
    step.mutable_pairwise_offer()->set_public_key(std::string(size, 'k'));
    EXPECT_FALSE(payload_of(step).has_value()) << size;
  }
  wire::Step values;
  values.mutable_round_values()->set_signature(std::string(kMaxSignatureBytes + 1, 's'));
  EXPECT_FALSE(payload_of(values).has_value());
  wire::Step releases;
  releases.mutable_round_releases()->add_news()->set_signature(
      std::string(kMaxSignatureBytes + 1, 's'));
  EXPECT_FALSE(payload_of(releases).has_value());
}

TEST(Wire, RefusesNoncesThatCanOpenNothing) {
  for (const std::size_t size : {1U, 31U, 33U}) {
    wire::Step values;
    values.mutable_round_values()->set_nonce(std::string(size, 'n'));
    EXPECT_FALSE(payload_of(values).has_value()) << size;
    wire::Step releases;
    releases.mutable_round_releases()->add_news()->set_nonce(std::string(size, 'n'));
    EXPECT_FALSE(payload_of(releases).has_value()) << size;
  }
}

// Whoever could find two openings, or read one without the nonce, could choose its value late.
TEST(Wire, ACommitmentFitsOneReleaseOfOneAuthorInOneAttempt) {
  const IntegerVector indices = some_integers();
  const std::string release = digest_of_release(indices);
  const std::string nonce(kDigestBytes, 'n');
  const std::string made = commitment_to(release, "attempt", 1, nonce);
  EXPECT_EQ(made, commitment_to(release, "attempt", 1, nonce));
  EXPECT_NE(made, commitment_to(digest_of_release({Integer(1)}), "attempt", 1, nonce));
  EXPECT_NE(made, commitment_to(release, "another", 1, nonce));
  EXPECT_NE(made, commitment_to(release, "attempt", 2, nonce));
  EXPECT_NE(made, commitment_to(release, "attempt", 1, std::string(kDigestBytes, 'm')));
  EXPECT_EQ(made.find(release), std::string::npos);
}

TEST(Wire, WhatIsSignedIsOfOneStudyAuthorAndRun) {
  wire::Statement statement;
  statement.set_author(1);
  statement.set_nonce(std::string(kNonceBytes, 'n'));
  statement.set_text("text");
  const std::string made = session::statement_text("study", statement);
  EXPECT_NE(made, session::statement_text("another", statement));
  const auto changed = [&](const auto& change) {
    wire::Statement other = statement;
    change(other);
    return session::statement_text("study", other);
  };
  EXPECT_NE(made, changed([](auto& other) { other.set_author(2); }));
  EXPECT_NE(made, changed([](auto& other) { other.set_nonce(std::string(kNonceBytes, 'm')); }));
  EXPECT_NE(made, changed([](auto& other) { other.set_text("texts"); }));
  EXPECT_EQ(made, changed([](auto& other) { other.set_signature("any"); }));

  const std::string release = session::release_text("attempt", 1, "digest", "nonce");
  EXPECT_NE(release, session::release_text("another", 1, "digest", "nonce"));
  EXPECT_NE(release, session::release_text("attempt", 2, "digest", "nonce"));
  EXPECT_NE(release, session::release_text("attempt", 1, "other", "nonce"));
  EXPECT_NE(release, session::release_text("attempt", 1, "digest", "other"));

  const RoundValues round{3, {1.0, 2.0}, {}, "nonce"};
  const std::string values = session::values_text("attempt", 1, round);
  EXPECT_NE(values, session::values_text("another", 1, round));
  EXPECT_NE(values, session::values_text("attempt", 2, round));
  EXPECT_NE(values, session::values_text("attempt", 1, {4, {1.0, 2.0}, {}, "nonce"}));
  EXPECT_NE(values, session::values_text("attempt", 1, {3, {1.0, 2.5}, {}, "nonce"}));
  EXPECT_NE(values, session::values_text("attempt", 1, {3, {1.0, 2.0}, {}, "other"}));
}

wire::Frame a_frame() {
  wire::Body body;
  *body.mutable_step() = step_of(some_payloads()[6], kWidths);
  body.mutable_step()->set_attempt(std::string(kDigestBytes, 'a'));
  wire::Frame frame;
  frame.set_protocol(kProtocol);
  frame.set_study(std::string(kDigestBytes, 's'));
  frame.set_nonce(std::string(kNonceBytes, 'n'));
  frame.set_have(300);
  frame.set_number(5);
  frame.set_body(body.SerializeAsString());
  return frame;
}

TEST(Wire, ReadsNothingThatHasMoreInItThanItKnows) {
  const std::string bytes = a_frame().SerializeAsString();
  ASSERT_TRUE(session::parse<wire::Frame>(bytes).has_value());
  EXPECT_FALSE(session::parse<wire::Frame>(bytes + std::string("\x98\x06\x01", 3)).has_value())
      << "unknown field";
  EXPECT_FALSE(session::parse<wire::Frame>(bytes + std::string("\x18\x01", 2)).has_value())
      << "a field twice";
  EXPECT_FALSE(session::parse<wire::Frame>(bytes + '\0').has_value());
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const auto shorter = session::parse<wire::Frame>(std::string_view(bytes).substr(0, size));
    if (shorter) {
      EXPECT_EQ(shorter->SerializeAsString(), bytes.substr(0, size));
    }
  }
}

// Whatever arrives: it is refused, or means something that has these bytes.
TEST(Wire, NoBytesMakeItStumble) {
  SeededRandom random(20);
  const std::string frame = a_frame().SerializeAsString();
  const std::string body = a_frame().body();
  for (int trial = 0; trial < 20'000; ++trial) {
    std::string bytes = random.below(2) == 0 ? frame : body;
    for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes) {
      const std::size_t place = random.below(bytes.size());
      switch (random.below(4)) {
        case 0:
          bytes[place] = static_cast<char>(random.below(256));
          break;
        case 1:
          bytes[place] = static_cast<char>(bytes[place] ^ static_cast<char>(1 << random.below(7)));
          break;
        case 2:
          bytes.resize(place + 1);
          break;
        default:
          bytes.insert(place, 1, static_cast<char>(random.below(256)));
      }
    }
    if (const auto parsed = session::parse<wire::Frame>(bytes)) {
      EXPECT_EQ(parsed->SerializeAsString(), bytes);
    }
    if (const auto parsed = session::parse<wire::Body>(bytes)) {
      EXPECT_EQ(parsed->SerializeAsString(), bytes);
      if (parsed->has_step()) (void)payload_of(parsed->step());
    }
    (void)session::parse<wire::Text>(bytes);
  }
}

}  // namespace
}  // namespace sotto
