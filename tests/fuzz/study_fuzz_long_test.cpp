#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "fuzz/fuzz.h"
#include "plan/plan.h"
#include "support/fuzz.h"

namespace sotto {
namespace {

// SOTTO_FUZZ_SEED chooses another run; a failure prints the one it had.
std::uint64_t seed_of_run() {
  const char* seed = std::getenv("SOTTO_FUZZ_SEED");
  return seed == nullptr ? 1 : std::strtoull(seed, nullptr, 10);
}

TEST(StudyFuzzLong, AHundredThousandDamagedStudiesAreStudiesOrErrorsWithAPlace) {
  const std::uint64_t seed = seed_of_run();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Mutator mutate(seed);
  const auto seeds = fuzz_seeds();
  for (std::size_t k = 0; k < 100'000 && !testing::Test::HasFailure(); ++k) {
    const std::string text = mutate(seeds[k % seeds.size()]);
    EXPECT_NO_THROW(fuzz::play("study", text)) << text;
  }
}

TEST(StudyFuzzLong, WhatStillParsesCanBePlannedOrSaysWhyNot) {
  const std::uint64_t seed = seed_of_run() + 1;
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Mutator mutate(seed);
  const auto seeds = fuzz_seeds();
  for (std::size_t k = 0; k < 10'000 && !testing::Test::HasFailure(); ++k) {
    const std::string text = mutate(seeds[k % seeds.size()]);
    const auto study = parse_study(text, "study.toml");
    // Large networks plan too, and take their time: not here.
    if (!study || study->graph().size() > 50) continue;
    for (const Solver solver : {Solver::kDishuf, Solver::kPairwise, Solver::kAc, Solver::kGt}) {
      const auto plan = make_plan(*study, solver);
      if (!plan) {
        EXPECT_TRUE(plan.error().name.starts_with("E-")) << text;
        continue;
      }
      EXPECT_TRUE(std::isfinite(plan->sum_noise_sd) && plan->sum_noise_sd > 0) << text;
    }
  }
}

}  // namespace
}  // namespace sotto
