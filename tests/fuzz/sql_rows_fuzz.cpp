// Rows of a query: cells of every type and any content, under columns of any name. What is a number
// in the database is that number here.

#include <sqlite3.h>

#include <map>

#include "data/sql/sqlite.h"
#include "fuzz/table_texts.h"

namespace sotto {
namespace {

class Writer {
 public:
  explicit Writer(const std::string& path) {
    fuzz::require(sqlite3_open(path.c_str(), &handle_) == SQLITE_OK, "a database opens");
    run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { sqlite3_close(handle_); }
  bool run(const std::string& sql) {
    return sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  }
  sqlite3* handle() { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
};

// A name as SQL quotes it, without the NUL that ends it for SQLite.
std::string quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name.substr(0, name.find('\0')))
    text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

}  // namespace

// A name for a column that no study uses, then cells: a type and what belongs to it.
SOTTO_FUZZER(sql_rows) {
  fuzz::Choices choices(bytes);
  const Schema schema = fuzz::schema_of(0);
  const std::string path = fuzz::own_folder() + "/rows.db";
  std::filesystem::remove(path);
  std::vector<std::optional<double>> numbers;  // of column a, where it has one
  {
    Writer writer(path);
    if (!writer.run("CREATE TABLE t(a, c, y, " + quoted(choices.text()) + ")")) return;
    sqlite3_stmt* insert = nullptr;
    sqlite3_prepare_v2(writer.handle(), "INSERT INTO t VALUES (?, ?, ?, ?)", -1, &insert, nullptr);
    while (!choices.empty() && numbers.size() < 300) {
      numbers.emplace_back();
      for (int column = 1; column <= 4; ++column) {
        switch (choices.below(5)) {
          case 0: {
            const auto value = static_cast<sqlite3_int64>(choices.word());
            sqlite3_bind_int64(insert, column, value);
            if (column == 1) numbers.back() = static_cast<double>(value);
            break;
          }
          case 1: {
            const double value = std::bit_cast<double>(choices.word());
            sqlite3_bind_double(insert, column, value);
            if (column == 1 && std::isfinite(value)) numbers.back() = value;
            break;
          }
          case 2: {
            const std::string_view text = choices.text();
            sqlite3_bind_text(insert, column, text.data(), static_cast<int>(text.size()),
                              SQLITE_TRANSIENT);
            break;
          }
          case 3: {
            const std::string_view blob = choices.text();
            sqlite3_bind_blob(insert, column, blob.data(), static_cast<int>(blob.size()),
                              SQLITE_TRANSIENT);
            break;
          }
          default:
            sqlite3_bind_null(insert, column);
        }
      }
      sqlite3_step(insert);
      sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    writer.run("COMMIT");
  }
  const auto read = fuzz::read_table(text_of_sqlite(path, "t"), schema, {});
  if (!read.error.empty()) return;
  constexpr std::size_t kRead = 3;
  fuzz::require(read.bits.size() == kRead * numbers.size(), "every row of a query is read");
  for (std::size_t r = 0; r < numbers.size(); ++r) {
    const auto value = std::bit_cast<double>(read.bits[kRead * r]);
    fuzz::require(!numbers[r] || value == *numbers[r],
                  fmt::format("a database's number is that number: {} and {}",
                              numbers[r].value_or(0), value));
  }
}

}  // namespace sotto
