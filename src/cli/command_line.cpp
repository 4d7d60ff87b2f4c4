// The one file that knows CLI11: verbs describe their words to it through Syntax.
#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <exception>
#include <span>
#include <sstream>
#include <string_view>

#include "base/json.h"
#include "base/unexpected.h"
#include "base/version.h"
#include "cli/terminal/terminal.h"
#include "run/join/join_event.h"
#include "run/ranks/simulate_ranks.h"
#include "run/tables.h"
#include "store/store.h"
#include "study/mechanism/mechanism.h"
#include "study/sections.h"
#include "study/study.h"

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
      for (const Error& other : error.others) {
        fmt::print(stderr, "{}\n", escape_for_terminal(other.to_string()));
      }
      if (error.unlisted > 0) fmt::print(stderr, "… and {} more\n", error.unlisted);
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

// CLI11 leaves two empty lines between groups.
std::string without_gaps(std::string text) {
  for (auto gap = text.find("\n\n\n"); gap != std::string::npos; gap = text.find("\n\n\n")) {
    text.erase(gap, 1);
  }
  return text;
}

// --help shows what an option is where it is not given.
void mark(CLI::Option* option, Need need) {
  if (need == Need::kRequired) {
    option->required();
  } else {
    option->capture_default_str();
  }
}

CommandOption described(const std::string& name, const std::string& help, Need need) {
  return {
      .name = name, .help = help, .group = {}, .required = need == Need::kRequired, .choices = {}};
}

// Libraries throw when memory or a file system gives out; that is no bug of ours,
// and has an exit status like every other failure.
Result<std::string> run_guarded(const Verb& verb) {
  try {
    return verb.run(verb.syntax.output());
  } catch (const std::exception& error) {
    return unexpected(error);
  }
}

}  // namespace

Syntax Syntax::verb(const std::string& name, const std::string& summary, const std::string& example,
                    bool has_csv) const {
  CLI::App* command = app_->add_subcommand(name, summary);
  command->footer("Example:\n  " + example);
  node_->words.push_back(std::make_shared<CommandNode>(CommandNode{
      .name = name, .summary = summary, .example = example, .options = {}, .words = {}}));
  Syntax verb(*command, node_->words.back(), ranks_);
  verb.output_ = std::make_shared<Output>();
  verb.has_csv_ = has_csv;
  return verb;
}

void Syntax::add_format() const {
  std::vector<std::pair<std::string, Format>> formats{{"text", Format::kText},
                                                      {"json", Format::kJson}};
  if (has_csv_) formats.emplace_back("csv", Format::kCsv);
  group(kOutput).choice("--format", output_->format, formats,
                        has_csv_ ? "text for people, json for scripts, csv for tables"
                                 : "text for people, json for scripts");
}

Syntax Syntax::word(const std::string& name, const std::string& summary,
                    const std::string& example) const {
  CLI::App* command = app_->add_subcommand(name, summary);
  command->fallthrough();
  if (!example.empty()) command->footer("Example:\n  " + example);
  node_->words.push_back(std::make_shared<CommandNode>(CommandNode{
      .name = name, .summary = summary, .example = example, .options = {}, .words = {}}));
  return Syntax(*command, node_->words.back(), ranks_);
}

void Syntax::require_word() const {
  app_->require_subcommand(1);
}

Syntax Syntax::group(const std::string& heading) const {
  Syntax grouped = *this;
  grouped.group_ = heading;
  return grouped;
}

void Syntax::describe(CLI::Option* option, CommandOption description) const {
  if (!description.at_its_place()) option->group(group_);
  description.group = description.at_its_place() ? "Words" : group_;
  node_->options.push_back(std::move(description));
}

void Syntax::text(const std::string& name, std::string& value, const std::string& help,
                  Need need) const {
  CLI::Option* option = app_->add_option(name, value, help);
  mark(option, need);
  describe(option, described(name, help, need));
}

void Syntax::texts(const std::string& name, std::vector<std::string>& values,
                   const std::string& help, Need need) const {
  CLI::Option* option = app_->add_option(name, values, help)->expected(1)->take_all();
  // A word at its place takes all that follow.
  if (!name.starts_with('-')) {
    option->expected(need == Need::kRequired ? 1 : 0, CLI::detail::expected_max_vector_size);
  }
  option->required(need == Need::kRequired);
  describe(option, described(name, help, need));
}

void Syntax::repeated(const std::string& name, std::vector<std::string>& values,
                      const std::string& help) const {
  describe(app_->add_option(name, values, help)->expected(1)->take_all()->allow_extra_args(false),
           described(name, help, Need::kOptional));
}

