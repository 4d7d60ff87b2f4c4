#include <fmt/core.h>

#include <exception>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/verb.h"

namespace sotto {
namespace {

constexpr const char* kAbout =
    "sotto fits one least-squares model over data that several parties hold and none may "
    "show,\nwith a differential-privacy guarantee that is computed, not quoted.";

// Errors go to standard error: as a line for a person, or as JSON for a script.
int report(const Error& error, bool json) {
  if (json) {
    const nlohmann::ordered_json body{{"error",
                                       {{"name", error.name},
                                        {"what", error.what},
                                        {"where", error.where},
                                        {"fix", error.fix},
                                        {"status", static_cast<int>(error.status)}}}};
    fmt::print(stderr, "{}\n", body.dump());
  } else {
    fmt::print(stderr, "{}\n", error.to_string());
  }
  return static_cast<int>(error.status);
}

}  // namespace

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& summary,
                      const std::string& example, Output& output) {
  CLI::App* command = app.add_subcommand(name, summary);
  command->footer("Example:\n  " + example);
  command->add_option("--format", output.format, "text for people, json for scripts")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  return command;
}

int run_command_line(int argc, const char* const* argv) {
  CLI::App app(kAbout, "sotto");
  app.set_version_flag("--version", std::string("sotto ") + SOTTO_VERSION);
  app.require_subcommand(1);
  app.footer("Exit status: 0 done, 1 failed, 2 bad input, 3 refused for privacy.\n"
             "'sotto VERB --help' shows a verb's options and an example.");
  const std::vector<Verb> verbs{add_plan(app), add_simulate(app), add_reproduce(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 prints help and version itself; everything else is bad input.
    if (error.get_exit_code() == 0) return app.exit(error);
    return report({.name = "E-usage",
                   .what = error.what(),
                   .where = "the command line",
                   .fix = "see 'sotto --help'",
                   .status = Status::kBadInput},
                  false);
  }
  for (const Verb& verb : verbs) {
    if (!verb.command->parsed()) continue;
    const bool json = verb.command->get_option("--format")->as<std::string>() == "json";
    const auto printed = verb.run();
    if (!printed) return report(printed.error(), json);
    fmt::print("{}", *printed);
    // A full disk must not look like success.
    if (std::fflush(stdout) != 0) {
      return report(failed("E-output", "the result could not be written", "is the disk full?").value(),
                    json);
    }
    return 0;
  }
  return static_cast<int>(Status::kBadInput);
}

}  // namespace sotto
