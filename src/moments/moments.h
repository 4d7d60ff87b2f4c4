#pragma once

#include "base/integer.h"
#include "data/rows.h"
#include "moments/sensitivity.h"

namespace sotto {

// The sums of a party's rows (g, h) on the grid (data/encoding.h), as exact integers:
//
//     sums = [vech(Σ ggᵀ); Σ g·h; Σ h²],   in units of 4^−b
//
// vech takes the upper triangle row by row: entry (r, c) stands at
// theta_index(d, r, c), Σ g_k·h at d(d+1)/2 + k, Σ h² last. No √2 or other factors: those are
// entry_weights(), and belong to the noise. Rows are integers before they are
// multiplied, so the sums are the same bits whatever the order of the rows, the
// number of threads or the size of the blocks, and one row moves φ by at most
// record_sensitivity() or bounded_sensitivity(). Proof: docs/proofs/moments.md.
//
// These are data. Only privacy/ makes of them what may leave the party.
struct Moments {
  std::size_t dimension = 0;
  IntegerVector sums;

  Moments() = default;
  explicit Moments(std::size_t d);
  Moments& operator+=(const Moments& other);
  bool operator==(const Moments&) const = default;
};

// d(d+1)/2 + d + 1.
[[nodiscard]] std::size_t moments_size(std::size_t d);

// The grid of the sums: an index k stands for k·4^−b.
[[nodiscard]] Grid moments_grid();

// What each entry of the sums is multiplied by in φ: the root of its share, √(2g) off the diagonal
// of Σuuᵀ. Noise of standard deviation σ on φ is noise of σ/weight on the entry, so the roots are
// rounded down. `intercept`: the first of the d entries is one.
[[nodiscard]] std::vector<double> entry_weights(std::size_t d, bool intercept,
                                                const EntryShares& shares);

// Everything a table comes to. All of it stays with the party.
struct TableMoments {
  Moments moments;
  std::uint64_t rows = 0;     // that count
  std::uint64_t dropped = 0;  // for a missing value
  ClipReport clips;

  TableMoments& operator+=(const TableMoments& other);
  bool operator==(const TableMoments&) const = default;
};

// The source is read by all of its workers, once; twice where the schema has a person's column.
// Errors: E-schema-…, the source's own, E-csv-weight, E-person-changed.
[[nodiscard]] Result<TableMoments> read_moments(const Source& source, const Schema& schema);

// One table dealt out to several parties, for a simulation: its record i goes to
// party i mod n, or to party ⌊i·n/records⌋.
struct TableSplit {
  enum class Kind { kInterleaved, kContiguous };
  static constexpr std::size_t kMaxParties = 10'000;

  std::size_t parties = 1;
  Kind kind = Kind::kInterleaved;
  // Whose a record is depends on how many there are, where the split is contiguous. Rows that may
  // be either of two parties' (Source::estimate_records) are kept until the table ends, up to so
  // many bytes for all workers: 8 for each value. Where they are more, or the estimate was wrong,
  // the table is read again.
  std::size_t kept_bytes = std::size_t{1} << 30;
};

// The same bits for any number of the source's workers. With a party effect, party i has level i.
// E-split-parties, and the errors of read_moments.
[[nodiscard]] Result<std::vector<TableMoments>> read_split_moments(const Source& source,
                                                                   const Schema& schema,
                                                                   TableSplit split);

}  // namespace sotto
