#include "data/levels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/own_values.h"
#include "data/rows.h"

namespace sotto {
namespace levels_in_terms {
namespace {

const CategoricalFeature kSmoker{"smoker", {"no", "yes", "at times"}};
const CategoricalFeature kRegion{"region", {"n", "s"}};

std::vector<std::string> texts_of(const std::string& term) {
  std::vector<std::string> texts;
  const auto found = by_levels(Expression::parse(term).value(), {kSmoker, kRegion}).value();
  for (const Expression& each : found) texts.push_back(each.text());
  return texts;
}

TEST(Levels, OfACategoryInATermAreATermEachButTheBase) {
  EXPECT_EQ(texts_of("age * smoker"),
            (std::vector<std::string>{"age:smoker=yes", "age:`smoker=at times`"}));
  EXPECT_EQ(texts_of("smoker:region"),
            (std::vector<std::string>{"smoker=yes:region=s", "`smoker=at times`:region=s"}));
  EXPECT_EQ(texts_of("2*log(`smoker age` - 40):region"),
            (std::vector<std::string>{"2*log(`smoker age`-40):region=s"}))
      << "a name inside another, and a logarithm that is not defined everywhere";
  EXPECT_EQ(texts_of("age:smoker=no"), (std::vector<std::string>{"age:smoker=no"}))
      << "a level by its own name is itself";
  EXPECT_EQ(texts_of("age^2"), (std::vector<std::string>{"age^2"}));
}

TEST(Levels, CanOnlyBeMultiplied) {
  for (const char* term : {"age + smoker", "log(smoker)", "exp(smoker)", "age/smoker",
                           "age:smoker + 1", "(smoker - 1):age"}) {
    const auto found = by_levels(Expression::parse(term).value(), {kSmoker});
    ASSERT_FALSE(found.has_value()) << term;
    EXPECT_EQ(found.error().name, "E-term-category") << term;
  }
  CategoricalFeature many{"many", {}};
  for (int k = 0; k < 40; ++k) many.levels.push_back(std::to_string(k));
  CategoricalFeature more = many;
  more.column = "more";
  EXPECT_EQ(by_levels(Expression::parse("many:more").value(), {many, more}).error().name,
            "E-schema-size");
}

TEST(Levels, WithNamesThatNoTermCanHoldAreRefused) {
  const auto error_of = [](const std::string& level) {
    const auto found = by_levels(Expression::parse("a:c").value(), {{"c", {"no", level}}});
    return found ? "none" : found.error().name;
  };
  EXPECT_EQ(error_of("a`b"), "E-term-category");
  EXPECT_EQ(error_of("x`+`a"), "E-term-category") << "it would be another term";
  EXPECT_EQ(error_of(std::string(500, 'x')), "E-term-syntax");
  EXPECT_EQ(error_of(""), "none");
}

// a:smoker=yes, smoker=`at times`:region=s and a:smoker=no, of columns smoker, region, a.
Schema schema_with_products() {
  Schema schema;
  schema.target = {"y", {-1, 1}};
  const auto product = [](const std::string& text, const std::vector<Bounds>& bounds) {
    Term term{Expression::parse(text).value(), {}};
    for (std::size_t k = 0; k < bounds.size(); ++k) {
      term.columns.push_back({term.expression.columns()[k], bounds[k]});
    }
    return NumericFeature{term.expression.text(), term.bounds().value(), term};
  };
  schema.features = {product("a:smoker=yes", {{1, 5}, kLevelAsNumber}), kSmoker, kRegion,
                     product("`smoker=at times`:region=s", {kLevelAsNumber, kLevelAsNumber}),
                     product("a:smoker=no", {{1, 5}, kLevelAsNumber})};
  return schema;
}

RawRows raw_of(const std::vector<std::vector<double>>& rows) {
  RawRows raw(rows.front().size());
  raw.rows = rows.size();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < raw.columns(); ++c) raw.column(c)[r] = rows[r][c];
  }
  return raw;
}

TEST(Levels, AreNumbersInTermsOfTheRowsThatHaveThem) {
  const Schema schema = schema_with_products();
  std::vector<std::string> columns;
  for (const TableColumn& column : schema.table_columns()) columns.push_back(column.name);
  EXPECT_EQ(columns, (std::vector<std::string>{"a", "smoker", "region", "y"}));
  const Encoding encoding = Encoding::make(schema).value();
  RowEncoder encoder(encoding);
  const Rows& rows = encoder.encode(raw_of({{3, 1, 0, 0}, {9, 2, 1, 0}, {2, 0, 1, 0}}));
  const double s = encoding.grid_scale();
  // u = (v − 2.5)/2.5 of a product in [0, 5], 2v − 1 of one in [0, 1].
  EXPECT_EQ(rows.column(1)[0], std::nearbyint(s * 0.2));
  EXPECT_EQ(rows.column(1)[1], -s);
  EXPECT_EQ(rows.column(5)[0], -s);
  EXPECT_EQ(rows.column(5)[1], s);
  EXPECT_EQ(rows.column(6)[1], -s);
  EXPECT_EQ(rows.column(6)[2], std::nearbyint(s * -0.2));
  EXPECT_EQ(encoder.clips().columns[0], (ColumnClips{0, 1}));
}

TEST(Levels, AreTheSameNumbersInPredictions) {
  const Encoding encoding = Encoding::make(schema_with_products()).value();
  OwnValues values(encoding);
  ASSERT_TRUE(values.take(raw_of({{9, 2, 1}}), 0));
  EXPECT_EQ(values.entries(), (std::vector<double>{1, 0, 0, 1, 1, 1, 0}));
  ASSERT_TRUE(values.take(raw_of({{3, 1, 0}}), 0));
  EXPECT_EQ(values.entries(), (std::vector<double>{1, 3, 1, 0, 0, 0, 0}));
}

TEST(Levels, OfATargetsTermAreKeptApartFromTheFeatures) {
  Schema schema = schema_with_products();
  Term term{Expression::parse("z:region=s").value(), {{"z", {0, 1}}, {"region=s", {0, 1}}}};
  schema.target = {term.expression.text(), {0, 1}, term};
  EXPECT_EQ(schema.keeps_target_apart().error().name, "E-schema-target");
}

}  // namespace
}  // namespace levels_in_terms
}  // namespace sotto
