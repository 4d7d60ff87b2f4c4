#include "problem/quadratic.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <limits>

#include "base/check.h"

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

}  // namespace sotto
