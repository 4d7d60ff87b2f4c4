#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/digest.h"
#include "base/machine/large_pages.h"
#include "base/machine/vectorised.h"
#include "graph/graph_draws.h"
#include "graph/rows.h"
#include "graph/spectrum_bounds.h"

// A lower bound of λ₂ from a polynomial of L on random vectors, for graphs whose factors would not
// fit: docs/proofs/spectrum.md. Eight vectors at once, so that a neighbour's numbers are one cache
// line; every sum is taken block by block in order, so that the bits are the same on any number of
// threads.
namespace sotto {
namespace graphs {

constexpr std::size_t kLanes = 8;
// Neighbours stand all over memory, so those of somebody so many parties later are asked for, into
// the second-level cache, where more lines can be under way than in the first.
constexpr std::size_t kAhead = 16;

// A step of the filter, for some parties: `before` becomes
//
//     linear·(now − mean) − scaled·L·now − (before − mean_before),
//
// and what it becomes, and its squares, are added up.
struct FilterStep {
  const Graph& graph;
  const double* weights;  // of the edges; nullptr: all 1
  const double* now;      // eight numbers for each party, here and below
  double* before;
  double linear;
  double scaled;
  const double* mean;
  const double* mean_before;
};

using Eight = double __attribute__((vector_size(kLanes * sizeof(double)), aligned(8), may_alias));

SOTTO_VECTORISED void take_filter_step(const FilterStep& step, std::size_t begin, std::size_t end,
                                       double* values, double* squares) {
  const auto at = [](const double* numbers, std::size_t party) {
    return reinterpret_cast<const Eight*>(numbers + party * kLanes);
  };
  const Eight mean = *at(step.mean, 0);
  const Eight mean_before = *at(step.mean_before, 0);
  Eight value_sum = *at(values, 0);
  Eight square_sum = *at(squares, 0);
  for (std::size_t i = begin; i < end; ++i) {
    if (i + kAhead < step.graph.size()) {
      for (const PartyId j : step.graph.neighbours(static_cast<PartyId>(i + kAhead))) {
        __builtin_prefetch(step.now + j * kLanes, 0, 2);
      }
    }
    const auto around = step.graph.neighbours(static_cast<PartyId>(i));
    const Eight own = *at(step.now, i);
    Eight image{};
    if (step.weights == nullptr) {
      for (const PartyId j : around) image += own - *at(step.now, j);
    } else {
      const auto along = step.graph.incident_edges(static_cast<PartyId>(i));
      for (std::size_t k = 0; k < around.size(); ++k) {
        image += step.weights[along[k]] * (own - *at(step.now, around[k]));
      }
    }
    Eight& before = *reinterpret_cast<Eight*>(step.before + i * kLanes);
    const Eight next = step.linear * (own - mean) - step.scaled * image - (before - mean_before);
    before = next;
    value_sum += next;
    square_sum += next * next;
  }
  *reinterpret_cast<Eight*>(values) = value_sum;
  *reinterpret_cast<Eight*>(squares) = square_sum;
}

}  // namespace graphs
namespace {

using graphs::kLanes;

using Lanes = Eigen::Array<double, kLanes, 1>;
using Block = std::vector<Lanes, LargePages<Lanes>>;  // [party]

constexpr double kAlpha = 0x1p-9;  // (√2·2⁻⁹)⁸ = 2⁻⁶⁸: what all eight may miss u₂ by
constexpr double kUnit = 0x1p-53;
constexpr double kFewTolerance = 1e-3;  // how far below λ₂ the bound should be, relatively
constexpr double kManyTolerance = 0.2;
constexpr double kMaxWork = 3e9;  // numbers added, per vector: some ten seconds
constexpr std::size_t kLeastSteps = 30;
constexpr std::size_t kRoughSteps = 20;
constexpr std::size_t kPowerSteps = 12;
constexpr int kMaxAttempts = 4;

// L, on eight vectors at once. Each sum in blocks: see the top.
class Laplacian {
 public:
  explicit Laplacian(const Graph& graph, const Weights* weights = nullptr)
      : graph_(graph), weights_(weights) {
    for (PartyId i = 0; i < graph.size(); ++i) largest_ = std::max(largest_, diagonal(i));
    for (const Edge& edge : graph.edges()) {
      bound_ = std::max(bound_, diagonal(edge.a) + diagonal(edge.b));
    }
  }

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] std::size_t size() const { return graph_.size(); }
  [[nodiscard]] double largest() const { return largest_; }  // max L_ii
  // λ_max ≤ max L_ii + L_jj over the edges ij (Anderson, Morley 1985).
  [[nodiscard]] double bound() const { return bound_ * (1 + 1e-12); }
  [[nodiscard]] double work() const {
    return static_cast<double>(2 * graph_.edges().size() + graph_.size());
  }

