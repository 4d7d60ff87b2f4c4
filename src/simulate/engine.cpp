// All rounds of a batch of trials: rows are laid out, walked by a team of threads, and read off.
#include "simulate/engine.h"

#include <algorithm>
#include <barrier>
#include <optional>
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
PlaceRange part_of_places(std::size_t parties, std::size_t member, std::size_t members) {
  const auto cut = [&](std::size_t k) {
    return k == members ? parties : parties / members * k / 8 * 8;
  };
  return {.begin = cut(member), .end = cut(member + 1)};
}

// Each member of the team makes its own `walk` and calls it once a round for its places; nobody
// begins a round before all have ended the one before. `after` sees each round from one thread.
template <class MakeWalk, class After>
void walk_rounds(std::size_t parties, std::size_t threads, Round rounds, const MakeWalk& make_walk,
                 const After& after) {
  const std::size_t members = team_size(threads, parties);
  std::barrier<> meeting(static_cast<std::ptrdiff_t>(members));
  const auto member = [&](std::size_t number) {
    const PlaceRange places = part_of_places(parties, number, members);
    auto walk = make_walk();
    for (Round round = 1; round <= rounds; ++round) {
      walk(round, places);
      if (members > 1) meeting.arrive_and_wait();
      if (!after) continue;
      if (number == 0) after(round);
      if (members > 1) meeting.arrive_and_wait();
    }
  };
  std::vector<std::jthread> team;
  for (std::size_t k = 1; k < members; ++k) team.emplace_back(member, k);
  member(0);
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

// nullptr-like where nobody watches, so that a round needs one meeting only.
std::function<void(Round)> showing(const RoundObserver& observer,
                                   const std::function<RoundView(Round)>& view) {
  if (!observer) return {};
  return [&observer, view](Round round) { observer(round, view(round)); };
}

}  // namespace

TrialValues TrialValues::trial(std::size_t number) const {
  TrialValues one(1, parties_, entries_);
  std::ranges::copy(std::span(values_).subspan(number * parties_ * entries_, parties_ * entries_),
                    one.values_.begin());
  return one;
}

void run_linear_consensus(const Weights& weights, const ConsensusPlan& plan, TrialValues& values,
                          const EngineOptions& options) {
  check(plan.method != ConsensusMethod::kExact, "the exact method has no linear rounds");
  if (values.trials() == 0) return;
  check(values.parties() == weights.graph().size(), "one row per party");
  const RoundGraph graph(weights, options.renumber_from);
  const RoundEdges edges = graph.edges();
  const std::size_t trials = values.trials();
  const std::size_t entries = values.entries();
  const std::size_t lanes = trials * entries;
  // Who watches sees a party's numbers side by side, and so does who has few parties.
  const bool in_parts = graph.size() >= options.renumber_from && !options.observer;
  std::vector<PartOfRows> parts;
  for (const LanePart& part :
       in_parts ? lane_parts(lanes) : std::vector{LanePart{0, lanes, lanes}}) {
    parts.push_back({part, TwoRounds(graph.size() * part.width)});
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
  each_number(0, [](double& value, double& lane) { lane = value; });
  const auto show = showing(options.observer, [&](Round round) {
    const RoundView::Strides strides{.party = lanes, .entry = 1, .trial = entries};
    return RoundView(parts[0].rows.after(round), strides, entries, trials, graph.places());
  });
  if (show) show(0);
  walk_rounds(
      graph.size(), options.threads, plan.rounds,
      [&] {
        return [&, schedule = MixingSchedule(plan)](Round round, PlaceRange places) mutable {
          const MixingStep step = schedule.next();
          for (PartOfRows& part : parts) {
            mix_rows(edges, step, part.lanes.width, part.rows.after(round - 1),
                     part.rows.after(round), places);
          }
        };
      },
      show);
  each_number(plan.rounds, [](double& value, double& lane) { value = lane; });
}

TrialValues run_gradient_tracking(const Weights& weights, const TrialValues& costs,
                                  std::size_t dimension, double step, Round rounds,
                                  const EngineOptions& options) {
  check(costs.trials() > 0, "there is something to simulate");
  check(costs.entries() == dimension * (dimension + 3) / 2, "θ has m(m+3)/2 entries");
  const RoundGraph graph(weights, options.renumber_from);
  const RoundEdges edges = graph.edges();
  const std::size_t trials = costs.trials();
  const TrackingRows shape = TrackingRows::of(dimension, trials);
  const std::size_t lanes = shape.lanes();
  const std::size_t padded = shape.trials;

  // x = 0, s = H; lanes without a number stay 0.
  TwoRounds rows(graph.size() * lanes);
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
  const auto show = showing(options.observer, view);
  if (show) show(0);
  walk_rounds(
      graph.size(), options.threads, rounds,
      [&] {
        return [&, scratch = RowMemory(2 * lanes)](Round round, PlaceRange places) mutable {
          track_rows(edges, step, shape, rows.after(round - 1), g.data(), rows.after(round),
                     scratch.data(), places);
        };
      },
      show);

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
