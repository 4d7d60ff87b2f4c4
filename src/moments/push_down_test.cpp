#include "moments/push_down.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/sql/postgres.h"
#include "support/hostile_rows.h"

// Against a real server, which the tests start.
namespace sotto {
namespace {

using hostile_rows::request;
using testing::HasSubstr;

constexpr const char* kMark = "sotto-sums-1:test";

class PushDown : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (postgres_built_in()) server_ = PostgresServer::start();
  }
  static void TearDownTestSuite() { server_.reset(); }
  void SetUp() override {
    if (server_ == nullptr) {
      GTEST_SKIP() << "no PostgreSQL server could be started, or no libpq: NOT TESTED "
                      "('scripts/bootstrap test' installs both)";
    }
  }

  // The sums of both ways, which have to be one.
  static void compare(const Schema& schema, const TableRequest& asked) {
    const auto source = open_table(asked);
    ASSERT_TRUE(source) << source.error().to_string();
    const auto local = read_moments(*source, schema);
    ASSERT_TRUE(local) << local.error().to_string();
    const auto pushed = push_down_moments(asked, schema, kMark);
    ASSERT_TRUE(pushed) << pushed.error().to_string();
    EXPECT_GT(local->rows, 0U);
    EXPECT_EQ(pushed->table.rows, local->rows);
    EXPECT_EQ(pushed->table.dropped, local->dropped);
    EXPECT_EQ(pushed->table.clips, local->clips);
    for (std::size_t k = 0; k < local->moments.sums.size(); ++k) {
      ASSERT_EQ(pushed->table.moments.sums[k], local->moments.sums[k]) << "sum " << k;
    }
  }

  static inline std::unique_ptr<PostgresServer> server_;
};

TEST_F(PushDown, GivesTheSameBitsAsTheLocalPassForEveryKindOfStudy) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  hostile_rows::fill(*server_, seed, 2500);
  for (const auto& [name, schema, rows] : hostile_rows::studies()) {
    SCOPED_TRACE(name);
    compare(schema, request(*server_, rows));
  }
}

TEST_F(PushDown, TakesAQueryForRowsAndNoRowsAtAll) {
  hostile_rows::fill(*server_, 1, 50);
  compare(hostile_rows::all_columns(),
          request(*server_,
                  "with sotto_0 as (select * from hostile) select *, 1 as u0 from sotto_0 "
                  "where y is not null; "));
  const auto none = push_down_moments(request(*server_, "select * from hostile where false"),
                                      hostile_rows::all_columns(), kMark);
  ASSERT_TRUE(none) << none.error().to_string();
  EXPECT_EQ(none->table.rows, 0U);
  EXPECT_EQ(none->table.moments, Moments(none->table.moments.dimension));
}

TEST_F(PushDown, RefusesATermWhoseProductIsBelowEveryDouble) {
  hostile_rows::fill(*server_, 1, 1);
  const auto terms = hostile_rows::studies().back();
  const auto pushed = push_down_moments(
      request(*server_, "select y, 1e-200::float8 as a, b, n, t, c, k, f, s from hostile"),
      terms.schema, kMark);
  ASSERT_FALSE(pushed);
  EXPECT_THAT(pushed.error().to_string(), HasSubstr("underflow"));
}

