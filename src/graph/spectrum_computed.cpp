#include <Spectra/SymEigsSolver.h>

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>

#include "base/check.h"
#include "graph/spectrum.h"

// Eigenvalues of a Laplacian by Lanczos' method (Spectra).
//
// 1. Multiplicities do no harm: the eigenvector 1 of the eigenvalue 0 is projected
//    out, so that λ₂ is the smallest eigenvalue of what is left, however often it
//    stands there (once more as 0 if the graph is not connected).
// 2. Lanczos finds the largest eigenvalue of (L + δI)⁻¹ for λ₂ and of (cI − L)⁻¹ for
//    λ_max, by sparse Cholesky: few steps even where eigenvalues crowd (cycles, paths).
//    Expanders fill the factor, but their λ₂ stands apart: there, L itself will do.
// 3. From the vector v that it gives, λ = Σ w_ij (v_i − v_j)² / Σ v_i². Nothing
//    cancels in it and errors of v enter squared: λ₂ has full relative accuracy
//    where an eigenvalue of a rounded L would have lost as much as λ₂ is below λ_max.
namespace sotto {
namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;

constexpr Eigen::Index kDenseSize = 64;
constexpr Eigen::Index kKrylovSize = 40;
constexpr Eigen::Index kMaxRestarts = 60;
constexpr Eigen::Index kMaxDirectRestarts = 400;
constexpr double kTolerance = 1e-12;
constexpr double kResidual = 1e-6;
constexpr double kMaxFlops = 1e8;  // of a sparse factorisation: a fraction of a second
constexpr double kNudge = 1e-11;   // shifts stand this far, times λ_max, from the spectrum
constexpr int kMaxShifts = 12;

struct Cholesky : Eigen::SimplicialLLT<Matrix> {
  // Of the factorisation, known from the pattern alone.
  [[nodiscard]] double flops() const {
    return m_nonZerosPerCol.cast<double>().array().square().sum();
  }
  [[nodiscard]] bool positive_definite() const { return info() == Eigen::Success; }
};

using Map = std::function<Vector(const Vector&)>;

// What Spectra asks of a linear map.
struct Operator {
  using Scalar = double;
  Eigen::Index size;
  Map apply;

  [[nodiscard]] Eigen::Index rows() const { return size; }
  [[nodiscard]] Eigen::Index cols() const { return size; }
  void perform_op(const double* x, double* y) const {
    Eigen::Map<Vector>(y, size) = apply(Eigen::Map<const Vector>(x, size));
  }
};

Vector power_iteration(const Map& map, Vector v, int steps) {
  for (int i = 0; i < steps; ++i) v = map(v.normalized());
  return v.normalized();
}

// ‖Mv − νv‖ / ν for ν = vᵀMv and ‖v‖ = 1.
double relative_residual(const Map& map, const Vector& v) {
  const Vector image = map(v);
  const double nu = v.dot(image);
  return (image - nu * v).norm() / nu;
}

// Deterministic, and in general position to every eigenvector.
Vector start_vector(Eigen::Index size) {
  return Vector::NullaryExpr(size, [](Eigen::Index i) {
    const double x = static_cast<double>(i + 1);
    return std::sin(x * x);
  });
}

std::optional<Vector> lanczos(Operator map, Eigen::Index restarts) {
  try {
    Spectra::SymEigsSolver<Operator> solver(map, 1, kKrylovSize);
    solver.init();
    if (solver.compute(Spectra::SortRule::LargestAlge, restarts, kTolerance) < 1) {
      return std::nullopt;
    }
    return Vector(solver.eigenvectors().col(0));
  } catch (const std::exception&) {
    return std::nullopt;  // Spectra throws where its small tridiagonal problem does not converge
  }
}

// The eigenvector of the largest eigenvalue of a positive semi-definite map; its residual
// is below kResidual, so that an eigenvalue computed from it is good to the square of that.
// With few different eigenvalues (stars, complete graphs) Krylov spaces end after two or
// three steps, where Spectra stops too early or fails; but a few powers then do all or
// most of the work.
std::optional<Vector> top_eigenvector(Eigen::Index size, const Map& map, Eigen::Index restarts) {
  const Vector rough = power_iteration(map, start_vector(size), 4);
  if (relative_residual(map, rough) < kTolerance) return rough;
  const double scale = 1 / map(rough).norm();  // Spectra's thresholds are absolute
  const auto found =
      lanczos({size, [&](const Vector& x) { return Vector(scale * map(x)); }}, restarts);
  if (!found) return std::nullopt;
  const Vector polished = power_iteration(map, *found, 3);
  if (relative_residual(map, polished) > kResidual) return std::nullopt;
  return polished;
}

Vector centred(const Vector& v) {
  return v.array() - v.mean();
}

double rayleigh_quotient(const Matrix& laplacian, const Vector& v) {
  double energy = 0;
  for (Eigen::Index column = 0; column < laplacian.outerSize(); ++column) {
    for (Matrix::InnerIterator entry(laplacian, column); entry; ++entry) {
      if (entry.row() >= column) break;
      const double difference = v[entry.row()] - v[column];
      energy -= entry.value() * difference * difference;
    }
  }
  return energy / centred(v).squaredNorm();
}

double residual(const Matrix& laplacian, const Vector& v, double lambda) {
  return (laplacian * v - lambda * v).norm() / v.norm();
}

// λ_max ≤ max L_ii + L_jj over the edges ij (Anderson, Morley 1985; with weights,
// the largest row sum of the edge version BᵀBW of L = BWBᵀ).
double upper_bound(const Matrix& laplacian) {
  double bound = 0;
  const Vector diagonal = laplacian.diagonal();
  for (Eigen::Index column = 0; column < laplacian.outerSize(); ++column) {
    for (Matrix::InnerIterator entry(laplacian, column); entry; ++entry) {
      if (entry.row() == column) continue;
      bound = std::max(bound, diagonal[entry.row()] + diagonal[column]);
    }
  }
  return bound;
}

class LaplacianSpectrum {
 public:
  explicit LaplacianSpectrum(const Matrix& laplacian)
      : laplacian_(laplacian),
        size_(laplacian.rows()),
        identity_(size_, size_),
        bound_(upper_bound(laplacian)) {
    identity_.setIdentity();
    cholesky_.analyzePattern(laplacian_ + identity_);
  }

