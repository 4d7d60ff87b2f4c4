#include "base/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace sotto {
namespace {

// χ² of equally likely outcomes. With k of them it has mean k−1 and variance 2(k−1);
// five standard deviations and a little more for the skewness of small k.
void expect_uniform(const std::vector<std::uint64_t>& counts) {
  double total = 0;
  for (const auto count : counts) total += static_cast<double>(count);
  const double expected = total / static_cast<double>(counts.size());
  double chi_square = 0;
  for (const auto count : counts) {
    const double off = static_cast<double>(count) - expected;
    chi_square += off * off / expected;
  }
  const auto freedom = static_cast<double>(counts.size() - 1);
  EXPECT_LT(chi_square, freedom + 5 * std::sqrt(2 * freedom) + 15);
  // Counts that agree too well would not be random either.
  EXPECT_GT(chi_square, freedom - 5 * std::sqrt(2 * freedom));
}

TEST(Below, IsUniformForAwkwardBounds) {
  SeededRandom random(1);
  for (const std::uint64_t bound : {2, 3, 5, 6, 7, 33, 63, 64, 65, 129, 1000}) {
    SCOPED_TRACE(bound);
    std::vector<std::uint64_t> counts(bound);
    for (std::uint64_t i = 0; i < 200 * bound; ++i) {
      const std::uint64_t draw = random.below(bound);
      ASSERT_LT(draw, bound);
      ++counts[draw];
    }
    expect_uniform(counts);
  }
}

// A remainder of 64 bits would fall into the lower half of 3·2^62 twice as often as it should.
TEST(Below, IsUniformForBoundsNearTheWordSize) {
  SeededRandom random(2);
  const std::uint64_t bound = std::uint64_t{3} << 62;
  std::vector<std::uint64_t> counts(3);
  for (int i = 0; i < 30'000; ++i) ++counts[random.below(bound) >> 62];
  expect_uniform(counts);
}

TEST(Below, HasOnlyOneOutcomeForOneAndAllForTheLargestBound) {
  SeededRandom random(3);
  EXPECT_EQ(random.below(std::uint64_t{1}), 0u);
  EXPECT_EQ(random.below(Integer(1)), 0);
  std::vector<std::uint64_t> counts(16);
  for (int i = 0; i < 3200; ++i) ++counts[random.below(~std::uint64_t{0}) >> 60];
  expect_uniform(counts);
}

TEST(Below, IsUniformForIntegersOfManyWords) {
  SeededRandom random(4);
  for (const char* text : {"18446744073709551615", "18446744073709551616", "18446744073709551617",
                           "30000000000000000000000000000000000000000",
                           "680564733841876926926749214863536422913"}) {  // 2^129 + 1
    SCOPED_TRACE(text);
    const Integer bound(text);
    constexpr unsigned kBins = 13;
    std::vector<std::uint64_t> counts(kBins);
    std::vector<std::uint64_t> residues(kBins);
    for (int i = 0; i < 13'000; ++i) {
      const Integer draw = random.below(bound);
      ASSERT_LT(draw, bound);
      ASSERT_GE(draw, 0);
      const Integer bin = draw * kBins / bound;
      ++counts[bin.get_ui()];
      ++residues[Integer(draw % kBins).get_ui()];
    }
    expect_uniform(counts);
    expect_uniform(residues);
  }
}

TEST(Below, ReachesEveryOutcomeOfABoundJustAboveAPowerOfTwo) {
  OsRandom random;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 2000; ++i) seen.insert(random.below(std::uint64_t{17}));
  EXPECT_EQ(seen.size(), 17u);
}

TEST(SeededRandom, GivesTheSameStreamForTheSameSeed) {
  SeededRandom one(7, 3);
  SeededRandom two(7, 3);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(one.bits64(), two.bits64());
}

TEST(SeededRandom, GivesDifferentStreamsForNearbySeedsAndStreams) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (std::uint64_t stream = 0; stream < 100; ++stream) {
      first.insert(SeededRandom(seed, stream).bits64());
    }
  }
  EXPECT_EQ(first.size(), 10'000u);
}

TEST(SeededRandom, HasStreamsThatAgreeInHalfOfTheirBits) {
  SeededRandom one(1, 0);
  SeededRandom two(1, 1);
  int agreeing = 0;
  for (int i = 0; i < 1000; ++i) agreeing += std::popcount(~(one.bits64() ^ two.bits64()));
  EXPECT_NEAR(agreeing, 32'000, 5 * 126.5);  // 64,000 fair coins have a deviation of 126.5
}

// Simulations are quoted with their seed: the generator must not change silently.
// reference: splitmix64 and xoshiro256++ written down independently in Python.
TEST(SeededRandom, StaysTheGeneratorItWas) {
  SeededRandom random(1, 0);
  EXPECT_EQ(random.bits64(), 0xbfc0a8a76ae8391eu);
  EXPECT_EQ(random.bits64(), 0x01f8bcc708833c9bu);
  EXPECT_EQ(SeededRandom(2026, 5).bits64(), 0x9615d8633a626c56u);
}

TEST(SeededRandom, FillsBytesFromTheSameStream) {
  SeededRandom words(5);
  SeededRandom bytes(5);
  std::array<std::byte, 11> raw{};
  bytes.fill(raw);
  std::uint64_t first = 0;
  std::memcpy(&first, raw.data(), sizeof(first));
  EXPECT_EQ(first, words.bits64());
  const std::uint64_t second = words.bits64();
  EXPECT_EQ(std::memcmp(raw.data() + 8, &second, 3), 0);
}

TEST(OsRandom, IsNotTheSameTwice) {
  OsRandom one;
  OsRandom two;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 500; ++i) {
    seen.insert(one.bits64());
    seen.insert(two.bits64());
  }
  EXPECT_EQ(seen.size(), 1000u);
}

