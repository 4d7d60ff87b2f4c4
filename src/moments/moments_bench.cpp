// CSV to moments, and where the time goes: each stage of the way in one run, in
// bytes of the CSV file per second, so that their ratios mean something.
//
//   SOTTO_BENCH_ROWS (200000)   rows of the generated file
//   SOTTO_BENCH_COLUMNS (20)    its columns, the target included; a weight stands beside them
//   SOTTO_BENCH_DIGITS (6)      digits after the point

#include <benchmark/benchmark.h>
#include <cblas.h>
#include <fmt/format.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "data/csv/csv_block.h"
#include "data/csv/csv_source.h"
#include "moments/moments.h"
#include "moments/moments_sum.h"
#include "support/temporary_folder.h"

namespace sotto {
namespace {

std::size_t from_environment(const char* name, std::size_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// A CSV file of uniform numbers in (−10, 10), removed at the end of the run.
class Sample {
 public:
  Sample() {
    const std::size_t rows = from_environment("SOTTO_BENCH_ROWS", 200'000);
    const std::size_t columns = from_environment("SOTTO_BENCH_COLUMNS", 20);
    const std::size_t digits = from_environment("SOTTO_BENCH_DIGITS", 6);
    std::string header = "w,y";
    schema.target = {"y", {-10, 10}};
    for (std::size_t c = 1; c < columns; ++c) {
      schema.features.emplace_back(NumericFeature{fmt::format("x{}", c), {-10, 10}});
      header += fmt::format(",x{}", c);
    }
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) std::abort();
    fmt::print(file, "{}\n", header);
    std::mt19937_64 random(1);  // the file is the same in every run
    std::uniform_real_distribution<double> uniform(-10, 10);
    fmt::memory_buffer line;
    for (std::size_t r = 0; r < rows; ++r) {
      line.clear();
      fmt::format_to(std::back_inserter(line), "{:.{}f},", std::abs(uniform(random)), digits);
      for (std::size_t c = 0; c < columns; ++c) {
        fmt::format_to(std::back_inserter(line), "{:.{}f}{}", uniform(random), digits,
                       c + 1 == columns ? '\n' : ',');
      }
      std::fwrite(line.data(), 1, line.size(), file);
    }
    std::fclose(file);
    bytes = std::filesystem::file_size(path);
    std::ifstream whole(path);
    std::getline(whole, header);
    std::string row;
    for (int part = 0; part < 5; ++part) {
      parts.push_back(fmt::format("{}-{}", path, part));
      std::ofstream to(parts.back());
      to << header << '\n';
      for (std::size_t r = 0; r < (rows + 4) / 5 && std::getline(whole, row); ++r) {
        to << row << '\n';
      }
    }
  }

  const TemporaryFolder folder;
  Schema schema;
  const std::string path = folder / "table";
  std::vector<std::string> parts;  // the same rows in five files
  std::size_t bytes = 0;
};

const Sample& sample() {
  static const Sample made;
  return made;
}

void count_bytes(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<std::int64_t>(sample().bytes) *
                          static_cast<std::int64_t>(state.iterations()));
}

template <class Use>
void for_each_block(Use use) {
  RecordBlocks source(text_of_file(sample().path).open({}, false).value());
  RecordBlock block;
  while (source.next(block).value()) use(block.text());
}

// The floor: reading the file and looking at every word of it.
void BM_PlainScan(benchmark::State& state) {
  (void)sample();
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for_each_block([&](std::string_view text) {
      for (std::size_t i = 0; i + 8 <= text.size(); i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + i, 8);
        sum += word;
      }
    });
    benchmark::DoNotOptimize(sum);
  }
  count_bytes(state);
}

void BM_FieldEnds(benchmark::State& state, CsvKernel kernel) {
  FieldEnds found;
  for (auto _ : state) {
    for_each_block([&](std::string_view text) {
      find_field_ends(kernel, text, found);
      benchmark::DoNotOptimize(found.fields);
    });
  }
  count_bytes(state);
}

void BM_Parse(benchmark::State& state, CsvKernel kernel) {
  CsvOptions options;
  options.threads = 1;
  options.kernel = kernel;
  for (auto _ : state) {
    auto read = CsvSource({sample().path}, options)
                    .read(sample().schema, [](std::size_t, const RawRows& rows) {
                      benchmark::DoNotOptimize(rows.rows);
                    });
    benchmark::DoNotOptimize(read);
  }
  count_bytes(state);
}

