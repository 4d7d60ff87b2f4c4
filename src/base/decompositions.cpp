#include "base/decompositions.h"

#include <Eigen/LU>
#include <Eigen/QR>

namespace Eigen {

template SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute<MatrixXd>(
    const EigenBase<MatrixXd>&, int);
template LLT<MatrixXd>& LLT<MatrixXd>::compute<MatrixXd>(const EigenBase<MatrixXd>&);
template LDLT<MatrixXd>& LDLT<MatrixXd>::compute<MatrixXd>(const EigenBase<MatrixXd>&);

}  // namespace Eigen

namespace sotto {

// One reflection after the other, as Eigen's own does it up to 48 columns. Beyond that Eigen's is
// faster, and costs the compiler six seconds everywhere.
Eigen::MatrixXd orthogonal_factor(const Eigen::MatrixXd& a) {
  const Eigen::Index n = a.rows();
  Eigen::MatrixXd packed = a;
  Eigen::VectorXd scale(n);
  Eigen::VectorXd work(n);
  Eigen::internal::householder_qr_inplace_unblocked(packed, scale, work.data());
  Eigen::MatrixXd q = Eigen::MatrixXd::Identity(n, n);
  for (Eigen::Index k = n - 1; k >= 0; --k) {
    q.bottomRightCorner(n - k, n - k)
        .applyHouseholderOnTheLeft(packed.col(k).tail(n - k - 1), scale[k], work.data());
  }
  return q;
}

Eigen::MatrixXd inverse(const Eigen::MatrixXd& a) {
  return a.inverse();
}

Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  return a.ldlt().solve(b);
}

}  // namespace sotto