// What a child process that shares `random` with this one draws next.
std::vector<std::uint64_t> drawn_after_fork(OsRandom& random, std::size_t count) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  std::vector<std::uint64_t> draws(count);
  const std::size_t size = count * sizeof(std::uint64_t);
  const pid_t child = fork();
  if (child == 0) {
    for (auto& draw : draws) draw = random.bits64();
    _exit(write(ends[1], draws.data(), size) == static_cast<ssize_t>(size) ? 0 : 1);
  }
  EXPECT_GT(child, 0);
  EXPECT_EQ(close(ends[1]), 0);
  EXPECT_EQ(read(ends[0], draws.data(), size), static_cast<ssize_t>(size));
  EXPECT_EQ(close(ends[0]), 0);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return draws;
}

// A block read before the fork is in both processes' memory.
TEST(OsRandom, IsNotTheSameOnBothSidesOfAFork) {
  OsRandom random;
  std::set<std::uint64_t> all{random.bits64()};
  for (int fork = 0; fork < 2; ++fork) {
    for (const auto draw : drawn_after_fork(random, 8)) EXPECT_TRUE(all.insert(draw).second);
  }
  for (int k = 0; k < 16; ++k) EXPECT_TRUE(all.insert(random.bits64()).second);
}

TEST(OsRandom, FillsMoreThanOneBlock) {
  OsRandom random;
  std::vector<std::byte> bytes(100'000);
  random.fill(bytes);
  std::vector<std::uint64_t> counts(256);
  for (const std::byte byte : bytes) ++counts[std::to_integer<std::size_t>(byte)];
  expect_uniform(counts);
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += kDigits[std::to_integer<std::size_t>(byte) >> 4];
    text += kDigits[std::to_integer<std::size_t>(byte) & 15];
  }
  return text;
}

// RFC 8439, appendix A.1, test vectors 1 and 2: key 0, nonce 0, blocks 0 and 1.
TEST(KeyedRandom, IsTheKeyStreamOfChaCha20) {
  KeyedRandom random(KeyedRandom::Key{});
  std::array<std::byte, 128> stream{};
  random.fill(stream);
  EXPECT_EQ(hex(stream),
            "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
            "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
            "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
            "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f");
}

TEST(KeyedRandom, ReadsWordsLittleEndian) {
  KeyedRandom random(KeyedRandom::Key{});
  EXPECT_EQ(random.bits64(), 0x903df1a0ade0b876u);
}

TEST(KeyedRandom, GivesTheSameStreamHoweverItIsRead) {
  KeyedRandom::Key key{};
  key[0] = std::byte{42};
  KeyedRandom whole(key);
  KeyedRandom pieces(key);
  std::vector<std::byte> expected(5000);
  whole.fill(expected);
  std::vector<std::byte> found(5000);
  for (std::size_t at = 0, step = 1; at < found.size(); at += step, step = step % 700 + 37) {
    step = std::min(step, found.size() - at);
    pieces.fill(std::span(found).subspan(at, step));
  }
  EXPECT_EQ(found, expected);
}

TEST(KeyedRandom, GivesDifferentStreamsForKeysOneBitApart) {
  std::set<std::uint64_t> first;
  for (std::size_t bit = 0; bit < 256; ++bit) {
    KeyedRandom::Key key{};
    key[bit / 8] = std::byte{1} << static_cast<int>(bit % 8);
    first.insert(KeyedRandom(key).bits64());
  }
  EXPECT_EQ(first.size(), 256u);
}

TEST(RandomDeathTest, ADrawWithoutOutcomesIsABug) {
  SeededRandom random(1);
  EXPECT_DEATH((void)random.below(std::uint64_t{0}), "this is a bug in sotto");
  EXPECT_DEATH((void)random.below(Integer(0)), "this is a bug in sotto");
  EXPECT_DEATH((void)random.below(Integer(-5)), "this is a bug in sotto");
}

TEST(DerivedKey, IsItsPartOfTheStreamWhicheverIsAskedForFirst) {
  KeyedRandom::Key key{};
  key.fill(std::byte{5});
  KeyedRandom stream(key);
  std::set<KeyedRandom::Key> different{key};
  for (std::size_t number = 0; number < 100; ++number) {
    KeyedRandom::Key expected{};
    stream.fill(expected);
    EXPECT_EQ(derived_key(key, number), expected);
    different.insert(expected);
  }
  EXPECT_EQ(different.size(), 101U);
}

}  // namespace
}  // namespace sotto