  // (Ly)_i, as Σ w_ij(y_i − y_j).
  [[nodiscard]] Lanes at(PartyId i, const Block& y) const {
    Lanes image = Lanes::Zero();
    const Lanes own = y[i];
    const auto around = graph_.neighbours(i);
    if (weights_ == nullptr) {
      for (const PartyId j : around) image += own - y[j];
      return image;
    }
    const auto along = graph_.incident_edges(i);
    for (std::size_t k = 0; k < around.size(); ++k) {
      image += weights_->per_edge()[along[k]] * (own - y[around[k]]);
    }
    return image;
  }

  // Σ over parties of what `each` gives and of its squares, whatever the number of threads.
  struct Sums {
    Lanes values = Lanes::Zero();
    Lanes squares = Lanes::Zero();
  };
  template <class OfBlock>
  [[nodiscard]] Sums block_sums(const OfBlock& of_block) const {
    constexpr std::size_t kBlock = std::size_t{1} << 12;
    const std::size_t blocks = (size() + kBlock - 1) / kBlock;
    std::vector<Sums, LargePages<Sums>> parts(blocks);
    parallel_for(blocks, 0, [&](std::size_t k) {
      of_block(k * kBlock, std::min(size(), (k + 1) * kBlock), parts[k]);
    });
    Sums all;
    for (const Sums& part : parts) {
      all.values += part.values;
      all.squares += part.squares;
    }
    return all;
  }
  template <class Each>
  [[nodiscard]] Sums sums(const Each& each) const {
    return block_sums([&](std::size_t begin, std::size_t end, Sums& part) {
      for (std::size_t i = begin; i < end; ++i) {
        const Lanes one = each(static_cast<PartyId>(i));
        part.values += one;
        part.squares += one * one;
      }
    });
  }
  // Where λ₂ of so large a graph of its kind almost always is (Friedman 2008): a guess.
  [[nodiscard]] std::optional<double> usual_lambda_2() const {
    if (weights_ != nullptr || graph_.topology() != Topology::kRandomRegular) return std::nullopt;
    return largest_ < 3 ? std::nullopt : std::optional(largest_ - 2 * std::sqrt(largest_ - 1));
  }
  [[nodiscard]] const double* edge_weights() const {
    return weights_ == nullptr ? nullptr : weights_->per_edge().data();
  }

 private:
  [[nodiscard]] double diagonal(PartyId i) const {
    if (weights_ == nullptr) return static_cast<double>(graph_.degree(i));
    double sum = 0;
    for (const std::uint32_t edge : graph_.incident_edges(i)) sum += weights_->per_edge()[edge];
    return sum;
  }

  const Graph& graph_;
  const Weights* weights_;
  double largest_ = 0;
  double bound_ = 0;
};

// Uniform in [−1, 1), from a digest of the graph: nobody can choose a graph for them, and
// everybody who plans draws the same.
Block random_vectors(const Laplacian& laplacian) {
  const auto edges = laplacian.graph().edges();
  const std::string digest =
      sha256({reinterpret_cast<const char*>(edges.data()), edges.size_bytes()});
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  std::copy_n(digest.data(), sizeof(seed), reinterpret_cast<char*>(&seed));
  std::copy_n(digest.data() + sizeof(seed), sizeof(stream), reinterpret_cast<char*>(&stream));
  const graphs::NumberedDraws draws(seed, stream);
  Block y(laplacian.size());
  graphs::for_blocks(y.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t word = draws.word(i * kLanes + lane);
        y[i][static_cast<Eigen::Index>(lane)] =
            static_cast<double>(static_cast<std::int64_t>(word) >> 11) * 0x1p-52;
      }
    }
  });
  return y;
}

