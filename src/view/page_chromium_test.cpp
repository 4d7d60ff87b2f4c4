// The page in a real browser, through its real controls.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <fstream>

#include "base/json.h"
#include "support/devtools.h"
#include "support/source_tree.h"
#include "support/viewed_demo.h"
#include "view/view.h"

namespace sotto::view {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class ViewPage : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::string browser = devtools::installed_browser();
    if (!browser.empty()) chromium_ = std::make_unique<devtools::Chromium>(browser);
  }
  static void TearDownTestSuite() { chromium_.reset(); }

  void SetUp() override {
    if (!chromium_) {
      fmt::print(stderr,
                 "\n*** NOT TESTED: no chromium here, so nobody looked at the page of 'sotto "
                 "view'. apt install chromium ***\n\n");
      GTEST_SKIP() << "chromium is not installed";
    }
    ASSERT_TRUE(demo_.made());
    auto opened = View::open({.folder = demo_.folder(), .homes = demo_.homes()});
    ASSERT_TRUE(opened.has_value()) << opened.error().to_string();
    view_ = std::move(*opened);
    page().show_on({});
  }

  devtools::Chromium& page() { return *chromium_; }
  void open(const std::string& part) {
    page().go("about:blank");
    page().go(view_->address() + "#" + part);
  }
  void open_plan(const std::string& study) {
    open("plan");
    ASSERT_TRUE(page().until("document.querySelector('#plan-answer table')"));
    page().choose("#plan-study", study);
    ASSERT_TRUE(page().until("document.querySelector('#plan-answer[aria-busy=false] table')"));
  }
  double number(const std::string& expression) {
    const Json value = page().evaluate(expression);
    return value.is_number() ? value.get<double>() : std::nan("");
  }
  // The first fact of the plan: noise on a sum.
  std::string noise() { return page().text("#plan-answer .facts dd"); }

  static std::unique_ptr<devtools::Chromium> chromium_;
  const ViewedDemo& demo_ = ViewedDemo::get();
  std::unique_ptr<View> view_;
};
std::unique_ptr<devtools::Chromium> ViewPage::chromium_;

TEST_F(ViewPage, ShowsRunsAsTheyAreToldOverTheLine) {
  open("runs");
  ASSERT_TRUE(page().until("document.querySelector('.run')"));
  EXPECT_THAT(page().text("#panel-runs"), AllOf(HasSubstr("energy"), HasSubstr("finished"),
                                                HasSubstr("party-5"), HasSubstr("spent")));
  EXPECT_EQ(page().text("#link"), "live");
  EXPECT_EQ(number("document.querySelectorAll('.run svg g.party').length"), 10)
      << "five parties, drawn for either width";
}

TEST_F(ViewPage, ChangesAllNumbersAsOneDrags) {
  open_plan("twenty.toml");
  const std::string before = noise();
  const double epsilon = number("Number(document.querySelector('#plan-epsilon').value)");
  EXPECT_EQ(epsilon, 1);
  page().evaluate(
      "window.seen = new Set(); document.querySelector('#plan-answer').addEventListener('shown', "
      "() "
      "=> seen.add(document.querySelector('#plan-answer .facts dd').innerText))");
  page().drag("#plan-epsilon-slider", 0.9, 12);
  EXPECT_GT(number("Number(document.querySelector('#plan-epsilon').value)"), 5);
  ASSERT_TRUE(
      page().until("document.querySelector('#plan-answer .facts').innerText.includes('in "
                   "the file')"));
  EXPECT_NE(noise(), before);
  EXPECT_THAT(page().text("#plan-answer .facts"), HasSubstr("in the file " + before));
  EXPECT_GE(number("seen.size"), 2) << "it changes on the way, and not only at its end";
  EXPECT_EQ(number("document.querySelectorAll('#plan-answer .wide svg g.row').length"), 20 + 4)
      << "an interval for each column, an ε for each observer";
}

