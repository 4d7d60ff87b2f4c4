// The way of simulate_study(), in parts: whatever one rank finds wrong, all end with.
#include "run/ranks/simulate_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "base/check.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/version.h"
#include "run/ranks/trial_answers.h"
#include "simulate/rounds.h"
#include "simulate/row_memory.h"

namespace sotto {
namespace {

// A part of the bar: trials that are not over yet count by their rounds.
constexpr std::size_t kPartsOfTrial = 1000;

std::string bits_of(double value) {
  return fmt::format("{:016x}", std::bit_cast<std::uint64_t>(value));
}

std::optional<double> from_bits(const Json& text) {
  if (!text.is_string()) return std::nullopt;
  const auto& digits = text.get_ref<const std::string&>();
  std::uint64_t bits = 0;
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  if (digits.size() != 16 || failure != std::errc{} || end != digits.data() + 16) {
    return std::nullopt;
  }
  return std::bit_cast<double>(bits);
}

// The own parties' costs, at their places; the solution is everybody's.
Result<Problem> own_problem(const Study& study, const NetworkPart& part,
                            std::optional<Problem>& whole) {
  Ranks& ranks = part.ranks();
  if (study.problem && study.problem->files.empty()) {
    SOTTO_ASSIGN(auto share, agree(ranks, family_problem(study, ranks)));
    auto own = part.from_shares(share.costs.thetas(), share.costs.entries());
    return Problem{.costs = Costs(std::move(own), share.costs.dimension()),
                   .solution = std::move(share.solution)};
  }
  // Files are small beside what is simulated with them.
  SOTTO_ASSIGN(whole, agree(ranks, load_problem(study)));
  std::vector<double> own;
  own.reserve(part.own().size() * whole->costs.entries());
  for (const PartyId party : part.own()) {
    const auto theta = whole->costs.theta(party);
    own.insert(own.end(), theta.begin(), theta.end());
  }
  return Problem{.costs = Costs(std::move(own), whole->costs.dimension()),
                 .solution = whole->solution};
}

std::string digest_of_graph(const Study& study) {
  const auto edges = study.graph().edges();
  Digest digest("sotto graph");
  digest.add(std::string_view(reinterpret_cast<const char*>(edges.data()), edges.size_bytes()));
  digest.add(study.weights.per_edge());
  return to_hex(digest.value());
}

struct TrialOutcome {
  Solver solver = Solver::kDishuf;
  std::size_t trial = 0;
  double squared_error = 0;
  std::vector<double> x;
};

// All solvers' trials, as far as they are done.
class RankedTrials {
 public:
  RankedTrials(const RunOptions& options, NetworkPart& part, Checkpoint* checkpoint)
      : options_(options), part_(part), checkpoint_(checkpoint) {
    if (checkpoint_ != nullptr) checkpoint_->note([this] { return notes(); });
  }

  // What was finished before, of a problem of so many columns; all ranks have the same notes.
  [[nodiscard]] Result<void> recall(std::size_t dimension) {
    if (checkpoint_ == nullptr || checkpoint_->notes().empty()) return {};
    const Json runs = parse_json(checkpoint_->notes());
    bool known = runs.is_array();
    for (std::size_t k = 0; known && k < runs.size(); ++k) known = recall(runs[k], dimension);
    if (!known) return checkpoint_->unlikely("has notes that this run does not make");
    return {};
  }

  // All trials of one solver, the k-th.
  [[nodiscard]] Result<TrialOutcomes> run(const PlannedStudy& planned, const Problem& own,
                                          std::size_t k) {
    const auto secrets = secrets_of(own, planned.study.privacy.sensitivity);
    const auto& tracking = planned.plan.tracking;
    const auto setup = averaging_setup(planned);
    const TrialAnswers answers(planned, own.solution, tracking.has_value());
    const Round rounds = tracking ? tracking->setup.rounds : planned.plan.consensus.rounds;
    const bool walks = tracking || planned.plan.consensus.method != ConsensusMethod::kExact;
    TrialOutcomes mine{.solver = planned.plan.solver, .squared_errors = {}, .answers = {}};
    const auto keep = [&](const TrialOutcome& run) {
      mine.squared_errors.push_back(run.squared_error);
      mine.answers.insert(mine.answers.end(), run.x.begin(), run.x.end());
    };
    for (const TrialOutcome& run : known_) {
      if (run.solver == mine.solver) keep(run);
    }
    const bool finished = mine.size() == options_.trials;
    if (checkpoint_ != nullptr && !finished && checkpoint_->reached() > 0) {
      const std::size_t count = batch_after(mine.size());
      const bool two = !tracking && planned.plan.consensus.method == ConsensusMethod::kChebyshev;
      SOTTO_TRY(checkpoint_->require_rows(
          walks ? rounds : 0,
          tracking ? TrackingRows::of(own.dimension(), count).lanes() : count * secrets.entries(),
          two ? 2 : 1));
    }
    if (checkpoint_ != nullptr && !finished) SOTTO_TRY(checkpoint_->require_writable());
    SimulationOptions simulation;
    simulation.seed = options_.seed;
    simulation.one_for_all = true;
    simulation.threads = options_.threads;
    simulation.part = &part_;
    simulation.keeper = checkpoint_;
    const auto runner = tracking ? tracking_trials(tracking->setup, secrets, simulation)
                                 : averaging_trials(setup, secrets, simulation);
    while (mine.size() < options_.trials) {
      const std::size_t first = mine.size();
      const std::size_t count = batch_after(first);
      RoundObserver observer;
      if (options_.progress && walks) {
        observer = [&](Round round, const RoundView& view) {
          tell(k, first * kPartsOfTrial +
                      view.trials() * kPartsOfTrial * round / std::max(1U, rounds));
        };
      }
      SOTTO_ASSIGN(const auto held, runner->run(first, count, observer));
      for (std::size_t t = 0; t < count; ++t) {
        TrialOutcome outcome{.solver = mine.solver, .trial = first + t, .x = {}};
        SOTTO_TRY(judge(answers, held, t, !walks, outcome));
        keep(outcome);
        known_.push_back(std::move(outcome));
      }
      const bool last = k + 1 == options_.solvers.size() && mine.size() == options_.trials;
      if (checkpoint_ != nullptr) SOTTO_TRY(checkpoint_->finished(last));
      tell(k, mine.size() * kPartsOfTrial);
    }
    return mine;
  }

