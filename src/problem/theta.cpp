#include "problem/theta.h"

#include <utility>

#include "base/check.h"

namespace sotto {

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
  for (Eigen::Index k = 0; k < m; ++k) theta.push_back(quadratic.b(k));
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
  for (Eigen::Index k = 0; k < size; ++k) quadratic.b(k) = *next++;
  return quadratic;
}

}  // namespace sotto
