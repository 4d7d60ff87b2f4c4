// The same, many times over.

#include "support/store_crash.h"

namespace sotto {
namespace {

TEST_F(StoreCrash, FourHundredKillsLoseNothing) {
  const std::size_t commits = kill_again_and_again(400, 2);
  RecordProperty("commits", static_cast<int>(commits));
  EXPECT_GE(commits, 320U) << "the writer must get somewhere between kills";
}

}  // namespace
}  // namespace sotto
