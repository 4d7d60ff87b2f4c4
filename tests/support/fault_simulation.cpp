#include "support/fault_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <limits>
#include <mutex>
#include <string_view>

#include "base/parallel.h"
#include "support/fault_schedule.h"

// What is drawn from the seed: the study, the character of a schedule, and each fault.

namespace sotto {
namespace {

constexpr std::array kSolvers{SimulatedSolver::kLocal, SimulatedSolver::kShuffle,
                              SimulatedSolver::kPairwise, SimulatedSolver::kTracking};
constexpr std::array kMethods{ConsensusMethod::kExact, ConsensusMethod::kExact,
                              ConsensusMethod::kChebyshev, ConsensusMethod::kPlain};

// Outages of kBenign in all: with lost frames and slow starts on top, well below the patience.
constexpr Time kBenignOutages{60'000};
constexpr std::uint64_t kBenignOutageMs = 15'000;

// A random tree, and every other pair with the given chance.
Graph random_graph(std::size_t parties, std::uint64_t percent, RandomSource& random) {
  std::vector<Edge> edges;
  for (PartyId b = 1; b < parties; ++b) {
    const auto parent = static_cast<PartyId>(random.below(b));
    for (PartyId a = 0; a < b; ++a) {
      if (a == parent || random.below(100) < percent) edges.push_back({a, b});
    }
  }
  return *Graph::make(parties, std::move(edges));
}

SimulatedStudy draw_study(FaultKind kind, RandomSource& random) {
  const auto solver = kSolvers[random.below(kSolvers.size())];
  const auto method = kMethods[random.below(kMethods.size())];
  const bool loses = kind == FaultKind::kLostEarly || kind == FaultKind::kLostLate;
  const bool liars = kind == FaultKind::kLiars;
  const std::size_t most = solver == SimulatedSolver::kTracking ? 4 : 6;
  const std::size_t least = loses || liars ? 3 : 2;
  const std::size_t parties = least + random.below(most - least + 1);
  Graph graph = random_graph(parties, 20 + random.below(80), random);
  const std::size_t most_lost =
      liars ? (parties - 1) / 2 + 1 : std::min<std::size_t>(4, parties - 1);
  const std::size_t min_parties = loses ? parties - 1 : parties - random.below(most_lost);
  return SimulatedStudy::make(solver, method, std::move(graph), min_parties, 1 + random.below(3),
                              random);
}

constexpr std::array<std::string_view, 7> kKindWords{
    "none", "benign", "lost-early", "lost-late", "begun-anew", "any", "liars"};

// Which schedules are under way, by thread: a process that dies says so.
constexpr std::size_t kMostThreads = 256;
std::array<std::atomic<std::uint64_t>, kMostThreads> seeds_under_way{};  // plus one; 0: none
std::atomic<std::size_t> threads_so_far{0};
std::atomic<int> kind_under_way{0};

void say_schedules(int signal_number) {
  for (const auto& seed : seeds_under_way) {
    if (seed == 0) continue;
    const NamedSchedule schedule{static_cast<FaultKind>(kind_under_way.load()), seed - 1};
    fmt::print(stderr, "died in schedule {}\n", name_of(schedule));
  }
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

bool graph_holds_without(const Graph& graph, PartyId party) {
  const PartyId gone[] = {party};
  const std::vector<PartyId> left = graph.all_but(gone);
  return !left.empty() && graph.restricted_to(left).connected();
}

}  // namespace

std::string to_string(FaultKind kind) {
  switch (kind) {
    case FaultKind::kNone:
      return "none";
    case FaultKind::kBenign:
      return "benign";
    case FaultKind::kLostEarly:
      return "one lost before the barrier";
    case FaultKind::kLostLate:
      return "one lost after the barrier";
    case FaultKind::kBegunAnew:
      return "begun anew before the meeting";
    case FaultKind::kAny:
      return "any";
    case FaultKind::kLiars:
      return "liars";
  }
  return {};
}

std::string name_of(const NamedSchedule& schedule) {
  return fmt::format("{}:{}", kKindWords[static_cast<std::size_t>(schedule.kind)], schedule.seed);
}

std::optional<NamedSchedule> schedule_named(const std::string& name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto word = std::ranges::find(kKindWords, std::string_view(name).substr(0, colon));
  NamedSchedule schedule{static_cast<FaultKind>(word - kKindWords.begin()), 0};
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + colon + 1, end, schedule.seed);
  if (word == kKindWords.end() || error != std::errc() || rest != end) return std::nullopt;
  return schedule;
}

FaultCounts& FaultCounts::operator+=(const FaultCounts& other) {
  crashes += other.crashes;
  restarts += other.restarts;
  deaths += other.deaths;
  cuts += other.cuts;
  frames += other.frames;
  lost += other.lost;
  repeated += other.repeated;
  failed_commits += other.failed_commits;
  refused_debits += other.refused_debits;
  aborts += other.aborts;
  begun_anew += other.begun_anew;
  lies += other.lies;
  return *this;
}

FaultSchedule::Character FaultSchedule::draw_character() {
  Character character;
  constexpr std::array<std::uint64_t, 4> kSlow{5, 50, 500, 3000};
  character.slow_ms = kSlow[random_.below(kSlow.size())];
  character.survive = chance(500) ? 0 : random_.below(1001);
  if (kind_ == FaultKind::kLostEarly || kind_ == FaultKind::kLostLate) {
    std::vector<PartyId> spare;
    for (PartyId p = 0; p < study_.graph.size(); ++p) {
      if (graph_holds_without(study_.graph, p)) spare.push_back(p);
    }
    victim_ = spare[random_.below(spare.size())];
    victim_frames_ = random_.below(kind_ == FaultKind::kLostEarly ? 8 : 1 + random_.below(20));
  }
  if (kind_ == FaultKind::kBegunAnew) {
    character.fault_every = 1 + random_.below(6);
    character.faults_left = 1 + random_.below(8);
    character.target = Phase::kMeeting;
  }
  const bool any = kind_ == FaultKind::kAny || kind_ == FaultKind::kLiars;
  if (kind_ != FaultKind::kBenign && !any) return character;
  character.loss = chance(400) ? 0 : random_.below(any ? 300 : 50);
  character.losses_left = any ? 2000 : 40;
  character.repeat = chance(400) ? 0 : random_.below(200);
  constexpr std::array<std::uint64_t, 4> kEvery{4, 12, 40, 150};
  character.fault_every = kEvery[random_.below(kEvery.size())];
  character.faults_left = 1 + random_.below(8);
  // Where nothing else breaks, a lie is followed furthest.
  if (kind_ == FaultKind::kLiars && chance(500)) character.faults_left = 0;
  character.outages_left = kBenignOutages;
  if (chance(700)) {
    constexpr std::array kTargets{Phase::kMeeting, Phase::kSealing,   Phase::kReady,
                                  Phase::kReady,   Phase::kReleasing, Phase::kComparing,
                                  Phase::kFinished};
    character.target = kTargets[random_.below(kTargets.size())];
  }
  return character;
}

// Room for one attempt, for one after another that was given up, for two, or for all.
double FaultSchedule::draw_limit() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (kind_ != FaultKind::kAny && kind_ != FaultKind::kLiars) return kInfinity;
  constexpr std::array kLimits{1.01 * kSimulatedRelease, kSimulatedRelease + 1.5 * kSimulatedLook,
                               2.01 * kSimulatedRelease, kInfinity};
  return kLimits[random_.below(kLimits.size())];
}

// One, or two where others are left to compare with each other.
void FaultSchedule::draw_liars() {
  const std::size_t parties = machines_.size();
  const std::size_t liars = parties > 3 && chance(250) ? 2 : 1;
  while (checker_.liars.size() < liars) {
    checker_.liars.insert(static_cast<PartyId>(random_.below(parties)));
  }
  for (const PartyId p : checker_.liars) {
    machines_[p]->liar = std::make_unique<Liar>(study_, p, random_);
    machines_[p]->journal->set_limit(std::numeric_limits<double>::infinity());
  }
}

std::optional<Time> FaultSchedule::outage() {
  if (kind_ == FaultKind::kAny || kind_ == FaultKind::kLiars) {
    constexpr std::array<std::uint64_t, 4> kLongest{100, 15'000, 110'000, 500'000};
    if (chance(150)) return std::nullopt;
    return up_to(kLongest[random_.below(kLongest.size())]);
  }
  const Time duration =
      std::min(up_to(chance(300) ? 100 : kBenignOutageMs), character_.outages_left);
  character_.outages_left -= duration;
  return duration;
}

// Between a frame and the commit that follows it.
void FaultSchedule::maybe_fault(PartyId p) {
  if (character_.fault_every == 0 || character_.faults_left == 0) return;
  if (character_.target && machines_[p]->session->run().phase() != *character_.target) return;
  if (random_.below(character_.fault_every) != 0) return;
  --character_.faults_left;
  fault(p);
}

void FaultSchedule::fault(PartyId p) {
  const auto neighbours = study_.graph.neighbours(p);
  const PartyId neighbour = neighbours[random_.below(neighbours.size())];
  const auto other = static_cast<PartyId>(random_.below(machines_.size()));
  constexpr Time kForEver{365LL * 24 * 3'600'000};
  if (kind_ == FaultKind::kBegunAnew) return begin_anew(p);
  if (machines_[p]->liar) return;
  switch (random_.below(kind_ == FaultKind::kAny || kind_ == FaultKind::kLiars ? 9 : 6)) {
    case 0:
    case 1:
      return crash(p, outage());
    case 2:
      return crash(other, outage());
    case 3:
      return cut(p, neighbour, outage().value_or(kForEver));
    case 4: {
      const Time duration = outage().value_or(kForEver);
      for (const PartyId q : neighbours) cut(p, q, duration);
      return;
    }
    case 5:
      machines_[p]->journal->fail_commits(true);
      return;
    case 6:
      ++counts_.aborts;
      machines_[p]->session->stop({.name = "E-aborted",
                                   .what = "its operator gave the run up",
                                   .where = {},
                                   .fix = "start a new one",
                                   .status = Status::kFailed});
      return;
    case 7:
      return begin_anew(p);
    default:
      ++counts_.refused_debits;
      machines_[other]->journal->refuse_reserves(true);
      return;
  }
}

// As sotto does it: only what has begun no attempt is begun anew; and where all must finish, only
// while the party has not said that it has met all.
void FaultSchedule::begin_anew(PartyId p) {
  Machine& machine = *machines_[p];
  const bool may = kind_ == FaultKind::kBegunAnew ? !machine.session->run().all_present()
                                                  : machine.session->unbound();
  if (!may || machine.session->run().over()) return;
  ++counts_.begun_anew;
  checker_.begun_anew = true;
  crash(p, up_to(5000));
  machine.journal = std::make_unique<MemoryJournal>();
  machine.journal->set_limit(machine.limit);
  ++machine.start;
}

// The one party that a schedule of loss is about.
void FaultSchedule::maybe_kill_victim(PartyId p) {
  if (victim_ != p) return;
  const Phase phase = machines_[p]->session->run().phase();
  const bool early = kind_ == FaultKind::kLostEarly;
  const bool last_chance = early && phase >= Phase::kReady;
  const bool due = early ? phase < Phase::kReady : phase == Phase::kReleasing;
  if (!last_chance && (!due || victim_frames_-- > 0)) return;
  crash(p, std::nullopt);
}

FaultOutcome run_faults(std::uint64_t seed, FaultKind kind) {
  SeededRandom random(seed);
  const SimulatedStudy study = draw_study(kind, random);
  FaultSchedule schedule(seed, kind, study);
  schedule.run();
  InvariantChecker& checker = schedule.checker();
  for (const PartyId liar : checker.liars) checker.ends[liar].liar = true;
  checker.verify(kind, schedule.victim());
  return {.seed = seed,
          .study = fmt::format("{}, {}, {} parties, {} edges, at least {}", to_string(study.solver),
                               to_string(study.method), study.graph.size(),
                               study.graph.edges().size(), study.min_parties),
          .counts = schedule.counts(),
          .ended = schedule.now(),
          .ends = std::move(checker.ends),
          .violations = std::move(checker.violations)};
}

FaultSummary run_many_faults(std::uint64_t first, std::uint64_t count, FaultKind kind) {
  kind_under_way = static_cast<int>(kind);
  for (const int fatal : {SIGABRT, SIGSEGV}) std::signal(fatal, say_schedules);
  FaultSummary summary;
  std::mutex mutex;
  parallel_for(count, 0, [&](std::size_t k) {
    thread_local const std::size_t slot = threads_so_far++ % kMostThreads;
    seeds_under_way[slot] = first + k + 1;
    FaultOutcome outcome = run_faults(first + k, kind);
    seeds_under_way[slot] = 0;
    const std::lock_guard lock(mutex);
    summary.counts += outcome.counts;
    for (const PartyEnd& end : outcome.ends) {
      const std::string how = end.error.empty() ? "finished" : end.error;
      ++summary.ends[end.liar ? "liar" : end.dead ? "dead" : how];
    }
    if (!outcome.violations.empty()) summary.violated.push_back(std::move(outcome));
  });
  for (const int fatal : {SIGABRT, SIGSEGV}) std::signal(fatal, SIG_DFL);
  std::ranges::sort(summary.violated, {}, &FaultOutcome::seed);
  return summary;
}

}  // namespace sotto
