#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/progress_bar.h"
#include "cli/simulate_tables.h"
#include "cli/verb.h"
#include "study/run.h"
#include "study/study_file.h"

namespace sotto {
namespace {

Result<std::vector<Solver>> solvers_from(const std::string& list, Solver fallback) {
  if (list.empty()) return std::vector{fallback};
  std::vector<Solver> solvers;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    const auto solver = solver_from(word);
    if (!solver) return tl::unexpected(Error(solver.error()).at("--solver"));
    solvers.push_back(*solver);
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

}  // namespace

Verb add_simulate(CLI::App& app) {
  struct Options {
    Output output;
    std::string study;
    std::string solvers;
    std::uint64_t seed = 1;
    std::size_t trials = 1;
    std::string cipher;
    TablesRequest tables;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, "simulate", "all parties in one process, from one seed",
      "sotto simulate examples/paper.toml --solver gt,ac,dishuf --trials 100", options->output);
  command->add_option("study", options->study, "the study, a TOML file")->required();
  command->add_option("--solver", options->solvers, "solvers to compare, as gt,dishuf,ac,pairwise");
  const CLI::Option* seed =
      command
          ->add_option("--seed", options->seed, "where all randomness comes from; not with --data")
          ->check(whole_number())
          ->capture_default_str();
  command->add_option("--trials", options->trials, "draws of the noise per solver")
      ->check(whole_number())
      ->capture_default_str();
  command
      ->add_option("--cipher", options->cipher,
                   "what dishuf encrypts with; same answers, other times")
      ->check(CLI::IsMember({"ideal", "paillier"}))
      ->default_val("ideal");
  const CLI::Option* data = command->add_option(
      "--data", options->tables.data, "CSV files, one per party: a.csv,b.csv; or one to split");
  command->add_option("--split", options->tables.split, "how one file is dealt out to the parties")
      ->check(CLI::IsMember({"interleaved", "contiguous"}))
      ->default_val("interleaved");
  command->add_option("--out", options->tables.out,
                      "with --data: folder for model.json and record.json");
  auto run = [options, seed, data]() -> Result<std::string> {
    const auto study = read_study(options->study);
    if (!study) return tl::unexpected(study.error());
    auto solvers = solvers_from(options->solvers, study->solver);
    if (!solvers) return tl::unexpected(solvers.error());
    const CipherChoice cipher =
        options->cipher == "paillier" ? CipherChoice::kPaillier : CipherChoice::kIdeal;
    if (data->count() > 0) {
      const bool seeded = seed->count() > 0;
      if (auto allowed = allow_data(seeded, options->trials, solvers->size()); !allowed) {
        return tl::unexpected(Error(allowed.error()).at("the command line"));
      }
      options->tables.cipher = cipher;
      options->tables.output = options->output;
      auto printed = simulate_tables(*study, solvers->front(), options->tables);
      if (!printed) return tl::unexpected(Error(printed.error()).at(options->study));
      return printed;
    }
    if (study->data) {
      return tl::unexpected(bad_input("E-data-missing", "a study over tables needs tables",
                                      "add --data a.csv,b.csv; 'sotto generate' makes some up")
                                .value()
                                .at(options->study));
    }
    ProgressBar bar("simulating");
    auto simulation = simulate_study(*study, {.solvers = std::move(*solvers),
                                              .seed = options->seed,
                                              .trials = options->trials,
                                              .progress = bar.callback(),
                                              .cipher = cipher});
    if (!simulation) return tl::unexpected(Error(simulation.error()).at(options->study));
    if (options->output.json()) return to_json(*study, *simulation).dump(2) + "\n";
    return to_text(*study, *simulation);
  };
  return {command, run};
}

}  // namespace sotto
