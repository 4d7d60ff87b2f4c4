#include "data/sql/sqlite.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "data/table.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

TEST(Sqlite, AQueryWithoutEndHearsThatNobodyWaitsAnyMore) {
  const TemporaryFolder folder;
  const std::string file = folder / "t.db";
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "create table t(x real)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  Schema schema;
  schema.target = {"y", {0, 1}};
  schema.features = {NumericFeature{"x", {0, 1}}};
  TableRequest request(file);
  request.query =
      "with recursive r(i) as (select 1 union all select i + 1 from r) select i as x, i as y from "
      "r "
      "where i < 0";
  int asked = 0;
  request.interrupted = [&] { return ++asked > 3; };
  const auto source = open_table(request);
  ASSERT_TRUE(source);
  const auto read = source->read(schema, [](std::size_t, const RawRows&) {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().name, "E-interrupted");
}

}  // namespace
}  // namespace sotto
