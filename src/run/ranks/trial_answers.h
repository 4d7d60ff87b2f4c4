#pragma once

#include <Eigen/Core>
#include <vector>

#include "plan/plan.h"
#include "simulate/engine.h"

namespace sotto {

// From what the parties of a simulated trial hold to their answers, and how far these are from x*.
class TrialAnswers {
 public:
  // Both outlive this.
  TrialAnswers(const PlannedStudy& planned, const Eigen::VectorXd& solution, bool tracked)
      : planned_(planned), solution_(solution), tracked_(tracked) {}

  // ‖x_i − x*‖² of each that holds something, sums or x itself; and x of the first of them.
  [[nodiscard]] Result<std::vector<double>> distances(const TrialValues& held, std::size_t trial,
                                                      std::vector<double>& first) const;
  [[nodiscard]] Result<std::vector<double>> answer(std::span<const double> held) const;

 private:
  const PlannedStudy& planned_;
  const Eigen::VectorXd& solution_;
  bool tracked_;
};

}  // namespace sotto
