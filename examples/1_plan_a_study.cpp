// How much noise a study needs, and what each kind of observer learns in spite of it. No data is
// touched: all of this follows from what the parties agree on.

#include <sotto/plan.h>

#include <cstdio>

namespace {

// Ten parties on a cycle, one person's row hidden with (ε, δ) = (1, 10⁻⁶). Usually a file.
constexpr const char* kStudy = R"(
[study]
name   = "blood-pressure"
solver = "dishuf"

[privacy]
epsilon    = 1.0
delta      = 1e-6
unit       = "record"
neighbours = "add-remove"

[graph]
topology = "cycle"
parties  = 10
weight   = "metropolis"

[data]
target = { column = "systolic", bounds = [80, 200] }
[[data.feature]]
column = "age"
bounds = [18, 100]
[[data.feature]]
column = "smoker"
levels = ["no", "yes"]
)";

int fail(const sotto::Error& error) {
  std::fprintf(stderr, "%s\n", error.to_string().c_str());
  return static_cast<int>(error.status);
}

}  // namespace

int main() {
  using namespace sotto::v1;

  // What people write may be wrong: a Result holds the value, or an error that says what would be
  // right.
  const Result<Study> study = Study::parse(kStudy, "blood-pressure.toml");
  if (!study) return fail(study.error());

  for (const Solver solver : {Solver::kAc, Solver::kDishuf, Solver::kPairwise}) {
    const Result<Plan> plan = make_plan(*study, solver);
    if (!plan) return fail(plan.error());
    // A trusted centre that sees all rows would add noise once. `ac` adds it at every party; the
    // other two hide behind noise that cancels in the sum.
    std::printf("\n%s: noise of %.2f on every sum, %.2f times a trusted centre's\n",
                name_of(solver).c_str(), plan->sum_noise_sd, plan->central_ratio);
    std::printf("  %-16s %8s %12s %12s\n", "who watches", "shift", "delta at 1", "eps at 1e-6");
    for (const Observer& observer : plan->observers) {
      std::printf("  %-16s %8.3f %12.2e %12.3f\n", observer.name.c_str(), observer.shift,
                  observer.delta_at_epsilon, observer.epsilon_at_delta);
    }
  }
}
