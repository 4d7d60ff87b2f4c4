// The audit: for each observer the worst coalition and victim, worlds of runs, and three tests.
#include "run/audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/parallel.h"
#include "base/random.h"
#include "run/audit/attack.h"

namespace sotto {
namespace {

// Runs of one world.
struct World {
  double distance = 0;
  std::uint64_t number = 0;  // its streams are not another's
  std::vector<Sighting> runs = {};
};

// More runs, up to `all`, on all cores: each has its own stream.
Result<void> draw_until(const Attack& attack, const AuditRequest& request, std::size_t all,
                        World& world) {
  constexpr std::uint64_t kWorlds = 4;
  const std::size_t first = world.runs.size();
  std::vector<std::optional<Error>> errors(all - first);
  world.runs.resize(all);
  parallel_for(all - first, request.threads, [&](std::size_t k) {
    auto seen = attack.sight(world.distance, request.seed, (first + k) * kWorlds + world.number);
    if (seen) {
      world.runs[first + k] = std::move(*seen);
    } else {
      errors[k] = seen.error();
    }
  });
  for (auto& error : errors) {
    if (error) return std::move(*error);
  }
  return {};
}

// How the runs of the first half compare with the model: z has mean ρ·distance·s and standard
// deviation τ, where the model says 1 and 1.
struct Measured {
  double slope = 1;    // ρ
  double scatter = 1;  // τ
  double error = 0;    // of ρ/τ, relative

  [[nodiscard]] double ratio() const { return slope / scatter; }
};

Measured measure(const World& quiet, const World& far) {
  const std::size_t half = far.runs.size() / 2;
  double numerator = 0;
  double denominator = 0;
  for (std::size_t k = 0; k < half; ++k) {
    const double expected = far.distance * far.runs[k].s;
    numerator += expected * far.runs[k].z;
    denominator += expected * expected;
  }
  Measured measured;
  measured.slope = numerator / denominator;
  double squares = 0;
  for (std::size_t k = 0; k < half; ++k) {
    squares += std::pow(quiet.runs[k].z, 2);
    squares += std::pow(far.runs[k].z - measured.slope * far.distance * far.runs[k].s, 2);
  }
  const auto count = static_cast<double>(2 * half);
  measured.scatter = std::sqrt(squares / count);
  const double slope_error = measured.scatter / std::sqrt(denominator) / std::abs(measured.slope);
  measured.error = std::hypot(slope_error, 1 / std::sqrt(2 * count));
  return measured;
}

// The second half of the far runs, as the measured model weighs them: with noise τ times the
// claimed, what counts is z/τ beside a shift of (ρ/τ)s.
audit::Tilted weighed(const Attack& attack, const World& far, const Measured& measured,
                      double stretch = 1) {
  audit::Tilted result;
  for (std::size_t k = far.runs.size() / 2; k < far.runs.size(); ++k) {
    Sighting seen{.z = far.runs[k].z, .s = far.runs[k].s, .seen = {}};
    if (attack.gaussian()) {
      // A longer shift would have moved this run farther, too.
      const double shift = measured.ratio() * seen.s;
      seen.z = seen.z / measured.scatter + far.distance * shift * (stretch - 1);
      seen.s = shift * stretch;
    }
    result.log_weight.push_back(attack.log_ratio(seen, far.distance, 1));
    result.log_ratio.push_back(attack.log_ratio(seen, 0, 1));
  }
  return result;
}

class Audit {
 public:
  Audit(const Attack& attack, const Budget& budget, const AuditRequest& request,
        AuditedObserver& observer)
      : attack_(attack), delta_(budget.delta.value()), request_(request), observer_(observer) {
    far_.distance = attack.tilt(std::min(observer.claimed.epsilon_at_delta, kLargestEpsilon));
  }

  [[nodiscard]] Result<void> run(const std::function<void(std::size_t)>& done) {
    std::size_t runs = std::min(kFirstAuditRuns, request_.runs);
    while (true) {
      SOTTO_TRY(draw_until(attack_, request_, runs, quiet_));
      SOTTO_TRY(draw_until(attack_, request_, runs, moved_));
      SOTTO_TRY(draw_until(attack_, request_, runs, far_));
      conclude();
      done(runs);
      const bool tight = observer_.provable() >= kTight * observer_.claimed.epsilon_at_delta;
      if (observer_.disproved() || tight || runs == request_.runs) return {};
      runs = std::min(2 * runs, request_.runs);
    }
  }

