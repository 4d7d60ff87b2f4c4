#include "moments/quadratic.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>

#include "base/check.h"

// Quadratic costs: their sum, their minimiser, and their numbers in a row.
namespace sotto {

Quadratic sum(std::span<const Quadratic> parties) {
  check(!parties.empty(), "a problem has at least one party");
  Quadratic total = parties.front();
  for (const Quadratic& party : parties.subspan(1)) {
    check(party.a.rows() == total.a.rows() && party.a.cols() == total.a.cols() &&
              party.size() == total.size(),
          "all parties' problems have one size");
    total.a += party.a;
    total.b += party.b;
  }
  return total;
}

Result<Eigen::VectorXd> minimiser(std::span<const Quadratic> parties) {
  const Quadratic total = sum(parties);
  check(total.a.allFinite() && total.b.allFinite(), "a problem's entries are finite");
  const Eigen::VectorXd eigenvalues =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(total.a, Eigen::EigenvaluesOnly).eigenvalues();
  const double smallest = eigenvalues.minCoeff();
  const double rounding = static_cast<double>(total.size()) *
                          std::numeric_limits<double>::epsilon() *
                          eigenvalues.cwiseAbs().maxCoeff();
  if (smallest <= rounding) {
    return bad_input(
        "E-problem-indefinite",
        fmt::format("the sum of all A is not positive definite: its smallest "
                    "eigenvalue is {:.6g}",
                    smallest),
        "a sum with positive eigenvalues only, or the problem has no single minimiser");
  }
  return Eigen::VectorXd(-total.a.llt().solve(total.b));
}

std::size_t theta_size(std::size_t m) {
  return m * (m + 3) / 2;
}

std::size_t theta_index(std::size_t m, std::size_t row, std::size_t column) {
  check(row < m && column < m, "an entry of A lies inside A");
  if (column < row) std::swap(row, column);
  // The paper's formula with r = row + 1, c = column + 1, less 1.
  return (2 * m - row + 1) * row / 2 + column - row;
}

std::vector<double> to_theta(const Quadratic& quadratic) {
  const Eigen::Index m = quadratic.size();
  check(quadratic.a.rows() == m && quadratic.a.cols() == m,
        "A is as wide and as high as B is long");
  std::vector<double> theta;
  theta.reserve(theta_size(static_cast<std::size_t>(m)));
  for (Eigen::Index row = 0; row < m; ++row) {
    for (Eigen::Index column = row; column < m; ++column) theta.push_back(quadratic.a(row, column));
  }
  theta.insert(theta.end(), quadratic.b.begin(), quadratic.b.end());
  return theta;
}

Quadratic from_theta(std::span<const double> theta, std::size_t m) {
  check(theta.size() == theta_size(m), "θ has m(m+3)/2 entries");
  const auto size = static_cast<Eigen::Index>(m);
  Quadratic quadratic{.a = Eigen::MatrixXd(size, size), .b = Eigen::VectorXd(size)};
  auto next = theta.begin();
  for (Eigen::Index row = 0; row < size; ++row) {
    for (Eigen::Index column = row; column < size; ++column) {
      quadratic.a(row, column) = quadratic.a(column, row) = *next++;
    }
  }
  std::copy(next, theta.end(), quadratic.b.begin());
  return quadratic;
}

}  // namespace sotto
