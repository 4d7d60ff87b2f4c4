#include "base/json.h"
#include "support/program.h"

// The command line itself: verbs, options, and where results and errors go.

namespace sotto {
namespace {

using testing::HasSubstr;
using Usage = ProgramTest;

TEST_F(Usage, ShowsEveryVerbAndAnExampleOfEach) {
  const Finished help = sotto({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.err, "");
  EXPECT_THAT(help.out, HasSubstr("Exit status: 0 done, 1 failed, 2 bad input, 3 refused"));
  // Every verb stands at the beginning of a line under the last heading.
  const std::string list = help.out.substr(help.out.find("Subcommands:"));
  std::vector<std::string> verbs;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ") && line.size() > 2 && line[2] != ' ') {
      verbs.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  EXPECT_GE(verbs.size(), 3U);
  for (const std::string& verb : verbs) {
    const Finished about = sotto({verb, "--help"});
    EXPECT_EQ(about.status, 0) << verb;
    EXPECT_EQ(about.err, "") << verb;
    EXPECT_THAT(about.out, HasSubstr("Example:")) << verb;
    EXPECT_THAT(about.out, HasSubstr(fmt::format("sotto {}", verb)));
    EXPECT_THAT(about.out, HasSubstr("--format")) << verb;
  }
}

TEST_F(Usage, KnowsItsVersion) {
  const Finished version = sotto({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.out, testing::MatchesRegex(
                               "sotto [0-9]+\\.[0-9]+\\.[0-9]+\ntables: csv, gzip, sqlite[a-z, ]*\n"
                               "(ranks: [^\n]+\n)?"));
  EXPECT_EQ(sotto({"-V"}).out, version.out);
}

TEST_F(Usage, RefusesWhatIsNoVerbAndSuggestsOne) {
  const Finished run = sotto({"simulat", "study.toml"});
  expect_error(run, 2, "E-usage");
  EXPECT_THAT(run.err, HasSubstr("there is no verb \"simulat\""));
  EXPECT_THAT(run.err, HasSubstr("did you mean simulate?"));
  expect_error(sotto({}), 2, "E-usage");
  expect_error(sotto({"--plan"}), 2, "E-usage");
}

TEST_F(Usage, RefusesOptionsItDoesNotKnow) {
  const std::string study = write("study.toml", paper_text().text());
  expect_error(sotto({"plan"}), 2, "E-usage");
  expect_error(sotto({"plan", study, "--trails", "5"}), 2, "E-usage");
  expect_error(sotto({"plan", study, study}), 2, "E-usage");
  expect_error(sotto({"plan", study, "--format", "xml"}), 2, "E-usage");
  expect_error(sotto({"plan", study, "--seed", "1"}), 2, "E-usage");
  expect_error(sotto({"reproduce", "fig4"}), 2, "E-usage");
}

TEST_F(Usage, RefusesSolversItDoesNotKnow) {
  const std::string study = write("study.toml", paper_text().text());
  for (const char* verb : {"plan", "simulate"}) {
    const Finished run = sotto({verb, study, "--solver", "newton"});
    expect_error(run, 2, "E-solver");
    EXPECT_THAT(run.err, HasSubstr("; --solver; choose gt, dishuf, ac or pairwise"));
  }
  expect_error(sotto({"simulate", study, "--solver", "ac,,gt"}), 2, "E-solver");
  expect_error(sotto({"simulate", study, "--solver", ","}), 2, "E-solver");
}

TEST_F(Usage, TakesWholeNumbersForTrialsAndSeedAndNothingElse) {
  const std::string study =
      write("study.toml", paper_text().set("study", "solver", "\"ac\"").text());
  for (const char* number : {"-1", "abc", "1.5", "", "1e3", "0x10", "010", "18446744073709551616",
                             "99999999999999999999999", "1 ", "+1", "inf", "nan"}) {
    SCOPED_TRACE(number);
    // Joined by '=', as '-1' on its own would be an option.
    const Finished trials = sotto({"simulate", study, fmt::format("--trials={}", number)});
    expect_error(trials, 2, "E-usage");
    EXPECT_THAT(trials.err, HasSubstr("--trials"));
    expect_error(sotto({"simulate", study, fmt::format("--seed={}", number)}), 2, "E-usage");
  }
  expect_error(sotto({"simulate", study, "--trials", "-5"}), 2, "E-usage");
  EXPECT_EQ(sotto({"simulate", study, "--seed", "18446744073709551615"}).status, 0);
  EXPECT_EQ(sotto({"simulate", study, "--seed", "0"}).status, 0);
}

TEST_F(Usage, NamesTheRangeOfTrials) {
  const std::string study = write("study.toml", paper_text().text());
  for (const char* number : {"0", "10000001", "18446744073709551615"}) {
    const Finished run = sotto({"simulate", study, "--trials", number});
    expect_error(run, 2, "E-trials");
    EXPECT_THAT(run.err, HasSubstr("choose from 1 to 10000000"));
  }
}

TEST_F(Usage, GivesErrorsAsJsonToThoseWhoAskForIt) {
  const std::vector<std::vector<std::string>> calls{{"plan", "--format", "json"},
                                                    {"plan", "--format=json", "--bad"},
                                                    {"nothing", "--format", "json"},
                                                    {"plan", "none.toml", "--format", "json"},
                                                    {"plan", "\xff\xfe.toml", "--format", "json"}};
  for (const auto& call : calls) {
    const Finished run = sotto(call);
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.out, "");
    const auto json = parse_json(run.err);
    ASSERT_TRUE(json.is_object()) << run.err;
    EXPECT_THAT(json["error"]["name"], testing::AnyOf("E-usage", "E-study-file"));
    EXPECT_EQ(json["error"]["status"], 2);
  }
}

TEST_F(Usage, DoesNotTakeAFullDiskForSuccess) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const std::string study = write("study.toml", paper_text().text());
  const std::string command = fmt::format("'{}' plan '{}' > /dev/full 2> '{}'", SOTTO_PROGRAM,
                                          study, (folder() / "err").string());
  const int state = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(state));
  EXPECT_EQ(WEXITSTATUS(state), 1);
  EXPECT_THAT(read_text(folder() / "err"), HasSubstr("error[E-output]"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which map far more
TEST_F(Usage, EndsWithAnErrorWhenMemoryRunsOut) {
  const std::string study = write("study.toml", paper_text().text());
  const std::string command = fmt::format(
      "ulimit -v 400000; OPENBLAS_NUM_THREADS=1 '{}' simulate '{}' --trials 10000000 2> '{}'",
      SOTTO_PROGRAM, study, (folder() / "err").string());
  const int state = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(state));
  EXPECT_EQ(WEXITSTATUS(state), 1);
  EXPECT_THAT(read_text(folder() / "err"), HasSubstr("error[E-unexpected]: std::bad_alloc"));
}
#endif

TEST_F(Usage, SaysWhichFolderOfTheCaseStudiesCannotBeWritten) {
  const std::string file = write("file", "in the way");
  const Finished run = sotto({"reproduce", "fig1", "--out", file + "/below"});
  expect_error(run, 1, "E-file-write");
  EXPECT_THAT(run.err, HasSubstr("below"));
}

}  // namespace
}  // namespace sotto
