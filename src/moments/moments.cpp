#include "moments/moments.h"

#include <fmt/core.h>

#include <cmath>
#include <memory>

#include "base/check.h"
#include "moments/moments_sum.h"

// A table goes through encoder and sums in groups of rows; what is split among threads or
// parties is added up at the end, in any order.
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
struct DealtShare {
  Share share;
  RawRows rows;

  explicit DealtShare(const Encoding& encoding)
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

// A table's rows in order, as long as they have room; their number in any case.
struct KeptRows {
  std::size_t room;  // bytes
  std::vector<RawRows> groups;
  std::uint64_t records = 0;
  bool complete = true;

  void add(const RawRows& raw) {
    records += raw.rows;
    const std::size_t size = raw.columns() * kGroupRows * sizeof(double);
    complete = complete && size <= room;
    if (complete) {
      room -= size;
      groups.push_back(raw);
    } else {
      groups = {};
    }
  }
};

// The largest double whose square is not above `value`.
double root_below(double value) {
  double root = std::sqrt(value);
  while (Rational(root) * Rational(root) > Rational(value)) root = std::nextafter(root, 0.0);
  return root;
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

std::vector<double> entry_weights(std::size_t d, bool intercept, const EntryShares& shares) {
  std::vector<double> result;
  result.reserve(moments_size(d));
  const auto constant = [&](std::size_t k) { return intercept && k == 0; };
  const double diagonal = root_below(shares.g);
  const double off_diagonal = root_below(2 * shares.g);
  const double sum = root_below(shares.s);
  for (std::size_t r = 0; r < d; ++r) {
    result.push_back(constant(r) ? root_below(shares.n) : diagonal);
    result.insert(result.end(), d - r - 1, constant(r) ? sum : off_diagonal);
  }
  for (std::size_t r = 0; r < d; ++r)
    result.push_back(root_below(constant(r) ? shares.t : shares.q));
  result.push_back(root_below(shares.c));
  return result;
}

Result<TableMoments> read_moments(const Source& source, const Schema& schema) {
  SOTTO_ASSIGN(const Encoding encoding, Encoding::make(schema));
  std::vector<std::unique_ptr<Share>> shares;
  for (std::size_t w = 0; w < source.workers(); ++w) {
    shares.push_back(std::make_unique<Share>(encoding));
  }
  SOTTO_TRY(source.read(
      schema, [&](std::size_t worker, const RawRows& rows) { shares[worker]->add(rows); }));
  TableMoments result = shares.front()->result();
  for (std::size_t w = 1; w < shares.size(); ++w) result += shares[w]->result();
  return result;
}

Result<std::vector<TableMoments>> read_split_moments(const Source& source, const Schema& schema,
                                                     TableSplit split) {
  if (split.parties == 0 || split.parties > TableSplit::kMaxParties) {
    return bad_input("E-split-parties",
                     fmt::format("a file cannot be split among {} parties", split.parties),
                     fmt::format("name 1 to {} parties", TableSplit::kMaxParties));
  }
  check(source.workers() == 1, "a table that is dealt out is read in order");
  SOTTO_ASSIGN(const Encoding encoding, Encoding::make(schema));
  std::vector<std::unique_ptr<DealtShare>> parties;
  for (std::size_t i = 0; i < split.parties; ++i) {
    parties.push_back(std::make_unique<DealtShare>(encoding));
  }
  KeptRows kept{.room = split.kept_bytes, .groups = {}};
  const auto deal = [&](std::size_t, const RawRows& raw) {
    for (std::size_t r = 0; r < raw.rows; ++r) {
      const std::uint64_t record = raw.first_record + r;
      const std::uint64_t party = split.kind == TableSplit::Kind::kInterleaved
                                      ? record % split.parties
                                      : record * split.parties / kept.records;
      parties[party]->add(raw, r);
    }
  };
  if (split.kind == TableSplit::Kind::kInterleaved) {
    SOTTO_TRY(source.read(schema, deal));
  } else {
    SOTTO_TRY(source.read(schema, [&](std::size_t, const RawRows& raw) { kept.add(raw); }));
    for (const RawRows& raw : kept.groups) deal(0, raw);
    if (!kept.complete) {
      SOTTO_TRY(source.read(schema, deal));
    }
  }
  std::vector<TableMoments> result;
  result.reserve(parties.size());
  for (const auto& party : parties) result.push_back(party->result());
  return result;
}

}  // namespace sotto
