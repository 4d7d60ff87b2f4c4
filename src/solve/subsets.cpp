#include "solve/subsets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/check.h"
#include "base/decompositions.h"
#include "base/parallel.h"
#include "base/statistics.h"

// A search over sets of features is one over columns of Λ: each is added to a Cholesky factor in
// |S|² steps, whatever the order.
namespace sotto {
namespace {

// L of Λ_SS = LLᵀ, L⁻¹(Λθ̃)_S and its square, while S grows.
class Factor {
 public:
  Factor(const Eigen::MatrixXd& lambda, const Eigen::VectorXd& eta)
      : lambda_(&lambda), eta_(&eta), rows_(lambda.rows(), lambda.rows()), w_(lambda.rows()) {}

  void add(const FeatureGroup& group) {
    for (const Eigen::Index column : group) add(column);
  }
  void shrink(Eigen::Index size) { columns_.resize(static_cast<std::size_t>(size)); }
  [[nodiscard]] Eigen::Index size() const { return static_cast<Eigen::Index>(columns_.size()); }
  [[nodiscard]] double square() const { return w_.head(size()).squaredNorm(); }

 private:
  void add(Eigen::Index column) {
    const Eigen::Index k = size();
    double diagonal = (*lambda_)(column, column);
    double along = (*eta_)(column);
    for (Eigen::Index i = 0; i < k; ++i) {
      double entry = (*lambda_)(columns_[static_cast<std::size_t>(i)], column);
      for (Eigen::Index j = 0; j < i; ++j) entry -= rows_(j, i) * rows_(j, k);
      entry /= rows_(i, i);
      rows_(i, k) = entry;
      diagonal -= entry * entry;
      along -= entry * w_(i);
    }
    rows_(k, k) = std::sqrt(std::max(diagonal, std::numeric_limits<double>::min()));
    w_(k) = along / rows_(k, k);
    columns_.push_back(column);
  }

  const Eigen::MatrixXd* lambda_;
  const Eigen::VectorXd* eta_;
  Eigen::MatrixXd rows_;  // Lᵀ
  Eigen::VectorXd w_;
  std::vector<Eigen::Index> columns_;
};

class Judge {
 public:
  Judge(const PlugInErrors& all, double rows, const std::vector<FeatureGroup>& groups)
      : groups_(groups), lambda_(inverse(all.covariance)), eta_(lambda_ * all.theta) {
    std::vector<bool> free(static_cast<std::size_t>(all.theta.size()), true);
    for (const FeatureGroup& group : groups) {
      for (const Eigen::Index k : group) free[static_cast<std::size_t>(k)] = false;
    }
    for (std::size_t k = 0; k < free.size(); ++k) {
      if (free[k]) always_.push_back(static_cast<Eigen::Index>(k));
    }
    whole_ = all.theta.dot(eta_);
    const Eigen::LLT<Eigen::MatrixXd> root(all.covariance);
    const double log_det = 2 * root.matrixLLT().diagonal().array().log().sum();
    effective_rows_ =
        rows * std::exp((all.log_det_noiseless - log_det) / static_cast<double>(all.theta.size()));
    price_ = std::log(std::max(effective_rows_, std::exp(1.0)));
  }

  [[nodiscard]] double effective_rows() const { return effective_rows_; }
  [[nodiscard]] std::size_t size() const { return groups_.size(); }
  [[nodiscard]] const FeatureGroup& group(std::size_t k) const { return groups_[k]; }

  [[nodiscard]] Factor start() const {
    Factor factor(lambda_, eta_);
    factor.add(always_);
    return factor;
  }
  [[nodiscard]] Candidate judge(const Factor& factor, std::vector<std::size_t> chosen) const {
    const double wald = std::max(whole_ - factor.square(), 0.0);
    return {.groups = std::move(chosen),
            .coefficients = factor.size(),
            .wald = wald,
            .criterion = wald + price_ * static_cast<double>(factor.size())};
  }
  [[nodiscard]] Candidate judge(std::vector<std::size_t> chosen) const {
    Factor factor = start();
    for (const std::size_t k : chosen) factor.add(groups_[k]);
    return judge(factor, std::move(chosen));
  }

 private:
  const std::vector<FeatureGroup>& groups_;
  Eigen::MatrixXd lambda_;
  Eigen::VectorXd eta_;
  FeatureGroup always_;
  double whole_ = 0;
  double effective_rows_ = 0;
  double price_ = 0;
};

bool better(const Candidate& a, const std::optional<Candidate>& b) {
  return !b || a.criterion < b->criterion;
}

// The best of each number of groups, of all subsets that agree with `fixed` on the first groups.
class Walk {
 public:
  explicit Walk(const Judge& judge) : judge_(judge), best_(judge.size() + 1) {}

  void run(std::size_t fixed_groups, std::size_t fixed) {
    Factor factor = judge_.start();
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < fixed_groups; ++k) {
      if ((fixed >> k & 1U) == 0) continue;
      factor.add(judge_.group(k));
      chosen.push_back(k);
    }
    visit(fixed_groups, factor, chosen);
  }
  void take(const Walk& other) {
    for (std::size_t k = 0; k < best_.size(); ++k) {
      if (other.best_[k] && better(*other.best_[k], best_[k])) best_[k] = other.best_[k];
    }
  }
  [[nodiscard]] const std::vector<std::optional<Candidate>>& best() const { return best_; }