TEST_F(PushDown, RefusesWhatTheLocalPassRefuses) {
  hostile_rows::fill(*server_, 2, 20);
  Schema schema = hostile_rows::all_columns();
  schema.weight = WeightColumn{"w", {0, 3}};
  const auto error_of = [&](const std::string& change) {
    const std::string query = fmt::format(
        "select y, a, b, n, t, c, k, f, s, w, p from hostile union all select {} from (values "
        "(1.0, "
        "0.5, 0.1, 1, '20', 'red', 1, false, 'ab', 1.0, 'ann')) as v(y, a, b, n, t, c, k, f, s, w, "
        "p)",
        change);
    const auto local = read_moments(*open_table(request(*server_, query)), schema);
    const auto pushed = push_down_moments(request(*server_, query), schema, kMark);
    EXPECT_EQ(local.has_value(), pushed.has_value()) << change;
    return pushed ? std::string("taken") : pushed.error().name;
  };
  EXPECT_EQ(error_of("y, a, b, n, t, c, k, f, s, w, p"), "taken");
  EXPECT_EQ(error_of("y, a, b, n, '0x10', c, k, f, s, w, p"), "E-push-down-rows");
  EXPECT_EQ(error_of("y, a, b, n, '1 2', c, k, f, s, w, p"), "E-push-down-rows");
  EXPECT_EQ(error_of("y, a, b, n, E'1\\n', c, k, f, s, w, p"), "E-push-down-rows");
  EXPECT_EQ(error_of("y, a, b, n, 'inf', c, k, f, s, w, p"), "E-push-down-rows");
  EXPECT_EQ(error_of("float8 'infinity', a, b, n, t, c, k, f, s, w, p"), "E-push-down-rows");
  EXPECT_EQ(error_of("y, a, b, n, t, 'RED', k, f, s, w, p"), "E-push-down-rows");
  EXPECT_EQ(error_of("y, a, b, n, t, c, k, f, s, -0.001, p"), "E-push-down-rows");
  EXPECT_EQ(error_of("y, a, b, n, t, c, k, f, s, 3.001, p"), "E-push-down-rows");
  EXPECT_EQ(error_of("y, a, b, n, '1e999', c, k, f, s, w, p"), "E-sql-query");
  schema.missing = MissingRule::kError;
  EXPECT_EQ(error_of("y, a, b, n, t, c, k, f, s, w, p"), "E-push-down-rows");
}

TEST_F(PushDown, SaysWhatADatabaseCannotDo) {
  Schema schema = hostile_rows::all_columns();
  const auto error_of = [&](const Schema& asked) {
    const auto pushed = push_down_moments(request(*server_), asked, kMark);
    return pushed ? std::string("taken") : pushed.error().to_string();
  };
  const Term log = hostile_rows::term("log(t)", {{"t", {10, 200}}});
  Schema with_log = schema;
  with_log.features.emplace_back(NumericFeature{"log(t)", log.bounds().value(), log});
  EXPECT_THAT(error_of(with_log), HasSubstr("E-push-down"));
  Schema with_spline = schema;
  with_spline.features[0] = SplineFeature{"a", {-1, 1}, {0}, 3};
  EXPECT_THAT(error_of(with_spline), HasSubstr("E-push-down"));
  Schema with_blank = schema;
  std::get<CategoricalFeature>(with_blank.features[4]).levels = {"red", " blue"};
  EXPECT_THAT(error_of(with_blank), HasSubstr("E-push-down"));
  Schema wide = schema;
  for (int k = 0; k < 300; ++k) {
    wide.features.emplace_back(NumericFeature{fmt::format("x{}", k), {0, 1}});
  }
  EXPECT_THAT(error_of(wide), HasSubstr("too long a query"));
  const Term towers = hostile_rows::term("((((a^8)^8)^8)^8)^8", {{"a", {-1, 1}}});
  Schema high = schema;
  high.features.emplace_back(
      NumericFeature{towers.expression.text(), towers.bounds().value(), towers});
  EXPECT_THAT(error_of(high), HasSubstr("too long as a formula"));
  TableRequest file("north.csv");
  file.push_down = true;
  EXPECT_EQ(push_down_moments(file, schema, kMark).error().name, "E-data-options");
}

TEST_F(PushDown, ASlowQueryHearsThatNobodyWaitsAnyMore) {
  const auto interrupted_after = [](int asked) {
    return [left = asked]() mutable { return left-- <= 0; };
  };
  const std::string slow = "select *, pg_sleep(60) from hostile";
  hostile_rows::fill(*server_, 3, 5);
  TableRequest asked = request(*server_, slow);
  asked.interrupted = interrupted_after(4);
  const auto read = read_moments(*open_table(asked), hostile_rows::all_columns());
  EXPECT_EQ(read ? "read" : read.error().name, "E-interrupted");
  asked.interrupted = interrupted_after(4);
  const auto pushed = push_down_moments(asked, hostile_rows::all_columns(), kMark);
  EXPECT_EQ(pushed ? "pushed" : pushed.error().name, "E-interrupted");
  // The server has been told, too: nobody sleeps there any more.
  bool quiet = false;
  for (int tries = 0; tries < 100 && !quiet; ++tries) {
    quiet = server_->run(
        "do $$ begin if exists (select 1 from pg_stat_activity where application_name = 'sotto' "
        "and state = 'active') then raise 'busy'; end if; end $$");
  }
  EXPECT_TRUE(quiet);
}

