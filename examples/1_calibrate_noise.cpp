// How much noise a study needs, and what each kind of observer learns in spite of it.
//
// Ten parties on a cycle each hold θ_i and want Σθ_i. One person can move θ_i by 1 in
// length, and (ε, δ) = (1, 10⁻⁶) is what they agreed on. No data is needed to plan this.

#include <fmt/core.h>

#include <cmath>
#include <vector>

#include "privacy/adversary.h"
#include "privacy/gaussian.h"

namespace {

void print(const char* title, const std::vector<sotto::Adversary>& table) {
  fmt::print("\n{}\n  {:<16}{:>8}{:>14}{:>12}\n", title, "observer", "shift", "δ at ε = 1",
             "ε at 10⁻⁶");
  for (const sotto::Adversary& observer : table) {
    fmt::print("  {:<16}{:>8.4f}{:>13.2e}{:>10.3f}\n", observer.name, observer.shift,
               observer.delta_at_epsilon, observer.epsilon_at_delta);
  }
}

int fail(const sotto::Error& error) {
  fmt::print(stderr, "{}\n", error.to_string());
  return static_cast<int>(error.status);
}

}  // namespace

int main() {
  // What people write may be wrong, so it is checked where it enters: a Result holds
  // the value, or an error that says what would be right.
  const auto graph = sotto::Graph::cycle(10);
  const auto budget = sotto::Budget::make(1.0, 1e-6);
  const auto length = sotto::Sensitivity::make(1.0);
  if (!graph) return fail(graph.error());
  if (!budget) return fail(budget.error());
  if (!length) return fail(length.error());

  // Privacy is one number: by how many standard deviations a person shifts what is seen.
  fmt::print("(1, 10⁻⁶) allows a shift of {:.4f}\n", sotto::gaussian_shift(*budget));

  // `ac`: everybody adds enough noise alone. Whoever watches sees the same.
  const double sigma = sotto::gaussian_sigma(*length, *budget);
  fmt::print("\nac: σ = {:.3f} each, {:.3f} on the sum\n", sigma, std::sqrt(10) * sigma);

  // `dishuf` hides each party behind noise that cancels in the sum, so that the sum needs
  // no more than a trusted centre would add. A neighbour sees through some of it.
  const auto shuffle = sotto::calibrate_shuffle(*graph, *length, *budget, {}, 0);
  if (!shuffle) return fail(shuffle.error());
  const auto shuffled = sotto::shuffle_adversaries(*graph, *shuffle, *length, *budget, 0);
  if (!shuffled) return fail(shuffled.error());
  fmt::print("dishuf: σ_γ = {:.3f} each, {:.3f} on the sum; σ_η = {:.1f}, which cancels\n",
             shuffle->sigma_gamma.get_d(), std::sqrt(10) * shuffle->sigma_gamma.get_d(),
             shuffle->sigma_eta.get_d());
  print("dishuf", *shuffled);

  // `pairwise` cancels edge by edge: a neighbour can take away only what it shares.
  const auto pairwise = sotto::calibrate_pairwise(*graph, *length, *budget, 0.001, 0);
  if (!pairwise) return fail(pairwise.error());
  const auto paired = sotto::pairwise_adversaries(*graph, *pairwise, *length, *budget, 0);
  if (!paired) return fail(paired.error());
  print("pairwise", *paired);
}
