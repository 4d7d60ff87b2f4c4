#include "run/summary/summary.h"

#include <gmock/gmock.h>

#include "run/model.h"
#include "support/run_records.h"

namespace sotto {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string words_of(const RunRecord& record) {
  std::string all;
  for (const std::string& sentence : summary_words(record)) all += sentence + "\n";
  return all;
}

TEST(SummaryWords, SayWhichCoefficientsAreToldApartFromZero) {
  RunRecord record = sample::energy();
  EXPECT_THAT(words_of(record),
              HasSubstr("Told apart from 0 at p < 0.05: temperature, floor_area, occupants, "
                        "heating=gas. heating=district, year_built are not: they may be 0, or of "
                        "either sign."));
  for (auto& c : record.coefficients) c.p = 0.5;
  EXPECT_THAT(words_of(record), HasSubstr("No coefficient is told apart from 0"));
  for (auto& c : record.coefficients) c.p = 0.001;
  EXPECT_THAT(words_of(record), HasSubstr("Every coefficient is told apart from 0 at p < 0.05: "
                                          "temperature"));
  EXPECT_THAT(words_of(record), Not(HasSubstr("by chance")));
}

TEST(SummaryWords, CountTheTestsThatPassByChance) {
  EXPECT_THAT(words_of(sample::forty_coefficients()),
              HasSubstr("39 coefficients were tested: if all were 0, about 2 of them"));
}

// S = 1/4 of the variance is sampling: √(1/8 + 3/16) = 0.56, √(1/4 + 3/8) = 0.79.
TEST(SummaryWords, SayHowMuchOfTheWidthIsNoiseAndWhatWouldHelp) {
  RunRecord record = sample::energy();
  EXPECT_THAT(words_of(record), HasSubstr("intervals about 0.5 times as wide"));
  EXPECT_THAT(words_of(record), HasSubstr("twice the rows make the intervals about 0.56 times as "
                                          "wide, twice the ε about 0.68 times, a study of half as "
                                          "many columns about 0.79 times or less"));
  for (auto& c : record.coefficients) c.noise_share = 0.01;
  EXPECT_THAT(words_of(record), HasSubstr("hardly matters here"));
  EXPECT_THAT(words_of(record), Not(HasSubstr("twice the ε")));
}

TEST(SummaryWords, WarnOfReadingWhatHasNoErrors) {
  const std::string words = words_of(sample::refused_errors());
  EXPECT_THAT(words, HasSubstr("should not be read one by one"));
  EXPECT_THAT(words, Not(HasSubstr("told apart")));
  EXPECT_TRUE(summary_words(sample::entries_by_gt()).size() == 2);
  EXPECT_TRUE(summary_words(RunRecord{}).empty());
}

TEST(ModelNumbers, HaveTheDigitsThatTheirErrorsLeave) {
  EXPECT_EQ(rounded_to(12.34567, 0.31), "12.35");
  EXPECT_EQ(rounded_to(12.34567, 3.1), "12.3");
  EXPECT_EQ(rounded_to(12345.67, 310), "12350");
  EXPECT_EQ(rounded_to(-0.001, 3.1), "0.0");
  EXPECT_EQ(rounded_to(1.23456789, 0), "1.2346");
  EXPECT_EQ(rounded_to(1.5e12, 1e9), "1.5e+12");
  EXPECT_EQ(rounded_to(2.5e-9, 1e-10), "2.5e-09");
  EXPECT_EQ(p_text(0.5), "0.50");
  EXPECT_EQ(p_text(0.0312), "0.031");
  EXPECT_EQ(p_text(0.00012), "0.00012");
  EXPECT_EQ(p_text(3e-190), "< 0.0001");
  EXPECT_EQ(p_text(0.5, "= "), "= 0.50");
  EXPECT_EQ(count_of_freedom(193.6), "194");
  EXPECT_EQ(count_of_freedom(std::numeric_limits<double>::infinity()), "∞");
}

TEST(ModelText, ShowsNoShareAboveOneAndNoDigitsThatMeanNothing) {
  RunRecord record = sample::energy();
  record.explained->high = record.summary->r_squared->interval.second = 1.07;
  record.summary->degrees_of_freedom = 2;
  const std::string text = to_text({.record = record, .fit = {}});
  EXPECT_THAT(text, HasSubstr("0.61 (0.59 to 1.00)"));
  EXPECT_THAT(text, HasSubstr("(58 % to 100 %)"));
  EXPECT_THAT(text, HasSubstr("standard deviation 3.1 on 2 degrees of freedom"));
}

TEST(ModelText, ShowsTheSummaryAligned) {
  const std::string text = to_text({.record = sample::energy(), .fit = {}});
  EXPECT_THAT(text, HasSubstr("  noise-aware            value    unshrunk std. error       t"
                              "        p         95 % interval\n"));
  EXPECT_THAT(text, HasSubstr("  temperature           -1.841      -1.873      0.096  -19.47 < "
                              "0.0001       -2.062 … -1.684\n"));
  EXPECT_THAT(text, HasSubstr("residuals    standard deviation 3.142 on 48204 degrees of freedom"));
  EXPECT_THAT(text, HasSubstr("R²           0.61 (0.59 to 0.63), adjusted 0.60"));
  EXPECT_THAT(text, HasSubstr("F            153 on 6 and 48204 degrees of freedom, p < 0.0001"));
  EXPECT_THAT(text, HasSubstr("base levels  heating=oil"));
  EXPECT_THAT(text, HasSubstr("bounds       load_kwh 0 … 60, temperature -20 … 40"));
}

}  // namespace
}  // namespace sotto