TEST_F(ViewPage, TakesWhatIsTypedAndSaysWhatCannotBe) {
  open_plan("twenty.toml");
  page().type("#plan-epsilon", "0.25");
  ASSERT_TRUE(page().until("document.querySelector('#plan-answer').innerText.includes('0.25')"));
  EXPECT_NEAR(number("Number(document.querySelector('#plan-epsilon-slider').value)"),
              std::log10(0.25), 0.02);
  page().choose("#plan-topology", "star");
  ASSERT_TRUE(page().until("document.querySelector('#plan-answer [role=alert]')"));
  EXPECT_THAT(page().text("#plan-answer [role=alert]"),
              HasSubstr("party 1 can cut the others apart"));
  page().type("#plan-colluders", "0");
  ASSERT_TRUE(page().until("document.querySelector('#plan-answer table')"));
  page().choose("#plan-solver", "gt");
  ASSERT_TRUE(page().until("document.querySelector('#plan-answer [role=alert]')"));
  EXPECT_THAT(page().text("#plan-answer [role=alert]"),
              AllOf(HasSubstr("no guarantee for a row"), HasSubstr("dishuf")));
  page().click("#plan-reset");
  ASSERT_TRUE(page().until("document.querySelector('#plan-answer table')"));
  EXPECT_EQ(page().evaluate("document.querySelector('#plan-solver').value"), "dishuf");
}

TEST_F(ViewPage, SavesAStudyAndAsksBeforeItReplacesOne) {
  open_plan("twenty.toml");
  page().type("#plan-epsilon", "0.5");
  page().type("#plan-name", "from-the-page.toml");
  page().click("#plan-save");
  ASSERT_TRUE(page().until("document.querySelector('#plan-saved').innerText.startsWith('Saved')"));
  const std::string file = demo_.folder() + "/from-the-page.toml";
  EXPECT_THAT(read_text(file), HasSubstr("epsilon = 0.5  # agreed in March"));
  page().type("#plan-epsilon", "0.75");
  page().click("#plan-save");
  ASSERT_TRUE(page().until("document.querySelector('#plan-replace').open"));
  page().key("Escape", 27);
  ASSERT_TRUE(page().until("!document.querySelector('#plan-replace').open"));
  EXPECT_THAT(read_text(file), HasSubstr("epsilon = 0.5 ")) << "nobody said yes";
  page().click("#plan-save");
  ASSERT_TRUE(page().until("document.querySelector('#plan-replace').open"));
  page().click("#plan-replace-yes");
  ASSERT_TRUE(page().until("document.querySelector('#plan-saved').innerText.startsWith('Saved')"));
  EXPECT_THAT(read_text(file), HasSubstr("epsilon = 0.75 "));
  page().type("#plan-name", "../outside.toml");
  page().click("#plan-save");
  ASSERT_TRUE(page().until("document.querySelector('#plan-saved').className === 'bad'"));
  std::filesystem::remove(file);
}

TEST_F(ViewPage, ExploresModelsByClicking) {
  open("models");
  ASSERT_TRUE(page().until("document.querySelector('#model-answer table')"));
  EXPECT_THAT(page().text("#panel-models"), HasSubstr("Nothing here costs any budget"));
  EXPECT_THAT(page().text("#model-answer"),
              AllOf(HasSubstr("outdoor_c"), HasSubstr("R²"), HasSubstr("95 % interval"),
                    HasSubstr("Correlations")));
  page().click("#model-features input[value=outdoor_c]");
  ASSERT_TRUE(
      page().until("!document.querySelector('#model-answer').innerText.includes('outdoor_c')"));
  page().choose("#model-estimator", "ridge");
  ASSERT_TRUE(page().until("document.querySelector('#model-answer').innerText.includes('ridge')"));
  page().drag("#model-ridge-slider", 0.8, 4);
  page().choose("#model-estimator", "exact");
  page().choose("#model-target", "people");
  ASSERT_TRUE(page().until("document.querySelector('#model-answer').innerText.includes('exact')"));
  EXPECT_EQ(page().evaluate("document.querySelector('#model-features input[value=people]')"),
            Json())
      << "a target explains nothing";
  // All at once: between clicks the page moves as answers come in.
  ASSERT_TRUE(page().until("!document.querySelector('#model-features input[value=people]')"));
  (void)page().evaluate(
      "document.querySelectorAll('#model-features input:checked').forEach(box => box.click())");
  ASSERT_TRUE(page().until("document.querySelector('#model-answer [role=alert]')"));
}

