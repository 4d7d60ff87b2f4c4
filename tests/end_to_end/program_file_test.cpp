#include "support/program.h"

// Files that are not there, or not what they should be.

namespace sotto {
namespace {

using testing::HasSubstr;
using BadFile = ProgramTest;

TEST_F(BadFile, AStudyMustBeAFileThatCanBeRead) {
  const Finished missing = sotto({"plan", (folder() / "none.toml").string()});
  expect_error(missing, 2, "E-study-file");
  EXPECT_THAT(missing.err, HasSubstr("none.toml"));
  expect_error(sotto({"plan", folder().string()}), 2, "E-study-file");
  expect_error(sotto({"simulate", folder().string()}), 2, "E-study-file");
  expect_error(sotto({"plan", ""}), 2, "E-study-file");
  if (geteuid() != 0) {
    const std::string secret = write("secret.toml", paper_text().text());
    std::filesystem::permissions(secret, std::filesystem::perms::none);
    expect_error(sotto({"plan", secret}), 2, "E-study-file");
  }
}

TEST_F(BadFile, AStudyIsAPageOfText) {
  expect_refused(std::string(), 2, "E-study-missing", {"[study]"});
  expect_refused(std::string("\n# nothing\n"), 2, "E-study-missing");
  expect_refused(std::string(2 << 20, '#'), 2, "E-study-file", {"larger than 1 MiB"});
  expect_refused(paper_text().text() + std::string(1000, '\0'), 2, "E-study-syntax");
  std::string garbage;
  for (int k = 0; k < 4096; ++k) garbage += static_cast<char>((k * 7919 + k * k * 31) % 256);
  expect_refused(garbage, 2, "E-study-syntax", {"line 1, column"});
}

TEST_F(BadFile, MalformedTomlHasALineAndAColumn) {
  expect_refused(std::string("[study]\nname = \n"), 2, "E-study-syntax", {"line 2, column 8"});
  expect_refused(std::string("[study]\nname = \"a\"\nname = \"b\"\n"), 2, "E-study-syntax",
                 {"line 3, column"});
  expect_refused(std::string("[study\n"), 2, "E-study-syntax", {"line 1, column 7"});
  expect_refused(paper_text().append("[study]\n"), 2, "E-study-syntax");
  expect_refused(paper_text().set("privacy", "epsilon", "1,0"), 2, "E-study-syntax", {"line 5"});
  expect_refused(paper_text().set("privacy", "epsilon", "1e400"), 2, "E-study-syntax", {"line 5"});
}

TEST_F(BadFile, UnknownKeysAreErrors) {
  expect_refused(paper_text().set("privacy", "epsilom", "1.0"), 2, "E-study-key",
                 {"[privacy] knows no key \"epsilom\"", "line 9, column 1",
                  "did you mean \"epsilon\" (number)?"});
  expect_refused(paper_text().append("[privcy]\n"), 2, "E-study-key",
                 {"did you mean \"privacy\"?"});
  expect_refused("speed = 3\n" + paper_text().text(), 2, "E-study-key", {"line 1, column 1"});
}

TEST_F(BadFile, EverySectionThatMattersIsMissed) {
  for (const char* section : {"study", "privacy", "graph"}) {
    expect_refused(paper_text().remove(section), 2, "E-study-missing", {section});
  }
  expect_refused(record_text().remove("data"), 2, "E-study-missing");
  const std::string study = write("study.toml", paper_text().remove("problem").text());
  expect_error(sotto({"simulate", study}), 2, "E-problem-missing");
}

TEST_F(BadFile, ValuesOfTheWrongKindAreErrors) {
  expect_refused(paper_text().set("study", "name", "5"), 2, "E-study-value", {"must be text"});
  expect_refused(paper_text().set("study", "solver", "\"newton\""), 2, "E-study-value");
  expect_refused(paper_text().set("privacy", "epsilon", "\"1.0\""), 2, "E-study-value",
                 {"must be a number"});
  expect_refused(paper_text().set("privacy", "epsilon", "true"), 2, "E-study-value");
  expect_refused(paper_text().set("privacy", "colluders", "0.5"), 2, "E-study-value");
  expect_refused(paper_text().set("privacy", "unit", "\"person\""), 2, "E-study-value");
  expect_refused(paper_text().set("problem", "m", "0"), 2, "E-study-value");
  expect_refused(paper_text().set("problem", "seed", "-1"), 2, "E-study-value");
  expect_refused(paper_text().set("problem", "family", "\"other\""), 2, "E-study-value");
  expect_refused(paper_text().set("solve", "estimator", "\"best\""), 2, "E-study-value");
  expect_refused(paper_text().set("gt", "rounds", "0"), 2, "E-study-value");
  expect_refused("privacy = 3\n" + paper_text().remove("privacy").text(), 2, "E-study-value",
                 {"must be a section"});
}

TEST_F(BadFile, ModelsAndRecordsMustBeFilesThatSottoWrote) {
  const std::string garbage = write("garbage.json", "\xff{");
  for (const std::string& path : {folder().string(), garbage, std::string("none.json")}) {
    expect_error(sotto({"predict", path, path}), 2, "E-model-file");
    const Finished report = sotto({"report", path});
    EXPECT_EQ(report.status, 2) << report.err;
    EXPECT_TRUE(report.err.starts_with("error[E-record-")) << report.err;
  }
}

TEST_F(BadFile, RealTablesAreReleasedOnceAndFromNoKnownSeed) {
  const std::string study = write("study.toml", record_text().text());
  const std::string table = write("rows.csv", "y,x1,smoker\n10,0.7,no\n20,0.9,yes\n");
  expect_error(sotto({"simulate", study}), 2, "E-data-missing");
  expect_error(sotto({"simulate", study, "--data", table, "--seed", "1"}), 3, "E-seed-data");
  expect_error(sotto({"simulate", study, "--data", table, "--trials", "2"}), 3, "E-trials-data");
  expect_error(sotto({"simulate", study, "--data", table + "," + table}), 2, "E-data-files");
  expect_error(sotto({"simulate", study, "--data", "none.csv"}), 2, "E-csv-open");
}

// --- problem files ---

class BadProblem : public ProgramTest {
 protected:
  // `sotto simulate` on three parties whose costs are in one file.
  [[nodiscard]] Finished simulate(const std::string& problem) const {
    write("costs.json", problem);
    StudyText text = paper_text(3);
    text.set("study", "solver", "\"ac\"").remove("problem");
    text.set("problem", "file", "\"costs.json\"");
    return sotto({"simulate", write("study.toml", text.text())});
  }
  // Three parties of one kind.
  static std::string three(const std::string& a, const std::string& b) {
    const std::string party = fmt::format("{{\"A\": {}, \"B\": {}}}", a, b);
    return fmt::format("{{\"parties\": [{}, {}, {}]}}", party, party, party);
  }
};

TEST_F(BadProblem, IsFineWhenItIsFine) {
  const Finished run = simulate(three("[[2, 1], [1, 3]]", "[1, 0]"));
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST_F(BadProblem, MissingFilesAndFoldersAreErrors) {
  StudyText text = paper_text(3);
  text.remove("problem").set("problem", "file", "\"none.json\"");
  expect_refused(text, 2, "E-problem-dimension", {"a plan opens no data"});
  const Finished missing = sotto({"simulate", write("study.toml", text.text())});
  expect_error(missing, 2, "E-problem-file");
  EXPECT_THAT(missing.err, HasSubstr("none.json"));
  std::filesystem::create_directory(folder() / "costs");
  text.set("problem", "file", "\"costs\"");
  expect_error(sotto({"simulate", write("study.toml", text.text())}), 2, "E-problem-file");
}

TEST_F(BadProblem, HasAsManyColumnsAsTheStudySays) {
  write("costs.json", three("[[2, 1], [1, 3]]", "[1, 0]"));
  StudyText text = paper_text(3);
  text.set("study", "solver", "\"ac\"").remove("problem");
  text.set("problem", "file", "\"costs.json\"").set("problem", "m", "2");
  const std::string path = write("study.toml", text.text());
  EXPECT_EQ(sotto({"plan", path}).status, 0);
  EXPECT_EQ(sotto({"simulate", path}).status, 0);
  text.set("problem", "m", "3");
  expect_error(sotto({"simulate", write("study.toml", text.text())}), 2, "E-problem-shape");
}

TEST_F(BadProblem, MalformedJsonHasALineAndAColumn) {
  const Finished run = simulate("{\"parties\": [\n  {\"A\": [[1]], \"B\" [1]}]}");
  expect_error(run, 2, "E-problem-json");
  EXPECT_THAT(run.err, HasSubstr("costs.json, line 2, column"));
  expect_error(simulate(""), 2, "E-problem-json");
  expect_error(simulate("\xff\xfe"), 2, "E-problem-json");
  expect_error(simulate(R"({"A": [[1]], "B": [1], "C": 1})"), 2, "E-problem-json");
}

TEST_F(BadProblem, MatricesAreSquareSymmetricAndFinite) {
  expect_error(simulate(three("[[1, 2]]", "[1]")), 2, "E-problem-shape");
  expect_error(simulate(three("[[1]]", "[1, 2]")), 2, "E-problem-shape");
  expect_error(simulate(three("[]", "[]")), 2, "E-problem-shape");
  const Finished asymmetric = simulate(three("[[2, 1], [0, 3]]", "[1, 0]"));
  expect_error(asymmetric, 2, "E-problem-asymmetric");
  EXPECT_THAT(asymmetric.err, HasSubstr("party 1"));
  expect_error(simulate(three("[[1e999]]", "[1]")), 2, "E-problem-number");
  expect_error(simulate(three("[[\"1\"]]", "[1]")), 2, "E-problem-number");
  expect_error(simulate(three("[[null]]", "[1]")), 2, "E-problem-number");
}

TEST_F(BadProblem, SumsHaveOneMinimiserThatADoubleCanHold) {
  expect_error(simulate(three("[[-1]]", "[1]")), 2, "E-problem-indefinite");
  expect_error(simulate(three("[[0]]", "[1]")), 2, "E-problem-indefinite");
  expect_error(simulate(three("[[1, 2], [2, 1]]", "[1, 0]")), 2, "E-problem-indefinite");
  expect_error(simulate(three("[[1e308]]", "[1]")), 2, "E-problem-number");
  expect_error(simulate(three("[[1e-300]]", "[1e300]")), 2, "E-problem-number");
}

TEST_F(BadProblem, EveryPartyHasItsCost) {
  const Finished run = simulate(R"({"parties": [{"A": [[1]], "B": [1]}]})");
  expect_error(run, 2, "E-problem-parties");
  EXPECT_THAT(run.err, HasSubstr("1 parties' costs, and the graph has 3"));
}

}  // namespace
}  // namespace sotto
