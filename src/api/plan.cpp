// sotto::v1::Plan: the plan's numbers, and its two ways of being printed.

#include "plan/plan.h"

#include <sotto/plan.h>

#include "api/inside.h"
#include "base/json.h"

namespace sotto::v1 {

Result<Plan> make_plan(const Study& study) {
  return make_plan(study, study.solver());
}

Result<Plan> make_plan(const Study& study, Solver solver) {
  const sotto::Study& terms = study.inside();
  SOTTO_ASSIGN(const sotto::Plan made, sotto::make_plan(terms, inside(solver)));
  Plan plan{.solver = solver,
            .epsilon = terms.privacy.budget.epsilon.value(),
            .delta = terms.privacy.budget.delta.value(),
            .sensitivity = terms.privacy.sensitivity.value(),
            .sum_noise_sd = made.sum_noise_sd,
            .central_ratio = made.central_ratio,
            .rounds = made.rounds.rounds,
            .messages = made.traffic.messages,
            .bytes = made.traffic.bytes,
            .warnings = made.warnings,
            .text = to_text(terms, made),
            .json = json_text(to_json(terms, made))};
  for (const Adversary& adversary : made.adversaries) {
    plan.observers.push_back({.name = observer_name(adversary),
                              .shift = adversary.shift,
                              .delta_at_epsilon = adversary.delta_at_epsilon,
                              .epsilon_at_delta = adversary.epsilon_at_delta});
  }
  return plan;
}

}  // namespace sotto::v1
