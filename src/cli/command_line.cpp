// The one file that knows CLI11: verbs describe their words to it through Syntax.
#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <exception>
#include <span>
#include <sstream>
#include <string_view>

#include "base/json.h"
#include "cli/terminal/terminal.h"
#include "run/join_event.h"
#include "store/store.h"
#include "study/sections.h"

namespace sotto {
namespace {

constexpr const char* kAbout =
    "sotto fits one least-squares model over data that several parties hold and none may "
    "show,\nwith a differential-privacy guarantee that is computed, not quoted.";

// Errors go to standard error: as a line for a person, as JSON for a script, or as the last event
// of a verb that tells its progress in JSON lines.
enum class ErrorStyle { kText, kJson, kEvent };

ErrorStyle error_style(std::span<const char* const> words) {
  const auto asked = [&](std::string_view option) {
    for (std::size_t k = 1; k < words.size(); ++k) {
      const std::string_view word = words[k];
      if (word == fmt::format("{}=json", option)) return true;
      if (word == "json" && words[k - 1] == option) return true;
    }
    return false;
  };
  if (asked("--progress")) return ErrorStyle::kEvent;
  return asked("--format") ? ErrorStyle::kJson : ErrorStyle::kText;
}

int print_error(const Error& error, ErrorStyle style) {
  switch (style) {
    case ErrorStyle::kText:
      fmt::print(stderr, "{}\n", escape_for_terminal(error.to_string()));
      break;
    case ErrorStyle::kJson: {
      // File names need not be UTF-8, and JSON must.
      Json body;
      body["error"] = to_json(error);
      fmt::print(stderr, "{}\n", json_line(body));
      break;
    }
    case ErrorStyle::kEvent:
      fmt::print(stderr, "{}\n",
                 to_json_line(
                     {.kind = JoinEvent::Kind::kFailed, .text = error.to_string(), .error = error},
                     unix_seconds()));
      break;
  }
  return static_cast<int>(error.status);
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

// --help shows what an option is where it is not given.
void mark(CLI::Option* option, Need need) {
  if (need == Need::kRequired) {
    option->required();
  } else {
    option->capture_default_str();
  }
}

// Libraries throw when memory or a file system gives out; that is no bug of ours,
// and has an exit status like every other failure.
Result<std::string> run_guarded(const Verb& verb) {
  try {
    return verb.run(verb.syntax.output());
  } catch (const std::exception& error) {
    return failed("E-unexpected", error.what(),
                  "free memory or disk space; if that is not it, report a bug");
  }
}

}  // namespace

Syntax Syntax::verb(const std::string& name, const std::string& summary, const std::string& example,
                    bool has_csv) const {
  CLI::App* command = app_->add_subcommand(name, summary);
  command->footer("Example:\n  " + example);
  Syntax verb(*command);
  verb.output_ = std::make_shared<Output>();
  std::vector<std::pair<std::string, Format>> formats{{"text", Format::kText},
                                                      {"json", Format::kJson}};
  if (has_csv) formats.emplace_back("csv", Format::kCsv);
  verb.choice("--format", verb.output_->format, formats,
              has_csv ? "text for people, json for scripts, csv for tables"
                      : "text for people, json for scripts");
  return verb;
}

Syntax Syntax::word(const std::string& name, const std::string& summary,
                    const std::string& example) const {
  CLI::App* command = app_->add_subcommand(name, summary);
  command->fallthrough();
  if (!example.empty()) command->footer("Example:\n  " + example);
  return Syntax(*command);
}

void Syntax::require_word() const {
  app_->require_subcommand(1);
}

void Syntax::text(const std::string& name, std::string& value, const std::string& help,
                  Need need) const {
  mark(app_->add_option(name, value, help), need);
}

void Syntax::texts(const std::string& name, std::vector<std::string>& values,
                   const std::string& help) const {
  app_->add_option(name, values, help)->required()->expected(1)->take_all();
}

void Syntax::repeated(const std::string& name, std::vector<std::string>& values,
                      const std::string& help) const {
  app_->add_option(name, values, help)->expected(1)->take_all()->allow_extra_args(false);
}

void Syntax::flag(const std::string& name, bool& value, const std::string& help) const {
  app_->add_flag(name, value, help);
}

void Syntax::number(const std::string& name, double& value, const std::string& help,
                    Need need) const {
  mark(app_->add_option(name, value, help), need);
}

void Syntax::seconds(const std::string& name, double& value, const std::string& help) const {
  constexpr double kMostSeconds = 3600;
  mark(app_->add_option(name, value, help)->check(CLI::Range(0.0, kMostSeconds)), Need::kOptional);
}

void Syntax::whole(const std::string& name, std::uint64_t& value, const std::string& help,
                   WholeRange range, Need need) const {
  auto check = [range](const std::string& text) -> std::string {
    std::uint64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool digits = fault == std::errc{} && end == text.data() + text.size();
    const bool octal = text.size() > 1 && text.front() == '0';
    if (digits && !octal && number >= range.from && number <= range.to) return {};
    return fmt::format("\"{}\" is not a whole number from {} to {}", text, range.from, range.to);
  };
  mark(app_->add_option(name, value, help)->check(CLI::Validator(check, "")), need);
}

void Syntax::choose(const std::string& name, const std::vector<std::string>& words, std::size_t now,
                    const std::string& help, Need need,
                    std::function<void(std::size_t)> take) const {
  auto set = [words, take = std::move(take)](const std::string& word) {
    take(static_cast<std::size_t>(std::ranges::find(words, word) - words.begin()));
  };
  CLI::Option* option = app_->add_option_function<std::string>(name, set, help);
  option->check(CLI::IsMember(words));
  if (need == Need::kRequired) {
    option->required();
  } else {
    option->default_str(words[now]);
  }
}

bool Syntax::chosen() const {
  return app_->parsed();
}

bool Syntax::given(const std::string& option) const {
  return app_->count(option) > 0;
}

std::vector<std::string> between_commas(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

int run_command_line(int argc, const char* const* argv) {
  const std::span words(argv, static_cast<std::size_t>(argc));
  const ErrorStyle style = error_style(words);
  CLI::App app(kAbout, "sotto");
  app.set_version_flag("-V,--version", std::string("sotto ") + SOTTO_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 done, 1 failed, 2 bad input, 3 refused for privacy.\n"
      "'sotto VERB --help' shows a verb's options and an example.");
  std::vector<Verb> verbs;
  for (const auto add :
       {add_demo, add_plan, add_simulate, add_keys, add_check, add_join, add_status, add_abort,
        add_ledger, add_report, add_predict, add_refit, add_generate, add_problem, add_reproduce}) {
    verbs.push_back(add(Syntax(app)));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 prints help and version itself; everything else is bad input.
    if (error.get_exit_code() == 0) return app.exit(error);
    return print_error(usage_error(app, words, error), style);
  }
  const auto chosen = std::ranges::find_if(verbs, [](const Verb& v) { return v.syntax.chosen(); });
  const auto printed = run_guarded(*chosen);
  if (!printed) {
    const std::string place = fmt::format("sotto {}", app.get_subcommands().front()->get_name());
    return print_error(Error(printed.error()).at(place), style);
  }
  fmt::print("{}", *printed);
  // A full disk must not look like success.
  if (std::fflush(stdout) != 0) {
    return print_error(failed("E-output", "the result could not be written", "is the disk full?"),
                       style);
  }
  return 0;
}

}  // namespace sotto
