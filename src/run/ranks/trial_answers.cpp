// The last step of a simulated trial: every party solves what it holds.
#include "run/ranks/trial_answers.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>

#include "base/parallel.h"
#include "run/model.h"
#include "solve/exact_answer.h"

namespace sotto {
namespace {

double squared_distance(std::span<const double> x, const Eigen::VectorXd& solution) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double difference = x[k] - solution[static_cast<Eigen::Index>(k)];
    sum += difference * difference;
  }
  return sum;
}

}  // namespace

Result<void> TrialAnswers::judge(const TrialValues& held, std::span<double> squared_errors,
                                 std::span<double> answers) const {
  const std::size_t trials = held.trials();
  const auto m = static_cast<std::size_t>(solution_.size());
  std::vector<char> solved(trials, 0);
  if (!tracked_ && held.parties() == 1 && solves_exactly(planned_)) {
    exact_answers(held.all(), m, answers, solved);
  }
  for (std::size_t t = 0; t < trials; ++t) {
    const auto x = answers.subspan(t * m, m);
    if (solved[t] != 0) {
      squared_errors[t] = squared_distance(x, solution_);
      continue;
    }
    std::vector<double> first;
    SOTTO_ASSIGN(const auto each, distances(held, t, first));
    squared_errors[t] =
        std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(each.size());
    std::ranges::copy(first, x.begin());
  }
  return {};
}

Result<std::vector<double>> TrialAnswers::answer(std::span<const double> held) const {
  if (tracked_) return std::vector<double>(held.begin(), held.end());
  return solve_sums(planned_, held);
}

Result<std::vector<double>> TrialAnswers::distances(const TrialValues& held, std::size_t trial,
                                                    std::vector<double>& first) const {
  std::vector<double> distances(held.parties());
  std::optional<Error> failed;
  std::mutex mutex;
  constexpr std::size_t kAnswers = 1024;
  const std::size_t parts = (held.parties() + kAnswers - 1) / kAnswers;
  const auto part = [&](std::size_t number) {
    const std::size_t end = std::min(held.parties(), (number + 1) * kAnswers);
    const std::size_t begin = number * kAnswers;
    for (std::size_t i = begin; i < end; ++i) {
      // Who holds the same bits as the one before has the same answer. −0 and 0 are not the same:
      // who stands before whom is another matter on every number of ranks.
      const auto own = held.at(trial, i);
      if (i > begin &&
          std::memcmp(own.data(), held.at(trial, i - 1).data(), own.size_bytes()) == 0) {
        distances[i] = distances[i - 1];
        continue;
      }
      auto x = answer(own);
      if (!x) {
        const std::scoped_lock lock(mutex);
        if (!failed) failed = x.error();
        return;
      }
      distances[i] = squared_distance(*x, solution_);
      if (i == 0) first = std::move(*x);
    }
  };
  if (parts == 1) {
    part(0);
  } else {
    parallel_for(parts, 0, part);
  }
  if (failed) return *failed;
  return distances;
}

}  // namespace sotto
