#pragma once

#include <cstddef>
#include <string>

#include "study/run.h"

namespace sotto {

// A bar on standard error while something runs; silent where that is not a terminal.
// Redraws at most ten times a second, and clears itself when it goes.
class ProgressBar {
 public:
  explicit ProgressBar(std::string label);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  void show(std::size_t done, std::size_t all);
  [[nodiscard]] Progress callback();

 private:
  std::string label_;
  bool terminal_;
  bool drawn_ = false;
  double last_draw_seconds_ = -1;
  double start_seconds_;
};

}  // namespace sotto
