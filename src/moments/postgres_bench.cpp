// From PostgreSQL to sums, against psql, which only throws the same rows away. Both in one run and
// by the same server, which this starts.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

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

void count_rows(benchmark::State& state) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kRows));
}

void BM_PsqlCopyAlone(benchmark::State& state) {
  if (server() == nullptr) return state.SkipWithError("no PostgreSQL server");
  for (auto _ : state) {
    const int status =
        PostgresServer::wait(server()->psql({"-c", "COPY rows TO STDOUT"}, "/dev/null"));
    if (status != 0) state.SkipWithError("psql failed");
  }
  count_rows(state);
}

void BM_PostgresToMoments(benchmark::State& state) {
  if (server() == nullptr) return state.SkipWithError("no PostgreSQL server");
  TableRequest request(server()->address());
  request.query = "rows";
  CsvOptions options;
  options.on_facts = [](const SourceFacts& facts) { benchmark::DoNotOptimize(facts.sha256); };
  for (auto _ : state) {
    const auto source = open_table(request, options);
    if (!source) return state.SkipWithError(source.error().what.c_str());
    const auto sums = read_moments(*source, schema());
    if (!sums || sums->rows != kRows) return state.SkipWithError("not all rows");
  }
  count_rows(state);
}

BENCHMARK(BM_PsqlCopyAlone)->UseRealTime()->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(BM_PostgresToMoments)->UseRealTime()->Unit(benchmark::kMillisecond)->Iterations(3);

}  // namespace
}  // namespace sotto
