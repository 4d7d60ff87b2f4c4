#include "run/join/result_files.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "support/run_records.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class FilesOfAResult : public testing::Test {
 protected:
  [[nodiscard]] ResultFiles keep(const std::function<std::string(const RunRecord&)>& report) const {
    auto kept = keep_result_files(folder_, sample::energy(), "{}\n", report);
    EXPECT_TRUE(kept.has_value()) << kept.error().to_string();
    return kept ? *kept : ResultFiles{};
  }

  const TemporaryFolder own_;
  const std::filesystem::path folder_ = own_ / "result";
};

TEST_F(FilesOfAResult, AreModelRecordAndReport) {
  const ResultFiles files = keep([](const RunRecord&) { return "<p>fine</p>"; });
  ASSERT_THAT(files.all, testing::ElementsAre(EndsWith("/model.json"), EndsWith("/record.json"),
                                              EndsWith("/report.html")));
  for (const std::string& file : files.all) EXPECT_TRUE(std::filesystem::exists(file)) << file;
  EXPECT_FALSE(files.no_report);
}

TEST_F(FilesOfAResult, AreModelAndRecordWhereTheReportCannotBeMade) {
  const ResultFiles files =
      keep([](const RunRecord&) -> std::string { throw std::out_of_range("no such thing"); });
  EXPECT_THAT(files.all, testing::ElementsAre(EndsWith("/model.json"), EndsWith("/record.json")));
  EXPECT_TRUE(read_record(folder_).has_value());
  ASSERT_TRUE(files.no_report);
  EXPECT_EQ(files.no_report->name, "E-unexpected");
  EXPECT_THAT(files.no_report->what, HasSubstr("no such thing"));
}

TEST_F(FilesOfAResult, AreModelAndRecordWhereTheReportCannotBeWritten) {
  std::filesystem::create_directories(folder_ / "report.html" / "in the way");
  const ResultFiles files = keep([](const RunRecord&) { return "<p>fine</p>"; });
  EXPECT_EQ(files.all.size(), 2U);
  ASSERT_TRUE(files.no_report);
  EXPECT_EQ(files.no_report->name, "E-file-write");
}

TEST_F(FilesOfAResult, HaveNoReportThatNobodyWanted) {
  const ResultFiles files = keep(nullptr);
  EXPECT_EQ(files.all.size(), 2U);
  EXPECT_FALSE(files.no_report);
}

}  // namespace
}  // namespace sotto
