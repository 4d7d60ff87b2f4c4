#include "data/sql/postgres.h"

#include <fmt/format.h>

#include <utility>

#include "base/digest.h"
#include "data/csv/written_text.h"
#include "data/sql/postgres_connection.h"
#include "data/sql/sql_query.h"

#ifdef SOTTO_POSTGRESQL
#include <libpq-fe.h>
#endif

// From an address and a query to rows or to one answer; without libpq, an error that says so.
namespace sotto {

bool is_postgres_address(std::string_view place) {
  return place.starts_with("postgresql://") || place.starts_with("postgres://");
}

#ifndef SOTTO_POSTGRESQL

bool postgres_built_in() {
  return false;
}

namespace {

Error not_built_in() {
  return bad_input("E-data-source", "this sotto was built without PostgreSQL",
                   "build it where libpq-dev is installed, or write the rows to a CSV file");
}

}  // namespace

Result<TableText> text_of_postgres(const std::string&, const std::string&, const Interrupted&) {
  return not_built_in();
}

Result<PushedDown> ask_postgres(const std::string&, const std::string&,
                                const std::function<std::string(const std::string&)>&,
                                const Interrupted&) {
  return not_built_in();
}

#else

namespace postgres {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 17;

struct Close {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
  void operator()(char* words) const { PQfreemem(words); }
};

class PostgresText final : public WrittenText {
 public:
  PostgresText(PostgresConnection connection, bool digest)
      : WrittenText(digest), connection_(std::move(connection)) {}

 private:
  Result<bool> more(std::string& text) override { return connection_.copy_rows(text, kChunkBytes); }

  PostgresConnection connection_;
};

Result<std::unique_ptr<TextStream> > open_query(const std::string& address,
                                                const std::string& place, const std::string& query,
                                                const Interrupted& interrupted, bool digest) {
  SOTTO_ASSIGN(auto connection, PostgresConnection::open(address, place, interrupted));
  SOTTO_TRY(
      connection.begin_copy("copy (" + rows_of(query) + "\n) to stdout with (format csv, header)"));
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
  const std::unique_ptr<char, Close> ignored(words);
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

namespace postgres {
namespace {

struct Asked {
  std::string place;
  std::string query;
};

Result<Asked> what_is_asked(const std::string& address, const std::string& query) {
  SOTTO_ASSIGN(std::string place, shown_address(address));
  std::string asked = trimmed_query(query);
  if (asked.empty()) {
    return bad_input("E-sql-query", "a database was named, and not what to read from it",
                     "add --query \"select …\", or the name of a table")
        .at(place);
  }
  return Asked{std::move(place), std::move(asked)};
}

}  // namespace
}  // namespace postgres

Result<TableText> text_of_postgres(const std::string& address, const std::string& query,
                                   const Interrupted& interrupted) {
  SOTTO_ASSIGN(const auto asked, postgres::what_is_asked(address, query));
  return TableText{.facts = {.kind = "postgresql", .place = asked.place, .query = asked.query},
                   .name = "the query at " + asked.place,
                   .places = TableText::Places::kRows,
                   .format = CsvFormat{},
                   .open = [address, asked, interrupted](const Schema&, bool digest) {
                     return postgres::open_query(address, asked.place, asked.query, interrupted,
                                                 digest);
                   }};
}

Result<PushedDown> ask_postgres(const std::string& address, const std::string& query,
                                const std::function<std::string(const std::string&)>& statement,
                                const Interrupted& interrupted) {
  SOTTO_ASSIGN(const auto asked, postgres::what_is_asked(address, query));
  SOTTO_ASSIGN(auto connection, PostgresConnection::open(address, asked.place, interrupted));
  SOTTO_ASSIGN(std::string answer, connection.value_of(statement(rows_of(asked.query))));
  const std::string digest = to_hex(sha256(answer));
  return PushedDown{.answer = std::move(answer),
                    .facts = {.kind = "postgresql",
                              .place = asked.place,
                              .query = asked.query,
                              .format = "added up in the database",
                              .sha256 = digest}};
}

#endif

}  // namespace sotto
