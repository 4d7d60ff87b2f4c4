// All rounds of a batch of trials: rows are laid out, walked by a team of threads, and read off.
#include "simulate/engine.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "simulate/round_graph.h"
#include "simulate/rounds.h"
#include "simulate/row_memory.h"

namespace sotto {
namespace {

// Fewer rows than this are not worth a second thread: meeting after a round costs a microsecond.
constexpr std::size_t kLeastRowsPerThread = 1024;

std::size_t team_size(std::size_t wanted, std::size_t parties) {
  const std::size_t threads = wanted == 0 ? core_count() : wanted;
  return std::clamp<std::size_t>(parties / kLeastRowsPerThread, 1, threads);
}

// The member-th of equal parts, in whole groups of eight rows.
PlaceRange part_of_places(PlaceRange all, std::size_t member, std::size_t members) {
  const std::size_t places = all.end - all.begin;
  const auto cut = [&](std::size_t k) {
    return all.begin + (k == members ? places : places / members * k / 8 * 8);
  };
  return {.begin = cut(member), .end = cut(member + 1)};
}

// The rows of two rounds: one is read, the other written, in turns.
class TwoRounds {
 public:
  explicit TwoRounds(std::size_t doubles) : rows_{RowMemory(doubles), RowMemory(doubles)} {}
  [[nodiscard]] double* after(Round round) { return rows_[round % 2].data(); }

 private:
  std::array<RowMemory, 2> rows_;
};

struct PartOfRows {
  LanePart lanes;
  TwoRounds rows;
};

// The steps of a plan by their rounds, which only go on: a round may be walked in several pieces.
class RoundSteps {
 public:
  explicit RoundSteps(const ConsensusPlan& plan) : schedule_(plan) {}
  [[nodiscard]] const MixingStep& of(Round round) {
    for (; round_ < round; ++round_) step_ = schedule_.next();
    return step_;
  }

 private:
  MixingSchedule schedule_;
  MixingStep step_;
  Round round_ = 0;
};

// Places that are walked between two looks at the messages under way.
constexpr std::size_t kBetweenLooks = 4096;

// The rounds of one batch after the first `reached`: a team of threads walks them over `rows`.
class RoundWalk {
 public:
  // `two`: a round also reads its own row of the round before the last.
  RoundWalk(const RoundGraph& graph, const EngineOptions& options, TwoRounds& rows,
            std::size_t lanes, bool two)
      : graph_(graph),
        options_(options),
        rows_(rows),
        lanes_(lanes),
        two_(two),
        reached_(options.keeper == nullptr ? 0 : options.keeper->reached()),
        members_(team_size(options.threads, graph.size())) {
    if (reached_ == 0) return;
    options.keeper->restore(lanes, rows.after(reached_), before(reached_));
  }

  [[nodiscard]] Round reached() const { return reached_; }

  // Each member of the team makes its own `walk` and calls it once a round for its places; nobody
  // begins a round before all have ended the one before. `view` is what an observer sees of one.
  template <class MakeWalk, class View>
  void run(Round rounds, const MakeWalk& make_walk, const View& view) {
    const auto& observer = options_.observer;
    if (observer && reached_ == 0) observer(0, view(Round{0}));
    std::barrier<> meeting(static_cast<std::ptrdiff_t>(members_));
    // By an exception of the first member. Who learns of it, at this meeting or already at the one
    // before, comes to none any more.
    std::atomic<bool> ended = false;
    const auto meet = [&] {
      if (members_ > 1) meeting.arrive_and_wait();
      const bool goes_on = !ended;
      if (!goes_on) meeting.arrive_and_drop();
      return goes_on;
    };
    const auto member = [&](std::size_t number) {
      auto walk = make_walk();
      for (Round round = reached_ + 1; round <= rounds; ++round) {
        if (!walk_round(number, round, walk, meet) || !meet()) return;
        if (!observer && options_.keeper == nullptr) continue;
        if (number == 0) {
          if (observer) observer(round, view(round));
          if (options_.keeper != nullptr) {
            options_.keeper->after(round, lanes_, rows_.after(round), before(round));
          }
        }
        if (!meet()) return;
      }
    };
    std::vector<std::jthread> team;
    for (std::size_t k = 1; k < members_; ++k) team.emplace_back(member, k);
    // Who watches, keeps or speaks to others may fail; nobody may wait for it then.
    try {
      member(0);
    } catch (...) {
      ended = true;
      meeting.arrive_and_drop();
      throw;
    }
  }

 private:
  [[nodiscard]] double* before(Round round) { return two_ ? rows_.after(round + 1) : nullptr; }

  // Who needs nobody else's rows is walked while these are under way. False where all end.
  template <class Walk, class Meet>
  [[nodiscard]] bool walk_round(std::size_t number, Round round, Walk& walk, const Meet& meet) {
    const PlaceRange interior =
        part_of_places({.begin = 0, .end = graph_.interior()}, number, members_);
    if (options_.halo == nullptr) {
      walk(round, interior);
      return true;
    }
    if (number != 0) {
      walk(round, interior);
    } else {
      options_.halo->begin(rows_.after(round - 1), lanes_ * sizeof(double));
      for (std::size_t begin = interior.begin; begin < interior.end; begin += kBetweenLooks) {
        walk(round, {.begin = begin, .end = std::min(interior.end, begin + kBetweenLooks)});
        options_.halo->progress();
      }
      options_.halo->finish();
    }
    if (!meet()) return false;
    walk(round,
         part_of_places({.begin = graph_.interior(), .end = graph_.size()}, number, members_));
    return true;
  }

