#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "support/temporary_folder.h"

namespace sotto {

// What a command line led to, run in this process.
struct CommandRun {
  int status = 0;
  std::string out;
  std::string err;
};

inline CommandRun run_sotto(std::vector<std::string> words) {
  words.insert(words.begin(), "sotto");
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  CommandRun run;
  run.status = run_command_line(static_cast<int>(argv.size()), argv.data());
  run.out = testing::internal::GetCapturedStdout();
  run.err = testing::internal::GetCapturedStderr();
  return run;
}

// A folder for each test, that goes away with it.
class FolderTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  [[nodiscard]] static std::string read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

 private:
  const TemporaryFolder folder_;
};

}  // namespace sotto
