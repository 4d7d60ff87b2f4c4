#include "report/run_report.h"

#include <gmock/gmock.h>

#include "support/run_records.h"
#include "support/xml.h"

namespace sotto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string page_of(const RunRecord& record, Audience audience = Audience::kOwn) {
  return run_report(record, audience).html();
}

// The body is written so that it is XML as well.
std::vector<xml::Element> body_of(const std::string& html) {
  const std::size_t from = html.find("<body>");
  return xml::Reader::read(html.substr(from, html.find("</body>") + 7 - from));
}

TEST(RunReport, IsWellFormedAndSelfContainedForEveryKindOfRun) {
  for (const RunRecord& record : sample::all_records()) {
    const std::string html = page_of(record);
    ASSERT_NO_THROW((void)body_of(html)) << record.study;
    EXPECT_THAT(html, Not(HasSubstr("src=")));
    EXPECT_THAT(html, Not(HasSubstr("url(")));
    EXPECT_THAT(html, Not(HasSubstr("<script")));
    EXPECT_THAT(html, Not(HasSubstr("nan")));
    for (const xml::Element& e : body_of(html)) {
      const auto link = e.attributes.find("href");
      if (link == e.attributes.end()) continue;
      EXPECT_THAT(link->second, testing::StartsWith("#section-"));
    }
  }
}

