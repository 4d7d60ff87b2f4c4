// `sotto plan`: what follows from the study alone.
#include "plan/plan.h"

#include <memory>

#include "base/json.h"
#include "cli/command_line.h"
#include "study/study.h"

namespace sotto {

Verb add_plan(const Syntax& program) {
  struct Options {
    std::string study;
    std::string solver;
  };
  auto options = std::make_shared<Options>();
  const Syntax verb = program.verb(
      "plan", "noise, privacy per adversary, expected error, rounds, bytes; touches no data",
      "sotto plan examples/paper.toml");
  verb.text("study", options->study, "the study, a TOML file", Need::kRequired);
  verb.text("--solver", options->solver, "gt, dishuf, ac or pairwise in place of the study's");
  auto run = [options](Output output) -> Result<std::string> {
    SOTTO_ASSIGN(const auto study, read_study(options->study));
    Solver solver = study.solver;
    if (!options->solver.empty()) {
      SOTTO_ASSIGN(solver, solver_from(options->solver).at("--solver"));
    }
    SOTTO_ASSIGN(const auto plan, make_plan(study, solver).at(options->study));
    return output.json() ? json_text(to_json(study, plan)) : to_text(study, plan);
  };
  return {verb, run};
}

}  // namespace sotto
