// Rounds without messages: plain loops over neighbouring numbers, for the vector units.
#include "simulate/engine.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

// AVX512 or AVX2 where there is one, chosen when the program starts. The operations are the
// same either way: additions and multiplications, never fused, never reordered.
// (Sanitizers cannot run before the dynamic linker has chosen.)
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SOTTO_VECTORISED __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SOTTO_VECTORISED
#endif

namespace sotto {
namespace {

// out ← own + Σ_k w_k(neighbour_k − own), lane by lane: mix() of protocol/consensus.h.
SOTTO_VECTORISED void mix_lanes(const double* own, const double* all,
                                std::span<const PartyId> neighbours,
                                std::span<const double> weights, std::size_t lanes,
                                double* __restrict__ out) {
  for (std::size_t l = 0; l < lanes; ++l) out[l] = own[l];
  for (std::size_t k = 0; k < neighbours.size(); ++k) {
    const double* neighbour = all + neighbours[k] * lanes;
    const double weight = weights[k];
    for (std::size_t l = 0; l < lanes; ++l) out[l] += weight * (neighbour[l] - own[l]);
  }
}

SOTTO_VECTORISED void combine_lanes(const MixingStep& step, const double* current,
                                    const double* previous, std::size_t lanes,
                                    double* __restrict__ mixed) {
  const double a = step.mixed;
  const double b = step.current;
  const double c = step.previous;
  for (std::size_t l = 0; l < lanes; ++l) {
    mixed[l] = a * mixed[l] + b * current[l] + c * previous[l];
  }
}

// Trials whose numbers stand next to each other in gradient tracking: as one vector, so that a
// party's step is straight code and its sums stay in registers. One of 64 bytes where the processor
// has such, else the compiler takes two or four; each lane's operations are the same.
constexpr std::size_t kSideBySide = 8;
using Lanes = double __attribute__((vector_size(kSideBySide * sizeof(double)), aligned(8)));

// What one party needs for a step. `x` and `s` are all parties', [party][entry][trial].
struct TrackingStep {
  const double* x;
  const double* s;
  double* x_next;
  double* s_next;
  const double* g;  // this party's, [row][column][trial]
  std::span<const PartyId> neighbours;
  std::span<const double> weights;
  double step;
  std::size_t dimension;
  std::size_t stride;  // from an entry to the next: all trials, padded
};

// out ← mix() of protocol/consensus.h for one entry. Vectors go by reference: how they are passed
// by value depends on the processor.
inline __attribute__((always_inline)) void mix_side_by_side(const TrackingStep& t,
                                                            const double* all, std::size_t own_at,
                                                            std::size_t entry_at, Lanes& out) {
  const Lanes own = *reinterpret_cast<const Lanes*>(all + own_at);
  out = own;
  for (std::size_t k = 0; k < t.neighbours.size(); ++k) {
    const double* neighbour = all + t.neighbours[k] * t.dimension * t.stride + entry_at;
    out += t.weights[k] * (*reinterpret_cast<const Lanes*>(neighbour) - own);
  }
}

// x⁺ = mix(x) − βs,  s⁺ = mix(s) + G(x⁺ − x), for kSideBySide trials of party `self` that begin at
// `lane`: GradientTracking of protocol/gt.h. `moved` keeps x⁺ − x.
SOTTO_VECTORISED void track_side_by_side(const TrackingStep& t, std::size_t self, std::size_t lane,
                                         double* __restrict__ moved) {
  const std::size_t party = self * t.dimension * t.stride;
  for (std::size_t r = 0; r < t.dimension; ++r) {
    const std::size_t entry = r * t.stride + lane;
    Lanes x;
    mix_side_by_side(t, t.x, party + entry, entry, x);
    x -= t.step * *reinterpret_cast<const Lanes*>(t.s + party + entry);
    *reinterpret_cast<Lanes*>(t.x_next + party + entry) = x;
    *reinterpret_cast<Lanes*>(moved + r * kSideBySide) =
        x - *reinterpret_cast<const Lanes*>(t.x + party + entry);
  }
  for (std::size_t r = 0; r < t.dimension; ++r) {
    const std::size_t entry = r * t.stride + lane;
    Lanes gradient{};
    for (std::size_t c = 0; c < t.dimension; ++c) {
      gradient += *reinterpret_cast<const Lanes*>(t.g + (r * t.dimension + c) * t.stride + lane) *
                  *reinterpret_cast<const Lanes*>(moved + c * kSideBySide);
    }
    Lanes s;
    mix_side_by_side(t, t.s, party + entry, entry, s);
    *reinterpret_cast<Lanes*>(t.s_next + party + entry) = s + gradient;
  }
}

std::vector<std::vector<double>> weights_by_party(const Weights& weights) {
  std::vector<std::vector<double>> result;
  for (PartyId i = 0; i < weights.graph().size(); ++i) result.push_back(weights.of(i));
  return result;
}

}  // namespace

void run_linear_consensus(const Weights& weights, const ConsensusPlan& plan, TrialValues& values,
                          const RoundObserver& observer) {
  check(plan.method != ConsensusMethod::kExact, "the exact method has no linear rounds");
  if (values.empty()) return;
  const Graph& graph = weights.graph();
  const std::size_t trials = values.size();
  const std::size_t entries = values[0][0].size();
  const std::size_t lanes = trials * entries;
  const auto own_weights = weights_by_party(weights);

  std::vector<double> current(graph.size() * lanes);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (std::size_t t = 0; t < trials; ++t) {
      std::ranges::copy(values[t][i],
                        current.begin() + static_cast<std::ptrdiff_t>(i * lanes + t * entries));
    }
  }
  std::vector<double> previous(current.size(), 0.0);
  std::vector<double> next(current.size());
  MixingSchedule schedule(plan);
  const auto show = [&](Round round) {
    if (!observer) return;
    const RoundView::Strides strides{.party = lanes, .entry = 1, .trial = entries};
    observer(round, RoundView(current.data(), strides, entries, trials));
  };
  show(0);
  for (Round round = 1; round <= plan.rounds; ++round) {
    const MixingStep step = schedule.next();
    for (PartyId i = 0; i < graph.size(); ++i) {
      const std::size_t at = i * lanes;
      mix_lanes(&current[at], current.data(), graph.neighbours(i), own_weights[i], lanes,
                &next[at]);
      combine_lanes(step, &current[at], &previous[at], lanes, &next[at]);
    }
    std::swap(previous, current);
    std::swap(current, next);
    show(round);
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (std::size_t t = 0; t < trials; ++t) {
      std::copy_n(&current[i * lanes + t * entries], entries, values[t][i].begin());
    }
  }
}

