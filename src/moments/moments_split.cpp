// One table dealt out to several parties, by as many threads as read it.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <span>

#include "base/parallel.h"
#include "moments/table_share.h"

namespace sotto {
namespace {

// Rows of one group that are one party's.
using Chosen = std::span<const std::uint16_t>;

// One party's rows as one worker finds them, collected to whole groups.
class DealtShare {
 public:
  DealtShare(const Encoding& encoding, Persons* persons)
      : share_(encoding, persons), rows_(encoding.table().size()) {
    if (persons != nullptr) rows_.persons.resize(kGroupRows);
  }

  void add(const RawRows& raw, Chosen chosen) {
    if (chosen.size() == kGroupRows) return share_.add(raw);  // all of it
    while (!chosen.empty()) {
      const std::size_t count = std::min(chosen.size(), kGroupRows - rows_.rows);
      for (std::size_t c = 0; c < raw.columns(); ++c) {
        const double* from = raw.column(c);
        double* to = rows_.column(c) + rows_.rows;
        for (std::size_t k = 0; k < count; ++k) to[k] = from[chosen[k]];
      }
      for (std::size_t k = 0; k < count && !rows_.persons.empty(); ++k) {
        rows_.persons[rows_.rows + k] = raw.persons[chosen[k]];
      }
      rows_.any_missing |= raw.any_missing;
      rows_.rows += count;
      chosen = chosen.subspan(count);
      if (rows_.rows == kGroupRows) flush();
    }
  }

  TableMoments result() {
    flush();
    return share_.result();
  }
  [[nodiscard]] std::uint64_t weights_outside() const { return share_.encoder.weights_outside(); }

 private:
  void flush() {
    share_.add(rows_);
    rows_.rows = 0;
    rows_.any_missing = false;
  }

  TableShare share_;
  RawRows rows_;
};

// Whose each record is.
struct Deal {
  TableSplit split;
  std::uint64_t records = 0;  // of the table, where the split is contiguous

  // use(party, rows) for each party that has some of a group.
  template <class Use>
  void operator()(const RawRows& raw, Use use) const {
    std::array<std::uint16_t, kGroupRows> rows{};
    const std::size_t n = split.parties;
    if (split.kind == TableSplit::Kind::kInterleaved) {
      for (std::size_t first = 0; first < std::min(n, raw.rows); ++first) {
        std::size_t count = 0;
        for (std::size_t r = first; r < raw.rows; r += n) {
          rows[count++] = static_cast<std::uint16_t>(r);
        }
        use((raw.first_record + first) % n, Chosen(rows.data(), count));
      }
      return;
    }
    for (std::size_t r = 0; r < raw.rows;) {
      const std::uint64_t party = party_of(raw.first_record + r);
      std::size_t count = 0;
      for (; r < raw.rows && party_of(raw.first_record + r) == party; ++r) {
        rows[count++] = static_cast<std::uint16_t>(r);
      }
      use(party, Chosen(rows.data(), count));
    }
  }

 private:
  // The last party has what a file grew by since it was counted.
  [[nodiscard]] std::uint64_t party_of(std::uint64_t record) const {
    if (record >= records) return split.parties - 1;
    return record * split.parties / records;
  }
};

// A worker's rows, as long as they have room; their number in any case.
struct KeptRows {
  std::vector<RawRows> groups;
  std::uint64_t records = 0;
};

}  // namespace

Result<std::vector<TableMoments>> read_split_moments(const Source& source, const Schema& schema,
                                                     TableSplit split) {
  if (split.parties == 0 || split.parties > TableSplit::kMaxParties) {
    return bad_input("E-split-parties",
                     fmt::format("a file cannot be split among {} parties", split.parties),
                     fmt::format("name 1 to {} parties", TableSplit::kMaxParties));
  }
  std::vector<Encoding> encodings;
  std::vector<std::unique_ptr<Persons>> persons(split.parties);
  for (std::size_t i = 0; i < split.parties; ++i) {
    SOTTO_ASSIGN(Encoding encoding, Encoding::make(schema.held_by(i)));
    encodings.push_back(std::move(encoding));
    if (schema.person) persons[i] = std::make_unique<Persons>(schema.person->rows);
  }
  const std::size_t workers = source.workers();
  std::vector<KeptRows> kept(workers);
  Deal deal{.split = split};
  bool all_kept = false;
  const bool contiguous = split.kind == TableSplit::Kind::kContiguous;
  if (const auto counted = contiguous ? source.count_records(schema) : std::nullopt) {
    deal.records = *counted;
  } else if (contiguous) {
    std::atomic<std::uint64_t> used = 0;
    std::atomic<bool> fits = !schema.person;
    SOTTO_TRY(source.read(schema, [&](std::size_t worker, const RawRows& raw) {
      kept[worker].records += raw.rows;
      const std::size_t size = raw.columns() * kGroupRows * sizeof(double);
      if (fits && used.fetch_add(size) + size > split.kept_bytes) fits = false;
      fits ? kept[worker].groups.push_back(raw) : kept[worker].groups.clear();
    }));
    for (const KeptRows& each : kept) deal.records += each.records;
    all_kept = fits;
  }
  if (schema.person) {
    SOTTO_TRY(source.read(schema, [&](std::size_t, const RawRows& raw) {
      deal(raw, [&](std::uint64_t party, Chosen rows) {
        for (const std::uint16_t r : rows) {
          if (is_complete(raw, r)) persons[party]->count(raw.persons[r]);
        }
      });
    }));
  }
  // shares[worker][party]
  std::vector<std::vector<std::unique_ptr<DealtShare>>> shares(workers);
  for (auto& own : shares) own.resize(split.parties);
  const auto add = [&](std::size_t worker, const RawRows& raw) {
    deal(raw, [&](std::uint64_t party, Chosen rows) {
      auto& share = shares[worker][party];
      if (!share) share = std::make_unique<DealtShare>(encodings[party], persons[party].get());
      share->add(raw, rows);
    });
  };
  if (all_kept) {
    parallel_for(workers, workers, [&](std::size_t worker) {
      for (const RawRows& raw : kept[worker].groups) add(worker, raw);
    });
  } else {
    kept.clear();
    SOTTO_TRY(source.read(schema, add));
  }
  std::vector<TableMoments> result;
  std::uint64_t weights_outside = 0;
  for (std::size_t party = 0; party < split.parties; ++party) {
    TableMoments& sum =
        result.emplace_back(TableShare(encodings[party], persons[party].get()).result());
    for (auto& own : shares) {
      if (!own[party]) continue;
      sum += own[party]->result();
      weights_outside += own[party]->weights_outside();
    }
    if (persons[party]) SOTTO_TRY(persons[party]->same_twice());
  }
  SOTTO_TRY(check_weights(schema, weights_outside));
  return result;
}

}  // namespace sotto
