#include "data/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>

namespace sotto {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Expression parsed(const std::string& text) {
  auto expression = Expression::parse(text);
  EXPECT_TRUE(expression.has_value()) << text;
  return expression ? *expression : Expression();
}

double value_of(const Expression& expression, const std::vector<double>& values) {
  std::vector<const double*> columns;
  for (const double& value : values) columns.push_back(&value);
  std::vector<double> scratch;
  double out = 0;
  expression.evaluate(columns, 1, scratch, &out);
  return out;
}

Bounds bounds_of(const std::string& text, const std::vector<Bounds>& columns) {
  return parsed(text).bounds(columns).value();
}

TEST(Expression, HasOneTextForEveryWayOfWritingIt) {
  EXPECT_EQ(parsed(" log( income ) ").text(), "log(income)");
  EXPECT_EQ(parsed("square(x)").text(), "x^2");
  EXPECT_EQ(parsed("x ^ 2").text(), "x^2");
  EXPECT_EQ(parsed("age * income").text(), "age:income");
  EXPECT_EQ(parsed("age:income").text(), "age:income");
  EXPECT_EQ(parsed("2 * age").text(), "2*age");
  EXPECT_EQ(parsed("(age - 40) / 10").text(), "(age-40)/10");
  EXPECT_EQ(parsed("(a + b)^2 - c").text(), "(a+b)^2-c");
  EXPECT_EQ(parsed("a - (b - c)").text(), "a-(b-c)");
  EXPECT_EQ(parsed("a / (b : c)").text(), "a/(b:c)");
  EXPECT_EQ(parsed("-x").text(), "-x");
  EXPECT_EQ(parsed("(-x)^3").text(), "(-x)^3");
  EXPECT_EQ(parsed("`net income` + `age`").text(), "`net income`+age");
  EXPECT_EQ(parsed("Größe").text(), "Größe");
  EXPECT_THAT(parsed("a:b + a").columns(), ElementsAre("a", "b"));
}

TEST(Expression, ReadsItsOwnTextBack) {
  for (const char* text : {"a-(b-c)", "(a+b)^2-c", "a/(b:c)", "2*a:b", "-(a+b)", "log(a+1):sqrt(b)",
                           "(a:b)^3", "a/b/c", "exp(-a/2)", "(2*a)^2", "(-a):b"}) {
    const Expression once = parsed(text);
    const Expression again = parsed(once.text());
    EXPECT_EQ(again.text(), once.text());
    const std::vector<double> at{1.25, 0.5, 3};
    const std::vector<double> values(at.begin(),
                                     at.begin() + static_cast<long>(once.columns().size()));
    EXPECT_EQ(value_of(once, values), value_of(again, values)) << text;
  }
}

TEST(Expression, ComputesWhatItSays) {
  EXPECT_DOUBLE_EQ(value_of(parsed("log(x)"), {2.5}), std::log(2.5));
  EXPECT_DOUBLE_EQ(value_of(parsed("sqrt(x) + exp(y)"), {9, 0}), 4);
  EXPECT_DOUBLE_EQ(value_of(parsed("a - b - c"), {10, 3, 2}), 5);
  EXPECT_DOUBLE_EQ(value_of(parsed("a / b * c"), {12, 3, 2}), 8);
  EXPECT_DOUBLE_EQ(value_of(parsed("-a^2"), {3}), -9);
  EXPECT_DOUBLE_EQ(value_of(parsed("(1 + 2*x)^3"), {1}), 27);
}

TEST(Expression, EvaluatesManyRowsAsOneAfterTheOther) {
  const Expression term = parsed("log(a + 1):b - a^3/7");
  const std::vector<double> a{0, 1, 2.5, 7};
  const std::vector<double> b{-1, 0, 4, 2};
  const std::vector<const double*> columns{a.data(), b.data()};
  std::vector<double> scratch;
  std::vector<double> out(4);
  term.evaluate(columns, 4, scratch, out.data());
  for (std::size_t r = 0; r < 4; ++r) EXPECT_EQ(out[r], value_of(term, {a[r], b[r]}));
}

TEST(Expression, BoundsOfExactOperationsAreExact) {
  EXPECT_EQ(bounds_of("x^2", {{-3, 2}}), (Bounds{0, 9}));
  EXPECT_EQ(bounds_of("x^3", {{-3, 2}}), (Bounds{-27, 8}));
  EXPECT_EQ(bounds_of("a:b", {{-2, 3}, {-5, 4}}), (Bounds{-15, 12}));
  EXPECT_EQ(bounds_of("a - b", {{0, 1}, {0, 2}}), (Bounds{-2, 1}));
  EXPECT_EQ(bounds_of("a / b", {{1, 3}, {-4, -2}}), (Bounds{-1.5, -0.25}));
  EXPECT_EQ(bounds_of("sqrt(x)", {{0, 4}}), (Bounds{0, 2}));
  EXPECT_EQ(bounds_of("-x", {{-1, 2}}), (Bounds{-2, 1}));
}

TEST(Expression, BoundsOfInexactOperationsAreRoundedOutward) {
  const Bounds root = bounds_of("sqrt(x)", {{2, 3}});
  EXPECT_LT(root.lo, std::sqrt(2.0));
  EXPECT_GT(root.hi, std::sqrt(3.0));
  const Bounds sum = bounds_of("a + b", {{0.1, 0.1}, {0.2, 0.2}});
  EXPECT_LT(sum.lo, sum.hi);  // 0.1 + 0.2 is no double
  const Bounds log = bounds_of("log(x)", {{0.5, 7}});
  EXPECT_LT(log.lo, std::log(0.5));
  EXPECT_GT(log.hi, std::log(7.0));
  EXPECT_NEAR(log.hi, std::log(7.0), 1e-14);
}

// Of random terms at random rows, at the corners of the box above all.
RC_GTEST_PROP(Expression, NeverLeavesTheBoundsThatFollowFromItsColumns, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  const auto number = [&](double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(random);
  };
  const std::vector<std::string> terms{"a:b",       "a^2",          "(a-b)^3",      "log(b)",
                                       "sqrt(b):a", "a/b",          "exp(a/50)",    "(a+b)/(b+1)",
                                       "-a^4:b",    "log(b+1)-a^2", "square(a-0.3)"};
  const Expression term = parsed(terms[random() % terms.size()]);
  std::vector<Bounds> bounds;
  for (const std::string& column : term.columns()) {
    const double lo = column == "a" ? number(-60, 40) : number(0.01, 9);
    bounds.push_back({lo, lo + number(0.001, 30)});
  }
  const Bounds own = term.bounds(bounds).value();
  for (int k = 0; k < 40; ++k) {
    std::vector<double> values;
    for (const Bounds& each : bounds) {
      const auto where = random() % 4;
      values.push_back(where == 0   ? each.lo
                       : where == 1 ? each.hi
                                    : std::clamp(number(each.lo, each.hi), each.lo, each.hi));
    }
    const double value = value_of(term, values);
    RC_ASSERT(value >= own.lo && value <= own.hi);
  }
}

TEST(Expression, RefusesWhatHasNoValueSomewhereInsideTheBounds) {
  const auto complaint = [](const char* text, Bounds bounds) {
    const auto found = parsed(text).bounds(std::vector{bounds});
    return found ? std::string() : found.error().name + " " + found.error().what;
  };
  EXPECT_THAT(complaint("log(x)", {0, 1}), AllOf(HasSubstr("E-term-domain"), HasSubstr("log")));
  EXPECT_THAT(complaint("log(x)", {-1, 1}), HasSubstr("E-term-domain"));
  EXPECT_THAT(complaint("sqrt(x)", {-0.5, 1}),
              AllOf(HasSubstr("E-term-domain"), HasSubstr("sqrt")));
  EXPECT_THAT(complaint("1/x", {-1, 1}), AllOf(HasSubstr("E-term-domain"), HasSubstr("division")));
  EXPECT_THAT(complaint("1/x", {0, 1}), HasSubstr("E-term-domain"));
  // Infinity times 0 is no number: refused on the way, also where the end would be finite.
  for (const char* term : {"x*1e308", "x*1e308*0", "1/(x*1e308)", "exp(1000*x)*0 + x"}) {
    EXPECT_THAT(complaint(term, {5, 8}), AllOf(HasSubstr("E-term-domain"), HasSubstr("too large")))
        << term;
  }
  EXPECT_EQ(complaint("log(x + 1)", {0, 1}), "");
}

TEST(Expression, SaysAtWhichCharacterItCannotBeRead) {
  const auto complaint = [](const std::string& text) {
    const auto found = Expression::parse(text);
    return found ? std::string() : found.error().name + " " + found.error().what;
  };
  EXPECT_THAT(complaint("log(x"),
              AllOf(HasSubstr("E-term-syntax"), HasSubstr("not closed"), HasSubstr("character 6")));
  EXPECT_THAT(complaint("x +"), HasSubstr("character 4"));
  EXPECT_THAT(complaint("x y"), HasSubstr("character 3"));
  EXPECT_THAT(complaint("x # y"), HasSubstr("character 3"));
  EXPECT_THAT(complaint("cos(x)"),
              AllOf(HasSubstr("no function \"cos\""), HasSubstr("character 1")));
  EXPECT_THAT(complaint("x^1.5"), HasSubstr("whole number"));
  EXPECT_THAT(complaint("x^9"), HasSubstr("2 to 8"));
  EXPECT_THAT(complaint("x^y"), HasSubstr("whole number"));
  EXPECT_THAT(complaint("`x"), HasSubstr("backtick"));
  EXPECT_THAT(complaint("``"), HasSubstr("backtick"));
  EXPECT_THAT(complaint(""), HasSubstr("character 1"));
  EXPECT_THAT(complaint("1e999*x"), HasSubstr("number"));
  EXPECT_THAT(complaint("3 + 4"), HasSubstr("E-term-constant"));
  EXPECT_THAT(complaint(std::string(100, '(') + "x"), HasSubstr("too deeply"));
  EXPECT_THAT(complaint(std::string(400, '-') + "x"), HasSubstr("too many signs"));
  EXPECT_THAT(complaint(std::string(600, 'x')), HasSubstr("longer than 500"));
}

RC_GTEST_PROP(Expression, NeverBreaksOnAnyText, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  constexpr std::string_view kPieces = "ab1.`()+-*/:^ log(sqrt";
  std::string text;
  for (std::size_t k = random() % 60; k > 0; --k) text += kPieces[random() % kPieces.size()];
  const auto found = Expression::parse(text);
  if (!found) return;
  RC_ASSERT(Expression::parse(found->text())->text() == found->text());
}

}  // namespace
}  // namespace sotto