 private:
  static constexpr double kLargestEpsilon = 200;
  static constexpr double kTight = 0.95;

  void conclude() {
    observer_.runs = quiet_.runs.size();
    const audit::Scores scores{.world_0 = scores_of(quiet_), .world_1 = scores_of(moved_)};
    observer_.counting = audit::counted_epsilon(scores, delta_);
    observer_.learned =
        audit::counted_epsilon(audit::learned_scores(seen_in(quiet_), seen_in(moved_)), delta_);
    observer_.curve = audit::trade_off(scores, 100);

    Measured measured;
    if (attack_.gaussian()) {
      measured = measure(quiet_, far_);
      observer_.measured_shift =
          audit::Estimate{.value = measured.ratio(), .error = measured.ratio() * measured.error};
    }
    const audit::Tilted runs = weighed(attack_, far_, measured);
    // What the shift's own error does to δ: the same runs, one standard deviation farther.
    const audit::Tilted farther = weighed(attack_, far_, measured, 1 - measured.error);
    const auto delta_at = [&](double epsilon) {
      audit::Estimate estimate = audit::tilted_delta(runs, epsilon);
      const double off = estimate.value - audit::tilted_delta(farther, epsilon).value;
      estimate.error = std::hypot(estimate.error, off);
      return estimate;
    };
    observer_.at_claimed = delta_at(observer_.claimed.epsilon_at_delta);
    const double claimed = std::min(observer_.claimed.epsilon_at_delta, kLargestEpsilon);
    observer_.likelihood = audit::last_epsilon(8 * claimed, [&](double epsilon) {
      const audit::Estimate estimate = delta_at(epsilon);
      return estimate.value - audit::kErrorDeviations * estimate.error > delta_;
    });
  }

  // Of Laplace noise the entry itself is the score: the likelihood ratio rises with it, whatever
  // the noise's scale and bound turn out to be.
  [[nodiscard]] std::vector<double> scores_of(const World& world) const {
    std::vector<double> scores;
    for (const Sighting& run : world.runs) {
      scores.push_back(attack_.gaussian() ? attack_.log_ratio(run, 0, 1) : run.z);
    }
    return scores;
  }

  static std::vector<std::vector<double>> seen_in(const World& world) {
    std::vector<std::vector<double>> result;
    for (const Sighting& run : world.runs) result.push_back(run.seen);
    return result;
  }

