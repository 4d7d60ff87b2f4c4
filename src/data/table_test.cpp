#include "data/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/digest.h"
#include "data/readstat/stat_file.h"
#include "data/sql/postgres.h"
#include "data/sql/sql_query.h"
#include "support/stat_files.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Table = std::vector<std::vector<double>>;

Schema schema_of_people() {
  Schema schema;
  schema.target = {"y", {0, 10}};
  schema.features = {NumericFeature{"a", {0, 10}}, CategoricalFeature{"c", {"red", "blue"}}};
  return schema;
}

class TableTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  [[nodiscard]] std::string database(const std::string& name, const std::string& sql) const {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(path(name).c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql;
    sqlite3_close(database);
    return path(name);
  }

  // In order; what was read goes to facts_.
  Result<Table> rows(const TableRequest& request, const Schema& schema = schema_of_people()) {
    CsvOptions options;
    options.threads = 1;
    facts_.clear();
    options.on_facts = [&](const SourceFacts& each) { facts_.push_back(each); };
    SOTTO_ASSIGN(const CsvSource source, open_table(request, options));
    Table table;
    SOTTO_TRY(source.read(schema, [&](std::size_t, const RawRows& raw) {
      for (std::size_t r = 0; r < raw.rows; ++r) {
        table.emplace_back();
        for (std::size_t c = 0; c < raw.columns(); ++c) {
          // NaN is equal to nothing, and a test should be able to say what is missing.
          const double value = raw.column(c)[r];
          table.back().push_back(std::isnan(value) ? -1 : value);
        }
      }
    }));
    return table;
  }
  Error error(const TableRequest& request, const Schema& schema = schema_of_people()) {
    const auto read = rows(request, schema);
    EXPECT_FALSE(read) << request.place;
    return read ? Error{} : read.error();
  }
  static TableRequest query(const std::string& place, const std::string& query) {
    TableRequest request(place);
    request.query = query;
    return request;
  }

  const TemporaryFolder folder_;
  std::vector<SourceFacts> facts_;
};

TEST_F(TableTest, SeveralFilesAreOneTable) {
  const std::string first = write("p1.csv", "y,c,a\n1,red,2\n");
  const std::string second = write("p2.csv", "c;a;y\nblue;4,5;3\n");
  const Table both = {{2, 0, 1}, {4.5, 1, 3}};
  EXPECT_EQ(rows(path("p*.csv")).value(), both);
  EXPECT_THAT(facts_, testing::SizeIs(2));
  EXPECT_EQ(rows(first + "," + second).value(), both);
  EXPECT_EQ(error(path("q*.csv")).name, "E-csv-open");
  EXPECT_EQ(error(first + "," + path("none.csv")).name, "E-csv-open");
}

TEST_F(TableTest, HasNoDigestWhereNobodyAsksForIt) {
  std::vector<TableRequest> requests{
      write("p.csv", "y;c;a\n1;red;2\n"),
      query(database("p.db", "create table p(y, c, a); insert into p values (1, 'red', 2)"), "p")};
  requests.emplace_back().memory = std::make_shared<MemoryTable>(MemoryTable{
      "mine",
      {{"y", std::vector<double>{1}}, {"c", MemoryColumn::Texts{"red"}}, {"a", std::vector{2.0}}}});
  for (TableRequest& request : requests) {
    EXPECT_EQ(rows(request).value(), (Table{{2, 0, 1}}));
    EXPECT_THAT(facts_.at(0).sha256, testing::SizeIs(64));
    SourceFacts without = facts_.at(0);
    without.sha256.clear();
    request.digest = false;
    EXPECT_EQ(rows(request).value(), (Table{{2, 0, 1}}));
    EXPECT_THAT(facts_, ElementsAre(without));
  }
}

