#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

// Decompositions of matrices. Each costs the compiler five to fifteen seconds in every file that
// asks Eigen for one; here they are compiled once.
namespace Eigen {

extern template SelfAdjointEigenSolver<MatrixXd>&
SelfAdjointEigenSolver<MatrixXd>::compute<MatrixXd>(const EigenBase<MatrixXd>&, int);
extern template LLT<MatrixXd>& LLT<MatrixXd>::compute<MatrixXd>(const EigenBase<MatrixXd>&);
extern template LDLT<MatrixXd>& LDLT<MatrixXd>::compute<MatrixXd>(const EigenBase<MatrixXd>&);

}  // namespace Eigen

namespace sotto {

// Q of A = QR for a square A, by Householder's reflections.
[[nodiscard]] Eigen::MatrixXd orthogonal_factor(const Eigen::MatrixXd& a);

[[nodiscard]] Eigen::MatrixXd inverse(const Eigen::MatrixXd& a);

// x of Ax = b, for a symmetric A.
[[nodiscard]] Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

}  // namespace sotto
