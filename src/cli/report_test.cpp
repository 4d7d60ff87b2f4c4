#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "report/file.h"
#include "report/run_record.h"

namespace sotto {
namespace {

using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

Outcome sotto(std::vector<std::string> words) {
  words.insert(words.begin(), "sotto");
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.status = run_command_line(static_cast<int>(argv.size()), argv.data());
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  return outcome;
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class ReportVerb : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "sotto-report-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    RunRecord record;
    record.study = "energy";
    record.unit = "record";
    record.neighbours = "replace";
    record.own = {{"north", 1234, 0, {}}};
    ASSERT_TRUE(write_record(folder_ / kRecordFile, record));
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(ReportVerb, WritesThePageBesideTheRecord) {
  for (const fs::path& run : {folder_, folder_ / kRecordFile}) {
    fs::remove(folder_ / "report.html");
    const Outcome outcome = sotto({"report", run.string()});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr((folder_ / "report.html").string()));
    EXPECT_THAT(outcome.out, HasSubstr("stay with you"));
    EXPECT_THAT(text_of(folder_ / "report.html"), HasSubstr("1,234 rows"));
  }
}

TEST_F(ReportVerb, LeavesOutTheOwnCountsWhenAskedTo) {
  const fs::path out = folder_ / "new" / "page.html";
  const Outcome outcome =
      sotto({"report", folder_.string(), "--share", "--out", out.string(), "--format", "json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["report"], out.string());
  EXPECT_EQ(json["private"], false);
  EXPECT_THAT(text_of(out), Not(HasSubstr("1,234")));
}

TEST_F(ReportVerb, SaysWhatIsWrongWithARecord) {
  const Outcome missing = sotto({"report", (folder_ / "none").string()});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("error[E-record-file]"));
  ASSERT_TRUE(write_file(folder_ / kRecordFile, "{\"format\": \"sotto-run-1\"}"));
  const Outcome wrong = sotto({"report", folder_.string()});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("error[E-record-json]: study is missing"));
}

}  // namespace
}  // namespace sotto
