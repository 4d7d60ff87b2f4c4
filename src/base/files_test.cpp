#include "base/files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

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
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "sotto-write-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(WriteFile, CreatesFoldersAndReplacesWhatWasThere) {
  const fs::path path = folder_ / "deep" / "er" / "a.csv";
  ASSERT_TRUE(write_file(path, "old and longer"));
  ASSERT_TRUE(write_file(path, "new"));
  EXPECT_EQ(contents(path), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), fs::directory_iterator()), 1)
      << "a draft was left behind";
}

TEST_F(WriteFile, SaysWhichFileAndWhy) {
  ASSERT_TRUE(write_file(folder_ / "file", ""));
  const auto under_a_file = write_file(folder_ / "file" / "x", "text");
  ASSERT_FALSE(under_a_file);
  EXPECT_EQ(under_a_file.error().name, "E-file-write");
  EXPECT_EQ(under_a_file.error().status, Status::kFailed);
  EXPECT_NE(under_a_file.error().what.find((folder_ / "file" / "x").string()), std::string::npos);
  EXPECT_NE(under_a_file.error().what.find("Not a directory"), std::string::npos);

  const auto onto_a_folder = write_file(folder_, "text");
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
