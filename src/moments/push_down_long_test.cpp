// A million hostile rows, summed by a PostgreSQL server and by sotto.
#include <gtest/gtest.h>

#include "data/sql/postgres.h"
#include "moments/push_down.h"
#include "support/hostile_rows.h"

namespace sotto {
namespace {

TEST(PushDownLong, AMillionRowsGiveTheSameBits) {
  const auto server = postgres_built_in() ? PostgresServer::start() : nullptr;
  if (server == nullptr) GTEST_SKIP() << "no PostgreSQL server could be started: NOT TESTED";
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  hostile_rows::fill(*server, seed, 1'000'000);
  for (const auto& [name, schema, rows] : hostile_rows::studies()) {
    SCOPED_TRACE(name);
    const TableRequest asked = hostile_rows::request(*server, rows);
    const auto local = read_moments(*open_table(asked), schema);
    ASSERT_TRUE(local) << local.error().to_string();
    const auto pushed = push_down_moments(asked, schema, "sotto-sums-1:long");
    ASSERT_TRUE(pushed) << pushed.error().to_string();
    EXPECT_GT(local->rows, 100'000U);  // most have a value that is missing
    EXPECT_EQ(pushed->table, *local);
  }
}

}  // namespace
}  // namespace sotto
