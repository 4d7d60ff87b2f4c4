#pragma once

#include <Eigen/Dense>
#include <vector>

#include "graph/weights.h"
#include "privacy/seal.h"
#include "protocol/message.h"
#include "protocol/round_exchange.h"

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
  [[nodiscard]] bool done() const override { return exchange_.round() >= rounds_; }

  [[nodiscard]] std::span<const double> x() const { return {state_.data(), dimension_}; }

 private:
  void step();
  [[nodiscard]] std::vector<Message> broadcast() const;

  PartyId self_;
  std::size_t dimension_;
  std::vector<double> weights_;
  PerturbedCost cost_;
  double step_size_;
  Round rounds_;
  RoundExchange<std::vector<double>> exchange_;
  std::vector<double> state_;  // x, then s
};

}  // namespace sotto
