// The audit: for each observer the worst coalition and victim, worlds of runs, and three tests.
#include "run/audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/parallel.h"
#include "base/random.h"

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

// How often an audit of so many runs looks at what it has: they are doubled from look to look.
std::size_t looks_of(const AuditRequest& request) {
  std::size_t looks = 1;
  for (std::size_t runs = kFirstAuditRuns; runs < request.runs; runs *= 2) ++looks;
  return looks;
}

class Audit {
 public:
  // `error`: how often it may claim too much, all its looks together.
  Audit(const Attack& attack, const Budget& budget, const AuditRequest& request, double error,
        AuditedObserver& observer)
      : attack_(attack),
        delta_(budget.delta.value()),
        request_(request),
        test_error_(error / static_cast<double>(looks_of(request) * kAuditTests.names.size())),
        observer_(observer) {
    pilot_.distance = attack.tilt(claimed(), 1);
  }

  [[nodiscard]] Result<void> run(const std::function<void(std::size_t)>& done) {
    // Noise of another size than the plan's asks for another tilt.
    SOTTO_TRY(draw_until(attack_, request_, kPilotRuns, pilot_));
    const Measured first = attack_.measure(std::array{WatchedRuns{pilot_.distance, pilot_.runs}});
    far_.distance = attack_.tilt(claimed(), std::clamp(first.slope / first.scatter, 0.25, 4.0));
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
  static constexpr std::size_t kPilotRuns = 500;

  // For what has to be finite.
  [[nodiscard]] double claimed() const {
    return std::min(observer_.claimed.epsilon_at_delta, kLargestEpsilon);
  }

  void conclude() {
    observer_.runs = quiet_.runs.size();
    const audit::Scores scores{.world_0 = scores_of(quiet_), .world_1 = scores_of(moved_)};
    observer_.counting = audit::counted_epsilon(scores, delta_, test_error_);
    observer_.learned = audit::counted_epsilon(
        audit::learned_scores(seen_in(quiet_), seen_in(moved_)), delta_, test_error_);
    observer_.curve = audit::trade_off(scores, 100);

    measured_ = attack_.measure(std::array{WatchedRuns{quiet_.distance, quiet_.runs},
                                           WatchedRuns{pilot_.distance, pilot_.runs},
                                           WatchedRuns{moved_.distance, first_half(moved_)},
                                           WatchedRuns{far_.distance, first_half(far_)}});
    const double ratio = measured_.slope / measured_.scatter;
    observer_.measured_shift = {.value = ratio, .error = ratio * measured_.error};
    observer_.at_claimed =
        audit::tilted_delta(weighed(far_, 1), observer_.claimed.epsilon_at_delta);
    observer_.likelihood = by_likelihood();
  }

  // What was measured is off by no more than `reach`; within that, δ is nowhere less than at one of
  // the ends, or if it need not rise, than what each run adds at one of them. Runs of the moved
  // world show what is frequent, those beyond it what is not. Half of the error is the
  // measurement's, on both sides; half the means', of both worlds.
  [[nodiscard]] double by_likelihood() const {
    const double reach = audit::normal_deviations(test_error_ / 4) * measured_.error;
    if (reach >= 0.5) return 0;  // too few runs to have measured anything
    struct Weighed {
      audit::Tilted runs;
      double distance;
      double longest;  // s
    };
    std::vector<std::array<Weighed, 2>> worlds;  // at both ends
    for (const World* world : {&moved_, &far_}) {
      const auto at_end = [&](double stretch) {
        double longest = 0;
        for (const Sighting& run : second_half(*world)) {
          longest =
              std::max(longest, attack_.as_measured(run, world->distance, measured_, stretch).s);
        }
        return Weighed{weighed(*world, stretch), world->distance, longest};
      };
      worlds.push_back({at_end(1 - reach), at_end(1 + reach)});
    }
    const double error = test_error_ / (4 * audit::kProofTests);
    const auto largest = [&](const Weighed& end, double epsilon) {
      return std::exp(attack_.log_largest_excess(epsilon, end.distance, end.longest));
    };
    const auto exceeded = [&](const std::array<Weighed, 2>& ends, double epsilon) {
      if (!attack_.rises_with_stretch()) {
        const double most = std::max(largest(ends[0], epsilon), largest(ends[1], epsilon));
        const audit::Tilted least = audit::lesser(ends[0].runs, ends[1].runs, epsilon);
        return audit::tilted_delta_at_least(least, epsilon, most, error) > delta_;
      }
      return std::ranges::all_of(ends, [&](const Weighed& end) {
        return audit::tilted_delta_at_least(end.runs, epsilon, largest(end, epsilon), error) >
               delta_;
      });
    };
    return audit::proven_epsilon(claimed(), [&](double epsilon) {
      return std::ranges::any_of(worlds, [&](const auto& ends) { return exceeded(ends, epsilon); });
    });
  }

  // The runs that nothing was measured on, as the measured model weighs them.
  [[nodiscard]] audit::Tilted weighed(const World& world, double stretch) const {
    audit::Tilted result;
    for (const Sighting& run : second_half(world)) {
      const Sighting seen = attack_.as_measured(run, world.distance, measured_, stretch);
      result.log_weight.push_back(attack_.log_ratio(seen, world.distance, 1));
      result.log_ratio.push_back(attack_.log_ratio(seen, 0, 1));
    }
    return result;
  }

  [[nodiscard]] std::vector<double> scores_of(const World& world) const {
    std::vector<double> scores;
    for (const Sighting& run : world.runs) scores.push_back(attack_.score(run));
    return scores;
  }

  static std::vector<std::vector<double>> seen_in(const World& world) {
    std::vector<std::vector<double>> result;
    for (const Sighting& run : world.runs) result.push_back(run.seen);
    return result;
  }

  static std::span<const Sighting> first_half(const World& world) {
    return std::span(world.runs).first(world.runs.size() / 2);
  }
  static std::span<const Sighting> second_half(const World& world) {
    return std::span(world.runs).subspan(world.runs.size() / 2);
  }

  const Attack& attack_;
  double delta_;
  const AuditRequest& request_;
  double test_error_;  // of one test at one look
  AuditedObserver& observer_;
  Measured measured_;
  World quiet_{.distance = 0, .number = 0};
  World moved_{.distance = 1, .number = 1};
  World far_{.distance = 1, .number = 2};
  World pilot_{.distance = 1, .number = 3};
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
      privacy::for_each_coalition(graph, size, look_at, kMostCoalitions);
      break;
    }
    case Observer::kAllNeighbours:
      for (PartyId i = 0; i < graph.size(); ++i) {
        look_at(graph.neighbours(i));
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

namespace {

// Who is attacked, and how. gt shows everybody the same: there an entry of A and one of B are two
// attacks, whoever watches.
struct Planned {
  AuditedObserver observer;
  std::unique_ptr<Attack> attack;
};

std::vector<Planned> attacks_on(const PlannedStudy& planned, const Adversary& row,
                                const AuditRequest& request) {
  const Plan& plan = planned.plan;
  const bool tracking = std::holds_alternative<GradientNoise>(plan.noise);
  std::vector<Planned> result;
  for (const std::size_t entry :
       tracking ? std::vector<std::size_t>{0, plan.entries - 1} : std::vector{plan.entries - 1}) {
    Planned& next = result.emplace_back();
    next.observer.claimed = row;
    NeighbouringData data =
        planned.study.data ? row_moved(planned, request.seed) : entry_moved(planned, entry);
    next.observer.change = data.words;
    next.observer.moved = data.moved / planned.study.privacy.sensitivity.value();
    if (tracking) {
      next.attack = attack_on_cost(planned, std::move(data), entry, request.noise);
      continue;
    }
    Targeted target = worst_of(planned, row);
    next.observer.members = std::move(target.members);
    next.observer.victim = target.victim.victim;
    next.attack = attack_on_release(planned, std::move(data), next.observer.victim,
                                    next.observer.members, request.noise);
  }
  return result;
}

// The same attack on the same claim, which was made already: of a neighbour and of one colluder,
// who may be the same party, and of all observers of gt.
const AuditedObserver* made_before(const AuditReport& report, const AuditedObserver& observer) {
  const auto same = std::ranges::find_if(report.observers, [&](const AuditedObserver& earlier) {
    return earlier.members == observer.members && earlier.victim == observer.victim &&
           earlier.claimed.epsilon_at_delta == observer.claimed.epsilon_at_delta;
  });
  return same == report.observers.end() ? nullptr : &*same;
}

}  // namespace

Result<AuditReport> audit_study(const PlannedStudy& planned, const AuditRequest& request) {
  SOTTO_TRY(require_auditable(planned));
  const auto& rows = planned.plan.adversaries;
  AuditReport report{.solver = planned.plan.solver, .observers = {}};
  std::size_t done = 0;
  const std::size_t all = rows.size() * request.runs;
  for (const Adversary& row : rows) {
    auto attacks = attacks_on(planned, row, request);
    AuditedObserver best;
    if (const auto* earlier = made_before(report, attacks.front().observer)) {
      best = *earlier;
      best.claimed = row;
    } else {
      const double error = kAuditError / static_cast<double>(rows.size() * attacks.size());
      for (auto& [observer, attack] : attacks) {
        const auto tell = [&](std::size_t runs) {
          if (request.progress) request.progress(done + runs / attacks.size(), all);
        };
        SOTTO_TRY(Audit(*attack, planned.study.privacy.budget, request, error, observer).run(tell));
        if (best.runs == 0 || observer.provable() > best.provable()) best = std::move(observer);
      }
    }
    report.observers.push_back(std::move(best));
    done += request.runs;
    if (request.progress) request.progress(done, all);
  }
  return report;
}

}  // namespace sotto
