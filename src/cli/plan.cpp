// `sotto plan`: what follows from the study alone, held against the policy of whoever asks.
#include "plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/files.h"
#include "base/json.h"
#include "base/words.h"
#include "cli/command_line.h"
#include "cli/terminal/terminal.h"
#include "cli/text/account_text.h"
#include "cli/text/comparison_tables.h"
#include "plan/comparison.h"
#include "report/chart.h"
#include "report/pdf.h"
#include "run/account.h"
#include "run/consent/policy_check.h"
#include "run/home.h"
#include "run/lab/faults.h"
#include "study/settings.h"
#include "study/study.h"

namespace sotto {
namespace {

// What a run would cost an account of this party. No data is touched, and nothing is reserved.
Result<AccountForecast> forecast(const Study& study, const Plan& plan, const std::string& account,
                                 const std::string& home) {
  SOTTO_ASSIGN(const auto folder, home_folder(home));
  if (!Store::exists(folder)) {
    return bad_input("E-account-unknown", fmt::format("there is no ledger in {}", folder),
                     "name the party's --home, or make an account there with 'sotto ledger new'");
  }
  SOTTO_ASSIGN(const auto store, Store::open(folder, unix_seconds));
  const Debit debit = debit_of(study, plan, account);
  AccountForecast made;
  SOTTO_ASSIGN(made.before, store.account(account));
  SOTTO_ASSIGN(made.with, store.account_with(debit));
  made.runs_left = runs_left(made.before, debit);
  if (const auto affords = store.affords(debit); !affords) made.refusal = affords.error();
  return made;
}

// Of a party's home, if somebody plans on a machine that has one.
Result<std::optional<Policy>> policy_of(const std::string& option) {
  const auto home = home_folder(option);
  return home ? read_policy(*home) : std::optional<Policy>{};
}

struct PlanOptions {
  std::string study;
  std::string solver;
  std::string epsilon;
  std::string account;
  std::string home;
  std::string chart;
  bool compare = false;
  std::string topology;
  std::string parties;
  std::uint64_t rows = 0;
};

Result<std::vector<double>> epsilons_from(const std::string& list) {
  std::vector<double> epsilons;
  for (const std::string& word : between_commas(list)) {
    double number = 0;
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (fault != std::errc{} || end != word.data() + word.size()) {
      return bad_input("E-usage", fmt::format("\"{}\" is not a number", word),
                       "write --epsilon 0.5,1,2")
          .at("--epsilon");
    }
    epsilons.push_back(number);
  }
  return epsilons;
}

Result<std::vector<Topology>> topologies_from(const std::string& list) {
  std::vector<Topology> topologies;
  for (const std::string& word : between_commas(list)) {
    const auto topology = topology_from(word);
    if (!topology) {
      return bad_input("E-usage", fmt::format("\"{}\" is no topology", word),
                       "write --topology cycle,torus,random-regular; docs/STUDY.md lists them")
          .at("--topology");
    }
    topologies.push_back(*topology);
  }
  return topologies;
}

Result<std::vector<std::size_t>> sizes_from(const std::string& list) {
  std::vector<std::size_t> sizes;
  for (const std::string& word : between_commas(list)) {
    std::size_t number = 0;
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (fault != std::errc{} || end != word.data() + word.size() || number < 2) {
      return bad_input("E-usage", fmt::format("\"{}\" is no number of parties", word),
                       "write --parties 10,100,1000")
          .at("--parties");
    }
    sizes.push_back(number);
  }
  std::ranges::sort(sizes);
  return sizes;
}

Result<std::string> compare(const Study& study, const PlanOptions& options, Output output) {
  std::vector<Solver> solvers{study.solver};
  if (!options.solver.empty()) {
    SOTTO_ASSIGN(solvers, solvers_from(options.solver));
  }
  std::vector<double> epsilons{study.privacy.budget.epsilon.value()};
  if (!options.epsilon.empty()) {
    SOTTO_ASSIGN(epsilons, epsilons_from(options.epsilon));
  }
  std::ranges::sort(epsilons);
  SOTTO_ASSIGN(
      const auto comparison,
      compare_plans(study, epsilons, solvers, options.rows == 0 ? kComparedRows : options.rows)
          .at("--epsilon"));
  if (!options.chart.empty()) {
    const std::filesystem::path file(options.chart);
    std::filesystem::path svg = file;
    if (file.extension() == ".pdf") svg.replace_extension(".svg");
    SOTTO_TRY(write_file(svg, standalone_svg(comparison_chart(comparison))).at("--chart"));
    if (file.extension() == ".pdf") SOTTO_TRY(write_pdf(svg, file));
  }
  if (output.format == Format::kCsv) return comparison_csv(comparison);
  if (output.json()) return json_text(to_json(comparison));
  std::string text = to_text(comparison);
  if (options.rows == 0 && study.data) {
    text += "  Nobody said how many rows there are: --rows does.\n";
  }
  if (!options.chart.empty()) text += fmt::format("\n  written: {}\n", options.chart);
  return text;
}

// The same study on other graphs: solvers × topologies × numbers of parties.
Result<std::string> compare_on_graphs(const PlanOptions& options, Output output) {
  SOTTO_ASSIGN(const auto source, read_study_text(options.study));
  SOTTO_ASSIGN(const auto study, study_with(source, {}));
  std::vector<Solver> solvers{study.solver};
  if (!options.solver.empty()) {
    SOTTO_ASSIGN(solvers, solvers_from(options.solver));
  }
  std::vector<Topology> topologies{study.graph().topology()};
  if (!options.topology.empty()) {
    SOTTO_ASSIGN(topologies, topologies_from(options.topology));
  }
  std::vector<std::size_t> parties{study.graph().size()};
  if (!options.parties.empty()) {
    SOTTO_ASSIGN(parties, sizes_from(options.parties));
  }
  SOTTO_ASSIGN(const auto comparison,
               compare_graphs(source, topologies, solvers, parties).at("--compare"));
  if (!options.chart.empty()) {
    SOTTO_TRY(
        write_file(options.chart, standalone_svg(comparison_chart(comparison))).at("--chart"));
  }
  if (output.format == Format::kCsv) return comparison_csv(comparison);
  if (output.json()) return json_text(to_json(comparison));
  std::string text = to_text(comparison);
  if (!options.chart.empty()) text += fmt::format("\n  written: {}\n", options.chart);
  return text;
}

// Parties that are written down and could not meet: whoever only simulates need not care.
void warn_about_network(const Study& study, Plan& plan) {
  const bool named = std::ranges::any_of(
      study.parties, [](const PartyTerms& party) { return !party.fingerprint.empty(); });
  if (!named) return;
  if (const auto ready = check_network(study); !ready) {
    plan.warnings.push_back(fmt::format("a run between these parties cannot begin yet: {}; {}",
                                        ready.error().what, ready.error().fix));
  }
}

Result<std::string> plan_one(const Study& study, const PlanOptions& options, Output output) {
  Solver solver = study.solver;
  if (!options.solver.empty()) {
    SOTTO_ASSIGN(solver, solver_from(options.solver).at("--solver"));
  }
  SOTTO_ASSIGN(auto plan, make_plan(study, solver).at(options.study));
  if (options.rows > 0) {
    if (auto weak = weak_delta(study.privacy.budget, options.rows)) {
      plan.warnings.push_back(std::move(*weak));
    }
  }
  warn_about_network(study, plan);
  SOTTO_ASSIGN(const auto policy, policy_of(options.home));
  if (policy) {
    const auto broken = policy_against_study(*policy, study, solver, plan.adversaries);
    if (!broken.empty()) return broken.front();
  }
  std::string text = to_text(study, plan);
  Json json = to_json(study, plan);
  // A family's costs are public, so that its run can be tried out; files would be data.
  if (study.faults && study.problem && study.problem->files.empty()) {
    SOTTO_ASSIGN(const auto problem, family_problem(study));
    const auto report = simulate_faults({.study = study, .plan = plan}, problem.costs);
    text += fmt::format("\n  {} {}", to_string(solver), to_text(*study.faults, report));
    json["faults"] = to_json(*study.faults, report);
  }
  if (!options.account.empty()) {
    SOTTO_ASSIGN(const auto cost,
                 forecast(study, plan, options.account, options.home).at("--account"));
    text += forecast_text(cost);
    json["account"] = forecast_json(cost);
  }
  if (policy) {
    text += fmt::format("\n  {:<12} keeps {}\n", "policy", escape_for_terminal(policy->file));
    json["policy"] = policy->file;
  }
  return output.json() ? json_text(json) : text;
}

}  // namespace

Verb add_plan(const Syntax& program) {
  auto options = std::make_shared<PlanOptions>();
  const Syntax verb = program.verb(
      "plan", "noise, privacy per adversary, expected error, rounds, bytes; touches no data",
      "sotto plan examples/paper.toml\n"
      "  sotto plan study.toml --epsilon 0.5,1,2 --solver all --rows 5000 --chart choose.svg\n"
      "  sotto plan study.toml --compare --solver all --topology cycle,torus,random-regular "
      "--parties 16,100,1024",
      /*has_csv=*/true);
  const Syntax planned = verb.group("What is planned");
  verb.text("study", options->study, "the study, a TOML file", Need::kRequired);
  planned.text(
      "--solver", options->solver,
      "gt, dishuf, ac or pairwise in place of the study's; several as ac,dishuf or all are "
      "compared");
  planned.whole(
      "--rows", options->rows,
      "how many rows all tables have together, if that is known: warns of a δ above 1/rows",
      {.from = 1});
  const Syntax choosing = verb.group("Choosing ε");
  choosing.text("--epsilon", options->epsilon,
                "compares several ε, as 0.5,1,2: error and intervals beside what each observer "
                "may learn");
  choosing.text("--chart", options->chart, "also draws the comparison into this SVG or PDF file");
  const Syntax growing = verb.group("Choosing a graph");
  growing.flag("--compare", options->compare,
               "compares solvers on several graphs: noise, ε of each observer, rounds, bytes, and "
               "how they grow with the number of parties");
  growing.text("--topology", options->topology,
               "with --compare: the graphs, as cycle,torus,random-regular; else the study's");
  growing.text("--parties", options->parties,
               "with --compare: how many take part, as 16,100,1024; else the study's number");
  const Syntax own = verb.group("Your own side");
  own.text("--account", options->account, "also what a run would cost this account of the ledger");
  own.text("--home", options->home,
           "whose policy.toml the study is held against, and whose ledger --account is in; else "
           "$SOTTO_HOME, else ~/.sotto");
  auto run = [options, verb](Output output) -> Result<std::string> {
    if (options->compare) {
      for (const char* option : {"--epsilon", "--account", "--rows"}) {
        if (!verb.given(option)) continue;
        return bad_input("E-usage", fmt::format("{} does not go with --compare", option),
                         "leave one of them away")
            .at(option);
      }
      return compare_on_graphs(*options, output);
    }
    for (const char* option : {"--topology", "--parties"}) {
      if (!verb.given(option)) continue;
      return bad_input("E-usage", fmt::format("{} is for --compare", option), "add --compare")
          .at(option);
    }
    SOTTO_ASSIGN(const auto study, read_study(options->study));
    const bool several = options->solver == "all" || options->solver.find(',') != std::string::npos;
    if (!several && !verb.given("--epsilon") && !verb.given("--chart") &&
        output.format != Format::kCsv) {
      return plan_one(study, *options, output);
    }
    if (!options->account.empty()) {
      return bad_input("E-usage", "--account goes with one plan, and these are several",
                       "leave it away, or --epsilon, --solver and --chart")
          .at("--account");
    }
    return compare(study, *options, output);
  };
  return {verb, run};
}

}  // namespace sotto
