#pragma once

#include <Eigen/Core>
#include <span>
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

  // (1/n)·Σ_i ‖x_i − x*‖² of all trials, and the first party's x of each, trial after trial.
  [[nodiscard]] Result<void> judge(const TrialValues& held, std::span<double> squared_errors,
                                   std::span<double> answers) const;

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
