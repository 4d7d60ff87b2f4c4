#include "cli/audit.h"

#include <fmt/format.h>

#include <memory>

#include "base/files.h"
#include "base/json.h"
#include "base/version.h"
#include "cli/command_line.h"
#include "cli/terminal/terminal.h"
#include "report/audit_chart.h"
#include "study/settings.h"

namespace sotto {
namespace {

struct AuditOptions {
  std::string study;
  std::string solver;
  std::vector<std::string> settings;
  AuditRequest request;
  std::string chart;
};

Result<Study> audited_study(const AuditOptions& options) {
  SOTTO_ASSIGN(const auto source, read_study_text(options.study));
  std::vector<SettingValues> keys;
  for (const std::string& words : options.settings) {
    SOTTO_ASSIGN(keys.emplace_back(), setting_from(words));
  }
  SOTTO_ASSIGN(const auto grid, grid_of(keys));
  if (grid.size() != 1) {
    return bad_input("E-setting", "an audit is of one setting", "give each key one value")
        .at("--set");
  }
  return study_with(source, grid.front());
}

Result<std::string> run_audit(const AuditOptions& options, Output output) {
  SOTTO_ASSIGN(const auto study, audited_study(options));
  Solver solver = study.solver;
  if (!options.solver.empty()) {
    SOTTO_ASSIGN(solver, solver_from(options.solver).at("--solver"));
  }
  SOTTO_ASSIGN(const auto planned, plan_study(study, solver));
  ProgressBar bar("attacking");
  AuditRequest request = options.request;
  request.progress = bar.callback();
  SOTTO_ASSIGN(const auto report, audit_study(planned, request));
  std::string text;
  if (output.json()) {
    Json json = to_json(study, report);
    json["version"] = sotto_version();
    json["seed"] = request.seed;
    text = json_text(json);
  } else {
    text = to_text(study, report);
  }
  if (!options.chart.empty()) {
    SOTTO_TRY(
        write_file(options.chart, standalone_svg(trade_off_chart(study.privacy.budget, report))));
    if (!output.json()) text += fmt::format("\n  written: {}\n", options.chart);
  }
  return audit_outcome(report, std::move(text));
}

}  // namespace

Result<std::string> audit_outcome(const AuditReport& report, std::string text) {
  if (!report.disproved()) return text;
  fmt::print("{}", text);
  return failed("E-audit", "an attack proves more than the study claims",
                "a bug, or a study that claims too much: SECURITY.md says whom to tell");
}

Verb add_audit(const Syntax& program) {
  auto options = std::make_shared<AuditOptions>();
  const Syntax verb = program.verb("audit", "tries to disprove the ε that a study claims",
                                   "sotto audit examples/paper.toml --solver pairwise");
  verb.text("study", options->study, "the study, a TOML file; - is standard input",
            Need::kRequired);
  const Syntax attacked = verb.group("What is attacked");
  attacked.text("--solver", options->solver, "another solver than the study's");
  attacked.repeated("--set", options->settings,
                    "a key of the study and its value, graph.parties=5");
  attacked.whole("--runs", options->request.runs, "how many in each of the worlds, at most",
                 {.from = kFirstAuditRuns, .to = kMaxTrials});
  attacked.whole("--seed", options->request.seed, "of the noise: no real data is touched");
  verb.group(kOutput).text("--chart", options->chart,
                           "an SVG file: false alarms against what is missed");
  return {verb, [options](Output output) { return run_audit(*options, output); }};
}

}  // namespace sotto
