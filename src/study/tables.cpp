#include "study/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/check.h"

namespace sotto {
namespace {

// Which party has record i of a file.
using PartyOf = std::function<std::size_t(std::uint64_t)>;

// How many values lie below and above their bounds, per column: `clipped[party]`.
// A pass of its own, because the sums need only know that a value was clipped;
// dropped rows do not count, as there.
Result<void> count_sides(const std::string& path, const Schema& schema, const PartyOf& party_of,
                         std::vector<std::vector<RunRecord::Clipped>>& clipped) {
  const auto sink = [&](std::size_t, const RawRows& rows) {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      bool complete = true;
      for (std::size_t c = 0; c < rows.columns(); ++c) {
        complete = complete && !std::isnan(rows.column(c)[r]);
      }
      if (!complete) continue;
      auto& sides = clipped[party_of(rows.first_record + r)];
      for (std::size_t c = 0; c < rows.columns(); ++c) {
        const bool target = c == schema.features.size();
        const auto* numeric = target ? nullptr : std::get_if<NumericFeature>(&schema.features[c]);
        if (!target && numeric == nullptr) continue;
        const Bounds bounds = target ? schema.target.bounds : numeric->bounds;
        sides[c].below += rows.column(c)[r] < bounds.lo ? 1 : 0;
        sides[c].above += rows.column(c)[r] > bounds.hi ? 1 : 0;
      }
    }
  };
  CsvOptions in_order;
  in_order.threads = 1;
  return read_csv(path, schema, in_order, sink);
}

tl::unexpected<Error> not_over_tables() {
  return bad_input("E-data-unit", "this study is not over tables: it has no [data]",
                   "use unit = \"record\" and describe the columns in [data]");
}

std::vector<RunRecord::Clipped> no_clips(const Schema& schema) {
  std::vector<RunRecord::Clipped> clipped;
  for (const Feature& feature : schema.features) clipped.push_back({.column = column_of(feature)});
  clipped.push_back({.column = schema.target.column});
  return clipped;
}

bool any_clips(const std::vector<TableMoments>& tables) {
  return std::ranges::any_of(tables, [](const TableMoments& table) {
    return table.clips.target > 0 ||
           std::ranges::any_of(table.clips.features, [](std::uint64_t n) { return n > 0; });
  });
}

Result<std::vector<TableMoments>> moments_of(const Schema& schema, std::size_t parties,
                                             const TableFiles& files, const CsvProgress& progress) {
  if (files.files.size() == 1 && parties > 1) {
    return split_moments_from_csv(files.files[0], schema,
                                  {.parties = parties, .kind = files.split});
  }
  std::vector<TableMoments> tables;
  for (const std::string& path : files.files) {
    CsvOptions options;
    options.progress = progress;
    auto table = moments_from_csv({&path, 1}, schema, options);
    if (!table) return tl::unexpected(table.error());
    tables.push_back(std::move(*table));
  }
  return tables;
}

}  // namespace

std::vector<PartyTable> tables_of(const Study& study, std::vector<TableMoments> moments) {
  check(moments.size() == study.graph().size(), "one table per party");
  std::vector<PartyTable> tables;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    tables.push_back({.moments = std::move(moments[i].moments),
                      .own = {.party = study.parties[i].name,
                              .rows = moments[i].rows,
                              .dropped = moments[i].dropped,
                              .clipped = no_clips(*study.data)}});
  }
  return tables;
}

Result<PartyTable> read_own_table(const Study& study, PartyId self, const std::string& file,
                                  const CsvProgress& progress) {
  if (!study.data) return not_over_tables();
  auto moments = moments_of(*study.data, 1, {.files = {file}}, progress);
  if (!moments) return tl::unexpected(moments.error());
  std::vector<std::vector<RunRecord::Clipped>> clipped(1, no_clips(*study.data));
  if (any_clips(*moments)) {
    const PartyOf own = [](std::uint64_t) { return std::size_t{0}; };
    if (auto counted = count_sides(file, *study.data, own, clipped); !counted) {
      return tl::unexpected(counted.error());
    }
  }
  TableMoments& table = moments->front();
  return PartyTable{.moments = std::move(table.moments),
                    .own = {.party = study.parties[self].name,
                            .rows = table.rows,
                            .dropped = table.dropped,
                            .clipped = std::move(clipped[0])}};
}

Result<std::vector<PartyTable>> read_tables(const Study& study, const TableFiles& files,
                                            const CsvProgress& progress) {
  if (!study.data) return not_over_tables();
  const std::size_t parties = study.graph().size();
  const std::size_t given = files.files.size();
  if (given != 1 && given != parties) {
    return bad_input(
        "E-data-files", fmt::format("{} files for {} parties", given, parties),
        fmt::format("name {} files, one per party, or a single one to split", parties));
  }
  auto moments = moments_of(*study.data, parties, files, progress);
  if (!moments) return tl::unexpected(moments.error());

  std::vector<std::vector<RunRecord::Clipped>> clipped(parties, no_clips(*study.data));
  if (any_clips(*moments)) {
    std::uint64_t records = 0;
    for (const TableMoments& table : *moments) records += table.rows + table.dropped;
    for (std::size_t f = 0; f < given; ++f) {
      const bool split = given < parties;
      const PartyOf party_of = [&](std::uint64_t record) -> std::size_t {
        if (!split) return f;
        if (files.split == TableSplit::Kind::kInterleaved) return record % parties;
        return static_cast<std::size_t>(
            std::min<std::uint64_t>(record * parties / records, parties - 1));
      };
      if (auto counted = count_sides(files.files[f], *study.data, party_of, clipped); !counted) {
        return tl::unexpected(counted.error());
      }
    }
  }
  auto tables = tables_of(study, std::move(*moments));
  for (std::size_t i = 0; i < parties; ++i) tables[i].own.clipped = std::move(clipped[i]);
  return tables;
}

}  // namespace sotto
