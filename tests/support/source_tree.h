#pragma once

// The project's own files as text, for tests that hold the code to what the documents say.
// No <regex>: g++ 12 warns about it under sanitizers, and words are all that is looked for.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
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

// "graph/kernels" of "graph/kernels/a.h".
inline std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

inline bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline bool is_test_code(std::string_view path) {
  return path.ends_with("_test.cpp") || path.ends_with("_bench.cpp");
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// What stands between the quotes of #include "…".
inline std::vector<std::string> includes_of(const std::string& text) {
  std::vector<std::string> found;
  for (const std::string& line : lines_of(text)) {
    const auto hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') continue;
    const auto word = line.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || line.compare(word, 7, "include") != 0) continue;
    const auto open = line.find_first_not_of(" \t", word + 7);
    if (open == std::string::npos || line[open] != '"') continue;
    found.push_back(line.substr(open + 1, line.find('"', open + 1) - open - 1));
  }
  return found;
}

inline bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Every name and keyword in the text, in order.
inline std::vector<std::string> names_of(const std::string& text) {
  std::vector<std::string> names;
  for (auto at = text.begin(); at != text.end();) {
    at = std::find_if(at, text.end(), is_name_character);
    const auto end = std::find_if_not(at, text.end(), is_name_character);
    if (at != end) names.emplace_back(at, end);
    at = end;
  }
  return names;
}

// What stands between two `quote`s as a whole: quoted("say `E-one`, not `x y`", '`', "E-").
inline std::set<std::string> quoted(const std::string& text, char quote, std::string_view prefix) {
  std::set<std::string> found;
  for (auto open = text.find(quote); open != std::string::npos; open = text.find(quote, open + 1)) {
    if (text.compare(open + 1, prefix.size(), prefix) != 0) continue;
    const auto end =
        text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", open + 1 + prefix.size());
    if (end == std::string::npos || text[end] != quote || end == open + 1 + prefix.size()) continue;
    found.insert(text.substr(open + 1, end - open - 1));
  }
  return found;
}

}  // namespace sotto
