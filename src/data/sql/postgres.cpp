#include "data/sql/postgres.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "data/csv/written_text.h"
#include "data/sql/sql_query.h"

#ifdef SOTTO_POSTGRESQL
#include <libpq-fe.h>
#endif

// libpq from the address to the last row; without libpq, an error that says so.
namespace sotto {

bool is_postgres_address(std::string_view place) {
  return place.starts_with("postgresql://") || place.starts_with("postgres://");
}

#ifndef SOTTO_POSTGRESQL

bool postgres_built_in() {
  return false;
}

Result<TableText> text_of_postgres(const std::string&, const std::string&) {
  return bad_input("E-data-source", "this sotto was built without PostgreSQL",
                   "build it where libpq-dev is installed, or write the rows to a CSV file");
}

#else

namespace postgres {
namespace {

constexpr const char* kConnectSeconds = "10";
constexpr std::size_t kChunkBytes = std::size_t{1} << 17;

struct Close {
  void operator()(PGconn* connection) const { PQfinish(connection); }
  void operator()(PGresult* result) const { PQclear(result); }
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
  void operator()(char* row) const { PQfreemem(row); }
};
using Connection = std::unique_ptr<PGconn, Close>;
using Answer = std::unique_ptr<PGresult, Close>;
using Row = std::unique_ptr<char, Close>;

// What the server or libpq says, in one line.
std::string said(const char* message) {
  std::string text;
  for (const char letter : std::string_view(message)) {
    const bool blank = letter == '\n' || letter == '\t' || letter == ' ';
    if (!blank) text += letter;
    if (blank && !text.empty() && text.back() != ' ') text += ' ';
  }
  return trimmed_query(text);
}

class PostgresText final : public WrittenText {
 public:
  PostgresText(Connection connection, bool digest)
      : WrittenText(digest), connection_(std::move(connection)) {}

 private:
  // libpq gives a row at a time, with its newline.
  Result<bool> more(std::string& text) override {
    while (text.size() < kChunkBytes) {
      char* raw = nullptr;
      const int size = PQgetCopyData(connection_.get(), &raw, 0);
      const Row row(raw);
      if (size <= 0) return finish(size);
      text.append(raw, static_cast<std::size_t>(size));
    }
    return true;
  }

  Result<bool> finish(int size) {
    if (size == -1) {
      const Answer answer(PQgetResult(connection_.get()));
      if (PQresultStatus(answer.get()) == PGRES_COMMAND_OK) return false;
    }
    return failed("E-sql-read",
                  fmt::format("the rows stopped: {}", said(PQerrorMessage(connection_.get()))),
                  "try the query with psql first");
  }

  Connection connection_;
};

Error no_connection(const std::string& place, const std::string& why) {
  return failed("E-sql-connect", fmt::format("no connection to {}: {}", place, why),
                "check host, database and user with 'psql'; the password comes from PGPASSWORD, "
                "~/.pgpass or a service file");
}

Result<Connection> connect(const std::string& address, const std::string& place) {
  // What comes later counts: the address may say another time.
  std::array<const char*, 5> names = {"fallback_application_name", "connect_timeout", "dbname",
                                      "client_encoding", nullptr};
  std::array<const char*, 5> values = {"sotto", kConnectSeconds, address.c_str(), "UTF8", nullptr};
  if (std::getenv("PGCONNECT_TIMEOUT") != nullptr) values[1] = nullptr;
  Connection connection(PQconnectdbParams(names.data(), values.data(), 1));
  if (connection == nullptr) return no_connection(place, "out of memory");
  if (PQstatus(connection.get()) != CONNECTION_OK) {
    return no_connection(place, said(PQerrorMessage(connection.get())));
  }
  PQsetNoticeProcessor(
      connection.get(), [](void*, const char*) {}, nullptr);
  return connection;
}

// One statement and no more, so that a query cannot bring others along.
Answer run(PGconn* connection, const std::string& statement) {
  return Answer(
      PQexecParams(connection, statement.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0));
}

Result<std::unique_ptr<TextStream> > open_query(const std::string& address,
                                                const std::string& place, const std::string& query,
                                                bool digest) {
  SOTTO_ASSIGN(Connection connection, connect(address, place));
  // All rows of one moment, written with all of their digits.
  for (const char* setting : {"begin transaction isolation level repeatable read, read only",
                              "set local extra_float_digits = 3"}) {
    const Answer answer = run(connection.get(), setting);
    if (PQresultStatus(answer.get()) != PGRES_COMMAND_OK) {
      return no_connection(place, said(PQerrorMessage(connection.get())));
    }
  }
  const std::string rows = is_table_name(query) ? "select * from " + query : query;
  const Answer answer =
      run(connection.get(), "copy (" + rows + "\n) to stdout with (format csv, header)");
  if (PQresultStatus(answer.get()) != PGRES_COPY_OUT) {
    return bad_input("E-sql-query",
                     fmt::format("the server does not take the query: {}",
                                 said(PQresultErrorMessage(answer.get()))),
                     "try it with psql first")
        .at(place);
  }
  return std::make_unique<PostgresText>(std::move(connection), digest);
}

std::string option_of(const PQconninfoOption* options, std::string_view name) {
  for (const auto* option = options; option->keyword != nullptr; ++option) {
    if (option->keyword == name && option->val != nullptr) return option->val;
  }
  return {};
}

// libpq's own words about an address may quote it, password and all, so they are not shown.
Result<std::string> shown_address(const std::string& address) {
  char* words = nullptr;
  const std::unique_ptr<PQconninfoOption, Close> options(PQconninfoParse(address.c_str(), &words));
  const Row ignored(words);
  if (options == nullptr) {
    return bad_input("E-sql-address", "the address of the database cannot be understood",
                     "write postgresql://user@host:5432/database, special characters as %20");
  }
  for (const char* secret : {"password", "sslpassword"}) {
    if (option_of(options.get(), secret).empty()) continue;
    return bad_input("E-sql-password",
                     "there is a password in the address, where every process of this machine can "
                     "see it",
                     "leave it away, and give it by PGPASSWORD, ~/.pgpass or a service file");
  }
  if (const auto service = option_of(options.get(), "service"); !service.empty()) {
    return "postgresql://?service=" + service;
  }
  // What the address leaves out comes from the environment.
  const std::unique_ptr<PQconninfoOption, Close> defaults(PQconndefaults());
  const auto value = [&](std::string_view name) {
    std::string own = option_of(options.get(), name);
    return own.empty() && defaults != nullptr ? option_of(defaults.get(), name) : own;
  };
  const std::string port = option_of(options.get(), "port");
  return fmt::format("postgresql://{}{}/{}", value("host"), port.empty() ? "" : ":" + port,
                     value("dbname"));
}

}  // namespace
}  // namespace postgres

bool postgres_built_in() {
  return true;
}

Result<TableText> text_of_postgres(const std::string& address, const std::string& query) {
  SOTTO_ASSIGN(const std::string place, postgres::shown_address(address));
  const std::string asked = trimmed_query(query);
  if (asked.empty()) {
    return bad_input("E-sql-query", "a database was named, and not what to read from it",
                     "add --query \"select …\", or the name of a table")
        .at(place);
  }
  return TableText{.facts = {.kind = "postgresql", .place = place, .query = asked},
                   .name = "the query at " + place,
                   .places = TableText::Places::kRows,
                   .format = CsvFormat{},
                   .open = [address, place, asked](const Schema&, bool digest) {
                     return postgres::open_query(address, place, asked, digest);
                   }};
}

#endif

}  // namespace sotto