 private:
  void visit(std::size_t next, Factor& factor, std::vector<std::size_t>& chosen) {
    if (next == judge_.size()) {
      Candidate candidate = judge_.judge(factor, {});
      std::optional<Candidate>& best = best_[chosen.size()];
      if (!better(candidate, best)) return;
      candidate.groups = chosen;
      best = std::move(candidate);
      return;
    }
    visit(next + 1, factor, chosen);
    const Eigen::Index before = factor.size();
    factor.add(judge_.group(next));
    chosen.push_back(next);
    visit(next + 1, factor, chosen);
    chosen.pop_back();
    factor.shrink(before);
  }

  const Judge& judge_;
  std::vector<std::optional<Candidate>> best_;
};

SearchResult all_subsets(const Judge& judge) {
  constexpr std::size_t kMostFixed = 6;
  const std::size_t fixed = std::min(kMostFixed, judge.size());
  std::vector<Walk> walks(std::size_t{1} << fixed, Walk(judge));
  parallel_for(walks.size(), 0, [&](std::size_t k) { walks[k].run(fixed, k); });
  for (std::size_t k = 1; k < walks.size(); ++k) walks[0].take(walks[k]);
  SearchResult result;
  result.subsets = std::uint64_t{1} << judge.size();
  for (const auto& candidate : walks[0].best()) result.tried.push_back(*candidate);
  return result;
}

// The best set that has one group more, or one less.
std::optional<Candidate> best_step(const Judge& judge, const Candidate& from, bool more,
                                   std::uint64_t& subsets) {
  std::optional<Candidate> best;
  for (std::size_t k = 0; k < judge.size(); ++k) {
    const auto at = std::ranges::lower_bound(from.groups, k);
    const bool inside = at != from.groups.end() && *at == k;
    if (inside == more) continue;
    std::vector<std::size_t> chosen = from.groups;
    const auto place = chosen.begin() + (at - from.groups.begin());
    if (more) {
      chosen.insert(place, k);
    } else {
      chosen.erase(place);
    }
    Candidate candidate = judge.judge(std::move(chosen));
    ++subsets;
    if (better(candidate, best)) best = std::move(candidate);
  }
  return best;
}

// One step after the other, to the end of the way: it may rise before it falls.
SearchResult one_way(const Judge& judge, bool more) {
  std::vector<std::size_t> start;
  for (std::size_t k = 0; !more && k < judge.size(); ++k) start.push_back(k);
  SearchResult result;
  result.tried.push_back(judge.judge(start));
  result.subsets = 1;
  while (auto next = best_step(judge, result.tried.back(), more, result.subsets)) {
    result.tried.push_back(*std::move(next));
  }
  return result;
}

// From the best of backward elimination, steps in both directions while they help.
SearchResult both_ways(const Judge& judge) {
  SearchResult result = one_way(judge, false);
  Candidate best = *std::ranges::min_element(result.tried, {}, &Candidate::criterion);
  for (bool found = true; found;) {
    found = false;
    for (const bool more : {true, false}) {
      const auto next = best_step(judge, best, more, result.subsets);
      if (!next || !(next->criterion < best.criterion)) continue;
      best = *next;
      result.tried.push_back(best);
      found = true;
    }
  }
  return result;
}

}  // namespace

Result<SearchResult> search_features(const PlugInErrors& all, double rows,
                                     const std::vector<FeatureGroup>& groups, Search search) {
  const bool few = groups.size() <= kMostGroupsForAll;
  if (search == Search::kAll && !few) {
    return bad_input(
        "E-refit-select",
        fmt::format("{} features have too many subsets to try them all", groups.size()),
        fmt::format("at most {} with --features, or --select bic", kMostGroupsForAll));
  }
  const Judge judge(all, rows, groups);
  SearchResult result;
  if (search == Search::kAll || (search == Search::kBest && few)) {
    result = all_subsets(judge);
  } else if (search == Search::kBest) {
    result = both_ways(judge);
  } else {
    result = one_way(judge, search == Search::kForward);
  }
  result.effective_rows = judge.effective_rows();
  result.best = *std::ranges::min_element(result.tried, {}, &Candidate::criterion);
  return result;
}

NestedTest nested_test(const PlugInErrors& large, const std::vector<Eigen::Index>& left_out) {
  const Eigen::VectorXd theta = large.theta(left_out);
  const Eigen::MatrixXd covariance = large.covariance(left_out, left_out);
  NestedTest test;
  test.left_out = static_cast<double>(left_out.size());
  test.f = theta.dot(solve_symmetric(covariance, theta)) / test.left_out;
  const double share =
      inverse(covariance).cwiseProduct(large.sampling_covariance(left_out, left_out)).sum() /
      test.left_out;
  test.residual = degrees_of_freedom(large, share);
  test.p = f_tail(test.f, test.left_out, std::min(test.residual, kNormalFrom));
  return test;
}

}  // namespace sotto
