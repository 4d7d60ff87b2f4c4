#include "study/problem.h"

#include <fmt/format.h>

#include <filesystem>

#include "problem/family.h"
#include "problem/problem_file.h"
#include "problem/theta.h"

namespace sotto {

Result<Problem> load_problem(const Study& study) {
  if (!study.problem) {
    return bad_input("E-problem-missing", "the study has no [problem] to simulate",
                     "add [problem] with family = \"paper\", or with files");
  }
  const ProblemSource& source = *study.problem;
  Problem problem;
  if (source.files.empty()) {
    auto costs = paper_family(study.graph().size(), source.dimension, source.seed);
    if (!costs) return tl::unexpected(Error(costs.error()).at("[problem]"));
    problem.costs = std::move(*costs);
  } else {
    const std::vector<std::filesystem::path> paths(source.files.begin(), source.files.end());
    auto costs = read_problem(paths);
    if (!costs) return tl::unexpected(costs.error());
    problem.costs = std::move(*costs);
    if (problem.costs.size() != study.graph().size()) {
      return bad_input("E-problem-parties",
                       fmt::format("the files hold {} parties' costs, and the graph has {} parties",
                                   problem.costs.size(), study.graph().size()),
                       "let both agree");
    }
  }
  const Quadratic total = sum(problem.costs);
  if (!total.a.allFinite() || !total.b.allFinite()) {
    return bad_input("E-problem-number", "the parties' costs add up past the largest double",
                     "scale the problem down");
  }
  auto solution = minimiser(problem.costs);
  if (!solution) return tl::unexpected(Error(solution.error()).at("[problem]"));
  if (!solution->allFinite()) {
    return bad_input("E-problem-number", "the solution without noise is past the largest double",
                     "scale the problem, so that A and B are of one size");
  }
  problem.solution = std::move(*solution);
  return problem;
}

std::vector<Secret> secrets_of(const Problem& problem, Sensitivity mu) {
  std::vector<Secret> secrets;
  secrets.reserve(problem.costs.size());
  for (const Quadratic& cost : problem.costs) {
    secrets.push_back(Secret::of_entries(to_theta(cost), mu));
  }
  return secrets;
}

}  // namespace sotto
