#pragma once

// Decompositions of Eigen that many rooms use. Each costs the compiler several seconds in every
// file that asks for one; declared here, they are compiled once, in eigen_instances.cpp. The
// precompiled header brings this to everybody, so nobody needs to include it.

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace Eigen {

extern template SelfAdjointEigenSolver<MatrixXd>&
SelfAdjointEigenSolver<MatrixXd>::compute<MatrixXd>(const EigenBase<MatrixXd>&, int);
extern template LLT<MatrixXd>& LLT<MatrixXd>::compute<MatrixXd>(const EigenBase<MatrixXd>&);
extern template LDLT<MatrixXd>& LDLT<MatrixXd>::compute<MatrixXd>(const EigenBase<MatrixXd>&);

}  // namespace Eigen
