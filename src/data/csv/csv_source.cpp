#include "data/csv/csv_source.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "data/csv/csv_block.h"
#include "data/csv/csv_faults.h"

// Several workers over one table after the other.
namespace sotto {
namespace {

// Enough to see how a file writes its numbers.
constexpr std::size_t kSampleBytes = std::size_t{1} << 16;

// A table whose header is read.
struct OpenCsv {
  RecordBlocks blocks;
  RecordBlock first;  // what follows the header in the first block
  CsvLayout layout;
  std::size_t header_lines = 0;
};

Result<OpenCsv> open_csv(const TableText& table, const Schema& schema, const CsvOptions& options) {
  const std::string at_header =
      table.places == TableText::Places::kLines ? table.name + ", line 1" : table.name;
  SOTTO_ASSIGN(auto stream, table.open(schema, options.on_facts && options.digest).at(table.name));
  OpenCsv csv{RecordBlocks(std::move(stream), options.block_bytes), {}, {}, 0};
  CsvFormat format;
  if (table.format) {
    format = *table.format;
  } else {
    SOTTO_ASSIGN(const std::string_view sample, csv.blocks.peek(kSampleBytes).at(table.name));
    format = find_format(options.dialect, sample, schema, options.with_target);
  }
  SOTTO_ASSIGN(const auto got, csv.blocks.next(csv.first).at(table.name));
  if (!got) {
    return bad_input("E-csv-header", "the file is empty", "name the columns in the first line")
        .at(at_header);
  }
  const std::string_view text = csv.first.text();
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return bad_input("E-csv-header", "the file is UTF-16", "save it as UTF-8").at(at_header);
  }
  std::size_t length = 0;
  SOTTO_ASSIGN(const auto header,
               first_record(options.kernel, text, length, format.separator).at(at_header));
  SOTTO_ASSIGN(csv.layout,
               CsvLayout::make(header, schema, options.with_target, format).at(at_header));
  csv.header_lines = static_cast<std::size_t>(
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length), '\n'));
  csv.first.skip(length);
  return csv;
}

// Several workers over one table.
class Reading {
 public:
  Reading(OpenCsv csv, const CsvOptions& options, std::uint64_t& next_record, const RowSink& sink)
      : csv_(std::move(csv)), options_(options), sink_(sink), next_record_(next_record) {}

  Result<void> run(const TableText& table) {
    std::vector<std::thread> others;
    for (std::size_t w = 1; w < options_.worker_count(); ++w) {
      others.emplace_back([this, w] { work(w); });
    }
    work(0);
    for (std::thread& other : others) other.join();
    if (auto error = faults_.result(table, csv_.header_lines)) return *std::move(error);
    return {};
  }

  [[nodiscard]] const OpenCsv& csv() const { return csv_; }

 private:
  void work(std::size_t worker) {
    CsvBlockParser parser(csv_.layout, options_.kernel);
    const auto sink = [&](const RawRows& rows) { sink_(worker, rows); };
    RecordBlock block;
    while (take(block)) {
      const std::uint64_t first = number_records(block, parser);
      if (block.text().empty()) continue;
      BlockFaults faults = parser.parse(first, sink);
      const std::lock_guard lock(mutex_);
      faults_.add(block.number, parser.lines(), parser.rows(), std::move(faults));
    }
  }

  // The number of the block's first record in the table. Each worker counts its block's records
  // before it reads any, so the others wait no longer than that takes.
  std::uint64_t number_records(const RecordBlock& block, CsvBlockParser& parser) {
    const std::size_t records = block.text().empty() ? 0 : parser.open(block.text());
    std::unique_lock lock(mutex_);
    numbered_.wait(lock, [&] { return next_numbered_ == block.number; });
    const std::uint64_t first = next_record_;
    next_record_ += records;
    ++next_numbered_;
    numbered_.notify_all();
    return first;
  }

  bool take(RecordBlock& block) {
    const std::lock_guard lock(mutex_);
    if (faults_.fatal()) return false;
    bool more = true;
    if (options_.interrupted && options_.interrupted()) {
      faults_.add_unreadable(handed_out_, reading_interrupted());
      return false;
    }
    if (handed_out_ == 0) {
      std::swap(block, csv_.first);
    } else {
      Result<bool> got = csv_.blocks.next(block);
      if (!got) faults_.add_unreadable(handed_out_, std::move(got.error()));
      more = got.value_or(false);
    }
    if (more) ++handed_out_;
    if (options_.progress && !faults_.fatal()) {
      const TextStream& stream = csv_.blocks.stream();
      options_.progress(stream.done(), stream.total());
    }
    return more;
  }

  OpenCsv csv_;
  const CsvOptions& options_;
  const RowSink& sink_;

