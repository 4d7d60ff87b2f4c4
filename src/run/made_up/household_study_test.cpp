#include "run/made_up/household_study.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "data/generator.h"
#include "run/kept_json.h"
#include "run/model.h"
#include "run/simulate.h"
#include "study/study.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

TEST(HouseholdStudy, IsAStudyOverTheColumnsThatAreWritten) {
  for (const std::size_t parties : {2U, 3U, 7U}) {
    const auto study =
        parse_study(household_study_text({.folder = {}, .parties = parties}), "study.toml");
    ASSERT_TRUE(study.has_value()) << study.error().to_string();
    EXPECT_EQ(study->graph().size(), parties);
    EXPECT_EQ(schema_json(*study->data), schema_json(household_schema()));
    EXPECT_EQ(study->privacy.budget.delta.value(), 1e-6);
  }
}

TEST(HouseholdStudy, NamesItsPartiesWhereTheyAreToMeet) {
  HouseholdStudy households{.folder = {}, .parties = 2};
  households.solver = Solver::kPairwise;
  households.members = {
      {.name = "nor\"d", .address = "127.0.0.1:1", .fingerprint = "sha256:" + std::string(64, '1')},
      {.name = "süd", .address = "127.0.0.1:2", .fingerprint = "sha256:" + std::string(64, '2')}};
  const auto study = parse_study(household_study_text(households), "study.toml");
  ASSERT_TRUE(study.has_value()) << study.error().to_string();
  EXPECT_EQ(study->solver, Solver::kPairwise);
  ASSERT_EQ(study->parties.size(), 2U);
  EXPECT_EQ(study->parties[0].name, "nor\"d");
  EXPECT_EQ(study->parties[1].address, "127.0.0.1:2");
  EXPECT_EQ(study->parties[1].fingerprint, "sha256:" + std::string(64, '2'));
}

TEST(HouseholdStudy, WritesFilesThatRunAsTheyAre) {
  const TemporaryFolder own;
  const auto folder = own / "written";
  const auto files =
      write_household_study({.folder = folder.string(), .parties = 3, .rows = 400, .seed = 2});
  ASSERT_TRUE(files.has_value()) << files.error().to_string();
  ASSERT_EQ(files->tables.size(), 3U);
  const auto study = read_study(files->study).value();
  const auto tables = read_tables(study, {.files = files->tables});
  ASSERT_TRUE(tables.has_value()) << tables.error().to_string();
  EXPECT_EQ((*tables)[2].own.rows + (*tables)[2].own.dropped, 400U);
}

TEST(HouseholdStudy, RefusesWhatIsNoStudyBeforeWritingAnything) {
  const TemporaryFolder own;
  const auto folder = own / "never";
  HouseholdStudy study{.folder = folder.string()};
  study.parties = 0;
  EXPECT_FALSE(write_household_study(study).has_value());
  study.parties = 3;
  study.epsilon = -1;
  EXPECT_FALSE(write_household_study(study).has_value());
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace sotto
