// The rate of gradient tracking for many parties, from how its rounds shrink a vector: Arnoldi's
// method would keep a hundred and more vectors of all parties, and a million have 10⁷ numbers in
// each. It is the rate that a run shows, good to a few per cent of its logarithm; no noise and no
// guarantee depends on it, only how many rounds are taken.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/machine/large_pages.h"
#include "base/parallel.h"
#include "protocol/gt.h"

namespace sotto {
namespace {

constexpr std::size_t kFirstLook = 32;  // rounds
constexpr std::size_t kMostRounds = 256;
constexpr double kEnough = 0.03;  // two looks that far apart, relatively, are the same
constexpr double kTooLong = 1e100;
constexpr std::size_t kBlock = std::size_t{1} << 12;
constexpr std::size_t kAskAhead = 16;  // parties: neighbours stand all over memory

// M′ of gt_rate.cpp, round after round. Rows are x, then s, party after party; sums are taken block
// by block in order, so that the bits are the same on any number of threads.
class TrackingPowers {
 public:
  TrackingPowers(const Eigen::SparseMatrix<double>& laplacian,
                 const std::vector<Eigen::MatrixXd>& g, const Eigen::MatrixXd& total_inverse,
                 double step)
      : laplacian_(laplacian),
        total_inverse_(total_inverse),
        step_(step),
        parties_(g.size()),
        m_(static_cast<std::size_t>(g[0].rows())),
        now_(2 * m_ * parties_),
        next_(now_.size()),
        g_(m_ * m_ * parties_) {
    for (std::size_t i = 0; i < parties_; ++i) {
      std::copy_n(g[i].data(), m_ * m_, g_.data() + i * m_ * m_);
    }
    // In general position, and as much of what all parties have in common, which shrinks slowest
    // where the step is short and would take long to show among so many.
    for (std::size_t k = 0; k < now_.size(); ++k) {
      const auto number = static_cast<double>(k + 1);
      now_[k] = std::sin(number * number) + std::cos(static_cast<double>(k % (2 * m_)));
    }
  }

  // One round; how long the vector is after it.
  double advance() {
    const std::size_t blocks = (parties_ + kBlock - 1) / kBlock;
    std::vector<Eigen::VectorXd> conserved(blocks, Eigen::VectorXd::Zero(size()));
    parallel_for(blocks, 0, [&](std::size_t block) {
      const std::size_t end = std::min(parties_, (block + 1) * kBlock);
      for (std::size_t i = block * kBlock; i < end; ++i) move(i, conserved[block]);
    });
    Eigen::VectorXd all = Eigen::VectorXd::Zero(size());
    for (const Eigen::VectorXd& part : conserved) all += part;
    const Eigen::VectorXd shift = total_inverse_ * all;
    std::vector<double> squares(blocks, 0.0);
    parallel_for(blocks, 0, [&](std::size_t block) {
      const std::size_t end = std::min(parties_, (block + 1) * kBlock);
      for (std::size_t i = block * kBlock; i < end; ++i) {
        double* row = next_.data() + 2 * m_ * i;
        for (std::size_t k = 0; k < m_; ++k) row[k] += shift[static_cast<Eigen::Index>(k)];
        for (std::size_t k = 0; k < 2 * m_; ++k) squares[block] += row[k] * row[k];
      }
    });
    std::swap(now_, next_);
    double sum = 0;
    for (const double part : squares) sum += part;
    return std::sqrt(sum);
  }

 private:
  [[nodiscard]] Eigen::Index size() const { return static_cast<Eigen::Index>(m_); }

  void ask_for(std::size_t party) const {
    const int* first = laplacian_.outerIndexPtr() + party;
    for (int at = first[0]; at < first[1]; ++at) {
      const auto other = static_cast<std::size_t>(laplacian_.innerIndexPtr()[at]);
      __builtin_prefetch(now_.data() + 2 * m_ * other, 0, 2);
      __builtin_prefetch(now_.data() + 2 * m_ * (other + 1) - 1, 0, 2);
    }
  }

  // x⁺ = x − Lx − βs,  s⁺ = s − Ls + G(x⁺ − x); what is conserved is Σs − ΣGx.
  void move(std::size_t party, Eigen::VectorXd& conserved) {
    if (party + kAskAhead < parties_) ask_for(party + kAskAhead);
    const double* own = now_.data() + 2 * m_ * party;
    double* out = next_.data() + 2 * m_ * party;
    std::copy_n(own, 2 * m_, out);
    const int* first = laplacian_.outerIndexPtr() + party;
    for (int at = first[0]; at < first[1]; ++at) {
      const double weight = laplacian_.valuePtr()[at];
      const double* other =
          now_.data() + 2 * m_ * static_cast<std::size_t>(laplacian_.innerIndexPtr()[at]);
      for (std::size_t k = 0; k < 2 * m_; ++k) out[k] -= weight * other[k];
    }
    for (std::size_t k = 0; k < m_; ++k) out[k] -= step_ * own[m_ + k];
    const double* g = g_.data() + m_ * m_ * party;  // symmetric
    for (std::size_t r = 0; r < m_; ++r) {
      double pull = 0;
      double held = 0;
      for (std::size_t c = 0; c < m_; ++c) {
        pull += g[r * m_ + c] * (out[c] - own[c]);
        held += g[r * m_ + c] * own[c];
      }
      out[m_ + r] += pull;
      conserved[static_cast<Eigen::Index>(r)] += own[m_ + r] - held;
    }
  }

  const Eigen::SparseMatrix<double>& laplacian_;
  const Eigen::MatrixXd& total_inverse_;
  double step_;
  std::size_t parties_;
  std::size_t m_;
  std::vector<double, LargePages<double>> now_;
  std::vector<double, LargePages<double>> next_;
  std::vector<double> g_;
};

}  // namespace

double GradientRate::powered_radius(double step) const {
  TrackingPowers rounds_of(laplacian_, g_, total_inverse_, step);
  double halfway = 0;  // the logarithm of the length at the last look
  double rate = 0;     // ln ρ, as of then
  for (std::size_t look = kFirstLook, round = 0; look <= kMostRounds; look *= 2) {
    double length = 0;
    const std::size_t begin = round;
    for (; round < look && !(length > kTooLong); ++round) length = rounds_of.advance();
    if (length == 0) return 0;
    const double found = (std::log(length) - halfway) / static_cast<double>(round - begin);
    halfway = std::log(length);
    const bool same = look > kFirstLook && std::abs(found - rate) <= kEnough * std::abs(found);
    rate = found;
    if (same || length > kTooLong) break;
  }
  return std::exp(rate);
}

}  // namespace sotto
