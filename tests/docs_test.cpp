#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "source_tree.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The names of errors that a source tree can give: whole string literals.
std::set<std::string> names_in_source(const SourceTree& tree) {
  std::set<std::string> names;
  for (const auto& [path, text] : tree) {
    if (!is_test_code(path)) names.merge(matches(text, R"re("(E-[a-z0-9]+(?:-[a-z0-9]+)*)")re"));
  }
  return names;
}

std::set<std::string> names_in_page(const std::string& page) {
  return matches(page, R"(`(E-[a-z0-9]+(?:-[a-z0-9]+)*)`)");
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
