#pragma once

#include <memory>
#include <string>

#include "data/csv/csv_source.h"

struct pg_conn;
struct pg_result;

// A connection to a PostgreSQL server that is never waited for longer than whoever waits wants.
// Only where sotto is built with libpq.
namespace sotto {

class PostgresConnection {
 public:
  // In a transaction that can only read and sees one moment of the database, which writes numbers
  // with all of their digits. `place` is what errors show of the address. E-sql-connect.
  [[nodiscard]] static Result<PostgresConnection> open(const std::string& address,
                                                       const std::string& place,
                                                       Interrupted interrupted);

  // One statement and no more, so that a query cannot bring others along. While the server is busy
  // `interrupted` is asked ten times a second; then the server is told to stop, and the connection
  // is of no more use. E-sql-query where the server does not take it, E-interrupted.
  [[nodiscard]] Result<void> begin_copy(const std::string& statement);
  // Rows of the copy as they came, each with its newline, until there are `enough` bytes; false at
  // the end. E-sql-read, E-interrupted.
  [[nodiscard]] Result<bool> copy_rows(std::string& text, std::size_t enough);

  // The one value that a statement gives. E-sql-query, E-sql-read, E-interrupted.
  [[nodiscard]] Result<std::string> value_of(const std::string& statement);

 private:
  struct Close {
    void operator()(pg_conn* connection) const;
    void operator()(pg_result* result) const;
  };
  using Answer = std::unique_ptr<pg_result, Close>;

  PostgresConnection(std::unique_ptr<pg_conn, Close> connection, std::string place,
                     Interrupted interrupted);

  [[nodiscard]] Result<Answer> run(const std::string& statement);
  [[nodiscard]] Result<Answer> next_answer();
  [[nodiscard]] Result<void> wait();
  [[nodiscard]] Error not_taken(const pg_result* answer) const;
  [[nodiscard]] Error stopped() const;

  std::unique_ptr<pg_conn, Close> connection_;
  std::string place_;
  Interrupted interrupted_;
};

}  // namespace sotto
