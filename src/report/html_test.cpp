#include "report/html.h"

#include <gmock/gmock.h>

#include "report/text.h"
#include "support/sample_page.h"
#include "support/xml.h"

namespace sotto {
namespace {

using report::escape;
using testing::HasSubstr;
using testing::Not;

// The body is written so that it is XML as well, apart from a bare attribute.
std::vector<xml::Element> body_of(const HtmlPage& page) {
  std::string text = page.html();
  const std::size_t from = text.find("<body>");
  text = text.substr(from, text.find("</body>") + 7 - from);
  for (std::size_t at; (at = text.find("\" download>")) != text.npos;) text.erase(at + 1, 9);
  return xml::Reader::read(text);
}

TEST(Escape, LetsNoTextBecomeMarkup) {
  EXPECT_EQ(escape("<a href=\"x\">'&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(escape("ε ≤ 10⁻³ 𝛿"), "ε ≤ 10⁻³ 𝛿");
}

TEST(Escape, ReplacesWhatXmlCannotHold) {
  EXPECT_EQ(escape(std::string("a\0b\x1F\n", 5)), "a\uFFFDb\uFFFD\n");
  EXPECT_EQ(escape("\xC0\xAF"), "\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(escape("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(escape("\xEF\xBF\xBF"), "\uFFFD\uFFFD\uFFFD");  // U+FFFF
  EXPECT_EQ(escape("x\xE2\x82"), "x\uFFFD\uFFFD");          // cut off
}

TEST(HtmlPage, IsWellFormedAndSelfContained) {
  const std::string html = sample::page().html();
  EXPECT_THAT(html, testing::StartsWith("<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(html, HasSubstr("@media print"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("url(")));
  EXPECT_THAT(html, Not(HasSubstr("src=")));
  for (const xml::Element& e : body_of(sample::page())) {
    const auto link = e.attributes.find("href");
    if (link != e.attributes.end()) {
      EXPECT_THAT(link->second,
                  testing::AnyOf(testing::StartsWith("#section-"), testing::StartsWith("./")));
    }
  }
}

TEST(HtmlPage, TellsACardOfATableWhatItsCellsAre) {
  HtmlPage page("t");
  page.section("s").table({.caption = "c",
                           .columns = {{"Who"}, {"ε <at> δ", Align::kNumber}},
                           .rows = {{"all_neighbours", "-2"}},
                           .cards = true});
  EXPECT_THAT(page.html(), HasSubstr("<table class=\"cards\" role=\"table\">"));
  EXPECT_THAT(page.html(),
              HasSubstr("<th scope=\"row\" role=\"rowheader\">all_<wbr/>neighbours</th>"
                        "<td role=\"cell\" class=\"number\" "
                        "data-label=\"ε &lt;at&gt; δ\">−2</td>"));
}

TEST(HtmlPage, PutsWhatIsMostUrgentAboveTheFacts) {
  HtmlPage page("t", "lead");
  page.fact("name", "value");
  page.top().callout(Callout::kWarning, "", "mind this");
  const std::string html = page.html();
  EXPECT_LT(html.find("lead</p>"), html.find("mind this"));
  EXPECT_LT(html.find("mind this"), html.find("<dl class=\"facts\">"));
}

TEST(HtmlPage, EscapesWhateverTextItIsGiven) {
  const std::string nasty = "</p><script>alert('x')</script>\"&";
  HtmlPage page(nasty, nasty);
  page.fact(nasty, nasty);
  for (int k = 0; k < 3; ++k) {
    page.section(nasty)
        .paragraph(nasty)
        .list({nasty})
        .table({nasty, {{nasty}, {nasty, Align::kNumber}}, {{nasty, nasty}}})
        .claims(nasty, {{nasty, nasty, nasty, Verdict::kHolds}})
        .figure({"<svg></svg>", "<svg></svg>"}, nasty, {{nasty, nasty}})
        .callout(Callout::kWarning, nasty, nasty);
  }
  EXPECT_THAT(page.html(), Not(HasSubstr("<script")));
  ASSERT_NO_THROW((void)body_of(page));
  for (const xml::Element& e : body_of(page)) {
    if (e.tag == "p" && e.attributes.empty() && e.path.back() == "section") {
      EXPECT_EQ(e.text, nasty);
    }
  }
}

TEST(HtmlPage, KeepsEveryLinkToAFileBesideThePage) {
  HtmlPage page("t");
  page.section("s").figure({}, "c", {{"x", "javascript:alert(1)"}});
  EXPECT_THAT(page.html(), HasSubstr("href=\"./javascript:alert(1)\""));
}

TEST(HtmlPage, AlignsNumbersAndNamesRows) {
  HtmlPage page("t");
  page.section("s").table({"Medians", {{"ε"}, {"bias", Align::kNumber}}, {{"-1", "-0.5"}}});
  EXPECT_THAT(page.html(), HasSubstr("<caption>Medians</caption>"));
  EXPECT_THAT(page.html(), HasSubstr("<th scope=\"row\">-1</th><td class=\"number\">−0.5</td>"));
}

TEST(HtmlPage, SaysAVerdictInWords) {
  HtmlPage page("t");
  page.section("s").claims("c", {{"a", "1", "1", Verdict::kHolds},
                                 {"b", "1", "2", Verdict::kDiffers},
                                 {"c", "1", "3", Verdict::kCorrected}});
  for (const char* words : {"✓ holds", "✗ differs", "➜ corrected"}) {
    EXPECT_THAT(page.html(), HasSubstr(words));
  }
}

TEST(HtmlPage, KeepsSectionsInOrderAndTheirReferencesValid) {
  HtmlPage page("t");
  Section& first = page.section("first");
  for (int k = 0; k < 100; ++k) page.section("more");
  first.paragraph("added late");
  const std::string html = page.html();
  EXPECT_LT(html.find("added late"), html.find("<h2 id=\"heading-2\">"));
}

TEST(HtmlPageDeathTest, TreatsARowOfTheWrongLengthAsABug) {
  Section section("s");
  EXPECT_DEATH(section.table({"", {{"a"}, {"b"}}, {{"1"}}}), "one cell per column");
}

}  // namespace
}  // namespace sotto
