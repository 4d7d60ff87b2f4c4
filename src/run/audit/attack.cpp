// The attack on a release: y_i = θ_i + masks + noise is linear in everything random, so the best
// test is a linear one, z = mᵀC⁻¹(view)/√(mᵀC⁻¹m).
#include "run/audit/attack.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "base/check.h"
#include "privacy/calibrate/dishuf.h"
#include "protocol/sealing.h"

namespace sotto {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// What honest parties draw from: exact samplers, and a memory of the multipliers, which the
// attackers are told.
class RememberedNoise final : public NoiseSource {
 public:
  explicit RememberedNoise(std::unique_ptr<NoiseSource> noise) : noise_(std::move(noise)) {}
  [[nodiscard]] Integer gaussian(const Integer& sigma) override { return noise_->gaussian(sigma); }
  [[nodiscard]] Integer truncated_laplace(const Rational& scale, const Integer& bound) override {
    return noise_->truncated_laplace(scale, bound);
  }
  [[nodiscard]] Integer laplace(const Rational& scale) override { return noise_->laplace(scale); }
  [[nodiscard]] Integer uniform(const Integer& low, const Integer& high) override {
    Integer drawn = noise_->uniform(low, high);
    multipliers.push_back(drawn.get_d());
    return drawn;
  }

  std::vector<double> multipliers;

 private:
  std::unique_ptr<NoiseSource> noise_;
};

// What attackers draw from: no noise, and the largest multiplier.
class PlayedNoise final : public NoiseSource {
 public:
  [[nodiscard]] Integer gaussian(const Integer& /*sigma*/) override { return 0; }
  [[nodiscard]] Integer truncated_laplace(const Rational& /*scale*/,
                                          const Integer& /*bound*/) override {
    return 0;
  }
  [[nodiscard]] Integer laplace(const Rational& /*scale*/) override { return 0; }
  [[nodiscard]] Integer uniform(const Integer& /*low*/, const Integer& high) override {
    return high;
  }
};

bool among(std::span<const PartyId> members, PartyId party) {
  return std::ranges::find(members, party) != members.end();
}

// The joint Gaussian of what a coalition sees of one entry. Rows of the view: y′_i of the honest,
// which is y_i without the terms that the coalition knows; then its looks at T̄.
//
//     per-neighbour   y′ = (I − ζL)T + γ + masks of covariance 2σ_η²ζ²·Σ w_e² b_e b_eᵀ;  T_v + η
//     each shared          y′ = (I − ζL)T − ζLη + γ;   T_i + η_i of everybody next to the coalition
//     pairwise        y′ = T + γ + masks of covariance σ_edge²·L₀
//     ac              y′ = T + γ
class ReleaseModel {
 public:
  ReleaseModel(const Noise& noise, const Graph& graph, std::span<const PartyId> coalition)
      : noise_(noise), remains_(privacy::without(graph, coalition)) {
    for (std::size_t h = 0; h < remains_.parties.size(); ++h) {
      std::size_t curious = 0;
      for (const PartyId j : graph.neighbours(remains_.parties[h])) {
        curious += among(coalition, j) ? 1 : 0;
      }
      curious_.push_back(curious);
    }
  }

  [[nodiscard]] const privacy::Remains& remains() const { return remains_; }
  [[nodiscard]] std::size_t curious(std::size_t honest) const { return curious_[honest]; }

  // How many looks stand behind the releases in a view of this honest party.
  [[nodiscard]] std::size_t looks(std::size_t victim) const {
    const auto* shuffle = std::get_if<ShuffleNoise>(&noise_);
    if (shuffle == nullptr) return 0;
    if (shuffle->masks == ShuffleMasks::kPerNeighbour) return curious_[victim];
    return static_cast<std::size_t>(std::ranges::count(remains_.boundary, true));
  }

  struct Test {
    VectorXd weights;   // C⁻¹m
    double square = 0;  // mᵀC⁻¹m
    VectorXd mean;      // m
  };
  // `products`: a_{i→j}·a_{j→i} of the edges among the honest.
  [[nodiscard]] Test test_of(std::size_t victim, std::span<const double> products) const {
    const auto honest = static_cast<Index>(remains_.parties.size());
    const auto rows = honest + static_cast<Index>(looks(victim));
    MatrixXd covariance = MatrixXd::Zero(rows, rows);
    VectorXd mean = VectorXd::Zero(rows);
    const auto v = static_cast<Index>(victim);
    mean(v) = 1;
    if (const auto* local = std::get_if<LocalNoise>(&noise_)) {
      covariance.diagonal().array() += local->sigma * local->sigma;
    } else if (const auto* pairwise = std::get_if<PairwiseNoise>(&noise_)) {
      covariance.diagonal().array() += pairwise->sigma_gamma * pairwise->sigma_gamma;
      const double edge_square = pairwise->sigma_edge * pairwise->sigma_edge;
      for (const Edge& edge : remains_.graph.edges()) add_edge(covariance, edge, edge_square);
    } else {
      shuffle_view(std::get<ShuffleNoise>(noise_), v, products, covariance, mean);
    }
    const Eigen::LLT<MatrixXd> factor(covariance);
    check(factor.info() == Eigen::Success, "noise has a covariance");
    VectorXd weights = factor.solve(mean);
    const double square = mean.dot(weights);
    return {.weights = std::move(weights), .square = square, .mean = std::move(mean)};
  }

