#include "data/sql/postgres_connection.h"

#ifdef SOTTO_POSTGRESQL
#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "data/sql/sql_query.h"
#endif

// libpq asked without blocking: a slow query must not keep its reader from hearing Ctrl-C.
namespace sotto {

#ifdef SOTTO_POSTGRESQL

namespace postgres {
namespace {

constexpr const char* kConnectSeconds = "10";
constexpr int kAskMilliseconds = 100;

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

Error no_connection(const std::string& place, const std::string& why) {
  return failed("E-sql-connect", fmt::format("no connection to {}: {}", place, why),
                "check host, database and user with 'psql'; the password comes from PGPASSWORD, "
                "~/.pgpass or a service file");
}

// The server ends what it was doing for this connection.
void cancel(PGconn* connection) {
  PGcancel* const handle = PQgetCancel(connection);
  if (handle == nullptr) return;
  std::array<char, 256> ignored{};
  PQcancel(handle, ignored.data(), static_cast<int>(ignored.size()));
  PQfreeCancel(handle);
}

}  // namespace
}  // namespace postgres

void PostgresConnection::Close::operator()(pg_conn* connection) const {
  PQfinish(connection);
}

void PostgresConnection::Close::operator()(pg_result* result) const {
  PQclear(result);
}

PostgresConnection::PostgresConnection(std::unique_ptr<pg_conn, Close> connection,
                                       std::string place, Interrupted interrupted)
    : connection_(std::move(connection)),
      place_(std::move(place)),
      interrupted_(std::move(interrupted)) {}

Result<PostgresConnection> PostgresConnection::open(const std::string& address,
                                                    const std::string& place,
                                                    Interrupted interrupted) {
  // What comes later counts: the address may say another time.
  std::array<const char*, 5> names = {"fallback_application_name", "connect_timeout", "dbname",
                                      "client_encoding", nullptr};
  std::array<const char*, 5> values = {"sotto", postgres::kConnectSeconds, address.c_str(), "UTF8",
                                       nullptr};
  if (std::getenv("PGCONNECT_TIMEOUT") != nullptr) values[1] = nullptr;
  std::unique_ptr<pg_conn, Close> raw(PQconnectdbParams(names.data(), values.data(), 1));
  if (raw == nullptr) return postgres::no_connection(place, "out of memory");
  if (PQstatus(raw.get()) != CONNECTION_OK) {
    return postgres::no_connection(place, postgres::said(PQerrorMessage(raw.get())));
  }
  PQsetNoticeProcessor(
      raw.get(), [](void*, const char*) {}, nullptr);
  PostgresConnection connection(std::move(raw), place, std::move(interrupted));
  for (const char* setting : {"begin transaction isolation level repeatable read, read only",
                              "set local extra_float_digits = 3"}) {
    SOTTO_ASSIGN(const Answer answer, connection.run(setting));
    if (PQresultStatus(answer.get()) != PGRES_COMMAND_OK) {
      return postgres::no_connection(place,
                                     postgres::said(PQerrorMessage(connection.connection_.get())));
    }
  }
  return connection;
}

Result<void> PostgresConnection::begin_copy(const std::string& statement) {
  SOTTO_ASSIGN(const Answer answer, run(statement));
  if (PQresultStatus(answer.get()) != PGRES_COPY_OUT) return not_taken(answer.get());
  return {};
}

Result<bool> PostgresConnection::copy_rows(std::string& text, std::size_t enough) {
  if (interrupted_ && interrupted_()) {
    postgres::cancel(connection_.get());
    return reading_interrupted();
  }
  while (text.size() < enough) {
    char* raw = nullptr;
    const int size = PQgetCopyData(connection_.get(), &raw, 1);
    if (size > 0) {
      text.append(raw, static_cast<std::size_t>(size));
      PQfreemem(raw);
      continue;
    }
    if (size == 0) {
      SOTTO_TRY(wait());
      continue;
    }
    if (size != -1) return stopped();
    SOTTO_ASSIGN(const Answer answer, next_answer());
    if (PQresultStatus(answer.get()) != PGRES_COMMAND_OK) return stopped();
    return false;
  }
  return true;
}

Result<std::string> PostgresConnection::value_of(const std::string& statement) {
  SOTTO_ASSIGN(const Answer answer, run(statement));
  if (PQresultStatus(answer.get()) != PGRES_TUPLES_OK) return not_taken(answer.get());
  if (PQntuples(answer.get()) != 1 || PQnfields(answer.get()) != 1) return stopped();
  return std::string(PQgetvalue(answer.get(), 0, 0));
}

// The last answer of a statement; of a copy, the one that says that it begins.
Result<PostgresConnection::Answer> PostgresConnection::run(const std::string& statement) {
  if (PQsendQueryParams(connection_.get(), statement.c_str(), 0, nullptr, nullptr, nullptr, nullptr,
                        0) == 0) {
    return stopped();
  }
  SOTTO_ASSIGN(Answer answer, next_answer());
  while (answer != nullptr && PQresultStatus(answer.get()) != PGRES_COPY_OUT) {
    SOTTO_ASSIGN(Answer next, next_answer());
    if (next == nullptr) break;
    answer = std::move(next);
  }
  return answer;
}

Result<PostgresConnection::Answer> PostgresConnection::next_answer() {
  while (PQisBusy(connection_.get()) != 0) SOTTO_TRY(wait());
  return Answer(PQgetResult(connection_.get()));
}

// Until something has come from the server.
Result<void> PostgresConnection::wait() {
  while (true) {
    if (interrupted_ && interrupted_()) {
      postgres::cancel(connection_.get());
      return reading_interrupted();
    }
    pollfd socket{.fd = PQsocket(connection_.get()), .events = POLLIN, .revents = 0};
    if (socket.fd < 0) return stopped();
    if (::poll(&socket, 1, interrupted_ ? postgres::kAskMilliseconds : -1) <= 0) continue;
    if (PQconsumeInput(connection_.get()) == 0) return stopped();
    return {};
  }
}

Error PostgresConnection::not_taken(const pg_result* answer) const {
  return bad_input("E-sql-query",
                   fmt::format("the server does not take the query: {}",
                               postgres::said(PQresultErrorMessage(answer))),
                   "try it with psql first")
      .at(place_);
}

Error PostgresConnection::stopped() const {
  return failed(
      "E-sql-read",
      fmt::format("the rows stopped: {}", postgres::said(PQerrorMessage(connection_.get()))),
      "try the query with psql first");
}

#endif

}  // namespace sotto