TEST(RunReport, TellsWhatWasFoundAndWhatWasPromised) {
  const std::string html = page_of(sample::energy());
  for (const char* part : {"<h1>energy</h1>",
                           "dishuf (encrypted shuffle)",
                           "noise-aware",
                           "about 48,211, with noise",
                           "one row, added or removed",
                           "10⁻⁶ (1 in 1,000,000)",
                           "temperature",
                           "−2.062 to −1.684",
                           "Someone who reads all traffic",
                           "One curious neighbour",
                           "All neighbours together",
                           "Disagreement, round by round",
                           "planned: × 0.7854 a round",
                           "What is promised",
                           "What is not promised",
                           "The ringed one is you.",
                           "2026-01-31T09:00:00Z",
                           "sotto 0.2.0",
                           "The model as a whole",
                           "3.142 on 48204 degrees of freedom",
                           "0.61 (0.59 to 0.63)",
                           "153.2 on 6 and 48204 degrees of freedom, p &lt; 0.0001",
                           "kwh (the target)",
                           "−20 to 40",
                           "oil, gas, district",
                           "−19.47",
                           "Told apart from 0 at p &lt; 0.05: temperature"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
  EXPECT_THAT(html, Not(HasSubstr("This was a simulation")));
}

TEST(RunReport, HasARowForEveryKindOfColumn) {
  RunRecord r = sample::energy();
  Schema schema;
  schema.target = {"load_kwh", {0, 60}};
  schema.features = {
      NumericFeature{"temperature", {-20, 40}}, CategoricalFeature{"heating", {"oil", "gas"}},
      SplineFeature{"hour", {1, 23}, {6, 12.5}, 3}, SplineFeature{"month", {2, 11}, {}, 2}};
  r.encoding = schema_json(schema);
  const std::string html = page_of(r);
  EXPECT_THAT(html, AllOf(HasSubstr("bs(hour)"), HasSubstr("6, 12.5"),
                          HasSubstr("1 to 23, a spline of degree 3 with knots at 6, 12.5"),
                          HasSubstr("2 to 11, a spline of degree 2<")));
  ASSERT_NO_THROW((void)body_of(html));
}

TEST(RunReport, HasNoTableOfColumnsThatCannotBe) {
  RunRecord r = sample::energy();
  r.summary->bases.clear();
  r.encoding["features"][3]["levels"] = Json::array();
  EXPECT_THAT(page_of(r), Not(HasSubstr("The columns and their public bounds")));
}

TEST(RunReport, PutsWarningsAboveEverythingElse) {
  const std::string html = page_of(sample::refused_errors());
  const std::size_t warning = html.find("no better than the mean");
  ASSERT_NE(warning, html.npos);
  EXPECT_LT(warning, html.find("<dl class=\"facts\">"));
  EXPECT_LT(html.find("Against all-neighbours the guarantee"), html.find("<nav"));
}

TEST(RunReport, SaysWhyThereAreNoIntervals) {
  const std::string html = page_of(sample::refused_errors());
  EXPECT_THAT(html, HasSubstr("No intervals: the noise is not small beside the data"));
  EXPECT_THAT(html, Not(HasSubstr("95 % interval")));
  EXPECT_THAT(html, HasSubstr("none, for the same reason"));
  EXPECT_THAT(html, Not(HasSubstr("class=\"interval\"")));
}

TEST(RunReport, SaysThatExactAveragingLeavesIdenticalBits) {
  const std::string html = page_of(sample::refused_errors());
  EXPECT_THAT(html, HasSubstr("After 2 rounds"));
  EXPECT_THAT(html, HasSubstr("identical bits"));
  EXPECT_THAT(html, Not(HasSubstr("Disagreement, round by round")));
}

TEST(RunReport, SaysThatASimulationHidNothingFromWhoeverRanIt) {
  const std::string html = page_of(sample::entries_by_gt());
  EXPECT_THAT(html, HasSubstr("noise from seed 20240717"));
  EXPECT_THAT(html, HasSubstr("whoever ran this one could see everything"));
  EXPECT_THAT(html, HasSubstr("promises nothing about a person&#39;s row"));
  EXPECT_THAT(html, HasSubstr("no limit"));
}

TEST(RunReport, LeavesOutWhatStaysWithThePartyWhenItIsShared) {
  const std::string own = page_of(sample::energy());
  EXPECT_THAT(own, HasSubstr("9,731 rows, and left out 42 with missing values"));
  EXPECT_THAT(own, HasSubstr("This section stays with you"));
  EXPECT_THAT(own, HasSubstr(">118<"));
  const std::string shared = page_of(sample::energy(), Audience::kShared);
  for (const char* part : {"9,731", ">118<", "For south alone", "stays with you", "ringed"}) {
    EXPECT_THAT(shared, Not(HasSubstr(part)));
  }
  // Nothing of `own` may change the shared page in any way.
  RunRecord other = sample::energy();
  other.own[0].sources = {{"sqlite", "south.db", "select 1", "", "5ca1ab1e"}};
  EXPECT_THAT(page_of(other), AllOf(HasSubstr("south.db"), HasSubstr("5ca1ab1e")));
  EXPECT_EQ(page_of(other, Audience::kShared), shared);
  other.own.clear();
  EXPECT_EQ(page_of(other, Audience::kShared), shared);
}

TEST(RunReport, EscapesEveryTextOfARecord) {
  const std::string nasty = "</p></svg><script>alert('x')</script>\"&";
  RunRecord r = sample::energy();
  r.study = r.study_hash = r.target = nasty;
  r.transcript_hash = r.errors_refused = nasty;
  r.warnings = {nasty};
  for (auto& c : r.coefficients) c.name = nasty;
  r.finished = r.version = r.summary->r_squared_refused = r.summary->f_refused = nasty;
  r.summary->words = {nasty};
  r.summary->bases[0].levels = {nasty};
  r.encoding["target"]["column"] = r.encoding["features"][3]["levels"][1] = nasty;
  for (auto& p : r.parties) p = nasty;
  r.own[0].party = r.own[0].clipped[0].column = nasty;
  r.own[0].sources = {{nasty, nasty, nasty, nasty, nasty}};
  const std::string html = page_of(r);
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  ASSERT_NO_THROW((void)body_of(html));
}

TEST(RunReport, HasAPageForARecordWithNothingInIt) {
  EXPECT_NO_THROW((void)body_of(page_of(RunRecord{})));
}

TEST(RunReport, DrawsNoGraphThatCannotBe) {
  RunRecord r = sample::energy();
  r.edges = {{0, 1}, {1, 0}, {0, 1}};
  EXPECT_THAT(page_of(r), HasSubstr("5 parties and 1 connection"));
  r.edges = {{0, 0}};
  EXPECT_THAT(page_of(r), HasSubstr("The graph is not drawn"));
}

}  // namespace
}  // namespace sotto
