#include "data/csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <thread>

#include "data/csv_block.h"

namespace sotto {

namespace {

// A file whose header is read.
struct OpenCsv {
  RecordSource source;
  RecordBlock first;  // what follows the header in the first block
  std::vector<std::string> header;
  std::size_t header_lines = 0;
};

Result<OpenCsv> open_csv(const std::string& path, const CsvOptions& options) {
  auto source = RecordSource::open(path, options.block_bytes);
  if (!source) return tl::unexpected(std::move(source.error()));
  OpenCsv csv{std::move(*source), {}, {}, 0};
  const Result<bool> got = csv.source.next(csv.first);
  if (!got) return tl::unexpected(got.error());
  const auto at_header = [&](tl::unexpected<Error> error) {
    return tl::unexpected(std::move(error).value().at(path + ", line 1"));
  };
  if (!*got) {
    return at_header(
        bad_input("E-csv-header", "the file is empty", "name the columns in the first line"));
  }
  const std::string_view text = csv.first.text();
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return at_header(bad_input("E-csv-header", "the file is UTF-16", "save it as UTF-8"));
  }
  std::size_t length = 0;
  auto header = first_record(options.kernel, text, length);
  if (!header) return at_header(tl::unexpected(std::move(header.error())));
  csv.header = std::move(*header);
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
          const RowSink& sink)
      : path_(path), csv_(std::move(csv)), layout_(layout), options_(options), sink_(sink) {}

  Result<void> run() {
    std::vector<std::thread> others;
    for (std::size_t w = 1; w < options_.worker_count(); ++w) {
      others.emplace_back([this, w] { work(w); });
    }
    work(0);
    for (std::thread& other : others) other.join();
    if (failure_) return tl::unexpected(std::move(failure_->error).at(place()));
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
      if (block.text().empty()) continue;
      std::optional<CsvFault> fault = parser.parse(block.text(), sink);
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
  std::vector<std::uint32_t> lines_;  // per block
  std::optional<Failure> failure_;
};

}  // namespace

std::size_t CsvOptions::worker_count() const {
  const int wanted = threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
  return static_cast<std::size_t>(std::clamp(wanted, 1, kMaxThreads));
}

Result<void> read_csv(const std::string& path, const Schema& schema, const CsvOptions& options,
                      const RowSink& sink) {
  auto csv = open_csv(path, options);
  if (!csv) return tl::unexpected(std::move(csv.error()));
  auto layout = CsvLayout::make(csv->header, schema);
  if (!layout) return tl::unexpected(std::move(layout.error()).at(path + ", line 1"));
  return Reading(path, std::move(*csv), *layout, options, sink).run();
}

Result<std::vector<std::string>> read_csv_header(const std::string& path) {
  auto csv = open_csv(path, {});
  if (!csv) return tl::unexpected(std::move(csv.error()));
  return std::move(csv->header);
}

Result<std::uint64_t> count_csv_records(const std::string& path, const Schema& schema) {
  std::uint64_t count = 0;
  CsvOptions options;
  options.threads = 1;
  const auto sink = [&](std::size_t, const RawRows& rows) { count += rows.rows; };
  if (auto read = read_csv(path, schema, options, sink); !read) {
    return tl::unexpected(std::move(read.error()));
  }
  return count;
}

}  // namespace sotto
