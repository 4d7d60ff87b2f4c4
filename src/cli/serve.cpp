// `sotto serve`: a party takes part in all studies of a folder. What it does is
// run/service/serve.h.
#include "run/service/serve.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <memory>

#include "base/json.h"
#include "cli/command_line.h"
#include "cli/terminal/terminal.h"
#include "report/run_report.h"
#include "run/home.h"
#include "run/service/event_log.h"

namespace sotto {
namespace {

struct ServeOptions {
  Format progress = Format::kText;
  std::string log;
  ServeRequest request;
};

std::atomic<bool> end_wanted{false};

void catch_end() {
  end_wanted = false;
  struct sigaction action {};
  action.sa_handler = [](int) { end_wanted = true; };
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

// The line of `join --progress json`, with the study that it is about.
std::string json_line_of(const std::string& study, const JoinEvent& event) {
  Json line = parse_json(to_json_line(event, unix_seconds()));
  line["study"] = study;
  return json_line(line);
}

Result<std::string> run_serve(const ServeOptions& options) {
  ServeRequest request = options.request;
  SOTTO_ASSIGN(request.home, home_folder(request.home));
  std::shared_ptr<EventLog> log;
  if (!options.log.empty()) {
    SOTTO_ASSIGN(log, EventLog::open(options.log));
  }
  catch_end();
  const bool events = options.progress == Format::kJson;
  const auto tell = [&](const std::string& study, const JoinEvent& event) {
    const std::string text = study.empty() ? event.text : study + ": " + event.text;
    if (log) log->write(text, unix_seconds());
    if (events) {
      fmt::print(stderr, "{}\n", json_line_of(study, event));
    } else {
      fmt::print(stderr, "{:%H:%M:%S} {}\n", fmt::localtime(unix_seconds()),
                 escape_for_terminal(text));
    }
  };
  SOTTO_TRY(serve(
      request,
      {.on_event = tell,
       .report = [](const RunRecord& record) { return run_report(record, Audience::kOwn).html(); },
       .interrupted = [] { return end_wanted.load(); }}));
  return std::string("stopped; the same command goes on with everything that is unfinished\n");
}

}  // namespace

Verb add_serve(const Syntax& program) {
  auto options = std::make_shared<ServeOptions>();
  const Syntax verb =
      program.verb("serve", "take part in all studies of a folder, at one port, until it is ended",
                   "sotto serve /srv/sotto --home /var/lib/sotto --log /var/log/sotto.log");
  verb.text("folder", options->request.folder, "the folder with serve.toml", Need::kRequired);
  verb.group(kWhoAndWhere).text("--home", options->request.home, kHomeHelp);
  verb.group(kTold).text(
      "--log", options->log,
      "a file for what happens as well, a line each with date and zone, added at its end");
  verb.group(kTold).choice(
      "--progress", options->progress, {{"text", Format::kText}, {"json", Format::kJson}},
      "how standard error tells what happens: text, or json for one object a line");
  return {verb, [options](Output) { return run_serve(*options); }};
}

}  // namespace sotto
