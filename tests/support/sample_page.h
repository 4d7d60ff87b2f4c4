#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "report/chart.h"
#include "report/html.h"

// Made-up data in the shape of the paper's three figures, for tests that look
// at whole drawings. Only the seed decides what is drawn.
namespace sotto::sample {

inline constexpr unsigned kSeed = 20240717;

inline LineChart decay() {
  std::mt19937 random(kSeed);
  std::normal_distribution<double> normal;
  LineSeries gt{.name = "gradient tracking (gt), mean of 100 trials"};
  gt.band.name = "quartiles";
  for (int t = 0; t <= 2000; ++t) {
    const double mean = std::exp(-t / 60.0) + 1e-3 * (1 + 0.02 * normal(random));
    gt.x.push_back(t);
    gt.y.push_back(mean);
    gt.band.low.push_back(0.6 * mean);
    gt.band.high.push_back(1.7 * mean);
  }
  LineSeries exact{.name = "without noise"};
  for (int t = 0; t <= 2000; ++t) {
    exact.x.push_back(t);
    exact.y.push_back(std::exp(-t / 60.0) + 2e-5);
  }
  return {.labels = {.title = "Gradient tracking converges to its noise floor",
                     .x = "iteration t",
                     .y = "mean-square error E[1/n Σ‖xᵢ(t) − x*‖²]"},
          .y_scale = Scale::kLog10,
          .series = {std::move(gt), std::move(exact)},
          .references = {{.label = "predicted floor", .y = 9.1e-4}}};
}

inline std::vector<double> lognormal(std::mt19937& random, double median, double spread) {
  std::normal_distribution<double> normal;
  std::vector<double> samples;
  for (int k = 0; k < 100; ++k) samples.push_back(median * std::exp(spread * normal(random)));
  return samples;
}

inline BoxChart by_epsilon() {
  std::mt19937 random(kSeed);
  BoxChart chart{.labels = {.title = "Error of the shuffle-based solver under different ε",
                            .x = "ε",
                            .y = "computation error ‖x̂ − x*‖²"},
                 .groups = {"0.5", "1", "2", "5", "10", "20", "50", "100"},
                 .series = {{.name = "dishuf, 100 samples each"}}};
  for (const double epsilon : {0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0}) {
    chart.series[0].samples.push_back(lognormal(random, 0.004 / std::sqrt(epsilon), 0.7));
  }
  return chart;
}

inline BoxChart by_parties() {
  std::mt19937 random(kSeed);
  BoxChart chart{.labels = {.title = "Three solvers on networks of three sizes",
                            .x = "number of parties n",
                            .y = "computation error ‖x̂ − x*‖²"},
                 .groups = {"10", "50", "250"},
                 .series = {{.name = "gt"}, {.name = "ac"}, {.name = "dishuf"}},
                 .y_scale = Scale::kLog10};
  for (const double n : {10.0, 50.0, 250.0}) {
    chart.series[0].samples.push_back(lognormal(random, 1e-3 * n / 10, 1.0));
    chart.series[1].samples.push_back(lognormal(random, 2e-4 * n / 10, 0.8));
    chart.series[2].samples.push_back(lognormal(random, 8e-5, 0.8));
  }
  return chart;
}

inline HtmlPage page() {
  HtmlPage page("Case studies, computed again",
                "The three figures of the paper, from one seed, beside what it claims.");
  page.fact("Command", "sotto reproduce all");
  page.fact("Seed", "20240717");
  page.fact("Privacy", "ε = 10, δ = 0.2, μ = 3");
  page.fact("Trials", "100");

  page.section("Claims")
      .paragraph("Each claim stands beside the number that was measured for it.")
      .claims("What the paper says and what was measured",
              {{"The truncated Laplace mechanism is (10, 0.2)-private at γ̄ = 3.1", "δ = 0.2",
                "δ = 0.35826", Verdict::kDiffers},
               {"The error of gt decays exponentially", "yes", "rate 0.9835 per iteration",
                Verdict::kHolds},
               {"Calibration of the shuffle at n = 250", "σ_η = 10⁶⁷⁶", "σ_η = 34616",
                Verdict::kCorrected}});
  page.section("Figure 1: gradient tracking")
      .paragraph(
          "Every party keeps an estimate xᵢ(t) and a tracker of the average gradient. The error "
          "falls by a constant factor per iteration until the noise that was added to the data "
          "is all that is left.")
      .figure(inline_svg(decay()),
              "Figure 1. Mean-square error over 2000 iterations, n = 10, β = 0.005.",
              {{"Numbers (CSV)", "fig1.csv"}, {"Drawing (SVG)", "fig1.svg"}});
  page.section("Figure 2: the price of ε")
      .figure(inline_svg(by_epsilon()), "Figure 2. Boxes are quartiles; whiskers reach 1.5 IQR.")
      .table({.caption = "Medians by ε",
              .columns = {{"ε"},
                          {"Median", Align::kNumber},
                          {"Lower quartile", Align::kNumber},
                          {"Upper quartile", Align::kNumber},
                          {"Bias", Align::kNumber},
                          {"Rounds", Align::kNumber}},
              .rows = {{"0.5", "0.00561", "0.00352", "0.00914", "-0.00012", "212"},
                       {"10", "0.00126", "0.00079", "0.00198", "0.00003", "212"},
                       {"100", "0.00041", "0.00025", "0.00062", "-0.00001", "212"}}})
      .callout(
          Callout::kFinding, "A smaller ε costs less than it seems",
          "From ε = 100 to ε = 0.5 the median error grows by a factor of 14, while the privacy "
          "loss falls by 200.");
  page.section("Figure 3: the size of the network")
      .figure(inline_svg(by_parties()), "Figure 3. Three solvers, 100 samples each.")
      .callout(Callout::kWarning, "Not a fair fight",
               "gt's guarantee covers the paper's neighbouring relation only.")
      .callout(Callout::kNote, "To get this page", "Run sotto reproduce all.");
  return page;
}

}  // namespace sotto::sample
