#include <gmock/gmock.h>

#include <iostream>
#include <sstream>

#include "base/json.h"
#include "cli/new/questions.h"
#include "study/study.h"
#include "support/command_line.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class NewVerb : public FolderTest {
 protected:
  // The program with these lines on its standard input.
  static CommandRun answer(const std::string& answers, std::vector<std::string> words) {
    std::istringstream lines(answers);
    auto* before = std::cin.rdbuf(lines.rdbuf());
    words.insert(words.begin(), "new");
    CommandRun run = run_sotto(std::move(words));
    std::cin.rdbuf(before);
    std::cin.clear();
    return run;
  }
  [[nodiscard]] std::vector<std::string> flags(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{path("study.toml"),
                                   "--target",
                                   "kwh=0:1000",
                                   "--number",
                                   "area=-20:220",
                                   "--category",
                                   "solar=no, yes",
                                   "--parties",
                                   "4",
                                   "--epsilon",
                                   "1",
                                   "--delta",
                                   "1e-6"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(NewVerb, WritesAStudyFromFlagsAloneAndAsksNothing) {
  const CommandRun run = answer("", flags());
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, AllOf(HasSubstr("is written"), HasSubstr("(4 of 4 still to be added)")));
  const auto study = read_study(path("study.toml"));
  ASSERT_TRUE(study.has_value()) << study.error().to_string();
  EXPECT_EQ(study->name, "study");
  EXPECT_EQ(study->privacy.colluders, 1U);
  EXPECT_EQ(study->data->encoded_names(),
            (std::vector<std::string>{"intercept", "area", "solar=yes"}));
  EXPECT_EQ(run_sotto({"plan", path("study.toml")}).status, 0);
}

TEST_F(NewVerb, SaysAtOnceWhatPlanWouldRefuse) {
  std::vector<std::string> words = flags();
  words.insert(words.end(), {"--topology", "path"});
  const CommandRun run = answer("", words);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("is written"), HasSubstr("[E-colluders-cut]")));
}

TEST_F(NewVerb, WritesOverNothingUnlessItIsTold) {
  write("study.toml", "precious");
  const CommandRun refused = answer("", flags());
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("E-new-exists"));
  EXPECT_EQ(read(path("study.toml")), "precious");
  EXPECT_EQ(answer("", flags({"--force"})).status, 0);
  EXPECT_NE(read(path("study.toml")), "precious");
}

TEST_F(NewVerb, AsksForWhatNoFlagHasTold) {
  const std::string table =
      write("table.csv", "\xEF\xBB\xBFkwh;\"area; m2\";is_solar;customer_id\r\nSECRET;1;2;3\r\n");
  const CommandRun run =
      answer("energy\nkhw\nkwh\n1000 0\n0 1000\n\n20 to 220\n\n\n\n3\n\n20000\n\nzero\n1\n",
             {path("study.toml"), "--header", table});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("columns: kwh, area; m2, is_solar, customer_id"),
                             HasSubstr("One of: kwh"), HasSubstr("the smaller one first"),
                             HasSubstr("what ε buys with 20000 rows"),
                             HasSubstr("A number above 0"), Not(HasSubstr("SECRET"))));
  const auto study = read_study(path("study.toml"));
  ASSERT_TRUE(study.has_value()) << study.error().to_string();
  EXPECT_EQ(study->name, "energy");
  EXPECT_EQ(study->privacy.budget.delta.value(), 1e-7) << "well below 1/rows";
  EXPECT_EQ(study->graph().topology(), Topology::kCycle);
  EXPECT_EQ(study->data->encoded_names(),
            (std::vector<std::string>{"intercept", "area; m2", "is_solar=yes"}))
      << "an id is skipped unless somebody wants it";
}

TEST_F(NewVerb, NamesTheFlagThatWouldHaveAnswered) {
  const CommandRun run = answer("energy\n", {path("study.toml")});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("E-new-answer"), HasSubstr("--target NAME=LOW:HIGH")));
  EXPECT_THAT(answer("a\ny\n1\n1\n1\n1\n1\n", {path("study.toml")}).err, HasSubstr("no answer to"));
  EXPECT_FALSE(std::filesystem::exists(path("study.toml")));
}

