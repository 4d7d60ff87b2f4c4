// One table dealt out to several parties, by as many threads as read it.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>

#include "base/parallel.h"
#include "moments/table_share.h"

namespace sotto {
namespace {

// Rows of one group that are one party's: first, first + step, …
struct Chosen {
  std::size_t first = 0;
  std::size_t step = 1;
  std::size_t count = 0;

  [[nodiscard]] std::size_t operator[](std::size_t k) const { return first + k * step; }
};

// One party's rows as one worker finds them, collected to whole groups.
class DealtShare {
 public:
  DealtShare(const Encoding& encoding, Persons* persons)
      : share_(encoding, persons), rows_(encoding.table().size()) {
    if (persons != nullptr) rows_.persons.resize(kGroupRows);
  }

  void add(const RawRows& raw, Chosen chosen) {
    if (chosen.count == kGroupRows) return share_.add(raw);  // all of it
    while (chosen.count > 0) {
      const std::size_t count = std::min(chosen.count, kGroupRows - rows_.rows);
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
      chosen.first += count * chosen.step;
      chosen.count -= count;
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
  RecordEstimate records;  // of the table
  bool counted = false;    // there are records.most of them

  [[nodiscard]] bool contiguous() const { return split.kind == TableSplit::Kind::kContiguous; }

  // Whether these rows are one party's for every number of records that there may be: a record's
  // party falls with their number and rises with its own, so the corners tell.
  [[nodiscard]] bool knows(const RawRows& raw) const {
    const std::uint64_t last = raw.first_record + std::max<std::size_t>(raw.rows, 1) - 1;
    return party_of(raw.first_record, records.most) == party_of(last, records.least);
  }

  // use(party, rows) for each party that has some of a group.
  template <class Use>
  void operator()(const RawRows& raw, Use use) const {
    const std::size_t n = split.parties;
    if (!contiguous()) {
      for (std::size_t first = 0; first < std::min(n, raw.rows); ++first) {
        use((raw.first_record + first) % n, Chosen{first, n, (raw.rows - first + n - 1) / n});
      }
      return;
    }
    for (std::size_t r = 0; r < raw.rows;) {
      const std::size_t first = r;
      const std::uint64_t party = party_of(raw.first_record + r, records.most);
      while (r < raw.rows && party_of(raw.first_record + r, records.most) == party) ++r;
      use(party, Chosen{first, 1, r - first});
    }
  }

 private:
  // The last party has what a file grew by since it was counted.
  [[nodiscard]] std::uint64_t party_of(std::uint64_t record, std::uint64_t among) const {
    if (record >= among) return split.parties - 1;
    return record * split.parties / among;
  }
};

// A worker's rows of which nobody knows yet whose they are; how many it has read in any case.
struct WaitingRows {
  std::vector<RawRows> groups;
  std::uint64_t records = 0;
};

std::uint64_t bytes_of(const RawRows& raw) {
  std::uint64_t bytes = raw.columns() * kGroupRows * sizeof(double);
  for (const std::string& person : raw.persons) bytes += sizeof(std::string) + person.size();
  return bytes;
}

using Use =
    std::function<void(std::size_t worker, std::uint64_t party, const RawRows& raw, Chosen rows)>;

// Gives every record to its party. In a contiguous split most parties are known before the records
// are counted; rows near a boundary wait for that. Where they find no room, or the number is none
// that was expected, `forget` undoes it and the table is read again.
Result<void> deal_out(const Source& source, const Schema& schema, Deal& deal, const Use& use,
                      const std::function<void()>& forget) {
  const auto give = [&](std::size_t worker, const RawRows& raw) {
    deal(raw, [&](std::uint64_t party, Chosen rows) { use(worker, party, raw, rows); });
  };
  if (!deal.contiguous() || deal.counted) return source.read(schema, give);
  std::vector<WaitingRows> waiting(source.workers());
  std::atomic<std::uint64_t> used = 0;
  std::atomic<bool> fits = true;
  SOTTO_TRY(source.read(schema, [&](std::size_t worker, const RawRows& raw) {
    waiting[worker].records += raw.rows;
    if (fits && deal.knows(raw)) return give(worker, raw);
    const std::uint64_t size = bytes_of(raw);
    if (fits && used.fetch_add(size) + size > deal.split.kept_bytes) fits = false;
    fits ? waiting[worker].groups.push_back(raw) : waiting[worker].groups.clear();
  }));
  std::uint64_t records = 0;
  for (const WaitingRows& each : waiting) records += each.records;
  const bool expected = deal.records.least <= records && records <= deal.records.most;
  deal.records = {records, records};
  deal.counted = true;
  if (fits && expected) {
    parallel_for(waiting.size(), waiting.size(), [&](std::size_t worker) {
      for (const RawRows& raw : waiting[worker].groups) give(worker, raw);
    });
    return {};
  }
  waiting.clear();
  forget();
  return source.read(schema, give);
}

}  // namespace

Result<std::vector<TableMoments>> read_split_moments(const Source& source, const Schema& schema,
                                                     TableSplit split) {
  if (split.parties == 0 || split.parties > TableSplit::kMaxParties) {
    return bad_input("E-split-parties",
                     fmt::format("a file cannot be split among {} parties", split.parties),
                     fmt::format("name 1 to {} parties", TableSplit::kMaxParties));
  }
  std::vector<Encoding> encodings;
  for (std::size_t i = 0; i < split.parties; ++i) {
    SOTTO_ASSIGN(Encoding encoding, Encoding::make(schema.held_by(i)));
    encodings.push_back(std::move(encoding));
  }
  Deal deal{.split = split, .records = {}};
  if (deal.contiguous()) deal.records = source.estimate_records();
  std::vector<std::unique_ptr<Persons>> persons(split.parties);
  if (schema.person) {
    const auto nobody = [&] {
      for (auto& each : persons) each = std::make_unique<Persons>(schema.person->rows);
    };
    nobody();
    const auto count = [&](std::size_t, std::uint64_t party, const RawRows& raw, Chosen rows) {
      for (std::size_t k = 0; k < rows.count; ++k) {
        if (is_complete(raw, rows[k])) persons[party]->count(raw.persons[rows[k]]);
      }
    };
    SOTTO_TRY(deal_out(source, schema, deal, count, nobody));
  }
  // shares[worker][party]
  std::vector<std::vector<std::unique_ptr<DealtShare>>> shares;
  const auto nothing = [&] {
    shares.clear();
    shares.resize(source.workers());
    for (auto& own : shares) own.resize(split.parties);
  };
  nothing();
  const auto add = [&](std::size_t worker, std::uint64_t party, const RawRows& raw, Chosen rows) {
    auto& share = shares[worker][party];
    if (!share) share = std::make_unique<DealtShare>(encodings[party], persons[party].get());
    share->add(raw, rows);
  };
  SOTTO_TRY(deal_out(source, schema, deal, add, nothing));
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
