#include "run/sums/sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <utility>

#include "base/digest.h"
#include "data/sql/postgres.h"
#include "data/sql/sql_query.h"
#include "moments/push_down.h"

// One reading of each part; what comes out of them is added.
namespace sotto {
namespace sums {
namespace {

constexpr std::uintmax_t kMaxAnswerBytes = 64'000'000;

// The schema of whoever holds the table.
Result<Schema> schema_for(const Study& study, std::optional<PartyId> party) {
  if (!study.data) {
    return bad_input("E-data-unit", "this study is not over tables: it has no [data]",
                     "use unit = \"record\" and describe the columns in [data]");
  }
  if (!study.data->has_party_effect()) return *study.data;
  if (!party) {
    return bad_input(
        "E-sums-party",
        "the study has an effect of its parties, so sums depend on whose rows they are",
        "say it with --as");
  }
  return study.data->held_by(*party);
}

// Where a file is, wherever one looks from.
SourceFacts from_anywhere(SourceFacts facts) {
  std::error_code ignored;
  if (std::filesystem::exists(facts.place, ignored)) {
    facts.place = std::filesystem::absolute(facts.place, ignored).lexically_normal().string();
  }
  return facts;
}

// What is read in one go: a file each; all of them with a person's column.
Result<SumsFile> read_parts(const Schema& schema, const std::vector<TableRequest>& parts,
                            const CsvProgress& progress) {
  SumsFile file;
  CsvOptions options;
  options.progress = progress;
  options.on_facts = [&](const SourceFacts& facts) {
    const SumsPart part{from_anywhere(facts), 0};
    if (std::ranges::find(file.parts, part) == file.parts.end()) file.parts.push_back(part);
  };
  SOTTO_ASSIGN(const CsvSource source, open_tables(parts, options));
  SOTTO_ASSIGN(file.table, read_moments(source, schema));
  for (SumsPart& part : file.parts) part.records = file.table.rows + file.table.dropped;
  return file;
}

Result<SumsFile> push_down(const Schema& schema, const std::vector<TableRequest>& parts,
                           const std::string& mark) {
  if (parts.size() != 1) {
    return bad_input("E-data-options", "--push-down asks one database",
                     "name it alone, and add the others with --merge");
  }
  SOTTO_ASSIGN(auto pushed, push_down_moments(parts.front(), schema, mark));
  SumsFile file;
  file.table = std::move(pushed.table);
  file.parts = {{std::move(pushed.facts), file.table.rows + file.table.dropped}};
  return file;
}

Result<std::vector<TableRequest>> requests_of(const SumsRequest& request) {
  std::vector<TableRequest> requests;
  for (const std::string& part : request.parts) {
    const bool one = part == "-" || is_postgres_address(part);
    for (const std::string& file : one ? std::vector{part} : files_named(part)) {
      if (is_sums_file(file)) {
        return bad_input("E-data-options", fmt::format("{} has sums already", file),
                         "add files of sums with 'sotto sums --merge'");
      }
      requests.push_back(request.how);
      requests.back().place = file;
    }
  }
  if (requests.empty()) {
    return bad_input("E-sums-files", "no part of a table was named",
                     "sotto sums study.toml part1.csv part2.csv --out north.sums");
  }
  return requests;
}

Result<std::string> text_from(const std::string& file) {
  std::string text;
  if (file == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
    return text;
  }
  std::error_code problem;
  const std::uintmax_t size = std::filesystem::file_size(file, problem);
  std::ifstream stream(file, std::ios::binary);
  if (problem || size > kMaxAnswerBytes || !stream.is_open()) {
    return bad_input("E-push-down-answer", fmt::format("{} cannot be read", file),
                     "name the file that has the query's one line");
  }
  text.assign(std::istreambuf_iterator<char>(stream), {});
  return text;
}

// Tools put a header before it, and quotes around it.
std::string_view line_in(std::string_view text) {
  const std::size_t from = text.find(kSumsFormat);
  if (from == std::string_view::npos) return text;
  text.remove_prefix(from);
  return text.substr(0, std::min(text.find_first_of("\"'|\r\n"), text.size()));
}

}  // namespace
}  // namespace sums

Result<SumsFile> make_sums(const Study& study, const SumsRequest& request) {
  SOTTO_ASSIGN(const Schema schema, sums::schema_for(study, request.party));
  SOTTO_ASSIGN(const auto parts, sums::requests_of(request));
  const Json terms = sums_terms(study, request.party);
  const auto finish = [&](SumsFile& file) {
    file.study = study.name;
    file.data = terms;
  };
  if (request.how.push_down) {
    SOTTO_ASSIGN(SumsFile file, sums::push_down(schema, parts, sums_mark(terms)));
    finish(file);
    return file;
  }
  if (schema.person) {
    for (const TableRequest& part : parts) {
      if (part.place != "-") continue;
      return bad_input("E-data-options",
                       "standard input can be read once, and [privacy] person needs two readings",
                       "save the table as a file");
    }
    SOTTO_ASSIGN(SumsFile file, sums::read_parts(schema, parts, request.progress));
    if (file.parts.size() != parts.size()) {
      return bad_input("E-sums-twice", "a part was named twice, and would count twice",
                       "name every part once");
    }
    finish(file);
    return file;
  }
  SumsFile all;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    SOTTO_ASSIGN(SumsFile file, sums::read_parts(schema, {parts[k]}, request.progress));
    finish(file);
    if (k == 0) {
      all = std::move(file);
    } else {
      SOTTO_TRY(all.add(file));
    }
  }
  return all;
}

