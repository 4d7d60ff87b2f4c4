#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/progress_bar.h"
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

}  // namespace

Verb add_simulate(CLI::App& app) {
  struct Options {
    Output output;
    std::string study;
    std::string solvers;
    std::uint64_t seed = 1;
    std::size_t trials = 1;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "simulate", "all parties in one process, from one seed",
                  "sotto simulate examples/paper.toml --solver gt,ac,dishuf --trials 100",
                  options->output);
  command->add_option("study", options->study, "the study, a TOML file")->required();
  command->add_option("--solver", options->solvers, "solvers to compare, as gt,dishuf,ac,pairwise");
  command->add_option("--seed", options->seed, "where all randomness comes from")
      ->capture_default_str();
  command->add_option("--trials", options->trials, "draws of the noise per solver")
      ->capture_default_str();
  auto run = [options]() -> Result<std::string> {
    const auto study = read_study(options->study);
    if (!study) return tl::unexpected(study.error());
    auto solvers = solvers_from(options->solvers, study->solver);
    if (!solvers) return tl::unexpected(solvers.error());
    ProgressBar bar("simulating");
    auto simulation = simulate_study(*study, {.solvers = std::move(*solvers),
                                              .seed = options->seed,
                                              .trials = options->trials,
                                              .progress = bar.callback()});
    if (!simulation) return tl::unexpected(Error(simulation.error()).at(options->study));
    if (options->output.json()) return to_json(*study, *simulation).dump(2) + "\n";
    return to_text(*study, *simulation);
  };
  return {command, run};
}

}  // namespace sotto