TEST_F(ViewPage, ShowsTheLedgerOfEveryHome) {
  open("ledger");
  ASSERT_TRUE(page().until("document.querySelector('#ledger article')"));
  EXPECT_EQ(number("document.querySelectorAll('#ledger article').length"), 5);
  EXPECT_THAT(page().text("#ledger article"),
              AllOf(HasSubstr("Spent"), HasSubstr("all neighbours")));
}

TEST_F(ViewPage, GoesFromPartToPartWithTheKeyboard) {
  open("runs");
  ASSERT_TRUE(page().until("document.querySelector('.run')"));
  page().evaluate("document.querySelector('#tab-runs').focus()");
  page().key("ArrowRight", 39);
  ASSERT_TRUE(page().until("!document.querySelector('#panel-plan').hidden"));
  EXPECT_EQ(page().evaluate("document.activeElement.id"), "tab-plan");
  page().key("End", 35);
  ASSERT_TRUE(page().until("!document.querySelector('#panel-ledger').hidden"));
  page().key("ArrowRight", 39);
  ASSERT_TRUE(page().until("!document.querySelector('#panel-runs').hidden"));
  // A slider moves by the keyboard too.
  open_plan("twenty.toml");
  page().evaluate("document.querySelector('#plan-epsilon-slider').focus()");
  page().key("ArrowRight", 39);
  EXPECT_GT(number("Number(document.querySelector('#plan-epsilon').value)"), 1);
  EXPECT_EQ(page().evaluate("[...document.querySelectorAll('input, select, button')].filter(e => "
                            "!e.labels?.length && !e.ariaLabel && !e.innerText).map(e => "
                            "e.id).join()"),
            "")
      << "every control has a name";
}

// What stands on what: the contrast of every text in the page that is shown, as WCAG counts it.
constexpr const char* kContrasts = R"js((() => {
  const parse = (c) => { const n = c.match(/[\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const light = ([r, g, b]) => [r, g, b].map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; })
      .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const under = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] === 1) return c; } return [255, 255, 255]; };
  const bad = [];
  let seen = 0;
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    const style = getComputedStyle(e);
    if (!own || e.closest('[hidden], title, desc, noscript, :disabled') || e.getClientRects().length === 0 || style.visibility === 'hidden') continue;
    const ink = parse(e instanceof SVGElement ? style.fill : style.color);
    const a = light(ink), b = light(under(e.closest('svg') ?? e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    seen++;
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) bad.push(`${ratio.toFixed(2)} ${e.tagName}.${e.className.baseVal ?? e.className} ${e.textContent.trim().slice(0, 20)}`);
  }
  return `${seen > 25 ? 'enough' : 'few: ' + seen} ${[...new Set(bad)].join('; ')}`;
})())js";

TEST_F(ViewPage, HasEnoughContrastInTheLightAndInTheDark) {
  for (const bool dark : {false, true}) {
    page().show_on({.dark = dark});
    open("runs");
    ASSERT_TRUE(page().until("document.querySelector('.run table')"));
    EXPECT_EQ(page().evaluate(kContrasts), "enough ") << "runs, dark: " << dark;
    open_plan("twenty.toml");
    EXPECT_EQ(page().evaluate(kContrasts), "enough ") << "plan, dark: " << dark;
    open("models");
    ASSERT_TRUE(page().until("document.querySelector('#model-answer table')"));
    EXPECT_EQ(page().evaluate(kContrasts), "enough ") << "models, dark: " << dark;
    open("ledger");
    ASSERT_TRUE(page().until("document.querySelector('#ledger table')"));
    EXPECT_EQ(page().evaluate(kContrasts), "enough ") << "ledger, dark: " << dark;
  }
}