 private:
  // Trials that go through the rounds together when so many are over.
  [[nodiscard]] std::size_t batch_after(std::size_t done) const {
    return std::min(trials_together(part_.network_size()), options_.trials - done);
  }

  // One trial of the notes: the next of a solver that this run has. False: it is not.
  [[nodiscard]] bool recall(const Json& run, std::size_t dimension) {
    if (!run.is_array() || run.size() != 4 || !run[0].is_number_unsigned() ||
        !run[1].is_number_unsigned() || !run[3].is_array() || run[3].size() != dimension) {
      return false;
    }
    TrialOutcome outcome;
    const auto solver = std::ranges::find_if(options_.solvers, [&](Solver of) {
      return run[0].get<std::uint64_t>() == static_cast<std::uint64_t>(of);
    });
    if (solver == options_.solvers.end()) return false;
    outcome.solver = *solver;
    outcome.trial =
        static_cast<std::size_t>(std::ranges::count(known_, outcome.solver, &TrialOutcome::solver));
    const auto error = from_bits(run[2]);
    if (run[1].get<std::uint64_t>() != outcome.trial || outcome.trial >= options_.trials ||
        !error) {
      return false;
    }
    outcome.squared_error = *error;
    for (const Json& text : run[3]) {
      const auto x = from_bits(text);
      if (!x) return false;
      outcome.x.push_back(*x);
    }
    known_.push_back(std::move(outcome));
    return true;
  }

  void tell(std::size_t k, std::size_t done) const {
    if (!options_.progress) return;
    const std::size_t all = options_.trials * kPartsOfTrial;
    options_.progress(k * all + done, options_.solvers.size() * all);
  }

  // (1/n)·Σ_i ‖x_i − x*‖² in the order of the parties, and the first party's x. With `exact` one
  // answer is everybody's, on every rank.
  [[nodiscard]] Result<void> judge(const TrialAnswers& answers, const TrialValues& held,
                                   std::size_t trial, bool one_for_all,
                                   TrialOutcome& outcome) const {
    Ranks& ranks = part_.ranks();
    std::vector<double> first;
    SOTTO_ASSIGN(auto distances, agree(ranks, answers.distances(held, trial, first)));
    if (one_for_all) {
      outcome.squared_error = distances.front();
      outcome.x = std::move(first);
      return {};
    }
    const auto shared = part_.to_shares(distances, 1);
    relay(ranks, {&outcome.squared_error, 1}, [&] {
      for (const double distance : shared) outcome.squared_error += distance;
    });
    outcome.squared_error /= static_cast<double>(part_.network_size());
    const std::size_t owner = part_.owners()[0];
    Result<std::vector<double>> x = first;
    if (owner == ranks.rank()) {
      const auto place = std::ranges::find(part_.own(), PartyId{0}) - part_.own().begin();
      x = answers.answer(held.at(trial, static_cast<std::size_t>(place)));
    }
    SOTTO_ASSIGN(outcome.x, agree(ranks, std::move(x)));
    ranks.broadcast(owner, std::as_writable_bytes(std::span(outcome.x)));
    return {};
  }

  [[nodiscard]] std::string notes() const {
    Json runs = Json::array();
    for (const TrialOutcome& run : known_) {
      Json x = Json::array();
      for (const double value : run.x) x.push_back(bits_of(value));
      runs.push_back({static_cast<int>(run.solver), run.trial, bits_of(run.squared_error), x});
    }
    return json_line(runs);
  }

