// The last step of a simulated trial: every party solves what it holds.
#include "run/ranks/trial_answers.h"

#include <algorithm>
#include <mutex>

#include "base/parallel.h"
#include "run/model.h"

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
      // Who holds the same bits as the one before has the same answer.
      if (i > begin && std::ranges::equal(held.at(trial, i), held.at(trial, i - 1))) {
        distances[i] = distances[i - 1];
        continue;
      }
      auto x = answer(held.at(trial, i));
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
