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

Eigen::MatrixXd orthogonal_factor(const Eigen::MatrixXd& a) {
  return a.householderQr().householderQ();
}

Eigen::MatrixXd inverse(const Eigen::MatrixXd& a) {
  return a.inverse();
}

Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  return a.ldlt().solve(b);
}

Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& a) {
  return Eigen::EigenSolver<Eigen::MatrixXd>(a, false).eigenvalues();
}

}  // namespace sotto
