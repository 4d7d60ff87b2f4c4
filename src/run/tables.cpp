#include "run/tables.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "base/check.h"
#include "base/words.h"
#include "moments/push_down.h"
#include "moments/quadratic.h"
#include "run/sums/sums.h"

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
    const std::size_t end = entry + entries_of(feature);
    bool all = category == nullptr || !category->by_party;
    for (; entry < end; ++entry) all = all && in_proportion(sum(entry, entry), sum(0, entry));
    if (all) constant.push_back(name_of(feature));
  }
  if (in_proportion(moments.sums.back(), moments.sums[d * (d + 1) / 2])) {
    constant.push_back(schema.target.column);
  }
  return constant;
}

PartyTable party_table(const Study& study, PartyId party, TableMoments table) {
  std::vector<std::string> constant;
  // Where rows count differently the intercept is no longer the same in all of them.
  const bool alike = !study.data->weight && !study.data->person;
  if (study.data->intercept && alike && table.rows > 1) {
    constant = find_constant_columns(*study.data, table.moments);
  }
  PartyTable result{.moments = std::move(table.moments),
                    .own = {.party = study.parties[party].name,
                            .rows = table.rows,
                            .dropped = table.dropped,
                            .clipped = {}},
                    .constant_columns = std::move(constant)};
  const std::vector<TableColumn> columns = study.data->table_columns();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const ColumnClips& clips = table.clips.columns[k];
    if (columns[k].is_weight) continue;
    result.own.clipped.push_back(
        {.column = columns[k].name, .below = clips.below, .above = clips.above});
  }
  return result;
}

// What others have added up: a database, or `sotto sums`.
PartyTable party_table(const Study& study, PartyId party, TableMoments sums, SourceFacts source) {
  PartyTable table = party_table(study, party, std::move(sums));
  table.own.sources = {std::move(source)};
  return table;
}

Result<PartyTable> ask_for_sums(const Study& study, PartyId self, const TableRequest& request) {
  SOTTO_ASSIGN(auto pushed, push_down_moments(request, study.data->held_by(self),
                                              sums_mark(sums_terms(study, self))));
  return party_table(study, self, std::move(pushed.table), std::move(pushed.facts));
}

// One file of sums stands for a table; several would have to be added first.
Result<void> no_sums_among(const std::string& place) {
  std::string word;
  std::istringstream words(place);
  while (std::getline(words, word, ',')) {
    for (const std::string& file : files_named(word)) {
      if (!is_sums_file(file)) continue;
      return bad_input("E-data-options", fmt::format("{} has sums, and no rows", file),
                       "add files of sums with 'sotto sums --merge', and name what that wrote");
    }
  }
  return {};
}

Result<PartyTable> read_own_sums(const Study& study, PartyId self, const TableRequest& request) {
  if (!request.query.empty() || request.dialect.separator || request.dialect.decimal) {
    return bad_input("E-data-options",
                     fmt::format("{} has sums, and nothing is read from it", request.place),
                     "leave --query, --separator and --decimal away");
  }
  SOTTO_ASSIGN(SumsFile file, sums_for(study, self, request.place));
  return party_table(study, self, std::move(file.table),
                     {.kind = "sums", .place = request.place, .sha256 = file.sha256});
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

Result<PartyTable> read_own_table(const Study& study, PartyId self, const TableRequest& request,
                                  const CsvProgress& progress) {
  if (!study.data) return not_over_tables();
  if (request.push_down) return ask_for_sums(study, self, request);
  if (is_sums_file(request.place)) return read_own_sums(study, self, request);
  SOTTO_TRY(no_sums_among(request.place));
  if (study.data->person && request.place == "-") {
    return bad_input("E-data-options",
                     "standard input can be read once, and [privacy] person needs two readings",
                     "save the table as a file");
  }
  std::vector<SourceFacts> sources;
  CsvOptions options;
  options.progress = progress;
  // Persons are counted in a reading of their own, which names the same sources.
  options.on_facts = [&](const SourceFacts& facts) {
    if (std::ranges::find(sources, facts) == sources.end()) sources.push_back(facts);
  };
  SOTTO_ASSIGN(const CsvSource source, open_table(request, options));
  SOTTO_ASSIGN(TableMoments moments, read_moments(source, study.data->held_by(self)));
  PartyTable table = party_table(study, self, std::move(moments));
  table.own.sources = std::move(sources);
  return table;
}

Result<std::vector<PartyTable>> read_tables(const Study& study, const TableFiles& files,
                                            const CsvProgress& progress) {
  std::vector<TableRequest> requests;
  for (const std::string& place : files.files) {
    for (const std::string& file : files_named(place)) {
      requests.emplace_back(file);
      requests.back().query = files.query;
      requests.back().dialect = files.dialect;
      requests.back().digest = files.digest;
    }
  }
  return read_tables(study, requests, files.split, progress);
}

Result<std::vector<PartyTable>> read_tables(const Study& study,
                                            const std::vector<TableRequest>& requests,
                                            TableSplit::Kind split, const CsvProgress& progress) {
  if (!study.data) return not_over_tables();
  const std::size_t parties = study.graph().size();
  const std::size_t given = requests.size();
  if (given != 1 && given != parties) {
    return bad_input(
        "E-data-files", fmt::format("{} for {} parties", counted(given, "file", "files"), parties),
        fmt::format("name {} files, one per party, or a single one to split", parties));
  }
  if (given < parties && is_sums_file(requests.front().place)) {
    return bad_input("E-data-files", "sums cannot be dealt out: they do not know their rows",
                     fmt::format("name {} files, one per party, or a table", parties));
  }
  if (given < parties) {
    std::vector<SourceFacts> sources;
    CsvOptions options;
    options.progress = progress;
    options.on_facts = [&](const SourceFacts& facts) { sources = {facts}; };
    SOTTO_ASSIGN(const CsvSource source, open_table(requests.front(), options));
    SOTTO_ASSIGN(std::vector<TableMoments> dealt,
                 read_split_moments(source, *study.data, {.parties = parties, .kind = split}));
    std::vector<PartyTable> tables = tables_of(study, std::move(dealt));
    for (PartyTable& table : tables) table.own.sources = sources;
    return tables;
  }
  std::vector<PartyTable> tables;
  for (PartyId i = 0; i < parties; ++i) {
    SOTTO_ASSIGN(PartyTable table, read_own_table(study, i, requests[i], progress));
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace sotto
