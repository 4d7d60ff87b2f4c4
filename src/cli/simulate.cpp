// `sotto simulate`: all parties in one process. Over the study's own [problem] from a seed; over
// tables with the operating system's noise, and one release.
#include "run/simulate.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/files.h"
#include "base/json.h"
#include "base/version.h"
#include "cli/command_line.h"
#include "cli/terminal/terminal.h"
#include "run/home.h"
#include "study/study.h"

namespace sotto {
namespace {

struct SimulateOptions {
  std::string study;
  std::string solvers;
  std::uint64_t seed = 1;
  std::uint64_t trials = 1;
  CipherChoice cipher = CipherChoice::kIdeal;
  TableRequest data;  // files, separated by commas
  TableSplit::Kind split = TableSplit::Kind::kInterleaved;
  std::string out;  // folder for model.json and record.json; empty: none
};

Result<std::vector<Solver>> solvers_from(const std::string& list, Solver fallback) {
  if (list.empty()) return std::vector{fallback};
  std::vector<Solver> solvers;
  for (const std::string& word : between_commas(list)) {
    SOTTO_ASSIGN(solvers.emplace_back(), solver_from(word).at("--solver"));
  }
  return solvers;
}

// With --data every draw of the noise is a release of somebody's rows: one of
// them, and from a generator that nobody can wind back.
Result<void> allow_data(bool seeded, std::size_t trials, std::size_t solvers) {
  if (seeded) {
    return refused("E-seed-data", "--seed with --data: noise from a known seed protects nobody",
                   "leave --seed away; the operating system's generator is used");
  }
  if (trials > 1 || solvers > 1) {
    return refused("E-trials-data",
                   "several runs over the same tables would spend the budget several times",
                   "run one solver once with --data");
  }
  return {};
}

Result<std::vector<PartyTable>> read_data(const Study& study, const SimulateOptions& options) {
  ProgressBar bar("reading");
  SOTTO_ASSIGN(auto tables, read_tables(study,
                                        {.files = between_commas(options.data.place),
                                         .split = options.split,
                                         .query = options.data.query,
                                         .dialect = options.data.dialect},
                                        bar.callback())
                                .at("--data"));
  for (const SourceFacts& source : tables.front().own.sources) {
    if (source.format.empty()) continue;
    fmt::print(stderr, "{} has {}\n", escape_for_terminal(source.place), source.format);
  }
  return tables;
}

Result<std::string> over_tables(const Study& study, Solver solver, const SimulateOptions& options,
                                Output output) {
  SOTTO_ASSIGN(const auto planned, plan_study(study, solver));
  SOTTO_ASSIGN(const auto cipher, cipher_for(study, options.cipher));
  SOTTO_ASSIGN(auto tables, read_data(study, options));
  SOTTO_ASSIGN(auto model, simulate_tables(planned, std::move(tables), {.cipher = cipher.get()}));
  model.record.finished = utc_text(unix_seconds());
  model.record.version = sotto_version();
  const std::string json = json_text(to_json(model));
  std::string where;
  if (!options.out.empty()) {
    const std::filesystem::path folder(options.out);
    SOTTO_TRY(write_file(folder / "model.json", json));
    SOTTO_TRY(write_record(folder / kRecordFile, model.record));
    where = fmt::format("\n  written: {} and {}\n", (folder / "model.json").string(),
                        (folder / kRecordFile).string());
  }
  return output.json() ? json : to_text(model) + where;
}

Result<std::string> over_problem(const Study& study, std::vector<Solver> solvers,
                                 const SimulateOptions& options, Output output) {
  if (study.data) {
    return bad_input("E-data-missing", "a study over tables needs tables",
                     "add --data a.csv,b.csv; 'sotto generate' makes some up");
  }
  ProgressBar bar("simulating");
  SOTTO_ASSIGN(const auto simulation, simulate_study(study, {.solvers = std::move(solvers),
                                                             .seed = options.seed,
                                                             .trials = options.trials,
                                                             .progress = bar.callback(),
                                                             .cipher = options.cipher}));
  return output.json() ? json_text(to_json(study, simulation)) : to_text(study, simulation);
}

}  // namespace

Verb add_simulate(const Syntax& program) {
  auto options = std::make_shared<SimulateOptions>();
  const Syntax verb =
      program.verb("simulate", "all parties in one process, from one seed",
                   "sotto simulate examples/paper.toml --solver gt,ac,dishuf --trials 100");
  verb.text("study", options->study, "the study, a TOML file", Need::kRequired);
  verb.text("--solver", options->solvers, "solvers to compare, as gt,dishuf,ac,pairwise");
  verb.whole("--seed", options->seed, "where all randomness comes from; not with --data");
  verb.whole("--trials", options->trials, "draws of the noise per solver");
  verb.choice("--cipher", options->cipher,
              {{"ideal", CipherChoice::kIdeal}, {"paillier", CipherChoice::kPaillier}},
              "what dishuf encrypts with; same answers, other times");
  verb.text("--data", options->data.place,
            "tables, one per party: a.csv,b.csv or '*.csv'; or one to split");
  add_table_words(verb, options->data);
  verb.choice("--split", options->split,
              {{"interleaved", TableSplit::Kind::kInterleaved},
               {"contiguous", TableSplit::Kind::kContiguous}},
              "how one file is dealt out to the parties");
  verb.text("--out", options->out, "with --data: folder for model.json and record.json");
  auto run = [options, verb](Output output) -> Result<std::string> {
    SOTTO_ASSIGN(const auto study, read_study(options->study));
    SOTTO_ASSIGN(auto solvers, solvers_from(options->solvers, study.solver));
    if (!verb.given("--data")) {
      return over_problem(study, std::move(solvers), *options, output).at(options->study);
    }
    SOTTO_TRY(
        allow_data(verb.given("--seed"), options->trials, solvers.size()).at("the command line"));
    return over_tables(study, solvers.front(), *options, output).at(options->study);
  };
  return {verb, run};
}

}  // namespace sotto
