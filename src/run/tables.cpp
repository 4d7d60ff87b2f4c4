#include "run/tables.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"
#include "base/words.h"
#include "moments/quadratic.h"

// From files to moments and to what a party may know of its own rows: one reading of each.
namespace sotto {
namespace {

Error not_over_tables() {
  return bad_input("E-data-unit", "this study is not over tables: it has no [data]",
                   "use unit = \"record\" and describe the columns in [data]");
}

// By Cauchy and Schwarz Σa²·Σb² = (Σab)² exactly where a and b are in proportion, and the intercept
// is the same in every row. The sums are integers, so nothing is rounded. A category is constant if
// all of its levels' entries are.
std::vector<std::string> find_constant_columns(const Schema& schema, const Moments& moments) {
  const std::size_t d = moments.dimension;
  const auto sum = [&](std::size_t r, std::size_t c) { return moments.sums[theta_index(d, r, c)]; };
  const auto in_proportion = [&](const Integer& squares, const Integer& products) {
    return Integer(sum(0, 0) * squares) == Integer(products * products);
  };
  std::vector<std::string> constant;
  std::size_t entry = 1;
  for (const Feature& feature : schema.features) {
    const auto* category = std::get_if<CategoricalFeature>(&feature);
    const std::size_t end = entry + (category == nullptr ? 1 : category->levels.size() - 1);
    bool all = true;
    for (; entry < end; ++entry) all = all && in_proportion(sum(entry, entry), sum(0, entry));
    if (all) constant.push_back(column_of(feature));
  }
  if (in_proportion(moments.sums.back(), moments.sums[d * (d + 1) / 2])) {
    constant.push_back(schema.target.column);
  }
  return constant;
}

PartyTable party_table(const Study& study, PartyId party, TableMoments table) {
  std::vector<std::string> constant;
  if (study.data->intercept && table.rows > 1) {
    constant = find_constant_columns(*study.data, table.moments);
  }
  PartyTable result{.moments = std::move(table.moments),
                    .own = {.party = study.parties[party].name,
                            .rows = table.rows,
                            .dropped = table.dropped,
                            .clipped = {}},
                    .constant_columns = std::move(constant)};
  const Schema& schema = *study.data;
  const auto add = [&](const std::string& column, ColumnClips clips) {
    result.own.clipped.push_back({.column = column, .below = clips.below, .above = clips.above});
  };
  for (std::size_t k = 0; k < schema.features.size(); ++k) {
    add(column_of(schema.features[k]), table.clips.features[k]);
  }
  add(schema.target.column, table.clips.target);
  return result;
}

}  // namespace

std::vector<PartyTable> tables_of(const Study& study, std::vector<TableMoments> moments) {
  check(moments.size() == study.graph().size(), "one table per party");
  std::vector<PartyTable> tables;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    tables.push_back(party_table(study, static_cast<PartyId>(i), std::move(moments[i])));
  }
  return tables;
}

Result<PartyTable> read_own_table(const Study& study, PartyId self, const std::string& file,
                                  const CsvProgress& progress) {
  if (!study.data) return not_over_tables();
  CsvOptions options;
  options.progress = progress;
  SOTTO_ASSIGN(TableMoments table, read_moments(CsvSource({file}, options), *study.data));
  return party_table(study, self, std::move(table));
}

Result<std::vector<PartyTable>> read_tables(const Study& study, const TableFiles& files,
                                            const CsvProgress& progress) {
  if (!study.data) return not_over_tables();
  const std::size_t parties = study.graph().size();
  const std::size_t given = files.files.size();
  if (given != 1 && given != parties) {
    return bad_input(
        "E-data-files", fmt::format("{} for {} parties", counted(given, "file", "files"), parties),
        fmt::format("name {} files, one per party, or a single one to split", parties));
  }
  if (given < parties) {
    CsvOptions in_order;
    in_order.threads = 1;
    SOTTO_ASSIGN(std::vector<TableMoments> dealt,
                 read_split_moments(CsvSource(files.files, in_order), *study.data,
                                    {.parties = parties, .kind = files.split}));
    return tables_of(study, std::move(dealt));
  }
  std::vector<PartyTable> tables;
  for (PartyId i = 0; i < parties; ++i) {
    SOTTO_ASSIGN(PartyTable table, read_own_table(study, i, files.files[i], progress));
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace sotto
