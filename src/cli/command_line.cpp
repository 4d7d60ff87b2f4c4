#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <exception>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "cli/verb.h"
#include "study/toml_reader.h"

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
    // File names need not be UTF-8, and JSON must.
    using Dump = nlohmann::ordered_json;
    fmt::print(stderr, "{}\n", body.dump(-1, ' ', false, Dump::error_handler_t::replace));
  } else {
    fmt::print(stderr, "{}\n", error.to_string());
  }
  return static_cast<int>(error.status);
}

// Whether --format json was asked for, on a command line that cannot be parsed.
bool wants_json(std::span<const char* const> words) {
  for (std::size_t k = 1; k < words.size(); ++k) {
    const std::string_view word = words[k];
    if (word == "--format=json") return true;
    if (word == "json" && std::string_view(words[k - 1]) == "--format") return true;
  }
  return false;
}

// CLI11 says of an unknown verb only that a verb is required.
Error usage_error(const CLI::App& app, std::span<const char* const> words,
                  const CLI::ParseError& error) {
  Error usage{.name = "E-usage",
              .what = error.what(),
              .where = "the command line",
              .fix = "see 'sotto --help'",
              .status = Status::kBadInput};
  if (words.size() < 2 || words[1][0] == '-' || !app.get_subcommands().empty()) return usage;
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  const auto near = nearest_word(words[1], verbs);
  usage.what = fmt::format("there is no verb \"{}\"", words[1]);
  usage.fix = fmt::format("{}the verbs are {}", near ? fmt::format("did you mean {}? ", *near) : "",
                          fmt::join(verbs, ", "));
  return usage;
}

// Libraries throw when memory or a file system gives out; that is no bug of ours,
// and has an exit status like every other failure.
Result<std::string> run_guarded(const Verb& verb) {
  try {
    return verb.run();
  } catch (const std::exception& error) {
    return failed("E-unexpected", error.what(),
                  "free memory or disk space; if that is not it, report a bug");
  }
}

}  // namespace

CLI::Validator whole_number() {
  auto check = [](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool octal = text.size() > 1 && text.front() == '0';
    if (fault == std::errc{} && end == text.data() + text.size() && !octal) return {};
    return fmt::format("\"{}\" is not a whole number from 0 to {}", text,
                       std::numeric_limits<std::uint64_t>::max());
  };
  return CLI::Validator(check, "UINT");
}

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
  app.footer(
      "Exit status: 0 done, 1 failed, 2 bad input, 3 refused for privacy.\n"
      "'sotto VERB --help' shows a verb's options and an example.");
  const std::vector<Verb> verbs{
      add_demo(app),    add_plan(app),     add_simulate(app), add_keys(app),   add_check(app),
      add_join(app),    add_status(app),   add_abort(app),    add_ledger(app), add_report(app),
      add_predict(app), add_generate(app), add_reproduce(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 prints help and version itself; everything else is bad input.
    if (error.get_exit_code() == 0) return app.exit(error);
    const std::span words(argv, static_cast<std::size_t>(argc));
    return report(usage_error(app, words, error), wants_json(words));
  }
  for (const Verb& verb : verbs) {
    if (!verb.command->parsed()) continue;
    const bool json = verb.command->get_option("--format")->as<std::string>() == "json";
    const auto printed = run_guarded(verb);
    if (!printed) {
      const std::string place = fmt::format("sotto {}", verb.command->get_name());
      return report(Error(printed.error()).at(place), json);
    }
    fmt::print("{}", *printed);
    // A full disk must not look like success.
    if (std::fflush(stdout) != 0) {
      return report(
          failed("E-output", "the result could not be written", "is the disk full?").value(), json);
    }
    return 0;
  }
  return static_cast<int>(Status::kBadInput);
}

}  // namespace sotto
