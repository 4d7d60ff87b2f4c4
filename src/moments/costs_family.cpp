#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/decompositions.h"
#include "base/parallel.h"
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
// Where a fixed sum and one that grows are the same.
constexpr double kPaperParties = 10;

// Normal draws by Marsaglia's polar method: the same on every machine, which
// std::normal_distribution does not promise.
class NormalDraws {
 public:
  // Who draws is named by (m, drawer); 0 draws what all parties have in common.
  NormalDraws(std::uint64_t seed, std::size_t m, std::size_t drawer)
      : random_(seed, (std::uint64_t{m} << 32U) + drawer) {}

  [[nodiscard]] Eigen::MatrixXd matrix(Eigen::Index rows, Eigen::Index columns) {
    Eigen::MatrixXd drawn(rows, columns);
    fill(drawn);
    return drawn;
  }
  void fill(Eigen::MatrixXd& drawn) {
    for (Eigen::Index k = 0; k < drawn.size(); ++k) drawn(k) = next();
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

void grow(Common& common, double times) {
  common.a *= times;
  common.root *= std::sqrt(times);
  common.b *= times;
}

// What the parties draw, flat: a party's matrix, column by column, then its vector.
class FamilyDraws {
 public:
  FamilyDraws(std::size_t parties, Eigen::Index m)
      : m_(m), stride_(static_cast<std::size_t>(m * m + m)), numbers_(parties * stride_) {}

  using Matrix = Eigen::Map<Eigen::MatrixXd>;
  using Vector = Eigen::Map<Eigen::VectorXd>;
  [[nodiscard]] Matrix a(std::size_t party) { return {&numbers_[party * stride_], m_, m_}; }
  [[nodiscard]] Vector b(std::size_t party) { return {&numbers_[party * stride_] + m_ * m_, m_}; }
  [[nodiscard]] std::span<double> all() { return numbers_; }

 private:
  Eigen::Index m_;
  std::size_t stride_;
  std::vector<double> numbers_;
};

// Parties that a thread takes at a time.
constexpr std::size_t kTogether = 1024;

template <class Work>
void for_parties(std::size_t parties, const Work& work) {
  parallel_for(
      (parties + kTogether - 1) / kTogether, parties <= kTogether ? 1 : 0,
      [&](std::size_t part) { work(part * kTogether, std::min(parties, (part + 1) * kTogether)); });
}

// Floating point leaves ΣA_i and ΣB_i a little beside A and B, by an amount that
// depends on n. Spread over the parties, the correction is far below any A_i's
// smallest eigenvalue.
void correct_sums(std::vector<double>& thetas, std::size_t m, const Common& common, double count,
                  Ranks& ranks) {
  const std::size_t entries = theta_size(m);
  const std::vector<double> wanted = to_theta({.a = common.a, .b = common.b});
  std::vector<double> off(entries);
  relay(ranks, off, [&] {
    std::size_t at = 0;
    for (; ranks.rank() == 0 && at < entries; ++at) off[at] = thetas[at];
    for (; at < thetas.size(); ++at) off[at % entries] += thetas[at];
  });
  for (std::size_t k = 0; k < entries; ++k) off[k] = (wanted[k] - off[k]) / count;
  for (std::size_t at = 0; at < thetas.size(); ++at) thetas[at] += off[at % entries];
}

}  // namespace

double smallest_of_family(std::size_t parties, FamilySum total) {
  const double times =
      total == FamilySum::kGrows ? static_cast<double>(parties) / kPaperParties : 1.0;
  return kSmallestEigenvalue * times;
}

Result<Costs> paper_family(std::size_t parties, std::size_t m, std::uint64_t seed, FamilySum total,
                           Ranks& ranks) {
  if (parties < 1 || parties > kMaxFamilyParties || m < 1 || m > kMaxFamilySize) {
    return bad_input(
        "E-family-size", fmt::format("a random family of {} parties with m = {}", parties, m),
        fmt::format("1 to {} parties and m from 1 to {}", kMaxFamilyParties, kMaxFamilySize));
  }
  const auto size = static_cast<Eigen::Index>(m);
  const auto count = static_cast<double>(parties);
  Common common = draw_common(size, seed);
  if (total == FamilySum::kGrows) grow(common, count / kPaperParties);
  // r_i before its mean is taken off: E‖r_i‖² = (‖B‖/n)².
  const double spread = common.b.norm() / count / std::sqrt(static_cast<double>(m));

  const Share share = share_of(parties, ranks.rank(), ranks.count());
  FamilyDraws drawn(share.size(), size);
  for_parties(share.size(), [&](std::size_t begin, std::size_t end) {
    Eigen::MatrixXd factor(size, kFreedomPerColumn * size);
    Eigen::MatrixXd offset(size, 1);
    for (std::size_t i = begin; i < end; ++i) {
      NormalDraws normal(seed, m, share.begin + i + 1);
      normal.fill(factor);
      drawn.a(i).noalias() = factor * factor.transpose();
      normal.fill(offset);
      drawn.b(i) = spread * offset.col(0);
    }
  });
  FamilyDraws totals(1, size);
  relay(ranks, totals.all(), [&] {
    for (std::size_t i = 0; i < share.size(); ++i) {
      totals.a(0) += drawn.a(i);
      totals.b(0) += drawn.b(i);
    }
  });
  const Eigen::MatrixXd total_wishart = totals.a(0);
  const Eigen::VectorXd total_offset = totals.b(0);

  const Eigen::MatrixXd inverse_root =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(total_wishart).operatorInverseSqrt();
  const Eigen::MatrixXd to_share = common.root * inverse_root;  // A_i = to_share·W_i·to_shareᵀ
  const std::size_t entries = theta_size(m);
  std::vector<double> thetas(share.size() * entries);
  for_parties(share.size(), [&](std::size_t begin, std::size_t end) {
    Quadratic party;
    Eigen::MatrixXd of_party;
    for (std::size_t i = begin; i < end; ++i) {
      party.a = drawn.a(i);
      of_party = to_share * party.a * to_share.transpose();
      party.a = (of_party + of_party.transpose()) / 2;
      party.b = drawn.b(i) + (common.b - total_offset) / count;
      std::ranges::copy(to_theta(party), &thetas[i * entries]);
    }
  });
  correct_sums(thetas, m, common, count, ranks);
  return Costs(std::move(thetas), m);
}

}  // namespace sotto
