#include "study/plan.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/verb.h"
#include "study/study_file.h"

namespace sotto {

Verb add_plan(CLI::App& app) {
  struct Options {
    Output output;
    std::string study;
    std::string solver;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, "plan", "noise, privacy per adversary, expected error, rounds, bytes; touches no data",
      "sotto plan examples/paper.toml", options->output);
  command->add_option("study", options->study, "the study, a TOML file")->required();
  command->add_option("--solver", options->solver,
                      "gt, dishuf, ac or pairwise in place of the study's");
  auto run = [options]() -> Result<std::string> {
    const auto study = read_study(options->study);
    if (!study) return tl::unexpected(study.error());
    Result<Solver> solver = study->solver;
    if (!options->solver.empty()) solver = solver_from(options->solver);
    if (!solver) return tl::unexpected(Error(solver.error()).at("--solver"));
    auto plan = make_plan(*study, *solver);
    if (!plan) return tl::unexpected(Error(plan.error()).at(options->study));
    if (options->output.json()) return to_json(*study, *plan).dump(2) + "\n";
    return to_text(*study, *plan);
  };
  return {command, run};
}

}  // namespace sotto
