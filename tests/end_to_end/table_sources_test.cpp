#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <zlib.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include "base/digest.h"
#include "data/readstat/stat_file.h"
#include "data/sql/postgres.h"
#include "moments/moments.h"
#include "run/tables.h"
#include "support/party_processes.h"
#include "support/postgres_server.h"
#include "support/program.h"
#include "support/stat_files.h"

// Tables wherever people have them, PostgreSQL among them: a real server, which the tests start.

namespace sotto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// One server for all tests of this file.
class TableSources : public ProgramTest {
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
  [[nodiscard]] static TableRequest query(const std::string& sql,
                                          const std::string& address = server_->address()) {
    TableRequest request(address);
    request.query = sql;
    return request;
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder() / name; }

  static inline std::unique_ptr<PostgresServer> server_;
};

Schema people() {
  Schema schema;
  schema.target = {"y", {-50, 50}};
  schema.features = {NumericFeature{"x", {-10, 10}},
                     CategoricalFeature{"c", {"red", "light, \"sky\" blue", "ünder"}},
                     CategoricalFeature{"k", {"0", "1", "2.5"}, true}};
  return schema;
}

struct Person {
  std::optional<double> y, x, k;
  std::optional<std::string> c;
};

std::vector<Person> some_people(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, 5);
  const std::vector<std::string> colours =
      std::get<CategoricalFeature>(people().features[1]).levels;
  const std::vector<double> levels = {0, 1, 2.5};
  std::vector<Person> found(count);
  for (Person& person : found) {
    if (random() % 20 != 0) person.y = normal(random);
    if (random() % 20 != 0)
      person.x = random() % 3 == 0 ? std::round(normal(random)) : normal(random);
    if (random() % 20 != 0) person.k = levels[random() % 3];
    if (random() % 20 != 0) person.c = colours[random() % 3];
  }
  return found;
}

std::string number_text(const std::optional<double>& value, char point) {
  if (!value) return "";
  std::string text = fmt::format("{}", *value);
  std::ranges::replace(text, '.', point);
  return text;
}

std::string csv_of(const std::vector<Person>& persons, char separator, char point,
                   const std::string& line_end) {
  std::string text = fmt::format("c{0}y{0}k{0}x{1}", separator, line_end);
  for (const Person& person : persons) {
    std::string colour = person.c.value_or("NA");
    if (colour.find('"') != std::string::npos) colour = "\"light, \"\"sky\"\" blue\"";
    text += colour + separator + number_text(person.y, point) + separator +
            number_text(person.k, point) + separator + number_text(person.x, point) + line_end;
  }
  return text;
}

std::string sql_of(const std::vector<Person>& persons) {
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : "NULL";
  };
  std::string text =
      "drop table if exists people; create table people(c text, y double precision, "
      "k double precision, x double precision, note text); insert into people values ";
  for (const Person& person : persons) {
    text += fmt::format("({}, {}, {}, {}, 'a\nb'),", person.c ? "'" + *person.c + "'" : "NULL",
                        number(person.y), number(person.k), number(person.x));
  }
  text.back() = ';';
  return text;
}

TableMoments sums_of(const TableRequest& request, int threads) {
  CsvOptions options;
  options.threads = threads;
  const auto source = open_table(request, options);
  EXPECT_TRUE(source) << source.error().to_string();
  auto sums = read_moments(*source, people());
  EXPECT_TRUE(sums) << request.place << ": " << sums.error().to_string();
  return sums ? std::move(*sums) : TableMoments{};
}

TEST_F(TableSources, GiveTheSameSumsBitForBit) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const std::vector<Person> persons = some_people(seed, seed == 3 ? 1500 : 60);
    const std::string csv = csv_of(persons, ',', '.', "\n");
    const TableMoments expected = sums_of(write("plain.csv", csv), 1);
    EXPECT_GT(expected.rows, 0U);
    EXPECT_EQ(expected.rows + expected.dropped, persons.size());

    std::vector<TableRequest> requests = {
        TableRequest(write("german.csv", csv_of(persons, ';', ',', "\r\n"))),
        TableRequest(write("tabs.txt", csv_of(persons, '\t', '.', "\n")))};
    gzFile packed = gzopen(path("packed.csv.gz").c_str(), "wb");
    gzwrite(packed, csv.data(), static_cast<unsigned>(csv.size()));
    gzclose(packed);
    requests.emplace_back(path("packed.csv.gz"));

    std::filesystem::remove(path("people.db"));
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path("people.db").c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql_of(persons).c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
    requests.emplace_back(path("people.db"));

    write("people.sql", sql_of(persons));
    EXPECT_EQ(PostgresServer::wait(server_->psql({"-q", "-f", path("people.sql")}, path("psql"))),
              0)
        << read_text(path("psql"));
    requests.push_back(query("people"));
    requests.push_back(query("select x, k, y, c from people order by random() -- any order\n;"));

