#include "study/study_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kOne = R"(
[privacy]  # a comment that stays at home
epsilon = 1.0
delta = 1e-6
[[party]]
name = "north"
address = "north.example:7101"
)";

TEST(StudyLines, SaysEveryKeyOnceWithoutComments) {
  EXPECT_EQ(study_lines(kOne, 10'000),
            "party.north = number 1\nparty.north.address = 'north.example:7101'\n"
            "party.north.name = 'north'\nprivacy.delta = 1e-06\nprivacy.epsilon = 1.0\n");
  EXPECT_EQ(study_lines("[privacy", 10'000), "");
  EXPECT_EQ(study_lines(kOne, 30), "party.north = number 1\n");
}

TEST(StudyLines, TheDifferenceIsOneOfKeys) {
  std::string other = kOne;
  other.replace(other.find("1.0"), 3, "2.0");
  other += "fingerprint = \"sha256:1\"\n";
  EXPECT_THAT(study_differences(study_lines(kOne, 10'000), study_lines(other, 10'000), 5),
              ElementsAre("party.north.fingerprint: nothing here, 'sha256:1' there",
                          "privacy.epsilon: 1.0 here, 2.0 there"));
  EXPECT_THAT(study_differences(study_lines(kOne, 10'000), study_lines(other, 10'000), 1),
              ElementsAre(HasSubstr("fingerprint"), "and 1 more"));
  EXPECT_TRUE(study_differences(study_lines(kOne, 10'000), study_lines(kOne, 10'000), 5).empty());
}

TEST(StudyLines, TakesAnythingFromANeighbour) {
  const std::string long_line = "x = " + std::string(5'000, 'y');
  EXPECT_THAT(study_differences("", long_line, 5), ElementsAre(HasSubstr("x: nothing here, yyy")));
  EXPECT_LT(study_differences("", long_line, 5).front().size(), 200U);
  EXPECT_TRUE(study_differences("", "\0\xff\n\n=\n==", 5).empty());
}

}  // namespace
}  // namespace sotto