Result<SumsFile> merge_sums(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const std::string& word : files) {
    for (std::string& file : files_named(word)) names.push_back(std::move(file));
  }
  if (names.empty()) {
    return bad_input("E-sums-files", "no file of sums was named",
                     "sotto sums --merge part1.sums part2.sums --out north.sums");
  }
  SOTTO_ASSIGN(SumsFile all, read_sums(names.front()));
  for (std::size_t k = 1; k < names.size(); ++k) {
    SOTTO_ASSIGN(const SumsFile file, read_sums(names[k]));
    SOTTO_TRY(all.add(file).at(names[k]));
  }
  return all;
}

Result<SumsFile> sums_for(const Study& study, PartyId self, const std::string& file) {
  SOTTO_ASSIGN(SumsFile found, read_sums(file));
  SOTTO_TRY(check_sums_terms(sums_terms(study, self), found.data, file));
  const bool fits = found.table.moments.dimension == study.data->entries() &&
                    found.table.clips.columns.size() == study.data->table_columns().size();
  if (fits) return found;
  return bad_input("E-sums-file", fmt::format("{} does not have the sums that it names", file),
                   "make them anew with 'sotto sums'");
}

Result<std::string> sums_query(const Study& study, std::optional<PartyId> party,
                               const std::string& query, SqlDialect dialect) {
  SOTTO_ASSIGN(const Schema schema, sums::schema_for(study, party));
  const std::string asked = trimmed_query(query);
  if (asked.empty()) {
    return bad_input("E-sql-query", "the query needs rows to add up",
                     "add --query \"select …\", or the name of a table");
  }
  return push_down_query(schema, rows_of(asked), sums_mark(sums_terms(study, party)), dialect);
}

Result<SumsFile> sums_of_answer(const Study& study, std::optional<PartyId> party,
                                const std::string& file) {
  SOTTO_ASSIGN(const Schema schema, sums::schema_for(study, party));
  SOTTO_ASSIGN(const std::string text, sums::text_from(file));
  const std::string_view line = sums::line_in(text);
  SumsFile found;
  found.study = study.name;
  found.data = sums_terms(study, party);
  SOTTO_ASSIGN(found.table, moments_of_answer(schema, sums_mark(found.data), line).at(file));
  found.parts = {
      {sums::from_anywhere({.kind = "query", .place = file, .sha256 = to_hex(sha256(line))}),
       found.table.rows + found.table.dropped}};
  return found;
}

}  // namespace sotto
