#include <fmt/format.h>

#include <cmath>

#include "base/decompositions.h"
#include "base/random.h"
#include "moments/costs.h"

// Draws a problem that is the same whatever the number of parties, and deals it out.
namespace sotto {
namespace {

// How alike the parties are: W_i has kFreedomPerColumn·m degrees of freedom. With few,
// one party can hold several times another's share, and gradient tracking is unstable at the
// paper's β = 0.005 (which the mean of A_i allows up to 0.0053 on a cycle with w = 0.3).
constexpr Eigen::Index kFreedomPerColumn = 16;

constexpr double kSmallestEigenvalue = 200;
constexpr double kLargestEigenvalue = 600;

// Normal draws by Marsaglia's polar method: the same on every machine, which
// std::normal_distribution does not promise.
class NormalDraws {
 public:
  // Who draws is named by (m, drawer); 0 draws what all parties have in common.
  NormalDraws(std::uint64_t seed, std::size_t m, std::size_t drawer)
      : random_(seed, (std::uint64_t{m} << 32U) + drawer) {}

  [[nodiscard]] Eigen::MatrixXd matrix(Eigen::Index rows, Eigen::Index columns) {
    Eigen::MatrixXd drawn(rows, columns);
    for (Eigen::Index k = 0; k < drawn.size(); ++k) drawn(k) = next();
    return drawn;
  }

 private:
  // Uniform in (−1, 1), on a grid of 2⁻⁵².
  [[nodiscard]] double symmetric_uniform() {
    return std::ldexp(static_cast<double>(random_.bits64() >> 11U) + 0.5, -52) - 1.0;
  }

  [[nodiscard]] double next() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    for (;;) {
      const double u = symmetric_uniform();
      const double v = symmetric_uniform();
      const double s = u * u + v * v;
      if (s >= 1 || s == 0) continue;
      const double scale = std::sqrt(-2 * std::log(s) / s);
      spare_ = v * scale;
      has_spare_ = true;
      return u * scale;
    }
  }

  SeededRandom random_;
  double spare_ = 0;
  bool has_spare_ = false;
};

// A, A^½ and B: what does not depend on the number of parties.
struct Common {
  Eigen::MatrixXd a;
  Eigen::MatrixXd root;
  Eigen::VectorXd b;
};

Common draw_common(Eigen::Index m, std::uint64_t seed) {
  NormalDraws normal(seed, static_cast<std::size_t>(m), 0);
  const Eigen::MatrixXd basis = orthogonal_factor(normal.matrix(m, m));
  Eigen::VectorXd eigenvalues =
      Eigen::VectorXd::LinSpaced(m, kSmallestEigenvalue, kLargestEigenvalue);
  if (m == 1) eigenvalues(0) = (kSmallestEigenvalue + kLargestEigenvalue) / 2;
  const Eigen::VectorXd minimiser = normal.matrix(m, 1).col(0).normalized();

  Common common;
  common.a = basis * eigenvalues.asDiagonal() * basis.transpose();
  common.a = (common.a + common.a.transpose()).eval() / 2;
  common.root = basis * eigenvalues.cwiseSqrt().asDiagonal() * basis.transpose();
  common.b = -common.a * minimiser;
  return common;
}

// Floating point leaves ΣA_i and ΣB_i a little beside A and B, by an amount that
// depends on n. Spread over the parties, the correction is far below any A_i's
// smallest eigenvalue.
void correct_sums(std::vector<Quadratic>& parties, const Common& common) {
  const auto count = static_cast<double>(parties.size());
  const Quadratic total = sum(parties);
  const Eigen::MatrixXd off_a = (common.a - total.a) / count;
  const Eigen::VectorXd off_b = (common.b - total.b) / count;
  for (Quadratic& party : parties) {
    party.a += off_a;
    party.b += off_b;
  }
}

}  // namespace

Result<std::vector<Quadratic>> paper_family(std::size_t parties, std::size_t m,
                                            std::uint64_t seed) {
  if (parties < 1 || parties > kMaxFamilyParties || m < 1 || m > kMaxFamilySize) {
    return bad_input(
        "E-family-size", fmt::format("a random family of {} parties with m = {}", parties, m),
        fmt::format("1 to {} parties and m from 1 to {}", kMaxFamilyParties, kMaxFamilySize));
  }
  const auto size = static_cast<Eigen::Index>(m);
  const auto count = static_cast<double>(parties);
  const Common common = draw_common(size, seed);
  // r_i before its mean is taken off: E‖r_i‖² = (‖B‖/n)².
  const double spread = common.b.norm() / count / std::sqrt(static_cast<double>(m));

  std::vector<Quadratic> family(parties);
  Eigen::MatrixXd total_wishart = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd total_offset = Eigen::VectorXd::Zero(size);
  for (std::size_t i = 0; i < parties; ++i) {
    NormalDraws normal(seed, m, i + 1);
    const Eigen::MatrixXd factor = normal.matrix(size, kFreedomPerColumn * size);
    family[i].a = factor * factor.transpose();
    family[i].b = spread * normal.matrix(size, 1).col(0);
    total_wishart += family[i].a;
    total_offset += family[i].b;
  }

  const Eigen::MatrixXd inverse_root =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(total_wishart).operatorInverseSqrt();
  const Eigen::MatrixXd to_share = common.root * inverse_root;  // A_i = to_share·W_i·to_shareᵀ
  for (Quadratic& party : family) {
    const Eigen::MatrixXd share = to_share * party.a * to_share.transpose();
    party.a = (share + share.transpose()) / 2;
    party.b += (common.b - total_offset) / count;
  }
  correct_sums(family, common);
  return family;
}

}  // namespace sotto
