#include "view/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "plan/plan.h"
#include "report/text.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace sotto::view {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kStudy = R"(# Three hospitals.
[study]
name   = "stay"
solver = "pairwise"     # quick

[privacy]
epsilon    = 1.0        # agreed in March
delta      = 1e-6
unit       = "record"
neighbours = "add-remove"
colluders  = 1

[graph]
topology = "cycle"      # who talks with whom
parties  = 5
weight   = "metropolis"

[data]
target = { column = "days", bounds = [0, 30] }
[[data.feature]]
column = "age"
bounds = [0, 100]
)";

class ViewPlanner : public testing::Test {
 protected:
  ViewPlanner() { write("stay.toml", kStudy); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    return read_text(folder_ + "/" + name);
  }
  const TemporaryFolder own_;
  const std::string folder_ = own_.path();
};

TEST_F(ViewPlanner, ShowsWhatThePlanOfTheSameStudySays) {
  const auto json =
      plan_json(folder_, {{"study", "stay.toml"}, {"epsilon", "0.5"}, {"rows", "2000"}});
  ASSERT_TRUE(json.has_value()) << json.error().to_string();
  const auto source = read_study_text(folder_ + "/stay.toml");
  const std::vector<Setting> half{{"privacy.epsilon", "0.5"}};
  const auto study = study_with(*source, half);
  const auto plan = make_plan(*study, Solver::kPairwise);
  ASSERT_TRUE(plan.has_value());
  const std::string html = json->at("html");
  EXPECT_THAT(html, HasSubstr(report::number_text(plan->sum_noise_sd)));
  for (const Adversary& observer : plan->adversaries) {
    EXPECT_THAT(html, HasSubstr(report::number_text(observer.epsilon_at_delta)));
  }
  const auto intervals = expected_intervals(*study, plan->sum_noise_sd, 2000);
  ASSERT_TRUE(intervals.has_value());
  EXPECT_THAT(html, HasSubstr(report::number_text(100 * *intervals->at(1).share)));
  EXPECT_THAT(html, HasSubstr("in the file")) << "what changed, beside what it was";
  EXPECT_EQ(json->at("controls").at("epsilon"), 1.0) << "the file's own";
}

TEST_F(ViewPlanner, SaysWhyThereIsNoPlanAndWhatWouldBeRight) {
  const auto json = plan_json(folder_, {{"study", "stay.toml"}, {"solver", "gt"}});
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ(json->at("error").at("name"), "E-gt-record");
  EXPECT_FALSE(json->contains("html"));
  EXPECT_TRUE(json->contains("controls"));
}

TEST_F(ViewPlanner, TakesWordsAndNumbersFromControlsAndNoToml) {
  for (const char* value : {"1\n[network]", "\"x\"", "{a=1}", "[1]", "1 2", ""}) {
    const auto json = plan_json(folder_, {{"study", "stay.toml"}, {"epsilon", value}});
    ASSERT_FALSE(json.has_value()) << value;
    EXPECT_EQ(json.error().name, "E-view-control");
  }
  for (const char* rows : {"0", "-1", "1e99", "many", "nan"}) {
    EXPECT_FALSE(plan_json(folder_, {{"study", "stay.toml"}, {"rows", rows}}).has_value()) << rows;
  }
}

TEST_F(ViewPlanner, OffersTheWordsThatStudiesKnow) {
  const Json words = plan_words();
  EXPECT_THAT(words.at("solvers").dump(), AllOf(HasSubstr("\"dishuf\""), HasSubstr("\"gt\"")));
  EXPECT_THAT(words.at("topologies").dump(),
              AllOf(HasSubstr("\"cycle\""), HasSubstr("\"star\""), Not(HasSubstr("edges"))));
  // Not every number of parties makes every shape: Petersen's has 10, a base of 2 a power of 2.
  for (const Json& topology : words.at("topologies")) {
    const auto planned = [&](const char* parties) {
      const auto json = plan_json(folder_, {{"study", "stay.toml"},
                                            {"topology", topology.get<std::string>()},
                                            {"parties", parties},
                                            {"solver", "ac"}});
      return json && json->contains("html");
    };
    EXPECT_TRUE(planned("10") || planned("16")) << topology;
  }
}

