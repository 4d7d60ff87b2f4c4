// A run's key gives away its noise: when the run has ended no file of the home holds it any more.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/random.h"
#include "support/stores.h"

namespace sotto {
namespace {

class EraseTest : public StoreTest {
 protected:
  EraseTest() : key_(32, '\0') {
    OsRandom random;
    random.fill(std::as_writable_bytes(std::span(key_)));
  }

  // Files of the home in which these bytes stand.
  [[nodiscard]] std::vector<std::string> files_with(const std::string& bytes) const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home())) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string contents((std::istreambuf_iterator<char>(file)), {});
      if (contents.find(bytes) != std::string::npos) found.push_back(entry.path().filename());
    }
    return found;
  }

  // A journal that begins with the key and goes on: records of one page and of many.
  void write_journal(Store& store, const std::string& run) {
    const auto kept = journal(store, run);
    kept->append(key_);
    ASSERT_TRUE(kept->commit());
    for (std::size_t size = 1; size < 100'000; size *= 3) {
      kept->append(key_ + std::string(size, 'x'));
      ASSERT_TRUE(kept->commit());
    }
  }

  std::string key_;
};

TEST_F(EraseTest, AnEndedRunsKeyIsInNoFileHoweverItEnded) {
  Store store = open();
  for (const char* run : {"a1", "b2", "c3"}) {
    write_journal(store, run);
    EXPECT_FALSE(files_with(key_).empty()) << "it is there as long as the run is";
    const Result<void> ended = *run == 'a'   ? store.finish(run, {})
                               : *run == 'b' ? store.fail(run, "broken")
                                             : store.abort(run, "given up");
    ASSERT_TRUE(ended);
    EXPECT_EQ(files_with(key_), std::vector<std::string>{}) << run;
  }
}

TEST_F(EraseTest, WhatAKilledProcessLeftInTheLogGoesToo) {
  const bool written = in_child([&] {
    // Never closed: the log stays as it was.
    auto* store = new Store(open());
    write_journal(*store, "a1");
    return !testing::Test::HasFailure();
  });
  ASSERT_TRUE(written);
  ASSERT_FALSE(files_with(key_).empty());
  Store store = open();
  ASSERT_TRUE(store.abort("a1", "given up"));
  EXPECT_EQ(files_with(key_), std::vector<std::string>{});
}

// The end is on the disk and the log is not emptied yet: as if the process had been killed there.
TEST_F(EraseTest, WhoEndsItAgainOrOnlyOpensTheFileFinishesTheErasing) {
  for (const bool again : {true, false}) {
    const std::string run = again ? "a1" : "b2";
    const bool written = in_child([&] {
      auto* store = new Store(open());
      write_journal(*store, run);
      sqlite3* handle = nullptr;
      if (sqlite3_open(file().c_str(), &handle) != SQLITE_OK) return false;
      const std::string sql = fmt::format(
          "PRAGMA secure_delete = ON; BEGIN; DELETE FROM records; UPDATE runs SET state = "
          "'aborted', ended = 1, records = 0 WHERE run = '{}'; COMMIT;",
          run);
      return sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
    });
    ASSERT_TRUE(written);
    ASSERT_FALSE(files_with(key_).empty());
    Store store = open();
    EXPECT_TRUE(!again || store.abort(run, "given up"));
    EXPECT_EQ(files_with(key_), std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace sotto
