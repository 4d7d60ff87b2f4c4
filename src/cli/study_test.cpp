#include <gmock/gmock.h>

#include "base/json.h"
#include "study/study_keys.h"
#include "support/command_line.h"
#include "support/source_tree.h"
#include "support/studies.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class StudyVerb : public FolderTest {};

TEST(StudyPage, IsWhatTheReadersTableSays) {
  EXPECT_EQ(read_text(std::filesystem::path(SOTTO_SOURCE_DIR) / "docs/STUDY.md"), study_keys_page())
      << "sotto study keys --markdown > docs/STUDY.md";
}

TEST_F(StudyVerb, TellsEveryKey) {
  EXPECT_EQ(run_sotto({"study", "keys", "--markdown"}).out, study_keys_page());
  EXPECT_THAT(run_sotto({"study", "keys", "party"}).out, HasSubstr("fingerprint"));
  const auto json = parse_json(run_sotto({"study", "keys", "--format", "json"}).out);
  EXPECT_EQ(json.size(), study_keys().size());
  EXPECT_EQ(json[0]["key"], "name");
  const CommandRun slip = run_sotto({"study", "keys", "prvacy"});
  EXPECT_EQ(slip.status, 2);
  EXPECT_THAT(slip.err, HasSubstr("did you mean privacy?"));
}

TEST_F(StudyVerb, SaysInWordsWhatAStudyMeans) {
  const std::string study = write("study.toml", record_text().text());
  const CommandRun shown = run_sotto({"study", "show", study});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("a linear model of y over the tables of 10 parties"),
                               HasSubstr("smoker  yes, against no"), HasSubstr("3 coefficients"),
                               HasSubstr("a factor of 2.72"), HasSubstr("eavesdropper"),
                               HasSubstr("10 of 10 are not named yet")));
  const auto json = parse_json(run_sotto({"study", "show", study, "--format", "json"}).out);
  EXPECT_EQ(json["words"], shown.out);
  EXPECT_THAT(run_sotto({"study", "show", write("paper.toml", paper_text().text())}).out,
              HasSubstr("10 parties' quadratic costs"));
}

TEST_F(StudyVerb, FormatsAStudyInItsPlace) {
  const std::string study = write("study.toml", record_text().text());
  const CommandRun check = run_sotto({"study", "fmt", study, "--check"});
  EXPECT_EQ(check.status, 1);
  EXPECT_THAT(check.err, HasSubstr("E-study-format"));
  EXPECT_EQ(read(study), record_text().text());
  EXPECT_EQ(run_sotto({"study", "fmt", study}).status, 0);
  EXPECT_NE(read(study), record_text().text());
  EXPECT_EQ(run_sotto({"study", "fmt", study, "--check"}).status, 0);
  const auto json = parse_json(run_sotto({"study", "fmt", study, "--format", "json"}).out);
  EXPECT_EQ(json["changed"], false);
}

TEST_F(StudyVerb, ComparesPlansAndDrawsThem) {
  const std::string study = write("study.toml", record_text().text());
  const CommandRun table = run_sotto({"plan", study, "--epsilon", "2,0.5", "--solver", "all",
                                      "--rows", "5000", "--chart", path("chart.svg")});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, AllOf(HasSubstr("what ε buys with 5000 rows"), HasSubstr("0.5  dishuf"),
                               HasSubstr("pairwise"), HasSubstr("written: ")));
  EXPECT_THAT(read(path("chart.svg")), AllOf(HasSubstr("<svg"), HasSubstr("95 % interval"),
                                             HasSubstr("pairwise"), Not(HasSubstr(">gt<"))));
  const auto json =
      parse_json(run_sotto({"plan", study, "--solver", "ac,dishuf", "--format", "json"}).out);
  ASSERT_EQ(json["rows"].size(), 2U);
  EXPECT_EQ(json["rows"][0]["solver"], "ac");
  EXPECT_EQ(json["rows"][0]["privacy"]["epsilon"], 1.0);
  EXPECT_THAT(run_sotto({"plan", study, "--epsilon", "1"}).out, HasSubstr("--rows does"));
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--epsilon", "1,x"},
                                                {"--epsilon", "0"},
                                                {"--epsilon", "1,,2"},
                                                {"--solver", "all,"},
                                                {"--solver", "gt,best"},
                                                {"--epsilon", "1", "--account", "a"}}) {
    std::vector<std::string> words{"plan", study};
    words.insert(words.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(run_sotto(words).status, 2) << wrong.front() << " " << wrong.back();
  }
}

}  // namespace
}  // namespace sotto
