#include <fmt/format.h>

#include <memory>

#include "cli/check_steps.h"
#include "cli/home.h"
#include "cli/shown.h"
#include "cli/verb.h"
#include "study/network_study.h"
#include "study/study_file.h"

namespace sotto {
namespace {

struct CheckOptions {
  Output output;
  std::string study;
  std::string name;
  std::string home;
  std::string data;
  std::string account = "all data";
  std::string listen;
  double seconds = 5;
};

std::string counted(std::size_t number, const char* word) {
  return fmt::format("{} {}{}", number, word, number == 1 ? "" : "s");
}

Checklist look(const CheckTarget& target) {
  Checklist list;
  const bool complete = check_study(target, list);
  const auto identity = check_identity(target, list);
  if (identity) check_clock(target, *identity, list);
  check_data(target, list);
  const bool busy = check_home(target, list);
  if (busy) {
    list.ok("peers", "this party is in a run of the study now; 'sotto status' shows how it stands");
  } else if (complete && identity) {
    check_peers(target, *identity, list);
  } else {
    list.warn("peers", "not looked at", "mend the study and the identity first");
  }
  return list;
}

Result<std::string> check_party(const CheckOptions& options) {
  auto study = read_study(options.study);
  if (!study) return tl::unexpected(study.error());
  const auto self = party_named(*study, options.name);
  if (!self) return tl::unexpected(Error(self.error()).at("--as"));
  const auto home = home_folder(options.home);
  if (!home) return tl::unexpected(home.error());
  const CheckTarget target{.study = std::move(*study),
                           .study_file = options.study,
                           .self = *self,
                           .home = *home,
                           .data = options.data,
                           .account = options.account,
                           .listen = options.listen,
                           .seconds = options.seconds};

  const Checklist list = look(target);
  const std::size_t problems = list.count(CheckVerdict::kProblem);
  const std::size_t warnings = list.count(CheckVerdict::kWarning);
  std::string text;
  if (options.output.json()) {
    const nlohmann::ordered_json json{
        {"study", target.study.name}, {"study_hash", target.study.hash},
        {"party", options.name},      {"problems", problems},
        {"warnings", warnings},       {"checks", list.json()}};
    text = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  } else {
    text =
        fmt::format("{} as {}\n\n{}\n{}, {}\n", harmless(target.study.name), harmless(options.name),
                    list.text(), counted(problems, "problem"), counted(warnings, "warning"));
  }
  if (problems == 0) return text;
  fmt::print("{}", text);
  return failed("E-check",
                fmt::format("{} to mend before this party can join", counted(problems, "problem")),
                "the list says what would be right");
}

}  // namespace

Verb add_check(CLI::App& app) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      add_command(app, "check",
                  "data against schema, port, certificate, peers, clock: problems with their fixes",
                  "sotto check study.toml --as north --data north.csv", options->output);
  command->add_option("study", options->study, "study.toml, the same for all")->required();
  command->add_option("--as", options->name, "this party's name in the study")->required();
  command->add_option("--data", options->data,
                      "this party's table, or its {\"A\": …, \"B\": …}; stays here");
  command->add_option("--home", options->home,
                      "the party's folder; else $SOTTO_HOME, else ~/.sotto");
  command->add_option("--listen", options->listen,
                      "host:port to listen at (default: the port of its address in the study)");
  command->add_option("--account", options->account, "what the ledger calls this data")
      ->capture_default_str();
  constexpr double kMostSeconds = 3600;
  command->add_option("--seconds", options->seconds, "how long to wait for the others")
      ->check(CLI::Range(0.0, kMostSeconds))
      ->capture_default_str();
  return {command, [options] { return check_party(*options); }};
}

}  // namespace sotto
