// kill -9 in the middle of commits.

#include "support/store_crash.h"

namespace sotto {
namespace {

TEST_F(StoreCrash, AKilledWriterLeavesWholeCommitsAndAllThatWereAcknowledged) {
  EXPECT_GT(kill_again_and_again(15, 1), 0U);
}

}  // namespace
}  // namespace sotto