// T_k(s(L)) of eight vectors, step by step. L takes nothing out of 1⊥, but rounding does, and below
// τ the polynomial is large: so means are taken away, when a vector is next used.
class Filter {
 public:
  Filter(const Laplacian& laplacian, const Block& start, double tau, double c)
      : laplacian_(laplacian), tau_(tau), c_(c), now_(start), before_(start.size(), Lanes::Zero()) {
    note(laplacian.sums([&](PartyId i) { return now_[i]; }));
  }

  void step() {
    const double first = done_ == 0 ? 1 : 2;
    const double linear = first * (c_ + tau_) / (c_ - tau_);
    const double scaled = first * 2 / (c_ - tau_);
    const Lanes mean = mean_;
    const Lanes mean_before = done_ == 0 ? Lanes(Lanes::Zero()) : mean_before_;
    mean_before_ = mean_;
    const graphs::FilterStep terms{.graph = laplacian_.graph(),
                                   .weights = laplacian_.edge_weights(),
                                   .now = now_.front().data(),
                                   .before = before_.front().data(),
                                   .linear = linear,
                                   .scaled = scaled,
                                   .mean = mean.data(),
                                   .mean_before = mean_before.data()};
    note(laplacian_.block_sums([&](std::size_t begin, std::size_t end, Laplacian::Sums& part) {
      graphs::take_filter_step(terms, begin, end, part.values.data(), part.squares.data());
    }));
    std::swap(now_, before_);
    ++done_;
  }

  // α less what rounding errors may have added along u₂ in k steps: none is larger than a step's on
  // the longest vector, and T_k makes at most k² of it.
  [[nodiscard]] double alpha() const {
    const auto k = static_cast<double>(done_);
    const double size =
        2 / (c_ - tau_) * (c_ + tau_ + 4 * laplacian_.largest());  // of a step, on any vector
    const double degree = static_cast<double>(laplacian_.graph().max_degree());
    return kAlpha - kUnit * (2 * degree + 32) * (size + 4) * longest_ * k * k;
  }
  // Once they are too large, they stay so: with τ above λ₂ the vectors grow.
  [[nodiscard]] bool sound() const { return alpha() > kAlpha / 2; }

  // What is proven of λ₂ after so many steps; 0 where rounding errors hide it.
  [[nodiscard]] double lower_bound() const {
    if (!sound()) return 0;
    const double seen = std::max(1.0, length_ * (1 + 1e-9) / alpha());
    const double s = std::cosh(std::acosh(seen) / static_cast<double>(done_) * (1 + 1e-12));
    return 0.5 * (c_ + tau_ - s * (c_ - tau_)) - 1e-12 * c_;
  }

  // The smallest Rayleigh quotient of the eight: no smaller than λ₂.
  [[nodiscard]] double estimate() const {
    const auto energy = laplacian_.sums(
        [&](PartyId i) -> Lanes { return laplacian_.at(i, now_) * (now_[i] - mean_); });
    return (energy.values / squares_).minCoeff();
  }

 private:
  void note(const Laplacian::Sums& sums) {
    const auto n = static_cast<double>(laplacian_.size());
    mean_ = sums.values / n;
    squares_ = sums.squares - n * mean_ * mean_;
    length_ = std::sqrt(squares_.maxCoeff());
    longest_ = std::max(longest_, length_);
  }

  const Laplacian& laplacian_;
  double tau_;
  double c_;
  Block now_;
  Block before_;
  std::size_t done_ = 0;
  Lanes mean_ = Lanes::Zero();
  Lanes mean_before_ = Lanes::Zero();
  Lanes squares_ = Lanes::Zero();
  double length_ = 0;   // of the longest of the eight
  double longest_ = 0;  // that there ever was
};

