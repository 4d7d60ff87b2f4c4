#include "data/csv/csv_source.h"

#include <fmt/core.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "data/csv/csv_block.h"

// Several workers over one file after the other.
namespace sotto {
namespace {

// A file whose header is read.
struct OpenCsv {
  RecordBlocks source;
  RecordBlock first;  // what follows the header in the first block
  std::vector<std::string> header;
  std::size_t header_lines = 0;
};

Result<OpenCsv> open_csv(const std::string& path, const CsvOptions& options) {
  SOTTO_ASSIGN(RecordBlocks blocks, RecordBlocks::open(path, options.block_bytes));
  OpenCsv csv{std::move(blocks), {}, {}, 0};
  SOTTO_ASSIGN(const auto got, csv.source.next(csv.first));
  const std::string at_header = path + ", line 1";
  if (!got) {
    return bad_input("E-csv-header", "the file is empty", "name the columns in the first line")
        .at(at_header);
  }
  const std::string_view text = csv.first.text();
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return bad_input("E-csv-header", "the file is UTF-16", "save it as UTF-8").at(at_header);
  }
  std::size_t length = 0;
  SOTTO_ASSIGN(csv.header, first_record(options.kernel, text, length).at(at_header));
  csv.header_lines = static_cast<std::size_t>(
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length), '\n'));
  csv.first.skip(length);
  return csv;
}

// Several workers over one file. Blocks are handed out in the file's order, so
// when one has a fault, every block before it has been handed out too: after all
// workers are done, the fault of the lowest block is the first in the file.
class Reading {
 public:
  Reading(const std::string& path, OpenCsv csv, const CsvLayout& layout, const CsvOptions& options,
          std::uint64_t& next_record, const RowSink& sink)
      : path_(path),
        csv_(std::move(csv)),
        layout_(layout),
        options_(options),
        sink_(sink),
        next_record_(next_record) {}

  Result<void> run() {
    std::vector<std::thread> others;
    for (std::size_t w = 1; w < options_.worker_count(); ++w) {
      others.emplace_back([this, w] { work(w); });
    }
    work(0);
    for (std::thread& other : others) other.join();
    if (failure_) return std::move(failure_->error).at(place());
    return {};
  }

 private:
  struct Failure {
    Error error;
    std::size_t block = 0;
    std::optional<std::size_t> line_in_block;
    std::string column;
  };

  void work(std::size_t worker) {
    CsvBlockParser parser(layout_, options_.kernel);
    const auto sink = [&](const RawRows& rows) { sink_(worker, rows); };
    RecordBlock block;
    while (take(block)) {
      const std::uint64_t first = number_records(block, parser);
      if (block.text().empty()) continue;
      std::optional<CsvFault> fault = parser.parse(first, sink);
      const std::lock_guard lock(mutex_);
      if (lines_.size() <= block.number) lines_.resize(block.number + 1);
      lines_[block.number] = static_cast<std::uint32_t>(parser.lines());
      if (!fault) continue;
      const auto until = block.text().substr(0, fault->offset);
      fail({std::move(fault->error), block.number,
            static_cast<std::size_t>(std::count(until.begin(), until.end(), '\n')),
            std::move(fault->column)});
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
    if (failure_) return false;
    bool more = true;
    if (handed_out_ == 0) {
      std::swap(block, csv_.first);
    } else {
      Result<bool> got = csv_.source.next(block);
      if (!got) fail({std::move(got.error()), handed_out_, std::nullopt, {}});
      more = got.value_or(false);
    }
    if (more) ++handed_out_;
    if (options_.progress && !failure_) {
      options_.progress(csv_.source.bytes_done(), csv_.source.bytes_total());
    }
    return more;
  }

  void fail(Failure failure) {
    if (!failure_ || failure.block < failure_->block) failure_ = std::move(failure);
  }

  [[nodiscard]] std::string place() const {
    if (!failure_->line_in_block) return path_;
    std::size_t line = 1 + csv_.header_lines + *failure_->line_in_block;
    for (std::size_t b = 0; b < failure_->block && b < lines_.size(); ++b) line += lines_[b];
    const std::string at = fmt::format("{}, line {}", path_, line);
    return failure_->column.empty() ? at : fmt::format("{}, column \"{}\"", at, failure_->column);
  }

  const std::string& path_;
  OpenCsv csv_;
  const CsvLayout& layout_;
  const CsvOptions& options_;
  const RowSink& sink_;

  std::mutex mutex_;  // guards the source and everything below
  std::size_t handed_out_ = 0;
  std::condition_variable numbered_;
  std::size_t next_numbered_ = 0;  // the block whose records are numbered next
  std::uint64_t& next_record_;
  std::vector<std::uint32_t> lines_;  // per block
  std::optional<Failure> failure_;
};

Result<void> read_file(const std::string& path, const Schema& schema, const CsvOptions& options,
                       std::uint64_t& next_record, const RowSink& sink) {
  SOTTO_ASSIGN(OpenCsv csv, open_csv(path, options));
  SOTTO_ASSIGN(const CsvLayout layout,
               CsvLayout::make(csv.header, schema, options.with_target).at(path + ", line 1"));
  return Reading(path, std::move(csv), layout, options, next_record, sink).run();
}

std::uint64_t size_on_disk(std::span<const std::string> paths) {
  std::uint64_t total = 0;
  for (const std::string& path : paths) {
    std::error_code ignored;  // whoever opens the file reports it
    const auto size = std::filesystem::file_size(path, ignored);
    if (!ignored) total += size;
  }
  return total;
}

}  // namespace

std::size_t CsvOptions::worker_count() const {
  const int wanted = threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
  return static_cast<std::size_t>(std::clamp(wanted, 1, kMaxThreads));
}

CsvSource::CsvSource(std::vector<std::string> paths, CsvOptions options)
    : paths_(std::move(paths)), options_(std::move(options)) {}

Result<void> CsvSource::read(const Schema& schema, const RowSink& sink) const {
  const std::uint64_t total = size_on_disk(paths_);
  std::uint64_t before = 0;
  std::uint64_t next_record = 0;
  for (const std::string& path : paths_) {
    CsvOptions each = options_;
    if (options_.progress) {
      each.progress = [&](std::uint64_t done, std::uint64_t) {
        options_.progress(before + done, total);
      };
    }
    SOTTO_TRY(read_file(path, schema, each, next_record, sink));
    before += size_on_disk({&path, 1});
  }
  return {};
}

}  // namespace sotto
