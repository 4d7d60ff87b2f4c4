#pragma once

// Published methods that look at the rows several times, with a curator who holds all data:
// boosted AdaSSP and iterative Hessian mixing, re-written from their papers, to compare with.

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>

#include "base/decompositions.h"
#include "solve/noisy_sums.h"

namespace sotto {

// Rows x with ‖x‖ ≤ 1 and targets with |y| ≤ 1, and XᵀX of them.
struct CentralTable {
  Eigen::MatrixXd x;
  Eigen::VectorXd y;
  Eigen::MatrixXd a;

  CentralTable(Eigen::MatrixXd rows, Eigen::VectorXd targets)
      : x(std::move(rows)), y(std::move(targets)), a(x.transpose() * x) {}

  // Xᵀr of the residuals, each cut to [−1, 1]: one row moves it by at most 1.
  [[nodiscard]] Eigen::VectorXd gradient(const Eigen::VectorXd& theta) const {
    return x.transpose() * (y - x * theta).cwiseMax(-1).cwiseMin(1);
  }
};

using NormalDraw = std::function<double()>;

inline Eigen::VectorXd normal_vector(Eigen::Index size, const NormalDraw& normal) {
  Eigen::VectorXd z(size);
  for (double& entry : z) entry = normal();
  return z;
}

// Boosted AdaSSP (Tang, Aydore, Kearns, Rho, Roth, Wang, Wang, Wu 2023): AdaSSP once on y, then on
// the residuals of what was found, T rounds in all, each with the same noisy XᵀX:
//
//     λ̃ = max(0, λ_min + σZ − 1.96σ),   H = XᵀX + σZ + max(0, 1.96√d·σ − λ̃)·I
//     θ ← θ + H⁻¹(Xᵀclip(y − Xθ) + σZ)
//
// XᵀX, λ_min and T gradients move by 1 each, so σ = √(T + 2)/κ̄. (The published code has σ = μ where
// 1/μ times the number of releases' root belongs.)
inline Eigen::VectorXd boosted_adassp(const CentralTable& table, double shift, int rounds,
                                      const NormalDraw& normal) {
  constexpr double kQuantile = 1.96;
  const Eigen::Index d = table.a.rows();
  const double sigma = std::sqrt(rounds + 2.0) / shift;
  Eigen::MatrixXd h = table.a;
  for (Eigen::Index r = 0; r < d; ++r) {
    for (Eigen::Index c = r; c < d; ++c) h(r, c) = h(c, r) = h(r, c) + sigma * normal();
  }
  const double smallest = std::max(
      0.0, solve::SpectrumOfSums(table.a).values(0) + sigma * normal() - kQuantile * sigma);
  h.diagonal().array() +=
      std::max(0.0, kQuantile * std::sqrt(static_cast<double>(d)) * sigma - smallest);
  const solve::SpectrumOfSums spectrum(h);
  Eigen::VectorXd theta = Eigen::VectorXd::Zero(d);
  for (int round = 0; round < rounds; ++round) {
    const Eigen::VectorXd noisy = table.gradient(theta) + sigma * normal_vector(d, normal);
    theta += solve::minimum_norm(spectrum.values, spectrum.vectors, noisy).theta;
  }
  return theta;
}

// What iterative Hessian mixing (Lev, Shenfeld, Srinivasan, Ligett, Wilson 2026) needs for (ε, δ).
struct HessianMixing {
  int rounds = 3;
  int sketch = 0;          // k
  double gamma = 0;        // λ_min that a sketch must have
  double sigma_eigen = 0;  // of the noise on λ_min
  double margin = 0;       // τ
  double sigma_gradient = 0;

  // With ϱ = δ/10, k = 6·max(d, ln(4T/ϱ)) and half of ε for the sketches, γ is the smallest with
  //
  //     min_{1<α<γ} T·k/(2(α−1))·[α·ln(1 − 1/γ) − ln(1 − α/γ)]
  //                 + [ln(1/δ') + (α−1)ln(1 − 1/α) − ln α]/(α−1) + √(2k·ln(1.25/δ'))/γ ≤ ε/2,
  //
  // δ' = δ/4; the gradients have the other half of ε and δ/4: σ = √T/κ̄_{ε/2}(δ/4) = `gradient`·√T.
  static HessianMixing make(Eigen::Index d, double epsilon, double delta, double half_shift) {
    HessianMixing mixing;
    const double failure = delta / 10;
    const auto size = static_cast<double>(d);
    mixing.sketch = static_cast<int>(6 * std::max(size, std::log(4.0 * mixing.rounds / failure)));
    double low = 1;
    double high = 1e12;
    for (int step = 0; step < 200; ++step) {
      const double middle = std::sqrt(low * high);
      (mixing.spent(middle, delta / 4) <= epsilon / 2 ? high : low) = middle;
    }
    mixing.gamma = high;
    mixing.sigma_eigen = high / std::sqrt(mixing.sketch);
    mixing.margin = std::sqrt(2 * std::log(std::max(4 / delta, 4 / failure)));
    mixing.sigma_gradient = std::sqrt(mixing.rounds) / half_shift;
    return mixing;
  }

  [[nodiscard]] double spent(double at, double delta) const {
    const double k = sketch;
    const auto objective = [&](double alpha) {
      return rounds * k / (2 * (alpha - 1)) *
                 (alpha * std::log1p(-1 / at) - std::log1p(-alpha / at)) +
             (-std::log(delta) + (alpha - 1) * std::log1p(-1 / alpha) - std::log(alpha)) /
                 (alpha - 1);
    };
    double best = std::numeric_limits<double>::infinity();
    constexpr int kSteps = 400;
    for (int step = 1; step < kSteps; ++step) {
      const double share = static_cast<double>(step) / kSteps;
      const double alpha = 1 + std::pow(10, -4 + share * (4 + std::log10(at)));
      if (alpha < at) best = std::min(best, objective(alpha));
    }
    return best + std::sqrt(2 * k * std::log(1.25 / delta)) / at;
  }

  // Each round a fresh sketch of k Gaussian rows, which is one of the law N(0, XᵀX + γ̃I):
  //
  //     γ̃ = max(0, γ − max(0, λ_min − σ_λ(τ − Z))),   H = sketchᵀ·sketch/k
  //     θ ← θ + H⁻¹(Xᵀclip(y − Xθ) + σZ)
  [[nodiscard]] Eigen::VectorXd solve_for(const CentralTable& table,
                                          const NormalDraw& normal) const {
    const Eigen::Index d = table.a.rows();
    const double smallest = solve::SpectrumOfSums(table.a).values(0);
    const double known = std::max(0.0, smallest - sigma_eigen * (margin - normal()));
    Eigen::MatrixXd law = table.a;
    law.diagonal().array() += std::max(0.0, gamma - known) + 1e-12;
    const Eigen::LLT<Eigen::MatrixXd> law_root(law);
    const Eigen::MatrixXd root = law_root.matrixL();
    Eigen::VectorXd theta = Eigen::VectorXd::Zero(d);
    for (int round = 0; round < rounds; ++round) {
      Eigen::MatrixXd z(d, sketch);
      for (double& entry : z.reshaped()) entry = normal();
      const Eigen::MatrixXd rows = root * z;
      const Eigen::MatrixXd h = rows * rows.transpose() / sketch;
      const Eigen::VectorXd noisy =
          table.gradient(theta) + sigma_gradient * normal_vector(d, normal);
      theta += solve_symmetric(h, noisy);
    }
    return theta;
  }
};

}  // namespace sotto
