// From PostgreSQL to sums, against psql, which only throws the same rows away. Both in one run and
// by the same server, which this starts.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <functional>

#include "data/table.h"
#include "moments/moments.h"
#include "support/postgres_server.h"

namespace sotto {
namespace {

constexpr std::size_t kRows = 2'000'000;
constexpr std::size_t kColumns = 10;

// Nothing where there is no server, or sotto was built without libpq.
const PostgresServer* server() {
  static const std::unique_ptr<PostgresServer> started = [] {
    auto made = PostgresServer::start();
    std::string columns;
    for (std::size_t c = 0; c < kColumns; ++c) {
      columns += fmt::format("{}round((random() * 20 - 10)::numeric, 4)::float8 as c{}",
                             c == 0 ? "" : ", ", c);
    }
    const std::string sql = fmt::format(
        "create unlogged table rows as select {} from generate_series(1, {})", columns, kRows);
    if (made != nullptr && !made->run(sql)) made.reset();
    return made;
  }();
  return started.get();
}

Schema schema() {
  Schema schema;
  schema.target = {"c0", {-10, 10}};
  for (std::size_t c = 1; c < kColumns; ++c) {
    schema.features.emplace_back(NumericFeature{fmt::format("c{}", c), {-10, 10}});
  }
  return schema;
}

double seconds_of(const std::function<bool()>& work, benchmark::State& state) {
  const auto start = std::chrono::steady_clock::now();
  if (!work()) state.SkipWithError("not all rows came");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// In turns, so that whatever else the machine does slows both: rows a second of each, and how much
// of psql's rate is left.
void BM_PostgresToMomentsAgainstPsql(benchmark::State& state) {
  if (server() == nullptr) return state.SkipWithError("no PostgreSQL server, or no libpq");
  TableRequest request(server()->address());
  request.query = "rows";
  CsvOptions options;
  options.on_facts = [](const SourceFacts& facts) { benchmark::DoNotOptimize(facts.sha256); };
  double psql = 0;
  double sotto = 0;
  for (auto _ : state) {
    psql += seconds_of(
        [] {
          return PostgresServer::wait(server()->psql({"-c", "COPY rows TO STDOUT"}, "/dev/null")) ==
                 0;
        },
        state);
    sotto += seconds_of(
        [&] {
          const auto source = open_table(request, options);
          if (!source) return false;
          const auto sums = read_moments(*source, schema());
          return sums && sums->rows == kRows;
        },
        state);
  }
  const double rows = static_cast<double>(state.iterations()) * kRows;
  state.counters["psql_rows_per_s"] = rows / psql;
  state.counters["sotto_rows_per_s"] = rows / sotto;
  state.counters["share"] = psql / sotto;
}

BENCHMARK(BM_PostgresToMomentsAgainstPsql)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5);

}  // namespace
}  // namespace sotto