void BM_ParseAndEncode(benchmark::State& state) {
  const Encoding encoding = Encoding::make(sample().schema).value();
  RowEncoder encoder(encoding);
  CsvOptions options;
  options.threads = 1;
  for (auto _ : state) {
    auto read = CsvSource({sample().path}, options)
                    .read(sample().schema, [&](std::size_t, const RawRows& rows) {
                      benchmark::DoNotOptimize(encoder.encode(rows).rows);
                    });
    benchmark::DoNotOptimize(read);
  }
  count_bytes(state);
}

Schema sample_schema(Weighting weighting) {
  Schema schema = sample().schema;
  schema.weighting = weighting;
  return schema;
}

// The encoder alone, on rows that are in the cache.
void BM_Encode(benchmark::State& state, Weighting weighting) {
  const Encoding encoding = Encoding::make(sample_schema(weighting)).value();
  RowEncoder encoder(encoding);
  RawRows raw(encoding.schema().features.size() + 1);
  raw.rows = kGroupRows;
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(-10, 10);
  for (std::size_t c = 0; c < raw.columns(); ++c) {
    for (std::size_t r = 0; r < kGroupRows; ++r) raw.column(c)[r] = uniform(random);
  }
  for (auto _ : state) benchmark::DoNotOptimize(encoder.encode(raw).rows);
  state.SetItemsProcessed(static_cast<std::int64_t>(kGroupRows) *
                          static_cast<std::int64_t>(state.iterations()));
}

double process_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// By the number of threads.
std::map<std::int64_t, double>& plain_seconds() {
  static std::map<std::int64_t, double> seconds;
  return seconds;
}

// Runs `work`, which reads the whole sample. `x_plain`: the least processor time of all threads
// against the least of BM_CsvToMoments/none with as many, which comes first.
template <class Work>
void time_table(benchmark::State& state, Work work, bool plain = false) {
  double least = 1e9;
  for (auto _ : state) {
    const double begin = process_seconds();
    const auto result = work(static_cast<int>(state.range(0)));
    least = std::min(least, process_seconds() - begin);
    if (!result) state.SkipWithError(result.error().what.c_str());
  }
  double& reference = plain_seconds().try_emplace(state.range(0), least).first->second;
  if (plain) reference = std::min(reference, least);
  state.counters["cpu_ms"] = 1e3 * least;
  state.counters["x_plain"] = least / reference;
  count_bytes(state);
}

// `digest`: as a party reads its table for a run, with the SHA-256 of its bytes for the record.
CsvOptions with_threads(int threads, bool digest = false) {
  CsvOptions options;
  options.threads = threads;
  if (digest) {
    options.on_facts = [](const SourceFacts& facts) { benchmark::DoNotOptimize(facts.sha256); };
  }
  return options;
}

void BM_CsvToMoments(benchmark::State& state, Weighting weighting) {
  const Schema schema = sample_schema(weighting);
  const auto work = [&](int threads) {
    return read_moments(CsvSource({sample().path}, with_threads(threads)), schema);
  };
  time_table(state, work, weighting == Weighting::kNone);
}

// The same file with as many coefficients: half of the columns by way of terms, one as a weight.
// Without a digest at most 1.3 times as long as BM_CsvToMoments.
Schema schema_with_terms() {
  Schema schema;
  schema.target = sample().schema.target;
  const auto& plain = sample().schema.features;
  const auto add_term = [&](const std::string& text, std::size_t columns) {
    Term term{Expression::parse(text).value(), {}};
    for (std::size_t k = 0; k < columns; ++k) {
      term.columns.push_back({.name = term.expression.columns()[k], .bounds = {-10, 10}});
    }
    const Bounds bounds = term.bounds().value();
    schema.features.emplace_back(NumericFeature{term.expression.text(), bounds, term});
  };
  for (std::size_t k = 0; k + 1 < plain.size(); ++k) {
    const std::string x = name_of(plain[k]);
    switch (k % 6) {
      case 1:
        add_term(fmt::format("log({} + 11)", x), 1);
        break;
      case 3:
        add_term(fmt::format("{} : {}", x, name_of(plain[k - 1])), 2);
        break;
      case 5:
        add_term(x + "^2", 1);
        break;
      default:
        schema.features.push_back(plain[k]);
    }
  }
  schema.weight = WeightColumn{"w", {0, 10}};
  return schema;
}

