#include "network/store_crash_for_tests.h"

namespace sotto {
namespace {

TEST_F(StoreCrash, AKilledWriterLeavesWholeCommitsAndAllThatWereAcknowledged) {
  EXPECT_GT(kill_again_and_again(15, 1), 0U);
}

}  // namespace
}  // namespace sotto
