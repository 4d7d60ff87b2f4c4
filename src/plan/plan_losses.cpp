// A study that may lose parties promises what it promises for every set that may be left.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "plan/plan.h"
#include "privacy/observe/coalition.h"

namespace sotto::planning {
namespace {

// Whether one set after the other, each with its coalitions, is work for some seconds.
bool can_visit_sets(const Study& study, std::size_t most_lost) {
  const Graph& graph = study.graph();
  if (graph.topology() == Topology::kComplete) return true;
  double work = privacy::kPairwiseWork;
  const auto n = static_cast<double>(graph.size());
  for (std::size_t k = 0; k < study.privacy.colluders; ++k) work *= n;
  for (std::size_t lost = 1; lost <= most_lost; ++lost) {
    work *= 2;  // leaves room for the smaller sets
    if (!privacy::can_visit_coalitions(graph, lost, work)) return false;
  }
  return true;
}

using Visit = std::function<void(std::span<const PartyId> lost)>;

// Every set of parties that may be lost. A complete graph without k parties is a complete graph,
// whichever they are.
void for_each_loss(const Graph& graph, std::size_t most_lost, const Visit& visit) {
  for (std::size_t lost = 1; lost <= most_lost; ++lost) {
    if (graph.topology() == Topology::kComplete) {
      std::vector<PartyId> first(lost);
      for (std::size_t k = 0; k < lost; ++k) first[k] = static_cast<PartyId>(k);
      visit(first);
    } else {
      privacy::for_each_coalition(graph, lost, visit);
    }
  }
}

std::string names_of(const Study& study, std::span<const PartyId> parties) {
  std::vector<std::string> names;
  for (const PartyId party : parties) names.push_back(study.parties[party].name);
  return fmt::format("{}", fmt::join(names, " and "));
}

// What the sets that may be left come to, with masks at least as large as the plan's.
struct Losses {
  std::size_t sets = 0;
  std::size_t ending = 0;  // that end the run
  std::string example;     // of those: who is lost, and why that ends it
  Rational sigma_eta = 0;  // the largest
  std::vector<Adversary> worst;
  Digest noise{"sotto noise of what is left"};  // one set's after the other's
};

Losses visit_losses(const Study& study, const Plan& plan, std::size_t most_lost) {
  Losses losses;
  losses.worst = plan.adversaries;
  const PlannedStudy whole{.study = study, .plan = plan};
  for_each_loss(study.graph(), most_lost, [&](std::span<const PartyId> lost) {
    ++losses.sets;
    const auto rest = [&]() -> Result<Plan> {
      SOTTO_ASSIGN(const auto left, whole.left_of(study.graph().all_but(lost)));
      return plan_privacy(left, plan.solver);
    }();
    if (!rest) {
      if (losses.ending++ == 0) {
        losses.example = fmt::format("{} ({})", names_of(study, lost), rest.error().what);
      }
      return;
    }
    add_noise(losses.noise, rest->noise);
    if (const auto* shuffle = std::get_if<ShuffleNoise>(&rest->noise)) {
      losses.sigma_eta = std::max<Rational>(losses.sigma_eta, shuffle->sigma_eta);
    }
    for (std::size_t row = 0; row < losses.worst.size(); ++row) {
      const Adversary& seen = rest->adversaries[row];
      if (seen.shift > losses.worst[row].shift) losses.worst[row] = seen;
    }
  });
  return losses;
}

}  // namespace

Result<void> plan_for_losses(const Study& study, Plan& plan) {
  const bool cancels = std::holds_alternative<ShuffleNoise>(plan.noise) ||
                       std::holds_alternative<PairwiseNoise>(plan.noise);
  if (study.network.attempts <= 1 || !cancels) return {};  // elsewhere each protects itself
  // `attempts` is of the whole study; what is left of it may lose fewer.
  const std::size_t most_lost = study.graph().size() - study.network.min_parties;
  if (!can_visit_sets(study, most_lost)) {
    return bad_input("E-min-parties-many",
                     fmt::format("{} of {} parties may be lost: too many sets to plan for",
                                 most_lost, study.graph().size()),
                     "a larger min_parties, a complete graph, or solver = \"ac\"")
        .at("[network] min_parties");
  }
  Losses losses = visit_losses(study, plan, most_lost);
  if (auto* shuffle = std::get_if<ShuffleNoise>(&plan.noise);
      shuffle != nullptr && losses.sigma_eta > shuffle->sigma_eta) {
    // Every attempt's looks are counted with one σ_η, so all attempts have the largest.
    Study with_larger = study;
    with_larger.dishuf.parameters.least_sigma_eta = nearest_double(losses.sigma_eta);
    SOTTO_ASSIGN(plan, plan_privacy(with_larger, plan.solver));
    losses = visit_losses(study, plan, most_lost);
  }
  plan.adversaries = std::move(losses.worst);
  plan.draws = losses.noise.value();
  if (losses.ending == 0) return {};
  if (losses.ending == losses.sets) {
    return refused(
               "E-min-parties",
               fmt::format("min_parties = {}, and without anybody the rest cannot keep what the "
                           "study promises: without {}",
                           study.network.min_parties, losses.example),
               "more edges, fewer colluders, or no min_parties")
        .at("[network] min_parties");
  }
  plan.warnings.push_back(
      fmt::format("{} of the {} sets of parties that may be lost end the run: {}", losses.ending,
                  losses.sets, losses.example));
  return {};
}

}  // namespace sotto::planning