void BM_CsvToMomentsWithTerms(benchmark::State& state, bool digest) {
  const Schema schema = schema_with_terms();
  time_table(state, [&](int threads) {
    return read_moments(CsvSource({sample().path}, with_threads(threads, digest)), schema);
  });
}

// One file for five parties.
void BM_SplitToMoments(benchmark::State& state, TableSplit::Kind kind) {
  time_table(state, [&](int threads) {
    return read_split_moments(CsvSource({sample().path}, with_threads(threads)), sample().schema,
                              {.parties = 5, .kind = kind});
  });
}

// The same rows in a file for each.
void BM_FiveFilesToMoments(benchmark::State& state) {
  time_table(state, [&](int threads) {
    Result<TableMoments> moments;
    for (const std::string& part : sample().parts) {
      moments = read_moments(CsvSource({part}, with_threads(threads)), sample().schema);
      benchmark::DoNotOptimize(moments);
    }
    return moments;
  });
}

void BM_CsvToMomentsAndDigest(benchmark::State& state) {
  time_table(state, [&](int threads) {
    return read_moments(CsvSource({sample().path}, with_threads(threads, true)), sample().schema);
  });
}

// The sums alone, against OpenBLAS on the same group of rows.
Rows a_group(const Encoding& encoding) {
  RawRows raw(encoding.schema().features.size() + 1);
  raw.rows = kGroupRows;
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(-10, 10);
  for (std::size_t c = 0; c < raw.columns(); ++c) {
    for (std::size_t r = 0; r < kGroupRows; ++r) raw.column(c)[r] = uniform(random);
  }
  return RowEncoder(encoding).encode(raw);
}

void BM_Sum(benchmark::State& state, SumKernel kernel) {
  const Encoding encoding = Encoding::make(sample().schema).value();
  const Rows rows = a_group(encoding);
  MomentSum sum(encoding.dimension(), kernel);
  for (auto _ : state) sum.add(rows);
  state.SetItemsProcessed(static_cast<std::int64_t>(kGroupRows) *
                          static_cast<std::int64_t>(state.iterations()));
}

void BM_SumOpenBlas(benchmark::State& state) {
  const Encoding encoding = Encoding::make(sample().schema).value();
  const Rows rows = a_group(encoding);
  const auto n = static_cast<int>(encoding.dimension() + 1);
  const auto k = static_cast<int>(kGroupRows);
  std::vector<double> gram(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  openblas_set_num_threads(1);
  for (auto _ : state) {
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, n, k, 1.0, rows.column(0), k, 1.0,
                gram.data(), n);
    benchmark::DoNotOptimize(gram.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(kGroupRows) *
                          static_cast<std::int64_t>(state.iterations()));
}

BENCHMARK(BM_PlainScan)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(BM_FieldEnds, best, best_csv_kernel())
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_FieldEnds, portable, CsvKernel::kPortable)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Parse, best, best_csv_kernel())->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(BM_Parse, portable, CsvKernel::kPortable)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(BM_ParseAndEncode)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(BM_CsvToMoments, none, Weighting::kNone)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_CsvToMoments, bounded, Weighting::kBounded)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_CsvToMomentsWithTerms, plain, false)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(BM_FiveFilesToMoments)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(BM_SplitToMoments, interleaved, TableSplit::Kind::kInterleaved)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_SplitToMoments, contiguous, TableSplit::Kind::kContiguous)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(BM_CsvToMomentsAndDigest)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(BM_CsvToMomentsWithTerms, digest, true)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Encode, none, Weighting::kNone);
BENCHMARK_CAPTURE(BM_Encode, bounded, Weighting::kBounded);
BENCHMARK_CAPTURE(BM_Sum, best, best_sum_kernel());
BENCHMARK_CAPTURE(BM_Sum, portable, SumKernel::kPortable);
BENCHMARK(BM_SumOpenBlas);

}  // namespace
}  // namespace sotto