#if __has_include(<readstat.h>)
    if (stat_files_built_in()) {
      const auto cell = [](const std::optional<double>& value) {
        return value ? StatCell(*value) : StatCell();
      };
      std::vector<std::vector<StatCell>> cells;
      for (const Person& person : persons) {
        cells.push_back({person.c ? StatCell(*person.c) : StatCell(std::string()), cell(person.y),
                         cell(person.k), cell(person.x)});
      }
      const std::vector<StatColumn> columns = {
          {.name = "c", .text = true}, {.name = "y"}, {.name = "k"}, {.name = "x"}};
      write_stat_file(path("people.dta"), StatFormat::kStata, columns, cells);
      write_stat_file(path("people.sav"), StatFormat::kSpss, columns, cells);
      write_stat_file(path("people.sas7bdat"), StatFormat::kSas, columns, cells);
      requests.emplace_back(path("people.dta"));
      requests.emplace_back(path("people.sav"));
      requests.emplace_back(path("people.sas7bdat"));
    }
#endif
    for (const TableRequest& request : requests) {
      for (const int threads : {1, 3}) {
        const TableMoments found = sums_of(request, threads);
        EXPECT_EQ(found.moments, expected.moments) << request.place << " seed " << seed;
        EXPECT_EQ(found.rows, expected.rows) << request.place;
        EXPECT_EQ(found.dropped, expected.dropped) << request.place;
        EXPECT_EQ(found.clips, expected.clips) << request.place;
      }
    }
  }
}

Error postgres_error(const TableRequest& request) {
  const auto source = open_table(request);
  if (!source) return source.error();
  const auto read = read_moments(*source, people());
  EXPECT_FALSE(read) << request.query;
  return read ? Error{} : read.error();
}

TEST_F(TableSources, PostgresErrorsAreForPeople) {
  EXPECT_TRUE(
      server_->run("drop table if exists bad; create table bad(c text, y text, k float8, x float8);"
                   "insert into bad values ('red', '1', 0, 1), ('green', 'lots', 7, 2), ('red', "
                   "'3', 1, 'inf')"));
  const Error values = postgres_error(query("bad"));
  EXPECT_EQ(values.name, "E-csv-level");
  EXPECT_THAT(values.where, AllOf(HasSubstr("row 2, column \"c\""), HasSubstr("/postgres")));
  ASSERT_EQ(values.others.size(), 3U);
  EXPECT_THAT(values.others[2].where, HasSubstr("row 3, column \"x\""));

  EXPECT_EQ(postgres_error(query("")).name, "E-sql-query");
  for (const char* sql :
       {"select * from nowhere", "selec 1", "select 1; select 2",
        "insert into bad values ('red', '1', 0, 1) returning *", "bad) to program 'x", "nowhere"}) {
    const Error refused = postgres_error(query(sql));
    EXPECT_EQ(refused.name, "E-sql-query") << sql;
    EXPECT_FALSE(refused.fix.empty());
  }
  EXPECT_EQ(postgres_error(query("select y, c from bad")).name, "E-csv-header");
  const Error no_database = postgres_error(query("bad", server_->address("sotto", "nowhere")));
  EXPECT_EQ(no_database.name, "E-sql-connect");
  EXPECT_THAT(no_database.what, HasSubstr("database \"nowhere\" does not exist"));
  // The connection goes away in the middle of the rows.
  const Error lost = postgres_error(query(
      "select 'red' as c, g as y, 0 as k, case when g < 100000 then 1 else "
      "pg_terminate_backend(pg_backend_pid())::int end as x from generate_series(1, 200000) g"));
  EXPECT_EQ(lost.name, "E-sql-read");
  EXPECT_EQ(lost.status, Status::kFailed);
}

TEST_F(TableSources, APasswordComesFromTheEnvironmentAndIsNeverShown) {
  EXPECT_TRUE(server_->run("create role guarded login password 's3cret'"));
  const TableRequest request =
      query("select 'red' as c, 1 as y, 0 as k, 2 as x", server_->address("guarded"));
  ::unsetenv("PGPASSWORD");
  ::setenv("PGPASSFILE", "/nonexistent", 1);
  EXPECT_EQ(postgres_error(request).name, "E-sql-connect");
  ::setenv("PGPASSWORD", "wr0ng", 1);
  const Error wrong = postgres_error(request);
  EXPECT_EQ(wrong.name, "E-sql-connect");
  EXPECT_THAT(wrong.to_string(), AllOf(HasSubstr("password"), Not(HasSubstr("wr0ng"))));
  ::setenv("PGPASSWORD", "s3cret", 1);
  EXPECT_EQ(sums_of(request, 1).rows, 1U);
  ::unsetenv("PGPASSWORD");
  const std::string file = write("pgpass", "*:*:*:guarded:s3cret\n");
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  ::setenv("PGPASSFILE", file.c_str(), 1);
  EXPECT_EQ(sums_of(request, 1).rows, 1U);
  ::unsetenv("PGPASSFILE");
}