TEST(PushDownAnswer, MustBeOfThisStudyAndWhole) {
  Schema schema;
  schema.target = {"y", {0, 1}};
  schema.features = {NumericFeature{"x", {0, 1}}};
  // digits, records, rows, faults, unfinished, shortened, two columns' clips, six sums.
  const std::string numbers = "1 5 4 0 0 0 1 0 0 2 4 -1 9 123456789012345678901234567890 2 7";
  const auto read = [&](const std::string& answer) {
    return moments_of_answer(schema, kMark, answer);
  };
  const auto found = read(std::string(kMark) + " " + numbers + "\n");
  ASSERT_TRUE(found) << found.error().to_string();
  EXPECT_EQ(found->rows, 4U);
  EXPECT_EQ(found->dropped, 1U);
  EXPECT_EQ(found->clips.columns[0].below, 1U);
  EXPECT_EQ(found->clips.columns[1].above, 2U);
  EXPECT_EQ(found->moments.sums[3], Integer("123456789012345678901234567890"));
  const auto wrong = [&](const std::string& answer) {
    const auto result = read(answer);
    return result ? std::string("taken") : result.error().name;
  };
  const std::string answer_error = "E-push-down-answer";
  EXPECT_EQ(wrong(""), answer_error);
  EXPECT_EQ(wrong("nonsense"), answer_error);
  EXPECT_EQ(wrong("sotto-sums-1:other " + numbers), answer_error);
  EXPECT_EQ(wrong(std::string(kMark) + " " + numbers.substr(0, 20)), answer_error);
  EXPECT_EQ(wrong(std::string(kMark) + " " + numbers + " 3"), answer_error);
  EXPECT_EQ(wrong(std::string(kMark) + " 1 5 6" + numbers.substr(5)), answer_error);
  EXPECT_EQ(wrong(std::string(kMark) + " 1 -5" + numbers.substr(3)), answer_error);
  const std::string all_but_one = numbers.substr(0, numbers.rfind(' ') + 1);
  for (const std::string last : {"+7", "-0", "07", "7.0"}) {
    EXPECT_EQ(wrong(std::string(kMark) + " " + all_but_one + last), answer_error) << last;
  }
  EXPECT_EQ(wrong(std::string(kMark) + " " + all_but_one + std::string("7\0x", 3)), answer_error);
  EXPECT_EQ(wrong(std::string(kMark) + " 0" + numbers.substr(1)), "E-push-down-rows");
  EXPECT_EQ(wrong(std::string(kMark) + " 1 5 4 1" + numbers.substr(7)), "E-push-down-rows");
  EXPECT_EQ(wrong(std::string(kMark) + " 1 5 4 0 1" + numbers.substr(9)), "E-push-down-rows");
}

TEST(PushDownQuery, IsWrittenInEveryDialect) {
  for (const auto& [name, schema, rows] : hostile_rows::studies()) {
    const auto spark = push_down_query(schema, rows, kMark, SqlDialect::kSpark);
    ASSERT_TRUE(spark) << name;
    EXPECT_THAT(*spark, HasSubstr("source.`y`"));
    EXPECT_THAT(*spark, HasSubstr("'it\\'s'"));
    EXPECT_THAT(*spark, HasSubstr("decimal(20, 0)"));
    EXPECT_THAT(*spark, testing::Not(HasSubstr("offset 0")));
    const auto duck = push_down_query(schema, rows, kMark, SqlDialect::kDuckdb);
    ASSERT_TRUE(duck) << name;
    EXPECT_THAT(*duck, HasSubstr("regexp_full_match"));
    EXPECT_THAT(*duck, HasSubstr("'it''s'"));
    EXPECT_THAT(*duck, testing::Not(HasSubstr("collate")));
  }
}

}  // namespace
}  // namespace sotto