TEST_F(ViewPage, FitsATelephone) {
  page().show_on({.width = 360, .height = 740});
  for (const auto& [part, there] :
       std::vector<std::pair<std::string, std::string>>{{"runs", ".run table"},
                                                        {"plan", "#plan-answer table"},
                                                        {"models", "#model-answer table"},
                                                        {"ledger", "#ledger table"}}) {
    open(part);
    ASSERT_TRUE(page().until(fmt::format("document.querySelector('{}')", there))) << part;
    EXPECT_EQ(number("document.documentElement.scrollWidth"), 360) << part << " scrolls sideways";
    EXPECT_EQ(page().evaluate("[...document.querySelectorAll('button, select, input')].filter(e => "
                              "e.getClientRects().length && e.type !== 'checkbox' && "
                              "e.getBoundingClientRect().height < 32).map(e => e.id).join()"),
              "")
        << part << " has controls that no finger meets";
  }
}

TEST_F(ViewPage, DoesNotMoveForWhoeverPrefersThat) {
  page().show_on({.calm = true});
  open_plan("twenty.toml");
  EXPECT_EQ(
      page().evaluate("getComputedStyle(document.querySelector('.answer')).transitionDuration"),
      "0s");
}

TEST_F(ViewPage, AsksNobodyElseAndBreaksNoRuleOfItsOwn) {
  const std::size_t requests = page().requests().size();
  const std::size_t complaints = page().complaints().size();
  for (const char* part : {"runs", "plan", "models", "ledger"}) {
    open(part);
    ASSERT_TRUE(page().until(fmt::format("document.querySelector('#panel-{} svg')", part)));
  }
  const auto since = [](const std::vector<std::string>& all, std::size_t from) {
    return std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(from), all.end());
  };
  auto asked = since(page().requests(), requests);
  std::erase(asked, "about:blank");
  EXPECT_GT(asked.size(), 10U);
  EXPECT_THAT(asked, Each(StartsWith(view_->address())));
  // Chromium mentions a focus that it does not give; no rule is broken by that.
  auto complained = since(page().complaints(), complaints);
  std::erase_if(complained, [](const std::string& text) { return text.starts_with("Autofocus"); });
  EXPECT_THAT(complained, IsEmpty()) << "a policy was violated";
  // And it could not, if it wanted to.
  EXPECT_EQ(page().evaluate("fetch('http://127.0.0.1:9/').then(() => 'went', () => 'refused')"),
            "refused");
  EXPECT_EQ(page().evaluate("new Promise(done => { const s = document.createElement('script'); "
                            "s.textContent = 'window.ran = 1'; document.body.append(s); "
                            "done(String(window.ran)); })"),
            "undefined");
}

// A page of somebody else's, open in the same browser.
TEST_F(ViewPage, IsNothingToAnotherOriginsPage) {
  auto other = View::open({.folder = demo_.folder(), .homes = {}});
  ASSERT_TRUE(other.has_value());
  // Another port is another origin. Its own policy is lifted, as an attacker's page has none.
  page().call("Page.setBypassCSP", {{"enabled", true}});
  page().go("about:blank");
  page().go((*other)->address());
  const std::string target = view_->address();
  const auto attempt = [&](const std::string& options) {
    return page().evaluate(
        fmt::format("fetch('{}about', {}).then(a => a.status + ' ' + a.type, () => 'refused')",
                    target, options));
  };
  EXPECT_EQ(attempt("{}"), "refused");
  EXPECT_THAT(attempt("{mode: 'no-cors'}").get<std::string>(), Not(HasSubstr("200")));
  EXPECT_EQ(
      page()
          .evaluate(fmt::format(
              "new Promise(done => {{ const f = document.createElement('iframe'); f.src = '{}'; "
              "f.onload = () => {{ try {{ done(f.contentDocument.title); }} catch {{ "
              "done('closed'); }} }}; document.body.append(f); }})",
              target))
          .get<std::string>()
          .find("sotto"),
      std::string::npos);
  EXPECT_EQ(page().evaluate(fmt::format(
                "fetch('{}save', {{method: 'POST', mode: 'no-cors', body: JSON.stringify({{name: "
                "'evil.toml', replace: true, query: {{}}}})}}).then(a => a.type, () => 'refused')",
                target)),
            Json("refused"));
  EXPECT_FALSE(std::filesystem::exists(demo_.folder() + "/evil.toml"));
  page().call("Page.setBypassCSP", {{"enabled", false}});
}

}  // namespace
}  // namespace sotto::view
