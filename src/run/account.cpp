// From a plan's rows to squares of shifts.
#include "run/account.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/digest.h"
#include "privacy/composition.h"
#include "study/mechanism/mechanism.h"

namespace sotto {
namespace {

// Different notions of neighbouring do not add up: the ledger keeps them apart. Entries that move
// by at most μ are another notion for every μ.
std::string ledger_unit(const PrivacyTerms& terms) {
  if (terms.unit == Unit::kEntry) return fmt::format("entry by {}", terms.sensitivity.value());
  const std::string what =
      terms.person ? fmt::format("person by \"{}\"", terms.person->column) : "record";
  return terms.neighbours == Neighbours::kReplace ? "replaced " + what : what;
}

// Discrete Gaussians behind what is released, all parties together: at every entry one of each
// party and two of each edge at most, whatever the solver (docs/proofs/discrete_gaussian.md, Claim
// 3).
double draws_of(const Study& study, const Plan& plan) {
  const Graph& graph = study.graph();
  return static_cast<double>(plan.entries) *
         static_cast<double>(graph.size() + 2 * graph.edges().size());
}

}  // namespace

std::string default_account(const Study& study, PartyId self) {
  const std::string& owner = study.parties[self].name;
  if (!study.data) return fmt::format("{}/costs", owner);
  std::vector<std::string> columns;
  for (TableColumn& column : study.data->table_columns()) columns.push_back(std::move(column.name));
  std::ranges::sort(columns);
  Digest digest("sotto account");
  for (const std::string& column : columns) digest.add(std::string_view(column));
  return fmt::format("{}/{}-columns-{}", owner, columns.size(),
                     to_hex(digest.value()).substr(0, 8));
}

// gt hides an entry of A under truncated Laplace noise and one of B under Gaussian noise: these are
// the squares of the latter.
std::vector<ObserverCharge> attempt_charges(const Study& study, const Plan& plan) {
  const PrivacyTerms& terms = study.privacy;
  std::vector<Adversary> rows = plan.adversaries;
  if (study.network.attempts > 1) {
    auto alone =
        mechanism_of(plan.solver).observe(study, {plan.dimension, plan.entries}, plan.noise, 1);
    check(alone.has_value(), "a plan has a row for each observer");
    rows = std::move(*alone);
  }
  const std::vector<double> looks = looks_table(study.graph(), plan.noise, terms.sensitivity, rows);
  const auto* gradient = std::get_if<GradientNoise>(&plan.noise);
  const bool laplace = std::holds_alternative<LaplaceNoise>(plan.noise);
  std::vector<ObserverCharge> charges;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double shift = gradient != nullptr ? terms.sensitivity.value() / gradient->sigma_eta
                         : laplace           ? 0
                                             : rows[k].shift;
    charges.push_back(
        {.observer = observer_name(rows[k]), .released = shift * shift, .looks = looks[k]});
  }
  return charges;
}

std::vector<ObserverCharge> lost_neighbour_charges(const Study& study, const Plan& plan) {
  const double shown = release_of_lost_neighbour(plan.noise, study.privacy.sensitivity);
  std::vector<ObserverCharge> charges;
  if (shown == 0) return charges;
  for (const Adversary& row : plan.adversaries) {
    charges.push_back({.observer = observer_name(row), .looks = shown});
  }
  return charges;
}

Debit debit_of(const Study& study, const Plan& plan, const std::string& account) {
  const PrivacyTerms& terms = study.privacy;
  Debit debit;
  debit.study = study.name;
  debit.data = account;
  debit.unit = ledger_unit(terms);
  debit.epsilon = terms.budget.epsilon.value();
  debit.delta = terms.budget.delta.value();
  debit.colluders = terms.colluders;
  debit.excess_delta = discrete_excess(draws_of(study, plan));
  Adversary guaranteed;
  if (terms.colluders > 0) {
    guaranteed.observer = Observer::kColluders;
    guaranteed.colluders = terms.colluders;
  }
  debit.guaranteed = observer_name(guaranteed);
  debit.charges = attempt_charges(study, plan);
  // Beside its Gaussian noise: both are charged, whichever entry it is that differs.
  if (std::holds_alternative<GradientNoise>(plan.noise)) {
    debit.laplace_epsilon = debit.epsilon;
    debit.laplace_delta = debit.delta;
  }
  // Nothing but Laplace noise, and no row's shift to square: (ε, δ) of the worst row are added up.
  if (std::holds_alternative<LaplaceNoise>(plan.noise)) {
    debit.laplace_epsilon =
        std::ranges::max(plan.adversaries, {}, &Adversary::epsilon_at_delta).epsilon_at_delta;
    debit.laplace_delta = debit.delta;
  }
  return debit;
}

std::optional<std::uint64_t> runs_left(const LedgerAccount& account, const Debit& debit) {
  if (!account.limit) return std::nullopt;
  const auto charge = std::ranges::find(debit.charges, debit.guaranteed, &ObserverCharge::observer);
  check(charge != debit.charges.end(), "the guaranteed observer is charged");
  const LedgerLeft& left = *account.left;
  constexpr double kMost = 1e9;
  const auto times = [](double available, double cost) {
    // As the ledger itself counts: kLimitSlackBits.
    return cost > 0 ? std::floor(available / cost + std::ldexp(1.0, -kLimitSlackBits)) : kMost;
  };
  const double runs = std::min({times(left.squares, std::max(charge->released, charge->looks)),
                                times(left.gt_epsilon, debit.laplace_epsilon),
                                times(left.gt_delta, debit.laplace_delta), kMost});
  return static_cast<std::uint64_t>(runs);
}

}  // namespace sotto
