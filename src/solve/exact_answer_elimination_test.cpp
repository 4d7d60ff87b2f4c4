// Elimination, by which small systems are solved where it is safe.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>
#include <vector>

#include "base/random.h"
#include "solve/exact_answer.h"

namespace sotto::solve {
namespace {

std::vector<double> upper_of(const Eigen::MatrixXd& a) {
  std::vector<double> upper;
  for (Eigen::Index r = 0; r < a.rows(); ++r) {
    for (Eigen::Index c = r; c < a.cols(); ++c) upper.push_back(a(r, c));
  }
  return upper;
}

double drawn(RandomSource& random) {
  return static_cast<double>(static_cast<std::int64_t>(random.bits64())) * 0x1p-63;
}

TEST(Elimination, SolvesSystemsFarFromSingularDefiniteOrNot) {
  SeededRandom random(1);
  std::size_t solved = 0;
  for (Eigen::Index m = 1; m <= static_cast<Eigen::Index>(kMaxElimination); ++m) {
    for (int repeat = 0; repeat < 200; ++repeat) {
      Eigen::MatrixXd a = Eigen::MatrixXd::NullaryExpr(m, m, [&] { return drawn(random); });
      a = (a + a.transpose()).eval() / 2;
      if (repeat % 2 == 0) a.diagonal().array() += 2.0 * static_cast<double>(m);
      const Eigen::VectorXd b = Eigen::VectorXd::NullaryExpr(m, [&] { return drawn(random); });
      Eigen::VectorXd x(m);
      const auto size = static_cast<std::size_t>(m);
      if (!solve_by_elimination(upper_of(a), {b.data(), size}, {x.data(), size})) continue;
      ++solved;
      const Eigen::VectorXd values = a.selfadjointView<Eigen::Upper>().eigenvalues().cwiseAbs();
      const double condition = values.maxCoeff() / values.minCoeff();
      EXPECT_LT(condition, 0x1p40);
      const Eigen::VectorXd expected = a.fullPivLu().solve(b);
      EXPECT_LE((x - expected).norm(), 1e-14 * 30 * condition * expected.norm()) << m;
    }
  }
  // Half of them are dominated by their diagonals, and those are all solved.
  EXPECT_GT(solved, 16U * 100);
}

TEST(Elimination, LeavesWhatIsSingularOrNearlySoToOthers) {
  std::vector<double> x(2);
  const std::vector<double> b{1, 2};
  for (const std::vector<double>& upper :
       std::vector<std::vector<double>>{{1, 1, 1},
                                        {0, 0, 0},
                                        {0, 1, 0},          // no pivot, though far from singular
                                        {1e-14, 1, 1e-14},  // none that is worth having
                                        {1, 1, 1 + 1e-13},
                                        {std::numeric_limits<double>::quiet_NaN(), 0, 1},
                                        {std::numeric_limits<double>::infinity(), 0, 1}}) {
    EXPECT_FALSE(solve_by_elimination(upper, b, x)) << upper[0] << " " << upper[1];
  }
  EXPECT_TRUE(solve_by_elimination(std::vector<double>{2, 0, -4}, b, x));
  EXPECT_EQ(x, (std::vector<double>{0.5, -0.5}));
}

}  // namespace
}  // namespace sotto::solve
