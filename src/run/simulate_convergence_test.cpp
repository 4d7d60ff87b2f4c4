#include <gtest/gtest.h>

#include "run/simulate.h"
#include "session/wire.h"

namespace sotto {
namespace {

std::vector<Released> releases_on(std::size_t parties) {
  std::vector<Released> releases;
  for (std::size_t i = 0; i < parties; ++i) {
    const long value = static_cast<long>(i * i) - 3;
    releases.push_back({.indices = {Integer(value), Integer(10 - 3 * value)}, .grid = Grid{-2}});
  }
  return releases;
}

std::string name_of(const std::string& study, const std::vector<Released>& releases) {
  std::vector<std::string> sent;
  for (const Released& release : releases) sent.push_back(digest_of_release(release.indices));
  return transcript_hash(study, sent);
}

TEST(Transcript, HasAnotherNameWhereAnythingInItDiffers) {
  const auto releases = releases_on(4);
  const std::string name = name_of("study", releases);
  EXPECT_EQ(name.size(), 64U);
  EXPECT_EQ(name, name_of("study", releases));
  EXPECT_NE(name, name_of("another", releases)) << "which says what the integers mean";
  auto changed = releases;
  changed[2].indices[1] += 1;
  EXPECT_NE(name_of("study", changed), name);
  changed = releases;
  std::swap(changed[0], changed[1]);
  EXPECT_NE(name_of("study", changed), name);
}

TEST(Convergence, GoesFromOneToNothingUnderEveryMethod) {
  const Weights weights = Weights::uniform(Graph::cycle(9).value(), 0.3).value();
  for (const auto method :
       {ConsensusMethod::kExact, ConsensusMethod::kPlain, ConsensusMethod::kChebyshev}) {
    const auto plan = plan_consensus(method, 1e-9, weights).value();
    const auto points = convergence(weights, plan, releases_on(9));
    ASSERT_GE(points.size(), 2U);
    EXPECT_LE(points.size(), kConvergencePoints);
    EXPECT_EQ(points.front().round, 0U);
    EXPECT_EQ(points.front().disagreement, 1);
    EXPECT_EQ(points.back().round, plan.rounds);
    EXPECT_LT(points.back().disagreement, 1e-8) << to_string(method);
  }
}

TEST(Convergence, IsEmptyWhereEverybodyAgreesFromTheStart) {
  const Weights weights = Weights::uniform(Graph::cycle(3).value(), 0.3).value();
  const auto plan = plan_consensus(ConsensusMethod::kExact, 1e-9, weights).value();
  const std::vector<Released> same(3, {.indices = {Integer(4)}, .grid = Grid{0}});
  EXPECT_TRUE(convergence(weights, plan, same).empty());
}

}  // namespace
}  // namespace sotto