 private:
  static void add_edge(MatrixXd& matrix, const Edge& edge, double weight) {
    const auto a = static_cast<Index>(edge.a);
    const auto b = static_cast<Index>(edge.b);
    matrix(a, a) += weight;
    matrix(b, b) += weight;
    matrix(a, b) -= weight;
    matrix(b, a) -= weight;
  }

  void shuffle_view(const ShuffleNoise& noise, Index victim, std::span<const double> products,
                    MatrixXd& covariance, VectorXd& mean) const {
    const auto honest = static_cast<Index>(remains_.parties.size());
    const double gamma_square = std::pow(nearest_double(noise.sigma_gamma), 2);
    const double eta_square = std::pow(nearest_double(noise.sigma_eta), 2);
    const double zeta = 1 / noise.inverse_zeta.get_d();
    MatrixXd laplacian = MatrixXd::Zero(honest, honest);  // ζL
    MatrixXd masks = MatrixXd::Zero(honest, honest);
    for (std::size_t e = 0; e < products.size(); ++e) {
      const double weight = zeta * products[e];
      add_edge(laplacian, remains_.graph.edges()[e], weight);
      add_edge(masks, remains_.graph.edges()[e], 2 * eta_square * weight * weight);
    }
    mean.head(honest) -= laplacian.col(victim);
    auto releases = covariance.topLeftCorner(honest, honest);
    releases.diagonal().array() += gamma_square;
    Index row = honest;
    if (noise.masks == ShuffleMasks::kPerNeighbour) {
      releases += masks;
      for (; row < covariance.rows(); ++row) {
        covariance(row, row) = eta_square;
        mean(row) = 1;
      }
      return;
    }
    releases += eta_square * laplacian * laplacian;
    for (Index i = 0; i < honest; ++i) {
      if (!remains_.boundary[static_cast<std::size_t>(i)]) continue;
      covariance(row, row) = eta_square;
      covariance.col(row).head(honest) = -eta_square * laplacian.col(i);
      covariance.row(row).head(honest) = covariance.col(row).head(honest).transpose();
      if (i == victim) mean(row) = 1;
      ++row;
    }
  }

  const Noise& noise_;
  privacy::Remains remains_;
  std::vector<std::size_t> curious_;  // of each honest party: its neighbours in the coalition
};

class ReleaseAttack final : public GaussianAttack {
 public:
  ReleaseAttack(const PlannedStudy& planned, NeighbouringData data, PartyId victim,
                std::vector<PartyId> coalition, NoiseMaker draws, Agreement agreement)
      : noise_(planned.plan.noise),
        graph_(planned.study.graph()),
        data_(std::move(data)),
        victim_(victim),
        coalition_(std::move(coalition)),
        draws_(std::move(draws)),
        agreement_(agreement),
        model_(noise_, graph_, coalition_),
        typical_shift_(data_.moved * best_victim(planned, coalition_).shift) {
    const auto& honest = model_.remains().parties;
    place_ = static_cast<std::size_t>(std::ranges::lower_bound(honest, victim_) - honest.begin());
    for (const PartyId j : coalition_) {
      for (const PartyId i : graph_.neighbours(j)) {
        if (among(coalition_, i)) continue;
        edges_.emplace(std::pair(j, i),
                       *Graph::make(graph_.size(), {Edge{std::min(i, j), std::max(i, j)}}));
      }
    }
  }

  [[nodiscard]] Result<Sighting> sight(double distance, std::uint64_t seed,
                                       std::uint64_t run) const override {
    const Secret moved = data_.at(distance);
    Played played;
    SOTTO_TRY(play(moved, seed, run, played));

    // y′, then the looks, each in the change's direction.
    const auto& honest = model_.remains().parties;
    std::vector<double> view;
    for (const PartyId i : honest) {
      double value = projected(played.honest.at(i)->release());
      // What an edge adds at one end it takes away at the other.
      for (const auto& [ends, machine] : played.edges) {
        if (ends.second == i) value += projected(machine->release());
      }
      view.push_back(value);
    }
    add_looks(played, view);

    const auto test = model_.test_of(place_, products(played));
    const Eigen::Map<const VectorXd> seen(view.data(), static_cast<Index>(view.size()));
    const double root = std::sqrt(test.square);
    const double z = test.weights.dot(seen - data_.base * test.mean) / root;
    return Sighting{.z = z, .s = data_.moved * root, .seen = std::move(view)};
  }

