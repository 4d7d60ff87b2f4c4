#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/source_tree.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The names of errors that a source tree can give: whole string literals.
std::set<std::string> names_in_source(const SourceTree& tree) {
  std::set<std::string> names;
  for (const auto& [path, text] : tree) {
    if (!is_test_code(path)) names.merge(quoted(text, '"', "E-"));
  }
  return names;
}

std::set<std::string> names_in_page(const std::string& page) {
  return quoted(page, '`', "E-");
}

std::vector<std::string> only_in_first(const std::set<std::string>& first,
                                       const std::set<std::string>& second) {
  std::vector<std::string> rest;
  std::ranges::set_difference(first, second, std::back_inserter(rest));
  return rest;
}

const std::filesystem::path kRoot = SOTTO_SOURCE_DIR;

TEST(ErrorPage, ExplainsEveryErrorThatTheSourceCanGive) {
  const auto given = names_in_source(read_tree(kRoot / "src"));
  EXPECT_GT(given.size(), 50U);
  EXPECT_THAT(only_in_first(given, names_in_page(read_text(kRoot / "docs/errors.md"))), IsEmpty())
      << "missing from docs/errors.md";
}

TEST(ErrorPage, ExplainsNoErrorThatTheSourceCannotGive) {
  const auto explained = names_in_page(read_text(kRoot / "docs/errors.md"));
  EXPECT_GT(explained.size(), 50U);
  EXPECT_THAT(only_in_first(explained, names_in_source(read_tree(kRoot / "src"))), IsEmpty())
      << "in docs/errors.md, and nowhere in src/";
}

// `src/privacy/seal.h`, `tests/end_to_end/findings_test.cpp`: what pages name between backquotes or
// in links to the tree.
std::vector<std::string> missing_files(const std::string& page) {
  std::vector<std::string> missing;
  for (const std::string folder : {"src/", "tests/", "include/"}) {
    for (auto at = page.find(folder); at != std::string::npos; at = page.find(folder, at + 1)) {
      const auto end = page.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.", at);
      std::string path = page.substr(at, end - at);
      while (path.ends_with('.')) path.pop_back();
      const bool file = path.ends_with(".h") || path.ends_with(".cpp");
      if (file && !std::filesystem::exists(kRoot / path)) missing.push_back(path);
    }
  }
  return missing;
}

TEST(Pages, NameFilesThatAreThere) {
  std::size_t pages = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / "docs")) {
    if (entry.path().extension() != ".md") continue;
    ++pages;
    EXPECT_THAT(missing_files(read_text(entry.path())), IsEmpty()) << entry.path();
  }
  EXPECT_GT(pages, 10U);
  for (const char* page : {"README.md", "CONTRIBUTING.md", "SECURITY.md"}) {
    EXPECT_THAT(missing_files(read_text(kRoot / page)), IsEmpty()) << page;
  }
  EXPECT_THAT(missing_files("see `src/base/result.h` and src/attic/old.cpp."),
              ElementsAre("src/attic/old.cpp"));
}

TEST(ErrorPageChecker, ReadsNamesFromCodeAndFromThePage) {
  const SourceTree tree{
      {"base/a.cpp", "refused(\"E-one\", \"…\"); // E-comment\nbad(\"E-two-b2\")"},
      {"base/a_test.cpp", "\"E-test\""}};
  EXPECT_THAT(names_in_source(tree), ElementsAre("E-one", "E-two-b2"));
  EXPECT_THAT(names_in_page("| `E-one` | what | and `E-two-b2`; not E-three"),
              ElementsAre("E-one", "E-two-b2"));
  EXPECT_THAT(only_in_first({"E-a", "E-b"}, {"E-b"}), ElementsAre("E-a"));
}

}  // namespace
}  // namespace sotto