TEST_F(TableTest, ATableInMemoryIsReadAsAFileIs) {
  const double kNone = std::nan("");
  const auto with = [](std::vector<double> a, MemoryColumn::Texts c, std::vector<double> y) {
    TableRequest request;
    request.memory = std::make_shared<MemoryTable>(
        MemoryTable{"mine", {{"not,used", a}, {"y", y}, {"c", c}, {"a", a}}});
    return request;
  };
  // Digits that only all of them tell apart, and more rows than go through at a time.
  std::vector<double> a{0.1, kNone, 0.1 + std::ldexp(1.0, -56)};
  MemoryColumn::Texts c{"blue", "red", std::nullopt};
  std::vector<double> y{1e-300, 2, 3};
  EXPECT_EQ(rows(with(a, c, y)).value(), (Table{{0.1, 1, 1e-300}, {-1, 0, 2}, {a[2], -1, 3}}));
  EXPECT_THAT(facts_, ElementsAre(testing::Field(&SourceFacts::kind, "memory")));
  a.resize(1500, 4.5);
  c.resize(1500, "red");
  y.resize(1500, 7);
  EXPECT_EQ(rows(with(a, c, y)).value().size(), 1500U);
  EXPECT_EQ(rows(with(a, c, y)).value().back(), (std::vector<double>{4.5, 0, 7}));

  c[1400] = "green";
  const Error level = error(with(a, c, y));
  EXPECT_EQ(level.name, "E-csv-level");
  EXPECT_THAT(level.where, testing::AllOf(HasSubstr("mine"), HasSubstr("1401"), HasSubstr("c")));
  y.pop_back();
  EXPECT_EQ(error(with(a, c, y)).name, "E-table-rows");
  EXPECT_EQ(rows(with({}, {}, {})).value().size(), 0U);
}

TEST_F(TableTest, AFileMayHaveAnyName) {
  const std::string odd = write("a,b [1]*.csv", "y,c,a\n1,red,2\n");
  EXPECT_EQ(rows(odd).value(), (Table{{2, 0, 1}}));
}

TEST_F(TableTest, OptionsThatDoNotFitAreErrors) {
  const std::string csv = write("a.csv", "y,c,a\n1,red,2\n");
  EXPECT_EQ(error(query(csv, "select 1")).name, "E-data-options");
  TableRequest separated(database("a.db", "create table t(y, c, a)"));
  separated.dialect.separator = ';';
  EXPECT_EQ(error(separated).name, "E-data-options");
  TableRequest commas(csv);
  commas.dialect = {.separator = ',', .decimal = ','};
  EXPECT_EQ(error(commas).name, "E-data-options");
}

TEST_F(TableTest, ReadsATableOfAnSqliteFile) {
  const std::string file =
      database("a.db",
               "create table people(y, c text, a real, note);"
               "insert into people values (1, 'red', 2.5, 'x,\"y\"'), (2, 'blue', 0.1, x'00'), "
               "(3, NULL, 4, ''), (NULL, 'red', 1e-7, NULL), ('5', ' blue ', '6', 1)");
  const Table all = {{2.5, 0, 1}, {0.1, 1, 2}, {4, -1, 3}, {1e-7, 0, -1}, {6, 1, 5}};
  EXPECT_EQ(rows(file).value(), all);
  EXPECT_EQ(rows(query(file, "people")).value(), all);
  EXPECT_EQ(rows(query(file, "main.people")).value(), all);
  EXPECT_EQ(rows(query(file, "select * from people where y = 2; ")).value(), (Table{{0.1, 1, 2}}));
  ASSERT_EQ(facts_.size(), 1U);
  EXPECT_EQ(facts_[0].kind, "sqlite");
  EXPECT_EQ(facts_[0].query, "select * from people where y = 2");
  EXPECT_EQ(facts_[0].sha256, to_hex(sha256("y,c,a,note\n2,blue,0.1,(bytes)\n")));
}

