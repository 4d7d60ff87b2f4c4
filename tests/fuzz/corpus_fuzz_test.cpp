// The inputs that are kept, played to their fuzzers by every build: what was found stays found.

#include <gtest/gtest.h>

#include "fuzz/fuzz.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

const fs::path kCorpora = fs::path(SOTTO_SOURCE_DIR) / "tests/fuzz/corpus";

std::vector<fs::path> inputs_of(const std::string& fuzzer) {
  std::vector<fs::path> paths;
  if (!fs::is_directory(kCorpora / fuzzer)) return paths;
  for (const auto& entry : fs::directory_iterator(kCorpora / fuzzer)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

TEST(Corpora, EveryInputThatIsKeptIsTakenOrRefused) {
  for (const fuzz::Fuzzer& fuzzer : fuzz::fuzzers()) {
    for (const fs::path& path : inputs_of(fuzzer.name)) {
      SCOPED_TRACE(path.string());
      const std::string bytes = fuzz::content_of(path.string());
      EXPECT_NO_THROW(fuzzer.play(bytes));
    }
  }
}

TEST(Corpora, EveryFuzzerHasSomeAndTheyAreSmall) {
  std::uintmax_t all = 0;
  EXPECT_GE(fuzz::fuzzers().size(), 20U);
  for (const fuzz::Fuzzer& fuzzer : fuzz::fuzzers()) {
    const auto paths = inputs_of(fuzzer.name);
    EXPECT_FALSE(paths.empty()) << fuzzer.name;
    for (const fs::path& path : paths) all += fs::file_size(path);
  }
  constexpr std::uintmax_t kMostBytes = 200'000;
  EXPECT_LE(all, kMostBytes);
}

TEST(Corpora, NothingAtAllIsTakenOrRefused) {
  for (const fuzz::Fuzzer& fuzzer : fuzz::fuzzers()) {
    SCOPED_TRACE(fuzzer.name);
    EXPECT_NO_THROW(fuzzer.play(""));
  }
}

TEST(Corpora, WhatMustHoldIsHeldAgainstTheInput) {
  EXPECT_THROW(fuzz::require(false, "this holds"), std::logic_error);
  EXPECT_THROW(fuzz::require_error(bad_input("nameless", "what", "fix")), std::logic_error);
}

}  // namespace
}  // namespace sotto
