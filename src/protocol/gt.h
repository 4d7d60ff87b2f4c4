#pragma once

#include "graph/spectrum.h"
#include "privacy/seal.h"
#include "protocol/rounds.h"

// All of `gt` that is protocol: the party, its barrier, and how fast it converges.
namespace sotto {

// One party of `gt`, Algorithm 1: gradient tracking on the perturbed cost,
//
//     x_i(t+1) = x_i + Σ_j w_ij(x_j − x_i) − βs_i                 x_i(0) = 0
//     s_i(t+1) = s_i + Σ_j w_ij(s_j − s_i) + G_i(x_i(t+1) − x_i)  s_i(0) = H_i
//
// for a fixed number of rounds. Post-processing of (G_i, H_i), so the number of
// rounds costs no privacy.
class GradientTracking final : public Party {
 public:
  GradientTracking(PartyId self, const Weights& weights, PerturbedCost cost, double step,
                   Round rounds);

  [[nodiscard]] Result<std::vector<Message>> start() override;
  [[nodiscard]] Result<std::vector<Message>> receive(const Message& message) override;
  [[nodiscard]] bool done() const override { return exchange_.done(); }

  // What a message of the first `rounds` rounds must look like, whoever sent it.
  [[nodiscard]] Result<void> inspect(const Message& message, Round rounds) const;

  // What the first round says; none without neighbours or rounds.
  [[nodiscard]] std::optional<Payload> first_words() const;

  [[nodiscard]] std::span<const double> x() const { return {state_.data(), dimension_}; }

 private:
  void step();
  [[nodiscard]] Payload state() const { return RoundValues{exchange_.round(), state_}; }

  std::size_t dimension_;
  std::vector<double> weights_;
  PerturbedCost cost_;
  double step_size_;
  protocol::RoundExchange<std::vector<double>> exchange_;
  std::vector<double> state_;  // x, then s
};

// One party of `gt` with the barrier that a network needs: nothing to do together before it,
// and what faster neighbours send is kept until all are ready.
class TrackingParty final : public StagedParty {
 public:
  TrackingParty(PartyId self, const Weights& weights, PerturbedCost cost, double step,
                Round rounds);

  [[nodiscard]] Result<std::vector<Message>> start() override { return std::vector<Message>{}; }
  [[nodiscard]] Result<std::vector<Message>> receive(const Message& message) override;
  [[nodiscard]] bool done() const override { return released_ && tracking_.done(); }

  [[nodiscard]] bool sealed() const override { return true; }
  [[nodiscard]] bool shown() const override { return released_; }
  [[nodiscard]] std::optional<Payload> first_words() const override {
    return tracking_.first_words();
  }
  [[nodiscard]] Result<std::vector<Message>> release() override;
  [[nodiscard]] Average result() const override;
  [[nodiscard]] bool agrees(std::span<const double> theirs, double scale) const override;

 private:
  Graph graph_;
  PartyId self_;
  GradientTracking tracking_;
  bool released_ = false;
  protocol::EarlyRounds early_;
};

// How fast `gt` converges. One round is (x, s) ↦ M(x, s) + const with
//
//     M = [[W, −βI], [G(W−I), W−βG]],   G = diag(G_1, …, G_n),
//
// which has m eigenvalues that are exactly 1: Σs_i − ΣG_i x_i is conserved. The
// rate is M's spectral radius off those. docs/proofs/gradient_tracking.md
//
// Takes perturbed matrices only: what `gt` released, never A_i.
class GradientRate {
 public:
  GradientRate(const Weights& weights, std::vector<Eigen::MatrixXd> perturbed);

  // The radius at step β; below 1 iff gradient tracking converges. All eigenvalues of few parties,
  // the largest of more, and of very many what so many rounds show.
  [[nodiscard]] double radius(double step) const;
  [[nodiscard]] double powered_radius(double step) const;

  // The supremum of the stable steps: 0 if no step is stable (ΣG_i is not positive definite).
  [[nodiscard]] double largest_stable_step() const;

  // A step near the smallest radius, `step = "auto"`: the best one for parties that
  // all hold the mean Ḡ = ΣG_i/n, shortened as long as that helps the real ones.
  [[nodiscard]] double best_step() const;

  // The radius if all parties held Ḡ. Then M falls into 2×2 blocks, one for every
  // pair of eigenvalues w of W and g of Ḡ, whose eigenvalues rise with w:
  //
  //     λ = w + (−βg ± √((βg)² + 4βg(1−w)))/2,
  //
  // so the smallest and the largest w < 1 decide.
  [[nodiscard]] double mean_field_radius(double step) const;

 private:
  [[nodiscard]] double dense_radius(double step) const;

  Eigen::SparseMatrix<double> laplacian_;
  std::vector<Eigen::MatrixXd> g_;
  Eigen::MatrixXd total_inverse_;     // (ΣG_i)⁻¹
  Eigen::VectorXd mean_eigenvalues_;  // of Ḡ, ascending
  Spectrum spectrum_;                 // of L = I − W
};

namespace protocol {

// Of any square matrix.
[[nodiscard]] Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& a);

}  // namespace protocol
}  // namespace sotto