TEST_F(TableTest, AnSqliteFileIsOnlyRead) {
  const std::string file = database("a.db", "create table t(y, c, a); create table u(z)");
  for (const char* sql :
       {"delete from t", "drop table t", "select 1; select 2", "begin", "nonsense",
        "select * from v", "insert into t values (1, 'red', 2) returning *"}) {
    EXPECT_EQ(error(query(file, sql)).name, "E-sql-query") << sql;
  }
  const Error which = error(file);
  EXPECT_EQ(which.name, "E-sql-query");
  EXPECT_THAT(which.what, HasSubstr("2 tables: t, u"));
  EXPECT_EQ(error(database("empty.db", "create table t(a); drop table t")).name, "E-sql-query");
  const std::string damaged = write("b.db", std::string("SQLite format 3\0", 16) + "and no more");
  EXPECT_EQ(error(query(damaged, "t")).name, "E-sql-open");
}

TEST_F(TableTest, ErrorsOfADatabaseNameTheRow) {
  const std::string file =
      database("a.db",
               "create table t(y, c, a, note); insert into t values (1, 'red', 2, 'two\nlines'), "
               "(1, 'green', 'x', ''), (1, 'red', 9e999, '')");
  const Error error_of_rows = error(file);
  EXPECT_EQ(error_of_rows.name, "E-csv-level");
  EXPECT_THAT(error_of_rows.where, HasSubstr("a.db, row 2, column \"c\""));
  ASSERT_EQ(error_of_rows.others.size(), 2U);
  EXPECT_THAT(error_of_rows.others[1].where, HasSubstr("row 3, column \"a\""));
  EXPECT_EQ(error(query(file, "select y, c from t")).name, "E-csv-header");
}

TEST_F(TableTest, ARowOfOneMissingValueIsARow) {
  Schema schema;
  schema.target = {"y", {0, 10}};
  const std::string file = database("a.db", "create table t(y); insert into t values (1), (NULL)");
  EXPECT_EQ(rows(file, schema).value(), (Table{{1}, {-1}}));
}

TEST(Sql, TellsANameFromAQuery) {
  for (const char* name : {"t", "people_2", "public.people", "_x$1", "größe"}) {
    EXPECT_TRUE(is_table_name(name)) << name;
  }
  for (const char* text :
       {"", "select 1", "1t", "a.b.c", "a.", ".a", "a b", "a;b", "\"a\"", "t--"}) {
    EXPECT_FALSE(is_table_name(text)) << text;
  }
}

TEST(Postgres, ShowsNothingOfAnAddressThatHasAPassword) {
  if (!postgres_built_in()) GTEST_SKIP() << "built without libpq: NOT TESTED";
  for (const std::string address :
       {"postgresql://me:s3cret@host/db", "postgres://host/db?password=s3cret",
        "postgresql://me:s3cret@host:port/db", "postgresql://host/db?sslpassword=s3cret",
        "postgresql://me:s3cret@[::1/db", "postgresql://host/db?what=s3cret"}) {
    const auto text = text_of_postgres(address, "select 1");
    ASSERT_FALSE(text) << address;
    EXPECT_THAT(text.error().name, testing::AnyOf("E-sql-password", "E-sql-address")) << address;
    EXPECT_THAT(text.error().to_string(), testing::Not(HasSubstr("s3cret")));
  }
  const auto shown = text_of_postgres("postgresql://me@host:77/db?connect_timeout=3", "t");
  ASSERT_TRUE(shown) << shown.error().to_string();
  EXPECT_EQ(shown->facts.place, "postgresql://host:77/db");
  EXPECT_EQ(text_of_postgres("postgresql://host/db", " ;").error().name, "E-sql-query");
}

