// How the four solvers' errors grow with the number of parties, at the same (ε, δ). The problem
// stays the same: only the number of parties it is divided among changes.

#include <sotto/simulate.h>

#include <cstdio>
#include <string>

namespace {

// A study that brings its own made-up costs, as in the paper; text with a hole for n.
std::string study_of(int parties) {
  return R"(
[study]
name   = "growth"
solver = "dishuf"

[privacy]
epsilon = 10.0
delta   = 0.2
unit    = "entry"
mu      = 3.0

[graph]
topology = "cycle"
weight   = 0.3
parties  = )" +
         std::to_string(parties) + R"(

[gt]
lambda_min = 200.0              # public: the sum of all A_i is at least 200·I
step       = "auto"

[problem]
family = "paper"
m      = 3
seed   = 1
)";
}

int fail(const sotto::Error& error) {
  std::fprintf(stderr, "%s\n", error.to_string().c_str());
  return static_cast<int>(error.status);
}

}  // namespace

int main() {
  using namespace sotto::v1;
  SimulateOptions options;
  options.solvers = {Solver::kGt, Solver::kAc, Solver::kDishuf, Solver::kPairwise};
  options.trials = 64;

  std::printf("median of |x - x*|^2 over 64 trials\n\n%8s", "parties");
  for (const Solver solver : options.solvers) std::printf("%12s", name_of(solver).c_str());
  std::printf("\n");
  for (const int parties : {5, 10, 20}) {
    const Result<Study> study = Study::parse(study_of(parties), "growth.toml");
    if (!study) return fail(study.error());
    const Result<Simulation> simulation = simulate(*study, options);
    if (!simulation) return fail(simulation.error());
    std::printf("%8d", parties);
    for (const Summary& row : simulation->summary) std::printf("%12.2e", row.median);
    std::printf("\n");
  }
  // gt and ac: every party hides itself, so the noise grows with √n. The other two hide behind
  // noise that cancels. Beyond 20 parties gt can no longer promise a convex objective at this
  // (ε, δ): docs/FINDINGS.md, 2 and 18.
}