TrialValues run_gradient_tracking(const Weights& weights,
                                  std::span<const std::vector<PerturbedCost>> costs, double step,
                                  Round rounds, const RoundObserver& observer) {
  check(!costs.empty(), "there is something to simulate");
  const Graph& graph = weights.graph();
  const std::size_t parties = graph.size();
  const std::size_t trials = costs.size();
  const std::size_t padded = (trials + kSideBySide - 1) / kSideBySide * kSideBySide;
  const auto dimension = static_cast<std::size_t>(costs[0][0].h.size());
  const std::size_t lanes = dimension * padded;
  const auto own_weights = weights_by_party(weights);

  // [party][entry][trial], G as [party][row][column][trial]; lanes without a trial stay 0.
  std::vector<double> x(parties * lanes, 0.0);
  std::vector<double> s(parties * lanes, 0.0);
  std::vector<double> g(parties * dimension * lanes, 0.0);
  for (std::size_t i = 0; i < parties; ++i) {
    for (std::size_t r = 0; r < dimension; ++r) {
      for (std::size_t t = 0; t < trials; ++t) {
        const PerturbedCost& cost = costs[t][i];
        const auto row = static_cast<Eigen::Index>(r);
        s[i * lanes + r * padded + t] = cost.h[row];
        for (std::size_t c = 0; c < dimension; ++c) {
          g[((i * dimension + r) * dimension + c) * padded + t] =
              cost.g(row, static_cast<Eigen::Index>(c));
        }
      }
    }
  }
  std::vector<double> x_next(x.size());
  std::vector<double> s_next(s.size());
  std::vector<double> moved(dimension * kSideBySide);
  const auto view = [&] {
    const RoundView::Strides strides{.party = lanes, .entry = padded, .trial = 1};
    return RoundView(x.data(), strides, dimension, trials);
  };
  if (observer) observer(0, view());
  for (Round round = 1; round <= rounds; ++round) {
    for (PartyId i = 0; i < parties; ++i) {
      const TrackingStep party{.x = x.data(),
                               .s = s.data(),
                               .x_next = x_next.data(),
                               .s_next = s_next.data(),
                               .g = &g[i * dimension * lanes],
                               .neighbours = graph.neighbours(i),
                               .weights = own_weights[i],
                               .step = step,
                               .dimension = dimension,
                               .stride = padded};
      for (std::size_t lane = 0; lane < padded; lane += kSideBySide) {
        track_side_by_side(party, i, lane, moved.data());
      }
    }
    std::swap(x, x_next);
    std::swap(s, s_next);
    if (observer) observer(round, view());
  }

  TrialValues result(trials, std::vector<std::vector<double>>(parties));
  for (std::size_t t = 0; t < trials; ++t) {
    for (PartyId i = 0; i < parties; ++i) {
      result[t][i].resize(dimension);
      for (std::size_t r = 0; r < dimension; ++r) result[t][i][r] = view().at(i, r, t);
    }
  }
  return result;
}

}  // namespace sotto