 protected:
  [[nodiscard]] double typical_shift() const override { return typical_shift_; }

 private:
  using Ends = std::pair<PartyId, PartyId>;  // a member, and an honest neighbour
  struct Played {
    std::vector<std::unique_ptr<RandomSource>> random;
    std::vector<std::unique_ptr<RememberedNoise>> noise;
    std::map<PartyId, std::unique_ptr<Sealing>> honest;
    std::map<PartyId, const RememberedNoise*> draws;
    PlayedNoise none;
    std::map<Ends, std::unique_ptr<Sealing>> edges;
  };

  // All messages of the sealing, in the order in which they are sent.
  [[nodiscard]] Result<void> play(const Secret& moved, std::uint64_t seed, std::uint64_t run,
                                  Played& played) const {
    std::uint64_t stream = run << 16;
    const auto source = [&]() -> RandomSource& {
      return *played.random.emplace_back(std::make_unique<SeededRandom>(seed, stream++));
    };
    for (const PartyId i : model_.remains().parties) {
      auto& noise = *played.noise.emplace_back(std::make_unique<RememberedNoise>(draws_(source())));
      played.draws[i] = &noise;
      played.honest[i] = machine(i, graph_, i == victim_ ? moved : data_.others, noise, source());
    }
    for (const auto& [ends, graph] : edges_) {
      played.edges[ends] = machine(ends.first, graph, data_.others, played.none, source());
    }
    std::deque<Message> under_way;
    const auto send = [&](Result<std::vector<Message>> messages) -> Result<void> {
      if (!messages) return messages.error();
      std::ranges::move(*messages, std::back_inserter(under_way));
      return {};
    };
    for (auto& [party, sealing] : played.honest) SOTTO_TRY(send(sealing->start()));
    for (auto& [ends, sealing] : played.edges) SOTTO_TRY(send(sealing->start()));
    while (!under_way.empty()) {
      const Message message = std::move(under_way.front());
      under_way.pop_front();
      Sealing& receiver = among(coalition_, message.to)
                              ? *played.edges.at({message.to, message.from})
                              : *played.honest.at(message.to);
      SOTTO_TRY(send(receiver.receive(message)));
    }
    return {};
  }

  [[nodiscard]] std::unique_ptr<Sealing> machine(PartyId self, const Graph& graph,
                                                 const Secret& secret, NoiseSource& noise,
                                                 RandomSource& keys) const {
    return make_sealing(noise_, {.self = self,
                                 .graph = graph,
                                 .secret = secret,
                                 .noise = noise,
                                 .keys = keys,
                                 .cipher = &ideal_cipher(),
                                 .context = "sotto audit",
                                 .agreement = agreement_});
  }

  [[nodiscard]] double projected(const Released& released) const {
    double sum = 0;
    for (std::size_t k = 0; k < released.indices.size(); ++k) {
      if (data_.direction[k] == 0) continue;
      sum += data_.direction[k] * released.grid.value(released.indices[k], released.divisor);
    }
    return sum;
  }

  // a_{i→j} of an honest party: its draws are in the order of its neighbours.
  [[nodiscard]] double multiplier(const Played& played, PartyId i, PartyId j) const {
    const auto neighbours = graph_.neighbours(i);
    const auto k = std::ranges::lower_bound(neighbours, j) - neighbours.begin();
    return played.draws.at(i)->multipliers.at(static_cast<std::size_t>(k));
  }

  [[nodiscard]] std::vector<double> products(const Played& played) const {
    std::vector<double> result;
    if (!std::holds_alternative<ShuffleNoise>(noise_)) return result;
    for (const std::uint32_t e : model_.remains().edges) {
      const Edge& edge = graph_.edges()[e];
      result.push_back(multiplier(played, edge.a, edge.b) * multiplier(played, edge.b, edge.a));
    }
    return result;
  }

