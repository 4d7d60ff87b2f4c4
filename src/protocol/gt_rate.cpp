// How fast `gt` converges, and with which step: eigenvalues of one round.
#include <Spectra/GenEigsSolver.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/decompositions.h"
#include "protocol/gt.h"

namespace sotto {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Below this order all eigenvalues are computed densely; above, Arnoldi finds the largest.
constexpr Index kDenseOrder = 260;
constexpr Index kPoweredOrder = 100'000;  // above, vectors are too long to keep many of them

// M without its m eigenvalues 1. The right eigenvectors are (1⊗c, 0), the left
// ones (−G_i stacked, I stacked), so subtracting their projector
// M′ = M − V(UᵀV)⁻¹Uᵀ, UᵀV = −ΣG_i, turns exactly those into 0.
class TrackingOperator {
 public:
  using Scalar = double;

  TrackingOperator(const Eigen::SparseMatrix<double>& laplacian, const std::vector<MatrixXd>& g,
                   const MatrixXd& total_inverse, double step)
      : laplacian_(laplacian), g_(g), total_inverse_(total_inverse), step_(step) {}

  [[nodiscard]] Index rows() const { return 2 * half(); }
  [[nodiscard]] Index cols() const { return rows(); }

  // Columns of a block are parties, so a graph operation is a product from the right.
  void perform_op(const double* in, double* out) const {
    const Index m = g_[0].rows();
    const Index n = laplacian_.rows();
    const Eigen::Map<const MatrixXd> x(in, m, n);
    const Eigen::Map<const MatrixXd> s(in + half(), m, n);
    Eigen::Map<MatrixXd> x_next(out, m, n);
    Eigen::Map<MatrixXd> s_next(out + half(), m, n);
    x_next = x - x * laplacian_ - step_ * s;
    s_next = s - s * laplacian_;
    VectorXd conserved = s.rowwise().sum();
    for (Index i = 0; i < n; ++i) {
      const MatrixXd& g = g_[static_cast<std::size_t>(i)];
      s_next.col(i) += g * (x_next.col(i) - x.col(i));
      conserved -= g * x.col(i);
    }
    x_next.colwise() += total_inverse_ * conserved;
  }

 private:
  [[nodiscard]] Index half() const { return g_[0].rows() * laplacian_.rows(); }

  const Eigen::SparseMatrix<double>& laplacian_;
  const std::vector<MatrixXd>& g_;
  const MatrixXd& total_inverse_;
  double step_;
};

}  // namespace

// Arnoldi's method has Spectra's solver for Hessenberg matrices compiled anyway; Eigen's would cost
// 16 seconds more.
Eigen::VectorXcd protocol::eigenvalues(const MatrixXd& a) {
  const MatrixXd hessenberg = Eigen::HessenbergDecomposition<MatrixXd>(a).matrixH();
  return Spectra::UpperHessenbergEigen<double>(hessenberg).eigenvalues();
}

GradientRate::GradientRate(const Weights& weights, std::vector<MatrixXd> perturbed)
    : laplacian_(laplacian(weights.graph(), weights.per_edge())),
      g_(std::move(perturbed)),
      spectrum_(spectrum(weights)) {
  check(g_.size() == weights.graph().size() && g_.size() >= 2, "one matrix per party");
  MatrixXd total = MatrixXd::Zero(g_[0].rows(), g_[0].cols());
  for (const MatrixXd& g : g_) total += g;
  mean_eigenvalues_ =
      Eigen::SelfAdjointEigenSolver<MatrixXd>(total, Eigen::EigenvaluesOnly).eigenvalues() /
      static_cast<double>(g_.size());
  total_inverse_ = inverse(total);
}