  std::mutex mutex_;  // guards the blocks and everything below
  std::size_t handed_out_ = 0;
  std::condition_variable numbered_;
  std::size_t next_numbered_ = 0;  // the block whose records are numbered next
  std::uint64_t& next_record_;
  TableFaults faults_;
};

Result<void> read_table(const TableText& table, const Schema& schema, const CsvOptions& options,
                        std::uint64_t& next_record, const RowSink& sink) {
  SOTTO_ASSIGN(OpenCsv csv, open_csv(table, schema, options));
  Reading reading(std::move(csv), options, next_record, sink);
  SOTTO_TRY(reading.run(table));
  if (options.on_facts) {
    SourceFacts facts = table.facts;
    facts.format = format_text(reading.csv().layout.format);
    facts.sha256 = reading.csv().blocks.stream().sha256();
    options.on_facts(facts);
  }
  return {};
}

// Of a plain file that is large enough, by the lines in parts of it, evenly spaced:
//
//     records = bytes · d̄ · (1 ± kDeviations·s/√k) ± kSlack,
//
// d̄ the mean and s/d̄ the relative standard deviation of k parts' lines per byte, each from its
// first newline to its last. Quotes are not looked at.
RecordEstimate estimate_table(const TableText& table) {
  constexpr std::size_t kPartBytes = std::size_t{1} << 13;
  constexpr std::uint64_t kFewestParts = 64;
  constexpr std::uint64_t kMostParts = 4096;
  constexpr std::uint64_t kShare = 256;  // of the text is looked at
  constexpr double kDeviations = 5;
  constexpr double kSlack = 16;
  if (!table.part || table.bytes < kFewestParts * kPartBytes) return {};
  const std::uint64_t parts =
      std::clamp(table.bytes / (kShare * kPartBytes), kFewestParts, kMostParts);
  double sum = 0;
  double squares = 0;
  for (std::uint64_t k = 0; k < parts; ++k) {
    const std::string part = table.part((table.bytes - kPartBytes) / (parts - 1) * k, kPartBytes);
    const std::size_t first = part.find('\n');
    const std::size_t last = part.rfind('\n');
    if (first == last) return {};
    const auto lines = std::count(part.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                                  part.begin() + static_cast<std::ptrdiff_t>(last) + 1, '\n');
    const double density = static_cast<double>(lines) / static_cast<double>(last - first);
    sum += density;
    squares += density * density;
  }
  const auto k = static_cast<double>(parts);
  const double mean = sum / k;
  const double deviation = std::sqrt(std::max(0.0, squares / k / (mean * mean) - 1));
  const double records = mean * static_cast<double>(table.bytes);
  const double apart = records * kDeviations * deviation / std::sqrt(k) + kSlack;
  return {static_cast<std::uint64_t>(std::max(0.0, records - apart)),
          static_cast<std::uint64_t>(records + apart)};
}

std::vector<TableText> texts_of_files(const std::vector<std::string>& paths) {
  std::vector<TableText> tables;
  for (const std::string& path : paths) tables.push_back(text_of_file(path));
  return tables;
}

}  // namespace

Error reading_interrupted() {
  return failed("E-interrupted", "interrupted while the table was read; nothing has left it",
                "the same command begins anew");
}

std::size_t CsvOptions::worker_count() const {
  const int wanted = threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
  return static_cast<std::size_t>(std::clamp(wanted, 1, kMaxThreads));
}

CsvSource::CsvSource(std::vector<TableText> tables, CsvOptions options)
    : tables_(std::move(tables)), options_(std::move(options)) {}

CsvSource::CsvSource(const std::vector<std::string>& paths, CsvOptions options)
    : CsvSource(texts_of_files(paths), std::move(options)) {}

Result<void> CsvSource::read(const Schema& schema, const RowSink& sink) const {
  std::uint64_t total = 0;
  for (const TableText& table : tables_) total += table.bytes;
  std::uint64_t before = 0;
  std::uint64_t next_record = 0;
  for (const TableText& table : tables_) {
    CsvOptions each = options_;
    if (options_.progress) {
      each.progress = [&](std::uint64_t done, std::uint64_t) {
        options_.progress(before + done, total);
      };
    }
    SOTTO_TRY(read_table(table, schema, each, next_record, sink));
    before += table.bytes;
  }
  return {};
}

RecordEstimate CsvSource::estimate_records() const {
  RecordEstimate all{0, 0};
  for (const TableText& table : tables_) {
    const RecordEstimate each = estimate_table(table);
    if (each.least == 0) return {};
    all.least += each.least;
    all.most += each.most;
  }
  return all;
}

}  // namespace sotto
