#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

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

// The kinds of errors by how they are made and by the part of the page that explains them.
using NamesByKind = std::map<std::string, std::set<std::string>>;

NamesByKind kinds_in_source(const SourceTree& tree) {
  const std::map<std::string, std::string> kinds{
      {"bad_input(", "Bad input"}, {"failed(", "Failed"}, {"refused(", "Refused"}};
  NamesByKind names;
  for (const auto& [path, text] : tree) {
    if (is_test_code(path)) continue;
    for (const auto& [call, kind] : kinds) {
      for (auto at = text.find(call); at != std::string::npos; at = text.find(call, at + 1)) {
        const auto quote = text.find_first_not_of(" \n", at + call.size());
        if (quote == std::string::npos || !text.substr(quote).starts_with("\"E-")) continue;
        names[kind].insert(text.substr(quote + 1, text.find('"', quote + 1) - quote - 1));
      }
    }
  }
  return names;
}

NamesByKind kinds_in_page(const std::string& page) {
  NamesByKind names;
  for (auto at = page.find("\n## "); at != std::string::npos; at = page.find("\n## ", at + 1)) {
    const std::string part = page.substr(at, page.find("\n## ", at + 1) - at);
    std::set<std::string>& kind = names[part.substr(4, part.find(':') - 4)];
    // The first column alone: others may mention an error.
    for (auto row = part.find("\n| `E-"); row != std::string::npos;
         row = part.find("\n| `E-", row + 1)) {
      kind.insert(part.substr(row + 4, part.find('`', row + 4) - row - 4));
    }
  }
  return names;
}

TEST(ErrorPage, HasEveryErrorInThePartOfItsKindAndInNoOther) {
  const NamesByKind page = kinds_in_page(read_text(kRoot / "docs/errors.md"));
  ASSERT_EQ(page.size(), 3U);
  std::multiset<std::string> all;
  for (const auto& [kind, names] : page) all.insert(names.begin(), names.end());
  for (const std::string& name : all) EXPECT_EQ(all.count(name), 1U) << name << " has two kinds";
  for (const auto& [kind, names] : kinds_in_source(read_tree(kRoot / "src"))) {
    EXPECT_GT(names.size(), 15U);
    ASSERT_TRUE(page.contains(kind)) << kind;
    EXPECT_THAT(only_in_first(names, page.at(kind)), IsEmpty()) << "made as: " << kind;
  }
}