// Where the polynomial may end: λ_max, roughly. Where degrees differ it is far below the bound.
double rough_lambda_max(const Laplacian& laplacian, Block y) {
  if (laplacian.bound() < 2.5 * laplacian.work() / static_cast<double>(laplacian.size())) {
    return laplacian.bound();
  }
  Block next(y.size());
  double estimate = 0;
  auto before = laplacian.sums([&](PartyId i) { return y[i]; });
  for (std::size_t step = 0; step < kPowerSteps; ++step) {
    const auto after = laplacian.sums(
        [&](PartyId i) -> Lanes { return next[i] = laplacian.at(i, y) / laplacian.bound(); });
    estimate = laplacian.bound() * std::sqrt((after.squares / before.squares).maxCoeff());
    before = after;
    std::swap(y, next);
  }
  return std::min(laplacian.bound(), 1.15 * estimate);
}

// λ₂ ≥ 4/(nD) for a spanning tree in which no two parties are farther apart than D.
double paths_bound(const Laplacian& laplacian, double least_weight) {
  const auto n = static_cast<double>(laplacian.size());
  const auto steps = static_cast<double>(steps_by_way_of_one(laplacian.graph()));
  return least_weight * 4 / (n * steps) * (1 - 1e-12);
}

SpectrumBounds bounds_of(const Laplacian& laplacian, double least_weight,
                         std::optional<double> expected) {
  check(laplacian.graph().connected() && laplacian.size() > 1, "there is a λ₂ to bound");
  const SpectrumBounds by_paths{paths_bound(laplacian, least_weight), laplacian.bound(),
                                SpectrumProof::kPaths};
  const Block start = random_vectors(laplacian);
  double c = rough_lambda_max(laplacian, start);
  // Whatever τ and c are, the bound holds; it is good where they are near λ₂ and λ_max.
  double lambda_2 = 0;
  double tau = 0;
  if (expected) {
    tau = (1 - kFewTolerance / 4) * std::min(*expected, c / 2);
  } else if (const auto usual = laplacian.usual_lambda_2()) {
    tau = 0.95 * *usual;
  } else {
    Filter rough(laplacian, start, c / 8, c);
    for (std::size_t step = 0; step < kRoughSteps; ++step) rough.step();
    lambda_2 = rough.lower_bound();
    tau = 0.95 * std::min(rough.estimate(), c / 2);
  }
  const double tolerance = expected ? kFewTolerance : kManyTolerance;
  const double most = std::max(kMaxWork / kLanes / laplacian.work(), 2.0 * kLeastSteps);
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    // τ − λ₂ ≈ (c − τ)/4·(ln(2N/α)/k)²
    const double logarithm =
        std::log(2 * std::sqrt(static_cast<double>(laplacian.size()) / 3) / kAlpha);
    const double wanted = logarithm * std::sqrt((c - tau) / (4 * tolerance * tau));
    const double steps = std::clamp(wanted, static_cast<double>(kLeastSteps), most);
    Filter filter(laplacian, start, tau, c);
    for (std::size_t k = 0; k < static_cast<std::size_t>(steps) && filter.sound(); ++k) {
      filter.step();
    }
    lambda_2 = std::max(lambda_2, filter.lower_bound());
    if (filter.sound()) break;
    // Something grew: τ was too large, and what has grown says how large it should be, or c too
    // small.
    if (filter.estimate() > tau) {
      c = laplacian.bound();
    } else {
      tau = 0.97 * filter.estimate();
    }
  }
  if (lambda_2 <= by_paths.lambda_2) return by_paths;
  return {lambda_2, laplacian.bound(), SpectrumProof::kFilter};
}

}  // namespace

SpectrumBounds filter_bounds(const Graph& graph, std::optional<double> expected) {
  return bounds_of(Laplacian(graph), 1, expected);
}

SpectrumBounds filter_bounds(const Weights& weights) {
  return bounds_of(Laplacian(weights.graph(), &weights), std::ranges::min(weights.per_edge()),
                   std::nullopt);
}

}  // namespace sotto
