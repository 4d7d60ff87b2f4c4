// A file that says it is an SQLite database, any bytes of it.

#include "data/sql/sqlite.h"
#include "fuzz/table_texts.h"

namespace sotto {

SOTTO_FUZZER(sqlite) {
  const std::string path = fuzz::file_with("t.db", bytes);
  // A damaged index may send a query around for long: whoever waits gives up, as Ctrl-C does.
  std::size_t asked = 0;
  const Interrupted interrupted = [&] { return ++asked > 1000; };
  CsvOptions options;
  options.interrupted = interrupted;
  (void)fuzz::read_table(text_of_sqlite(path, "", interrupted), fuzz::schema_of(0), options);
}

}  // namespace sotto
