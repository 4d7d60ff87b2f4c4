// `sotto check`: prints what run/check.h found.
#include "run/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/json.h"
#include "cli/command_line.h"
#include "cli/terminal/terminal.h"
#include "cli/text/consent.h"
#include "run/home.h"
#include "run/join/join.h"
#include "study/study.h"

namespace sotto {
namespace {

struct CheckOptions {
  std::string name;
  JoinRequest request;
  double seconds = 5;
};

std::string counted(std::size_t number, const char* word) {
  return fmt::format("{} {}{}", number, word, number == 1 ? "" : "s");
}

Result<std::string> run_check(const CheckOptions& options, Output output) {
  JoinRequest request = options.request;
  SOTTO_ASSIGN(const auto study, read_study(request.study_file));
  SOTTO_ASSIGN(request.self, party_named(study, options.name).at("--as"));
  SOTTO_ASSIGN(request.home, home_folder(request.home));

  const std::vector<CheckItem> items = check_party(study, request, options.seconds);
  const auto count = [&](CheckVerdict verdict) {
    return static_cast<std::size_t>(std::ranges::count(items, verdict, &CheckItem::verdict));
  };
  const std::size_t problems = count(CheckVerdict::kProblem);
  const std::size_t warnings = count(CheckVerdict::kWarning);
  std::string text;
  if (output.json()) {
    text = json_text(
        {{"study", study.name},
         {"study_hash", study.hash},
         {"party", options.name},
         {"problems", problems},
         {"warnings", warnings},
         {"checks", json_list(items, [](const CheckItem& item) { return to_json(item); })}});
  } else {
    text = fmt::format("{} as {}\n\n{}\n{}, {}\n", escape_for_terminal(study.name),
                       escape_for_terminal(options.name), check_text(items),
                       counted(problems, "problem"), counted(warnings, "warning"));
  }
  if (problems == 0) return text;
  fmt::print("{}", text);
  return failed("E-check",
                fmt::format("{} to mend before this party can join", counted(problems, "problem")),
                "the list says what would be right");
}

}  // namespace

Verb add_check(const Syntax& program) {
  auto options = std::make_shared<CheckOptions>();
  const Syntax verb = program.verb(
      "check",
      "data against schema, policy, port, certificate, peers, clock: problems with their fixes",
      "sotto check study.toml --as north --data north.csv");
  add_party_words(verb, options->name, options->request);
  verb.group(kWhoAndWhere)
      .seconds("--seconds", options->seconds, "how long to wait for the others");
  return {verb, [options](Output output) { return run_check(*options, output); }};
}

}  // namespace sotto