  const Attack& attack_;
  double delta_;
  const AuditRequest& request_;
  AuditedObserver& observer_;
  World quiet_{.distance = 0, .number = 0};
  World moved_{.distance = 1, .number = 1};
  World far_{.distance = 1, .number = 2};
};

// The coalition, of those that a row speaks of, that learns most, and whom of.
struct Targeted {
  std::vector<PartyId> members;
  BestVictim victim;
};

Targeted worst_of(const PlannedStudy& planned, const Adversary& row) {
  constexpr std::size_t kMostCoalitions = 300;
  const Graph& graph = planned.study.graph();
  Targeted worst;
  const auto look_at = [&](std::span<const PartyId> members) {
    const BestVictim victim = best_victim(planned, members);
    if (victim.shift > worst.victim.shift) {
      worst = {.members = {members.begin(), members.end()}, .victim = victim};
    }
  };
  switch (row.observer) {
    case Observer::kEavesdropper:
      look_at({});
      break;
    case Observer::kNeighbour:
    case Observer::kColluders: {
      const std::size_t size = row.observer == Observer::kNeighbour ? 1 : row.colluders;
      std::size_t looked = 0;
      // Who is left of those that there are too many to look at is said nowhere: an audit shows
      // what it has found.
      privacy::for_each_coalition(graph, size, [&](std::span<const PartyId> members) {
        if (looked++ < kMostCoalitions) look_at(members);
      });
      break;
    }
    case Observer::kAllNeighbours:
      for (PartyId i = 0; i < graph.size(); ++i) {
        const auto neighbours = graph.neighbours(i);
        if (neighbours.size() + 1 <= graph.size()) look_at(neighbours);
      }
      break;
  }
  return worst;
}

Result<void> require_auditable(const PlannedStudy& planned) {
  if (planned.plan.parties > kMostAuditedParties) {
    return bad_input("E-audit-parties",
                     fmt::format("an audit plays every message of many runs, and {} parties are "
                                 "more than {}",
                                 planned.plan.parties, kMostAuditedParties),
                     "audit the same study with fewer: --set graph.parties=10");
  }
  if (std::holds_alternative<LaplaceNoise>(planned.plan.noise)) {
    return bad_input("E-audit-noise", "attacks are written for Gaussian noise, and for gt's",
                     "audit ac, dishuf, pairwise or gt");
  }
  constexpr double kWidest = 1e6;  // its square is what a covariance's entries differ by
  const auto* shuffle = std::get_if<ShuffleNoise>(&planned.plan.noise);
  if (shuffle != nullptr && nearest_double(shuffle->sigma_eta / shuffle->sigma_gamma) > kWidest) {
    return bad_input("E-audit-noise", "the masks are too large beside the noise for a likelihood",
                     "audit calibration = \"graph\"");
  }
  return {};
}

}  // namespace

double AuditedObserver::provable() const {
  return std::max({likelihood, counting, learned});
}

AuditTest AuditedObserver::best_test() const {
  if (likelihood >= counting && likelihood >= learned) return AuditTest::kLikelihood;
  return counting >= learned ? AuditTest::kCounting : AuditTest::kLearned;
}

bool AuditedObserver::disproved() const {
  return provable() > claimed.epsilon_at_delta;
}

bool AuditReport::disproved() const {
  return std::ranges::any_of(observers, &AuditedObserver::disproved);
}

Result<AuditReport> audit_study(const PlannedStudy& planned, const AuditRequest& request) {
  SOTTO_TRY(require_auditable(planned));
  const Plan& plan = planned.plan;
  const Study& study = planned.study;
  const bool tracking = std::holds_alternative<GradientNoise>(plan.noise);
  AuditReport report{.solver = plan.solver, .observers = {}};
  // gt shows everybody the same: an entry of A and one of B are attacked, whoever watches.
  const std::size_t attacks = tracking ? 2 : plan.adversaries.size();
  for (std::size_t k = 0; k < attacks; ++k) {
    AuditedObserver observer;
    observer.claimed = plan.adversaries[tracking ? 0 : k];
    std::unique_ptr<Attack> attack;
    NeighbouringData data = study.data ? row_moved(planned, request.seed)
                                       : entry_moved(planned, k == 0 ? 0 : plan.entries - 1);
    observer.change = data.words;
    observer.moved = data.moved / study.privacy.sensitivity.value();
    if (tracking) {
      attack = attack_on_cost(planned, std::move(data), k == 0 ? 0 : plan.entries - 1);
    } else {
      const Targeted target = worst_of(planned, observer.claimed);
      observer.members = target.members;
      observer.victim = target.victim.victim;
      attack = attack_on_release(planned, std::move(data), observer.victim, observer.members);
    }
    const auto done = [&](std::size_t runs) {
      if (request.progress) request.progress(k * request.runs + runs, attacks * request.runs);
    };
    // A neighbour and one colluder may be the same party: one attack on both claims.
    const auto same = std::ranges::find_if(report.observers, [&](const AuditedObserver& earlier) {
      return !tracking && earlier.members == observer.members &&
             earlier.victim == observer.victim &&
             earlier.claimed.epsilon_at_delta == observer.claimed.epsilon_at_delta;
    });
    if (same != report.observers.end()) {
      const Adversary claimed = observer.claimed;
      observer = *same;
      observer.claimed = claimed;
    } else {
      SOTTO_TRY(Audit(*attack, study.privacy.budget, request, observer).run(done));
    }
    report.observers.push_back(std::move(observer));
  }
  if (request.progress) request.progress(attacks * request.runs, attacks * request.runs);
  return report;
}

}  // namespace sotto