  const RunOptions& options_;
  NetworkPart& part_;
  Checkpoint* checkpoint_;
  std::vector<TrialOutcome> known_;
};

// What ranks cannot do, and one process can.
Result<void> require_possible(const Study& study, const RunOptions& options, std::size_t ranks) {
  if (ranks > study.graph().size()) {
    return bad_input(
        "E-ranks-many",
        fmt::format("{} ranks, and the network has {} parties", ranks, study.graph().size()),
        "as many ranks as parties at most");
  }
  if (study.faults || options.cipher != CipherChoice::kIdeal) {
    return bad_input("E-ranks-unsupported",
                     study.faults ? "[faults] plays every message, in one process"
                                  : "a real cipher takes every message, in one process",
                     "leave it away, or run without mpirun and --checkpoint");
  }
  return {};
}

}  // namespace

Result<void> require_same(Ranks& ranks, const Json& facts) {
  std::string text = json_line(facts);
  broadcast_text(ranks, 0, text);
  const Json first = parse_json(text);
  const auto words = [](const Json& of, const std::string& key) {
    return of.contains(key) ? json_line(of[key]) : std::string("nothing");
  };
  Result<void> own;
  for (const Json* of : {&facts, &first}) {
    for (const auto& [key, value] : of->items()) {
      if (!own || words(facts, key) == words(first, key)) continue;
      own = bad_input("E-ranks-differ",
                      fmt::format("{} is {} on rank {} and {} on rank 0", key, words(facts, key),
                                  ranks.rank(), words(first, key)),
                      "give every rank the same study, options and version of sotto");
    }
  }
  return agree(ranks, own);
}

Result<Simulation> simulate_on_ranks(const Study& study, const RunOptions& options) {
  check(options.ranks != nullptr, "ranks to run on");
  Ranks& ranks = options.ranks->ranks;
  SOTTO_TRY(agree(ranks, require_possible(study, options, ranks.count())));
  const double memory = static_cast<double>(available_memory()) / static_cast<double>(ranks.here());
  SOTTO_TRY(agree(ranks, require_memory(study, options.solvers, memory, ranks.count())));
  Json facts{{"version", sotto_version()},
             {"study", study.hash},
             {"seed", options.seed},
             {"trials", options.trials},
             {"solvers", Json::array()}};
  for (const Solver solver : options.solvers) facts["solvers"].push_back(to_string(solver));
  facts["graph"] = digest_of_graph(study);
  SOTTO_TRY(require_same(ranks, facts));

  NetworkPart part(study.weights, options.ranks->partition(study.graph(), ranks), ranks);
  std::optional<Problem> whole;  // of files
  SOTTO_ASSIGN(const auto own, own_problem(study, part, whole));
  Study sized = study;  // files say how many columns they have
  sized.problem->dimension = own.dimension();
  Simulation simulation;
  simulation.seed = options.seed;
  simulation.x_star.assign(own.solution.begin(), own.solution.end());
  facts["x_star"] =
      to_hex(Digest("sotto x*").add(std::span<const double>(simulation.x_star)).value());
  if (whole) facts["costs"] = to_hex(Digest("sotto costs").add(whole->costs.thetas()).value());
  SOTTO_TRY(require_same(ranks, facts));
  std::unique_ptr<Checkpoint> checkpoint;
  if (options.ranks->checkpoint) {
    SOTTO_ASSIGN(checkpoint, Checkpoint::open(*options.ranks->checkpoint, facts, part));
  }
  RankedTrials trials(options, part, checkpoint.get());
  SOTTO_TRY(trials.recall(own.dimension()));
  for (std::size_t k = 0; k < options.solvers.size(); ++k) {
    auto made = plan_study(sized, options.solvers[k]);
    // Step and rounds from files, where the whole problem is here.
    if (made && whole) warn_about_files(*made, *whole);
    const auto* gradient = made ? std::get_if<GradientNoise>(&made->plan.noise) : nullptr;
    if (gradient != nullptr && !made->plan.tracking) {
      SOTTO_ASSIGN(made->plan.tracking,
                   agree(ranks, choose_tracking(made->study, *gradient, *whole)));
    }
    const double step = made && made->plan.tracking ? made->plan.tracking->setup.step : 0;
    SOTTO_TRY(
        require_same(ranks, {{"plan", made ? "" : made.error().name},
                             {"rounds", !made                 ? 0U
                                        : made->plan.tracking ? made->plan.tracking->setup.rounds
                                                              : made->plan.consensus.rounds},
                             {"step", bits_of(step)},
                             {"noise", bits_of(made ? made->plan.sum_noise_sd : 0)}}));
    if (!made) {
      simulation.refused.emplace_back(options.solvers[k], made.error());
      continue;
    }
    SOTTO_ASSIGN(auto runs, trials.run(*made, own, k));
    simulation.summary.push_back(summarise(runs));
    simulation.runs.push_back(std::move(runs));
    simulation.plans.push_back(std::move(made->plan));
  }
  if (simulation.plans.empty()) return simulation.refused.front().second;
  return simulation;
}

}  // namespace sotto
