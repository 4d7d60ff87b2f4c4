#include <gmock/gmock.h>
#include <sys/stat.h>
#include <toml++/toml.h>

#include <cstdlib>
#include <filesystem>

#include "base/json.h"
#include "network/identity.h"
#include "support/command_line.h"

namespace sotto {
namespace {

using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

class KeysVerb : public FolderTest {
 protected:
  const fs::path folder_ = path("");
  const std::string home_ = path("home");
};

TEST_F(KeysVerb, MakesAnIdentityAndPrintsTheBlockForTheStudy) {
  const CommandRun made = run_sotto({"keys", "new", "--name", "Süd \"1\"", "--host",
                                     "south.example", "--host", "10.0.0.5", "--home", home_});
  ASSERT_EQ(made.status, 0) << made.err;
  const auto identity = Identity::load(home_);
  ASSERT_TRUE(identity) << identity.error().to_string();
  EXPECT_THAT(identity->hosts(), testing::ElementsAre("south.example", "10.0.0.5"));
  EXPECT_THAT(made.out, HasSubstr("south.example, 10.0.0.5"));

  const auto block = toml::parse(made.out.substr(made.out.find("[[party]]")));
  const auto& party = *block["party"][0].as_table();
  EXPECT_EQ(party["name"].value<std::string>(), "Süd \"1\"");
  EXPECT_EQ(party["address"].value<std::string>(), "south.example:7101");
  EXPECT_EQ(party["fingerprint"].value<std::string>(), identity->fingerprint());
}

TEST_F(KeysVerb, ShowsWhatNewHasMadeAndNeverTheKey) {
  const CommandRun made =
      run_sotto({"keys", "new", "--name", "north", "--host", "::1", "--home", home_});
  const CommandRun shown = run_sotto({"keys", "show", "--home", home_});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_EQ(shown.out, made.out);
  EXPECT_THAT(shown.out, HasSubstr("address     = \"[::1]:7101\""));
  const CommandRun json =
      run_sotto({"keys", "show", "--home", home_, "--port", "7105", "--format", "json"});
  ASSERT_EQ(json.status, 0) << json.err;
  const auto parsed = parse_json(json.out);
  EXPECT_EQ(parsed["name"], "north");
  EXPECT_EQ(parsed["hosts"], Json({"::1"}));
  EXPECT_EQ(parsed["fingerprint"], Identity::load(home_)->fingerprint());
  EXPECT_THAT(parsed["party"].get<std::string>(), HasSubstr("[::1]:7105"));
  for (const CommandRun& outcome : {made, shown, json}) {
    EXPECT_THAT(outcome.out, Not(HasSubstr("PRIVATE")));
  }
}

TEST_F(KeysVerb, TakesItsFolderFromTheEnvironment) {
  ASSERT_EQ(::setenv("SOTTO_HOME", home_.c_str(), 1), 0);
  const CommandRun made = run_sotto({"keys", "new", "--name", "north", "--host", "a"});
  const CommandRun shown = run_sotto({"keys", "show"});
  ::unsetenv("SOTTO_HOME");
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_TRUE(fs::exists(fs::path(home_) / "identity.key"));
}

TEST_F(KeysVerb, NeverReplacesAKeyAndRefusesOneThatOthersCanRead) {
  ASSERT_EQ(run_sotto({"keys", "new", "--name", "a", "--host", "a", "--home", home_}).status, 0);
  const CommandRun again =
      run_sotto({"keys", "new", "--name", "a", "--host", "a", "--home", home_});
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("error[E-identity-exists]"));
  ASSERT_EQ(::chmod((home_ + "/identity.key").c_str(), 0644), 0);
  const CommandRun open = run_sotto({"keys", "show", "--home", home_});
  EXPECT_EQ(open.status, 3);
  EXPECT_THAT(open.err, HasSubstr("chmod 600"));
}

TEST_F(KeysVerb, SaysWhatIsMissing) {
  EXPECT_EQ(run_sotto({"keys"}).status, 2);
  EXPECT_EQ(run_sotto({"keys", "new", "--name", "a", "--home", home_}).status, 2);
  EXPECT_EQ(run_sotto({"keys", "new", "--host", "a", "--home", home_}).status, 2);
  EXPECT_EQ(run_sotto({"keys", "show", "--port", "0", "--home", home_}).status, 2);
  const CommandRun missing = run_sotto({"keys", "show", "--home", home_});
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.err, HasSubstr("sotto keys new"));
}

TEST_F(KeysVerb, RotatesAndRetires) {
  ASSERT_EQ(run_sotto({"keys", "new", "--name", "a", "--host", "a", "--home", home_}).status, 0);
  const CommandRun rotated = run_sotto({"keys", "rotate", "--days", "30", "--home", home_});
  ASSERT_EQ(rotated.status, 0) << rotated.err;
  EXPECT_THAT(rotated.out, HasSubstr("former       sha256:"));
  EXPECT_THAT(rotated.out, HasSubstr("fingerprint = [\"sha256:"));
  EXPECT_THAT(rotated.out, HasSubstr("'sotto keys rotate' makes a new one")) << "30 days are few";
  const CommandRun again = run_sotto({"keys", "rotate", "--home", home_});
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("E-identity-rotated"));
  const CommandRun retired = run_sotto({"keys", "retire", "--home", home_});
  ASSERT_EQ(retired.status, 0) << retired.err;
  EXPECT_THAT(retired.out, testing::Not(HasSubstr("former")));
}

}  // namespace
}  // namespace sotto
