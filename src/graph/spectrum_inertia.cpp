#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "graph/spectrum_bounds.h"

// Sylvester's law of inertia: L₀ − τI = FDFᵀ has as many negative eigenvalues as D has negative
// entries. In floating point FDFᵀ = L₀ − τI + E with |E| ≤ γ|F||D||Fᵀ| entry by entry (Higham 2002,
// Section 11.1; γ = ku/(1−ku) for k operations on an entry), so with one negative entry
// λ₂ ≥ τ − ‖E‖ by Weyl. In extended precision, where that error is far below 10⁻¹⁰, unless a part
// of the graph that is eliminated first has λ₂ among its own eigenvalues, as in symmetric graphs:
// then D has an entry as small as τ is near λ₂, and F large ones. Small graphs have another way,
// L₀ − τI + s·11ᵀ, which is positive definite iff τ < λ₂ and whose factors are never large; in
// larger ones τ must keep farther away.
namespace sotto {
namespace {

using Real = long double;
using WideMatrix = Eigen::SparseMatrix<Real>;
using WideVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

constexpr double kMostFlops = 1e8;                  // a fraction of a second
constexpr double kMargins[] = {1e-10, 1e-8, 1e-6};  // relatively

struct Factorisation : Eigen::SimplicialLDLT<WideMatrix> {
  [[nodiscard]] double flops() const {
    return m_nonZerosPerCol.cast<double>().array().square().sum();
  }
};

struct Counted {
  std::size_t negative = 0;
  Real error = 0;  // at least ‖E‖
};

// Of `sign`·(L₀ − τI). A zero on the diagonal of D: nothing.
std::optional<Counted> count_negative(Factorisation& factors, const WideMatrix& laplacian,
                                      Real sign, Real tau) {
  WideMatrix identity(laplacian.rows(), laplacian.cols());
  identity.setIdentity();
  factors.factorize(sign * laplacian - sign * tau * identity);
  if (factors.info() != Eigen::Success) return std::nullopt;
  const WideVector d = factors.vectorD();
  const WideMatrix f = WideMatrix(factors.matrixL()).cwiseAbs();
  std::vector<Eigen::Index> in_row(static_cast<std::size_t>(d.size()), 1);
  for (Eigen::Index column = 0; column < f.outerSize(); ++column) {
    for (WideMatrix::InnerIterator entry(f, column); entry; ++entry) {
      ++in_row[static_cast<std::size_t>(entry.row())];
    }
  }
  // ‖E‖₂ ≤ ‖E‖_∞ ≤ γ·max(|F||D||Fᵀ|1), and the diagonal has been rounded once. F's own diagonal of
  // ones is counted here, and perhaps in f too: more, not less.
  const WideVector ones = WideVector::Ones(d.size());
  const WideVector scaled = d.cwiseAbs().cwiseProduct(f.transpose() * ones + ones);
  const WideVector image = f * scaled + scaled;
  const Real unit = std::numeric_limits<Real>::epsilon();
  const auto operations = static_cast<Real>(4 * std::ranges::max(in_row) + 16);
  Counted counted;
  counted.error =
      unit * operations * (image.maxCoeff() + laplacian.diagonal().maxCoeff() + std::abs(tau));
  if (!std::isfinite(counted.error)) return std::nullopt;
  counted.negative = static_cast<std::size_t>((d.array() < 0).count());
  return counted;
}

// Whether λ₂ ≥ τ − `allowed`, by Cholesky's factors of M = L₀ − τI + s·11ᵀ: RᵀR = M + E with
// |E| ≤ γ|Rᵀ||R|, so that M ⪰ −‖E‖I, and on 1⊥ M is L₀ − τI.
bool densely_above(const WideMatrix& laplacian, Real largest, Real tau, Real allowed) {
  using Dense = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  const Eigen::Index n = laplacian.rows();
  const Real size = static_cast<Real>(n);
  Dense matrix(laplacian);
  matrix.array() += largest / size;
  matrix.diagonal().array() -= tau;
  const Eigen::LLT<Dense> factors(matrix);
  if (factors.info() != Eigen::Success) return false;
  const Dense r = Dense(factors.matrixL()).cwiseAbs();
  const WideVector image = r * (r.transpose() * WideVector::Ones(n));
  // Of the factors, and of the entries themselves.
  const Real unit = std::numeric_limits<Real>::epsilon();
  const Real entries = 2 * laplacian.diagonal().maxCoeff() + 2 * largest + tau;
  return unit * ((2 * size + 16) * image.maxCoeff() + 4 * entries) <= allowed;
}

}  // namespace

std::optional<double> confirmed_margin(const Graph& graph, Spectrum computed) {
  const auto n = static_cast<Eigen::Index>(graph.size());
  std::vector<Eigen::Triplet<Real, int>> entries;
  for (const auto& [a, b] : graph.edges()) {
    const int i = static_cast<int>(a);
    const int j = static_cast<int>(b);
    entries.insert(entries.end(), {{i, i, 1}, {j, j, 1}, {i, j, -1}, {j, i, -1}});
  }
  WideMatrix laplacian(n, n);
  laplacian.setFromTriplets(entries.begin(), entries.end());
  Factorisation factors;
  factors.analyzePattern(laplacian);
  if (factors.flops() > kMostFlops) return std::nullopt;

  const Real lower = static_cast<Real>(computed.lambda_2);
  const Real upper = static_cast<Real>(computed.lambda_max);
  const bool small = std::pow(static_cast<double>(n), 3) / 3 <= kMostFlops;
  for (const double margin : kMargins) {
    const Real half = static_cast<Real>(margin) / 2;
    const Real tau = lower * (1 - half);
    const auto below = count_negative(factors, laplacian, 1, tau);
    const bool counted = below && below->negative <= 1 && below->error <= lower * half;
    if (!counted && (!small || !densely_above(laplacian, upper, tau, lower * half))) continue;
    const auto above = count_negative(factors, laplacian, -1, upper * (1 + half));
    if (above && above->negative == 0 && above->error <= upper * half) return margin;
  }
  return std::nullopt;
}

}  // namespace sotto