double GradientRate::radius(double step) const {
  // An indefinite ΣG_i has no minimiser: x runs away whatever the step.
  if (!(mean_eigenvalues_[0] > 0)) return std::numeric_limits<double>::infinity();
  const TrackingOperator operation(laplacian_, g_, total_inverse_, step);
  if (operation.rows() <= kDenseOrder) return dense_radius(step);
  if (operation.rows() > kPoweredOrder) return powered_radius(step);
  // Eigenvalues crowd at 1 on long cycles; a wide Krylov space tells them apart.
  const Index wanted = 4;
  const Index krylov = std::min<Index>(operation.rows(), 160);
  Spectra::GenEigsSolver<TrackingOperator> solver(const_cast<TrackingOperator&>(operation), wanted,
                                                  krylov);
  solver.init();
  const Index found = solver.compute(Spectra::SortRule::LargestMagn, 400, 1e-9);
  if (solver.info() != Spectra::CompInfo::Successful || found == 0) return dense_radius(step);
  return solver.eigenvalues().cwiseAbs().maxCoeff();
}

double GradientRate::dense_radius(double step) const {
  const TrackingOperator operation(laplacian_, g_, total_inverse_, step);
  MatrixXd dense(operation.rows(), operation.cols());
  VectorXd unit = VectorXd::Zero(operation.rows());
  for (Index k = 0; k < dense.cols(); ++k) {
    unit[k] = 1;
    operation.perform_op(unit.data(), dense.col(k).data());
    unit[k] = 0;
  }
  return protocol::eigenvalues(dense).cwiseAbs().maxCoeff();
}

double GradientRate::mean_field_radius(double step) const {
  double radius = 0;
  for (const double g : mean_eigenvalues_) {
    const double x = step * g;
    radius = std::max(radius, std::abs(1 - x));  // w = 1; its other eigenvalue is the conserved 1
    for (const double gap : {spectrum_.lambda_2, spectrum_.lambda_max}) {  // 1 − w
      const double root = std::sqrt(x * x + 4 * x * gap);
      radius = std::max(
          {radius, std::abs(1 - gap + (root - x) / 2), std::abs(1 - gap - (root + x) / 2)});
    }
  }
  return radius;
}

double GradientRate::largest_stable_step() const {
  if (!(mean_eigenvalues_[0] > 0)) return 0;
  // Parties that differ are less stable than their mean: start there and go down.
  double unstable = 8 / mean_eigenvalues_[mean_eigenvalues_.size() - 1];
  while (mean_field_radius(unstable / 2) >= 1) unstable /= 2;
  while (radius(unstable) < 1) unstable *= 2;
  double stable = unstable / 2;
  while (radius(stable) >= 1) {
    unstable = stable;
    stable /= 2;
    if (stable < std::numeric_limits<double>::min()) return 0;
  }
  while (unstable > stable * 1.001) {
    const double middle = std::sqrt(stable * unstable);
    (radius(middle) < 1 ? stable : unstable) = middle;
  }
  return stable;
}

double GradientRate::best_step() const {
  if (!(mean_eigenvalues_[0] > 0)) return 0;
  // The mean-field radius falls, then rises, as the step grows: golden section in log β.
  constexpr double kGolden = 0.6180339887498949;
  double high = std::log(2 / mean_eigenvalues_[mean_eigenvalues_.size() - 1]);
  double low = high + std::log(1e-3 * std::min(1.0, spectrum_.lambda_2));
  while (high - low > 1e-3) {
    const double left = high - kGolden * (high - low);
    const double right = low + kGolden * (high - low);
    if (mean_field_radius(std::exp(left)) < mean_field_radius(std::exp(right))) {
      high = right;
    } else {
      low = left;
    }
  }
  // Where parties differ much, the mean's best step is at the edge of stability or beyond it.
  double step = std::exp((low + high) / 2);
  double here = radius(step);
  for (;;) {
    const double shorter = step / 1.5;
    if (shorter < std::numeric_limits<double>::min()) return 0;
    const double there = radius(shorter);
    if (here < 1 && there >= here) return step;
    step = shorter;
    here = there;
  }
}

}  // namespace sotto
