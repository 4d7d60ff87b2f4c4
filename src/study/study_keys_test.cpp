#include "study/study_keys.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "study/study.h"
#include "support/studies.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A study in which `key` of `section` is `value`, and nothing else is wrong.
StudyText with_key(std::string_view section, std::string_view key, const std::string& value) {
  const std::string name(key);
  if (section == "[[party]]") {
    StudyText text = paper_text();
    if (key != "name") text.append("[[party]]\nname = \"a\"\n");
    return text.append(fmt::format("{}{} = {}\n", key == "name" ? "[[party]]\n" : "", key, value));
  }
  const auto inside = [&](const std::string& usual) {
    std::string rest;
    for (const auto& [other, value_of] :
         {std::pair<std::string, std::string>{"column", "\"w\""}, {"bounds", usual}}) {
      if (other != key && !value_of.empty()) rest += fmt::format(", {} = {}", other, value_of);
    }
    return fmt::format("{{ {} = {}{} }}", key, value, rest);
  };
  if (section == "[privacy] person") return record_text().set("privacy", "person", inside(""));
  if (section == "[data] weight") return record_text().set("data", "weight", inside("[0, 1]"));
  if (section == "[[data.column]]") {
    return record_text().append(
        fmt::format("[[data.column]]\n{} = {}\n{}\n", key, value,
                    key == "column" ? "bounds = [0, 1]" : "column = \"w\""));
  }
  if (section == "[data] target" && key == "term") {
    return record_text().set("data", "target", fmt::format("{{ term = {} }}", value));
  }
  if (section == "[data] target") {
    std::string target;
    for (const auto& [other, usual] :
         {std::pair<std::string, std::string>{"column", "\"y\""}, {"bounds", "[0, 50]"}}) {
      target +=
          fmt::format("{}{} = {}", target.empty() ? "" : ", ", other, other == key ? value : usual);
    }
    return record_text().set("data", "target", fmt::format("{{ {} }}", target));
  }
  if (section == "[[data.feature]]") {
    return record_text().append(
        fmt::format("[[data.feature]]\n{}{} = {}\n",
                    key == "column" || key == "term" ? "" : "column = \"z\"\n", key, value));
  }
  std::string plain(section);
  plain = plain.substr(1, plain.size() - 2);
  if (section == "[data]" && key == "feature") {
    StudyText text = paper_text();
    text.remove("problem").remove("privacy", "mu").set("privacy", "unit", "\"record\"");
    text.set("privacy", "neighbours", "\"add-remove\"");
    return text.set("data", "target", "{ column = \"y\", bounds = [0, 50] }")
        .set("data", name, value);
  }
  if (section == "[data]") return record_text().set(plain, name, value);
  return paper_text().set(plain, name, value);
}

TEST(StudyKeys, AreAllReadByTheReader) {
  for (const StudyKey& key : study_keys()) {
    // Nothing is a date.
    const auto study = with_key(key.section, key.name, "1979-05-27").parse();
    ASSERT_FALSE(study.has_value()) << key.section << " " << key.name;
    EXPECT_NE(study.error().name, "E-study-key") << key.section << " " << key.name;
    EXPECT_THAT(study.error().to_string(), HasSubstr(std::string(key.name)));
  }
}

TEST(StudyKeys, HaveNoWordThatTheReaderDoesNotTake) {
  std::size_t words = 0;
  for (const StudyKey& key : study_keys()) {
    for (const std::string_view choice : key.choices) {
      ++words;
      const auto study = with_key(key.section, key.name, fmt::format("\"{}\"", choice)).parse();
      if (study) continue;
      EXPECT_THAT(study.error().what, Not(HasSubstr("is not known"))) << key.name << " " << choice;
    }
    if (key.choices.empty()) continue;
    const auto study = with_key(key.section, key.name, "\"zzz\"").parse();
    ASSERT_FALSE(study.has_value()) << key.name;
    EXPECT_THAT(study.error().what, HasSubstr("is not known")) << key.name;
  }
  EXPECT_GT(words, 30U);
}

// "1 to 100": what is beyond either end is an error at that key.
TEST(StudyKeys, HaveTheRangesThatTheReaderKeeps) {
  std::size_t ranges = 0;
  for (const StudyKey& key : study_keys()) {
    const std::size_t to = key.range.find(" to ");
    if (to == std::string_view::npos || key.kind.find("number") == std::string_view::npos) continue;
    const std::string last(key.range.substr(to + 4));
    char* end = nullptr;
    const double most = std::strtod(last.c_str(), &end);
    const bool power = static_cast<unsigned char>(*end) >= 0x80;  // 2³¹, 2⁶³ − 1
    if (end == last.c_str() || power) continue;
    ++ranges;
    const bool whole = key.kind.starts_with("whole");
    const double beyond = most * 1.01 + (whole ? 1 : 0);
    const auto study =
        with_key(key.section, key.name, fmt::format("{:.{}f}", beyond, whole ? 0 : 6)).parse();
    ASSERT_FALSE(study.has_value()) << key.section << " " << key.name << " = " << beyond;
    EXPECT_THAT(study.error().to_string(), HasSubstr(std::string(key.name)));
  }
  EXPECT_GE(ranges, 8U);
}

TEST(StudyKeys, AreEachDescribedOnceInASectionThatThereIs) {
  std::set<std::string> seen;
  for (const StudyKey& key : study_keys()) {
    EXPECT_TRUE(seen.insert(fmt::format("{} {}", key.section, key.name)).second) << key.name;
    EXPECT_FALSE(key.about.empty() || key.kind.empty() || key.fallback.empty()) << key.name;
    EXPECT_TRUE(key.about.ends_with('.')) << key.name;
    const auto in = [&](const StudySection& section) { return section.name == key.section; };
    EXPECT_EQ(std::ranges::count_if(study_sections(), in), 1) << key.section;
  }
}

TEST(StudyKeys, TellWhatASlipWasToBe) {
  const auto slip = paper_text().set("privacy", "epsilom", "1").parse();
  ASSERT_FALSE(slip.has_value());
  EXPECT_EQ(slip.error().name, "E-study-key");
  EXPECT_THAT(slip.error().fix,
              AllOf(HasSubstr("did you mean \"epsilon\" (number)?"), HasSubstr("colluders")));
  const auto elsewhere = paper_text().set("privacy", "topology", "\"cycle\"").parse();
  ASSERT_FALSE(elsewhere.has_value());
  EXPECT_THAT(elsewhere.error().fix, HasSubstr("it belongs to [graph]"));
}

TEST(StudyKeys, HaveTextForOneSectionOrForAll) {
  EXPECT_THAT(*study_keys_text("privacy"), AllOf(HasSubstr("epsilon"), Not(HasSubstr("topology"))));
  EXPECT_THAT(*study_keys_text("[[data.feature]]"), HasSubstr("levels"));
  EXPECT_THAT(*study_keys_text(""), AllOf(HasSubstr("epsilon"), HasSubstr("topology")));
  const auto slip = study_keys_text("privcy");
  ASSERT_FALSE(slip.has_value());
  EXPECT_EQ(slip.error().name, "E-study-section");
  EXPECT_THAT(slip.error().fix, HasSubstr("did you mean privacy?"));
}

}  // namespace
}  // namespace sotto
