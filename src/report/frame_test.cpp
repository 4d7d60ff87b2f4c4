#include "report/frame.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "report/text.h"

namespace sotto::report {
namespace {

using testing::ElementsAre;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kEndless = std::numeric_limits<double>::infinity();

Axis fit(std::vector<double> values, Scale scale = Scale::kLinear, int labels = 5) {
  return fit_axis(values, scale, labels);
}

std::vector<std::string> tick_labels(const Axis& axis) {
  std::vector<std::string> texts;
  for (const Tick& tick : axis.ticks) {
    if (!tick.label.empty()) texts.push_back(tick.label);
  }
  return texts;
}

TEST(LinearAxis, HasRoundNumbersAroundTheValues) {
  EXPECT_THAT(tick_labels(fit({0, 2000})), ElementsAre("0", "500", "1000", "1500", "2000"));
  EXPECT_THAT(tick_labels(fit({0.13, 0.91})), ElementsAre("0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_THAT(tick_labels(fit({-3, 7})), ElementsAre("−4", "−2", "0", "2", "4", "6", "8"));
}

TEST(LinearAxis, DoesNotGrowByAStepWhenTheLastBitOfAnEndIsLost) {
  EXPECT_DOUBLE_EQ(fit({0, 0.1 + 0.2}, Scale::kLinear, 3).high, 0.3);
  EXPECT_DOUBLE_EQ(fit({0, 0.7}, Scale::kLinear, 7).high, 0.7);
}

TEST(LinearAxis, WritesVerySmallAndVeryLargeNumbersWithOnePowerOfTen) {
  EXPECT_THAT(tick_labels(fit({0, 2e-7}, Scale::kLinear, 4)),
              ElementsAre("0", "0.5×10⁻⁷", "1.0×10⁻⁷", "1.5×10⁻⁷", "2.0×10⁻⁷"));
  EXPECT_THAT(tick_labels(fit({-3e9, 3e9}, Scale::kLinear, 3)),
              ElementsAre("−4×10⁹", "−2×10⁹", "0", "2×10⁹", "4×10⁹"));
}

TEST(LinearAxis, PutsValuesThatAreAllEqualInTheMiddle) {
  for (const double value : {3.0, -3.0, 0.0, 1e99, 1e-99}) {
    const Axis axis = fit({value, value});
    EXPECT_LT(axis.low, value);
    EXPECT_GT(axis.high, value);
    EXPECT_NEAR(axis.fraction(value), 0.5, 0.26);
  }
  // Differing in the sixteenth digit only.
  EXPECT_LE(fit({1.0, std::nextafter(1.0, 2.0)}).ticks.size(), 8U);
}

TEST(Axis, OfNothingIsStillAnAxis) {
  EXPECT_THAT(tick_labels(fit({})), ElementsAre("0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_THAT(tick_labels(fit({}, Scale::kLog10)), ElementsAre("0.1", "0.2", "0.5", "1"));
}

TEST(Axis, SkipsWhatItCannotShow) {
  const Axis linear = fit({kNoNumber, 1, kEndless, 2, -kEndless, 1e200});
  EXPECT_GE(linear.low, 0.9);
  EXPECT_LE(linear.high, 2.1);
  const Axis log = fit({kNoNumber, 1, 0, -5, 100, 1e-200}, Scale::kLog10);
  EXPECT_DOUBLE_EQ(log.low, 0.5);
  EXPECT_DOUBLE_EQ(log.high, 100);
}

TEST(LogAxis, LabelsDecadesWithSuperscripts) {
  EXPECT_THAT(tick_labels(fit({1.2e-5, 1}, Scale::kLog10, 7)),
              ElementsAre("10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰"));
}

TEST(LogAxis, LeavesOutDecadesWhenThereAreMany) {
  const Axis axis = fit({1e-11, 1e12}, Scale::kLog10, 6);
  EXPECT_LE(tick_labels(axis).size(), 7U);
  EXPECT_THAT(tick_labels(axis), testing::Contains("10⁰"));
}

TEST(LogAxis, LabelsPartsOfADecadeWhenThereAreFewAndWritesFamiliarNumbersPlainly) {
  EXPECT_THAT(tick_labels(fit({10.6, 250}, Scale::kLog10, 7)),
              ElementsAre("10", "20", "50", "100", "200", "500"));
  EXPECT_THAT(tick_labels(fit({2.2e-7, 4e-7}, Scale::kLog10, 5)), ElementsAre("2×10⁻⁷", "5×10⁻⁷"));
}

TEST(LogAxis, PutsASinglePointInside) {
  const Axis axis = fit({3e-4}, Scale::kLog10);
  EXPECT_GT(axis.fraction(3e-4), 0.1);
  EXPECT_LT(axis.fraction(3e-4), 0.9);
  EXPECT_FALSE(tick_labels(axis).empty());
}

TEST(LogAxis, IsLinearInTheLogarithm) {
  const Axis axis{.scale = Scale::kLog10, .low = 1e-4, .high = 1, .ticks = {}};
  EXPECT_DOUBLE_EQ(axis.fraction(1e-4), 0);
  EXPECT_DOUBLE_EQ(axis.fraction(1e-3), 0.25);
  EXPECT_DOUBLE_EQ(axis.fraction(1), 1);
}

// Any doubles at all, the extreme ones included.
RC_GTEST_PROP(AxisProperty, HoldsItsValuesAndKeepsItsTicksInside,
              (const std::vector<std::uint64_t>& bits, bool log)) {
  std::vector<double> values{1e100, 1e-100};
  if (bits.size() % 2 == 0) values.clear();
  for (const std::uint64_t b : bits) values.push_back(std::bit_cast<double>(b));
  const Scale scale = log ? Scale::kLog10 : Scale::kLinear;
  const int most = *rc::gen::inRange(2, 12);
  const Axis axis = fit_axis(values, scale, most);
  RC_ASSERT(axis.low < axis.high);
  RC_ASSERT(std::isfinite(axis.low) && std::isfinite(axis.high));
  for (const double value : values) {
    if (!drawable(value, scale)) continue;
    RC_ASSERT(axis.fraction(value) >= -1e-9 && axis.fraction(value) <= 1 + 1e-9);
  }
  RC_ASSERT(std::ranges::is_sorted(axis.ticks, {}, &Tick::value));
  std::size_t labelled = 0;
  for (const Tick& tick : axis.ticks) {
    RC_ASSERT(axis.fraction(tick.value) >= -1e-9 && axis.fraction(tick.value) <= 1 + 1e-9);
    labelled += tick.label.empty() ? 0 : 1;
  }
  RC_ASSERT(labelled >= 1U && labelled <= static_cast<std::size_t>(2 * most + 3));
}

TEST(NumberText, KeepsFourDigitsAndShowsTheSize) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(0.358264), "0.3583");
  EXPECT_EQ(number_text(-12), "−12");
  EXPECT_EQ(number_text(34616), "34616");
  EXPECT_EQ(number_text(1.2345e-5), "1.234×10⁻⁵");
  EXPECT_EQ(number_text(1e-5), "10⁻⁵");
  EXPECT_EQ(number_text(-1e-5), "−1×10⁻⁵");
  EXPECT_EQ(number_text(9.99996e8), "10⁹");
  EXPECT_EQ(number_text(kNoNumber), "not a number");
  EXPECT_EQ(number_text(-kEndless), "−∞");
}

}  // namespace
}  // namespace sotto::report
