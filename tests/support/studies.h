#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "study/study.h"

namespace sotto {

// study.toml as text, to change one line of it at a time.
class StudyText {
 public:
  // Values are TOML: a text needs its own quotes. An existing key changes.
  StudyText& set(const std::string& section, const std::string& key, const std::string& value) {
    auto& lines = lines_of(section);
    const auto found = std::ranges::find(lines, key, &Line::first);
    if (found != lines.end()) {
      found->second = value;
    } else {
      lines.emplace_back(key, value);
    }
    return *this;
  }

  StudyText& remove(const std::string& section, const std::string& key) {
    std::erase_if(lines_of(section), [&](const Line& line) { return line.first == key; });
    return *this;
  }

  StudyText& remove(const std::string& section) {
    std::erase_if(sections_, [&](const Section& s) { return s.first == section; });
    return *this;
  }

  // Any text at the end.
  StudyText& append(const std::string& text) {
    tail_ += text;
    return *this;
  }

  [[nodiscard]] std::string text() const {
    std::string text;
    for (const auto& [section, lines] : sections_) {
      text += fmt::format("[{}]\n", section);
      for (const auto& [key, value] : lines) text += fmt::format("{} = {}\n", key, value);
    }
    return text + tail_;
  }

  [[nodiscard]] Result<Study> parse() const { return parse_study(text(), "study.toml"); }

 private:
  using Line = std::pair<std::string, std::string>;
  using Section = std::pair<std::string, std::vector<Line>>;

  std::vector<Line>& lines_of(const std::string& section) {
    const auto found = std::ranges::find(sections_, section, &Section::first);
    if (found != sections_.end()) return found->second;
    return sections_.emplace_back(section, std::vector<Line>{}).second;
  }

  std::vector<Section> sections_;
  std::string tail_;
};

// The paper's Section V: ε = 10, δ = 0.2, μ = 3, g = 0.01 on a cycle.
inline StudyText paper_text(std::size_t parties = 10) {
  StudyText study;
  study.set("study", "name", "\"paper\"").set("study", "solver", "\"dishuf\"");
  study.set("privacy", "epsilon", "10.0").set("privacy", "delta", "0.2");
  study.set("privacy", "unit", "\"entry\"").set("privacy", "mu", "3.0");
  study.set("graph", "topology", "\"cycle\"").set("graph", "parties", fmt::format("{}", parties));
  study.set("graph", "weight", "0.3");
  study.set("gt", "lambda_min", "200.0");
  study.set("dishuf", "g", "0.01").set("pairwise", "g", "0.01");
  study.set("problem", "family", "\"paper\"").set("problem", "m", "3").set("problem", "seed", "1");
  return study;
}

// The same with the paper's own shuffle: all neighbours see one mask.
inline StudyText shared_paper_text(std::size_t parties = 10) {
  return paper_text(parties).set("dishuf", "noise", "\"shared\"");
}

// Tables of three columns: an intercept, a number and a category.
inline StudyText record_text() {
  StudyText study = paper_text();
  study.remove("problem").remove("gt").remove("privacy", "mu");
  study.set("privacy", "epsilon", "1.0").set("privacy", "delta", "1e-6");
  study.set("privacy", "unit", "\"record\"").set("privacy", "neighbours", "\"add-remove\"");
  study.set("data", "target", "{ column = \"y\", bounds = [0, 50] }");
  study.append(
      "[[data.feature]]\ncolumn = \"x1\"\nbounds = [0.5, 1.0]\n"
      "[[data.feature]]\ncolumn = \"smoker\"\nlevels = [\"no\", \"yes\"]\n");
  return study;
}

inline Study study_of(const StudyText& text) {
  auto study = text.parse();
  EXPECT_TRUE(study.has_value()) << study.error().to_string();
  return std::move(*study);
}

}  // namespace sotto
