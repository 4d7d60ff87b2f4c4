// Rounds without messages: plain loops over neighbouring numbers, for the vector units.
#include "simulate/engine.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

// AVX2 where there is one, chosen when the program starts. The operations are the
// same either way: additions and multiplications, never fused, never reordered.
// (Sanitizers cannot run before the dynamic linker has chosen.)
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SOTTO_VECTORISED __attribute__((target_clones("avx2", "default")))
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

// One party's gradient step, after mixing: x⁺ −= βs, then s⁺ += G(x⁺ − x).
// `g` is [row][column][trial].
SOTTO_VECTORISED void track_lanes(const double* x, const double* s, const double* g, double step,
                                  std::size_t dimension, std::size_t trials,
                                  double* __restrict__ x_next, double* __restrict__ s_next,
                                  double* __restrict__ gradient) {
  for (std::size_t r = 0; r < dimension; ++r) {
    for (std::size_t t = 0; t < trials; ++t) {
      x_next[r * trials + t] -= step * s[r * trials + t];
    }
  }
  for (std::size_t r = 0; r < dimension; ++r) {
    for (std::size_t t = 0; t < trials; ++t) gradient[t] = 0;
    for (std::size_t c = 0; c < dimension; ++c) {
      const double* entry = g + (r * dimension + c) * trials;
      for (std::size_t t = 0; t < trials; ++t) {
        gradient[t] += entry[t] * (x_next[c * trials + t] - x[c * trials + t]);
      }
    }
    for (std::size_t t = 0; t < trials; ++t) s_next[r * trials + t] += gradient[t];
  }
}

std::vector<std::vector<double>> weights_by_party(const Weights& weights) {
  std::vector<std::vector<double>> result;
  for (PartyId i = 0; i < weights.graph().size(); ++i) result.push_back(weights.of(i));
  return result;
}

}  // namespace

void run_linear_consensus(const Weights& weights, const ConsensusPlan& plan, TrialValues& values) {
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
  for (Round round = 0; round < plan.rounds; ++round) {
    const MixingStep step = schedule.next();
    for (PartyId i = 0; i < graph.size(); ++i) {
      const std::size_t at = i * lanes;
      mix_lanes(&current[at], current.data(), graph.neighbours(i), own_weights[i], lanes,
                &next[at]);
      combine_lanes(step, &current[at], &previous[at], lanes, &next[at]);
    }
    std::swap(previous, current);
    std::swap(current, next);
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (std::size_t t = 0; t < trials; ++t) {
      std::copy_n(&current[i * lanes + t * entries], entries, values[t][i].begin());
    }
  }
}

TrialValues run_gradient_tracking(const Weights& weights,
                                  std::span<const std::vector<PerturbedCost>> costs, double step,
                                  Round rounds, const TrackingObserver& observer) {
  check(!costs.empty(), "there is something to simulate");
  const Graph& graph = weights.graph();
  const std::size_t parties = graph.size();
  const std::size_t trials = costs.size();
  const auto dimension = static_cast<std::size_t>(costs[0][0].h.size());
  const std::size_t lanes = dimension * trials;
  const auto own_weights = weights_by_party(weights);

  // [party][entry][trial], G as [party][row][column][trial].
  std::vector<double> x(parties * lanes, 0.0);
  std::vector<double> s(parties * lanes);
  std::vector<double> g(parties * dimension * lanes);
  for (std::size_t i = 0; i < parties; ++i) {
    for (std::size_t r = 0; r < dimension; ++r) {
      for (std::size_t t = 0; t < trials; ++t) {
        const PerturbedCost& cost = costs[t][i];
        const auto row = static_cast<Eigen::Index>(r);
        s[i * lanes + r * trials + t] = cost.h[row];
        for (std::size_t c = 0; c < dimension; ++c) {
          g[((i * dimension + r) * dimension + c) * trials + t] =
              cost.g(row, static_cast<Eigen::Index>(c));
        }
      }
    }
  }
  std::vector<double> x_next(x.size());
  std::vector<double> s_next(s.size());
  std::vector<double> gradient(trials);
  if (observer) observer(0, TrackingView(x.data(), dimension, trials));
  for (Round round = 1; round <= rounds; ++round) {
    for (PartyId i = 0; i < parties; ++i) {
      const std::size_t at = i * lanes;
      mix_lanes(&x[at], x.data(), graph.neighbours(i), own_weights[i], lanes, &x_next[at]);
      mix_lanes(&s[at], s.data(), graph.neighbours(i), own_weights[i], lanes, &s_next[at]);
      track_lanes(&x[at], &s[at], &g[i * dimension * lanes], step, dimension, trials, &x_next[at],
                  &s_next[at], gradient.data());
    }
    std::swap(x, x_next);
    std::swap(s, s_next);
    if (observer) observer(round, TrackingView(x.data(), dimension, trials));
  }

  const TrackingView view(x.data(), dimension, trials);
  TrialValues result(trials, std::vector<std::vector<double>>(parties));
  for (std::size_t t = 0; t < trials; ++t) {
    for (PartyId i = 0; i < parties; ++i) {
      result[t][i].resize(dimension);
      for (std::size_t r = 0; r < dimension; ++r) result[t][i][r] = view.x(i, r, t);
    }
  }
  return result;
}

}  // namespace sotto