TEST(Postgres, SaysThatThereIsNoServer) {
  if (!postgres_built_in()) GTEST_SKIP() << "built without libpq: NOT TESTED";
  const auto text = text_of_postgres("postgresql:///db?host=/nonexistent", "t").value();
  const auto stream = text.open({}, false);
  ASSERT_FALSE(stream);
  EXPECT_EQ(stream.error().name, "E-sql-connect");
  EXPECT_EQ(stream.error().status, Status::kFailed);
  EXPECT_THAT(stream.error().what, HasSubstr("/nonexistent"));
}

#if __has_include(<readstat.h>)

class StatFileTest : public TableTest {
 protected:
  void SetUp() override {
    if (!stat_files_built_in()) GTEST_SKIP() << "built without libreadstat: NOT TESTED";
  }
};

TEST_F(StatFileTest, AValueIsItsLabelWhereTheStudyHasLevels) {
  const std::vector<StatColumn> columns = {
      {.name = "y"}, {.name = "c", .labels = {{1, "red"}, {2, "blue"}}}, {.name = "a"}};
  const std::vector<std::vector<StatCell>> cells = {
      {1.0, 2.0, 2.5}, {2.0, 1.0, 0.1}, {3.0, {}, 4.0}, {{}, 1.0, 1e-7}};
  const Table all = {{2.5, 1, 1}, {0.1, 0, 2}, {4, -1, 3}, {1e-7, 0, -1}};
  for (const auto& [name, format] :
       {std::pair("t.dta", StatFormat::kStata), std::pair("t.sav", StatFormat::kSpss)}) {
    write_stat_file(path(name), format, columns, cells);
    const auto read = rows(path(name));
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_EQ(*read, all) << name;
    std::ifstream stream(path(name), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    ASSERT_EQ(facts_.size(), 1U);
    EXPECT_EQ(facts_[0].sha256, to_hex(sha256(bytes)));
    EXPECT_EQ(facts_[0].kind, format == StatFormat::kStata ? "stata" : "spss");

    Schema by_value = schema_of_people();
    by_value.features[1] = CategoricalFeature{"c", {"1", "2"}, true};
    EXPECT_EQ(rows(path(name), by_value).value(),
              (Table{{2.5, 1, 1}, {0.1, 0, 2}, {4, -1, 3}, {1e-7, 0, -1}}));
    by_value.features[1] = NumericFeature{"c", {0, 5}};
    EXPECT_EQ(rows(path(name), by_value).value()[0], (std::vector<double>{2.5, 2, 1}));
    by_value.features[1] = CategoricalFeature{"c", {"green", "yellow"}};
    const Error unknown = error(path(name), by_value);
    EXPECT_EQ(unknown.name, "E-csv-level");
    EXPECT_THAT(unknown.what, HasSubstr("blue"));
    EXPECT_THAT(unknown.where, HasSubstr("row 1, column \"c\""));
  }
}

TEST_F(StatFileTest, WhatAUserDeclaredMissingIsMissing) {
  const std::vector<StatColumn> columns = {
      {.name = "y"}, {.name = "c", .text = true}, {.name = "a", .user_missing = -9}};
  write_stat_file(path("t.sav"), StatFormat::kSpss, columns,
                  {{1.0, std::string("red"), -9.0}, {2.0, std::string("blue"), 3.0}});
  EXPECT_EQ(rows(path("t.sav")).value(), (Table{{-1, 0, 1}, {3, 1, 2}}));
}

TEST_F(StatFileTest, ReadsTextsAndSasFiles) {
  const std::vector<StatColumn> columns = {
      {.name = "y"}, {.name = "note"}, {.name = "c", .text = true}, {.name = "a"}};
  const std::vector<std::vector<StatCell>> cells = {{1.0, 7.0, std::string("blue"), 2.5},
                                                    {2.0, {}, std::string("red"), {}}};
  const Table all = {{2.5, 1, 1}, {-1, 0, 2}};
  for (const auto& [name, format] :
       {std::pair("t.dta", StatFormat::kStata), std::pair("t.sav", StatFormat::kSpss),
        std::pair("t.sas7bdat", StatFormat::kSas), std::pair("t.xpt", StatFormat::kSasTransport)}) {
    write_stat_file(path(name), format, columns, cells);
    const auto read = rows(path(name));
    ASSERT_TRUE(read) << name << ": " << read.error().to_string();
    EXPECT_EQ(*read, all) << name;
  }
}

TEST_F(StatFileTest, ReadsMoreRowsThanAPieceHolds) {
  std::vector<std::vector<StatCell>> cells;
  for (int k = 0; k < 40'000; ++k) cells.push_back({k / 7.0, std::string("red"), k / 3.0});
  write_stat_file(path("t.dta"), StatFormat::kStata,
                  {{.name = "y"}, {.name = "c", .text = true}, {.name = "a"}}, cells);
  const Table all = rows(path("t.dta")).value();
  ASSERT_EQ(all.size(), cells.size());
  EXPECT_EQ(all.back(), (std::vector<double>{39'999 / 3.0, 0, 39'999 / 7.0}));
  // A reader that stops early does not wait for the rest.
  Schema other = schema_of_people();
  other.target.column = "z";
  EXPECT_EQ(error(path("t.dta"), other).name, "E-csv-header");
}

// Whatever is in a file: an error or rows, and never a crash.
TEST_F(StatFileTest, SurvivesAnyBytes) {
  std::vector<std::vector<StatCell>> cells;
  for (int k = 0; k < 10; ++k)
    cells.push_back({k / 7.0, 1.0 + k % 2, k / 3.0, std::string("text")});
  std::mt19937 random(20261117);  // fixed: a failure can be repeated
  for (const auto& [name, format] :
       {std::pair("t.dta", StatFormat::kStata), std::pair("t.sav", StatFormat::kSpss),
        std::pair("t.sas7bdat", StatFormat::kSas), std::pair("t.xpt", StatFormat::kSasTransport)}) {
    std::vector<StatColumn> columns = {
        {.name = "y"}, {.name = "c"}, {.name = "a"}, {.name = "note", .text = true}};
    if (format == StatFormat::kStata || format == StatFormat::kSpss) {
      columns[1].labels = {{1, "red"}, {2, "blue"}};
    }
    write_stat_file(path(name), format, columns, cells);
    std::ifstream stream(path(name), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    for (int trial = 0; trial < 100; ++trial) {
      std::string damaged = bytes;
      const std::size_t reach = std::min<std::size_t>(bytes.size(), 3000) - 40;
      for (std::size_t k = 0; k <= random() % 8; ++k) {
        damaged[40 + random() % reach] = static_cast<char>(random());
      }
      if (trial % 4 == 0) damaged.resize(random() % damaged.size());
      const auto read = rows(write(name, damaged));
      EXPECT_TRUE(read || !read.error().fix.empty()) << name << " " << trial;
    }
  }
}

TEST_F(StatFileTest, ADamagedFileIsAnError) {
  write_stat_file(path("t.sav"), StatFormat::kSpss,
                  {{.name = "y"}, {.name = "c", .text = true}, {.name = "a"}},
                  {{1.0, std::string("red"), 2.0}});
  std::filesystem::resize_file(path("t.sav"), 100);
  EXPECT_EQ(error(path("t.sav")).name, "E-stat-read");
  EXPECT_EQ(error(write("u.dta", "no such thing")).name, "E-stat-read");
  EXPECT_EQ(error(path("none.dta")).name, "E-stat-read");
}

#endif

TEST(Tables, SayWhichKindsAreBuiltIn) {
  EXPECT_THAT(built_in_sources(), HasSubstr("csv, gzip, sqlite"));
  EXPECT_EQ(built_in_sources().find("postgresql") != std::string::npos, postgres_built_in());
  EXPECT_EQ(built_in_sources().find("stata") != std::string::npos, stat_files_built_in());
}

}  // namespace
}  // namespace sotto
