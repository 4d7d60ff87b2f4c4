// Figure 3 by a sweep, gt on a cycle of 250 included.
#include "support/figures.h"

namespace sotto {
namespace {

using namespace paper_test;

TEST(FiguresBySweep, GiveFigureThreeAsAGrid) {
  const auto points =
      sweep(figures_study(), sweep_of({"graph.parties=10,50,250"},
                                      {Solver::kGt, Solver::kAc, Solver::kDishuf}, kBoxSamples));
  ASSERT_TRUE(points.has_value()) << points.error().to_string();
  expect_same_draws(*points, figure_3(kSeed, {}).value(), kBoxSamples);
}

}  // namespace
}  // namespace sotto
