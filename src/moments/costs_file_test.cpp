#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "moments/costs.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

using testing::HasSubstr;

Error error_of(const std::string& text) {
  const auto problem = parse_problem(text, "p.json");
  return problem ? Error{} : problem.error();
}

std::string party(const std::string& a, const std::string& b) {
  return R"({"A":)" + a + R"(,"B":)" + b + "}";
}

class ProblemFiles : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name) << text;
    return directory_ / name;
  }

  const TemporaryFolder directory_;
};

TEST(ParseProblem, ReadsAllPartiesOfOneFile) {
  const auto problem = parse_problem(
      R"({"parties":[{"A":[[2,1],[1,3]],"B":[1,0.5]},{"A":[[1e2,0],[0,-4]],"B":[0,-1]}]})",
      "p.json");
  ASSERT_TRUE(problem.has_value());
  ASSERT_EQ(problem->size(), 2U);
  EXPECT_EQ((*problem)[0].a, (Eigen::MatrixXd(2, 2) << 2, 1, 1, 3).finished());
  EXPECT_EQ((*problem)[0].b, (Eigen::VectorXd(2) << 1, 0.5).finished());
  EXPECT_EQ((*problem)[1].a, (Eigen::MatrixXd(2, 2) << 100, 0, 0, -4).finished());
}

TEST_F(ProblemFiles, AreReadInTheirOrder) {
  const std::vector files{write("a", party("[[1]]", "[10]")), write("b", party("[[2]]", "[20]")),
                          write("c", R"({"parties":[{"A":[[3]],"B":[30]}]})")};
  const auto problem = read_problem(files);
  ASSERT_TRUE(problem.has_value());
  ASSERT_EQ(problem->size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*problem)[i].a(0, 0), static_cast<double>(i + 1));
    EXPECT_EQ((*problem)[i].b(0), static_cast<double>(10 * (i + 1)));
  }
}

TEST_F(ProblemFiles, ThatCannotBeOpenedAreNamed) {
  for (const auto& file : {directory_ / "missing.json", directory_.path()}) {
    const auto problem = read_problem(std::vector{file});
    ASSERT_FALSE(problem.has_value());
    EXPECT_EQ(problem.error().name, "E-problem-file");
    EXPECT_THAT(problem.error().what, HasSubstr(file.string()));
  }
  EXPECT_EQ(read_problem({}).error().name, "E-problem-file");
}

TEST_F(ProblemFiles, OfDifferentSizesAreRefusedWithTheFileThatDiffers) {
  const std::vector files{write("a", party("[[1]]", "[1]")),
                          write("b", party("[[1,0],[0,1]]", "[1,1]"))};
  const auto problem = read_problem(files);
  ASSERT_FALSE(problem.has_value());
  EXPECT_EQ(problem.error().name, "E-problem-shape");
  EXPECT_THAT(problem.error().where, HasSubstr(files[1].string()));
  EXPECT_THAT(problem.error().what, HasSubstr("party 2"));
}

TEST(ParseProblem, SaysWhereTheJsonBreaks) {
  const Error error = error_of("{\"parties\": [\n  {\"A\": [[1]],\n   \"B\": [1 2]}]}");
  EXPECT_EQ(error.name, "E-problem-json");
  EXPECT_THAT(error.where, HasSubstr("p.json"));
  EXPECT_THAT(error.where, HasSubstr("line 3, column 12"));
  EXPECT_EQ(error_of("").name, "E-problem-json");
  EXPECT_EQ(error_of("{\"A\": [[NaN]], \"B\": [1]}").name, "E-problem-json");
}

TEST(ParseProblem, SaysWhichPartyHasTheWrongShape) {
  const std::string good = party("[[1,0],[0,1]]", "[1,1]");
  const std::vector<std::pair<std::string, std::string>> faults{
      {party("[[1,0],[0]]", "[1,1]"), "row 2 of 2 has 1 entries"},
      {party("[[1,0],0]", "[1,1]"), "row 2 of 2 has no list"},
      {party("[[1,0],[0,1]]", "[1]"), "a B of 1 entries"},
      {party("[]", "[]"), "empty A"},
      {party("3", "[1,1]"), "an A that is no list"},
      {R"({"A":[[1]]})", "has no B"},
      {R"({"B":[1]})", "has no A"},
      {"7", "not an object"},
      {party("[[1]]", "[1]"), "party 2 has m = 1 and party 1 has m = 2"}};
  for (const auto& [text, what] : faults) {
    const Error error = error_of(fmt::format(R"({{"parties":[{},{}]}})", good, text));
    EXPECT_EQ(error.name, "E-problem-shape") << text;
    EXPECT_THAT(error.what, HasSubstr(what)) << text;
    EXPECT_THAT(error.to_string(), HasSubstr("party 2")) << text;
  }
  EXPECT_EQ(error_of(R"({"parties":[]})").name, "E-problem-shape");
  EXPECT_EQ(error_of("[1]").name, "E-problem-shape");
}

TEST(ParseProblem, RefusesFieldsItDoesNotKnow) {
  const Error error = error_of(R"({"A":[[1]],"B":[1],"C":[2]})");
  EXPECT_EQ(error.name, "E-problem-json");
  EXPECT_THAT(error.what, HasSubstr("\"C\""));
  EXPECT_EQ(error_of(R"({"parties":[{"A":[[1]],"B":[1]}],"m":1})").name, "E-problem-json");
}

TEST(ParseProblem, NamesBothEntriesThatBreakTheSymmetry) {
  const Error error = error_of(party("[[1,2,3],[2,4,5],[3,5.5,6]]", "[1,1,1]"));
  EXPECT_EQ(error.name, "E-problem-asymmetric");
  EXPECT_THAT(error.what, HasSubstr("A[2][3] = 5 but A[3][2] = 5.5"));
}

TEST(ParseProblem, ForgivesAsymmetryOfTheLastDigitsAndKeepsTheUpperTriangle) {
  const auto problem = parse_problem(party("[[1,2],[2.000000000000001,4]]", "[1,1]"), "p.json");
  ASSERT_TRUE(problem.has_value());
  EXPECT_EQ((*problem)[0].a(1, 0), 2);
  EXPECT_EQ(error_of(party("[[1,2],[2.00000000001,4]]", "[1,1]")).name, "E-problem-asymmetric");
  EXPECT_EQ(error_of(party("[[1,0],[1e-300,4]]", "[1,1]")).name, "E-problem-asymmetric");
}

TEST(ParseProblem, NamesEntriesThatAreNoFiniteNumbers) {
  for (const std::string bad : {"null", "\"1\"", "true", "[1]"}) {
    const Error in_a = error_of(R"({"parties":[{"A":[[1,0],[0,)" + bad + R"(]],"B":[1,1]}]})");
    EXPECT_EQ(in_a.name, "E-problem-number") << bad;
    EXPECT_THAT(in_a.what, HasSubstr("A[2][2] is " + bad));
    EXPECT_THAT(in_a.where, HasSubstr("p.json, party 1"));
    const Error in_b = error_of(party("[[1,0],[0,1]]", "[" + bad + ",1]"));
    EXPECT_THAT(in_b.what, HasSubstr("B[1] is " + bad));
  }
  const Error overflow = error_of("{\"A\":[[1]],\n\"B\":[-1e999]}");
  EXPECT_EQ(overflow.name, "E-problem-number");
  EXPECT_THAT(overflow.what, HasSubstr("-1e999"));
  EXPECT_THAT(overflow.where, HasSubstr("line 2, column 6"));
}

}  // namespace
}  // namespace sotto