// `src/privacy/seal.h`, `src/graph/graph.{h,cpp}`, `src/data/csv/`, `tests/fault`: what pages name
// of the tree.
std::vector<std::string> missing_files(const std::string& page) {
  std::vector<std::string> missing;
  for (const std::string folder : {"src/", "tests/", "include/"}) {
    for (auto at = page.find(folder); at != std::string::npos; at = page.find(folder, at + 1)) {
      if (at > 0 && page[at - 1] == '/') continue;  // build/dev/src/graph_test
      const auto end = page.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.", at);
      std::string path = page.substr(at, end - at);
      while (path.ends_with('.')) path.pop_back();
      const bool there = std::ranges::any_of(
          std::vector<std::string>{"", ".h", ".cpp"}, [&](const std::string& extension) {
            return std::filesystem::exists(kRoot / (path + extension));
          });
      if (!there) missing.push_back(path);
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
  EXPECT_THAT(missing_files("see `src/base/result.h`, `src/base/result.{h,cpp}`, `src/base`, "
                            "`src/attic/old.{h,cpp}` and src/attic/old.cpp."),
              ElementsAre("src/attic/old", "src/attic/old.cpp"));
}

// "Suite.Name" of every test in the tree.
std::set<std::string> tests_in_source(const SourceTree& tree) {
  const std::set<std::string> macros{"TEST", "TEST_F", "TEST_P", "RC_GTEST_PROP",
                                     "RC_GTEST_FIXTURE_PROP"};
  std::set<std::string> tests;
  for (const auto& [path, text] : tree) {
    if (!is_test_code(path)) continue;
    const auto names = names_of(text);
    for (std::size_t k = 0; k + 2 < names.size(); ++k) {
      if (macros.contains(names[k])) tests.insert(names[k + 1] + "." + names[k + 2]);
    }
  }
  return tests;
}

// The tests that a page names between backquotes, `Suite.Name`, and that are not there. In a name
// `…` stands for any words, `*` for all; what stands before a slash is an instance.
std::vector<std::string> missing_tests(const std::string& page,
                                       const std::set<std::string>& tests) {
  std::vector<std::string> missing;
  for (auto open = page.find('`'); open != std::string::npos;) {
    const auto close = page.find('`', open + 1);
    if (close == std::string::npos) break;
    std::string word = page.substr(open + 1, close - open - 1);
    open = page.find('`', close + 1);
    const auto dot = word.find('.');
    if (dot == std::string::npos || dot + 1 == word.size()) continue;
    const auto slash = word.rfind('/', dot);
    const std::string suite = word.substr(slash == std::string::npos ? 0 : slash + 1,
                                          dot - (slash == std::string::npos ? 0 : slash + 1));
    std::string name = word.substr(dot + 1);
    const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    const bool any = name == "*" || name.starts_with("…") || name.ends_with("…");
    const bool camel = !suite.empty() && upper(suite[0]) &&
                       std::ranges::all_of(suite, is_name_character) &&
                       (any || (upper(name[0]) && std::ranges::all_of(name, is_name_character)));
    if (!camel) continue;
    const bool from_start = !name.starts_with("…") && name != "*";
    for (const std::string rest : {"…", "*"}) {
      if (name.starts_with(rest)) name.erase(0, rest.size());
      if (name.ends_with(rest)) name.erase(name.size() - rest.size());
    }
    const bool there = std::ranges::any_of(tests, [&](const std::string& test) {
      const std::string of_suite = suite + ".";
      if (!test.starts_with(of_suite)) return false;
      const std::string_view found = std::string_view(test).substr(of_suite.size());
      if (!any) return found == name;
      return from_start ? found.starts_with(name) : found.ends_with(name);
    });
    if (!there) missing.push_back(word);
  }
  return missing;
}

TEST(Pages, NameTestsThatAreThere) {
  auto tests = tests_in_source(read_tree(kRoot / "src"));
  tests.merge(tests_in_source(read_tree(kRoot / "tests")));
  EXPECT_GT(tests.size(), 1000U);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / "docs")) {
    if (entry.path().extension() != ".md") continue;
    EXPECT_THAT(missing_tests(read_text(entry.path()), tests), IsEmpty()) << entry.path();
  }
  EXPECT_THAT(missing_tests("`Seal.Is`, `A/Seal.IsThere`, `Seal.Is…`, `Seal.…There`, `Seal.*`, "
                            "`Gone.*`, `Seal.…Gone`, `model.json`, `README.md`",
                            {"Seal.IsThere"}),
              ElementsAre("Seal.Is", "Gone.*", "Seal.…Gone"));
}

// The pages under docs/proofs/ and whether there is a test, as a row of the table of promises has
// them.
struct Promise {
  std::vector<std::string> proofs;
  bool tested = false;
};

Promise promise_in(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream words(row);
  for (std::string cell; std::getline(words, cell, '|');) cells.push_back(cell);
  Promise promise;
  if (cells.size() != 4) return promise;  // nothing stands before the first bar
  promise.tested = holds(cells[3], "`");
  const std::string& proofs = cells[2];
  for (auto at = proofs.find("`docs/proofs/"); at != std::string::npos;
       at = proofs.find("`docs/proofs/", at + 1)) {
    promise.proofs.push_back(proofs.substr(at + 1, proofs.find('`', at + 1) - at - 1));
  }
  return promise;
}