TEST_F(ViewPlanner, PlansForAsManyPartiesAsASliderCanWaitFor) {
  const auto json = plan_json(folder_, {{"study", "stay.toml"}, {"parties", "1001"}});
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ(json->at("error").at("name"), "E-view-control");
}

TEST_F(ViewPlanner, ReadsStudiesOfItsFolderAlone) {
  write("notes.toml", "[other]\nkey = 1\n");
  write(".hidden.toml", kStudy);
  std::filesystem::create_directory(folder_ + "/below");
  write("below/deep.toml", kStudy);
  EXPECT_THAT(studies_in(folder_), ElementsAre("stay.toml"));
  for (const char* name : {"../stay.toml", "below/deep.toml", "/etc/passwd", ".hidden.toml", ""}) {
    const auto json = plan_json(folder_, {{"study", name}});
    ASSERT_FALSE(json.has_value()) << name;
    EXPECT_EQ(json.error().name, "E-view-study");
  }
  EXPECT_TRUE(plan_json(folder_, {{"study", kMadeUpStudy}}).has_value());
}

TEST_F(ViewPlanner, EscapesWhatAStudyNames) {
  std::string evil = kStudy;
  evil.replace(evil.find("\"age\""), 5, "\"<img src=x>\"");
  write("evil.toml", evil);
  const auto json = plan_json(folder_, {{"study", "evil.toml"}, {"rows", "100000"}});
  ASSERT_TRUE(json.has_value()) << json.error().to_string();
  EXPECT_THAT(json->dump(), Not(HasSubstr("<img")));
  EXPECT_THAT(json->dump(), HasSubstr("&lt;img"));
}

TEST_F(ViewPlanner, SavesAStudyWithItsComments) {
  const Query query{
      {"study", "stay.toml"}, {"epsilon", "0.5"}, {"topology", "complete"}, {"parties", "8"}};
  ASSERT_TRUE(save_study(folder_, "new.toml", false, query).has_value());
  std::string wanted = kStudy;
  const auto replace = [&](const std::string& from, const std::string& to) {
    wanted.replace(wanted.find(from), from.size(), to);
  };
  replace("epsilon    = 1.0 ", "epsilon    = 0.5 ");
  replace("\"cycle\"", "\"complete\"");
  replace("parties  = 5", "parties  = 8");
  EXPECT_EQ(read("new.toml"), wanted);
  EXPECT_EQ(read("stay.toml"), kStudy);
}

TEST_F(ViewPlanner, ReplacesNothingUnasked) {
  const Query query{{"study", "stay.toml"}, {"epsilon", "0.5"}};
  const auto refused = save_study(folder_, "stay.toml", false, query);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().name, "E-view-exists");
  EXPECT_EQ(read("stay.toml"), kStudy);
  EXPECT_TRUE(save_study(folder_, "stay.toml", true, query).has_value());
  EXPECT_THAT(read("stay.toml"), HasSubstr("epsilon    = 0.5        # agreed in March"));
  // What is no file is never replaced, whatever it points to.
  write("target", "precious");
  std::filesystem::create_symlink(folder_ + "/target", folder_ + "/link.toml");
  EXPECT_EQ(save_study(folder_, "link.toml", true, query).error().name, "E-view-exists");
  EXPECT_EQ(read("target"), "precious");
}

TEST_F(ViewPlanner, SavesInsideItsFolderAndStudiesAlone) {
  const Query query{{"study", "stay.toml"}};
  for (const char* name : {"../new.toml", "/tmp/new.toml", "below/new.toml", ".toml", ".new.toml",
                           "new.txt", "", "new.toml\n", "a b.toml"}) {
    const auto saved = save_study(folder_, name, true, query);
    ASSERT_FALSE(saved.has_value()) << name;
    EXPECT_EQ(saved.error().name, "E-view-name") << name;
  }
  const auto broken =
      save_study(folder_, "new.toml", false, {{"study", "stay.toml"}, {"topology", "petersen"}});
  EXPECT_FALSE(broken.has_value()) << "5 parties are no Petersen graph";
  EXPECT_THAT(studies_in(folder_), ElementsAre("stay.toml"));
}

}  // namespace
}  // namespace sotto::view