void Syntax::flag(const std::string& name, bool& value, const std::string& help) const {
  CommandOption description = described(name, help, Need::kOptional);
  description.takes_value = false;
  describe(app_->add_flag(name, value, help), std::move(description));
}

void Syntax::number(const std::string& name, double& value, const std::string& help,
                    Need need) const {
  CLI::Option* option = app_->add_option(name, value, help);
  mark(option, need);
  describe(option, described(name, help, need));
}

void Syntax::seconds(const std::string& name, double& value, const std::string& help) const {
  constexpr double kMostSeconds = 3600;
  CLI::Option* option = app_->add_option(name, value, help)->check(CLI::Range(0.0, kMostSeconds));
  mark(option, Need::kOptional);
  describe(option, described(name, help, Need::kOptional));
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
  CLI::Option* option = app_->add_option(name, value, help)->check(CLI::Validator(check, ""));
  mark(option, need);
  describe(option, described(name, help, need));
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
  CommandOption description = described(name, help, need);
  description.choices = words;
  describe(option, std::move(description));
}

std::string Syntax::help_after(const std::vector<std::string>& words) const {
  const CLI::App* at = app_;
  std::string before;
  for (const std::string& word : words) {
    before += (before.empty() ? "" : " ") + at->get_name();
    const auto words_here =
        at->get_subcommands([&](const CLI::App* each) { return each->get_name() == word; });
    if (words_here.empty()) return {};
    at = words_here.front();
  }
  // App::help() would tell of the verb that was chosen, which is `help`.
  before += (before.empty() ? "" : " ") + at->get_name();
  return without_gaps(at->get_formatter()->make_help(at, before, CLI::AppFormatMode::Normal));
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

Result<std::vector<Solver>> solvers_from(const std::string& list) {
  if (list == "all") {
    std::vector<Solver> all;
    for (const auto& mechanism : mechanisms()) all.push_back(mechanism->solver());
    return all;
  }
  std::vector<Solver> solvers;
  for (const std::string& word : between_commas(list)) {
    SOTTO_ASSIGN(const auto solver, solver_from(word).at("--solver"));
    if (std::ranges::find(solvers, solver) != solvers.end()) {
      return bad_input("E-solver-twice", fmt::format("{} stands twice in the list", word),
                       "name each solver once")
          .at("--solver");
    }
    solvers.push_back(solver);
  }
  return solvers;
}

int run_command_line(int argc, const char* const* argv) {
  return run_command_line(argc, argv, RankLauncher{});
}

int run_command_line(int argc, const char* const* argv, const RankLauncher& launcher) {
  const std::span words(argv, static_cast<std::size_t>(argc));
  const ErrorStyle style = error_style(words);
  CLI::App app(kAbout, "sotto");
  app.set_version_flag("-V,--version", [&launcher] {
    return fmt::format("sotto {}\ntables: {}\nranks: {}", sotto_version(), built_in_sources(),
                       launcher.about());
  });
  const auto ranks = std::make_shared<ProgramRanks>(launcher);
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 done, 1 failed, 2 bad input, 3 refused for privacy.\n"
      "'sotto help VERB' shows a verb's options and an example.");
  const Syntax program(
      app,
      std::make_shared<CommandNode>(CommandNode{
          .name = "sotto", .summary = kAbout, .example = {}, .options = {}, .words = {}}),
      ranks);
  std::vector<Verb> verbs;
  for (const auto add :
       {add_demo,  add_new,    add_study,    add_plan,      add_simulate, add_problem,
        add_audit, add_keys,   add_check,    add_join,      add_serve,    add_sums,
        add_sql,   add_status, add_abort,    add_ledger,    add_report,   add_predict,
        add_refit, add_view,   add_generate, add_reproduce, add_help}) {
    verbs.push_back(add(program));
    verbs.back().syntax.add_format();
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version are no errors; everything else is bad input.
    if (error.get_exit_code() == 0) {
      std::ostringstream printed;
      app.exit(error, printed, printed);
      fmt::print("{}", without_gaps(printed.str()));
      return 0;
    }
    return print_error(usage_error(app, words, error), style);
  }
  const auto chosen = std::ranges::find_if(verbs, [](const Verb& v) { return v.syntax.chosen(); });
  const auto printed = run_guarded(*chosen);
  // Of several processes the first one speaks; all have the same to say.
  if (ranks->silent()) return printed ? 0 : static_cast<int>(printed.error().status);
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
