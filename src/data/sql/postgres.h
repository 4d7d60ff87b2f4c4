#pragma once

#include <string>
#include <string_view>

#include "data/csv/text_stream.h"

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
[[nodiscard]] Result<TableText> text_of_postgres(const std::string& address,
                                                 const std::string& query);

}  // namespace sotto
