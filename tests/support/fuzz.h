#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "support/studies.h"

namespace sotto {

// Damages a study file in the ways files get damaged: a byte flipped, lost, doubled
// or made up; the end cut off; a line lost, doubled or moved; a word of the
// language where another stood. The same for the same seed.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string operator()(std::string text) {
    const std::size_t changes = 1 + below(3);
    for (std::size_t k = 0; k < changes && !text.empty(); ++k) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t limit) {
    return static_cast<std::size_t>(random_.below(static_cast<std::uint64_t>(limit)));
  }

  void change(std::string& text) {
    static const std::vector<std::string> kWords{
        "inf", "nan",  "-1",     "0",           "1e309", "9223372036854775807", "[",    "]]", "\"",
        "=",   "{}",   "#",      "\n[graph]\n", "true",  "1979-05-27",          "\xff", "ε",  "''",
        ".",   "0x1F", "\\u0000"};
    const std::size_t at = below(text.size());
    switch (below(7)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        text.erase(at, 1 + below(4));
        break;
      case 2:
        text.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        change_line(text, at);
        break;
      case 5:
        text.insert(at, kWords[below(kWords.size())]);
        break;
      default:
        change_value(text, at, kWords[below(kWords.size())]);
    }
  }

  void change_line(std::string& text, std::size_t at) {
    const std::size_t first = text.rfind('\n', at) + 1;  // npos + 1 is the beginning
    const std::size_t last = std::min(text.find('\n', at), text.size() - 1);
    if (first > last) return;
    const std::string line = text.substr(first, last + 1 - first);
    if (below(2) == 0) text.erase(first, line.size());
    if (below(2) == 0)
      text.insert(text.find('\n', below(std::max<std::size_t>(text.size(), 1))) + 1, line);
  }

  static void change_value(std::string& text, std::size_t at, const std::string& word) {
    const std::size_t equals = text.find('=', at);
    if (equals == std::string::npos) return;
    const std::size_t end = std::min(text.find('\n', equals), text.size());
    text.replace(equals + 1, end - equals - 1, word);
  }

  SeededRandom random_;
};

inline std::vector<std::string> fuzz_seeds() {
  StudyText edges = paper_text(4);
  edges.set("graph", "topology", "\"edges\"").set("graph", "weight", "[0.1, 0.2, 0.3]");
  edges.set("graph", "edges", "[[1, 2], [2, 3], [\"c\", \"d\"]]");
  edges.append("[[party]]\nname = \"a\"\n[[party]]\nname = \"b\"\naddress = \"b:1\"\n");
  edges.append("[[party]]\nname = \"c\"\n[[party]]\nname = \"d\"\n");
  StudyText terms = record_text();
  terms.set("privacy", "person", "{ column = \"id\", rows = 2 }");
  terms.set("data", "weight", "{ column = \"w\", bounds = [0, 2] }")
      .set("data", "party", "\"effect\"");
  terms.append("[[data.column]]\ncolumn = \"z\"\nbounds = [1, 9]\n");
  terms.append("[[data.feature]]\nterm = \"log(z) * (x1 - 0.5)^2\"\n");
  terms.append("[[data.feature]]\ncolumn = \"t\"\nbounds = [0, 9]\nknots = [2, 5]\n");
  return {paper_text().text(), record_text().text(), edges.text(), terms.text()};
}

}  // namespace sotto
