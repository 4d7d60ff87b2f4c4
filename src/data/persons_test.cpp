#include "data/persons.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <vector>

#include "data/encoding.h"

namespace sotto {
namespace {

TEST(Persons, ShareWhatTheyMayCountAmongTheirRows) {
  Persons persons(3);
  for (int k = 0; k < 12; ++k) persons.count("many");
  for (int k = 0; k < 3; ++k) persons.count("few");
  const auto few = persons.take("few");
  EXPECT_EQ(few.factor, 1);
  EXPECT_EQ(few.longest, kGridOne * kGridOne);
  const auto many = persons.take("many");
  EXPECT_EQ(many.factor, 0.5);
  EXPECT_EQ(many.longest, kGridOne * kGridOne / 4);
}

// n·⌊k·4^b/n⌋ ≤ k·4^b, in integers, and the root is at most 1.
TEST(Persons, NeverCountMoreThanTheyMay) {
  for (const std::int64_t most : {1, 2, 7, 1000}) {
    for (const std::uint64_t n : {1, 2, 3, 5, 7, 8, 999, 1001, 4099}) {
      Persons persons(most);
      for (std::uint64_t k = 0; k < n; ++k) persons.count("p");
      const auto share = persons.take("p");
      const auto longest = static_cast<std::uint64_t>(share.longest);
      const auto counted = static_cast<std::uint64_t>(most);
      EXPECT_LE(n * longest, counted << 40U);
      EXPECT_LE(share.factor, 1);
    }
  }
}

TEST(Persons, AreToldApartByEveryByte) {
  Persons persons(1);
  for (const char* text : {"7", "07", "7.0", "seven", "Seven"}) persons.count(text);
  EXPECT_EQ(persons.take("7").factor, 1);
  EXPECT_EQ(persons.take("07").factor, 1);
  EXPECT_EQ(persons.take("7 ").factor, 0) << "nobody of this name was counted";
}

TEST(Persons, NoticeATableThatChangedBetweenItsTwoReadings) {
  const auto verdict = [](const std::vector<const char*>& first,
                          const std::vector<const char*>& second) {
    Persons persons(1);
    for (const char* person : first) persons.count(person);
    for (const char* person : second) (void)persons.take(person);
    const auto same = persons.same_twice();
    return same ? "" : same.error().name;
  };
  EXPECT_EQ(verdict({"a", "b", "a"}, {"a", "a", "b"}), "");
  EXPECT_EQ(verdict({"a", "b"}, {"a", "b", "b"}), "E-person-changed");
  EXPECT_EQ(verdict({"a", "b"}, {"a"}), "E-person-changed");
  EXPECT_EQ(verdict({"a"}, {"a", "c"}), "E-person-changed");
}

// A row too many counts for nothing: what was promised about the first reading holds.
TEST(Persons, GiveNothingToARowThatWasNotCounted) {
  Persons persons(2);
  persons.count("a");
  EXPECT_EQ(persons.take("a").factor, 1);
  EXPECT_EQ(persons.take("a").factor, 0);
  EXPECT_EQ(persons.take("a").longest, 0);
}

TEST(Persons, AreCountedByManyThreadsAtOnce) {
  Persons persons(1);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) persons.count(std::to_string(k % 50));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(persons.take("17").factor, std::sqrt(1.0 / 80));
}

}  // namespace
}  // namespace sotto
