// Costs side by side: what all parties bring, as plain numbers.
#include "moments/costs.h"

#include <algorithm>

#include "base/check.h"

namespace sotto {

Costs::Costs(std::vector<double> thetas, std::size_t m)
    : m_(m), entries_(theta_size(m)), thetas_(std::move(thetas)) {
  check(entries_ > 0 && thetas_.size() % entries_ == 0, "whole parties");
}

Costs::Costs(std::span<const Quadratic> parties) {
  check(!parties.empty(), "at least one party");
  m_ = static_cast<std::size_t>(parties[0].size());
  entries_ = theta_size(m_);
  thetas_.reserve(parties.size() * entries_);
  for (const Quadratic& party : parties) {
    const auto theta = to_theta(party);
    check(theta.size() == entries_, "all parties are of one size");
    thetas_.insert(thetas_.end(), theta.begin(), theta.end());
  }
}

std::size_t Costs::size() const {
  return entries_ == 0 ? 0 : thetas_.size() / entries_;
}

Quadratic Costs::operator[](std::size_t party) const {
  return from_theta(theta(party), m_);
}

Quadratic sum(const Costs& costs, Ranks& ranks) {
  check(costs.size() > 0, "at least one party");
  std::vector<double> total(costs.entries());
  relay(ranks, total, [&] {
    std::size_t i = 0;
    if (ranks.rank() == 0) std::ranges::copy(costs.theta(i++), total.begin());
    for (; i < costs.size(); ++i) {
      const auto theta = costs.theta(i);
      for (std::size_t k = 0; k < total.size(); ++k) total[k] += theta[k];
    }
  });
  return from_theta(total, costs.dimension());
}

Result<Eigen::VectorXd> minimiser(const Costs& costs, Ranks& ranks) {
  const Quadratic total = sum(costs, ranks);
  return minimiser(std::span(&total, 1));
}

}  // namespace sotto
