#include "base/files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "support/temporary_folder.h"

// What was synced, and which of the files that a test waits for were there by then. This fsync
// stands before the library's, for all of this program.
namespace {

struct Synced {
  std::filesystem::path path;
  bool there = false;
};
struct Watch {
  std::filesystem::path awaited;
  std::vector<Synced> synced;
};
Watch* watch = nullptr;

}  // namespace

extern "C" int fsync(int file) {
  if (watch != nullptr) {
    std::error_code problem;
    const auto path = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", file), problem);
    watch->synced.push_back({path, std::filesystem::exists(watch->awaited, problem)});
  }
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace sotto {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class WriteFile : public testing::Test {
 protected:
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  const TemporaryFolder folder_;
};

TEST_F(WriteFile, CreatesFoldersAndReplacesWhatWasThere) {
  const fs::path path = folder_ / "deep" / "er" / "a.csv";
  ASSERT_TRUE(write_file(path, "old and longer"));
  ASSERT_TRUE(write_file(path, "new"));
  EXPECT_EQ(contents(path), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), fs::directory_iterator()), 1)
      << "a draft was left behind";
}

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777U;
}

TEST_F(WriteFile, LetsOnlyTheOwnerReadWhateverTheUmaskAndTheModeBefore) {
  for (const mode_t mask : {mode_t{022}, mode_t{000}, mode_t{0277}}) {
    const mode_t before = ::umask(022);
    const fs::path old = folder_ / "old";
    fs::remove(old);
    { std::ofstream(old) << "old"; }
    ASSERT_EQ(::chmod(old.c_str(), 0666), 0);
    ::umask(mask);
    const fs::path made = folder_ / fmt::format("{:o}", mask) / "deep";
    const auto replaced = write_file(old, "new", Readers::kOwnerOnly);
    const auto fresh = write_file(made / "file", "new", Readers::kOwnerOnly);
    ::umask(before);
    ASSERT_TRUE(replaced && fresh) << fmt::format("{:o}", mask);
    EXPECT_EQ(mode_of(old), 0600U);
    EXPECT_EQ(mode_of(made / "file"), 0600U);
    EXPECT_EQ(mode_of(made), 0700U);
    EXPECT_EQ(mode_of(made.parent_path()), 0700U);
    EXPECT_EQ(contents(old), "new");
  }
}

TEST_F(WriteFile, ReplacesALinkAndNotWhatItPointsTo) {
  const fs::path elsewhere = folder_ / "elsewhere";
  { std::ofstream(elsewhere) << "theirs"; }
  fs::create_symlink(elsewhere, folder_ / "link");
  ASSERT_TRUE(write_file(folder_ / "link", "mine", Readers::kOwnerOnly));
  EXPECT_EQ(contents(elsewhere), "theirs");
  EXPECT_EQ(mode_of(folder_ / "link"), 0600U);
}

// A power cut keeps what was synced: the text, then the name that it was given, and the names of
// the folders above it.
TEST_F(WriteFile, IsOnTheDiskWithItsNameAndItsFolders) {
  for (const Readers readers : {Readers::kAsUsual, Readers::kOwnerOnly}) {
    const fs::path top = fs::canonical(folder_.path());
    const fs::path above = top / (readers == Readers::kOwnerOnly ? "own" : "usual");
    const fs::path path = above / "deep" / "file";
    Watch seen{.awaited = path, .synced = {}};
    watch = &seen;
    const auto written = write_file(path, "text", readers);
    watch = nullptr;
    ASSERT_TRUE(written);
    ASSERT_EQ(seen.synced.size(), 4U);
    EXPECT_EQ(seen.synced[0].path, top);
    EXPECT_EQ(seen.synced[1].path, above);
    EXPECT_EQ(seen.synced[2].path.parent_path(), above / "deep") << "the draft";
    EXPECT_FALSE(seen.synced[2].there);
    EXPECT_EQ(seen.synced[3].path, above / "deep");
    EXPECT_TRUE(seen.synced[3].there);
  }
}

TEST(Folders, AreNamedTheSameWithASlashAtTheirEnd) {
  for (const char* name : {"a/b", "a/b/", "a/b//", "a/b/.", "a/b/./"}) {
    EXPECT_EQ(without_slash(name), "a/b") << name;
  }
  EXPECT_EQ(without_slash("b/"), "b");
  EXPECT_EQ(without_slash("/"), "/");
  EXPECT_EQ(without_slash("/."), "/");
  EXPECT_EQ(without_slash("."), ".");
  EXPECT_EQ(without_slash("./"), ".");
  EXPECT_EQ(without_slash("a/.."), "a/..");
  EXPECT_EQ(without_slash(""), "");
}

TEST_F(WriteFile, LeavesAFolderThatIsThereAsItIs) {
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
  ASSERT_TRUE(write_file(folder_ / "file", "text", Readers::kOwnerOnly));
  EXPECT_EQ(mode_of(folder_.path()), 0755U);
}

TEST_F(WriteFile, SaysWhichFileAndWhy) {
  ASSERT_TRUE(write_file(folder_ / "file", ""));
  const auto under_a_file = write_file(folder_ / "file" / "x", "text");
  ASSERT_FALSE(under_a_file);
  EXPECT_EQ(under_a_file.error().name, "E-file-write");
  EXPECT_EQ(under_a_file.error().status, Status::kFailed);
  EXPECT_NE(under_a_file.error().what.find((folder_ / "file" / "x").string()), std::string::npos);
  EXPECT_NE(under_a_file.error().what.find("Not a directory"), std::string::npos);

  const auto onto_a_folder = write_file(folder_.path(), "text");
  ASSERT_FALSE(onto_a_folder);
  EXPECT_NE(onto_a_folder.error().what.find("it is a folder"), std::string::npos);
  EXPECT_EQ(files(), 1U);
}

TEST_F(WriteFile, LeavesTheOldFileWhenTheNewOneCannotBeWritten) {
  const fs::path path = folder_ / std::string(250, 'x');  // its draft's name is too long
  { std::ofstream(path) << "old"; }
  EXPECT_FALSE(write_file(path, "new"));
  EXPECT_EQ(contents(path), "old");
  EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace sotto
