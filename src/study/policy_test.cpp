#include "study/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_folder.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

// What is wrong with a policy, found at this line, with something that would be right.
void expect_wrong(const std::string& text, const std::string& name, const std::string& line,
                  const std::string& what, const std::string& fix) {
  SCOPED_TRACE(text);
  const auto policy = parse_policy(text, "policy.toml");
  ASSERT_FALSE(policy.has_value());
  EXPECT_EQ(policy.error().name, name);
  EXPECT_EQ(policy.error().status, Status::kBadInput);
  EXPECT_THAT(policy.error().where, HasSubstr(line));
  EXPECT_THAT(policy.error().where, HasSubstr("policy.toml"));
  EXPECT_THAT(policy.error().what, HasSubstr(what));
  EXPECT_THAT(policy.error().fix, HasSubstr(fix));
}

TEST(Policies, RestrictNothingThatTheyDoNotMention) {
  for (const char* text : {"", "[privacy]\n[study]\n", "# no rules yet\n"}) {
    const auto policy = parse_policy(text, "policy.toml");
    ASSERT_TRUE(policy.has_value()) << policy.error().to_string();
    EXPECT_FALSE(policy->epsilon_max || policy->delta_max || policy->rows_min ||
                 policy->parties_min || policy->require_limit);
    EXPECT_EQ(policy->colluders_min, 0U);
    EXPECT_THAT(policy->solvers, IsEmpty());
    EXPECT_THAT(policy->columns_forbidden, IsEmpty());
  }
}

TEST(Policies, RefuseWhatNobodyReads) {
  expect_wrong("[privacy]\nepsilon_mx = 1\n", "E-policy-key", "line 2, column 1",
               "[privacy] knows no key \"epsilon_mx\"", "did you mean \"epsilon_max\"?");
  expect_wrong("[study]\n\nrows = 3\n", "E-policy-key", "line 3", "\"rows\"", "rows_min");
  expect_wrong("[privcy]\n", "E-policy-key", "line 1", "knows no key \"privcy\"", "privacy");
  expect_wrong("epsilon_max = 1\n", "E-policy-key", "line 1", "epsilon_max", "privacy, study");
}

TEST(Policies, RefuseNumbersThatNoStudyCouldMeet) {
  const auto privacy = [](const std::string& line, const std::string& what,
                          const std::string& fix) {
    expect_wrong("[privacy]\n" + line + "\n", "E-policy-value", "line 2", what, fix);
  };
  for (const char* epsilon : {"0", "-1", "inf", "nan", "-0.5"}) {
    privacy(std::string("epsilon_max = ") + epsilon, "is not a finite number above 0",
            "epsilon_max = 1.0");
  }
  for (const char* delta : {"0", "1", "1.5", "-1e-6", "nan"}) {
    privacy(std::string("delta_max = ") + delta, "is not strictly between 0 and 1",
            "delta_max = 1e-6");
  }
  privacy("colluders_min = -1", "out of range", "from 0 to");
  const auto study = [](const std::string& line, const std::string& what, const std::string& fix) {
    expect_wrong("[study]\n" + line + "\n", "E-policy-value", "line 2", what, fix);
  };
  study("rows_min = 0", "rows_min = 0 is out of range", "from 1 to");
  study("rows_min = -5", "out of range", "from 1 to");
  study("parties_min = 1", "out of range", "from 2 to");
  study("parties_min = 100000", "out of range", "from 2 to 10000");
}

TEST(Policies, RefuseValuesOfTheWrongKind) {
  const auto wrong = [](const std::string& section, const std::string& line,
                        const std::string& fix) {
    expect_wrong("[" + section + "]\n" + line + "\n", "E-policy-value", "line 2",
                 line.substr(0, line.find(' ')), fix);
  };
  wrong("privacy", "epsilon_max = \"1\"", "without quotes");
  wrong("privacy", "delta_max = true", "write delta_max = 1.0");
  wrong("privacy", "colluders_min = 1.5", "write colluders_min = 0");
  wrong("privacy", "require_limit = 1", "require_limit = true");
  wrong("study", "solvers = \"dishuf\"", "write solvers = [");
  wrong("study", "solvers = []", "list some of");
  wrong("study", "solvers = [\"dishuff\"]", "\"pairwise\"");
  wrong("study", "rows_min = \"100\"", "write rows_min = 1");
  wrong("study", "rows_min = 10.5", "write rows_min = 1");
  wrong("study", "parties_min = [3]", "write parties_min = 2");
  wrong("study", "columns_forbidden = \"name\"", "write columns_forbidden = [");
  wrong("study", "columns_forbidden = [\"name\", 3]", "write columns_forbidden = [");
  wrong("study", "columns_forbidden = [\"\"]", "columns_forbidden = [\"name\"");
  expect_wrong("privacy = 3\n", "E-policy-value", "line 1", "privacy must be a section",
               "write [privacy]");
}

