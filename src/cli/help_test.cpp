#include <gmock/gmock.h>

#include "base/json.h"
#include "support/command_line.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class HelpVerb : public FolderTest {
 protected:
  // What bash offers after these words.
  [[nodiscard]] std::string completed(const std::string& words) const {
    const std::string script = write("completion.bash", run_sotto({"help", "--completion"}).out);
    const std::string out = path("offered");
    const std::string command =
        "bash -c 'cd " + path("") + " && source " + script + " && COMP_WORDS=(" + words +
        ") && COMP_CWORD=$((${#COMP_WORDS[@]}-1)) && _sotto && echo ${COMPREPLY[*]}' > " + out;
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return read(out);
  }
};

TEST_F(HelpVerb, SaysWhatTheOptionSays) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"plan"}, {"ledger"}, {"ledger", "new"}, {"study", "fmt"}, {}}) {
    std::vector<std::string> asked{"help"};
    asked.insert(asked.end(), words.begin(), words.end());
    std::vector<std::string> option = words;
    option.emplace_back("--help");
    const CommandRun help = run_sotto(asked);
    EXPECT_EQ(help.status, 0) << help.err;
    EXPECT_EQ(help.out, run_sotto(option).out);
    EXPECT_THAT(help.out, AllOf(HasSubstr("Usage: sotto"), Not(HasSubstr("\n\n\n"))));
  }
  EXPECT_THAT(run_sotto({"help", "plan"}).out,
              AllOf(HasSubstr("\nChoosing ε:\n"), HasSubstr("\nYour own side:\n"),
                    HasSubstr("\nOutput:\n")));
}

TEST_F(HelpVerb, HasEveryOptionOfEveryVerbUnderAHeading) {
  const auto grouped = [](const Json& node) {
    for (const auto& option : node["options"]) {
      EXPECT_NE(option["group"], "Options") << node["name"] << " " << option["name"];
    }
  };
  const auto tree = parse_json(run_sotto({"help", "--format", "json"}).out);
  for (const auto& verb : tree["words"]) {
    grouped(verb);
    for (const auto& word : verb["words"]) grouped(word);
  }
  const std::string join = run_sotto({"join", "--help"}).out;
  EXPECT_LT(join.find("\nWho and where:\n"), join.find("\nThe table:\n"));
  EXPECT_LT(join.find("\nThe table:\n"), join.find("\nOutput:\n")) << join;
}

TEST_F(HelpVerb, SuggestsTheVerbThatWasMeant) {
  const CommandRun verb = run_sotto({"help", "ledgr"});
  EXPECT_EQ(verb.status, 2);
  EXPECT_THAT(verb.err, AllOf(HasSubstr("E-usage"), HasSubstr("did you mean ledger?")));
  EXPECT_THAT(run_sotto({"help", "ledger", "nw"}).err, HasSubstr("did you mean new?"));
  EXPECT_EQ(run_sotto({"help", "plan", "x"}).status, 2);
  EXPECT_EQ(run_sotto({"help", "--man", "ledger", "new"}).status, 2);
}

TEST_F(HelpVerb, HasThePagesOfTheManual) {
  EXPECT_THAT(run_sotto({"help", "--man"}).out,
              AllOf(HasSubstr(".TH SOTTO 1"), HasSubstr("sotto\\-plan"), HasSubstr("EXIT STATUS")));
  const auto tree = parse_json(run_sotto({"help", "--format", "json"}).out);
  EXPECT_GT(tree["words"].size(), 10U);
  for (const auto& verb : tree["words"]) {
    const CommandRun page = run_sotto({"help", "--man", verb["name"].get<std::string>()});
    EXPECT_EQ(page.status, 0) << page.err;
    EXPECT_THAT(page.out, HasSubstr(".SH SYNOPSIS"));
    for (const auto& option : verb["options"]) {
      std::string name = option["name"];
      for (auto at = name.find('-'); at != std::string::npos; at = name.find('-', at + 2)) {
        name.insert(at, "\\");
      }
      EXPECT_THAT(page.out, HasSubstr("\\fB" + name + "\\fR")) << verb["name"];
    }
  }
}

TEST_F(HelpVerb, CompletesVerbsWordsOptionsAndValues) {
  EXPECT_EQ(completed("sotto led"), "ledger\n");
  EXPECT_EQ(completed("sotto help rep"), "report reproduce\n");
  EXPECT_EQ(completed("sotto ledger n"), "new\n");
  EXPECT_THAT(completed("sotto ledger new --"),
              AllOf(HasSubstr("--no-limit"), HasSubstr("--home")));
  EXPECT_EQ(completed("sotto plan --eps"), "--epsilon\n");
  EXPECT_EQ(completed("sotto join study.toml --progress j"), "json\n");
  static_cast<void>(write("north.csv", ""));
  EXPECT_EQ(completed("sotto join study.toml --data nor"), "north.csv\n");
}

}  // namespace
}  // namespace sotto