TEST_F(NewVerb, TakesPartiesFromTheFilesThatKeysWrites) {
  for (const std::string name : {"north", "south"}) {
    ASSERT_EQ(run_sotto({"keys", "new", "--name", name, "--host", name + ".example", "--home",
                         path(name), "--out", path(name + ".toml")})
                  .status,
              0);
  }
  std::vector<std::string> words = flags({"--party", path("north.toml")});
  ASSERT_EQ(answer("", words).status, 0);
  const CommandRun added =
      run_sotto({"study", "add-party", path("study.toml"), path("south.toml"), path("north.toml")});
  EXPECT_EQ(added.status, 0) << added.err;
  EXPECT_THAT(added.out, HasSubstr("2 of 4 parties are in it"));
  const auto study = read_study(path("study.toml"));
  EXPECT_EQ(study->parties[0].name, "north");
  EXPECT_EQ(study->parties[1].address, "south.example:7101");
  const CommandRun planned = run_sotto({"plan", path("study.toml"), "--home", path("none")});
  EXPECT_EQ(planned.status, 0) << planned.err;
  EXPECT_THAT(planned.out, HasSubstr("cannot begin yet: party-3 has no fingerprint"));
  EXPECT_THAT(run_sotto({"study", "show", path("study.toml")}).out,
              AllOf(HasSubstr("south.example:7101"), HasSubstr("2 of 4 are not named yet")));
}

TEST_F(NewVerb, TakesTheColumnsOfAnotherStudy) {
  ASSERT_EQ(answer("", flags()).status, 0);
  const CommandRun run =
      answer("", {path("other.toml"), "--schema", path("study.toml"), "--parties", "2", "--epsilon",
                  "0.5", "--delta", "1e-6", "--format", "json"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(parse_json(run.out)["coefficients"], 3);
  const auto study = read_study(path("other.toml"));
  EXPECT_EQ(study->graph().topology(), Topology::kPath);
  EXPECT_EQ(study->privacy.colluders, 0U) << "of two parties one has nobody to hide among";
  EXPECT_THAT(answer("", flags({"--schema", path("other.toml"), "--force"})).err,
              HasSubstr("--schema has the columns already"));
}

TEST_F(NewVerb, RefusesColumnsThatAreNone) {
  const auto error = [&](const std::string& flag, const std::string& words) {
    return answer("", flags({flag, words})).err;
  };
  for (const char* words : {"x", "x=", "x=1", "x=2:1", "=0:1", "x=a:b", "x=1:nan"}) {
    EXPECT_THAT(error("--number", words), HasSubstr("E-new-column")) << words;
  }
  for (const char* words : {"x", "x=", "x=a", "=a,b", "x=a,,b"}) {
    EXPECT_THAT(error("--category", words), HasSubstr("E-new-column")) << words;
  }
  EXPECT_THAT(error("--number", "area=0:1"), HasSubstr("E-schema-duplicate"));
  EXPECT_THAT(error("--header", write("t.csv", "kwh,aria,solar\n")),
              HasSubstr("did you mean \"aria\"?"));
  EXPECT_THAT(error("--header", path("none.csv")), HasSubstr("E-csv-open"));
  EXPECT_THAT(error("--header", write("twice.csv", "a,b,a\n")), HasSubstr("stands there twice"));
  EXPECT_THAT(error("--header", write("empty.csv", "")), HasSubstr("E-csv-header"));
  EXPECT_THAT(error("--header", path("")), HasSubstr("E-csv-header")) << "a folder";
  std::vector<std::string> negative = flags();
  *(std::ranges::find(negative, "--epsilon") + 1) = "-1";
  EXPECT_THAT(answer("", negative).err, HasSubstr("E-epsilon"));
  EXPECT_FALSE(std::filesystem::exists(path("study.toml")));
}

TEST_F(NewVerb, WritesToStandardOutputToo) {
  std::vector<std::string> words = flags();
  words[0] = "-";
  const CommandRun run = answer("", words);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(parse_study(run.out, "-").has_value());
}

TEST(NewStudyQuestions, ProposeADeltaFarBelowOneInEveryRow) {
  EXPECT_EQ(proposed_delta(100), 1e-6);
  EXPECT_NEAR(proposed_delta(1'000'000), 1e-8, 1e-20);
}

}  // namespace
}  // namespace sotto
