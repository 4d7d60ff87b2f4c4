#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace sotto {

// Source files by their path inside src/: "graph/graph.h". A test may make one up.
using SourceTree = std::map<std::string, std::string>;

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// All C++ files below `root`.
inline SourceTree read_tree(const std::filesystem::path& root) {
  SourceTree tree;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    tree[entry.path().lexically_relative(root).generic_string()] = read_text(entry.path());
  }
  return tree;
}

inline std::string room_of(const std::string& path) {
  return path.substr(0, path.find('/'));
}

// Tests, benchmarks and what only they include.
inline bool is_test_code(const std::string& path) {
  static const std::regex kTest(
      R"((_test\.cpp|_bench\.cpp|_for_tests\.h|_test_support\.h)$|/test_)");
  return std::regex_search(path, kTest);
}

// What stands between the quotes of #include "…".
inline std::vector<std::string> includes_of(const std::string& text) {
  static const std::regex kInclude(R"re((^|\n)[ \t]*#[ \t]*include[ \t]*"([^"\n]+)")re");
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), kInclude), end; at != end; ++at) {
    found.push_back((*at)[2]);
  }
  return found;
}

// Every match of the pattern's first group.
inline std::set<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex compiled(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), compiled), end; at != end; ++at) {
    found.insert((*at)[1]);
  }
  return found;
}

}  // namespace sotto
