#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/json.h"
#include "support/source_tree.h"
#include "support/studies.h"
#include "support/temporary_folder.h"

namespace sotto {

// What a run of the program left behind. `status` is −1 if a signal ended it.
struct Finished {
  int status = -1;
  std::string out;
  std::string err;
};

// Runs the real program in a folder of its own, that goes away with the test.
class ProgramTest : public testing::Test {
 protected:
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

  std::string write(const std::string& name, const std::string& text) const {
    std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  // Words go to the program as they are: no shell looks at them.
  [[nodiscard]] Finished sotto(const std::vector<std::string>& words) const {
    const std::string out = (folder_ / ".out").string();
    const std::string err = (folder_ / ".err").string();
    std::vector<std::string> argv{SOTTO_PROGRAM};
    argv.insert(argv.end(), words.begin(), words.end());
    std::vector<char*> pointers;
    for (std::string& word : argv) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      if (std::freopen(out.c_str(), "w", stdout) != nullptr &&
          std::freopen(err.c_str(), "w", stderr) != nullptr && chdir(folder().c_str()) == 0) {
        execv(SOTTO_PROGRAM, pointers.data());
      }
      _exit(127);
    }
    int state = 0;
    waitpid(child, &state, 0);
    return {.status = WIFEXITED(state) ? WEXITSTATUS(state) : -1,
            .out = read_text(out),
            .err = read_text(err)};
  }

  // Nothing on standard output, and one line on standard error: error[E-name]: what;
  // where; what would be right.
  void expect_error(const Finished& run, int status, const std::string& name) const {
    EXPECT_EQ(run.status, status) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(run.err.starts_with(fmt::format("error[{}]: ", name))) << run.err;
    EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
    EXPECT_GE(std::ranges::count(run.err, ';'), 2) << run.err;
  }

  // The same for `sotto plan` on a study; `has` is in the text. As JSON too, once per name.
  void expect_refused(const StudyText& study, int status, const std::string& name,
                      const std::vector<std::string>& has = {}) const {
    expect_refused(study.text(), status, name, has);
  }

  void expect_refused(const std::string& study, int status, const std::string& name,
                      const std::vector<std::string>& has = {}) const {
    SCOPED_TRACE(study);
    const std::string path = write("study.toml", study);
    const Finished run = sotto({"plan", path});
    expect_error(run, status, name);
    for (const std::string& words : has) EXPECT_THAT(run.err, testing::HasSubstr(words));
    static std::set<std::string> seen_as_json;
    if (!seen_as_json.insert(name).second) return;
    const Finished scripted = sotto({"plan", path, "--format", "json"});
    EXPECT_EQ(scripted.status, status);
    EXPECT_EQ(scripted.out, "");
    const auto json = parse_json(scripted.err);
    ASSERT_TRUE(json.is_object()) << scripted.err;
    EXPECT_EQ(json["error"]["name"], name);
    EXPECT_EQ(json["error"]["status"], status);
    for (const char* key : {"what", "where", "fix"}) {
      EXPECT_NE(json["error"].value(key, ""), "") << key << scripted.err;
    }
  }

 private:
  const TemporaryFolder folder_;
};

}  // namespace sotto