  // A member's machine ends with a·a′·(T̄ − 0): it divides by both.
  void add_looks(const Played& played, std::vector<double>& view) const {
    const auto* shuffle = std::get_if<ShuffleNoise>(&noise_);
    if (shuffle == nullptr) return;
    const auto look = [&](const Ends& ends) {
      Released released = played.edges.at(ends)->release();
      released.divisor = 1;
      return projected(released) / (static_cast<double>(shuffle->multiplier_max) *
                                    multiplier(played, ends.second, ends.first));
    };
    if (shuffle->masks == ShuffleMasks::kPerNeighbour) {
      for (const auto& [ends, graph] : edges_) {
        if (ends.second == victim_) view.push_back(look(ends));
      }
      return;
    }
    // Shared: whoever looks sees the same.
    for (const PartyId i : model_.remains().parties) {
      const auto seen =
          std::ranges::find(edges_, i, [](const auto& edge) { return edge.first.second; });
      if (seen != edges_.end()) view.push_back(look(seen->first));
    }
  }

  const Noise& noise_;
  const Graph& graph_;
  NeighbouringData data_;
  PartyId victim_;
  std::vector<PartyId> coalition_;
  NoiseMaker draws_;
  Agreement agreement_;
  ReleaseModel model_;
  double typical_shift_;
  std::size_t place_ = 0;        // the victim's among the honest
  std::map<Ends, Graph> edges_;  // what a member's machine for this edge believes the graph to be
};

}  // namespace

double GaussianAttack::log_ratio(const Sighting& sighting, double from, double to) const {
  return sighting.s * ((to - from) * sighting.z - (to * to - from * from) * sighting.s / 2);
}

double GaussianAttack::score(const Sighting& sighting) const {
  return log_ratio(sighting, 0, 1);
}

double GaussianAttack::tilt(double epsilon, double ratio) const {
  const double shift = ratio * typical_shift();
  return std::max(1.0, (epsilon / shift + shift / 2) / shift);
}

Measured GaussianAttack::measure(std::span<const WatchedRuns> worlds) const {
  double numerator = 0;
  double denominator = 0;
  for (const WatchedRuns& world : worlds) {
    for (const Sighting& run : world.runs) {
      const double expected = world.distance * run.s;
      numerator += expected * run.z;
      denominator += expected * expected;
    }
  }
  Measured measured;
  measured.slope = numerator / denominator;
  double squares = 0;
  double count = 0;
  for (const WatchedRuns& world : worlds) {
    for (const Sighting& run : world.runs) {
      squares += std::pow(run.z - measured.slope * world.distance * run.s, 2);
    }
    count += static_cast<double>(world.runs.size());
  }
  measured.scatter = std::sqrt(squares / count);
  const double slope_error = measured.scatter / std::sqrt(denominator) / std::abs(measured.slope);
  measured.error = std::hypot(slope_error, 1 / std::sqrt(2 * count));
  return measured;
}

// With noise τ times the claimed, what counts is z/τ beside a shift of (ρ/τ)s; a longer shift would
// have moved this run farther, too.
Sighting GaussianAttack::as_measured(const Sighting& sighting, double distance,
                                     const Measured& measured, double stretch) const {
  const double shift = measured.slope / measured.scatter * sighting.s;
  return {.z = sighting.z / measured.scatter + distance * shift * (stretch - 1),
          .s = shift * stretch,
          .seen = {}};
}

// At z = (ε/s + s/2) + u, with c = (λ−1)s: e^{−(λ−1)ε + λ(λ−1)s²/2}·e^{−cu}(1 − e^{−su}), whose
// largest over u > 0 is (1 + s/c)^{−c/s}·s/(s + c).
double GaussianAttack::log_largest_excess(double epsilon, double distance, double s) const {
  const double beyond = distance - 1;
  const double at_threshold = beyond * (distance * s * s / 2 - epsilon);
  if (beyond <= 0) return at_threshold;
  return at_threshold - beyond * std::log1p(1 / beyond) - std::log1p(beyond);
}

std::unique_ptr<Attack> attack_on_release(const PlannedStudy& planned, NeighbouringData data,
                                          PartyId victim, std::vector<PartyId> coalition,
                                          NoiseMaker noise, Agreement agreement) {
  return std::make_unique<ReleaseAttack>(planned, std::move(data), victim, std::move(coalition),
                                         std::move(noise), agreement);
}

BestVictim best_victim(const PlannedStudy& planned, std::span<const PartyId> coalition) {
  const ReleaseModel model(planned.plan.noise, planned.study.graph(), coalition);
  std::vector<double> products;
  if (const auto* shuffle = std::get_if<ShuffleNoise>(&planned.plan.noise)) {
    const double most = std::pow(static_cast<double>(shuffle->multiplier_max), 2);
    products.assign(model.remains().edges.size(), 0.75 * most);
  }
  BestVictim best;
  for (std::size_t v = 0; v < model.remains().parties.size(); ++v) {
    const double shift = std::sqrt(model.test_of(v, products).square);
    if (shift > best.shift) best = {.victim = model.remains().parties[v], .shift = shift};
  }
  return best;
}

}  // namespace sotto
