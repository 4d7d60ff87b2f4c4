#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/sections.h"

namespace sotto {
namespace {

using testing::HasSubstr;

constexpr const char* kSample = R"(number = 2.5
whole = 7
word = "blue"
flag = true
numbers = [1, 2.5]
words = ["a", "b"]
day = 1979-05-27
)";

class ReadingToml : public testing::Test {
 protected:
  toml::table table = toml::parse(kSample);
  TomlReader reader{&table, "[sample]", "study.toml"};

  Error error() {
    const auto finished = reader.finish();
    EXPECT_FALSE(finished.has_value());
    return finished ? Error{} : finished.error();
  }
  // Asks for everything that a test does not care about.
  void ask_all() {
    for (const char* key : {"number", "whole", "word", "flag", "numbers", "words", "day"}) {
      static_cast<void>(reader.has(key));
    }
  }
};

TEST_F(ReadingToml, GivesEveryKindOfValue) {
  EXPECT_EQ(reader.number("number"), 2.5);
  EXPECT_EQ(reader.number("whole"), 7);
  EXPECT_EQ(reader.optional_integer("whole", 1, 10), 7);
  EXPECT_EQ(reader.text("word"), "blue");
  EXPECT_EQ(reader.optional_flag("flag"), true);
  EXPECT_EQ(reader.optional_numbers("numbers"), (std::vector{1.0, 2.5}));
  EXPECT_EQ(reader.optional_texts("words"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(reader.choice("word", {"red", "blue"}), "blue");
  ask_all();
  EXPECT_TRUE(reader.finish().has_value());
}

TEST_F(ReadingToml, GivesNothingForWhatIsNotThere) {
  EXPECT_EQ(reader.optional_number("none"), std::nullopt);
  EXPECT_EQ(reader.optional_integer("none", 0, 1), std::nullopt);
  EXPECT_EQ(reader.optional_text("none"), std::nullopt);
  EXPECT_EQ(reader.optional_flag("none"), std::nullopt);
  EXPECT_EQ(reader.optional_numbers("none"), std::nullopt);
  EXPECT_EQ(reader.optional_texts("none"), std::nullopt);
  EXPECT_EQ(reader.choice("none", {"red", "blue"}, "blue"), "blue");
  ask_all();
  EXPECT_TRUE(reader.finish().has_value());
}

TEST_F(ReadingToml, NamesLineAndColumnOfAValueOfTheWrongKind) {
  EXPECT_EQ(reader.optional_number("word"), std::nullopt);
  const Error wrong = error();
  EXPECT_EQ(wrong.name, "E-study-value");
  EXPECT_THAT(wrong.what, HasSubstr("word is text, and must be a number"));
  EXPECT_EQ(wrong.where, "[sample] word, line 3, column 8 of study.toml");
}

TEST_F(ReadingToml, RefusesEveryKindInPlaceOfAnother) {
  const auto what_of = [&](auto&& ask) {
    TomlReader fresh(&table, "[sample]", "study.toml");
    static_cast<void>(ask(fresh));
    return fresh.finish().error().what;
  };
  EXPECT_EQ(what_of([](TomlReader& r) { return r.optional_number("flag"); }),
            "flag is true or false, and must be a number");
  EXPECT_EQ(what_of([](TomlReader& r) { return r.optional_text("numbers"); }),
            "numbers is a list, and must be text");
  EXPECT_EQ(what_of([](TomlReader& r) { return r.optional_flag("day"); }),
            "day is a date or time, and must be true or false");
  EXPECT_EQ(what_of([](TomlReader& r) { return r.optional_integer("number", 0, 9); }),
            "number is a number, and must be a whole number");
  EXPECT_EQ(what_of([](TomlReader& r) { return r.optional_numbers("words"); }),
            "words must be a list of numbers");
  EXPECT_EQ(what_of([](TomlReader& r) { return r.optional_numbers("number"); }),
            "number must be a list of numbers");
  EXPECT_EQ(what_of([](TomlReader& r) { return r.optional_texts("numbers"); }),
            "numbers must be a list of texts");
}

TEST_F(ReadingToml, HoldsWholeNumbersInsideTheirRange) {
  EXPECT_EQ(reader.optional_integer("whole", 8, 10), std::nullopt);
  const Error out = error();
  EXPECT_EQ(out.what, "whole = 7 is out of range");
  EXPECT_EQ(out.fix, "choose a number from 8 to 10");
}

TEST_F(ReadingToml, MissesWhatIsRequired) {
  EXPECT_EQ(reader.text("title"), "");
  ask_all();
  const Error missing = error();
  EXPECT_EQ(missing.name, "E-study-missing");
  EXPECT_EQ(missing.what, "[sample] title is missing");
  EXPECT_THAT(missing.where, HasSubstr("[sample], line 1 of study.toml"));
}

TEST_F(ReadingToml, MissesEverythingOfASectionThatIsNotThere) {
  TomlReader absent(nullptr, "[absent]", "study.toml");
  EXPECT_FALSE(absent.present());
  static_cast<void>(absent.number("x"));
  const auto finished = absent.finish();
  ASSERT_FALSE(finished.has_value());
  EXPECT_EQ(finished.error().name, "E-study-missing");
  EXPECT_EQ(finished.error().where, "[absent] of study.toml");
}

TEST_F(ReadingToml, KeepsTheFirstErrorOnly) {
  static_cast<void>(reader.number("title"));
  static_cast<void>(reader.optional_number("word"));
  reader.fail_value("flag", "a third", "nothing");
  ask_all();
  EXPECT_EQ(error().what, "[sample] title is missing");
}

TEST_F(ReadingToml, RefusesAKeyThatNobodyAskedForAndSuggestsTheNearest) {
  for (const char* key : {"number", "whole", "flag", "numbers", "words", "day", "words"}) {
    static_cast<void>(reader.has(key));
  }
  static_cast<void>(reader.has("world"));
  const Error unknown = error();
  EXPECT_EQ(unknown.name, "E-study-key");
  EXPECT_EQ(unknown.what, "[sample] knows no key \"word\"");
  EXPECT_EQ(unknown.where, "line 3, column 1 of study.toml");
  EXPECT_THAT(unknown.fix, HasSubstr("did you mean \"words\"?"));
}

TEST_F(ReadingToml, ListsTheChoicesOfAWordThatIsNone) {
  EXPECT_EQ(reader.choice("word", {"black", "white"}), "black");
  const Error unknown = error();
  EXPECT_EQ(unknown.what, "word = \"blue\" is not known");
  EXPECT_THAT(unknown.fix, HasSubstr("black, white"));
}

TEST(NearestWord, ForgivesASlipOfTheHandAndNotMore) {
  const std::vector<std::string> keys{"epsilon", "delta", "unit"};
  EXPECT_EQ(nearest_word("epsilom", keys), "epsilon");
  EXPECT_EQ(nearest_word("dleta", keys), "delta");
  EXPECT_EQ(nearest_word("unti", keys), "unit");
  EXPECT_EQ(nearest_word("colluders", keys), std::nullopt);
  EXPECT_EQ(nearest_word("epsilon", {}), std::nullopt);
}

}  // namespace
}  // namespace sotto
