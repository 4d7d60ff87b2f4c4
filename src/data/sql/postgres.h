#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "data/csv/csv_source.h"

namespace sotto {

// Whether this sotto was built with libpq.
[[nodiscard]] bool postgres_built_in();

// "postgresql://…" or "postgres://…".
[[nodiscard]] bool is_postgres_address(std::string_view place);

// The rows of a query at a PostgreSQL server: COPY (query) TO STDOUT as CSV, in a transaction that
// can only read. `query` is a SELECT or the name of a table. NULL is missing.
//
// The password comes from where libpq looks for it (PGPASSWORD, PGPASSFILE, a service file, a
// certificate), never from the address: that can be read in the list of processes. Neither facts
// nor errors show more of the address than host, port and database.
//   E-data-source   this sotto was built without libpq
//   E-sql-address   the address cannot be understood
//   E-sql-password  there is a password in it
//   E-sql-query     no query, or the server does not take it
// and when it is opened and read
//   E-sql-connect   no connection
//   E-sql-read      the rows stopped
//   E-interrupted   whoever waited has given up, and the server was told
[[nodiscard]] Result<TableText> text_of_postgres(const std::string& address,
                                                 const std::string& query,
                                                 const Interrupted& interrupted = {});

// What a server says to one question about those rows, in the same kind of transaction.
struct PushedDown {
  std::string answer;
  SourceFacts facts;  // sha256 is that of the answer
};

// `statement` makes the question of what stands for the rows, a SELECT. The same errors.
[[nodiscard]] Result<PushedDown> ask_postgres(
    const std::string& address, const std::string& query,
    const std::function<std::string(const std::string& rows)>& statement,
    const Interrupted& interrupted = {});

}  // namespace sotto