TEST(Policies, AreToml) {
  expect_wrong("[privacy]\nepsilon_max 1\n", "E-policy-syntax", "line 2", "", "key = value");
  expect_wrong("[privacy]\nepsilon_max = 1\nepsilon_max = 2\n", "E-policy-syntax", "line 3", "",
               "correct the line");
}

class PolicyFile : public testing::Test {
 protected:
  void expect_unreadable(const std::string& why) const {
    const auto policy = read_policy(home_);
    ASSERT_FALSE(policy.has_value()) << why;
    EXPECT_EQ(policy.error().name, "E-policy-file");
    EXPECT_EQ(policy.error().status, Status::kBadInput);
    EXPECT_THAT(policy.error().what, HasSubstr(why));
    EXPECT_EQ(policy.error().where, file_());
    EXPECT_NE(policy.error().fix, "");
  }
  [[nodiscard]] std::string file_() const { return home_ + "/policy.toml"; }

  const TemporaryFolder folder_;
  const std::string home_ = folder_.path();
};

TEST_F(PolicyFile, NeedNotBeThere) {
  const auto policy = read_policy(home_);
  ASSERT_TRUE(policy.has_value());
  EXPECT_FALSE(policy->has_value());
  EXPECT_FALSE(read_policy(home_ + "/nowhere").value().has_value());
}

TEST_F(PolicyFile, IsReadFromTheHomeAndNamesItself) {
  std::ofstream(file_()) << "[privacy]\nepsilon_max = 2\n";
  const auto policy = read_policy(home_).value();
  ASSERT_TRUE(policy.has_value());
  EXPECT_EQ(policy->epsilon_max, 2.0);
  EXPECT_EQ(policy->file, file_());
  fs::rename(file_(), home_ + "/elsewhere.toml");
  fs::create_symlink(home_ + "/elsewhere.toml", file_());
  EXPECT_EQ(read_policy(home_).value()->epsilon_max, 2.0) << "an administrator's, by a link";
}

TEST_F(PolicyFile, IsNeverTakenForNoneBecauseItCannotBeRead) {
  fs::create_directory(file_());
  expect_unreadable("not a regular file");
  fs::remove(file_());
  // A reader that opened it would wait for a writer for ever.
  ASSERT_EQ(::mkfifo(file_().c_str(), 0600), 0);
  expect_unreadable("not a regular file");
  fs::remove(file_());
  fs::create_symlink(home_ + "/gone.toml", file_());
  expect_unreadable("No such file");
  fs::remove(file_());
  std::ofstream(file_()) << std::string((1 << 20) + 1, '#');
  expect_unreadable("larger than 1 MiB");
  if (::geteuid() == 0) return;  // may read everything
  ASSERT_EQ(::chmod(file_().c_str(), 0), 0);
  expect_unreadable("cannot be read");
}

TEST(ForbiddenColumns, AreNamesOrPatterns) {
  EXPECT_TRUE(stands_for("name", "name"));
  EXPECT_FALSE(stands_for("name", "surname"));
  EXPECT_FALSE(stands_for("name", "names"));
  EXPECT_TRUE(stands_for("*name*", "surnames"));
  EXPECT_TRUE(stands_for("*_id", "patient_id"));
  EXPECT_TRUE(stands_for("*_id", "_id_id"));
  EXPECT_FALSE(stands_for("*_id", "idea"));
  EXPECT_TRUE(stands_for("*a*b*", "xaxxbx"));
  EXPECT_FALSE(stands_for("*a*b", "xbxa"));
  EXPECT_TRUE(stands_for("*", "anything"));
  EXPECT_TRUE(stands_for("**", ""));
  EXPECT_FALSE(stands_for("", "x"));
  EXPECT_TRUE(stands_for("x?", "x1"));
  EXPECT_FALSE(stands_for("x?", "x"));
  EXPECT_TRUE(stands_for("gr??e", "größe")) << "letters, not bytes";
  EXPECT_FALSE(stands_for("gr???e", "größe"));
  EXPECT_TRUE(stands_for("salary", "Salary")) << "another spelling is no way around it";
  EXPECT_TRUE(stands_for("income [EUR]", "income [EUR]")) << "brackets are letters";
}

}  // namespace
}  // namespace sotto
