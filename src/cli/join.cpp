// `sotto join`: one party takes part. What it does is run/join.h; here are its words.
#include "run/join/join.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <optional>

#include "cli/command_line.h"
#include "cli/terminal/terminal.h"
#include "cli/text/consent.h"
#include "report/run_report.h"
#include "run/home.h"
#include "run/service/event_log.h"
#include "study/study.h"

namespace sotto {
namespace {

struct JoinOptions {
  Format progress = Format::kText;
  std::string name;
  bool ask = false;
  std::string log;
  std::string on_finish;
  JoinRequest request;
};

std::atomic<bool> interrupted{false};

void catch_signals() {
  interrupted = false;
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = true; };
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

// One line a change, with the time: what an operator wants to find in a log. Peers have words in
// it, and a terminal must not obey them.
void say(const JoinEvent& event) {
  fmt::print(stderr, "{:%H:%M:%S} {}\n", fmt::localtime(unix_seconds()),
             escape_for_terminal(event.text));
}

void say_in_json(const JoinEvent& event) {
  fmt::print(stderr, "{}\n", to_json_line(event, unix_seconds()));
}

// Everything that is told goes to the log too.
std::function<void(const JoinEvent&)> teller(bool events, const std::shared_ptr<EventLog>& log) {
  return [events, log](const JoinEvent& event) {
    if (log) log->write(event.text, unix_seconds());
    events ? say_in_json(event) : say(event);
  };
}

// A command that fails is reported, and changes nothing: the run is over.
void finish_with(const JoinOptions& options, const Study& study, const Result<Joined>& joined,
                 const std::function<void(const JoinEvent&)>& tell) {
  const bool interrupted_only = !joined && joined.error().name == "E-interrupted";
  if (options.on_finish.empty() || interrupted_only) return;
  Ending ending{.state = joined ? "finished" : "failed",
                .study = study.name,
                .party = options.name,
                .error = joined ? std::string() : joined.error().name};
  if (joined) {
    ending.run = joined->run;
    const auto file = [&](std::size_t k) {
      return k < joined->files.size() ? joined->files[k] : std::string();
    };
    ending.model = file(0);
    ending.record = file(1);
    ending.report = file(2);
  }
  if (const auto ran = run_on_finish(options.on_finish, ending); !ran) {
    tell({.kind = JoinEvent::Kind::kNote,
          .text = fmt::format("[{}] {}; {}", ran.error().name, ran.error().what, ran.error().fix)});
  }
}

std::string joined_text(const Joined& joined) {
  if (joined.model) {
    return to_text(*joined.model) +
           fmt::format("\n  written: {}\n",
                       std::filesystem::path(joined.files.front()).parent_path().string());
  }
  std::string text =
      fmt::format("this study was run to its end already ({})\n", short_run(joined.run));
  for (const std::string& file : joined.files) text += fmt::format("  {}\n", file);
  return text + "--again runs it once more, with everybody, and costs the budget once more\n";
}

Result<std::string> join(const JoinOptions& options, Output output) {
  JoinRequest request = options.request;
  if (options.ask && request.data.place == "-") {
    return bad_input("E-usage", "--ask and --data - both read standard input",
                     "name a file, or leave --ask away");
  }
  SOTTO_ASSIGN(const auto study, read_study(request.study_file));
  SOTTO_TRY(check_network(study).at(request.study_file));
  SOTTO_ASSIGN(request.self, party_named(study, options.name).at("--as"));
  SOTTO_ASSIGN(request.home, home_folder(request.home));
  catch_signals();
  request.data.interrupted = [] { return interrupted.load(); };
  const bool events = options.progress == Format::kJson;
  std::shared_ptr<EventLog> log;
  if (!options.log.empty()) {
    SOTTO_ASSIGN(log, EventLog::open(options.log));
  }
  const auto tell = teller(events, log);
  std::optional<ProgressBar> bar(std::in_place, "reading");
  const auto show_consent = [&](const Consent& consent) {
    bar.reset();
    if (log) {
      log->write(fmt::format("{} as {}: {}", consent.study, consent.party,
                             consent.cost ? cost_text(*consent.cost) : asked_text(consent.asked)),
                 unix_seconds());
    }
    if (events) {
      fmt::print(stderr, "{}\n", to_json_line(consent, unix_seconds()));
    } else {
      fmt::print(stderr, "{}", consent_text(consent));
    }
  };
  const auto outcome = join_study(
      study, request,
      {.on_consent = show_consent,
       .agreed = options.ask ? ask_whether_to_take_part : nullptr,
       .on_event = tell,
       .reading = events ? CsvProgress{} : bar->callback(),
       .report = [](const RunRecord& record) { return run_report(record, Audience::kOwn).html(); },
       .interrupted = [] { return interrupted.load(); }});
  if (log) {
    log->write(outcome ? fmt::format("run {} is finished", short_run(outcome->run))
                       : fmt::format("[{}] {}", outcome.error().name, outcome.error().what),
               unix_seconds());
  }
  finish_with(options, study, outcome, tell);
  if (!outcome) return outcome.error();
  const Joined& joined = *outcome;
  if (events) {
    say_in_json({.kind = JoinEvent::Kind::kFinished,
                 .text = fmt::format("run {} is finished", short_run(joined.run)),
                 .run = joined.run,
                 .files = joined.files});
  }
  if (!output.json()) return joined_text(joined);
  if (joined.json.empty() && !joined.files.empty()) {
    return bad_input("E-run-files", "the result of that run is not where it was written",
                     fmt::format("look for {}, or run it --again", joined.files.front()));
  }
  return joined.json;
}

}  // namespace

void add_party_words(const Syntax& verb, std::string& name, JoinRequest& request) {
  verb.text("study", request.study_file, "study.toml, the same for all", Need::kRequired);
  const Syntax who = verb.group(kWhoAndWhere);
  who.text("--as", name, "this party's name in the study", Need::kRequired);
  who.text("--home", request.home, kHomeHelp);
  who.text("--listen", request.listen,
           "host:port to listen at (default: the port of its address in the study)");
  const Syntax table = verb.group(kOneTable);
  table.text("--data", request.data.place,
             "this party's table: files, - for standard input, postgresql://… or a file of 'sotto "
             "sums'; or its {\"A\": …, \"B\": …}; stays here");
  add_table_words(table, request.data);
  table.flag("--push-down", request.data.push_down, kPushDownHelp);
  verb.group(kCost).text(
      "--account", request.account,
      "the account of the ledger that pays (default: named by party and columns)");
}

void add_table_words(const Syntax& verb, TableRequest& table) {
  verb.text("--query", table.query, "of a database: what to read, SQL or the name of a table");
  verb.choice(
      "--separator", table.dialect.separator,
      {{"auto", std::nullopt}, {"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"bar", '|'}},
      "what stands between a CSV file's fields; auto: what its header tells");
  verb.choice("--decimal", table.dialect.decimal,
              {{"auto", std::nullopt}, {"point", '.'}, {"comma", ','}},
              "what a CSV file's numbers have; auto: point, or comma if it is nowhere else");
}

Verb add_join(const Syntax& program) {
  auto options = std::make_shared<JoinOptions>();
  JoinRequest& request = options->request;
  const Syntax verb = program.verb("join", "take part in a study; resumes by itself after a crash",
                                   "sotto join study.toml --as north --data north.csv");
  add_party_words(verb, options->name, request);
  verb.group(kOutput).text("--out", request.out, "where the result goes (default: in the home)");
  const Syntax cost = verb.group(kCost);
  cost.flag("--again", request.again,
            "run a study that was finished once more; costs the budget once more");
  cost.flag(
      "--ask", options->ask,
      "ask on this terminal before the first word leaves; without it what the study promises, "
      "what it costs and what is wrong is shown, and only problems stop");
  const Syntax told = verb.group(kTold);
  told.text("--log", options->log,
            "a file for what happens as well, a line each with date and zone, added at its end");
  told.text("--on-finish", options->on_finish,
            "a command for /bin/sh when the run is over; SOTTO_STATE, SOTTO_RUN, SOTTO_MODEL, "
            "SOTTO_RECORD, SOTTO_REPORT and SOTTO_ERROR tell it how");
  told.choice("--progress", options->progress, {{"text", Format::kText}, {"json", Format::kJson}},
              "how standard error tells what happens: text, or json for one object a line with "
              "time, event, its fields, and text");
  return {verb, [options](Output output) { return join(*options, output); }};
}

}  // namespace sotto
