// A round of a large network beside what copying memory allows (scripts/rounds_vs_scipy has the
// same beside SciPy).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "simulate/round_graph.h"
#include "simulate/rounds.h"
#include "simulate/row_memory.h"

namespace sotto {
namespace {

constexpr std::size_t kDegree = 4;
constexpr std::size_t kLine = 64;

// Of one thread processor time, which others on the machine do not change; of several what passes
// on the clock.
double seconds_of(std::size_t threads, const std::function<void()>& work) {
  const auto now = [&] {
    timespec time{};
    ::clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  work();
  return now() - begin;
}

// Bytes read and written in a second, the best of many.
double copy_bandwidth(const RowMemory& from, RowMemory& to, std::size_t threads) {
  const std::size_t bytes = from.size() * sizeof(double);
  const std::size_t times = std::max<std::size_t>(1, (std::size_t{1} << 24) / bytes);
  const auto part = [&](std::size_t number) {
    const std::size_t begin = from.size() / threads * number;
    for (std::size_t k = 0; k < times; ++k) {
      std::memcpy(to.data() + begin, from.data() + begin, bytes / threads);
      benchmark::ClobberMemory();
    }
  };
  double best = 0;
  for (int repeat = 0; repeat < 15; ++repeat) {
    const double seconds = seconds_of(threads, [&] { parallel_for(threads, threads, part); });
    best = std::max(best, 2.0 * static_cast<double>(bytes * times) / seconds);
  }
  return best;
}

// The level of the caches in which so many bytes stay, 4 for memory, and how large the one before
// it is: what is not there must come from here.
struct Level {
  int number = 4;
  double smaller_bytes = 0;
};
Level level_of(double bytes) {
  Level level;
  for (const auto& cache : benchmark::CPUInfo::Get().caches) {  // from the first level up
    if (cache.type == "Instruction") continue;
    if (bytes <= cache.size) return {cache.level, level.smaller_bytes};
    level.smaller_bytes = cache.size;
  }
  return level;
}

// Bytes that a round moves for a party into a cache of that size which forgets first what came
// first, and out of it again: the rows of all parts, in the order in which they are walked, and the
// edges. New rows pass through it too, unless they are written past the caches.
double bytes_of_a_party(const RoundEdges& edges, std::span<const std::size_t> rows, double cache,
                        bool past) {
  const std::size_t parties = edges.first.size() - 1;
  const auto room = static_cast<std::uint64_t>(cache / kLine);
  std::uint64_t clock = room + 1;  // of all lines that ever came in
  std::uint64_t read = 0;
  // When each line of the round before came in, of every part; those that are written are new.
  std::vector<std::vector<std::uint64_t>> came;
  for (const std::size_t row : rows) came.emplace_back((parties * row + kLine - 1) / kLine, 0);
  const std::size_t together = rows.size() == 1 ? parties : kPlacesTogether;
  for (std::size_t begin = 0; begin < parties; begin += together) {
    const std::size_t end = std::min(begin + together, parties);
    clock += (end - begin) * (4 * kDegree + 8) / kLine;
    for (std::size_t part = 0; part < rows.size(); ++part) {
      const std::size_t row = rows[part];
      const auto touch = [&](std::size_t place) {
        for (std::size_t line = place * row / kLine; line <= (place * row + row - 1) / kLine;
             ++line) {
          if (clock - came[part][line] < room) continue;
          came[part][line] = ++clock;
          ++read;
        }
      };
      for (std::size_t i = begin; i < end; ++i) {
        touch(i);
        for (std::uint64_t e = edges.first[i]; e < edges.first[i + 1]; ++e)
          touch(edges.neighbour[e]);
        if (past && row >= kLine) continue;
        if (row >= kLine || i % (kLine / row) == 0) clock += (row + kLine - 1) / kLine;
      }
    }
  }
  double moved =
      static_cast<double>(read * kLine) / static_cast<double>(parties) + 4.0 * kDegree + 8;
  for (const std::size_t row : rows) moved += static_cast<double>(row);
  return moved;
}

// Seconds that the neighbours' lines of a round take by themselves, asked for as far ahead as
// memory likes, one number of each added up and nothing else done, the best of many: no round in
// this order of the parties is faster, whatever copying brings. Rows of `width` doubles.
double gathering(const RoundEdges& edges, const RowMemory& rows, std::size_t width) {
  constexpr std::size_t kAhead = 128;
  double best = 1e9;
  for (int repeat = 0; repeat < 15; ++repeat) {
    best =
        std::min(best, seconds_of(1, [&] {
                   double sum = 0;
                   for (std::size_t e = 0; e < edges.neighbour.size(); ++e) {
                     if (e + kAhead < edges.neighbour.size()) {
                       __builtin_prefetch(rows.data() + edges.neighbour[e + kAhead] * width, 0, 2);
                     }
                     sum += rows.data()[edges.neighbour[e] * width];
                   }
                   benchmark::DoNotOptimize(sum);
                 }));
  }
  return best;
}

// For scripts/rounds_vs_scipy: the same graph, renumbered, as two arrays.
void write_graph(const RoundEdges& edges) {
  const char* path = std::getenv("SOTTO_BENCH_GRAPH");
  if (path == nullptr) return;
  std::ofstream file(path, std::ios::binary);
  const auto write = [&](auto numbers) {
    const auto bytes = std::as_bytes(numbers);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  };
  write(edges.first);
  write(edges.neighbour);
}

struct BenchedRows {
  LanePart lanes;
  RowMemory now;
  RowMemory next;
};

// One round at a time of a random 4-regular network, renumbered: `plain` with p = 9, or gradient
// tracking with m = 3; so many parties on so many threads (0: all cores).
void large_round(benchmark::State& state, bool tracking) {
  const auto parties = static_cast<std::size_t>(state.range(0));
  const std::size_t threads = state.range(1) == 0 ? core_count() : 1;
  const auto regular = Graph::random_regular(parties, kDegree, 1);
  if (!regular) return state.SkipWithError(regular.error().what.c_str());
  const Weights weights = *Weights::uniform(*regular, 0.2);
  const RoundGraph graph(weights, 1);
  const RoundEdges edges = graph.edges();
  if (!tracking) write_graph(edges);
  const TrackingRows tracked{.dimension = 3, .trials = 1};
  std::vector<BenchedRows> parts;
  double bytes = 0;
  for (const LanePart& lanes :
       tracking ? std::vector{LanePart{0, 6, tracked.lanes()}} : lane_parts(9)) {
    parts.push_back({lanes, RowMemory(parties * lanes.width), RowMemory(parties * lanes.width)});
    bytes += static_cast<double>(2 * lanes.width * sizeof(double));
  }
  RowMemory g(tracking ? parties * tracked.matrix_lanes() : 0);
  const double matrix = tracking ? static_cast<double>(tracked.matrix_lanes() * sizeof(double)) : 0;
  const Level level = level_of((bytes + matrix) * static_cast<double>(parties));
  std::vector<std::size_t> row_bytes;
  for (BenchedRows& part : parts) {
    for (std::size_t k = 0; k < part.now.size(); ++k) {
      part.now.data()[k] = static_cast<double>(k % 7);
    }
    row_bytes.push_back(part.lanes.width * sizeof(double));
  }
  const double moved =
      matrix + bytes_of_a_party(edges, row_bytes, level.smaller_bytes, level.number == 4);
  const double bandwidth = copy_bandwidth(parts[0].now, parts[0].next, threads);
  // What memory allows for this order: the lines of neighbours one by one, all else in a row.
  double gathered = 0;
  for (const BenchedRows& part : parts) gathered += gathering(edges, part.now, part.lanes.width);
  const double in_a_row = (bytes + matrix + 4.0 * kDegree + 8) * static_cast<double>(parties);
  const double allowed = threads == 1 ? gathered + in_a_row / bandwidth : 0;
  const auto round = [&](std::size_t member) {
    const PlaceRange places{
        .begin = parties / threads * member,
        .end = member + 1 == threads ? parties : parties / threads * (member + 1)};
    if (tracking) {
      std::vector<double> scratch(2 * tracked.lanes());
      track_rows(edges, 1e-4, tracked, parts[0].now.data(), g.data(), parts[0].next.data(),
                 scratch.data(), places);
      return;
    }
    std::vector<MixedRows> rows;
    for (BenchedRows& part : parts) {
      rows.push_back({part.lanes.width, part.now.data(), part.next.data()});
    }
    mix_rows(edges, {}, rows, places);
  };
  for (auto _ : state) {
    if (threads == 1) {
      round(0);
    } else {
      parallel_for(threads, threads, round);
    }
  }
  const auto rate = benchmark::Counter::kIsIterationInvariantRate;
  const auto all = static_cast<double>(parties);
  state.counters["ns_per_party"] =
      benchmark::Counter(all * 1e-9, rate | benchmark::Counter::kInvert);
  state.counters["level"] = level.number;
  state.counters["rows_MB"] = (bytes + matrix) * all * 1e-6;
  state.counters["model_bytes"] = moved;
  state.counters["copy_GBps"] = bandwidth * 1e-9;
  if (threads == 1) state.counters["of_memory"] = benchmark::Counter(allowed, rate);
  state.counters["of_copy"] = benchmark::Counter(moved * all / bandwidth, rate);
}
BENCHMARK_CAPTURE(large_round, plain, false)
    ->ArgNames({"parties", "cores"})
    ->ArgsProduct({{1'000, 10'000, 100'000, 1'000'000, 10'000'000}, {1}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(large_round, gt, true)
    ->ArgNames({"parties", "cores"})
    ->Args({1'000'000, 1})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(large_round, plain, false)
    ->ArgNames({"parties", "cores"})
    ->Args({1'000'000, 0})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(large_round, gt, true)
    ->ArgNames({"parties", "cores"})
    ->Args({1'000'000, 0})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sotto