  const RoundGraph& graph_;
  const EngineOptions& options_;
  TwoRounds& rows_;
  std::size_t lanes_;
  bool two_;
  Round reached_;
  std::size_t members_;
};

}  // namespace

TrialValues TrialValues::trial(std::size_t number) const {
  TrialValues one(1, parties_, entries_);
  std::ranges::copy(std::span(values_).subspan(number * parties_ * entries_, parties_ * entries_),
                    one.values_.begin());
  return one;
}

void run_linear_consensus(const Weights& weights, const ConsensusPlan& plan, TrialValues& values,
                          const EngineOptions& options) {
  if (values.trials() == 0) return;
  run_linear_consensus(RoundGraph(weights, options.renumber_from), plan, values, options);
}

void run_linear_consensus(const RoundGraph& graph, const ConsensusPlan& plan, TrialValues& values,
                          const EngineOptions& options) {
  check(plan.method != ConsensusMethod::kExact, "the exact method has no linear rounds");
  check(values.parties() == graph.size(), "one row per party");
  const RoundEdges edges = graph.edges();
  const std::size_t trials = values.trials();
  const std::size_t entries = values.entries();
  const std::size_t lanes = trials * entries;
  // Who watches, or sends rows to others, has a party's numbers side by side; so has who has few
  // parties.
  const bool in_parts = graph.size() >= options.renumber_from && !options.observer &&
                        options.halo == nullptr && options.keeper == nullptr;
  std::vector<PartOfRows> parts;
  for (const LanePart& part :
       in_parts ? lane_parts(lanes) : std::vector{LanePart{0, lanes, lanes}}) {
    parts.push_back({part, TwoRounds(graph.rows() * part.width)});
  }
  const auto each_number = [&](Round round, const auto& copy) {
    for (std::size_t place = 0; place < graph.size(); ++place) {
      auto part = parts.begin();
      std::size_t k = 0;
      for (std::size_t t = 0; t < trials; ++t) {
        for (double& value : values.at(t, graph.order()[place])) {
          if (k == part->lanes.count) {
            ++part;
            k = 0;
          }
          copy(value, part->rows.after(round)[place * part->lanes.width + k++]);
        }
      }
    }
  };
  RoundWalk walk(graph, options, parts[0].rows, lanes, plan.method == ConsensusMethod::kChebyshev);
  if (walk.reached() == 0) each_number(0, [](double& value, double& lane) { lane = value; });
  walk.run(
      plan.rounds,
      [&] {
        return [&, steps = RoundSteps(plan)](Round round, PlaceRange places) mutable {
          std::vector<MixedRows> mixed;
          for (PartOfRows& part : parts) {
            mixed.push_back({part.lanes.width, part.rows.after(round - 1), part.rows.after(round)});
          }
          mix_rows(edges, steps.of(round), mixed, places);
        };
      },
      [&](Round round) {
        const RoundView::Strides strides{.party = lanes, .entry = 1, .trial = entries};
        return RoundView(parts[0].rows.after(round), strides, entries, trials, graph.places());
      });
  each_number(plan.rounds, [](double& value, double& lane) { value = lane; });
}

TrialValues run_gradient_tracking(const Weights& weights, const TrialValues& costs,
                                  std::size_t dimension, double step, Round rounds,
                                  const EngineOptions& options) {
  return run_gradient_tracking(RoundGraph(weights, options.renumber_from), costs, dimension, step,
                               rounds, options);
}

TrialValues run_gradient_tracking(const RoundGraph& graph, const TrialValues& costs,
                                  std::size_t dimension, double step, Round rounds,
                                  const EngineOptions& options) {
  check(costs.trials() > 0, "there is something to simulate");
  check(costs.entries() == dimension * (dimension + 3) / 2, "θ has m(m+3)/2 entries");
  check(costs.parties() == graph.size(), "one row per party");
  const RoundEdges edges = graph.edges();
  const std::size_t trials = costs.trials();
  const TrackingRows shape = TrackingRows::of(dimension, trials);
  const std::size_t lanes = shape.lanes();
  const std::size_t padded = shape.trials;

  // x = 0, s = H; lanes without a number stay 0.
  TwoRounds rows(graph.rows() * lanes);
  RowMemory g(graph.size() * shape.matrix_lanes());
  for (std::size_t place = 0; place < graph.size(); ++place) {
    double* s = rows.after(0) + place * lanes + dimension * padded;
    double* matrix = g.data() + place * shape.matrix_lanes();
    for (std::size_t t = 0; t < trials; ++t) {
      auto theta = costs.at(t, graph.order()[place]).begin();
      for (std::size_t r = 0; r < dimension; ++r) {
        for (std::size_t c = r; c < dimension; ++c, ++theta) {
          matrix[(r * dimension + c) * padded + t] = *theta;
          matrix[(c * dimension + r) * padded + t] = *theta;
        }
      }
      for (std::size_t r = 0; r < dimension; ++r, ++theta) s[r * padded + t] = *theta;
    }
  }
  const auto view = [&](Round round) {
    const RoundView::Strides strides{.party = lanes, .entry = padded, .trial = 1};
    return RoundView(rows.after(round), strides, dimension, trials, graph.places());
  };
  RoundWalk(graph, options, rows, lanes, false)
      .run(
          rounds,
          [&] {
            return [&, scratch = RowMemory(2 * lanes)](Round round, PlaceRange places) mutable {
              track_rows(edges, step, shape, rows.after(round - 1), g.data(), rows.after(round),
                         scratch.data(), places);
            };
          },
          view);

  TrialValues result(trials, graph.size(), dimension);
  const RoundView last = view(rounds);
  for (std::size_t t = 0; t < trials; ++t) {
    for (PartyId i = 0; i < graph.size(); ++i) {
      for (std::size_t r = 0; r < dimension; ++r) result.at(t, i)[r] = last.at(i, r, t);
    }
  }
  return result;
}

}  // namespace sotto
