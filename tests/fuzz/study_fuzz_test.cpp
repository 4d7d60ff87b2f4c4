// Studies that are damaged as files get damaged, from a seed: what no build with libFuzzer is
// needed for.

#include <gtest/gtest.h>

#include "fuzz/fuzz.h"
#include "support/fuzz.h"

namespace sotto {
namespace {

TEST(StudyFuzz, StartsFromStudiesThatAreFine) {
  for (const std::string& text : fuzz_seeds()) {
    const auto study = parse_study(text, "study.toml");
    EXPECT_TRUE(study.has_value()) << study.error().to_string() << "\n" << text;
  }
}

TEST(StudyFuzz, ADamagedStudyIsAStudyOrAnErrorWithAPlace) {
  constexpr std::uint64_t kSeed = 20240;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  Mutator mutate(kSeed);
  const auto seeds = fuzz_seeds();
  std::size_t fine = 0;
  for (std::size_t k = 0; k < 2000 && !testing::Test::HasFailure(); ++k) {
    const std::string text = mutate(seeds[k % seeds.size()]);
    EXPECT_NO_THROW(fuzz::play("study", text)) << text;
    if (parse_study(text, "study.toml")) ++fine;
  }
  // Both happen, or the damage is not worth the name.
  EXPECT_GT(fine, 20U);
  EXPECT_LT(fine, 1000U);
}

TEST(StudyFuzz, EveryBeginningOfAStudyIsAStudyOrAnErrorWithAPlace) {
  for (const std::string& seed : fuzz_seeds()) {
    for (std::size_t length = 0; length <= seed.size(); ++length) {
      EXPECT_NO_THROW(fuzz::play("study", seed.substr(0, length))) << length << " of\n" << seed;
    }
  }
}

TEST(StudyFuzz, DeepNestingIsAnErrorAndNoOverflow) {
  for (const char* bracket : {"[", "{a="}) {
    std::string text = "x = ";
    for (int k = 0; k < 50'000; ++k) text += bracket;
    EXPECT_NO_THROW(fuzz::play("study", text));
  }
}

}  // namespace
}  // namespace sotto