  [[nodiscard]] std::optional<Spectrum> find() {
    const std::optional<double> largest = lambda_max();
    const std::optional<double> second = lambda_2();
    if (!largest || !second) return std::nullopt;
    return Spectrum{*second, *largest};
  }

 private:
  std::optional<double> lambda_max() {
    if (cholesky_.flops() > kMaxFlops) {
      const Map map = [&](const Vector& x) { return Vector(laplacian_ * x); };
      if (auto v = top_eigenvector(size_, map, kMaxDirectRestarts)) {
        return rayleigh_quotient(laplacian_, *v);
      }
    }
    // The nearer the shift c is to λ_max the faster: pull it in until Lanczos converges.
    // A Cholesky factor of cI − L exists iff c is above λ_max.
    const Map solve = [&](const Vector& x) { return Vector(cholesky_.solve(x)); };
    double lower = 0;
    double upper = bound_ * (1 + kNudge);
    double shift = upper;
    for (int i = 0; i < kMaxShifts; ++i) {
      cholesky_.factorize(shift * identity_ - laplacian_);
      if (cholesky_.positive_definite()) {
        upper = shift;
        if (auto v = top_eigenvector(size_, solve, kMaxRestarts)) {
          return rayleigh_quotient(laplacian_, *v);
        }
        const Vector rough = power_iteration(solve, start_vector(size_), 8);
        const double estimate = rayleigh_quotient(laplacian_, rough);  // ≤ λ_max
        lower = std::max(lower, estimate);
        shift = lower + std::min(2 * residual(laplacian_, rough, estimate), (upper - lower) / 2);
      } else {
        lower = shift;
        shift = (lower + upper) / 2;
      }
    }
    return std::nullopt;
  }

  std::optional<double> lambda_2() {
    if (cholesky_.flops() > kMaxFlops) {
      const Map map = [&](const Vector& x) {
        const Vector y = centred(x);
        return centred(bound_ * y - laplacian_ * y);
      };
      if (auto v = top_eigenvector(size_, map, kMaxDirectRestarts)) {
        const double lambda = rayleigh_quotient(laplacian_, *v);
        if (residual(laplacian_, *v, lambda) < kResidual * lambda) return lambda;
      }
    }
    cholesky_.factorize(laplacian_ + kNudge * bound_ * identity_);
    if (!cholesky_.positive_definite()) return std::nullopt;
    const Map solve = [&](const Vector& x) { return centred(cholesky_.solve(centred(x))); };
    if (auto v = top_eigenvector(size_, solve, kMaxRestarts)) {
      return rayleigh_quotient(laplacian_, *v);
    }
    return std::nullopt;
  }

  const Matrix& laplacian_;
  Eigen::Index size_;
  Matrix identity_;
  double bound_;
  Cholesky cholesky_;
};

// The eigenvalue of the vector 1 is moved from 0 to above all others, and so out of the way.
Spectrum dense_spectrum(const Matrix& laplacian) {
  const Eigen::Index n = laplacian.rows();
  Eigen::MatrixXd moved(laplacian);
  moved.array() += 2 * upper_bound(laplacian) / static_cast<double>(n);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(moved);
  check(solver.info() == Eigen::Success, "a symmetric matrix has eigenvalues");
  return {rayleigh_quotient(laplacian, solver.eigenvectors().col(0)), solver.eigenvalues()[n - 2]};
}

}  // namespace

Spectrum computed_spectrum(const Eigen::SparseMatrix<double>& laplacian) {
  check(laplacian.rows() == laplacian.cols() && laplacian.rows() > 0, "a Laplacian is square");
  if (laplacian.rows() == 1 || laplacian.nonZeros() == 0) return {};
  if (laplacian.rows() > kDenseSize) {
    if (const auto found = LaplacianSpectrum(laplacian).find()) return *found;
  }
  return dense_spectrum(laplacian);
}

}  // namespace sotto