TEST(Pages, KeepPromisesBesideTheirProofsAndTests) {
  const std::string page = read_text(kRoot / "docs/THREAT_MODEL.md");
  const auto table = page.find("| promise | proof |");
  ASSERT_NE(table, std::string::npos);
  std::size_t promises = 0;
  for (const std::string& line : lines_of(page.substr(table))) {
    if (!line.starts_with("| ") || line.starts_with("| promise")) continue;
    ++promises;
    const Promise promise = promise_in(line);
    EXPECT_TRUE(promise.tested) << "no test: " << line;
    EXPECT_FALSE(promise.proofs.empty()) << "no proof: " << line;
    for (const std::string& proof : promise.proofs) {
      EXPECT_TRUE(std::filesystem::exists(kRoot / proof)) << proof;
    }
  }
  EXPECT_GT(promises, 25U);
  const Promise kept = promise_in("| a row | `docs/proofs/a.md`, `docs/proofs/b.md` | `A.Is` |");
  EXPECT_THAT(kept.proofs, ElementsAre("docs/proofs/a.md", "docs/proofs/b.md"));
  EXPECT_TRUE(kept.tested);
  EXPECT_THAT(promise_in("| a page | | `A.Is` |").proofs, IsEmpty());
  EXPECT_FALSE(promise_in("| a row | `docs/proofs/a.md` | |").tested);
}

// The words of a list in scripts/bootstrap.
std::vector<std::string> installed_for(const std::string& script, const std::string& purpose) {
  const auto from = script.find("\n" + purpose + "=\"") + purpose.size() + 3;
  std::istringstream words(script.substr(from, script.find('"', from) - from));
  return {std::istream_iterator<std::string>(words), {}};
}

TEST(DebianPackages, AreBuiltWithWhatTheBuildInstalls) {
  const std::string control = read_text(kRoot / "debian/control");
  const std::string wanted =
      control.substr(0, control.find("\nPackage:")) + ",";  // the source's paragraph
  const auto packages = installed_for(read_text(kRoot / "scripts/bootstrap"), "build");
  EXPECT_GT(packages.size(), 15U);
  for (const std::string& package : packages) {
    if (package == "make") continue;  // every build has it
    const bool there = wanted.find(" " + package + ",") != std::string::npos ||
                       wanted.find(" " + package + "\n") != std::string::npos ||
                       wanted.find(" " + package + " (") != std::string::npos;
    EXPECT_TRUE(there) << package << " is missing from Build-Depends in debian/control";
  }
}

TEST(DebianPackages, HaveTheVersionOfTheProgram) {
  const std::string cmake = read_text(kRoot / "CMakeLists.txt");
  const auto from = cmake.find("project(sotto VERSION ") + 22;
  const std::string version = cmake.substr(from, cmake.find(' ', from) - from);
  EXPECT_TRUE(read_text(kRoot / "debian/changelog").starts_with("sotto (" + version + ")"));
}

TEST(ErrorPageChecker, ReadsNamesFromCodeAndFromThePage) {
  const SourceTree tree{
      {"base/a.cpp", "refused(\"E-one\", \"…\"); // E-comment\nbad(\"E-two-b2\")"},
      {"base/a_test.cpp", "\"E-test\""}};
  EXPECT_THAT(names_in_source(tree), ElementsAre("E-one", "E-two-b2"));
  EXPECT_THAT(names_in_page("| `E-one` | what | and `E-two-b2`; not E-three"),
              ElementsAre("E-one", "E-two-b2"));
  EXPECT_THAT(only_in_first({"E-a", "E-b"}, {"E-b"}), ElementsAre("E-a"));
  const SourceTree kinds{{"base/a.cpp", "refused(\n    \"E-one\", x); bad_input(name, \"E-no\")"}};
  EXPECT_THAT(kinds_in_source(kinds).at("Refused"), ElementsAre("E-one"));
  EXPECT_FALSE(kinds_in_source(kinds).contains("Bad input"));
  EXPECT_THAT(kinds_in_page("\n## Failed: status 1\n\n| `E-x` | not `E-y` |\n").at("Failed"),
              ElementsAre("E-x"));
}

}  // namespace
}  // namespace sotto