// `sotto simulate` on a database, and what its record says of it.
TEST_F(TableSources, ARecordNamesWhatWasReadWithItsDigest) {
  EXPECT_TRUE(server_->run(
      "drop table if exists smokers; create table smokers as select g % 50 as y, "
      "0.5 + (g % 10) / 20.0 as x1, case when g % 3 = 0 then 'yes' else 'no' end as smoker "
      "from generate_series(1, 4000) g"));
  const std::string study = write("study.toml", record_text().text());
  const std::string sql = "select smoker, y, x1 from smokers order by y, x1, smoker";
  const Finished run = sotto({"simulate", study, "--data", server_->address(), "--query", sql,
                              "--solver", "ac", "--out", path("out")});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto record = parse_json(read_text(path("out/record.json")));
  const auto source = record["own"][0]["sources"][0];
  EXPECT_EQ(source["kind"], "postgresql");
  EXPECT_EQ(source["query"], sql);
  EXPECT_EQ(source["place"], "postgresql://" + server_->folder().string() + "/postgres");
  EXPECT_EQ(
      PostgresServer::wait(server_->psql(
          {"-c", "copy (" + sql + ") to stdout with (format csv, header)"}, path("copy.csv"))),
      0);
  const std::string copy = read_text(path("copy.csv"));
  EXPECT_EQ(source["sha256"], to_hex(sha256(copy)));
  // The same rows from a file, and from standard input.
  const Finished file = sotto(
      {"simulate", study, "--data", path("copy.csv"), "--solver", "ac", "--out", path("file")});
  ASSERT_EQ(file.status, 0) << file.err;
  const auto other = parse_json(read_text(path("file/record.json")));
  EXPECT_EQ(other["own"][0]["sources"][0]["sha256"], to_hex(sha256(copy)));
  EXPECT_EQ(other["own"][0]["rows"], record["own"][0]["rows"]);
  for (const char* how : {"cat", "gzip -c"}) {
    const std::string command =
        fmt::format("{} '{}' | '{}' simulate '{}' --data - --solver ac --out '{}' > /dev/null", how,
                    path("copy.csv"), SOTTO_PROGRAM, study, path("input"));
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    const auto input = parse_json(read_text(path("input/record.json")))["own"][0];
    EXPECT_EQ(input["sources"][0]["place"], "standard input");
    EXPECT_EQ(input["rows"], record["own"][0]["rows"]);
  }
  EXPECT_EQ(sotto({"report", path("out"), "--out", path("report.html")}).status, 0);
}

// A study whose parties have what they have: PostgreSQL, gzip, CSV as some spreadsheets write it.
TEST_F(TableSources, PartiesJoinWithWhateverTheyHave) {
  Parties parties({.solver = "pairwise", .parties = 4, .topology = "cycle", .rows = 120});
  // Party 1's table in PostgreSQL.
  std::istringstream lines(read_text(parties.table(0)));
  std::string header;
  std::getline(lines, header);
  std::string columns;
  for (const char letter : header)
    columns += letter == ',' ? std::string(" text,") : std::string(1, letter);
  EXPECT_TRUE(server_->run(
      fmt::format("drop table if exists homes; create table homes({} text)", columns)));
  EXPECT_EQ(
      PostgresServer::wait(server_->psql(
          {"-q", "-c", "\\copy homes from '" + parties.table(0) + "' with (format csv, header)"},
          path("psql"))),
      0)
      << read_text(path("psql"));
  // Party 2's as gzip, party 3's with semicolons and commas, party 4's as it is.
  const std::string second = read_text(parties.table(1));
  gzFile packed = gzopen(path("two.csv.gz").c_str(), "wb");
  gzwrite(packed, second.data(), static_cast<unsigned>(second.size()));
  gzclose(packed);
  std::string third = read_text(parties.table(2));
  std::ranges::replace(third, ',', ';');
  std::ranges::replace(third, '.', ',');
  parties.start(0, {.words = {"--query", "homes"}, .data = server_->address()});
  parties.start(1, {.data = path("two.csv.gz")});
  parties.start(2, {.data = write("three.csv", third)});
  parties.start(3);
  parties.expect_all_end(0);
  parties.expect_same_models({0, 1, 2, 3});
  EXPECT_THAT(parties.said(2), HasSubstr("fields separated by \";\", decimal comma"));
  const auto record = parse_json(read_text(parties.folder() / "result-1" / "record.json"));
  EXPECT_EQ(record["own"][0]["sources"][0]["query"], "homes");
}

}  // namespace
}  // namespace sotto
