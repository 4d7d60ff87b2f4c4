#include "problem/moments.h"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "base/check.h"
#include "problem/moments_sum.h"

namespace sotto {

namespace {

// One worker's share of a table.
struct Share {
  RowEncoder encoder;
  MomentSum sum;

  explicit Share(const Encoding& encoding) : encoder(encoding), sum(encoding.dimension()) {}

  void add(const RawRows& raw) { sum.add(encoder.encode(raw)); }

  TableMoments result() {
    return {sum.moments(), encoder.kept(), encoder.dropped(), encoder.clips()};
  }
};

// One party of a table that is dealt out: its rows, collected to whole groups.
struct PartyTable {
  Share share;
  RawRows rows;

  explicit PartyTable(const Encoding& encoding)
      : share(encoding), rows(encoding.schema().features.size() + 1) {}

  void add(const RawRows& raw, std::size_t r) {
    for (std::size_t c = 0; c < raw.columns(); ++c) rows.column(c)[rows.rows] = raw.column(c)[r];
    rows.any_missing |= raw.any_missing;
    if (++rows.rows == kGroupRows) flush();
  }

  TableMoments result() {
    flush();
    return share.result();
  }

 private:
  void flush() {
    share.add(rows);
    rows.rows = 0;
    rows.any_missing = false;
  }
};

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

Moments::Moments(std::size_t d) : dimension(d), sums(moments_size(d)) {}

Moments& Moments::operator+=(const Moments& other) {
  check(dimension == other.dimension, "moments that are added have one dimension");
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += other.sums[k];
  return *this;
}

TableMoments& TableMoments::operator+=(const TableMoments& other) {
  moments += other.moments;
  rows += other.rows;
  dropped += other.dropped;
  clips += other.clips;
  return *this;
}

std::size_t moments_size(std::size_t d) {
  return d * (d + 1) / 2 + d + 1;
}

Grid moments_grid() {
  return {-2 * kGridBits};
}

std::vector<double> entry_weights(std::size_t d, RecordWeights weights) {
  std::vector<double> result;
  result.reserve(moments_size(d));
  for (std::size_t r = 0; r < d; ++r) {
    for (std::size_t c = r; c < d; ++c) result.push_back(r == c ? 1.0 : std::sqrt(2.0));
  }
  result.insert(result.end(), d, std::sqrt(weights.w2));
  result.push_back(std::sqrt(weights.v2));
  return result;
}

Result<TableMoments> moments_from_csv(std::span<const std::string> paths, const Schema& schema,
                                      const CsvOptions& options) {
  auto encoding = Encoding::make(schema);
  if (!encoding) return tl::unexpected(std::move(encoding.error()));
  std::vector<std::unique_ptr<Share>> shares;
  for (std::size_t w = 0; w < options.worker_count(); ++w) {
    shares.push_back(std::make_unique<Share>(*encoding));
  }
  const std::uint64_t total = size_on_disk(paths);
  std::uint64_t before = 0;
  for (const std::string& path : paths) {
    CsvOptions each = options;
    if (options.progress) {
      each.progress = [&](std::uint64_t done, std::uint64_t) {
        options.progress(before + done, total);
      };
    }
    const auto sink = [&](std::size_t worker, const RawRows& rows) { shares[worker]->add(rows); };
    if (auto read = read_csv(path, schema, each, sink); !read) {
      return tl::unexpected(std::move(read.error()));
    }
    before += size_on_disk({&path, 1});
  }
  TableMoments result = shares.front()->result();
  for (std::size_t w = 1; w < shares.size(); ++w) result += shares[w]->result();
  return result;
}

Result<TableMoments> moments_from_rows(std::span<const std::vector<double>> rows,
                                       const Schema& schema) {
  auto encoding = Encoding::make(schema);
  if (!encoding) return tl::unexpected(std::move(encoding.error()));
  Share share(*encoding);
  RawRows raw(schema.features.size() + 1);
  for (std::size_t first = 0; first < rows.size(); first += kGroupRows) {
    raw.rows = std::min(kGroupRows, rows.size() - first);
    raw.any_missing = false;
    for (std::size_t r = 0; r < raw.rows; ++r) {
      const std::vector<double>& row = rows[first + r];
      check(row.size() == raw.columns(), "a row has a value per feature, and the target");
      for (std::size_t c = 0; c < raw.columns(); ++c) {
        check(!std::isinf(row[c]), "a row's values are finite or missing");
        raw.column(c)[r] = row[c];
        raw.any_missing |= std::isnan(row[c]);
      }
    }
    if (raw.any_missing && schema.missing == MissingRule::kError) {
      return bad_input(
          "E-csv-missing",
          fmt::format("a value is missing in rows {} to {}", first, first + raw.rows - 1),
          "fill it in, remove the row, or say missing = \"drop\" in the study");
    }
    share.add(raw);
  }
  return share.result();
}

Result<std::vector<TableMoments>> split_moments_from_csv(const std::string& path,
                                                         const Schema& schema, TableSplit split) {
  if (split.parties == 0 || split.parties > TableSplit::kMaxParties) {
    return bad_input("E-split-parties",
                     fmt::format("a file cannot be split among {} parties", split.parties),
                     fmt::format("name 1 to {} parties", TableSplit::kMaxParties));
  }
  auto encoding = Encoding::make(schema);
  if (!encoding) return tl::unexpected(std::move(encoding.error()));
  std::uint64_t records = 0;
  if (split.kind == TableSplit::Kind::kContiguous) {
    auto counted = count_csv_records(path, schema);
    if (!counted) return tl::unexpected(std::move(counted.error()));
    records = *counted;
  }
  const auto party_of = [&](std::uint64_t record) -> std::size_t {
    if (split.kind == TableSplit::Kind::kInterleaved) return record % split.parties;
    return static_cast<std::size_t>(std::min(record * split.parties / records, split.parties - 1));
  };
  std::vector<std::unique_ptr<PartyTable>> parties;
  for (std::size_t i = 0; i < split.parties; ++i) {
    parties.push_back(std::make_unique<PartyTable>(*encoding));
  }
  const auto sink = [&](std::size_t, const RawRows& raw) {
    for (std::size_t r = 0; r < raw.rows; ++r) {
      parties[party_of(raw.first_record + r)]->add(raw, r);
    }
  };
  CsvOptions in_order;
  in_order.threads = 1;
  if (auto read = read_csv(path, schema, in_order, sink); !read) {
    return tl::unexpected(std::move(read.error()));
  }
  std::vector<TableMoments> result;
  result.reserve(parties.size());
  for (const auto& party : parties) result.push_back(party->result());
  return result;
}

}  // namespace sotto
