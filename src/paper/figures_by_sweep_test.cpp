// The paper's figures from examples/figures.toml by the commands that stand there: the numbers of
// `reproduce`, to the bit. Figure 3 with gt on long cycles: figures_by_sweep_long_test.cpp.
#include "support/figures.h"

namespace sotto {
namespace {

using namespace paper_test;

TEST(FiguresBySweep, GiveFigureOneAsATrajectory) {
  auto options =
      sweep_of({"gt.truncation=3.1", "gt.keep_delta=false", "gt.step=0.005", "gt.rounds=1000"},
               {Solver::kGt}, 1000);
  options.every = 1;
  const auto points = sweep(figures_study(), options);
  ASSERT_TRUE(points.has_value()) << points.error().to_string();
  const Json& error = (*points)[0].result["trajectory"]["squared_error"];
  const auto figure = figure_1(kSeed, {}).value();
  ASSERT_EQ(error["mean"].size(), figure.mean.size());
  for (std::size_t t = 0; t < figure.mean.size(); ++t) {
    ASSERT_EQ(error["mean"][t], figure.mean[t]) << t;
    ASSERT_EQ(error["q25"][t], figure.q25[t]) << t;
    ASSERT_EQ(error["q75"][t], figure.q75[t]) << t;
  }
  // As printed, it is not worth the δ that is printed: the rows say so.
  EXPECT_NEAR((*points)[0].result["plan"]["adversaries"][0]["delta_at_epsilon"].get<double>(),
              figure.delta, 1e-12);
}

TEST(FiguresBySweep, GiveFigureTwoAsAGrid) {
  const auto points = sweep(figures_study(), sweep_of({"privacy.epsilon=0.1,0.5,1,2,5,10,20,50"},
                                                      {Solver::kDishuf}, kMedianDraws));
  ASSERT_TRUE(points.has_value()) << points.error().to_string();
  expect_same_draws(*points, figure_2(kSeed, {}).value(), kMedianDraws);
}

}  // namespace
}  // namespace sotto
